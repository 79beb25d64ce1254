"""The page of a match that can't be shown as a table, and the form that continues a match elsewhere."""

from flask import redirect, render_template, request, url_for
from werkzeug.exceptions import Forbidden
from werkzeug.wrappers import Response

from domain.kernel.registry import GameNotInstalled
from service.app_context import services
from service.event_store.errors import MatchNotFound
from service.matches.errors import NotSeated, PositionLost
from service.web.blueprint import web
from service.web.seating import describe_result, seat_infos
from service.web.visitor import current_player_id, require_seated_player

UnplayableError = GameNotInstalled | PositionLost


@web.post("/matches/<match>/continue")
def continue_match(match: str) -> Response:
    """Continue the match in a new one with the same seats, and go there. Raises Forbidden, MatchRefused."""
    player = require_seated_player().id
    try:
        found = services().matches.continuations.continue_match(match, player)
    except NotSeated:
        raise Forbidden("Only players of this match can continue it.") from None
    return redirect(url_for("web.match", match=found.match), 303)


def unplayable_page(error: UnplayableError) -> tuple[str, int] | None:
    """Return the page of the requested match with what is known without its game, or None if nothing is known."""
    match = (request.view_args or {}).get("match")
    if not isinstance(match, str):
        return None
    try:
        head = services().matches.repository.load_without_game(match)
    except (MatchNotFound, ValueError, LookupError):
        return None
    reader = current_player_id()
    table = seat_infos(head, reader)
    page = render_template(
        "templates/unplayable.html",
        match=head,
        table=table,
        result=describe_result(head, table) if head.status == "over" else "",
        is_lost=isinstance(error, PositionLost),
        may_continue=isinstance(error, PositionLost) and head.status == "playing" and bool(head.seats_of(reader)),
    )
    return page, 200 if request.endpoint == "web.match" else 409
