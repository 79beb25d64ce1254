"""Records of bots' decisions, which allow a decision to be reproduced: engine, version, budget, seed.

They are stored next to the log, so no hash and no replay depends on them. A record is written before its move and
identifies it by a digest, so only the record of the move in the log counts. Earlier versions had a time limit, which
could make two runs of a bot choose different moves.
"""

import hashlib
from collections.abc import Iterable, Sequence
from typing import Annotated, Any

import msgspec
from msgspec import Meta
from redis import Redis

from domain.bots.search import Budget
from domain.kernel.events import AnyEvent, Moved
from domain.kernel.game import Seat
from domain.kernel.hash_chain import canonical_json
from service.event_store.keys import decisions_key


class BotDecision(msgspec.Struct, frozen=True):
    """How a house bot chose a move: everything needed to reproduce the decision."""

    ply: int
    seat: Seat
    level: str
    engine: str
    version: int
    budget: Budget | None
    iterations: Annotated[int | None, Meta(description="Iterations that the bot completed.")]
    seed: Annotated[str, Meta(description="The seed of all the bot's random choices at this ply.")]


def record_decision(redis: Redis, match: str, move: Any, noted: BotDecision) -> None:
    """Store the decision for a move (plain JSON) before the move is made. Raises redis-py's errors."""
    redis.hset(decisions_key(match), decision_field(noted.ply, move), msgspec.json.encode(noted))


def load_decisions(redis: Redis, match: str, events: Iterable[AnyEvent]) -> list[BotDecision]:
    """Return the decisions for the moves among these events, in order. Raises redis-py's errors."""
    names: Sequence[str] = [decision_field(event.ply, event.move) for event in events if isinstance(event, Moved)]
    if not names:
        return []
    found: Any = redis.hmget(decisions_key(match), names)
    return [msgspec.json.decode(raw, type=BotDecision) for raw in found if raw is not None]


def decision_field(ply: int, move: Any) -> str:
    """Return the hash field under which a decision is stored."""
    return f"{ply}:{hashlib.sha256(canonical_json(move)).hexdigest()[:16]}"
