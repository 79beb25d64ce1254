"""Security of the pages: session cookie, CSRF protection and response headers."""

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
"""No inline or third-party content. Boards use SVG presentation attributes, which the policy does not restrict."""

PAGE_HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=()",
    "Cache-Control": "private, no-cache",
}

ENDPOINTS_WITHOUT_SESSION = frozenset({"web.unsubscribed"})
"""Forms posted by email clients. Their URL is the authorization, so there is no session to protect."""

ENDPOINTS_CHECKED_LATER = frozenset({"web.verify_sent"})
"""Forms with large uploads. The page reserves a slot before it reads them and then checks the CSRF token itself."""

PUBLIC_ENDPOINT = "web.send_asset"
"""Its responses may be stored by shared caches."""

csrf = CSRFProtect()


class CookieSessions(SecureCookieSessionInterface):
    """Renews the session cookie with each response, except cacheable ones, where a cache could leak it to others."""

    def should_set_cookie(self, app: Flask, session: SessionMixin) -> bool:
        """Return whether this response sets the cookie."""
        return request.endpoint != PUBLIC_ENDPOINT and super().should_set_cookie(app, session)


def set_up_security(app: Flask, services: Services) -> None:
    """Configure sessions and CSRF protection. Only pages need it because the API accepts no cookies."""
    app.secret_key = services.runtime.secret
    app.session_interface = CookieSessions()
    app.config.update(
        SESSION_COOKIE_NAME="crumbtrail",
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Lax",
        SESSION_COOKIE_SECURE=services.runtime.settings.secure_cookies,
        PERMANENT_SESSION_LIFETIME=SESSION_LIFETIME,
        WTF_CSRF_CHECK_DEFAULT=False,
        WTF_CSRF_TIME_LIMIT=None,  # a page may stay open for days between two moves
        WTF_CSRF_SSL_STRICT=False,  # invitation pages send no referrer; the token suffices
    )
    csrf.init_app(app)


def check_csrf() -> None:
    """Refuse a form without a valid CSRF token of this session (400)."""
    limit_form_size()
    if request.endpoint not in ENDPOINTS_WITHOUT_SESSION | ENDPOINTS_CHECKED_LATER:
        csrf.protect()


def add_headers(response: Response) -> Response:
    """Add the default headers to a response, keeping any that the page has set."""
    for name, value in PAGE_HEADERS.items():
        response.headers.setdefault(name, value)
    if request.is_secure:
        response.headers.setdefault("Strict-Transport-Security", "max-age=31536000")
    return response


web.before_request(check_csrf)
web.after_request(add_headers)
