"""Matches of any rules version, stored in a log as the service creates them: version 1 has luck protocol 1."""

import secrets
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from domain.kernel.chance import SEED_BYTES
from domain.kernel.event_codec import write_event
from domain.kernel.game import AnyGame
from domain.match.commands import Create, SeatSpec
from domain.match.lobby import create_under_rules
from domain.match.luck import new_secrets, stored_secrets
from service.event_store.keys import new_match_id
from service.event_store.log import MatchLog
from service.matches.results import IdempotencyKey, payload_digest

EARLIER_VERSION = 1
"""The rules version of the first release."""
CREATION_KEY = "stored by a test"
"""The idempotency key of these creations."""


def store_match(
    log: MatchLog, game: AnyGame, creator: str, seats: Sequence[SeatSpec], now: datetime, **more: Any
) -> str:
    """Append a new match at the rules version of `game` to the log. Return its id. `more` are fields of `Create`."""
    command = Create(match=new_match_id(), game=game.slug, creator=creator, options={}, seats=tuple(seats), **more)
    luck = new_secrets(game, command.match, secrets.token_bytes(SEED_BYTES), secrets.token_bytes(SEED_BYTES))
    events = create_under_rules(game, command, now, luck).events
    log.append(
        command.match,
        0,
        [write_event(event) for event in events],
        command=IdempotencyKey(creator, CREATION_KEY).digest().hex(),
        payload=payload_digest([command, None]),
        seed=stored_secrets(luck),
    )
    return command.match
