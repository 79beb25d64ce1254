"""The answers to successful commands."""

from flask import Response
from msgspec import Struct

from domain.kernel.events import AnyEvent
from domain.kernel.game import Seat
from service.accounts.players import Token
from service.api.authentication import current_token
from service.api.command_headers import result_headers
from service.api.responses import json_response, match_document_for
from service.api.seats import seat_or_spectator
from service.app_context import services
from service.matches.match_document import MatchDocument
from service.matches.results import CommandResult


class Done(Struct, frozen=True, kw_only=True):
    """A successful command: its own event, all events appended with it, and the match as it is now."""

    event: AnyEvent
    events: list[AnyEvent]
    match: MatchDocument


def command_response(done: CommandResult, seat: Seat | None, player: str) -> Response:
    """Return the answer to a successful command."""
    return json_response(command_document(done, seat, player, current_token()), 201, result_headers(done))


def command_document(done: CommandResult, seat: Seat | None, player: str, token: Token | None) -> Done:
    """Return what a command did, as its author may see it now."""
    seat = seat_or_spectator(done.match, player, seat)
    events = services().matches.repository.filter_events(done.events, done.match, seat)
    return Done(event=events[0], events=events, match=match_document_for(done.match, seat, player, token))
