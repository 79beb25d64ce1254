"""What guards the pages: the session cookie, the check of every form, the headers of every answer."""

from flask import Flask, Response, request
from flask.sessions import SecureCookieSessionInterface, SessionMixin
from flask_wtf.csrf import CSRFProtect  # type: ignore[import-untyped]

from service.accounts.sessions import GOOD_FOR
from service.bootstrap import Services
from service.web.blueprint import limit_form, web

POLICY = "; ".join(
    (
        "default-src 'none'",
        "style-src 'self'",
        "script-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
"""Nothing inline, nothing from elsewhere. Boards are drawn with presentation attributes, which need no permission."""

HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=()",
    "Cache-Control": "private, no-cache",
}

WITHOUT_SESSION = frozenset({"web.unsubscribed"})
"""Forms that mail programs send, whose address is the permission: there is no session that could be abused."""

BEHIND_A_PLACE = frozenset({"web.verify_sent"})
"""Forms that may bring so much that they need a place before they are read: they are checked by the page, there."""

FOR_EVERYBODY = "web.send_asset"
"""Whose answers anybody may keep and hand on."""

csrf = CSRFProtect()


class Sessions(SecureCookieSessionInterface):
    """Renews the cookie with every answer, but never with one that anybody may keep: a cache would hand it on."""

    def should_set_cookie(self, app: Flask, session: SessionMixin) -> bool:
        """Whether this answer carries the cookie."""
        return request.endpoint != FOR_EVERYBODY and super().should_set_cookie(app, session)


def secure(app: Flask, services: Services) -> None:
    """Set up session and forms of the application. Only pages are checked: the API takes no cookies."""
    app.secret_key = services.secret
    app.session_interface = Sessions()
    app.config.update(
        SESSION_COOKIE_NAME="crumbtrail",
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Lax",
        SESSION_COOKIE_SECURE=services.settings.secure_cookies,
        PERMANENT_SESSION_LIFETIME=GOOD_FOR,
        WTF_CSRF_CHECK_DEFAULT=False,
        WTF_CSRF_TIME_LIMIT=None,  # a table may stay open for days between two moves
        WTF_CSRF_SSL_STRICT=False,  # an invitation page sends no referrer, lest its link leak; the token is the check
    )
    csrf.init_app(app)


def check_form() -> None:
    """Refuse a form that no page of this session has sent (400)."""
    limit_form()
    if request.endpoint not in WITHOUT_SESSION | BEHIND_A_PLACE:
        csrf.protect()


def add_headers(response: Response) -> Response:
    """The headers of every page; one that a page has set itself stays."""
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
    if request.is_secure:
        response.headers.setdefault("Strict-Transport-Security", "max-age=31536000")
    return response


web.before_request(check_form)
web.after_request(add_headers)
