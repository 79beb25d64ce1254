"""Notification settings: email address, emails, quiet hours and webhook."""

from typing import cast

from flask import make_response, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from service.app_context import services
from service.notifications.preferences import (
    MAIL_MODES,
    MAX_ADDRESS_LENGTH,
    MAX_URL_LENGTH,
    TURN_DELAY_MINUTES,
    Contact,
    InvalidPreference,
    MailMode,
    MailPreferences,
    parse_quiet_hours,
    require_valid_preferences,
    timezone_names,
)
from service.web.blueprint import web
from service.web.forms import parse_number
from service.web.pages.sign_in import send_link
from service.web.visitor import current_player, get_or_create_player


@web.get("/account/notifications")
def notifications() -> Response:
    """Show the settings. Viewing them does not create a player."""
    return notifications_page()


@web.post("/account/notifications/address")
def confirm_address() -> Response:
    """Send a link that confirms an email address. Raises LimitExceeded."""
    wanted = request.form.get("address", "")
    try:
        send_link(wanted, get_or_create_player().id)
    except InvalidPreference as error:
        return notifications_page(refusal=str(error), wanted=wanted, status=422)
    return notifications_page(told="We're sending you an email with a link. Open it to confirm your address.")


@web.post("/account/notifications/address/remove")
def remove_address() -> Response:
    """Remove the email address."""
    services().notifications.preferences.remove_address(get_or_create_player().id)
    return redirect(url_for("web.notifications"), 303)


@web.post("/account/notifications/mail")
def wish() -> Response:
    """Save when to send emails."""
    me = get_or_create_player().id
    try:
        services().notifications.preferences.set_mail_preferences(me, posted_preferences())
    except InvalidPreference as error:
        return notifications_page(refusal=str(error), status=422)
    return notifications_page(told="Saved.")


@web.post("/account/notifications/webhook")
def set_hook() -> Response:
    """Set the webhook and show its secret once."""
    url = request.form.get("url", "")
    try:
        hook = services().notifications.preferences.set_webhook(get_or_create_player().id, url)
    except InvalidPreference as error:
        return notifications_page(refusal=str(error), url=url, status=422)
    return notifications_page(secret=hook.secret, status=201)


@web.post("/account/notifications/webhook/remove")
def remove_hook() -> Response:
    """Remove the webhook."""
    services().notifications.preferences.remove_webhook(get_or_create_player().id)
    return redirect(url_for("web.notifications"), 303)


@web.post("/account/notifications/webhook/test")
def test_hook() -> Response:
    """Queue a test call of the webhook. Raises LimitExceeded."""
    if not services().notifications.webhook_tests.enqueue(get_or_create_player().id):
        return notifications_page(refusal="You have no webhook to test. Save one first.", status=409)
    return notifications_page(told="The test is being sent. Reload this page in a moment to see the result.")


def posted_preferences() -> MailPreferences:
    """Return the preferences in the posted form. Raises InvalidPreference."""
    form = request.form
    patience, hour = parse_number(form.get("patience")), parse_number(form.get("hour"))
    return require_valid_preferences(
        MailPreferences(
            mail=cast(MailMode, form.get("mail", "")),
            patience=-1 if patience is None else patience,
            zone=form.get("zone", "").strip(" "),
            quiet=parse_quiet_hours(form.get("quiet_from", ""), form.get("quiet_to", "")),
            hour=-1 if hour is None else hour,
        )
    )


def notifications_page(
    *, told: str = "", refusal: str = "", wanted: str = "", url: str = "", secret: str | None = None, status: int = 200
) -> Response:
    """Return the settings page, which must not be cached because it may show a secret."""
    me, parts = current_player(), services()
    contact = parts.notifications.preferences.get(me.id) if me else Contact(player="")
    shown = render_template(
        "templates/notifications.html",
        player=me,
        contact=contact,
        outcomes=parts.notifications.preferences.outcomes(me.id) if me else {},
        mail=parts.runtime.settings.smtp_url is not None,
        modes=MAIL_MODES,
        patience=TURN_DELAY_MINUTES,
        zones=sorted(timezone_names()),
        longest_address=MAX_ADDRESS_LENGTH,
        longest_url=MAX_URL_LENGTH,
        told=told,
        refusal=refusal,
        wanted=wanted,
        url=url,
        secret=secret,
    )
    response = make_response(shown, status)
    response.headers["Cache-Control"] = "private, no-store"
    return response
