"""What went wrong, as a friendly page. A form that met a silent log can be sent again as it was."""

import logging

from flask import Flask, render_template, request
from redis.exceptions import RedisClusterException, RedisError
from werkzeug.exceptions import HTTPException
from werkzeug.wrappers import Response

from domain.kernel.registry import UnknownGame
from service.event_store.errors import CommandReused, LogDamaged, LogUnavailable, MatchNotFound
from service.matches.errors import NotSeated
from service.read_models.match_lists import InvalidCursor
from service.runtime.concurrency_limits import TooManyStreams
from service.runtime.logs import log_unexpected
from service.runtime.rate_limits import LimitExceeded
from service.verification.uploads import VerificationBusy
from service.web.blueprint import web
from service.web.security import add_headers

RETRY_SECONDS = 5

log = logging.getLogger("crumbtrail.web")

STATUS_TITLES = {
    400: "That did not come through",
    403: "That is not yours to do",
    404: "Nothing on this plate",
    405: "That does not work this way",
    408: "That took too long",
    409: "Somebody was quicker",
    413: "That is too much at once",
    429: "Not so fast",
    500: "Something is burnt",
    503: "The log is away; nothing is lost",
}
BUSY_TITLE = "Everybody here is busy"
STATUS_SENTENCES = {
    404: "There is no page at this address. Perhaps the link was cut off on its way to you.",
    405: "This address does not take what was sent to it.",
    408: "What you sent came in too slowly. Try again on a better line.",
    413: "What you sent is larger than anything this page takes.",
    500: "The mistake is ours, not yours. No confirmed move is affected; look at the table again.",
    503: "The server that keeps all moves does not answer. Every confirmed move is safe. Try again in a moment.",
}


def show_error(error: Exception) -> tuple[str, int, dict[str, str]]:
    """The page for any error."""
    status, sentence = status_and_sentence(error)
    full = isinstance(
        error, VerificationBusy | TooManyStreams
    )  # and what was sent is not read: there is no place for it
    resent = status == 503 and request.method == "POST" and not full and not request.files
    page = render_template(
        "templates/error.html",
        status=status,
        title=BUSY_TITLE if full else STATUS_TITLES.get(status, "That did not work"),
        sentence=sentence,
        again=request.form.items() if resent else None,
        bare=status in (500, 503),
    )
    return page, status, retry_headers(error, status)


def retry_headers(error: Exception, status: int) -> dict[str, str]:
    """The header that says when to try again."""
    seconds = getattr(error, "retry_after", RETRY_SECONDS if status == 503 else None)
    return {"Retry-After": str(seconds)} if seconds else {}


def status_and_sentence(error: Exception) -> tuple[int, str]:
    """Status and sentence for an error."""
    match error:
        case HTTPException():
            status = error.code or 500
            said = error.description if has_own_description(error) else None
            return status, said or STATUS_SENTENCES.get(status, "The request could not be carried out.")
        case LimitExceeded():
            return 429, error.message
        case MatchNotFound():
            return 404, "There is no match at this address. Perhaps the link was cut off on its way to you."
        case UnknownGame():
            return 404, "This match is of a game that is not installed here."
        case VerificationBusy() | TooManyStreams():
            return 503, str(error)
        case InvalidCursor():
            return 404, "This list does not go on there."
        case NotSeated():
            return 403, "Somebody else sits at this seat, so only they may move there."
        case CommandReused():
            return 409, "This form was used before, for something else. Open the page again and send it from there."
        case LogDamaged():
            return 503, "The log of this match is damaged, so nothing of it is shown. Its operator has to restore it."
        case LogUnavailable() | RedisError() | RedisClusterException():
            return 503, STATUS_SENTENCES[503]
        case _:
            log_unexpected(log, error, request.endpoint)
            return 500, STATUS_SENTENCES[500]


def has_own_description(error: HTTPException) -> bool:
    """Whether the description was written by a page, not by the library."""
    return error.description != type(error).description


def handle_unrouted(app: Flask) -> None:
    """Addresses that no page has. What lies under the interface's paths never comes here: `service.wsgi` sees to it."""

    def unrouted(error: Exception) -> Response:
        return add_headers(app.make_response(show_error(error)))

    app.register_error_handler(404, unrouted)
    app.register_error_handler(405, unrouted)
    app.register_error_handler(LimitExceeded, unrouted)


web.register_error_handler(Exception, show_error)
