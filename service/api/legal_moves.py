"""The legal moves of a seat."""

from itertools import islice
from typing import Annotated, Any

from flask import Response
from msgspec import Meta, Struct

from domain.kernel.game import MoveGrammar, Seat
from service.api.authentication import require_player
from service.api.blueprint import TOKEN_REQUIRED
from service.api.components import AnyMove
from service.api.fields import QueryInteger
from service.api.moves import blp
from service.api.responses import etag_header, json_response
from service.api.schemas import SeatQuery
from service.api.seats import acting_seat
from service.app_context import services
from service.matches.lost_positions import errors_as_lost_position

MAX_LISTED_MOVES = 10_000

DEFAULT_LISTED_MOVES, DEFAULT_LISTED_WITH_GRAMMAR = 1000, 200
"""Default limits of the list: the lower one for games with a grammar."""


class LegalMovesQuery(SeatQuery):
    """How many legal moves to list."""

    limit = QueryInteger(
        least=1,
        most=MAX_LISTED_MOVES,
        metadata={
            "description": f"Maximum number of moves. Default: {DEFAULT_LISTED_MOVES}, or "
            f"{DEFAULT_LISTED_WITH_GRAMMAR} if the game has a `grammar`."
        },
    )


class LegalMoves(Struct, frozen=True, kw_only=True):
    """The legal moves of a seat, without `resign`. `more` is true if there are more than the limit.

    In games with very many moves, `grammar` describes how each type of move is built at this ply.
    """

    ply: int
    seat: Seat
    moves: list[AnyMove]
    more: bool
    grammar: Annotated[tuple[MoveGrammar, ...], Meta(description="Empty for games with few enough moves to list.")]


@blp.route("/matches/<match>/legal-moves")
@blp.arguments(LegalMovesQuery, location="query")
@blp.response(200, LegalMoves)
@blp.doc(operationId="listLegalMoves", security=TOKEN_REQUIRED)
def legal_moves(query: dict[str, Any], match: str) -> Response:
    """List the legal moves of your seat, in a fixed order. The list is empty if it is not your turn."""
    player = require_player()
    now = services().matches.repository.load(match)
    seat = acting_seat(now, player, query.get("as_"))
    game, due = now.rules, seat in now.to_move
    limit = query.get("limit", DEFAULT_LISTED_WITH_GRAMMAR if game.grammar else DEFAULT_LISTED_MOVES)
    with errors_as_lost_position(now):
        moves = list(islice(game.legal_moves(now.state, seat), limit + 1)) if due else []
        grammar = game.grammar(game.view(now.state, seat), seat) if game.grammar and due else ()
    listed = LegalMoves(ply=now.ply, seat=seat, moves=moves[:limit], more=len(moves) > limit, grammar=grammar)
    return json_response(listed, headers=etag_header(now.ply))
