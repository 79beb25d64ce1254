"""Unsubscribing with the link in each email: without signing in, and with one click in email clients (RFC 8058)."""

from flask import make_response, render_template
from werkzeug.exceptions import NotFound
from werkzeug.wrappers import Response

from service.app_context import services
from service.web.blueprint import web
from service.web.pages.join import NO_REFERRER


@web.get("/unsubscribe/<player>/<code>")
def unsubscribe(player: str, code: str) -> Response:
    """Show the confirm button. A GET changes nothing, because email clients prefetch links."""
    return unsubscribe_page(player, code, done=False)


@web.post("/unsubscribe/<player>/<code>")
def unsubscribed(player: str, code: str) -> Response:
    """Stop emails to this player. Idempotent."""
    require_code(player, code)
    if services().accounts.players.find(player):
        services().notifications.preferences.unsubscribe(player)
    return unsubscribe_page(player, code, done=True)


def require_code(player: str, code: str) -> None:
    """Raise NotFound for a code that is not the player's."""
    if not services().notifications.preferences.is_unsubscribe_code(player, code):
        raise NotFound(
            "This link is incomplete. Open it from the email again, or change your notifications in your account."
        )


def unsubscribe_page(player: str, code: str, *, done: bool) -> Response:
    """Return the page. Its URL is a capability, so it sends no referrer."""
    require_code(player, code)
    shown = render_template("templates/unsubscribe.html", target=(player, code), done=done)
    response = make_response(shown)
    response.headers["Referrer-Policy"] = NO_REFERRER
    response.headers["Cache-Control"] = "private, no-store"
    return response
