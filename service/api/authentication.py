"""Authentication and authorization: the token of a request, its player and its scope."""

from collections.abc import Callable
from typing import cast

from flask import g, request

from service.accounts.players import HOUSE, SCOPES, Token
from service.api.problems import Problem
from service.app_context import services

MAX_TOKEN_LENGTH = 200


def bearer_token() -> str | None:
    """Return the token of this request, or None without an Authorization header. Raises Problem 401 for a bad one."""
    header = request.headers.get("Authorization")
    return None if header is None else parse_bearer(header)


def parse_bearer(header: str) -> str:
    """Return the token of an Authorization header. Raises Problem 401 unless it is a bearer token."""
    scheme, _, token = header.partition(" ")
    token = token.strip()
    if scheme.lower() != "bearer" or not token or len(token) > MAX_TOKEN_LENGTH:
        raise unauthorized("bad_token", "The Authorization header is invalid. Send `Authorization: Bearer <token>`.")
    return token


def current_player_id() -> str | None:
    """Return the player whose token this request has, or None without a token.

    Raises Problem 401 for an unknown token, 403 if its scope does not allow the request, and LimitExceeded.
    """
    if "current_player_id" not in g:
        token = current_token()
        if token is not None:
            require_scope(token, request.method, request.endpoint)
            services().runtime.rate_limiter.count_request_of(token.player)
        g.current_player_id = token.player if token else None
    return cast("str | None", g.current_player_id)


def current_token() -> Token | None:
    """Return the token of this request, or None without one. Raises Problem 401 for an unknown token."""
    if "current_token" not in g:
        secret = bearer_token()
        g.current_token = None if secret is None else authenticate_token(secret)
    return cast("Token | None", g.current_token)


def authenticate_token(secret: str) -> Token:
    """Return the token with this secret. Raises Problem 401 for an unknown token."""
    token = services().accounts.players.find_token(secret)
    if token is None:
        raise unauthorized(
            "bad_token", "This token is unknown or was revoked. Register with POST /api/v1/players to get a new one."
        )
    return token


def token_validity_check() -> Callable[[], bool]:
    """Return a function that tells whether the token of this request is still valid, for long-lived answers.

    The token may be revoked, or its player erased, during the request. Call the function after reading the data that
    is about to be sent.
    """
    secret, players = bearer_token(), services().accounts.players
    return lambda: secret is None or players.find_token(secret) is not None


def require_token_still_valid() -> None:
    """Raise Problem 401 if the token was revoked during the request."""
    if not token_validity_check()():
        raise unauthorized("bad_token", "This token is no longer valid: it was revoked, or its player was erased.")


def require_worker() -> None:
    """Raise Problem 401 or 403 unless the request has a worker's token, which the operator creates."""
    token = current_token()
    if token is None:
        raise unauthorized("no_token", "This endpoint is for workers. Create a token with `crumbtrail bot token new`.")
    if token.scope != HOUSE:
        raise Problem(
            403,
            "scope_missing",
            "This endpoint is for workers. Use a token created with `crumbtrail bot token new`.",
            scope=HOUSE,
        )


BOT_SCOPE_ENDPOINTS = frozenset(
    {
        *("moves.move", "moves.command", "orders.give", "orders.cancel"),
        *("matches.create", "matches.take_seat", "matches.open_share"),
    }
)
"""The endpoints that a token with scope `bot` may use to change something."""


def has_full_access(token: Token | None) -> bool:
    """Return whether the token, if any, has the scope `play`. Without a token, the request acts as a guest."""
    return token is None or token.scope == "play"


def require_full_access(what: str) -> None:
    """Raise Problem 403 unless the token has the scope `play`; `what` names the action in the message."""
    token = current_token()
    if token is not None and not has_full_access(token):
        detail = f"This token can't {what}. Its scope is `{token.scope}`: {SCOPES[token.scope]}"
        raise Problem(403, "scope_missing", detail, scope=token.scope)


def require_scope(token: Token, method: str, endpoint: str | None) -> None:
    """Raise Problem 403 if the scope of the token does not allow the request."""
    if token.scope == HOUSE:
        raise Problem(
            403, "scope_missing", "A worker's token only works for /api/v1/house. Use a player's token.", scope=HOUSE
        )
    if token.scope == "play" or method in ("GET", "HEAD"):
        return
    if token.scope == "bot" and endpoint in BOT_SCOPE_ENDPOINTS:
        return
    detail = (
        f"This token can't do this. Its scope is `{token.scope}`: {SCOPES[token.scope]} "
        "You can create another token at /account."
    )
    raise Problem(403, "scope_missing", detail, scope=token.scope)


def require_player() -> str:
    """Return the player whose token this request has. Raises Problem 401 without a token."""
    player = current_player_id()
    if player is None:
        raise unauthorized(
            "no_token",
            "This request needs a token. Send `Authorization: Bearer <token>`; POST /api/v1/players creates one.",
        )
    return player


def unauthorized(code: str, detail: str) -> Problem:
    """Return the problem for a missing or invalid token."""
    challenge = 'Bearer realm="crumbtrail"' + (', error="invalid_token"' if code == "bad_token" else "")
    return Problem(401, code, detail, headers={"WWW-Authenticate": challenge})
