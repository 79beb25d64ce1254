"""Counts the matches that players let run out, and those that they finished.

A match between people is *lapsed* for a player who ran out of time in it and lost the seat, and *kept* for a player who
moved and finished it. Lapses on the same day count as one, because a player who falls ill runs out of time in all
matches at once. One kept match ends the streak of lapses.
"""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from redis import Redis, RedisCluster

from service.read_models.shards import ShardReader

FREE_LAPSES = 1
"""How many days with lapses in a row have no consequence."""
FIRST_PERIOD, LONGEST_PERIOD = timedelta(days=1), timedelta(days=30)
"""The first limit lasts a day. Each further one lasts twice as long as the one before, up to this maximum."""
SAME_DAY = timedelta(days=1)
MAX_COUNTED = 100


class JoinLimit(NamedTuple):
    """Until when a player may play only a few matches with people, and how many lapses in a row led to that."""

    until: datetime
    lapses: int


class Lapses:
    """Reads from the projections which matches players let run out. Every method raises LogUnavailable."""

    def __init__(self, redis: "Redis | RedisCluster") -> None:
        self._shards = ShardReader(redis)

    def join_limit(self, player: str, now: datetime) -> JoinLimit | None:
        """Return the limit that is in force for a player, or None."""
        lapsed = self._times(f"lapsed:{player}:")
        kept = self._times(f"kept:{player}:") if lapsed else []
        return limit_after(lapsed, max(kept, default=None), now)

    def _times(self, prefix: str) -> list[datetime]:
        places = self._shards.last_places(prefix, MAX_COUNTED)
        return [datetime.fromtimestamp(int(place.partition(":")[0]) / 1000, UTC) for place in places]


def limit_after(lapsed: Sequence[datetime], last_kept: datetime | None, now: datetime) -> JoinLimit | None:
    """Return the limit after lapses at these times, or None if it has ended."""
    row = sorted(at for at in lapsed if last_kept is None or at > last_kept)
    days: list[datetime] = []
    for at in row:
        if not days or at - days[-1] >= SAME_DAY:
            days.append(at)
    counted = len(days) - FREE_LAPSES
    if counted < 1:
        return None
    until = days[-1] + min(FIRST_PERIOD * 2 ** min(counted - 1, 10), LONGEST_PERIOD)
    return JoinLimit(until, len(row)) if until > now else None
