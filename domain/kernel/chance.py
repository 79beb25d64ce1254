"""Chance as an argument: one primitive, `below`, and three sources behind it.

`Drawn` is the service's: every draw is an HMAC that anyone can check once the seed is revealed. `Fast` serves bots
and simulations, `Scripted` serves tests. The construction and its test vectors are in `docs/verify-a-roll.md`.
"""

import hashlib
import hmac
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from itertools import chain, count
from random import Random
from struct import Struct
from typing import Protocol, TypeVar

T = TypeVar("T")

WORD_RANGE = 1 << 32
BLOCK_LAYOUT = Struct(">8I")
SEED_BYTES = 32


class Chance(ABC):
    """A source of uniform draws. The order in which the rules ask is part of the rules."""

    @abstractmethod
    def below(self, n: int) -> int:
        """A draw uniform on 0..n-1; n is at least 1."""

    def die(self, sides: int = 6) -> int:
        """A die: 1..sides."""
        return self.below(sides) + 1

    def shuffle(self, items: Iterable[T]) -> list[T]:
        """Fisher-Yates from the last item down to the second: swap items i and `below(i + 1)`."""
        deck, below = list(items), self.below
        for i in range(len(deck) - 1, 0, -1):
            j = below(i + 1)
            deck[i], deck[j] = deck[j], deck[i]
        return deck

    def pick(self, items: Sequence[T]) -> T:
        """The item at `below(len(items))`."""
        return items[self.below(len(items))]


class Drawn(Chance):
    """The draws of one game event, random-access in (key, n).

    Block b is `HMAC-SHA256(key, "draw/v1|n|" + be64(b))`, read as eight 32-bit big-endian words; `below(k)` rejects
    words at or above the largest multiple of k. n counts the game events of the match, set-up being 0.
    """

    def __init__(self, key: bytes, n: int) -> None:
        self._words = chain.from_iterable(block_words(key, n, block) for block in count())

    def below(self, n: int) -> int:  # noqa: D102
        if not 1 <= n <= WORD_RANGE:
            raise ValueError(f"below({n}): n must be 1..2**32")
        while True:
            word = next(self._words)
            value = word % n
            if word - value <= WORD_RANGE - n:  # the n words from this multiple of n on are all there
                return value


def block_words(key: bytes, n: int, block: int) -> tuple[int, ...]:
    """The eight words of a block of the draws of game event n."""
    return BLOCK_LAYOUT.unpack(hmac.digest(key, b"draw/v1|%d|" % n + block.to_bytes(8, "big"), "sha256"))


class Fast(Chance):
    """A quick generator for bots and simulations; never for a match that people play."""

    def __init__(self, seed: int | str | bytes) -> None:
        self._random = Random(seed)  # noqa: S311 -- simulations only

    def below(self, n: int) -> int:  # noqa: D102
        return self._random.randrange(n)


class ScriptError(AssertionError):
    """A script of draws that does not fit the draws asked for."""


class Scripted(Chance):
    """Hands out the listed results of `below` in order; they must be used up exactly (see `finish`)."""

    def __init__(self, draws: Iterable[int]) -> None:
        self._draws = list(draws)
        self._used = 0

    @classmethod
    def dice(cls, *faces: int) -> "Scripted":
        """A script given as die faces (1..6) instead of results of `below`."""
        return cls(face - 1 for face in faces)

    def below(self, n: int) -> int:  # noqa: D102
        if self._used == len(self._draws):
            raise ScriptError(f"draw {self._used + 1} (below({n})) is asked for, the script has {self._used}")
        value = self._draws[self._used]
        if not 0 <= value < n:
            raise ScriptError(f"draw {self._used + 1} of the script is {value}, below({n}) needs 0..{n - 1}")
        self._used += 1
        return value

    def finish(self) -> None:
        """Raise ScriptError unless every listed draw was used."""
        if self._used != len(self._draws):
            raise ScriptError(f"the script has {len(self._draws)} draws, {self._used} were asked for")


class Luck(Protocol):
    """What the deciding code needs to know of a match's seed; nobody else ever holds one."""

    given: bool

    def commitment(self) -> str:
        """SHA-256 of the seed in hex, published in the first event."""

    def draws(self, match: str, client_seeds: Sequence[str], n: int) -> Chance:
        """The draws of game event n."""

    def salt(self, ply: int) -> str:
        """The salt (hex) that seals the event at this ply."""

    def reveal(self) -> str:
        """The seed in hex, for the event that ends the secrecy."""


class Seed:
    """The seed of a match: at least one byte; the server draws 32. `given` marks one that was chosen openly."""

    def __init__(self, seed: bytes, *, given: bool = False) -> None:
        if not 1 <= len(seed) <= 2 * SEED_BYTES:
            raise ValueError(f"a seed has 1 to {2 * SEED_BYTES} bytes, this one has {len(seed)}")
        self._seed = seed
        self.given = given

    def __repr__(self) -> str:
        return "Seed(<secret>)"

    def commitment(self) -> str:
        """SHA-256 of the seed in hex, published in the first event."""
        return hashlib.sha256(self._seed).hexdigest()

    def key(self, match: str, client_seeds: Sequence[str]) -> bytes:
        """The key of all draws of a match.

        `HMAC-SHA256(seed, "key/v1" + match id + SHA-256 of the client seeds)`, the client seeds joined by line feeds
        in seat order; for a given seed `HMAC-SHA256(seed, "key/v1|given")`, so that it plays alike anywhere.
        """
        if self.given:
            return hmac.digest(self._seed, b"key/v1|given", "sha256")
        clients = hashlib.sha256("\n".join(client_seeds).encode()).digest()
        return hmac.digest(self._seed, b"key/v1" + match.encode() + clients, "sha256")

    def draws(self, match: str, client_seeds: Sequence[str], n: int) -> Chance:
        """The draws of game event n."""
        return Drawn(self.key(match, client_seeds), n)

    def salt(self, ply: int) -> str:
        """`HMAC-SHA256(seed, "salt/v1|ply")` in hex: without it a published hash would give hidden things away."""
        return hmac.digest(self._seed, b"salt/v1|%d" % ply, "sha256").hex()

    def reveal(self) -> str:
        """The seed in hex."""
        return self._seed.hex()
