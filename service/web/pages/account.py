"""What belongs to a player: tokens for programs, and the way to be forgotten."""

from typing import cast

from flask import make_response, redirect, render_template, request, url_for
from werkzeug.exceptions import NotFound
from werkzeug.wrappers import Response

from service.accounts.players import MAX_NAME_LENGTH, SCOPES, InvalidName, Player, PlayerErased, Scope, TooManyTokens
from service.app_context import services
from service.web.blueprint import web
from service.web.visitor import current_player, end_session, get_or_create_player, session_player_id

ERASE_WORD = "erase"
"""The word that one writes to be forgotten."""


@web.get("/account")
def account() -> Response:
    """The page. Who has no player yet is shown what there would be, and gets none by looking."""
    return account_page(current_player())


@web.post("/account/tokens")
def new_token() -> Response:
    """A further token, shown once."""
    me, scope, label = get_or_create_player(), request.form.get("scope", ""), request.form.get("label", "")
    if scope not in SCOPES:
        return account_page(me, refusal="Choose what the token may do from the list.", status=422)
    try:
        secret = services().accounts.players.new_token(me.id, cast(Scope, scope), label)
    except (InvalidName, TooManyTokens) as error:
        return account_page(me, refusal=str(error), status=422)
    except PlayerErased:
        return redirect(url_for("web.account"), 303)
    return account_page(me, secret=secret, status=201)


@web.post("/account/tokens/<token>/revoke")
def revoke_token(token: str) -> Response:
    """End a token at once. Raises NotFound for one that is not the reader's."""
    me = current_player()
    if me is None or not services().accounts.players.revoke(me.id, token):
        raise NotFound("You have no such token; perhaps it was revoked before.")
    return redirect(url_for("web.account"), 303)


@web.post("/account/erase")
def erase() -> Response:
    """Forget the player: name, tokens, session. Sent again, it finishes what broke off."""
    me = session_player_id()
    if me is None:
        return redirect(url_for("web.account"), 303)
    if request.form.get("word", "").strip().lower() != ERASE_WORD:
        refusal = f"Nothing was erased: write the word {ERASE_WORD} into the field."
        return account_page(current_player(), refusal=refusal, status=422)
    services().accounts.eraser.erase(me)
    end_session()
    return redirect(url_for("web.lobby"), 303)


def account_page(me: Player | None, secret: str | None = None, refusal: str = "", status: int = 200) -> Response:
    """The page; one that shows a token is kept nowhere."""
    shown = render_template(
        "templates/account.html",
        player=me,
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
