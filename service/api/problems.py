"""Refusals as problem details (RFC 9457): what was wrong, what would be right, and a `code` that stays the same.

`type` is a name, `urn:crumbtrail:problem:<code>`; all codes are listed in `docs/api.md`. A refusal never says what its
reader may not know, and never repeats a token.
"""

import logging
from typing import Any

import msgspec
from flask import Response, g, has_request_context, request
from redis.exceptions import RedisClusterException, RedisError
from werkzeug.exceptions import HTTPException

from domain.kernel.refusals import BadOptions, MatchRefused, Refused
from domain.kernel.registry import UnknownGame
from service.accounts.players import InvalidName
from service.event_store.errors import CommandReused, LogDamaged, LogUnavailable, MatchNotFound
from service.matches.errors import NotArbiter, NotSeated, NotYourTurn, StalePly
from service.matches.refusals import refusal_code
from service.matches.standing_orders import StaleOrders
from service.notifications.preferences import InvalidPreference
from service.runtime.concurrency_limits import TooManyStreams
from service.runtime.logs import log_unexpected
from service.runtime.rate_limits import LimitExceeded
from service.verification.uploads import VerificationBusy

MIMETYPE = "application/problem+json"
FIRST_SERVER_ERROR = 500
"""From this status on the fault is on our side."""
RETRY_SECONDS = 2
"""What `Retry-After` says while the log is away."""

HTTP_PROBLEMS = {
    400: ("bad_request", "The request could not be understood."),
    404: ("not_found", "There is nothing at this path. /api/v1/openapi.json lists what there is."),
    405: ("method_not_allowed", "This path takes {Allow}."),
    408: ("too_slow", "The body came in too slowly."),
    413: ("too_large", "The body is too large: 64 KiB are allowed, 16 MiB for /replays/verify."),
}
"""Code and detail of what Flask refuses by itself; the names of statuses change with the version of Python."""

STATUS_OF_REFUSAL = {
    "no_such_seat": 404,
    "no_such_ply": 404,
    "no_such_dispute": 404,
    "no_such_proposal": 404,
    "bad_clock": 422,
    "bad_seating": 422,
    "not_rateable": 422,
    "bad_order": 422,
    "bad_proposal": 422,
    "bad_vacation": 422,
    "own_seat": 422,
    "not_yours": 403,
    "seated_here": 403,
    "not_creator": 403,
    "not_impartial": 403,
    "bad_ruling": 422,
    "bad_seats": 422,
    "no_position": 422,
    "ply_retracted": 422,
    "too_many_facts": 422,
}
"""Refusals of the lifecycle that are no conflicts with the present state of the match."""

log = logging.getLogger("crumbtrail.api")


class Problem(Exception):
    """A refusal: `extensions` are further members of the problem document."""

    def __init__(
        self, status: int, code: str, detail: str, *, headers: dict[str, str] | None = None, **extensions: Any
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.code = code
        self.detail = detail
        self.headers = headers or {}
        self.extensions = extensions

    def document(self, instance: str) -> dict[str, Any]:
        """The problem document; `instance` is the path that was asked for."""
        return {
            "type": f"urn:crumbtrail:problem:{self.code}",
            "title": self.code.replace("_", " ").capitalize(),
            "status": self.status,
            "detail": self.detail,
            "instance": instance,
            "code": self.code,
            **self.extensions,
        }


def problem_response(problem: Problem) -> Response:
    """The problem as a response to the present request; one of ours names the request, for whoever reports it."""
    if problem.status >= FIRST_SERVER_ERROR and "request_id" in g:
        problem.extensions["request"] = g.request_id
    body = msgspec.json.encode(problem.document(request.path))
    return Response(body, problem.status, problem.headers, mimetype=MIMETYPE)


def problem_from_error(error: Exception) -> Problem:
    """The problem that an error of the parts below amounts to; for one that nobody expected a 500 without details."""
    match error:
        case Problem():
            return error
        case HTTPException():
            return from_http(error)
        case MatchNotFound():
            return Problem(404, "no_such_match", "There is no such match.")
        case UnknownGame():
            return Problem(404, "no_such_game", as_sentence(error))
        case NotSeated() | NotArbiter():
            return from_not_entitled(error)
        case StalePly() | StaleOrders():
            return from_stale(error)
        case NotYourTurn():
            refusal = error.refusal
            return Problem(409, refusal_code(error), refusal.message, rule=refusal.rule)
        case Refused():
            return from_refused(error)
        case LimitExceeded() | VerificationBusy() | TooManyStreams():
            return from_excess(error)
        case InvalidName() | InvalidPreference():
            return Problem(422, "bad_name" if isinstance(error, InvalidName) else "bad_contact", str(error))
        case CommandReused():
            detail = "This Idempotency-Key was used for another request. Use a new one."
            return Problem(422, refusal_code(error), detail)
        case LogUnavailable() | RedisError() | RedisClusterException():
            return from_log_error(error)
    log_unexpected(log, error, request.endpoint if has_request_context() else "moves.move")
    return Problem(500, "internal_error", "Something went wrong here. Nothing of your request is at fault.")


def from_excess(error: LimitExceeded | VerificationBusy | TooManyStreams) -> Problem:
    """The problem for who asks for too much, or at a time when others do."""
    headers, again = {"Retry-After": str(error.retry_after)}, error.retry_after
    if isinstance(error, LimitExceeded):
        return Problem(429, error.code, error.message, headers=headers, retry_after=again)
    if isinstance(error, TooManyStreams):
        detail = f"{error} Or ask /events with ?wait=."
        return Problem(503, "too_many_streams", detail, headers=headers, retry_after=again)
    return Problem(503, "busy", str(error), headers=headers, retry_after=again)


def from_http(error: HTTPException) -> Problem:
    """The problem for what Flask refuses by itself: no such path, wrong method, too large, ..."""
    status = error.code or 500
    headers = {name: value for name, value in error.get_headers() if name in ("Allow", "Retry-After")}
    code, detail = HTTP_PROBLEMS.get(status, (f"http_{status}", "The request could not be understood."))
    return Problem(status, code, detail.format_map({"Allow": "other methods", **headers}), headers=headers)


def from_stale(error: StalePly | StaleOrders) -> Problem:
    """The problem for who acts upon something that has changed."""
    if isinstance(error, StaleOrders):
        return Problem(409, "stale_orders", "Your orders have changed meanwhile. Look at them and decide anew.")
    return Problem(409, refusal_code(error), f"The match is at ply {error.actual} now.", ply=error.actual)


def from_not_entitled(error: NotSeated | NotArbiter) -> Problem:
    """The problem for what only others may do."""
    advice = "" if isinstance(error, NotArbiter) else " You may act for your own seats only."
    return Problem(403, refusal_code(error), as_sentence(error) + advice)


def from_refused(error: Refused) -> Problem:
    """The problem for what the rules of the game, or the lifecycle of a match, do not allow."""
    status = STATUS_OF_REFUSAL.get(error.code, 409) if isinstance(error, MatchRefused) else 422
    return Problem(status, refusal_code(error), error.message, rule=error.rule)


def from_log_error(error: Exception) -> Problem:
    """The problem for a log that does not answer: whether the request was carried out is not known."""
    log.warning("log unavailable: %s", type(error).__name__)
    if isinstance(error, LogDamaged):
        detail = "The log of this match is damaged, so nothing of it is shown. Its operator has to restore it."
        return Problem(503, "log_damaged", detail, headers={"Retry-After": "60"}, retry_after=60)
    detail = "The log does not answer. Nothing is lost: repeat the request with the same Idempotency-Key."
    headers = {"Retry-After": str(RETRY_SECONDS)}
    return Problem(503, "log_unavailable", detail, headers=headers, retry_after=RETRY_SECONDS)


def as_sentence(error: Exception) -> str:
    """An error's text as a sentence of its own."""
    text = str(error)
    return f"{text[:1].upper()}{text[1:]}" + ("" if text.endswith(".") else ".")


def error_response(error: Exception) -> Response:
    """The response to any error."""
    return problem_response(problem_from_error(error))


def from_bad_options(error: BadOptions | UnknownGame) -> Problem:
    """The problem for a match that cannot be created."""
    if isinstance(error, UnknownGame):
        return Problem(422, "no_such_game", as_sentence(error))
    return Problem(422, error.code, error.message, rule=error.rule)
