"""The account page: API tokens, and erasing the account."""

from typing import cast

from flask import make_response, redirect, render_template, request, url_for
from werkzeug.exceptions import NotFound
from werkzeug.wrappers import Response

from service.accounts.names import MAX_NAME_LENGTH, InvalidName
from service.accounts.players import SCOPES, Player, PlayerErased, Scope, TooManyTokens
from service.app_context import services
from service.moderation.sanctions import SanctionKind
from service.web.blueprint import web
from service.web.visitor import current_player, end_session, get_or_create_player, session_player_id

ERASE_WORD = "erase"
"""The word that players type to confirm that they want to erase their account."""


SANCTION_SENTENCES: dict[SanctionKind, str] = {
    "mute": "You can't write in disputes or change your name",
    "suspend": "You can't start or join matches",
    "ban": "You can't sign in again",
}


@web.get("/account")
def account() -> Response:
    """Show the account page. Viewing it does not create a player."""
    return account_page(current_player())


@web.post("/account/tokens")
def new_token() -> Response:
    """Create a token and show it once."""
    me, scope, label = get_or_create_player(), request.form.get("scope", ""), request.form.get("label", "")
    if scope not in SCOPES:
        return account_page(me, refusal="Choose from the list what the token may do.", status=422)
    try:
        secret = services().accounts.players.new_token(me.id, cast(Scope, scope), label)
    except (InvalidName, TooManyTokens) as error:
        return account_page(me, refusal=str(error), status=422)
    except PlayerErased:
        return redirect(url_for("web.account"), 303)
    return account_page(me, secret=secret, status=201)


@web.post("/account/tokens/<token>/revoke")
def revoke_token(token: str) -> Response:
    """Revoke a token. Raises NotFound if it is not one of the reader's."""
    me = current_player()
    if me is None or not services().accounts.players.revoke(me.id, token):
        raise NotFound("You have no such token. It may already have been revoked.")
    return redirect(url_for("web.account"), 303)


@web.post("/account/erase")
def erase() -> Response:
    """Erase the player: name, tokens and session. Repeating the request completes an interrupted erasure."""
    me = session_player_id()
    if me is None:
        return redirect(url_for("web.account"), 303)
    if request.form.get("word", "").strip().lower() != ERASE_WORD:
        refusal = f"Nothing was erased. To confirm, type the word {ERASE_WORD} in the field."
        return account_page(current_player(), refusal=refusal, status=422)
    services().accounts.eraser.erase(me)
    end_session()
    return redirect(url_for("web.lobby"), 303)


def account_page(me: Player | None, secret: str | None = None, refusal: str = "", status: int = 200) -> Response:
    """Return the account page, which must not be cached because it may show a token."""
    shown = render_template(
        "templates/account.html",
        player=me,
        sanctions=services().moderation.sanctions.of(me.id) if me else [],
        sanction_sentences=SANCTION_SENTENCES,
        tokens=services().accounts.players.tokens(me.id) if me else [],
        scopes=SCOPES,
        secret=secret,
        refusal=refusal,
        word=ERASE_WORD,
        longest=MAX_NAME_LENGTH,
    )
    response = make_response(shown, status)
    response.headers["Cache-Control"] = "private, no-store"
    return response
