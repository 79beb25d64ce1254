"""Rows for tests, and their feeds."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

from domain.kernel.game import Outcome
from service.event_store.keys import shard_of
from service.read_models.summary import MatchSummary, SeatSummary
from service.read_models.writer import ProjectionChange
from tests.projections import Projections

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
SECOND = timedelta(seconds=1)
DRAW = Outcome("full", (), (0, 0), (1, 1))


def match_id(shard: int, name: str = "a") -> str:
    """Return a match id in a shard."""
    return f"{shard:02}" + name.rjust(16, "a")


def human_seat(player: str) -> SeatSummary:
    """Return a seat with a player."""
    return SeatSummary("human", player, None, False)


def bot_seat(level: str = "greedy") -> SeatSummary:
    """Return a seat with a bot."""
    return SeatSummary("bot", None, level, False)


OPEN_SEAT = SeatSummary("open", None, None, False)


def make_summary(match: str, **other: Any) -> MatchSummary:
    """Return a row: Ann against Bob, with no one to move."""
    defaults: dict[str, Any] = {
        "game": "tic_tac_toe",
        "status": "playing",
        "ply": 4,
        "to_move": (),
        "seats": (human_seat("p_ann"), human_seat("p_bob")),
        "creator": "p_ann",
        "created_at": NOON,
        "at": NOON,
        "outcome": None,
    }
    return MatchSummary(id=match, **(defaults | other))


class FeedWriter:
    """Announces rows to projections, with consecutive positions in each shard."""

    def __init__(self, projections: Projections) -> None:
        self.projections = projections
        self.changes: list[ProjectionChange] = []
        self._positions: dict[int, count[int]] = {}

    def announce(self, *rows: MatchSummary) -> None:
        """Apply rows, one position each."""
        for one in rows:
            shard = shard_of(one.id)
            position = next(self._positions.setdefault(shard, count(1)))
            self.changes.append(ProjectionChange(position, one.id, one))
            assert self.projections.apply(shard, position, one.id, one)


def dump_keys(redis: Any, pattern: str = "*") -> dict[bytes, Any]:
    """Return the exact contents of all keys that match a pattern."""
    read = {
        b"string": redis.get,
        b"hash": redis.hgetall,
        b"zset": lambda key: redis.zrange(key, 0, -1, withscores=True),
        b"stream": redis.xrange,
    }
    return {key: read[redis.type(key)](key) for key in sorted(redis.keys(pattern))}


def match_ids(rows: Iterable[MatchSummary]) -> list[str]:
    """Return the match ids of rows, in order."""
    return [one.id for one in rows]
