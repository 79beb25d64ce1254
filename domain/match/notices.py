"""What the people at a table have to be told: that it is their turn, that they are asked, how it ended.

Folded from the log like all the rest, so that nobody has to remember whom to tell. A notice is known by its kind, its
player and the ply of the event that brought it; that ply never comes again, and so no notice does.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from domain.kernel.events import (
    AnyEvent,
    Audited,
    Cancelled,
    Ended,
    Expired,
    Moved,
    Resolved,
    TakenBack,
    is_free_takeback,
    rollback_ply,
)
from domain.kernel.game import Seat
from domain.match.proposals import seats_to_answer
from domain.match.state import AnyMatch, Notice, NoticeKind

TRANSIENT_KINDS: frozenset[NoticeKind] = frozenset({"turn", "asked"})
"""Kinds that nobody needs to be told of once what they wait for is done."""


def notices_after(before: AnyMatch, after: AnyMatch, event: AnyEvent) -> tuple[Notice, ...]:
    """The notices behind an event. One who owes a move after the own one, or after going back, owes a new turn."""
    kept = [notice for notice in before.notices if notice.kind not in TRANSIENT_KINDS]
    told = () if isinstance(event, Moved) else lasting_notices(before, after, event)
    asked = proposal_notices(before, after, event) if after.proposals else ()
    return (*kept, *told, *turn_notices(before, after, event), *asked)


def notices_after_moves(match: AnyMatch, moves: Sequence[AnyEvent], states: Sequence[Any]) -> tuple[Notice, ...]:
    """The notices behind a row of moves, in a match with no open question whose game stood so before and behind each.

    What `notices_after` carries on from move to move is looked for from the last one backwards, as far as it goes.
    """
    kept = [notice for notice in match.notices if notice.kind not in TRANSIENT_KINDS]
    owing = match.rules.to_move(states[-1])
    return (
        *kept,
        *(turn_notice_after_moves(match, moves, states, *each) for each in seated_players(match) if each[0] in owing),
    )


def turn_notice_after_moves(
    match: AnyMatch, moves: Sequence[AnyEvent], states: Sequence[Any], seat: Seat, player: str
) -> Notice:
    """The turn that a seat has behind a row of moves: from its own last move on, or since it owes one."""
    for number in range(len(moves) - 1, -1, -1):
        owed = number == 0 or seat in match.rules.to_move(states[number])
        if not owed or is_new_turn(moves[number], seat):
            return notice_from_event("turn", seat, player, moves[number])
    return find_notice(match, "turn", seat, player) or notice_from_event("turn", seat, player, moves[0])


def seated_players(match: AnyMatch) -> list[tuple[Seat, str]]:
    """The seats that persons hold."""
    return [(n, seat.player) for n, seat in enumerate(match.seats) if seat.kind == "human" and seat.player]


def turn_notices(before: AnyMatch, after: AnyMatch, event: AnyEvent) -> list[Notice]:
    """Whose turn it is, and since when."""
    owing = seated_players(after) if after.status == "playing" else []
    to_move = after.to_move if owing else frozenset()
    found = []
    for seat, player in owing:
        if seat in to_move and after.seats[seat].acting_bot_level is None:
            known = None if is_new_turn(event, seat) else find_notice(before, "turn", seat, player)
            found.append(known or notice_from_event("turn", seat, player, event))
    return found


def is_new_turn(event: AnyEvent, seat: Seat) -> bool:
    """Whether a turn that the seat has behind the event is another one than before."""
    if isinstance(event, Moved):
        return event.seat == seat
    if isinstance(event, TakenBack) and event.seat == seat:
        return True
    return rollback_ply(event) is not None and not is_free_takeback(event)


def proposal_notices(before: AnyMatch, after: AnyMatch, event: AnyEvent) -> Iterator[Notice]:
    """Who is asked for consent, and since when; the ply is the number of the proposal."""
    for proposal in after.proposals:
        for seat in seats_to_answer(after, proposal):
            player = after.seats[seat].player
            if player:
                known = find_notice(before, "asked", seat, player, proposal.number)
                yield known or Notice("asked", seat, player, proposal.number, event.at)


def lasting_notices(before: AnyMatch, after: AnyMatch, event: AnyEvent) -> Iterator[Notice]:
    """What has happened for good. Whose time was up hears of it even if somebody else has the seat by now."""
    match event:
        case Ended() | Cancelled():
            yield from (notice_from_event("over", seat, player, event) for seat, player in seated_players(after))
        case Audited():
            yield from (notice_from_event("verdict", seat, player, event) for seat, player in seated_players(after))
        case Resolved():
            yield from (notice_from_event("ruling", seat, player, event) for seat, player in seated_players(after))
        case Expired() if event.consequence != "resigns":
            player = before.seats[event.seat].player
            if player:
                yield notice_from_event("expired", event.seat, player, event)


def find_notice(match: AnyMatch, kind: NoticeKind, seat: Seat, player: str, ply: int | None = None) -> Notice | None:
    """The notice of this kind that stands for the player at the seat."""
    for notice in match.notices:
        if (notice.kind, notice.seat, notice.player) == (kind, seat, player) and ply in (None, notice.ply):
            return notice
    return None


def notice_from_event(kind: NoticeKind, seat: Seat, player: str, event: AnyEvent) -> Notice:
    """The notice that an event brings."""
    return Notice(kind, seat, player, event.ply, event.at)
