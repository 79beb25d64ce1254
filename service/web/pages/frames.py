"""The frames of a playback, for the scripts of the live page and of the replay."""

import gzip
from functools import partial

import msgspec
from flask import Response, request
from werkzeug.exceptions import NotFound

from domain.match.state import AnyMatch
from replays.redaction import EVERYTHING, Reader
from service.app_context import services
from service.matches.errors import PositionLost
from service.matches.repository import FOLD_ERRORS
from service.web.blueprint import web
from service.web.forms import parse_number
from service.web.frames import Playback, take_frames
from service.web.game_files import find_table
from service.web.match_history import event_lines, stored_events
from service.web.pages.replay import requested_reader
from service.web.seating import seat_infos
from service.web.table_board import table_players
from service.web.visitor import current_player_id

WORTH_PACKING = 1000
"""Answers of at least this many bytes are compressed."""
PACKING_LEVEL = 5


@web.get("/matches/<match>/frames")
def frames(match: str) -> Response:
    """Send the frames of the plies after `after`, up to `to`, as the reader may see them (`as`, as in the replay).

    Raises PositionLost if the position doesn't fit the game's component data any more.
    """
    head = services().matches.repository.load(match)
    reader, span = requested_reader(head), requested_span(head)
    try:
        return packed(msgspec.json.encode(playback_of(head, reader, span)))
    except FOLD_ERRORS:
        if head.has_changed_components:
            raise PositionLost(match) from None
        raise


def requested_span(head: AnyMatch) -> tuple[int, int]:
    """Return the first and the last ply requested. Raises NotFound."""
    last = parse_number(request.args["to"]) if request.args.get("to") else head.ply
    after = parse_number(request.args.get("after")) if request.args.get("after") else 0
    if after is None or last is None or not after < last <= head.ply:
        raise NotFound(f"There are no such moves. This match has moves 1 to {head.ply}.")
    return after + 1, last


def playback_of(head: AnyMatch, reader: Reader, span: tuple[int, int]) -> Playback:
    """Return the frames of these plies as the reader may see them."""
    events = list(services().matches.repository.read_events(head.id, last=head.ply, game=head.rules))
    seat = None if reader == EVERYTHING else reader
    how, viewer = find_table(head.game), current_player_id()
    tell = partial(event_lines, head, table=seat_infos(head, viewer), event_at=stored_events(head))
    return take_frames(head, events, span, reader, how, table_players(head, seat, viewer, how), tell)


def packed(content: bytes) -> Response:
    """Return JSON, compressed if that is worth it and the browser accepts it."""
    response = Response(content, mimetype="application/json")
    response.vary.add("Accept-Encoding")
    if len(content) >= WORTH_PACKING and "gzip" in request.headers.get("Accept-Encoding", ""):
        response.set_data(gzip.compress(content, PACKING_LEVEL, mtime=0))
        response.content_encoding = "gzip"
    return response
