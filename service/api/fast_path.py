"""The lane of moves: what is asked most often is served without the framework.

Of an accepted move, Flask, its extensions and what they look at for every request took more time than all that the
move itself does. So a plain `POST /matches/{id}/moves` is read here, decided and answered by the functions that the
resource itself uses, and never reaches Flask. Whatever is not plain (another header than most clients send, a query
with more than the seat, a body of unknown length) is left to Flask untouched; what is refused is told by Flask, in its
own words. A test holds both ways equal, byte by byte.
"""

import re
import time
from collections.abc import Callable, Iterable
from typing import Any, Final, NamedTuple

import msgspec
from marshmallow import ValidationError

from domain.kernel.game import Seat
from service.api.app_setup import HEADERS, LARGEST_BODY
from service.api.fields import DIGITS, KEY, PLY_TAG
from service.api.matches import created_headers
from service.api.metrics import LATENCY
from service.api.moves import MoveIn, done_document, made
from service.api.problems import Problem
from service.api.request_context import (
    PREFIX,
    bearer,
    invalid,
    known_token,
    present,
    read_object,
    require_scope,
    services,
)
from service.bootstrap import Services
from service.runtime.logs import REQUEST_HEADER, match_id, new_request_id, request_id, tell_access

Wsgi = Callable[[dict[str, Any], Any], Iterable[bytes]]

ERROR: Final = "crumbtrail.error"
"""Under this name the environment of a request holds what came of it, for Flask to tell."""
ARRIVED: Final = "crumbtrail.arrived"
"""And under this one when it came."""
METHOD, ENDPOINT, ROUTE = "POST", "moves.move", f"{PREFIX}/matches/<match>/moves"
CREATED = "201 CREATED"
_PATH = re.compile(f"{PREFIX}/matches/((?:[0-5][0-9]|6[0-3])[a-z2-7]{{16}})/moves", re.ASCII)
_SEAT = re.compile(f"as=({DIGITS.pattern})", re.ASCII)
_LENGTH = re.compile("[1-9][0-9]{0,5}", re.ASCII)
_ALWAYS = [("Content-Type", "application/json"), *HEADERS.items()]

_move = MoveIn()


class Plain(NamedTuple):
    """The head of a plain move: its match, the seat wanted, the token as it was sent, and the headers of a command."""

    match: str
    wanted: Seat | None
    authorization: str
    headers: dict[str, Any]
    length: int


def with_lane(serve: Wsgi, given: Services) -> Wsgi:
    """The application, with plain moves served here."""

    def served(environ: dict[str, Any], start: Any) -> Iterable[bytes]:
        plain = read_head(environ) if environ["REQUEST_METHOD"] == METHOD else None
        if plain is None:
            return serve(environ, start)
        environ[ARRIVED] = arrived = time.perf_counter()
        name = environ["HTTP_X_REQUEST_ID"] = new_request_id(environ.get("HTTP_X_REQUEST_ID"))
        request_id.set(name)
        match_id.set(plain.match)
        try:
            with present(given):
                body, headers = answered(plain, environ)
        except Exception as error:
            environ[ERROR] = error
            return serve(environ, start)
        LATENCY.labels(METHOD, ROUTE, CREATED[:3]).observe(time.perf_counter() - arrived)
        tell_access(METHOD, ROUTE, int(CREATED[:3]), arrived)
        start(CREATED, [*_ALWAYS, *headers.items(), ("Content-Length", str(len(body))), (REQUEST_HEADER, name)])
        return [body]

    return served


def read_head(environ: dict[str, Any]) -> Plain | None:
    """The head of a plain move; None for all else."""
    path = _PATH.fullmatch(environ.get("PATH_INFO", ""))
    authorization = environ.get("HTTP_AUTHORIZATION")
    length = environ.get("CONTENT_LENGTH") or ""
    if not path or authorization is None or environ.get("CONTENT_TYPE") != "application/json":
        return None
    if "HTTP_TRANSFER_ENCODING" in environ or not _LENGTH.fullmatch(length) or int(length) > LARGEST_BODY:
        return None
    query = environ.get("QUERY_STRING", "")
    seat = _SEAT.fullmatch(query)
    headers = read_headers(environ)
    if headers is None or (query and not seat):
        return None
    return Plain(path[1], int(seat[1]) if seat else None, authorization, headers, int(length))


def read_headers(environ: dict[str, Any]) -> dict[str, Any] | None:
    """The headers of a command; None where one of them is not as most clients send it."""
    headers: dict[str, Any] = {}
    if (tag := environ.get("HTTP_IF_MATCH")) is not None:
        if not (found := PLY_TAG.fullmatch(tag)):
            return None
        headers["expected"] = int(found[1])
    if (key := environ.get("HTTP_IDEMPOTENCY_KEY")) is not None:
        if not KEY.fullmatch(key):
            return None
        headers["key"] = key
    return headers


def answered(plain: Plain, environ: dict[str, Any]) -> tuple[bytes, dict[str, str]]:
    """The body of the answer and the headers of its own. Raises whatever the request is refused with."""
    limits = services().limits
    limits.request_from(environ.get("REMOTE_ADDR") or "")
    token = known_token(bearer(plain.authorization))
    require_scope(token, METHOD, ENDPOINT)
    limits.request_of(token.player)
    done, seat = made(plain.match, token.player, plain.wanted, read_move(plain, environ), plain.headers)
    return msgspec.json.encode(done_document(done, seat, token.player, token)), created_headers(done)


def read_move(plain: Plain, environ: dict[str, Any]) -> dict[str, Any]:
    """The move that the body is. Raises Problem, RequestTimeout."""
    raw = environ["wsgi.input"].read(plain.length)
    if len(raw) < plain.length:
        raise Problem(400, "bad_request", "The request could not be understood.")
    body = read_object(raw)
    if type(body.get("type")) is not str:
        try:
            _move.load(body)
        except ValidationError as error:
            raise invalid({"json": error.messages}) from None
    return body
