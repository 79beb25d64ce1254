"""Turns of house bots, for remote workers, which have no access to the log."""

import logging
from typing import Any

from flask import Response
from marshmallow import fields, validate
from msgspec import Struct

from domain.bots.search import Budget
from service.api.authentication import require_worker
from service.api.blueprint import TOKEN_REQUIRED, ApiBlueprint
from service.api.command_headers import IdempotencyHeaders, result_headers
from service.api.responses import json_response
from service.api.schemas import InputSchema
from service.app_context import services
from service.bots.house_bots import BotTurnDocument, DecisionNote
from service.event_store.errors import MatchNotFound
from service.event_store.keys import is_match_id

blp = ApiBlueprint(
    "house", "Turns of house bots, for remote workers. Only the operator can create tokens for them.", require_worker
)

logger = logging.getLogger("crumbtrail.api")

PLAY_BOT_JOB = "play_bot"
MAX_VERSION = 10**6


class HouseOut(Struct, frozen=True, kw_only=True):
    """The scope of the token."""

    scope: str


class BudgetIn(InputSchema):
    """How many iterations the bot could make. Workers of earlier versions also have a limit in `seconds`."""

    iterations = fields.Integer(required=True, strict=True, validate=validate.Range(1))
    seconds = fields.Float(allow_none=True, load_default=None)


class BotMoveIn(InputSchema):
    """The bot's move, and how the bot chose it."""

    seat = fields.Integer(required=True, strict=True, validate=validate.Range(0))
    move = fields.Dict(keys=fields.String(), required=True)
    engine = fields.String(required=True, validate=validate.Length(1, 100))
    version = fields.Integer(required=True, strict=True, validate=validate.Range(0, MAX_VERSION))
    budget = fields.Nested(BudgetIn, allow_none=True, load_default=None)
    iterations = fields.Integer(strict=True, allow_none=True, load_default=None)
    fallback = fields.Boolean(
        load_default=False,
        metadata={"description": "The move was chosen another way because the bot's strategy failed or is missing."},
    )


class BotMoved(Struct, frozen=True, kw_only=True):
    """The ply of the move."""

    ply: int


@blp.route("/house")
@blp.response(200, HouseOut)
@blp.doc(operationId="getHouse", security=TOKEN_REQUIRED)
def house() -> Response:
    """Check that the token is a worker's token."""
    require_worker()
    return json_response(HouseOut(scope="house"))


@blp.route("/house/turns/<match>/<int:ply>")
@blp.response(200, BotTurnDocument)
@blp.alt_response(204, description="No house bot has to move after this ply, or the match has moved on.", success=True)
@blp.doc(operationId="getHouseTurn", security=TOKEN_REQUIRED)
def turn(match: str, ply: int) -> Response:
    """Get the pending turn of a house bot after this ply."""
    require_worker()
    owed = services().house_bots.owed_turn(match, ply)
    return Response(status=204) if owed is None else json_response(services().house_bots.turn_document(owed))


@blp.route("/house/turns/<match>/<int:ply>", methods=["POST"])
@blp.arguments(BotMoveIn)
@blp.arguments(IdempotencyHeaders, location="headers")
@blp.response(201, BotMoved)
@blp.doc(operationId="makeHouseMove", security=TOKEN_REQUIRED)
def play(body: dict[str, Any], headers: dict[str, Any], match: str, ply: int) -> Response:
    """Make the move of a house bot after this ply.

    Repeating the request has no further effect: match, ply and seat are its idempotency key, whatever key is sent.
    """
    require_worker()
    budget = body["budget"]
    thinking = DecisionNote(
        engine=body["engine"],
        version=body["version"],
        budget=Budget(**budget) if budget else None,
        iterations=body["iterations"],
    )
    owed = services().house_bots.owed_turn(match, ply)
    if owed is not None and owed.seat == body["seat"]:
        services().house_bots.log_decision(owed, body["move"], thinking)
    done = services().house_bots.submit(match, ply, body["seat"], body["move"], is_fallback=body["fallback"])
    return json_response(BotMoved(ply=done.events[0].ply), 201, result_headers(done))


@blp.route("/house/turns/<match>/<int:ply>/failures", methods=["POST"])
@blp.response(204)
@blp.doc(operationId="reportHouseFailure", security=TOKEN_REQUIRED)
def failed(match: str, ply: int) -> Response:
    """Report that a worker could not make this move, so that it is made another way."""
    require_worker()
    if not is_match_id(match):
        raise MatchNotFound(match)
    logger.error("A remote worker failed at ply %d of match %s.", ply, match)
    services().runtime.job_failures.record_turn_failure(PLAY_BOT_JOB, match, ply)
    return Response(status=204)
