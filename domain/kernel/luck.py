"""Luck protocol 2: how a match gets its dice from the server's seed and the players' shares.

The server commits to its seed before any player sends a share. The key of all draws is an HMAC of the seed over the
shares. Each source of luck (a deck, one seat's dice) is a stream of its own, addressed by purpose, use and block.
`docs/luck-protocol.md` specifies every value; `docs/test-vectors.json` has examples.
"""

import hashlib
import hmac
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import count

from domain.kernel.chance import BLOCK_LAYOUT, SEED_BYTES, Chance, DrawContext, Secrets, draw_below
from domain.kernel.game import Seat

Share = str | None
"""A player's contribution to the luck: 64 hex digits, or None for a player who gives none."""
NO_SHARE = "-"
"""A missing share or seal in hashed text."""
SHARE_DIGITS = re.compile(r"[0-9a-f]{64}\Z")
PURPOSE = re.compile(r"[a-z][a-z0-9_]{0,23}(/[0-9]{1,2})?\Z")
HMAC_BLOCK_BYTES = 64
INNER_PAD, OUTER_PAD = (bytes(pad ^ byte for byte in range(256)) for pad in (0x36, 0x5C))
SEATS_PURPOSE = "seats"
"""The purpose of the shuffle that assigns seats at random. No game may use it."""


def is_share(text: str) -> bool:
    """Return whether this is the wire form of a share: 64 lower-case hex digits, not all zero."""
    return SHARE_DIGITS.match(text) is not None and text.strip("0") != ""


def sha256(text: str) -> str:
    """Return the SHA-256 of ASCII text, in hex."""
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def hmac_sha256(key: bytes, text: str) -> bytes:
    """Return the HMAC-SHA256 of ASCII text."""
    return hmac.digest(key, text.encode("ascii"), "sha256")


class PreparedHmac:
    """HMAC-SHA256 with one key (RFC 2104), for many texts.

    It takes 40 % of the time of `hmac_sha256`, because the key is hashed only once. In Mice Cake, where each attempt is
    a use of its own, this makes a move 10 % faster. Remove it if that gain falls below 5 %.
    """

    __slots__ = ("_inner", "_outer")

    def __init__(self, key: bytes) -> None:
        padded = key.ljust(HMAC_BLOCK_BYTES, b"\0")
        if len(padded) > HMAC_BLOCK_BYTES:
            raise ValueError(f"a prepared key has up to {HMAC_BLOCK_BYTES} bytes, this one has {len(key)}")
        self._inner = hashlib.sha256(padded.translate(INNER_PAD))
        self._outer = hashlib.sha256(padded.translate(OUTER_PAD))

    def digest(self, text: str) -> bytes:
        """Return the HMAC-SHA256 of ASCII text."""
        inner, outer = self._inner.copy(), self._outer.copy()
        inner.update(text.encode("ascii"))
        outer.update(inner.digest())
        return outer.digest()


def join_shares(values: Sequence[Share]) -> str:
    """Return shares or seals in table-seat order as hashed text."""
    return ",".join(value or NO_SHARE for value in values)


def seed_commitment(match: str, seed: bytes) -> str:
    """Return the commitment to the seed of a match."""
    return sha256(f"crumbtrail/seed/2|{match}|{seed.hex()}")


def share_seal(match: str, table_seat: Seat, commitment: str, share: str) -> str:
    """Return the seal that commits a player to a share when they sit down."""
    return sha256(f"crumbtrail/share/2|{match}|{table_seat}|{commitment}|{share}")


def table_hash(match: str, commitment: str, seals: Sequence[Share]) -> str:
    """Return the hash of a full table, which every player states when opening a share."""
    return sha256(f"crumbtrail/table/2|{match}|{commitment}|{join_shares(seals)}")


class MatchSecrets:
    """The secrets of a match under luck protocol 2: its seed and an independent secret for salts.

    `match` is the match whose id the commitment and the key contain: the original one in a fork with the same luck.
    `given` marks a seed that someone chose openly.
    """

    def __init__(self, match: str, seed: bytes, salts: bytes, *, given: bool = False) -> None:
        if not 1 <= len(seed) <= 2 * SEED_BYTES or (len(seed) != SEED_BYTES and not given):
            raise ValueError(f"a seed must have {SEED_BYTES} bytes, a given one 1 to {2 * SEED_BYTES}")
        if len(salts) != SEED_BYTES:
            raise ValueError(f"the secret for salts must have {SEED_BYTES} bytes, this one has {len(salts)}")
        self._match = match
        self._seed = seed
        self._salts = salts
        self._salting = PreparedHmac(salts)
        self.given = given

    def __repr__(self) -> str:
        return "MatchSecrets(<secret>)"

    def commitment(self) -> str:
        """Return the commitment to the seed in hex, which the first event publishes."""
        return seed_commitment(self._match, self._seed)

    def key(self, shares: Sequence[Share]) -> bytes:
        """Return the key of all draws of the match. All matches with the same given seed have the same key."""
        text = "given" if self.given else f"{self._match}|{join_shares(shares)}"
        return hmac_sha256(self._seed, f"crumbtrail/key/2|{text}")

    def chance(self, context: DrawContext) -> Chance:
        """Return the draws of a game event."""
        return Streams(lambda: self.key(context.shares), context.uses)

    def bot_decision(self, match: str, shares: Sequence[Share], seat: Seat, moves_before: int) -> bytes:
        """Return the 32 bytes from which a house bot makes its random choices in one turn.

        `match` is the match in which the bot plays, even in a fork; `moves_before` counts the earlier moves of the
        seat, including those that were taken back or made by people.
        """
        text = "given" if self.given else f"{match}|{join_shares(shares)}"
        return hmac_sha256(hmac_sha256(self._seed, f"crumbtrail/bots/2|{text}"), f"bot/2|{seat}|{moves_before}")

    def salt(self, ply: int) -> str:
        """Return the salt of an event in hex. It keeps anyone from guessing an event from its hash."""
        return self._salting.digest(f"salt/2|{ply}").hex()

    def reveal(self) -> Secrets:
        """Return seed and salts, for the event that reveals them."""
        return Secrets(self._seed.hex(), self._salts.hex())


def stream_words(key: bytes, purpose: str, use: int, block: int) -> tuple[int, ...]:
    """Return the eight words of one block of a use."""
    return BLOCK_LAYOUT.unpack(hmac_sha256(key, f"draw/2|{purpose}|{use}|{block}"))


def words_of_use(key: PreparedHmac, purpose: str, use: int) -> Iterator[int]:
    """Yield the words of a use, block after block (see `stream_words`)."""
    for block in count():
        yield from BLOCK_LAYOUT.unpack(key.digest(f"draw/2|{purpose}|{use}|{block}"))


@lru_cache(1024)
def is_purpose(text: str) -> bool:
    """Return whether this is the name of a purpose."""
    return PURPOSE.match(text) is not None


class Streams(Chance):
    """The draws of one game event: a stream of words for each purpose and use.

    `uses` counts the earlier uses of each purpose in the match. `used` counts those of this event; a step that draws
    nothing is not counted. A key given as a function is derived at the first draw, because many moves draw nothing.
    """

    def __init__(self, key: bytes | Callable[[], bytes], uses: Mapping[str, int]) -> None:
        self._key = key
        self._prepared: PreparedHmac | None = None
        self._before = uses
        self.used: dict[str, int] = {}

    def use(self, purpose: str) -> Chance:
        """Return the source for one drawing step of this purpose. Raise ValueError if it is not well-formed."""
        if not is_purpose(purpose):
            raise ValueError(f"{purpose!r} is not the name of a purpose")
        return StreamUse(self, purpose)

    def below(self, n: int) -> int:
        """Raise ValueError: every draw needs a purpose (`use`)."""
        raise ValueError(f"below({n}): a draw under luck protocol 2 needs a purpose; call `use` first")

    def begin(self, purpose: str) -> Iterator[int]:
        """Return the words of the next use of a purpose, and count it."""
        if self._prepared is None:
            self._prepared = PreparedHmac(self._key() if callable(self._key) else self._key)
        used = self.used.get(purpose, 0)
        self.used[purpose] = used + 1
        use = self._before.get(purpose, 0) + used
        return words_of_use(self._prepared, purpose, use)


class StreamUse(Chance):
    """The draws of one use. The use begins, and counts, with the first draw."""

    def __init__(self, streams: Streams, purpose: str) -> None:
        self._streams = streams
        self._purpose = purpose
        self._words: Iterator[int] | None = None

    def below(self, n: int) -> int:  # noqa: D102
        if self._words is None:
            self._words = self._streams.begin(self._purpose)
        return draw_below(self._words, n)
