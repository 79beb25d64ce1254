"""The page where guests choose their name."""

from flask import redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from service.accounts.names import MAX_NAME_LENGTH, InvalidName
from service.app_context import services
from service.moderation.sanctions import Muted
from service.web.blueprint import web
from service.web.visitor import current_player, get_or_create_player, rename_player


@web.get("/name")
def name() -> str:
    """Show the form, filled with the current name or a suggestion."""
    me = current_player()
    return name_page(me.name if me else services().accounts.players.free_random_name(), "")


@web.post("/name")
def rename() -> Response | tuple[str, int]:
    """Change the name."""
    wanted = request.form.get("name", "")
    try:
        rename_player(get_or_create_player(), wanted)
    except (InvalidName, Muted) as error:
        return name_page(wanted, str(error)), 422
    return redirect(url_for("web.lobby"), 303)


@web.post("/name/notice")
def dismiss_notice() -> Response:
    """Dismiss the notice that the name was changed."""
    me = current_player()
    if me is not None:
        services().accounts.name_notices.dismiss(me.id)
    return redirect(url_for("web.lobby"), 303)


def name_page(shown: str, refusal: str) -> str:
    """Return the page with the form."""
    return render_template("templates/name.html", shown=shown, refusal=refusal, longest=MAX_NAME_LENGTH)
