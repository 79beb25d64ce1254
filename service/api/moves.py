"""Moves: make one, or try it."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from flask import Response
from marshmallow import INCLUDE, fields
from msgspec import Struct

from domain.kernel.game import Seat
from domain.kernel.refusals import IllegalMove
from domain.match.commands import Play
from domain.match.state import AnyMatch
from service.api.authentication import require_player
from service.api.blueprint import TOKEN_REQUIRED, ApiBlueprint
from service.api.command_answers import Done, command_response
from service.api.command_execution import refusal_with_details, run_for_own_seat, stale_ply_problem
from service.api.command_headers import CommandHeaders
from service.api.components import AnyFact
from service.api.fields import QueryFlag
from service.api.links import MATCH_LINKS
from service.api.problems import problem_from_error
from service.api.responses import json_response
from service.api.schemas import InputSchema, SeatQuery
from service.api.seats import acting_seat
from service.app_context import services
from service.matches.errors import NotYourTurn
from service.matches.results import CommandResult
from service.runtime.metrics import MOVE_COUNTER

blp = ApiBlueprint("moves", "Legal moves, moves, and commands about a match.")


class MoveIn(InputSchema):
    """A move of the match's game."""

    class Meta:
        """The rest is checked by the game."""

        unknown = INCLUDE

    type = fields.String(required=True)


class MoveQuery(SeatQuery):
    """For which seat, and whether in earnest."""

    dry_run = QueryFlag(
        load_default=False, metadata={"description": "1: only say whether it is legal and what it does."}
    )


class DryRun(Struct, frozen=True, kw_only=True):
    """A legal move, and the facts it would surely have, as far as its seat can know; `complete`: these are all."""

    legal: bool
    facts: Sequence[AnyFact]
    complete: bool


@blp.route("/matches/<match>/moves", methods=["POST"])
@blp.arguments(MoveIn)
@blp.arguments(MoveQuery, location="query")
@blp.arguments(CommandHeaders, location="headers")
@blp.response(201, Done)
@blp.alt_response(200, schema=DryRun, description="With `dry_run=1`: the move is legal.", success=True)
@blp.doc(operationId="makeMove", security=TOKEN_REQUIRED, responses={201: {"links": MATCH_LINKS}})
def move(body: dict[str, Any], query: dict[str, Any], headers: dict[str, Any], match: str) -> Response:
    """Make a move. With `dry_run=1` nothing happens and nothing is drawn."""
    player = require_player()
    if query["dry_run"]:
        return dry_run_response(match, player, query.get("as_"), body, headers.get("expected"))
    done, seat = make_move(match, player, query.get("as_"), body, headers)
    return command_response(done, seat, player)


def make_move(
    match: str, player: str, wanted: Seat | None, body: dict[str, Any], headers: dict[str, Any]
) -> tuple[CommandResult, Seat]:
    """Make a move for the seat that is wanted, or the player's only seat; returns the seat as well. Raises Problem."""
    now = match_for_seat_lookup(match, player)
    return run_for_own_seat(now, player, wanted, lambda seat: Play(seat, body), headers, counting_move(now.game))


@contextmanager
def counting_move(game: str) -> Iterator[None]:
    """Count the move made inside as accepted, or as refused with its code. Raises Problem for any error."""
    try:
        yield
    except Exception as error:
        problem = problem_from_error(error)
        MOVE_COUNTER.labels(game, problem.code).inc()
        raise problem from None
    MOVE_COUNTER.labels(game, "accepted").inc()


def match_for_seat_lookup(match: str, player: str) -> AnyMatch:
    """The match as it is, or as this process saw it last if the player had a seat then.

    Seats seldom change hands after the start, and the command handler checks who holds the seat again.
    """
    cached = services().matches.repository.cached(match)
    fits = cached is not None and cached.status != "open" and cached.seats_of(player)
    return cached if cached is not None and fits else services().matches.repository.load(match)


def dry_run_response(
    match: str, player: str, wanted: Seat | None, document: dict[str, Any], expected: int | None
) -> Response:
    """Whether a move is legal and what it would surely do, for the player who holds the seat now.

    Nothing is appended, so a player who has just left the seat must be refused here.
    """
    now = services().matches.repository.load(match)
    seat = acting_seat(now, player, wanted)
    if expected is not None and expected != now.ply:
        raise stale_ply_problem(now, player, seat, expected)
    try:
        found = services().matches.commands.dry_run(now, seat, document)
    except (NotYourTurn, IllegalMove) as error:
        raise refusal_with_details(error, match, player, seat, expected) from None
    return json_response(DryRun(legal=True, facts=found.facts, complete=found.complete))
