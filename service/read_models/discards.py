"""Counts discarded matches: those that someone ended early although their luck was, or could have been, known.

Nobody can choose the luck of a match, but a player can discard it: by not opening a share of a sealed match, or by
aborting an unrated match before their first move. Each discarded match counts against these players. Other players see
the number. After discarding a rated match, a player can't play rated matches for a while. Each further time, this lasts
longer.
"""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from redis import Redis, RedisCluster

from service.read_models.shards import ShardReader

SUSPENSION_WINDOW = timedelta(days=90)
"""How long a discarded rated match counts towards suspensions."""
SUSPENSION_DAYS = (1, 3, 7, 14, 30)
"""How many days a player can't play rated matches after the first, second, ... discarded rated match."""
MAX_COUNTED = 100


class Discards:
    """Reads how many matches players have discarded, from the projections."""

    def __init__(self, redis: "Redis | RedisCluster") -> None:
        self._shards = ShardReader(redis)

    def counts(self, players: Iterable[str]) -> dict[str, int]:
        """Return, by player, how many matches they have discarded: by not opening a share, or by aborting."""
        listed = sorted(set(players))
        counts = self._shards.count_entries([f"unopened:{player}:" for player in listed])
        return dict(zip(listed, counts, strict=True))

    def rated_again_at(self, player: str, now: datetime) -> datetime | None:
        """Return when the player can play rated matches again, or None if they can now."""
        places = self._shards.first_places(f"unopened-rated:{player}:", MAX_COUNTED)
        times = [datetime.fromtimestamp(int(place.partition(":")[0]) / 1000, UTC) for place in places]
        recent = [at for at in times if at > now - SUSPENSION_WINDOW]
        if not recent:
            return None
        until = max(recent) + timedelta(days=SUSPENSION_DAYS[min(len(recent), len(SUSPENSION_DAYS)) - 1])
        return until if until > now else None
