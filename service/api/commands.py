"""Commands: everything a seat can do except move."""

from typing import Any

from flask import Response
from marshmallow import ValidationError, fields, validate, validates_schema

from domain.kernel.game import Seat
from domain.match.commands import (
    Abort,
    AnswerProposal,
    Cancel,
    ClaimLoss,
    Command,
    HandOver,
    LeaveSeat,
    OfferSeat,
    Propose,
    RemovePlayer,
    Resume,
    TakeVacation,
    WithdrawOffer,
)
from service.api.authentication import require_full_access, require_player
from service.api.blueprint import TOKEN_REQUIRED
from service.api.command_answers import Done, command_response
from service.api.command_execution import run_for_own_seat, submit_command
from service.api.command_headers import CommandHeaders
from service.api.fields import StrictBoolean
from service.api.links import MATCH_LINKS
from service.api.moves import blp
from service.api.schemas import InputSchema, SeatQuery, VariantField
from service.app_context import services
from service.bots.levels import LEVELS
from service.matches.command_handler import TO_LAST_MOVE

COMMANDS = (
    "leave", "cancel", "takeback", "pause", "resume", "extend", "agree", "decline", "vacation",
    "hand_over", "keep_seat", "remove", "abort", "claim_loss",
)  # fmt: skip


class CommandIn(InputSchema):
    """A command.

    Before the start: `leave` your seat or, if you created the match, `cancel` the match. During the match: ask for a
    `takeback`, a `pause` or more time (`extend`). All other players answer with `agree` or `decline`; if you made the
    request, `decline` withdraws it. `resume` ends a pause without asking. `vacation` takes days off, if the clock has
    them. `hand_over` gives your seat to a bot of `level`. Without `level`, it creates an invitation (under `offers` in
    the match): anyone who has it can take the seat with a POST to the seat. `keep_seat` withdraws the offer. With `of`,
    `hand_over` asks all other players to replace the player of that seat, who has run out of time, or who has not made
    a first move in time.

    Before the start, the creator can `remove` the player `of` a seat, who can't come back; with `keep`, only the
    creator can take the seat then. `abort` ends an unrated match: before your own first move, at most three times in
    seven days, or at any time if another player has not made a first move in time (see `first_move_due`). `claim_loss`
    makes the seat `of` such a player lose a rated match.
    """

    type = fields.String(required=True, validate=validate.OneOf(COMMANDS, error="Must be one of: {choices}."))
    to_ply = fields.Integer(
        strict=True,
        metadata={"description": "For `takeback`: the ply just before the move to take back. Default: your last move."},
    )
    seconds = fields.Integer(strict=True, metadata={"description": "For `extend`: 1 hour to 14 days, in seconds."})
    proposal = fields.Integer(
        strict=True, metadata={"description": "For `agree` and `decline`: the number of the proposal."}
    )
    level = fields.String(
        validate=validate.OneOf(LEVELS), metadata={"description": "For `hand_over`: the level of the bot."}
    )
    of = fields.Integer(
        strict=True,
        metadata={"description": "For `hand_over`, `remove` and `claim_loss`: the seat of the other player."},
    )
    keep = StrictBoolean(
        metadata={"description": "For `remove`: true if only you can take the seat then."},
    )
    offer = fields.Integer(strict=True, metadata={"description": "For `keep_seat`: the number of the offer."})
    days = fields.Integer(strict=True, metadata={"description": "For `vacation`: whole days of 24 hours."})

    variant_fields = (
        VariantField("to_ply", ("takeback",)),
        VariantField("seconds", ("extend",), ("extend",)),
        VariantField("proposal", ("agree", "decline"), ("agree", "decline")),
        VariantField("days", ("vacation",), ("vacation",)),
        VariantField("level", ("hand_over",)),
        VariantField("of", ("hand_over", "remove", "claim_loss"), ("remove", "claim_loss")),
        VariantField("keep", ("remove",)),
        VariantField("offer", ("keep_seat",), ("keep_seat",)),
    )

    @validates_schema
    def check_fields_fit_type(self, body: dict[str, Any], **_: Any) -> None:
        """Raise ValidationError for a field that the command does not have, or a missing one."""
        for field in self.variant_fields:
            if field.name in body and body["type"] not in field.kinds:
                raise ValidationError(f"Only the command {' or '.join(field.kinds)} takes this field.", field.name)
            if body["type"] in field.required_by and field.name not in body:
                raise ValidationError(f"The command {body['type']} requires this field.", field.name)


FULL_ACCESS_COMMANDS = {
    "vacation": "take vacation",
    "hand_over": "hand over a seat",
    "keep_seat": "withdraw the offer of a seat",
}
"""Commands that a token with scope `bot` may not send, because their effect lasts, and what they do. Commands with `of`
are allowed: they only ask the other players."""


@blp.route("/matches/<match>/commands", methods=["POST"])
@blp.arguments(CommandIn)
@blp.arguments(SeatQuery, location="query")
@blp.arguments(CommandHeaders, location="headers")
@blp.response(201, Done)
@blp.doc(operationId="sendCommand", security=TOKEN_REQUIRED, responses={201: {"links": MATCH_LINKS}})
def command(body: dict[str, Any], query: dict[str, Any], headers: dict[str, Any], match: str) -> Response:
    """Send a command: leave, cancel, abort, make and answer requests, take vacation, hand over a seat."""
    player = require_player()
    if (action := FULL_ACCESS_COMMANDS.get(body["type"])) and "of" not in body:
        require_full_access(action)
    if body["type"] == "cancel":
        return command_response(submit_command(match, Cancel(player), player, None, headers), None, player)
    if body["type"] == "remove":
        removal = RemovePlayer(player, body["of"], body.get("keep", False))
        return command_response(submit_command(match, removal, player, None, headers), None, player)
    if body["type"] == "leave":
        return leave_seat(match, player, query.get("as_"), headers)
    now = services().matches.repository.load(match)
    done, seat = run_for_own_seat(now, player, query.get("as_"), lambda seat: command_from_body(seat, body), headers)
    return command_response(done, seat, player)


def command_from_body(seat: Seat, body: dict[str, Any]) -> Command:
    """Return the command of a request during a match."""
    match body["type"]:
        case "takeback":
            return Propose(seat=seat, what="takeback", to_ply=body.get("to_ply", TO_LAST_MOVE))
        case "pause":
            return Propose(seat=seat, what="pause")
        case "extend":
            return Propose(seat=seat, what="extend", seconds=body["seconds"])
        case "resume":
            return Resume(seat)
        case "vacation":
            return TakeVacation(seat, body["days"])
        case "hand_over" if "of" in body:
            return Propose(seat=seat, what="hand_over", of=body["of"], level=body.get("level"))
        case "hand_over":
            return HandOver(seat, body["level"]) if "level" in body else OfferSeat(seat)
        case "abort":
            return Abort(seat)
        case "claim_loss":
            return ClaimLoss(seat, body["of"])
        case "keep_seat":
            return WithdrawOffer(seat, body["offer"])
        case answer_type:
            return AnswerProposal(seat, body["proposal"], answer_type == "agree")


def leave_seat(match: str, player: str, wanted: Seat | None, headers: dict[str, Any]) -> Response:
    """Leave a seat. A player who repeats the request no longer holds the seat."""
    if wanted is not None:
        return command_response(submit_command(match, LeaveSeat(wanted), player, wanted, headers), wanted, player)
    now = services().matches.repository.load(match)
    return command_response(*run_for_own_seat(now, player, None, LeaveSeat, headers), player)
