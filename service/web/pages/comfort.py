"""Saves the comfort settings of a device in a cookie."""

from flask import current_app, redirect, request, url_for
from werkzeug.wrappers import Response

from service.web.blueprint import web
from service.web.comfort import CHOICES, COOKIE, COOKIE_SECONDS, current_comfort, read_comfort, write_comfort


@web.post("/comfort")
def save_comfort() -> Response:
    """Save the settings in the form, and go back to the match or to the lobby. Unknown values count as the default."""
    before = write_comfort(current_comfort())
    sent = "&".join(f"{name}={request.form[name]}" for name in CHOICES if name in request.form)
    response = redirect(page_of(request.form.get("match")), 303)
    response.set_cookie(
        COOKIE,
        write_comfort(read_comfort(f"{before}&{sent}")),
        max_age=COOKIE_SECONDS,
        secure=current_app.config["SESSION_COOKIE_SECURE"],
        httponly=True,
        samesite="Lax",
    )
    return response


def page_of(match: str | None) -> str:
    """Return the address of a match, or of the lobby."""
    if match:
        return url_for("web.match", match=match)
    return url_for("web.lobby")
