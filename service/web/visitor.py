"""Who looks at the page. Everybody is a guest: a player with a friendly name, made when one is first needed."""

import secrets
from typing import cast

from flask import g, request, session
from werkzeug.exceptions import Forbidden

from service.accounts.players import Player
from service.app_context import services

SESSION_PLAYER, SESSION_SECRET = "player", "secret"
"""Where the cookie keeps the player's id, and what shows that its session has not ended."""

NAME_ADJECTIVES = (
    "Crispy", "Golden", "Sugared", "Toasted", "Buttered", "Glazed", "Floury", "Caramel", "Cinnamon", "Crunchy",
    "Frosted", "Fluffy", "Gingery", "Honeyed", "Jammy", "Lemony", "Minty", "Nutty", "Powdered", "Vanilla",
)  # fmt: skip
NAME_NOUNS = (
    "Bagel", "Biscuit", "Brioche", "Brownie", "Bun", "Cookie", "Cracker", "Croissant", "Crumpet", "Cupcake",
    "Dumpling", "Eclair", "Macaroon", "Muffin", "Pancake", "Pretzel", "Scone", "Strudel", "Tartlet", "Waffle",
)  # fmt: skip


def random_name() -> str:
    """A name such as Golden Waffle, for somebody who has not chosen one."""
    return f"{secrets.choice(NAME_ADJECTIVES)} {secrets.choice(NAME_NOUNS)}"


def current_player() -> Player | None:
    """The player of this session, None for somebody who has not needed one yet."""
    if "player" not in g:
        number = session_player_id()
        g.player = services().accounts.players.find(number) if number else None
    return cast("Player | None", g.player)


def session_player_id() -> str | None:
    """The player's id for which this session is good, also while the player is being erased."""
    number, secret = session.get(SESSION_PLAYER), session.get(SESSION_SECRET)
    if isinstance(number, str) and isinstance(secret, str) and services().accounts.sessions.is_valid(number, secret):
        return number
    return None


def current_player_id() -> str | None:
    """The id of this session's player, if there is one."""
    player = current_player()
    return player.id if player else None


def get_or_create_player() -> Player:
    """The player of this session, made now if there is none yet."""
    found = current_player()
    if found is None:
        services().runtime.rate_limiter.count_registration_from(request.remote_addr or "")
        found = services().accounts.players.create(random_name())
        start_session(found)
    return found


def require_seated_player(refusal: str = "You do not sit at this match.") -> Player:
    """The player of this session. Raises Forbidden without one, since only players have seats."""
    found = current_player()
    if found is None:
        raise Forbidden(f"{refusal} If you did, this browser has forgotten you.")
    return found


def start_session(found: Player) -> None:
    """From now on this browser is that player's, in a session of its own."""
    _store_session(found, services().accounts.sessions.begin(found.id))


def replace_session(found: Player) -> None:
    """The same, and nothing stays of the session that was here before, once the new one has begun."""
    secret = services().accounts.sessions.begin(found.id)
    session.clear()
    _store_session(found, secret)


def _store_session(found: Player, secret: str) -> None:
    session[SESSION_PLAYER], session[SESSION_SECRET] = found.id, secret
    session.permanent = True
    g.player = found


def rename_player(found: Player, wanted: str) -> None:
    """Give the player another name. Raises BadName."""
    g.player = services().accounts.players.rename(found, wanted)


def end_session(*, everywhere: bool = False) -> None:
    """End this session, or all sessions of its player."""
    me = current_player()
    if me is not None and everywhere:
        services().accounts.sessions.end_all(me.id)
    elif me is not None:
        services().accounts.sessions.end(me.id, session[SESSION_SECRET])
    session.clear()
    g.player = None
