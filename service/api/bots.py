"""How bots came to their moves."""

from flask import Response
from marshmallow import fields

from domain.kernel.event_codec import read_event
from service.api.problems import Problem
from service.api.request_context import ApiBlueprint, json_response, services
from service.api.schemas import OutputSchema
from service.bots.decision_log import load_decisions
from service.matches.command_handler import pinned_game

blp = ApiBlueprint("bots", "How the house bots came to their moves.")


class BotBudget(OutputSchema):
    """How long a bot may think."""

    iterations = fields.Integer()
    seconds = fields.Float(metadata={"description": "After which it stops in any case."})


class BotMove(OutputSchema):
    """What is needed to run a bot's choice again."""

    ply = fields.Integer()
    seat = fields.Integer()
    level = fields.String()
    engine = fields.String()
    version = fields.Integer()
    budget = fields.Nested(BotBudget, allow_none=True)
    iterations = fields.Integer(allow_none=True, metadata={"description": "What it made of its budget."})
    seed = fields.String(metadata={"description": "All of the bot's luck at this ply."})


class BotMoves(OutputSchema):
    """The moves of a match's bots, by ply."""

    moves = fields.List(fields.Nested(BotMove))


@blp.route("/matches/<match>/bots")
@blp.response(200, BotMoves)
@blp.doc(operationId="listBotMoves")
def list_bot_moves(match: str) -> Response:
    """Engine, version, budget and seed of every move of a house bot, when the match is over."""
    if services().matches.load(match).status != "over":
        raise Problem(409, "not_over", "How the bots think is told when the match is over.")
    lines = services().matches.log_lines(match)
    game = pinned_game(lines)
    found = load_decisions(services().redis, match, [read_event(line, game) for line in lines])
    return json_response({"moves": found})
