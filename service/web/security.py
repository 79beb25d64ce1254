"""What guards the pages: the session cookie, the check of every form, the headers of every answer."""

from flask import Flask, Response, request
from flask.sessions import SecureCookieSessionInterface, SessionMixin
from flask_wtf.csrf import CSRFProtect  # type: ignore[import-untyped]

from service.accounts.sessions import SESSION_LIFETIME
from service.bootstrap import Services
from service.web.blueprint import limit_form_size, web

CONTENT_SECURITY_POLICY = "; ".join(
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

PAGE_HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=()",
    "Cache-Control": "private, no-cache",
}

ENDPOINTS_WITHOUT_SESSION = frozenset({"web.unsubscribed"})
"""Forms that mail programs send, whose address is the permission: there is no session that could be abused."""

ENDPOINTS_CHECKED_LATER = frozenset({"web.verify_sent"})
"""Forms that may bring so much that they need a place before they are read: they are checked by the page, there."""

PUBLIC_ENDPOINT = "web.send_asset"
"""Whose answers anybody may keep and hand on."""

csrf = CSRFProtect()


class CookieSessions(SecureCookieSessionInterface):
    """Renews the cookie with every answer, but never with one that anybody may keep: a cache would hand it on."""

    def should_set_cookie(self, app: Flask, session: SessionMixin) -> bool:
        """Whether this answer carries the cookie."""
        return request.endpoint != PUBLIC_ENDPOINT and super().should_set_cookie(app, session)


def set_up_security(app: Flask, services: Services) -> None:
    """Set up session and forms of the application. Only pages are checked: the API takes no cookies."""
    app.secret_key = services.runtime.secret
    app.session_interface = CookieSessions()
    app.config.update(
        SESSION_COOKIE_NAME="crumbtrail",
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Lax",
        SESSION_COOKIE_SECURE=services.runtime.settings.secure_cookies,
        PERMANENT_SESSION_LIFETIME=SESSION_LIFETIME,
        WTF_CSRF_CHECK_DEFAULT=False,
        WTF_CSRF_TIME_LIMIT=None,  # a table may stay open for days between two moves
        WTF_CSRF_SSL_STRICT=False,  # an invitation page sends no referrer, lest its link leak; the token is the check
    )
    csrf.init_app(app)


def check_csrf() -> None:
    """Refuse a form that no page of this session has sent (400)."""
    limit_form_size()
    if request.endpoint not in ENDPOINTS_WITHOUT_SESSION | ENDPOINTS_CHECKED_LATER:
        csrf.protect()


def add_headers(response: Response) -> Response:
    """The headers of every page; one that a page has set itself stays."""
    for name, value in PAGE_HEADERS.items():
        response.headers.setdefault(name, value)
    if request.is_secure:
        response.headers.setdefault("Strict-Transport-Security", "max-age=31536000")
    return response


web.before_request(check_csrf)
web.after_request(add_headers)
