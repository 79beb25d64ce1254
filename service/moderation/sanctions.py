"""Sanctions: what a player may not do, why, and until when.

A muted player can't write anything that others read. A suspended player can't start, join or take over matches. A
banned player can't sign in, and is muted and suspended too. Running matches of a suspended player continue.
"""

from datetime import datetime
from typing import Any, Literal

import msgspec
from redis import Redis

from domain.kernel.refusals import MatchRefused
from service.event_store.keys import SANCTIONED_KEY, sanctions_key
from service.runtime.clock import Clock

SanctionKind = Literal["mute", "suspend", "ban"]
IMPLIED_BY: dict[SanctionKind, tuple[SanctionKind, ...]] = {
    "mute": ("mute", "ban"),
    "suspend": ("suspend", "ban"),
    "ban": ("ban",),
}
"""The sanctions that have the effect of each kind, itself first."""


class Sanction(msgspec.Struct, frozen=True, kw_only=True):
    """A sanction of a player by a moderator. `until` is None if it has no end.

    `cheated` belongs to a ban: the player's results count for nobody.
    """

    kind: SanctionKind
    reason: str
    by: str
    at: datetime
    until: datetime | None
    cheated: bool = False

    @property
    def period(self) -> str:
        """Return until when it applies, as part of a sentence."""
        return "until further notice" if self.until is None else f"until {self.until:%-d %B %Y, %H:%M} UTC"


class Muted(Exception):
    """A muted player tried to write something that others read. The text is for the player."""


class Banned(Exception):
    """A banned player tried to sign in. The text is for the player."""


class Sanctions:
    """The sanctions of all players. Every method raises redis-py's errors."""

    def __init__(self, redis: Redis, clock: Clock) -> None:
        self._redis: Any = redis
        self._clock = clock

    def impose(self, player: str, sanction: Sanction) -> None:
        """Impose a sanction, in place of an earlier one of the same kind."""
        self._redis.sadd(SANCTIONED_KEY, player)  # first, so that nobody is missing from the list
        self._redis.hset(sanctions_key(player), sanction.kind, msgspec.json.encode(sanction))

    def lift(self, player: str, kind: SanctionKind) -> bool:
        """Lift a sanction. Return False if there was none in force."""
        was_active = any(each.kind == kind for each in self.of(player))
        self._redis.hdel(sanctions_key(player), kind)
        return was_active

    def of(self, player: str) -> list[Sanction]:
        """Return the sanctions of a player that are in force, in the order mute, suspend, ban."""
        found = {each.kind: each for raw in self._redis.hvals(sanctions_key(player)) if (each := self._decode(raw))}
        return [found[kind] for kind in IMPLIED_BY if kind in found]

    def players(self) -> list[str]:
        """Return the players with a sanction in force, sorted by id."""
        known = sorted(player.decode() for player in self._redis.smembers(SANCTIONED_KEY))
        return [player for player in known if self.of(player)]

    def find(self, player: str, kind: SanctionKind) -> Sanction | None:
        """Return the sanction in force that has the effect of this kind, or None. A ban has all effects."""
        found = {each.kind: each for each in self.of(player)}
        return next((found[each] for each in IMPLIED_BY[kind] if each in found), None)

    def erase(self, player: str) -> None:
        """Delete all sanctions of a player. Idempotent."""
        self._redis.delete(sanctions_key(player))
        self._redis.srem(SANCTIONED_KEY, player)

    # -- checks -------------------------------------------------------------------------------------------------

    def require_may_write(self, player: str) -> None:
        """Raise Muted for a player who may not write what others read."""
        found = self.find(player, "mute")
        if found is not None:
            raise Muted(f"You can't write in disputes or change your name {found.period}. Reason: {found.reason}")

    def require_may_join(self, player: str) -> None:
        """Raise MatchRefused `suspended` for a player who may not start or join matches."""
        found = self.find(player, "suspend")
        if found is not None:
            message = (
                f"You can't start or join matches {found.period}. Reason: {found.reason} "
                "You can finish your running matches."
            )
            raise MatchRefused("suspended", message)

    def require_may_sign_in(self, player: str) -> None:
        """Raise Banned for a player who may not sign in."""
        found = self.find(player, "ban")
        if found is not None:
            raise Banned(f"This account is banned {found.period}. Reason: {found.reason}")

    def is_banned(self, player: str) -> bool:
        """Return whether the player is banned now."""
        return self.find(player, "ban") is not None

    def _decode(self, raw: bytes) -> Sanction | None:
        """Return a stored sanction, or None if it has expired."""
        sanction = msgspec.json.decode(raw, type=Sanction)
        return None if sanction.until is not None and sanction.until <= self._clock.now() else sanction
