"""The house's bots: turns for workers that have no log beside them."""

import logging
from typing import Any

from flask import Response
from marshmallow import fields, validate

from service.api.matches import IdempotencyHeaders, result_headers
from service.api.request_context import TOKEN_REQUIRED, ApiBlueprint, json_response, require_worker, services
from service.api.schemas import Fact, InputSchema, OutputSchema, View
from service.bots.decision_log import Budget
from service.bots.house_bots import DecisionNote
from service.event_store.keys import is_match_id
from service.event_store.log import MatchNotFound

blp = ApiBlueprint(
    "house", "Turns of the house's bots, for workers elsewhere. Tokens are the operator's to give.", require_worker
)

logger = logging.getLogger("crumbtrail.api")

PLAY_BOT_JOB = "play_bot"
MAX_VERSION = 10**6


class HouseOut(OutputSchema):
    """Whom this token makes of its holder."""

    scope = fields.String()


class TurnOut(OutputSchema):
    """A turn that a house bot owes, with all that its seat may know, and the seed of the bot's luck."""

    match = fields.String()
    ply = fields.Integer()
    game = fields.String()
    rules_version = fields.Integer()
    seat = fields.Integer()
    level = fields.String()
    seed = fields.String(metadata={"description": "All of the bot's luck at this ply: the same for every worker."})
    failures = fields.Integer(metadata={"description": "How often this turn has gone wrong already."})
    view = fields.Nested(View)
    facts = fields.List(fields.Nested(Fact), metadata={"description": "All that count, as the seat was told them."})


class BudgetIn(InputSchema):
    """How long the bot might think."""

    iterations = fields.Integer(required=True, strict=True, validate=validate.Range(1))
    seconds = fields.Float(required=True)


class BotMoveIn(InputSchema):
    """The bot's move, and how it came to it."""

    seat = fields.Integer(required=True, strict=True, validate=validate.Range(0))
    move = fields.Dict(keys=fields.String(), required=True)
    engine = fields.String(required=True, validate=validate.Length(1, 100))
    version = fields.Integer(required=True, strict=True, validate=validate.Range(0, MAX_VERSION))
    budget = fields.Nested(BudgetIn, allow_none=True, load_default=None)
    iterations = fields.Integer(strict=True, allow_none=True, load_default=None)


class BotMoved(OutputSchema):
    """The ply of the move."""

    ply = fields.Integer()


@blp.route("/house")
@blp.response(200, HouseOut)
@blp.doc(operationId="getHouse", security=TOKEN_REQUIRED)
def house() -> Response:
    """Whether this token is a worker's."""
    require_worker()
    return json_response({"scope": "house"})


@blp.route("/house/turns/<match>/<int:ply>")
@blp.response(200, TurnOut)
@blp.alt_response(204, description="The match has gone on, or nobody of the house owes a move there.", success=True)
@blp.doc(operationId="getHouseTurn", security=TOKEN_REQUIRED)
def turn(match: str, ply: int) -> Response:
    """The turn that a house bot owes behind this ply."""
    require_worker()
    owed = services().house_bots.owed_turn(match, ply)
    return Response(status=204) if owed is None else json_response(services().house_bots.turn_document(owed))


@blp.route("/house/turns/<match>/<int:ply>", methods=["POST"])
@blp.arguments(BotMoveIn)
@blp.arguments(IdempotencyHeaders, location="headers")
@blp.response(201, BotMoved)
@blp.doc(operationId="makeHouseMove", security=TOKEN_REQUIRED)
def play(body: dict[str, Any], headers: dict[str, Any], match: str, ply: int) -> Response:
    """Make the move of a house bot behind this ply, once: match, ply and seat are its key, whatever is sent as one."""
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
    done = services().house_bots.submit(match, ply, body["seat"], body["move"])
    return json_response({"ply": done.events[0].ply}, 201, result_headers(done))


@blp.route("/house/turns/<match>/<int:ply>/failures", methods=["POST"])
@blp.response(204)
@blp.doc(operationId="reportHouseFailure", security=TOKEN_REQUIRED)
def failed(match: str, ply: int) -> Response:
    """Report that a worker could not make this move: it will be tried in another way."""
    require_worker()
    if not is_match_id(match):
        raise MatchNotFound(match)
    logger.error("A worker elsewhere failed at ply %d of match %s.", ply, match)
    services().job_failures.record_turn_failure(PLAY_BOT_JOB, match, ply)
    return Response(status=204)
