"""How a player wants to be told that it is their turn. Addresses are confirmed on the page, never by a token."""

from typing import Any, cast
from urllib.parse import urlsplit

from flask import Response
from marshmallow import fields, validate

from service.api.problems import Problem
from service.api.request_context import SECURED, Resource, answer, asking_token, may_all, require_player, services
from service.api.schemas import In, Out
from service.notifications.preferences import (
    LONGEST_URL,
    MAIL_MODES,
    PATIENCE_MINUTES,
    MailMode,
    Quiet,
    Wishes,
    read_quiet,
)

blp = Resource("notifications", "Being told that it is your turn: mail and webhook.")

TIMES = {"description": "A local time such as 22:00."}


class QuietHours(Out):
    """Hours in which no mail is sent."""

    start = fields.String(metadata=TIMES)
    end = fields.String(metadata=TIMES)


class QuietIn(In):
    """Hours in which no mail is sent."""

    start = fields.String(required=True, metadata=TIMES)
    end = fields.String(required=True, metadata=TIMES)


class MailWishesIn(In):
    """When you want mail."""

    mode = fields.String(required=True, validate=validate.OneOf(list(MAIL_MODES)))
    patience = fields.Integer(
        strict=True,
        load_default=5,
        validate=validate.OneOf(PATIENCE_MINUTES),
        metadata={"description": "Minutes that a turn waits before a mail goes out."},
    )
    zone = fields.String(load_default="UTC", metadata={"description": "A time zone such as Europe/Berlin."})
    quiet = fields.Nested(QuietIn, allow_none=True, load_default=None)
    hour = fields.Integer(
        strict=True, load_default=8, validate=validate.Range(0, 23), metadata={"description": "Of the daily mail."}
    )


class MailWishes(Out):
    """When you get mail. Without a confirmed address, and without a mail server, there is none."""

    mode = fields.String(validate=validate.OneOf(list(MAIL_MODES)))
    patience = fields.Integer()
    zone = fields.String()
    quiet = fields.Nested(QuietHours, allow_none=True)
    hour = fields.Integer()
    has_address = fields.Boolean(metadata={"description": "Confirmed on the page /account/notifications."})
    switched_on = fields.Boolean(metadata={"description": "Whether this server sends mail at all."})


class WebhookIn(In):
    """Where your program listens."""

    url = fields.String(required=True, validate=validate.Length(1, LONGEST_URL))


class NewWebhook(Out):
    """Your webhook, and the secret that signs what it is told. It is shown only now."""

    url = fields.String()
    secret = fields.String()


class DeliveryOutcome(Out):
    """How a delivery went."""

    at = fields.DateTime()
    text = fields.String()
    well = fields.Boolean()


class Notifications(Out):
    """How you are told, and how the last deliveries went (`mail`, `webhook`, `test`)."""

    mail = fields.Nested(MailWishes)
    webhook = fields.String(
        allow_none=True,
        metadata={"description": "The URL, null if there is none; but for `play` tokens its host alone."},
    )
    outcomes = fields.Dict(keys=fields.String(), values=fields.Nested(DeliveryOutcome))


@blp.route("/me/notifications")
@blp.response(200, Notifications)
@blp.doc(operationId="getNotifications", security=SECURED)
def get_notifications() -> Response:
    """How you are told that it is your turn."""
    return answer(document(require_player()))


@blp.route("/me/notifications/mail", methods=["PUT"])
@blp.arguments(MailWishesIn)
@blp.response(200, Notifications)
@blp.doc(operationId="setMail", security=SECURED)
def set_mail(body: dict[str, Any]) -> Response:
    """Choose when you want mail."""
    player, quiet = require_player(), body["quiet"]
    wishes = Wishes(
        mail=cast(MailMode, body["mode"]),
        patience=body["patience"],
        zone=body["zone"],
        quiet=read_quiet(quiet["start"], quiet["end"]) if quiet else None,
        hour=body["hour"],
    )
    services().contacts.wish(player, wishes)
    return answer(document(player))


@blp.route("/me/notifications/webhook", methods=["PUT"])
@blp.arguments(WebhookIn)
@blp.response(200, NewWebhook)
@blp.doc(operationId="setWebhook", security=SECURED)
def set_webhook(body: dict[str, Any]) -> Response:
    """Set your webhook; it gets a new secret each time."""
    hook = services().contacts.set_hook(require_player(), body["url"])
    return answer({"url": hook.url, "secret": hook.secret})


@blp.route("/me/notifications/webhook", methods=["DELETE"])
@blp.response(204, description="There is none any more.")
@blp.doc(operationId="removeWebhook", security=SECURED)
def remove_webhook() -> Response:
    """No more webhook."""
    services().contacts.remove_hook(require_player())
    return Response(status=204)


@blp.route("/me/notifications/webhook/test", methods=["POST"])
@blp.response(202, description="It is on its way; `outcomes.test` tells how it went.")
@blp.doc(operationId="testWebhook", security=SECURED)
def test_webhook() -> Response:
    """Have your webhook called, to see how it goes."""
    if not services().try_hook(require_player()):
        raise Problem(409, "no_webhook", "There is no webhook that could be tried. Set one first.")
    return Response(status=202)


def document(player: str) -> dict[str, Any]:
    """How a player is told."""
    contact = services().contacts.of(player)
    wishes = contact.wishes
    return {
        "mail": {
            "mode": wishes.mail,
            "patience": wishes.patience,
            "zone": wishes.zone,
            "quiet": hours(wishes.quiet) if wishes.quiet else None,
            "hour": wishes.hour,
            "has_address": contact.address is not None,
            "switched_on": services().settings.smtp_url is not None,
        },
        "webhook": told_hook(contact.hook.url) if contact.hook else None,
        "outcomes": services().contacts.outcomes(player),
    }


def told_hook(url: str) -> str:
    """The URL of a webhook; without its path, which may be a secret, by a token that could not set it."""
    return url if may_all(asking_token()) else urlsplit(url)._replace(path="/", query="", fragment="").geturl()


def hours(quiet: Quiet) -> dict[str, str]:
    """Quiet hours as they are written."""
    return {"start": quiet.start.strftime("%H:%M"), "end": quiet.end.strftime("%H:%M")}
