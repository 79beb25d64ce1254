"""Under what name a guest plays."""

from flask import redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from service.accounts.players import NAME_LENGTH, BadName
from service.web.blueprint import web
from service.web.visitor import friendly_name, known_player, player, rename_player


@web.get("/name")
def name() -> str:
    """The form, filled with the present name or with a proposal."""
    me = known_player()
    return page(me.name if me else friendly_name(), "")


@web.post("/name")
def rename() -> Response | tuple[str, int]:
    """Take another name."""
    wanted = request.form.get("name", "")
    try:
        rename_player(player(), wanted)
    except BadName as error:
        return page(wanted, str(error)), 422
    return redirect(url_for("web.lobby"), 303)


def page(shown: str, refusal: str) -> str:
    """The page."""
    return render_template("templates/name.html", shown=shown, refusal=refusal, longest=NAME_LENGTH)
