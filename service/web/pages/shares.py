"""Opening a share of the luck from a page."""

from flask import redirect, request, url_for
from werkzeug.exceptions import BadRequest
from werkzeug.wrappers import Response

from domain.kernel.refusals import Refused
from domain.match.commands import Command, LoseShare, OpenShare
from service.app_context import services
from service.event_store.errors import CommandReused
from service.matches.results import IdempotencyKey
from service.web.blueprint import web
from service.web.pages.match import refused_page
from service.web.visitor import require_seated_player


@web.post("/matches/<match>/share")
def open_share(match: str) -> Response | tuple[str, int]:
    """Open the reader's share, or say that it is lost. A repeated form takes effect once. Raises BadRequest."""
    me = require_seated_player().id
    try:
        services().matches.commands.submit(match, *read_opening(me))
    except (Refused, CommandReused) as error:
        return refused_page(match, {}, error)
    return redirect(url_for("web.match", match=match), 303)


def read_opening(player: str) -> tuple[Command, IdempotencyKey]:
    """Return the command in the form with its idempotency key, which is the same as in the API. Raises BadRequest."""
    table, share = request.form.get("table", ""), request.form.get("share", "")
    if request.form.get("lost") == "yes":
        return LoseShare(player), IdempotencyKey(player, "share/2 lost")
    if not table or not share:
        raise BadRequest("This form is incomplete. Reload the page and try again.")
    return OpenShare(player, table, share), IdempotencyKey(player, f"share/2 {table} {share}")
