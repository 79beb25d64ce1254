"""Opening shares of the luck, once all seats of a sealed match are taken."""

from typing import Any

from flask import Response
from marshmallow import ValidationError, fields, validate, validates_schema

from domain.match.commands import Command, LoseShare, OpenShare
from service.api.authentication import require_player
from service.api.blueprint import TOKEN_REQUIRED
from service.api.command_answers import Done, command_response
from service.api.fields import StrictBoolean
from service.api.links import MATCH_LINKS
from service.api.matches import blp
from service.api.schemas import InputSchema
from service.api.seat_input import ShareText
from service.app_context import services
from service.matches.results import IdempotencyKey


class ShareIn(InputSchema):
    """Your share and the table that you open it for, or a report that your share is lost."""

    table = fields.String(
        validate=validate.Length(max=200),
        metadata={"description": "The hash of the full table, computed from the commitment and the seals you see."},
    )
    share = ShareText("Your share: the one whose seal you sent when sitting down.")
    lost = StrictBoolean(
        metadata={"description": "True: you can't open your share. The match is cancelled, and it counts against you."}
    )

    @validates_schema
    def check_fields(self, body: dict[str, Any], **_: Any) -> None:
        """Raise ValidationError unless the body has either `table` and `share`, or `lost`."""
        if body.get("lost") is True and not {"table", "share"} & set(body):
            return
        if "lost" in body or not {"table", "share"} <= set(body):
            raise ValidationError("Send `table` and `share`, or only `lost` with the value true.")


@blp.route("/matches/<match>/share", methods=["POST"])
@blp.arguments(ShareIn)
@blp.response(201, Done)
@blp.doc(operationId="openShare", security=TOKEN_REQUIRED, responses={201: {"links": MATCH_LINKS}})
def open_share(body: dict[str, Any], match: str) -> Response:
    """Open your share of the luck. Repeating the request gives the same answer, with or without an idempotency key.

    The match starts when the last share is opened. If you can't open yours, send `lost` to cancel it immediately.
    """
    player = require_player()
    command: Command = LoseShare(player)
    name = "lost"
    if "lost" not in body:
        command, name = OpenShare(player, body["table"], body["share"]), f"{body['table']} {body['share']}"
    done = services().matches.commands.submit(match, command, IdempotencyKey(player, f"share/2 {name}"))
    return command_response(done, None, player)
