"""Executes commands for a seat. A repeated request gets the first answer. Refusals tell the client how to continue."""

import secrets
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any, TypeVar

from flask import has_request_context, request

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
"""Maximum number of missed events in a refusal."""


def run_for_own_seat(
    now: AnyMatch,
    player: str,
    wanted: Seat | None,
    command_of: Callable[[Seat], Command],
    headers: dict[str, Any],
    watching: AbstractContextManager[None] | None = None,
) -> tuple[CommandResult, Seat]:
    """Execute a command for the requested seat or the player's only seat. Return the result and the seat.

    Raises Problem.
    """
    commands = {seat: command_of(seat) for seat in possible_seats(now, wanted)}
    return run_or_repeat(now.id, player, lambda: acting_seat(now, player, wanted), commands, headers, watching)


def possible_seats(now: AnyMatch, wanted: Seat | None) -> Iterable[Seat]:
    """Return the seats that this request may have acted for when first sent; the player may have left one since."""
    return range(len(now.seats)) if wanted is None else (wanted,)


def run_or_repeat(
    match: str,
    player: str,
    choose_seat: Callable[[], SeatT],
    commands: Mapping[SeatT, Command],
    headers: dict[str, Any],
    watching: AbstractContextManager[None] | None = None,
) -> tuple[CommandResult, SeatT]:
    """Execute the command for the chosen seat, or return the first result if the request is a repetition.

    `watching` is entered around the command, but not around the choice of the seat. Raises Problem.
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
    """Return the result of the first request with this key and one of these commands, and its seat.

    A repeated request gets the first answer even if the seat has changed hands since. Raises the refusal for any other
    request.
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
    """Execute a command. Raises what the command handler raises, with details that help the client to continue."""
    expected, by = headers.get("expected"), IdempotencyKey(player, headers.get("key") or secrets.token_hex(16))
    try:
        return services().matches.commands.submit(match, command, by, expected, sender_address())
    except (StalePly, NotYourTurn, IllegalMove) as error:
        raise refusal_with_details(error, match, player, seat, expected) from None


def sender_address() -> str:
    """Return the address that the request comes from; empty on the fast path, whose moves count only per player."""
    return (request.remote_addr or "") if has_request_context() else ""


def refusal_with_details(
    error: StalePly | NotYourTurn | IllegalMove, match: str, player: str, seat: Seat | None, expected: int | None
) -> Problem:
    """Return the problem for a refused command, with the current ply and missed events, or a link to legal moves."""
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
    """Return the problem for a command that expected another ply, with the current ply and the missed events."""
    detail = (
        f"The match is at ply {now.ply}, but you expected ply {expected}. Read the missed `events`, then decide again."
    )
    if expected is None:
        detail = "Other events were appended at the same time. Try again."
    return Problem(409, "stale_ply", detail, ply=now.ply, events=missed_events(now, player, seat, expected))


def missed_events(now: AnyMatch, player: str, seat: Seat | None, expected: int | None) -> list[AnyEvent]:
    """Return the first events after the expected ply, as the player may see them."""
    if expected is None:
        return []
    reader = seat_or_spectator(now, player, seat)
    return services().matches.repository.visible_events(now, reader, expected, MAX_MISSED_EVENTS)
