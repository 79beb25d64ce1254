"""Which player has which name: each skeleton of a name belongs to at most one player.

A claim is made before the player's record is written, and released after the record has another name or is gone. A
process that dies in between leaves a claim without a name. Such a claim is removed once someone else wants the name.
"""

import secrets
from collections.abc import Callable, Iterable, Mapping
from datetime import timedelta
from importlib.resources import files
from typing import Any, NamedTuple

from redis import Redis

from service.accounts.guest_names import SUGGESTED_ADJECTIVES
from service.accounts.names import MAX_NAME_LENGTH, NameReserved, NameTaken, is_reserved, skeletons
from service.event_store.keys import NAMES_KEY
from service.event_store.replication import ReplicatedWriter
from service.runtime.clock import Clock, to_milliseconds

CLAIM_SCRIPT, RELEASE_SCRIPT = (
    files("service.accounts").joinpath(name).read_text(encoding="utf-8")
    for name in ("name_claim.lua", "name_release.lua")
)
GRACE = timedelta(seconds=60)
"""How long a claim may exist before the record of its player, so that no request that is still running loses it."""
MAX_ATTEMPTS = 4
"""How many times to try a claim while abandoned claims are in the way."""
SUGGESTIONS = 3
"""How many free names an error message suggests."""


class Claim(NamedTuple):
    """A stored claim: the player, and since when, in milliseconds."""

    player: str
    since_ms: int


class NameClaims:
    """The claims. `find_name` returns the name in a player's record, or None if there is no record."""

    def __init__(
        self, redis: Redis, clock: Clock, find_name: Callable[[str], str | None], writer: ReplicatedWriter
    ) -> None:
        self._redis: Any = redis
        self._clock = clock
        self._find_name = find_name
        self._writer = writer

    def claim(self, player: str, name: str) -> None:
        """Give a name to a player, if it is not reserved. Raises NameReserved, NameTaken."""
        if is_reserved(name):
            raise NameReserved(name, self.suggestions(name))
        if not self.try_claim(player, name):
            raise NameTaken(name, self.suggestions(name))

    def try_claim(self, player: str, name: str) -> bool:
        """Give a name to a player. Return False if another player has it or one that looks like it."""
        wanted = sorted(skeletons(name))
        for _ in range(MAX_ATTEMPTS):
            held = self._writer.run(NAMES_KEY, "EVAL", CLAIM_SCRIPT, 1, NAMES_KEY, player, self._value(player), *wanted)
            if not held:
                return True
            skeleton, value = (part.decode() for part in held)
            if not self._is_abandoned(skeleton, value):
                break
            self._release({skeleton: value})
        return False

    def values(self, player: str, name: str) -> dict[str, str]:
        """Return the player's own claims to the skeletons of a name, for `release`."""
        wanted = sorted(skeletons(name))
        found = zip(wanted, self._redis.hmget(NAMES_KEY, wanted), strict=True)
        return {each: raw.decode() for each, raw in found if raw and parse_claim(raw.decode()).player == player}

    def release(self, claims: Mapping[str, str], keep: str = "") -> None:
        """Release claims that nobody has renewed since `values` returned them, except those that `keep` needs."""
        kept = skeletons(keep) if keep else frozenset()
        self._release({each: value for each, value in claims.items() if each not in kept})

    def holder(self, name: str, but: str = "") -> str | None:
        """Return a player, other than `but`, who has a claim to this name or to one that looks like it."""
        held = self._redis.hmget(NAMES_KEY, sorted(skeletons(name)))
        return next((found for raw in held if raw and (found := parse_claim(raw.decode()).player) != but), None)

    def suggestions(self, name: str) -> tuple[str, ...]:
        """Return free names that resemble a name. There may be fewer than `SUGGESTIONS`."""
        stem = name.strip()[: MAX_NAME_LENGTH - 12].rstrip()
        adjectives = secrets.SystemRandom().sample(SUGGESTED_ADJECTIVES, SUGGESTIONS)
        numbers = [secrets.randbelow(900) + 100 for _ in range(SUGGESTIONS)]
        offered = [*(f"{each} {stem}" for each in adjectives), *(f"{stem} {number}" for number in numbers)]
        return tuple(each for each in offered if not is_reserved(each) and self.holder(each) is None)[:SUGGESTIONS]

    def _value(self, player: str) -> str:
        return f"{player} {to_milliseconds(self._clock.now())} {secrets.token_hex(4)}"

    def _is_abandoned(self, skeleton: str, value: str) -> bool:
        """Return whether a claim is older than any request and its player has another name or is gone."""
        claim = parse_claim(value)
        if abs(to_milliseconds(self._clock.now()) - claim.since_ms) < GRACE / timedelta(milliseconds=1):
            return False
        name = self._find_name(claim.player)
        return name is None or skeleton not in skeletons(name)

    def _release(self, claims: Mapping[str, str]) -> None:
        if claims:
            self._writer.run(NAMES_KEY, "EVAL", RELEASE_SCRIPT, 1, NAMES_KEY, *flatten(claims.items()))


def parse_claim(value: str) -> Claim:
    """Return a stored claim."""
    player, since, _ = value.split(" ")
    return Claim(player, int(since))


def flatten(pairs: Iterable[tuple[str, str]]) -> list[str]:
    """Return the members of pairs in one list."""
    return [each for pair in pairs for each in pair]
