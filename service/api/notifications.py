"""A player's notification settings. Email addresses can only be confirmed on the page, not with a token."""

from collections.abc import Mapping
from typing import Annotated, Any, cast
from urllib.parse import urlsplit

from flask import Response
from marshmallow import fields, validate
from msgspec import Meta, Struct

from service.api.authentication import current_token, has_full_access, require_player
from service.api.blueprint import TOKEN_REQUIRED, ApiBlueprint
from service.api.problems import Problem
from service.api.responses import json_response
from service.api.schemas import InputSchema
from service.app_context import services
from service.notifications.preferences import (
    MAIL_MODES,
    MAX_URL_LENGTH,
    TURN_DELAY_MINUTES,
    LastDelivery,
    MailMode,
    MailPreferences,
    QuietPeriod,
    parse_quiet_hours,
)

blp = ApiBlueprint("notifications", "Notifications when it is your turn, by email and webhook.")

LOCAL_TIME = Meta(description="A local time, such as 22:00.")


class QuietHours(Struct, frozen=True, kw_only=True):
    """The hours in which no email is sent."""

    start: Annotated[str, LOCAL_TIME]
    end: Annotated[str, LOCAL_TIME]


class QuietIn(InputSchema):
    """The hours in which no email is sent."""

    start = fields.String(required=True, metadata={"description": LOCAL_TIME.description})
    end = fields.String(required=True, metadata={"description": LOCAL_TIME.description})


class MailWishesIn(InputSchema):
    """When to send you email."""

    mode = fields.String(required=True, validate=validate.OneOf(list(MAIL_MODES)))
    patience = fields.Integer(
        strict=True,
        load_default=5,
        validate=validate.OneOf(TURN_DELAY_MINUTES),
        metadata={"description": "Minutes to wait before sending an email about a turn."},
    )
    zone = fields.String(load_default="UTC", metadata={"description": "A time zone, such as Europe/Berlin."})
    quiet = fields.Nested(QuietIn, allow_none=True, load_default=None)
    hour = fields.Integer(
        strict=True,
        load_default=8,
        validate=validate.Range(0, 23),
        metadata={"description": "The hour of the daily email."},
    )


class MailWishes(Struct, frozen=True, kw_only=True):
    """When you get email. None is sent without a confirmed address, or if the server has email disabled."""

    mode: MailMode
    patience: int
    zone: str
    quiet: QuietHours | None
    hour: int
    has_address: Annotated[bool, Meta(description="Whether you have confirmed an address at /account/notifications.")]
    switched_on: Annotated[bool, Meta(description="Whether this server sends email.")]


class WebhookIn(InputSchema):
    """The webhook to call."""

    url = fields.String(required=True, validate=validate.Length(1, MAX_URL_LENGTH))


class NewWebhook(Struct, frozen=True, kw_only=True):
    """Your webhook, and the secret that signs its requests. The secret is shown only once."""

    url: str
    secret: str


class Notifications(Struct, frozen=True, kw_only=True):
    """Your notification settings, and the outcome of the last deliveries (`mail`, `webhook`, `test`)."""

    mail: MailWishes
    webhook: Annotated[
        str | None, Meta(description="The URL, or null. Only tokens with the scope `play` see its path.")
    ]
    outcomes: Mapping[str, LastDelivery]


@blp.route("/me/notifications")
@blp.response(200, Notifications)
@blp.doc(operationId="getNotifications", security=TOKEN_REQUIRED)
def get_notifications() -> Response:
    """Get your notification settings."""
    return json_response(notifications_document(require_player()))


@blp.route("/me/notifications/mail", methods=["PUT"])
@blp.arguments(MailWishesIn)
@blp.response(200, Notifications)
@blp.doc(operationId="setMail", security=TOKEN_REQUIRED)
def set_mail(body: dict[str, Any]) -> Response:
    """Choose when to get email."""
    player, quiet = require_player(), body["quiet"]
    wishes = MailPreferences(
        mail=cast(MailMode, body["mode"]),
        patience=body["patience"],
        zone=body["zone"],
        quiet=parse_quiet_hours(quiet["start"], quiet["end"]) if quiet else None,
        hour=body["hour"],
    )
    services().notifications.preferences.set_mail_preferences(player, wishes)
    return json_response(notifications_document(player))


@blp.route("/me/notifications/webhook", methods=["PUT"])
@blp.arguments(WebhookIn)
@blp.response(200, NewWebhook)
@blp.doc(operationId="setWebhook", security=TOKEN_REQUIRED)
def set_webhook(body: dict[str, Any]) -> Response:
    """Set your webhook. It gets a new secret each time."""
    hook = services().notifications.preferences.set_webhook(require_player(), body["url"])
    return json_response(NewWebhook(url=hook.url, secret=hook.secret))


@blp.route("/me/notifications/webhook", methods=["DELETE"])
@blp.response(204, description="You no longer have a webhook.")
@blp.doc(operationId="removeWebhook", security=TOKEN_REQUIRED)
def remove_webhook() -> Response:
    """Remove your webhook."""
    services().notifications.preferences.remove_webhook(require_player())
    return Response(status=204)


@blp.route("/me/notifications/webhook/test", methods=["POST"])
@blp.response(202, description="The test is scheduled. `outcomes.test` will have the outcome.")
@blp.doc(operationId="testWebhook", security=TOKEN_REQUIRED)
def test_webhook() -> Response:
    """Send a test request to your webhook."""
    if not services().notifications.webhook_tests.enqueue(require_player()):
        raise Problem(409, "no_webhook", "You have no webhook to test. Set one first.")
    return Response(status=202)


def notifications_document(player: str) -> Notifications:
    """Return the notification settings of a player."""
    contact = services().notifications.preferences.get(player)
    wishes = contact.mail_preferences
    return Notifications(
        mail=MailWishes(
            mode=wishes.mail,
            patience=wishes.patience,
            zone=wishes.zone,
            quiet=quiet_hours_document(wishes.quiet) if wishes.quiet else None,
            hour=wishes.hour,
            has_address=contact.address is not None,
            switched_on=services().runtime.settings.smtp_url is not None,
        ),
        webhook=visible_webhook_url(contact.webhook.url) if contact.webhook else None,
        outcomes=services().notifications.preferences.outcomes(player),
    )


def visible_webhook_url(url: str) -> str:
    """Return the URL of a webhook, without its path (which may be secret) for tokens that cannot set it."""
    return url if has_full_access(current_token()) else urlsplit(url)._replace(path="/", query="", fragment="").geturl()


def quiet_hours_document(quiet: QuietPeriod) -> QuietHours:
    """Return quiet hours as times in HH:MM format."""
    return QuietHours(start=quiet.start.strftime("%H:%M"), end=quiet.end.strftime("%H:%M"))
