"""What every resource needs: its blueprint, the services, who asks, and how an answer is written."""

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Any, cast

import msgspec
from flask import Request, Response, current_app, g, request
from flask_smorest import Blueprint  # type: ignore[import-untyped]
from marshmallow import RAISE, Schema, ValidationError
from webargs.flaskparser import FlaskParser
from werkzeug.exceptions import RequestEntityTooLarge

from domain.kernel.game import Seat
from domain.match.state import AnyMatch, SeatOffer
from service.accounts.players import HOUSE, SCOPES, Token
from service.api.decoding import InvalidJson, decode
from service.api.problems import Problem, error_response
from service.bootstrap import Services
from service.matches.match_document import MatchDocument, match_document

PREFIX = "/api/v1"
MAX_TOKEN_LENGTH = 200
TOKEN_REQUIRED: list[dict[str, list[str]]] = [{"bearer": []}]
TOKEN_OPTIONAL: list[dict[str, list[str]]] = [{}, {"bearer": []}]

ViewFunction = Callable[..., Response]


class RequestParser(FlaskParser):
    """Reads requests by our own decoder and refuses what no schema knows."""

    DEFAULT_UNKNOWN_BY_LOCATION = {**FlaskParser.DEFAULT_UNKNOWN_BY_LOCATION, "query": RAISE}  # noqa: RUF012

    def load_json(self, req: Request, schema: Schema) -> Any:
        """The body, `{}` if there is none. Raises Problem 400 and 415."""
        raw = read_body(req)
        if not raw:
            return {}
        if not req.is_json:
            raise Problem(415, "not_json", "The body must be JSON: send it with Content-Type: application/json.")
        return parse_json_object(raw)

    def handle_error(  # type: ignore[override]
        self, error: ValidationError, req: Request, schema: Schema, *, error_status_code: Any, error_headers: Any
    ) -> None:
        """Raise Problem 422 for what the schema does not take."""
        raise validation_problem(cast(dict[str, Any], error.messages))


def parse_json_object(raw: bytes) -> dict[str, Any]:
    """The JSON object that a body is. Raises Problem 400 and 422."""
    try:
        value = decode(raw)
    except InvalidJson as error:
        raise Problem(400, "malformed_json", str(error)) from None
    if not isinstance(value, dict):
        raise Problem(422, "invalid", "The body must be a JSON object.", errors={"json": {}})
    return value


def validation_problem(messages: dict[str, Any]) -> Problem:
    """The problem for what a schema does not take: its messages by place, of which there is one."""
    (where,) = messages
    place = "body" if where == "json" else where
    return Problem(422, "invalid", f"The {place} is not as it must be: {first_message(messages)}", errors=messages)


def read_body(req: Request) -> bytes:
    """The whole body. Raises RequestEntityTooLarge; werkzeug cuts one without a length off instead."""
    raw = req.get_data(cache=False)
    if req.content_length is None and len(raw) == req.max_content_length:
        raise RequestEntityTooLarge
    return raw


def first_message(messages: Any) -> str:
    """The first of nested messages, with the way to it."""
    path: list[str] = []
    while isinstance(messages, dict):
        key, messages = next(iter(messages.items()))
        path.append(str(key))
    where = ".".join(part for part in path[1:] if part != "_schema")
    text = str(messages[0] if isinstance(messages, list) else messages)
    return f"{where}: {text}" if where else text


class ApiBlueprint(Blueprint):  # type: ignore[misc]
    """A blueprint of the interface: every error in it becomes a problem document.

    Where the document asks for a token, who has none learns that first, whatever else the request holds. `admit` is
    who says so.
    """

    ARGUMENTS_PARSER = RequestParser()

    def __init__(self, name: str, description: str, admit: Callable[[], object] | None = None) -> None:
        super().__init__(name, f"service.api.{name}", url_prefix=PREFIX, description=description)
        self.register_error_handler(Exception, error_response)
        self._authorize = admit or require_player

    def route(self, rule: str, **options: Any) -> Any:
        """Serve a view at this path."""
        serve = super().route(rule, **options)
        return lambda view: serve(self._with_authorization(view))

    def _with_authorization(self, view: ViewFunction) -> ViewFunction:
        if getattr(view, "_apidoc", {}).get("manual_doc", {}).get("security") != TOKEN_REQUIRED:
            return view

        @wraps(view)
        def admitting(**arguments: Any) -> Response:
            self._authorize()
            return view(**arguments)

        return admitting

    def arguments(self, schema: type[Schema], **kwargs: Any) -> Any:
        """Take arguments by this schema, made once: a schema copies all its fields whenever it is made."""
        return super().arguments(schema(), **kwargs)


_current_services: ContextVar[Services | None] = ContextVar("services", default=None)


def services() -> Services:
    """The services of this application."""
    return _current_services.get() or cast(Services, current_app.extensions["crumbtrail"])


@contextmanager
def use_services(given: Services) -> Iterator[None]:
    """What is done inside, outside of any request of Flask's, is done with these services."""
    token = _current_services.set(given)
    try:
        yield
    finally:
        _current_services.reset(token)


# -- who asks -----------------------------------------------------------------------------------------------------


def bearer_token() -> str | None:
    """The token of this request, None without an Authorization header. Raises Problem 401 for another scheme."""
    header = request.headers.get("Authorization")
    return None if header is None else parse_bearer(header)


def parse_bearer(header: str) -> str:
    """The token of an Authorization header. Raises Problem 401 for another scheme."""
    scheme, _, token = header.partition(" ")
    token = token.strip()
    if scheme.lower() != "bearer" or not token or len(token) > MAX_TOKEN_LENGTH:
        raise unauthorized("bad_token", "The Authorization header must be `Bearer <token>`.")
    return token


def current_player_id() -> str | None:
    """The player who asks; None for somebody without a token.

    Raises Problem 401 for a token that nobody has, 403 for what this one may not do, TooMany.
    """
    if "current_player_id" not in g:
        token = current_token()
        if token is not None:
            require_scope(token, request.method, request.endpoint)
            services().rate_limiter.count_request_of(token.player)
        g.current_player_id = token.player if token else None
    return cast("str | None", g.current_player_id)


def current_token() -> Token | None:
    """The token of this request, None without one. Raises Problem 401 for one that nobody has."""
    if "current_token" not in g:
        secret = bearer_token()
        g.current_token = None if secret is None else authenticate_token(secret)
    return cast("Token | None", g.current_token)


def authenticate_token(secret: str) -> Token:
    """What this token is. Raises Problem 401 for one that nobody has."""
    token = services().players.find_token(secret)
    if token is None:
        raise unauthorized("bad_token", "This token is not known (any more). POST /api/v1/players gives a new one.")
    return token


def token_validity_check() -> Callable[[], bool]:
    """Whether the token of this request is good, to be asked as long as the answer goes on: it may be revoked, and its
    player erased. Asked behind what was read for it, nothing that came later gets out."""
    secret, players = bearer_token(), services().players
    return lambda: secret is None or players.find_token(secret) is not None


def require_token_still_valid() -> None:
    """Raise Problem 401 when the token of this request was revoked while it waited."""
    if not token_validity_check()():
        raise unauthorized("bad_token", "This token is not known any more: it was revoked, or its player erased.")


def require_worker() -> None:
    """Raise Problem 401 or 403 for anybody but a worker with a token of the operator's."""
    token = current_token()
    if token is None:
        raise unauthorized("no_token", "Only workers come here: `crumbtrail bot token new` makes a token for one.")
    if token.scope != HOUSE:
        raise Problem(403, "scope_missing", "Only workers come here, with a token of the operator's.", scope=HOUSE)


BOT_SCOPE_ENDPOINTS = frozenset(
    {"moves.move", "moves.command", "matches.create", "matches.take_seat", "orders.give", "orders.cancel"}
)
"""What a token of scope `bot` may change: the endpoints by name."""


def has_full_access(token: Token | None) -> bool:
    """Whether a token may do everything; who has none acts as a guest."""
    return token is None or token.scope == "play"


def require_full_access(what: str) -> None:
    """Raise Problem 403 unless the token may do everything; a token of a bot may send the other commands."""
    token = current_token()
    if token is not None and not has_full_access(token):
        detail = f"This token may not {what}. It may do less ({token.scope}): {SCOPES[token.scope]}"
        raise Problem(403, "scope_missing", detail, scope=token.scope)


def require_scope(token: Token, method: str, endpoint: str | None) -> None:
    """Raise Problem 403 for what the token may not do."""
    if token.scope == HOUSE:
        raise Problem(403, "scope_missing", "This is a worker's token: it is good for /house alone.", scope=HOUSE)
    if token.scope == "play" or method in ("GET", "HEAD"):
        return
    if token.scope == "bot" and endpoint in BOT_SCOPE_ENDPOINTS:
        return
    detail = f"This token may do less ({token.scope}): {SCOPES[token.scope]} Make another one on the page /account."
    raise Problem(403, "scope_missing", detail, scope=token.scope)


def require_player() -> str:
    """The player who asks. Raises Problem 401."""
    player = current_player_id()
    if player is None:
        raise unauthorized(
            "no_token", "Send your token: `Authorization: Bearer <token>`. POST /api/v1/players gives you one."
        )
    return player


def unauthorized(code: str, detail: str) -> Problem:
    """The problem for a missing or bad token."""
    challenge = 'Bearer realm="crumbtrail"' + (', error="invalid_token"' if code == "bad_token" else "")
    return Problem(401, code, detail, headers={"WWW-Authenticate": challenge})


def viewing_seat(match: AnyMatch, player: str | None, wanted: Seat | None) -> Seat | None:
    """The seat as which somebody reads: the one wanted, else the first own one, else none (a spectator).

    Until the end only own seats may be wanted. Raises Problem 401, 403, 404.
    """
    own = match.seats_of(player)
    if wanted is None:
        return own[0] if own else None
    require_seat_exists(match, wanted)
    if match.status == "over" or wanted in own:
        return wanted
    if player is None:
        raise unauthorized("no_token", f"Only who sits at seat {wanted} may see the match as it does: send your token.")
    raise Problem(403, "not_your_seat", "While the match runs you may see it as your own seats do, and as a spectator.")


def seat_or_spectator(match: AnyMatch, player: str | None, seat: Seat | None) -> Seat | None:
    """The seat if the player holds it in this state of the match, or the match is over; else none (a spectator).

    Before the start seats change hands: who was entitled to a seat's view a moment ago may not be any more.
    """
    return seat if match.status == "over" or seat in match.seats_of(player) else None


def acting_seat(match: AnyMatch, player: str, wanted: Seat | None) -> Seat:
    """The seat for which a player acts: the only one it has, else the one wanted. Raises Problem 403, 404, 422."""
    own = match.seats_of(player)
    if wanted is not None:
        require_seat_exists(match, wanted)
    if not own or (wanted is not None and wanted not in own):
        raise Problem(403, "not_your_seat", "You do not sit there. You may act for your own seats only.")
    if wanted is None and len(own) > 1:
        seats = ", ".join(map(str, own))
        raise Problem(422, "which_seat", f"You hold the seats {seats}: say for which one with ?as=.", seats=list(own))
    return own[0] if wanted is None else wanted


def require_seat_exists(match: AnyMatch, seat: Seat) -> None:
    """Raise Problem 404 for a seat that the match does not have."""
    if seat >= len(match.seats):
        raise Problem(404, "no_such_seat", f"This match has the seats 0 to {len(match.seats) - 1}.")


# -- answers ------------------------------------------------------------------------------------------------------


def json_response(value: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """The value as JSON, encoded by msgspec."""
    return Response(msgspec.json.encode(value), status, headers, mimetype="application/json")


def match_document_for(match: AnyMatch, seat: Seat | None, player: str | None, token: Token | None) -> MatchDocument:
    """The match as this seat sees it. Who only reads is told no invitation: whoever has one can act by it."""
    players = {taken.player for taken in match.seats if taken.player}
    names = services().players.names(players)
    you = match.seats_of(player)
    code = services().invitations.offer_code
    codes = {
        each.number: code(match.id, each.seat, each.number)
        for each in match.offers
        if may_see_invitation(each, you, token)
    }
    return match_document(match, seat, you, names, codes)


def may_see_invitation(offer: SeatOffer, you: Collection[Seat], token: Token | None) -> bool:
    """Whether the reader is told the invitation of an offer: who has made it, by a token that could have made it."""
    by_bot = token is not None and token.scope == "bot" and offer.seat not in you
    return offer.by in you and (by_bot or has_full_access(token))


def etag_header(ply: int) -> dict[str, str]:
    """The header with a match's version, which is its ply."""
    return {"ETag": f'"{ply}"'}
