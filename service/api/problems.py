"""Errors as problem details (RFC 9457): what went wrong, what to do, and a stable `code`.

`type` is the URN `urn:crumbtrail:problem:<code>`; `docs/api.md` lists all codes. A problem never reveals hidden
information and never contains a token.
"""

import logging
from typing import Any

import msgspec
from flask import Response, g, has_request_context, request
from redis.exceptions import RedisClusterException, RedisError
from werkzeug.exceptions import HTTPException

from domain.kernel.refusals import BadOptions, MatchRefused, Refused
from domain.kernel.registry import GameNotInstalled, UnknownGame
from service.accounts.names import InvalidName, NameReserved, NameTaken
from service.event_store.errors import (
    CommandReused,
    LogDamaged,
    LogUnavailable,
    MatchNotFound,
    RestartUnchecked,
    unavailable_cause,
)
from service.matches.errors import NotArbiter, NotSeated, NotYourTurn, PositionLost, StalePly
from service.matches.permissions import COMPONENTS_CHANGED
from service.matches.refusals import refusal_code
from service.matches.standing_orders import StaleOrders
from service.notifications.preferences import InvalidPreference
from service.runtime.concurrency_limits import TooManyStreams
from service.runtime.logs import log_unexpected
from service.runtime.rate_limits import LimitExceeded
from service.verification.uploads import VerificationBusy

MIMETYPE = "application/problem+json"
FIRST_SERVER_ERROR = 500
"""Statuses from here on are server errors."""
RETRY_SECONDS = 2
"""The value of `Retry-After` while the log is unavailable."""

HTTP_PROBLEMS = {
    400: ("bad_request", "The request could not be understood."),
    404: ("not_found", "There is nothing at this path. See /api/v1/openapi.json for all paths."),
    405: ("method_not_allowed", "This path does not support this method. It supports: {Allow}."),
    408: ("too_slow", "The request body arrived too slowly. Send the request again."),
    413: ("too_large", "The request body is too large. The limit is 64 KiB, or 16 MiB for /replays/verify."),
}
"""Codes and details for errors that Flask raises. They are fixed because Python's names of statuses change."""

STATUS_OF_REFUSAL = {
    "no_such_seat": 404,
    "no_such_ply": 404,
    "no_such_dispute": 404,
    "no_such_proposal": 404,
    "bad_clock": 422,
    "game_fault": 500,
    "share_before_commitment": 422,
    "bad_share": 422,
    "wrong_level": 422,
    "share_does_not_fit": 422,
    "not_your_seal": 403,
    "bad_seating": 422,
    "not_rateable": 422,
    "bad_order": 422,
    "bad_proposal": 422,
    "bad_vacation": 422,
    "own_seat": 422,
    "suspended": 403,
    "removed": 403,
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
"""Statuses of the lifecycle's refusals that are not conflicts with the current state of the match (409)."""

log = logging.getLogger("crumbtrail.api")


class Problem(Exception):
    """An error with its problem document; `extensions` are additional members of the document.

    `cause` is only for the log line of a 503: why the server could not answer.
    """

    def __init__(
        self,
        status: int,
        code: str,
        detail: str,
        *,
        headers: dict[str, str] | None = None,
        cause: str = "",
        **extensions: Any,
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.code = code
        self.detail = detail
        self.headers = headers or {}
        self.cause = cause or code
        self.extensions = extensions

    def document(self, instance: str) -> dict[str, Any]:
        """Return the problem document; `instance` is the requested path."""
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
    """Return the problem as a response to the current request. Server errors include the request id, for reports."""
    if problem.status >= FIRST_SERVER_ERROR and "request_id" in g:
        problem.extensions["request"] = g.request_id
        g.cause = problem.cause
    body = msgspec.json.encode(problem.document(request.path))
    return Response(body, problem.status, problem.headers, mimetype=MIMETYPE)


def problem_from_error(error: Exception) -> Problem:
    """Return the problem for an error. Unexpected errors become a 500 without details."""
    match error:
        case Problem():
            return error
        case HTTPException():
            return from_http(error)
        case MatchNotFound():
            return Problem(404, "no_such_match", "There is no such match. Check its id.")
        case UnknownGame() | PositionLost():
            return from_unusable_game(error)
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
            return from_invalid_name(error) if isinstance(error, InvalidName) else from_bad_contact(error)
        case CommandReused():
            detail = "This Idempotency-Key was used for a different request. Use a new key."
            return Problem(422, refusal_code(error), detail)
        case LogUnavailable() | RedisError() | RedisClusterException():
            return from_log_error(error)
    log_unexpected(log, error, request.endpoint if has_request_context() else "moves.move")
    return Problem(
        500, "internal_error", "Something went wrong on the server. Your request is not at fault; try again later."
    )


def from_excess(error: LimitExceeded | VerificationBusy | TooManyStreams) -> Problem:
    """Return the problem for an exceeded limit, of the client or of the server."""
    headers, again = {"Retry-After": str(error.retry_after)}, error.retry_after
    if isinstance(error, LimitExceeded):
        return Problem(429, error.code, error.message, headers=headers, retry_after=again)
    if isinstance(error, TooManyStreams):
        detail = f"{error} Or use GET /matches/{{id}}/events?wait= instead."
        return Problem(503, "too_many_streams", detail, headers=headers, retry_after=again)
    return Problem(503, "busy", str(error), headers=headers, retry_after=again)


def from_http(error: HTTPException) -> Problem:
    """Return the problem for an error that Flask raises: unknown path, wrong method, body too large, ..."""
    status = error.code or 500
    headers = {name: value for name, value in error.get_headers() if name in ("Allow", "Retry-After")}
    code, detail = HTTP_PROBLEMS.get(status, (f"http_{status}", "The request could not be understood."))
    return Problem(status, code, detail.format_map({"Allow": "other methods", **headers}), headers=headers)


def from_invalid_name(error: InvalidName) -> Problem:
    """Return the problem for a name that is malformed, reserved or taken. The last two suggest free names."""
    if not isinstance(error, NameTaken):
        return Problem(422, "bad_name", str(error))
    code = "name_reserved" if isinstance(error, NameReserved) else "name_taken"
    return Problem(409, code, str(error), suggestions=list(error.suggestions))


def from_stale(error: StalePly | StaleOrders) -> Problem:
    """Return the problem for a request based on an outdated state."""
    if isinstance(error, StaleOrders):
        return Problem(409, "stale_orders", "Your orders have changed in the meantime. Read them, then decide again.")
    return Problem(
        409, refusal_code(error), f"The match has moved on and is now at ply {error.actual}.", ply=error.actual
    )


def from_not_entitled(error: NotSeated | NotArbiter) -> Problem:
    """Return the problem for a player who is not allowed to do this."""
    advice = "" if isinstance(error, NotArbiter) else " You can only act for your own seats."
    return Problem(403, refusal_code(error), as_sentence(error) + advice)


def from_refused(error: Refused) -> Problem:
    """Return the problem for a command that the rules of the game or the lifecycle of the match do not allow."""
    status = STATUS_OF_REFUSAL.get(error.code, 409) if isinstance(error, MatchRefused) else 422
    return Problem(status, refusal_code(error), error.message, rule=error.rule)


def from_log_error(error: Exception) -> Problem:
    """Return the problem for an unavailable log. Whether the request took effect is unknown."""
    cause = unavailable_cause(error)
    if isinstance(error, LogDamaged):
        detail = "The log of this match is damaged, so it accepts no moves. The operator has to restore it."
        return Problem(503, "log_damaged", detail, headers={"Retry-After": "60"}, cause=cause, retry_after=60)
    if isinstance(error, RestartUnchecked):
        detail = (
            "The log server has restarted and is being checked before it accepts the next move. Nothing is lost: "
            "repeat the request with the same Idempotency-Key."
        )
        headers = {"Retry-After": str(RETRY_SECONDS)}
        return Problem(503, "log_unchecked", detail, headers=headers, cause=cause, retry_after=RETRY_SECONDS)
    detail = "The log is unavailable. Nothing is lost: repeat the request with the same Idempotency-Key."
    headers = {"Retry-After": str(RETRY_SECONDS)}
    return Problem(503, "log_unavailable", detail, headers=headers, cause=cause, retry_after=RETRY_SECONDS)


def from_bad_contact(error: InvalidPreference) -> Problem:
    """Return the problem for an invalid address or notification setting."""
    return Problem(422, "bad_contact", str(error))


def from_unusable_game(error: UnknownGame | PositionLost) -> Problem:
    """Return the problem for a game that doesn't exist, or for a stored match whose game can't be used."""
    if isinstance(error, PositionLost):
        return Problem(409, "components_changed", COMPONENTS_CHANGED, rule="match")
    if not isinstance(error, GameNotInstalled):
        return Problem(404, "no_such_game", as_sentence(error))
    detail = (
        f"The game of this match, {error.slug} at rules version {error.rules_version}, is not installed on this "
        "server, so nobody can move. No move is lost, and GET /matches/{id}/replay still works."
    )
    return Problem(409, "game_not_installed", detail, game=error.slug, rules_version=error.rules_version)


def as_sentence(error: Exception) -> str:
    """Return the text of an error as a full sentence."""
    text = str(error)
    return f"{text[:1].upper()}{text[1:]}" + ("" if text.endswith(".") else ".")


def error_response(error: Exception) -> Response:
    """Return the response to any error."""
    return problem_response(problem_from_error(error))


def from_bad_options(error: BadOptions | UnknownGame) -> Problem:
    """Return the problem for a match that cannot be created."""
    if isinstance(error, UnknownGame):
        return Problem(422, "no_such_game", as_sentence(error))
    return Problem(422, error.code, error.message, rule=error.rule)
