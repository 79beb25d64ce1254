"""Moves: make one, or try one with a dry run."""

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
from service.runtime.metrics import count_move

blp = ApiBlueprint("moves", "Legal moves, moves and commands.")


class MoveIn(InputSchema):
    """A move of the match's game."""

    class Meta:
        """The game checks all other fields."""

        unknown = INCLUDE

    type = fields.String(required=True)


class MoveQuery(SeatQuery):
    """The seat to move for, and whether this is a dry run."""

    dry_run = QueryFlag(
        load_default=False, metadata={"description": "1: only check whether the move is legal and what it would do."}
    )


class DryRun(Struct, frozen=True, kw_only=True):
    """A legal move, and the facts that are certain to follow, as far as the seat can know.

    `complete` is true if these are all of its facts.
    """

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
    """Make a move, or check it with `dry_run=1`.

    In a dry run, the match does not change and nothing is drawn.
    """
    player = require_player()
    if query["dry_run"]:
        return dry_run_response(match, player, query.get("as_"), body, headers.get("expected"))
    done, seat = make_move(match, player, query.get("as_"), body, headers)
    return command_response(done, seat, player)


def make_move(
    match: str, player: str, wanted: Seat | None, body: dict[str, Any], headers: dict[str, Any]
) -> tuple[CommandResult, Seat]:
    """Make a move for the requested seat or the player's only one. Return the result and the seat. Raises Problem."""
    now = match_for_seat_lookup(match, player)
    return run_for_own_seat(now, player, wanted, lambda seat: Play(seat, body), headers, counting_move(now.game))


@contextmanager
def counting_move(game: str) -> Iterator[None]:
    """Count the move made in the context as accepted or under its refusal code. Raises Problem for any error."""
    try:
        yield
    except Exception as error:
        problem = problem_from_error(error)
        count_move(game, problem.code)
        raise problem from None
    count_move(game, "accepted")


def match_for_seat_lookup(match: str, player: str) -> AnyMatch:
    """Return the match, or the cached version if the player has a seat in it.

    Seats rarely change hands after the start, and the command handler checks the seat's player again.
    """
    cached = services().matches.repository.cached(match)
    fits = cached is not None and cached.status != "open" and cached.seats_of(player)
    return cached if cached is not None and fits else services().matches.repository.load(match)


def dry_run_response(
    match: str, player: str, wanted: Seat | None, document: dict[str, Any], expected: int | None
) -> Response:
    """Return the answer to a dry run: whether the move is legal, and its certain facts. Raises Problem.

    Nothing is appended, so this must check that the player still holds the seat.
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
