"""The decisions of house bots."""

from flask import Response
from msgspec import Struct

from domain.kernel.event_codec import read_event
from service.api.blueprint import ApiBlueprint
from service.api.problems import Problem
from service.api.responses import json_response
from service.app_context import services
from service.bots.decision_log import BotDecision, load_decisions
from service.matches.repository import pinned_game

blp = ApiBlueprint("bots", "How the house bots chose their moves.")


class BotMoves(Struct, frozen=True, kw_only=True):
    """The decisions of a match's house bots, by ply."""

    moves: list[BotDecision]


@blp.route("/matches/<match>/bots")
@blp.response(200, BotMoves)
@blp.doc(operationId="listBotMoves")
def list_bot_moves(match: str) -> Response:
    """List how the house bots chose their moves, once the match is over.

    For every move, this has the engine, its version, its budget and the seed.
    """
    if services().matches.repository.load(match).status != "over":
        raise Problem(409, "not_over", "The bots' decisions are hidden until the match is over. Try again then.")
    lines = services().matches.repository.log_lines(match)
    game = pinned_game(lines)
    found = load_decisions(services().runtime.redis, match, [read_event(line, game) for line in lines])
    return json_response(BotMoves(moves=found))
