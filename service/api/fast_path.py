"""The fast path for moves, which serves the most frequent request without Flask.

This module parses a plain `POST /matches/{id}/moves` and answers it with the same functions as the Flask view. All
other requests (an unusual header, a query with more than the seat, a body of unknown length) go to Flask unchanged, and
Flask also writes every error response.

Benefit: half of the CPU time of an accepted move (0.50 of the time through Flask in a gevent worker). Cost: every new
request hook must be repeated here; a test compares both paths byte by byte. Remove this path, which is
enabled by one line in `service/wsgi.py`, when Flask takes less than 1.15 times as long.
"""

import re
import time
from collections.abc import Callable, Iterable
from typing import Any, Final, NamedTuple

import msgspec
from marshmallow import ValidationError

from domain.kernel.game import Seat
from service.api.authentication import authenticate_token, parse_bearer, require_scope
from service.api.blueprint import PREFIX
from service.api.command_answers import command_document
from service.api.command_headers import result_headers
from service.api.fields import DIGITS_PATTERN, IDEMPOTENCY_KEY_PATTERN, PLY_ETAG_PATTERN
from service.api.moves import MoveIn, make_move
from service.api.problems import Problem
from service.api.request_parsing import MAX_BODY_BYTES, parse_json_object, validation_problem
from service.api.responses import API_HEADERS
from service.app_context import call_with_services, services
from service.bootstrap import Services
from service.runtime.logs import REQUEST_ID_HEADER, log_access, match_id, request_id, request_id_for
from service.runtime.metrics import REQUEST_SECONDS

WsgiApp = Callable[[dict[str, Any], Any], Iterable[bytes]]

ERROR_KEY: Final = "crumbtrail.error"
"""WSGI environment key of the error that Flask should answer with."""
STARTED_AT_KEY: Final = "crumbtrail.arrived"
"""WSGI environment key of the time at which the request arrived."""
METHOD, ENDPOINT, ROUTE = "POST", "moves.move", f"{PREFIX}/matches/<match>/moves"
CREATED_STATUS = "201 CREATED"
_PATH_PATTERN = re.compile(f"{PREFIX}/matches/((?:[0-5][0-9]|6[0-3])[a-z2-7]{{16}})/moves", re.ASCII)
_SEAT_QUERY_PATTERN = re.compile(f"as=({DIGITS_PATTERN.pattern})", re.ASCII)
_LENGTH_PATTERN = re.compile("[1-9][0-9]{0,5}", re.ASCII)
_COMMON_HEADERS = [("Content-Type", "application/json"), *API_HEADERS.items()]

_move_schema = MoveIn()


class FastPathRequest(NamedTuple):
    """The head of a plain move: match, requested seat, Authorization header, command headers and content length."""

    match: str
    seat: Seat | None
    authorization: str
    headers: dict[str, Any]
    length: int


def with_fast_path(serve: WsgiApp, given: Services) -> WsgiApp:
    """Return the WSGI application with the fast path in front of it."""
    seconds = REQUEST_SECONDS.labels(METHOD, ROUTE, CREATED_STATUS[:3])

    def served(environ: dict[str, Any], start: Any) -> Iterable[bytes]:
        plain = parse_request_head(environ) if environ["REQUEST_METHOD"] == METHOD else None
        if plain is None:
            return serve(environ, start)
        environ[STARTED_AT_KEY] = arrived = time.perf_counter()
        name = environ["HTTP_X_REQUEST_ID"] = request_id_for(environ.get("HTTP_X_REQUEST_ID"))
        request_id.set(name)
        match_id.set(plain.match)
        try:
            body, headers = call_with_services(given, handle_move, plain, environ)
        except Exception as error:
            environ[ERROR_KEY] = error
            return serve(environ, start)
        seconds.observe(time.perf_counter() - arrived)
        log_access(METHOD, ROUTE, int(CREATED_STATUS[:3]), arrived)
        start(
            CREATED_STATUS,
            [*_COMMON_HEADERS, *headers.items(), ("Content-Length", str(len(body))), (REQUEST_ID_HEADER, name)],
        )
        return [body]

    return served


def parse_request_head(environ: dict[str, Any]) -> FastPathRequest | None:
    """Return the head of a plain move, or None for any other request."""
    path = _PATH_PATTERN.fullmatch(environ.get("PATH_INFO", ""))
    authorization = environ.get("HTTP_AUTHORIZATION")
    length = environ.get("CONTENT_LENGTH") or ""
    if not path or authorization is None or environ.get("CONTENT_TYPE") != "application/json":
        return None
    if "HTTP_TRANSFER_ENCODING" in environ or not _LENGTH_PATTERN.fullmatch(length) or int(length) > MAX_BODY_BYTES:
        return None
    query = environ.get("QUERY_STRING", "")
    seat = _SEAT_QUERY_PATTERN.fullmatch(query)
    headers = parse_command_headers(environ)
    if headers is None or (query and not seat):
        return None
    return FastPathRequest(path[1], int(seat[1]) if seat else None, authorization, headers, int(length))


def parse_command_headers(environ: dict[str, Any]) -> dict[str, Any] | None:
    """Return the command headers, or None if one has an unusual form."""
    headers: dict[str, Any] = {}
    if (tag := environ.get("HTTP_IF_MATCH")) is not None:
        if not (found := PLY_ETAG_PATTERN.fullmatch(tag)):
            return None
        headers["expected"] = int(found[1])
    if (key := environ.get("HTTP_IDEMPOTENCY_KEY")) is not None:
        if not IDEMPOTENCY_KEY_PATTERN.fullmatch(key):
            return None
        headers["key"] = key
    return headers


def handle_move(plain: FastPathRequest, environ: dict[str, Any]) -> tuple[bytes, dict[str, str]]:
    """Make the move and return the body and extra headers of the answer. Raises the error if it is refused."""
    limits = services().runtime.rate_limiter
    limits.count_request_from(environ.get("REMOTE_ADDR") or "")
    token = authenticate_token(parse_bearer(plain.authorization))
    require_scope(token, METHOD, ENDPOINT)
    limits.count_request_of(token.player)
    done, seat = make_move(plain.match, token.player, plain.seat, read_move_body(plain, environ), plain.headers)
    return msgspec.json.encode(command_document(done, seat, token.player, token)), result_headers(done)


def read_move_body(plain: FastPathRequest, environ: dict[str, Any]) -> dict[str, Any]:
    """Return the move in the body. Raises Problem, RequestTimeout."""
    raw = environ["wsgi.input"].read(plain.length)
    if len(raw) < plain.length:
        raise Problem(400, "bad_request", "The request could not be understood.")
    body = parse_json_object(raw)
    if type(body.get("type")) is not str:
        try:
            _move_schema.load(body)
        except ValidationError as error:
            raise validation_problem({"json": error.messages}) from None
    return body
