"""The token of a request: the player it belongs to, and what its scope allows."""

from collections.abc import Callable
from typing import cast

from flask import g, request

from service.accounts.players import HOUSE, SCOPES, Token
from service.api.problems import Problem
from service.app_context import services

MAX_TOKEN_LENGTH = 200


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
    """The player whose token this request has; None without a token.

    Raises Problem 401 for an unknown token, 403 for a request outside its scope, LimitExceeded.
    """
    if "current_player_id" not in g:
        token = current_token()
        if token is not None:
            require_scope(token, request.method, request.endpoint)
            services().runtime.rate_limiter.count_request_of(token.player)
        g.current_player_id = token.player if token else None
    return cast("str | None", g.current_player_id)


def current_token() -> Token | None:
    """The token of this request, None without one. Raises Problem 401 for an unknown one."""
    if "current_token" not in g:
        secret = bearer_token()
        g.current_token = None if secret is None else authenticate_token(secret)
    return cast("Token | None", g.current_token)


def authenticate_token(secret: str) -> Token:
    """The record of this token. Raises Problem 401 for an unknown one."""
    token = services().accounts.players.find_token(secret)
    if token is None:
        raise unauthorized("bad_token", "This token is not known (any more). POST /api/v1/players gives a new one.")
    return token


def token_validity_check() -> Callable[[], bool]:
    """A function that says whether the token of this request is still valid, for answers that go on for a while.

    The token may be revoked, and its player erased. Call the function after reading what is about to be sent.
    """
    secret, players = bearer_token(), services().accounts.players
    return lambda: secret is None or players.find_token(secret) is not None


def require_token_still_valid() -> None:
    """Raise Problem 401 when the token of this request was revoked while it waited."""
    if not token_validity_check()():
        raise unauthorized("bad_token", "This token is not known any more: it was revoked, or its player erased.")


def require_worker() -> None:
    """Raise Problem 401 or 403 unless this is a worker with a token that the operator made."""
    token = current_token()
    if token is None:
        raise unauthorized("no_token", "Only workers come here: `crumbtrail bot token new` makes a token for one.")
    if token.scope != HOUSE:
        raise Problem(403, "scope_missing", "Only workers come here, with a token of the operator's.", scope=HOUSE)


BOT_SCOPE_ENDPOINTS = frozenset(
    {"moves.move", "moves.command", "matches.create", "matches.take_seat", "orders.give", "orders.cancel"}
)
"""The endpoints with which a token of scope `bot` may change something."""


def has_full_access(token: Token | None) -> bool:
    """Whether a token may do everything; without a token one acts as a guest."""
    return token is None or token.scope == "play"


def require_full_access(what: str) -> None:
    """Raise Problem 403 unless the token may do everything; a token of a bot may send the other commands."""
    token = current_token()
    if token is not None and not has_full_access(token):
        detail = f"This token may not {what}. It may do less ({token.scope}): {SCOPES[token.scope]}"
        raise Problem(403, "scope_missing", detail, scope=token.scope)


def require_scope(token: Token, method: str, endpoint: str | None) -> None:
    """Raise Problem 403 for a request outside the scope of the token."""
    if token.scope == HOUSE:
        raise Problem(403, "scope_missing", "This is a worker's token: it is good for /house alone.", scope=HOUSE)
    if token.scope == "play" or method in ("GET", "HEAD"):
        return
    if token.scope == "bot" and endpoint in BOT_SCOPE_ENDPOINTS:
        return
    detail = f"This token may do less ({token.scope}): {SCOPES[token.scope]} Make another one on the page /account."
    raise Problem(403, "scope_missing", detail, scope=token.scope)


def require_player() -> str:
    """The player whose token this request has. Raises Problem 401 without one."""
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
