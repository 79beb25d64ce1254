"""No more mail, by the link in each mail: without signing in, and by one click of the mail program (RFC 8058)."""

from flask import make_response, render_template
from werkzeug.exceptions import NotFound
from werkzeug.wrappers import Response

from service.app_context import services
from service.web.blueprint import web
from service.web.pages.join import NO_REFERRER


@web.get("/unsubscribe/<player>/<code>")
def unsubscribe(player: str, code: str) -> Response:
    """The button. Looking changes nothing: mail programs look at links before people do."""
    return unsubscribe_page(player, code, done=False)


@web.post("/unsubscribe/<player>/<code>")
def unsubscribed(player: str, code: str) -> Response:
    """No more mail from now on; may be sent as often as one likes."""
    require_code(player, code)
    if services().accounts.players.find(player):
        services().notifications.preferences.unsubscribe(player)
    return unsubscribe_page(player, code, done=True)


def require_code(player: str, code: str) -> None:
    """Raise NotFound for a link that was in no mail to this player."""
    if not services().notifications.preferences.is_unsubscribe_code(player, code):
        raise NotFound("This link is not complete. Open it from the mail once more, or change it in your account.")


def unsubscribe_page(player: str, code: str, *, done: bool) -> Response:
    """The page. Its address is a capability: it travels on in no header."""
    require_code(player, code)
    shown = render_template("templates/unsubscribe.html", target=(player, code), done=done)
    response = make_response(shown)
    response.headers["Referrer-Policy"] = NO_REFERRER
    response.headers["Cache-Control"] = "private, no-store"
    return response
