"""The visitor of a page. Guests get a player account with a friendly name when they first need one."""

from typing import cast

from flask import g, request, session
from werkzeug.exceptions import Forbidden

from service.accounts.players import Player
from service.app_context import services
from service.moderation.sanctions import Banned

SESSION_PLAYER, SESSION_SECRET = "player", "secret"
"""Cookie keys for the player's id and the secret that identifies an active session."""


def current_player() -> Player | None:
    """Return the player of this session, or None if the visitor has no player yet."""
    if "player" not in g:
        number = session_player_id()
        g.player = services().accounts.players.find(number) if number else None
    return cast("Player | None", g.player)


def session_player_id() -> str | None:
    """Return the player id of a valid session, even while the player is being erased, or None."""
    number, secret = session.get(SESSION_PLAYER), session.get(SESSION_SECRET)
    if isinstance(number, str) and isinstance(secret, str) and services().accounts.sessions.is_valid(number, secret):
        return number
    return None


def current_player_id() -> str | None:
    """Return the id of this session's player, or None."""
    player = current_player()
    return player.id if player else None


def get_or_create_player() -> Player:
    """Return the player of this session, creating one if needed."""
    found = current_player()
    if found is None:
        services().runtime.rate_limiter.count_registration_from(request.remote_addr or "")
        found = services().accounts.players.create_guest()
        start_session(found)
    return found


def require_seated_player(refusal: str = "You aren't playing in this match.") -> Player:
    """Return the player of this session. Raises Forbidden if there is none, as only players have seats."""
    found = current_player()
    if found is None:
        raise Forbidden(f"{refusal} If you have an account, sign in and try again.")
    return found


def start_session(found: Player) -> None:
    """Start a session for the player in this browser."""
    _store_session(found, services().accounts.sessions.begin(found.id))


def replace_session(found: Player) -> None:
    """Sign the player in: start a session for them and clear the data of the previous session. Raises Banned."""
    secret = services().accounts.sessions.begin(found.id)
    services().accounts.sessions.record_sign_in(found.id, secret)
    try:  # after the session has begun, because a ban that is imposed now ends it
        services().moderation.sanctions.require_may_sign_in(found.id)
    except Banned:
        services().accounts.sessions.end(found.id, secret)
        raise
    session.clear()
    _store_session(found, secret)


def _store_session(found: Player, secret: str) -> None:
    session[SESSION_PLAYER], session[SESSION_SECRET] = found.id, secret
    session.permanent = True
    g.player = found


def rename_player(found: Player, wanted: str) -> None:
    """Change the player's name. Raises InvalidName, NameTaken, Muted."""
    services().moderation.sanctions.require_may_write(found.id)
    g.player = services().accounts.players.rename(found, wanted)


def signed_in_recently() -> bool:
    """Return whether the visitor signed in with a link a short time ago, in this session."""
    me = current_player()
    return me is not None and services().accounts.sessions.signed_in_recently(me.id, session[SESSION_SECRET])


def end_session(*, everywhere: bool = False) -> None:
    """End this session, or with `everywhere` all sessions of its player."""
    me = current_player()
    if me is not None and everywhere:
        services().accounts.sessions.end_all(me.id)
    elif me is not None:
        services().accounts.sessions.end(me.id, session[SESSION_SECRET])
    session.clear()
    g.player = None
