"""Error pages. If the log did not respond, the page lets the visitor send the same form again."""

import logging

from flask import Flask, g, render_template, request
from flask_wtf.csrf import CSRFError  # type: ignore[import-untyped]
from redis.exceptions import RedisClusterException, RedisError
from werkzeug.exceptions import HTTPException
from werkzeug.wrappers import Response

from domain.kernel.refusals import BadOptions, MatchRefused, Refused
from domain.kernel.registry import GameNotInstalled, UnknownGame
from service.event_store.errors import CommandReused, LogDamaged, LogUnavailable, MatchNotFound, unavailable_cause
from service.matches.errors import NotSeated, PositionLost
from service.matches.permissions import COMPONENTS_CHANGED
from service.read_models.match_lists import InvalidCursor
from service.runtime.concurrency_limits import TooManyStreams
from service.runtime.logs import log_unexpected
from service.runtime.rate_limits import LimitExceeded
from service.verification.uploads import VerificationBusy
from service.web.blueprint import web
from service.web.pages.unplayable import unplayable_page
from service.web.security import add_headers

RETRY_SECONDS = 5

log = logging.getLogger("crumbtrail.web")

STATUS_TITLES = {
    400: "We couldn't process that",
    403: "You can't do that",
    404: "Not found",
    405: "That isn't possible here",
    408: "That took too long",
    409: "Something changed in the meantime",
    413: "That is too large",
    429: "Too many requests",
    500: "Something went wrong",
    503: "Temporarily unavailable",
}
BUSY_TITLE = "The server is busy"
FOREIGN_FORM = (
    "We couldn't confirm that you sent this form. Allow cookies for this site, reload the page and try again."
)
STATUS_SENTENCES = {
    404: "There is no page at this address. Check that the link is complete.",
    405: "This address doesn't accept this kind of request. Go back and try again.",
    408: "Your request took too long to arrive. Check your connection and try again.",
    413: "What you sent is too large for this page. Send a shorter text or a smaller file.",
    500: "This is our fault, not yours. No confirmed move is affected. Go back to the match and try again.",
    503: "The server that stores all moves is not responding. Every confirmed move is safe. Try again in a moment.",
}


def show_error(error: Exception) -> tuple[str, int, dict[str, str]]:
    """Return the error page for any exception, with its status and headers."""
    if isinstance(error, GameNotInstalled | PositionLost) and (shown := unplayable_page(error)):
        return *shown, {}
    status, sentence = status_and_sentence(error)
    if status == 503:
        g.cause = unavailable_cause(error)
    full = isinstance(error, VerificationBusy | TooManyStreams)  # the posted form has not been read
    resent = status == 503 and request.method == "POST" and not full and not request.files
    page = render_template(
        "templates/error.html",
        status=status,
        title=BUSY_TITLE if full else STATUS_TITLES.get(status, "That didn't work"),
        sentence=sentence,
        again=request.form.items() if resent else None,
        bare=status in (500, 503),
    )
    return page, status, retry_headers(error, status)


def retry_headers(error: Exception, status: int) -> dict[str, str]:
    """Return the Retry-After header, if there is a time to wait."""
    seconds = getattr(error, "retry_after", RETRY_SECONDS if status == 503 else None)
    return {"Retry-After": str(seconds)} if seconds else {}


def status_and_sentence(error: Exception) -> tuple[int, str]:
    """Return the HTTP status and the message for an error."""
    match error:
        case CSRFError():
            return 400, FOREIGN_FORM
        case HTTPException():
            status = error.code or 500
            description = error.description if has_own_description(error) else None
            return status, description or STATUS_SENTENCES.get(status, "That failed. Go back and try again.")
        case LimitExceeded():
            return 429, error.message
        case MatchNotFound():
            return 404, "There is no match at this address. Check that the link is complete."
        case PositionLost() | UnknownGame() | MatchRefused() | BadOptions():
            return status_of_refusal(error)
        case VerificationBusy() | TooManyStreams():
            return 503, str(error)
        case InvalidCursor():
            return 404, "This page of the list doesn't exist. Start from the first page."
        case NotSeated():
            return 403, "This seat belongs to another player, so you can't act for it."
        case CommandReused():
            return 409, "This form was already used for something else. Reload the page and try again."
        case LogDamaged():
            return 503, "The log of this match is damaged, so you can't move in it. The operator needs to restore it."
        case LogUnavailable() | RedisError() | RedisClusterException():
            return 503, STATUS_SENTENCES[503]
        case _:
            log_unexpected(log, error, request.endpoint)
            return 500, STATUS_SENTENCES[500]


def status_of_refusal(error: PositionLost | UnknownGame | MatchRefused | BadOptions) -> tuple[int, str]:
    """Return the HTTP status and the message for a refused request, or for a game that can't be used here."""
    if isinstance(error, PositionLost):
        return 409, COMPONENTS_CHANGED
    if isinstance(error, Refused):
        return 409, error.message
    return 404, "The game of this match isn't installed on this server."


def has_own_description(error: HTTPException) -> bool:
    """Return whether the description comes from our code rather than from Werkzeug."""
    return error.description != type(error).description


def handle_unrouted(app: Flask) -> None:
    """Handle URLs without a page. `service.wsgi` routes the API's paths elsewhere, so they never get here."""

    def unrouted(error: Exception) -> Response:
        return add_headers(app.make_response(show_error(error)))

    app.register_error_handler(404, unrouted)
    app.register_error_handler(405, unrouted)
    app.register_error_handler(LimitExceeded, unrouted)


web.register_error_handler(Exception, show_error)
