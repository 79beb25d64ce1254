"""What is noted beside a bot's move, so that it can be run again: engine, version, budget, seed.

It stands beside the log and not in it: no hash and no replay depends on it. A note is written before its move, and
names it by a digest; where two runs of a bot chose differently (a time cap falls as it falls), the note of the move
that stands in the log is the one that counts.
"""

import hashlib
from collections.abc import Iterable, Sequence
from typing import Annotated, Any

import msgspec
from msgspec import Meta
from redis import Redis

from domain.kernel.events import AnyEvent, Moved
from domain.kernel.game import Seat
from domain.kernel.hash_chain import canonical_json
from service.event_store.keys import decisions_key


class Budget(msgspec.Struct, frozen=True):
    """How long a bot may think."""

    iterations: int
    seconds: Annotated[float, Meta(description="After which it stops in any case.")]


class BotDecision(msgspec.Struct, frozen=True):
    """All that is needed to run a bot's choice again."""

    ply: int
    seat: Seat
    level: str
    engine: str
    version: int
    budget: Budget | None
    iterations: Annotated[int | None, Meta(description="What it made of its budget.")]
    seed: Annotated[str, Meta(description="All of the bot's luck at this ply.")]


def record_decision(redis: Redis, match: str, move: Any, noted: BotDecision) -> None:
    """Keep a note of a move (plain JSON) that is about to be made. Raises redis-py's errors."""
    redis.hset(decisions_key(match), decision_field(noted.ply, move), msgspec.json.encode(noted))


def load_decisions(redis: Redis, match: str, events: Iterable[AnyEvent]) -> list[BotDecision]:
    """The notes of the moves that stand among these events, by ply. Raises redis-py's errors."""
    wanted: Sequence[str] = [decision_field(event.ply, event.move) for event in events if isinstance(event, Moved)]
    if not wanted:
        return []
    found: Any = redis.hmget(decisions_key(match), wanted)
    return [msgspec.json.decode(raw, type=BotDecision) for raw in found if raw is not None]


def decision_field(ply: int, move: Any) -> str:
    """Under what name a note is kept."""
    return f"{ply}:{hashlib.sha256(canonical_json(move)).hexdigest()[:16]}"
