"""Sources of randomness. Rules receive one as an argument and draw from it with `below`.

`Drawn` is what the service uses: every draw is an HMAC that anyone can check once the seed is revealed. `Fast` is for
bots and simulations, `Scripted` for tests. `docs/verify-a-roll.md` has the construction and its test vectors.
"""

import hashlib
import hmac
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, count
from random import Random
from struct import Struct
from typing import NamedTuple, Protocol, TypeVar

T = TypeVar("T")

WORD_RANGE = 1 << 32
BLOCK_LAYOUT = Struct(">8I")
SEED_BYTES = 32


class Chance(ABC):
    """A source of uniform draws. The order in which the rules draw is part of the rules.

    `used` counts the uses of each purpose so far, under luck protocol 2; other sources don't count them.
    """

    used: dict[str, int] | None = None

    @abstractmethod
    def below(self, n: int) -> int:
        """Return a uniform draw from 0 to n-1; n is at least 1."""

    def use(self, purpose: str) -> "Chance":
        """Return the source for one drawing step, such as a roll or a shuffle, of this purpose.

        Under luck protocol 2 each purpose has its own stream (`kernel.luck.Streams`). All other sources have only one
        stream and return themselves.
        """
        return self

    def die(self, sides: int = 6) -> int:
        """Return the result of rolling a die, 1 to `sides`."""
        return self.below(sides) + 1

    def shuffle(self, items: Iterable[T]) -> list[T]:
        """Return the items in random order.

        Fisher-Yates from the last item down to the second: swap items i and `below(i + 1)`.
        """
        deck, below = list(items), self.below
        for i in range(len(deck) - 1, 0, -1):
            j = below(i + 1)
            deck[i], deck[j] = deck[j], deck[i]
        return deck

    def pick(self, items: Sequence[T]) -> T:
        """Return the item at index `below(len(items))`."""
        return items[self.below(len(items))]


class Drawn(Chance):
    """The draws of one game event, derived from its key and its number n.

    Block b is `HMAC-SHA256(key, "draw/v1|n|" + be64(b))`, read as eight 32-bit big-endian words. `below(k)` rejects
    words at or above the largest multiple of k. n counts the game events of the match; set-up is 0. A key given as a
    function is derived at the first draw, because many moves draw nothing.
    """

    def __init__(self, key: bytes | Callable[[], bytes], n: int) -> None:
        self._words = chain.from_iterable(draw_blocks(key, n))

    def below(self, n: int) -> int:  # noqa: D102
        return draw_below(self._words, n)


def draw_below(words: Iterator[int], n: int) -> int:
    """Return a uniform draw from 0 to n-1, made from the next 32-bit words. Raise ValueError unless n is 1 to 2^32."""
    if not 1 <= n <= WORD_RANGE:
        raise ValueError(f"below({n}): n must be 1..2**32")
    while True:
        word = next(words)
        value = word % n
        if word - value <= WORD_RANGE - n:  # a shorter last span would bias the draw
            return value


def draw_blocks(key: bytes | Callable[[], bytes], n: int) -> Iterator[tuple[int, ...]]:
    """Yield the blocks of game event n, each as its eight words."""
    known = key() if callable(key) else key
    for block in count():
        yield block_words(known, n, block)


def block_words(key: bytes, n: int, block: int) -> tuple[int, ...]:
    """Return the eight words of one block of draws of game event n."""
    return BLOCK_LAYOUT.unpack(hmac.digest(key, b"draw/v1|%d|" % n + block.to_bytes(8, "big"), "sha256"))


class Fast(Chance):
    """A fast generator for bots and simulations; never for a match that people play."""

    def __init__(self, seed: int | str | bytes) -> None:
        self._random = Random(seed)  # noqa: S311 -- simulations only

    def below(self, n: int) -> int:  # noqa: D102
        return self._random.randrange(n)


class ScriptError(AssertionError):
    """Raised when a script does not match the draws that were made."""


class Scripted(Chance):
    """Return the listed results of `below` in order. All of them must be used (see `finish`)."""

    def __init__(self, draws: Iterable[int]) -> None:
        self._draws = list(draws)
        self._used = 0

    @classmethod
    def dice(cls, *faces: int) -> "Scripted":
        """Return a script given as die faces (1 to 6) instead of results of `below`."""
        return cls(face - 1 for face in faces)

    def below(self, n: int) -> int:  # noqa: D102
        if self._used == len(self._draws):
            raise ScriptError(f"draw {self._used + 1} (below({n})) exceeds the script, which has {self._used} draws")
        value = self._draws[self._used]
        if not 0 <= value < n:
            raise ScriptError(f"draw {self._used + 1} of the script is {value}, but below({n}) must return 0..{n - 1}")
        self._used += 1
        return value

    def finish(self) -> None:
        """Raise ScriptError unless every listed draw was used."""
        if self._used != len(self._draws):
            raise ScriptError(f"the script has {len(self._draws)} draws, but only {self._used} were used")


class DrawContext(NamedTuple):
    """What determines the draws of a game event, apart from the secrets.

    `shares` are the players' contributions: client seeds in seat order under protocol 1, shares (None: no share) in
    table-seat order under protocol 2. `number` is the number of the game event, and `uses` says how often each purpose
    was used before it. Protocol 1 depends on the number, protocol 2 on the uses.
    """

    match: str
    shares: Sequence[str | None]
    number: int = 0
    uses: Mapping[str, int] = {}


class Secrets(NamedTuple):
    """The secrets of a match in hex. Protocol 1 has no secret for salts."""

    seed: str
    salts: str | None = None


class Luck(Protocol):
    """The interface to a match's secrets. Only the code that decides commands gets one."""

    given: bool

    def commitment(self) -> str:
        """Return the commitment to the seed in hex, which the first event publishes."""

    def chance(self, context: DrawContext) -> Chance:
        """Return the draws of a game event."""

    def salt(self, ply: int) -> str:
        """Return the salt (hex) that seals the event at this ply."""

    def reveal(self) -> Secrets:
        """Return the secrets, for the event that reveals them."""


class Seed:
    """The seed of a match under luck protocol 1: 1 to 64 bytes; the server draws 32.

    `given` marks a seed that someone chose openly.
    """

    def __init__(self, seed: bytes, *, given: bool = False) -> None:
        if not 1 <= len(seed) <= 2 * SEED_BYTES:
            raise ValueError(f"a seed must have 1 to {2 * SEED_BYTES} bytes, this one has {len(seed)}")
        self._seed = seed
        self.given = given

    def __repr__(self) -> str:
        return "Seed(<secret>)"

    def commitment(self) -> str:
        """Return the SHA-256 of the seed in hex, which the first event publishes."""
        return hashlib.sha256(self._seed).hexdigest()

    def key(self, match: str, client_seeds: Sequence[str]) -> bytes:
        """Return the key of all draws of a match.

        It is `HMAC-SHA256(seed, "key/v1" + match id + SHA-256 of the client seeds)`, with the client seeds joined by
        line feeds in seat order. For a given seed it is `HMAC-SHA256(seed, "key/v1|given")`, so all matches
        with that seed have the same draws.
        """
        if self.given:
            return hmac.digest(self._seed, b"key/v1|given", "sha256")
        clients = hashlib.sha256("\n".join(client_seeds).encode()).digest()
        return hmac.digest(self._seed, b"key/v1" + match.encode() + clients, "sha256")

    def chance(self, context: DrawContext) -> Chance:
        """Return the draws of a game event."""
        return Drawn(lambda: self.key(context.match, [share or "" for share in context.shares]), context.number)

    def salt(self, ply: int) -> str:
        """Return `HMAC-SHA256(seed, "salt/v1|ply")` in hex. It keeps anyone from guessing an event from its hash."""
        return hmac.digest(self._seed, b"salt/v1|%d" % ply, "sha256").hex()

    def reveal(self) -> Secrets:
        """Return the seed, for the event that reveals it."""
        return Secrets(self._seed.hex())
