"""Reads and writes events as lines of JSON, in a log or a replay file."""

from functools import cache
from typing import Any, Literal

import msgspec

from domain.kernel.events import EVENT_TYPES, AnyEvent
from domain.kernel.game import AnyGame
from domain.kernel.hash_chain import canonical_json
from domain.kernel.values import Value


def write_event(event: AnyEvent) -> bytes:
    """Return the event as a line of a log or replay file."""
    return canonical_json(event)


@cache
def _decoder(game: AnyGame) -> msgspec.json.Decoder[AnyEvent]:
    parameters = (game.move_type, game.fact_type)
    union: Any = None
    for kind in EVENT_TYPES:
        typed: Any = kind[parameters]
        union = typed if union is None else union | typed
    return msgspec.json.Decoder(union)


def read_event(raw: bytes | str, game: AnyGame) -> AnyEvent:
    """Return an event of a match of this game from its JSON. Raise msgspec.DecodeError or ValidationError."""
    return _decoder(game).decode(raw)


class MatchHeader(Value, frozen=True):
    """The fields of a first event that identify the game, and so the types of all other events."""

    kind: Literal["created"]
    match: str
    game: str
    rules_version: int


_header_decoder = msgspec.json.Decoder(MatchHeader)


def read_header(raw: bytes | str) -> MatchHeader:
    """Return match, game and rules version from the first event's JSON.

    Raises msgspec.DecodeError or ValidationError.
    """
    return _header_decoder.decode(raw)
