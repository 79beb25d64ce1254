"""Carries out commands of a seat: repeated requests get their first answer, and refusals say how to go on."""

import secrets
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any, TypeVar

from domain.kernel.events import AnyEvent
from domain.kernel.game import Seat
from domain.kernel.refusals import IllegalMove
from domain.match.commands import Command
from domain.match.state import AnyMatch
from service.api.blueprint import PREFIX
from service.api.problems import Problem, problem_from_error
from service.api.seats import acting_seat, seat_or_spectator
from service.app_context import services
from service.event_store.errors import CommandReused
from service.matches.errors import NotYourTurn, StalePly
from service.matches.results import CommandResult, IdempotencyKey

SeatT = TypeVar("SeatT", bound=Seat | None)

MAX_MISSED_EVENTS = 100
"""How many missed events a refusal lists."""


def run_for_own_seat(
    now: AnyMatch,
    player: str,
    wanted: Seat | None,
    command_of: Callable[[Seat], Command],
    headers: dict[str, Any],
    watching: AbstractContextManager[None] | None = None,
) -> tuple[CommandResult, Seat]:
    """Carry out a command of the seat that is wanted, or of the player's only seat; returns the seat as well.

    Raises Problem.
    """
    commands = {seat: command_of(seat) for seat in possible_seats(now, wanted)}
    return run_or_repeat(now.id, player, lambda: acting_seat(now, player, wanted), commands, headers, watching)


def possible_seats(now: AnyMatch, wanted: Seat | None) -> Iterable[Seat]:
    """The seats that this request may have acted for when it was first sent: the player may have moved since."""
    return range(len(now.seats)) if wanted is None else (wanted,)


def run_or_repeat(
    match: str,
    player: str,
    choose_seat: Callable[[], SeatT],
    commands: Mapping[SeatT, Command],
    headers: dict[str, Any],
    watching: AbstractContextManager[None] | None = None,
) -> tuple[CommandResult, SeatT]:
    """Carry out the command of the chosen seat, or give the answer of the first time if the request is a repetition.

    `watching` surrounds the command, but not the choice of the seat. Raises Problem.
    """
    try:
        seat = choose_seat()
    except Problem as refusal:
        return previous_result_or_raise(refusal, match, player, commands, headers)
    with watching or nullcontext():
        try:
            return submit_command(match, commands[seat], player, seat, headers), seat
        except CommandReused as refusal:
            return previous_result_or_raise(refusal, match, player, commands, headers)


def previous_result_or_raise(
    refusal: Exception, match: str, player: str, commands: Mapping[SeatT, Command], headers: dict[str, Any]
) -> tuple[CommandResult, SeatT]:
    """The result of the first request with this key and one of these commands, and the seat that it acted for.

    A repeated request gets the answer of the first, whatever has become of the seat since. Raises the refusal for any
    other request.
    """
    key = headers.get("key")
    found = services().matches.commands.previous_result(match, commands, IdempotencyKey(player, key)) if key else None
    if found is None:
        raise refusal
    which, done = found
    return done, which


def submit_command(
    match: str, command: Command, player: str, seat: Seat | None, headers: dict[str, Any]
) -> CommandResult:
    """Carry out a command. Raises what the command handler raises, with all that a client needs to go on."""
    expected, by = headers.get("expected"), IdempotencyKey(player, headers.get("key") or secrets.token_hex(16))
    try:
        return services().matches.commands.submit(match, command, by, expected)
    except (StalePly, NotYourTurn, IllegalMove) as error:
        raise refusal_with_details(error, match, player, seat, expected) from None


def refusal_with_details(
    error: StalePly | NotYourTurn | IllegalMove, match: str, player: str, seat: Seat | None, expected: int | None
) -> Problem:
    """The problem for a refused command, with what helps to go on: the present ply, or the legal moves."""
    if isinstance(error, StalePly):
        return stale_ply_problem(services().matches.repository.load(match), player, seat, expected)
    problem = problem_from_error(error)
    if isinstance(error, NotYourTurn):
        now = services().matches.repository.load(match)
        problem.extensions |= {"ply": now.ply, "events": missed_events(now, player, seat, expected)}
    else:
        problem.extensions |= {"legal_moves_url": f"{PREFIX}/matches/{match}/legal-moves?as={seat}"}
    return problem


def stale_ply_problem(now: AnyMatch, player: str, seat: Seat | None, expected: int | None) -> Problem:
    """The refusal of a command that expected another ply: the present one, and the events missed."""
    detail = f"The match is at ply {now.ply}, you expected {expected}. Look at what you missed and decide anew."
    if expected is None:
        detail = "The match moves on faster than you; try again."
    return Problem(409, "stale_ply", detail, ply=now.ply, events=missed_events(now, player, seat, expected))


def missed_events(now: AnyMatch, player: str, seat: Seat | None, expected: int | None) -> list[AnyEvent]:
    """The first events after the expected ply, as the player may see them."""
    if expected is None:
        return []
    reader = seat_or_spectator(now, player, seat)
    return services().matches.repository.visible_events(now, reader, expected, MAX_MISSED_EVENTS)
