"""What the people at a table have to be told: that it is their turn, that they are asked, how it ended.

Folded from the log like all the rest, so that nobody has to remember whom to tell. A notice is known by its kind, its
player and the ply of the event that brought it; that ply never comes again, and so no notice does.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

from domain.kernel.events import (
    AnyEvent,
    Audited,
    Cancelled,
    Ended,
    Expired,
    Moved,
    Resolved,
    TakenBack,
    returns_to,
    taken_back_freely,
)
from domain.kernel.game import Seat
from domain.kernel.values import Value
from domain.match.proposals import missing

if TYPE_CHECKING:
    from domain.match.match import AnyMatch

Kind = Literal["turn", "asked", "expired", "over", "verdict", "ruling"]
PASSING: frozenset[Kind] = frozenset({"turn", "asked"})
"""Kinds that nobody needs to be told of once what they wait for is done."""


class Notice(Value, frozen=True):
    """The player at this seat is to be told; `ply` and `at` are those of the event that brought it."""

    kind: Kind
    seat: Seat
    player: str
    ply: int
    at: datetime


def noticed(before: "AnyMatch", after: "AnyMatch", event: AnyEvent) -> tuple[Notice, ...]:
    """The notices behind an event. One who owes a move after the own one, or after going back, owes a new turn."""
    kept = [notice for notice in before.notices if notice.kind not in PASSING]
    told = () if isinstance(event, Moved) else news(before, after, event)
    asked = questions(before, after, event) if after.proposals else ()
    return (*kept, *told, *turns(before, after, event), *asked)


def noticed_in_row(match: "AnyMatch", moves: Sequence[AnyEvent], states: Sequence[Any]) -> tuple[Notice, ...]:
    """The notices behind a row of moves, in a match with no open question whose game stood so before and behind each.

    What `noticed` carries on from move to move is looked for from the last one backwards, as far as it goes.
    """
    kept = [notice for notice in match.notices if notice.kind not in PASSING]
    owing = match.rules.to_move(states[-1])
    return (*kept, *(turn_in_row(match, moves, states, *each) for each in people(match) if each[0] in owing))


def turn_in_row(match: "AnyMatch", moves: Sequence[AnyEvent], states: Sequence[Any], seat: Seat, player: str) -> Notice:
    """The turn that a seat has behind a row of moves: from its own last move on, or since it owes one."""
    for number in range(len(moves) - 1, -1, -1):
        owed = number == 0 or seat in match.rules.to_move(states[number])
        if not owed or is_new_turn(moves[number], seat):
            return brought("turn", seat, player, moves[number])
    return standing(match, "turn", seat, player) or brought("turn", seat, player, moves[0])


def people(match: "AnyMatch") -> list[tuple[Seat, str]]:
    """The seats that persons hold."""
    return [(n, seat.player) for n, seat in enumerate(match.seats) if seat.kind == "human" and seat.player]


def turns(before: "AnyMatch", after: "AnyMatch", event: AnyEvent) -> list[Notice]:
    """Whose turn it is, and since when."""
    owing = people(after) if after.status == "playing" else []
    to_move = after.to_move if owing else frozenset()
    found = []
    for seat, player in owing:
        if seat in to_move and after.seats[seat].plays is None:
            known = None if is_new_turn(event, seat) else standing(before, "turn", seat, player)
            found.append(known or brought("turn", seat, player, event))
    return found


def is_new_turn(event: AnyEvent, seat: Seat) -> bool:
    """Whether a turn that the seat has behind the event is another one than before."""
    if isinstance(event, Moved):
        return event.seat == seat
    if isinstance(event, TakenBack) and event.seat == seat:
        return True
    return returns_to(event) is not None and not taken_back_freely(event)


def questions(before: "AnyMatch", after: "AnyMatch", event: AnyEvent) -> Iterator[Notice]:
    """Who is asked for consent, and since when; the ply is the number of the proposal."""
    for proposal in after.proposals:
        for seat in missing(after, proposal):
            player = after.seats[seat].player
            if player:
                known = standing(before, "asked", seat, player, proposal.number)
                yield known or Notice("asked", seat, player, proposal.number, event.at)


def news(before: "AnyMatch", after: "AnyMatch", event: AnyEvent) -> Iterator[Notice]:
    """What has happened for good. Whose time was up hears of it even if somebody else has the seat by now."""
    match event:
        case Ended() | Cancelled():
            yield from (brought("over", seat, player, event) for seat, player in people(after))
        case Audited():
            yield from (brought("verdict", seat, player, event) for seat, player in people(after))
        case Resolved():
            yield from (brought("ruling", seat, player, event) for seat, player in people(after))
        case Expired() if event.consequence != "resigns":
            player = before.seats[event.seat].player
            if player:
                yield brought("expired", event.seat, player, event)


def standing(match: "AnyMatch", kind: Kind, seat: Seat, player: str, ply: int | None = None) -> Notice | None:
    """The notice of this kind that stands for the player at the seat."""
    for notice in match.notices:
        if (notice.kind, notice.seat, notice.player) == (kind, seat, player) and ply in (None, notice.ply):
            return notice
    return None


def brought(kind: Kind, seat: Seat, player: str, event: AnyEvent) -> Notice:
    """The notice that an event brings."""
    return Notice(kind, seat, player, event.ply, event.at)
