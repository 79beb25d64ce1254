"""Notices for the players of a match: it is your turn, you are asked to agree, how the match ended.

They are folded from the log, so no separate list of recipients is stored. A notice is identified by its kind, its
player and the ply of its event. No ply is used twice, so no notice is sent twice.
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
from domain.match.luck import unopened_seats
from domain.match.proposals import seats_to_answer
from domain.match.state import AnyMatch, Notice, NoticeKind

TRANSIENT_KINDS: frozenset[NoticeKind] = frozenset({"turn", "asked", "opening"})
"""Kinds that are obsolete once the player has moved, answered or opened a share."""


def notices_after(before: AnyMatch, after: AnyMatch, event: AnyEvent) -> tuple[Notice, ...]:
    """Return the notices after an event. A seat that owes a move after its own, or after a takeback, has a new turn."""
    kept = [notice for notice in before.notices if notice.kind not in TRANSIENT_KINDS]
    told = () if isinstance(event, Moved) else lasting_notices(before, after, event)
    asked = proposal_notices(before, after, event) if after.proposals else ()
    due = opening_notices(before, after, event) if after.status == "opening" else ()
    return (*kept, *told, *turn_notices(before, after, event), *asked, *due)


def notices_after_moves(match: AnyMatch, moves: Sequence[AnyEvent], states: Sequence[Any]) -> tuple[Notice, ...]:
    """Return the notices after consecutive moves in a match without open proposals.

    `states` are the game's states before the first move and after each one. The turn notices that `notices_after`
    carries from move to move are found by searching backwards from the last move.
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
    """Return the turn notice of a seat after consecutive moves.

    The turn began with the seat's own last move, or when the seat first owed a move.
    """
    for number in range(len(moves) - 1, -1, -1):
        owed = number == 0 or seat in match.rules.to_move(states[number])
        if not owed or is_new_turn(moves[number], seat):
            return notice_from_event("turn", seat, player, moves[number])
    return find_notice(match, "turn", seat, player) or notice_from_event("turn", seat, player, moves[0])


def seated_players(match: AnyMatch) -> list[tuple[Seat, str]]:
    """Return the seats held by people, with their players."""
    return [(n, seat.player) for n, seat in enumerate(match.seats) if seat.kind == "human" and seat.player]


def turn_notices(before: AnyMatch, after: AnyMatch, event: AnyEvent) -> list[Notice]:
    """Return the notices of whose turn it is, and since when."""
    owing = seated_players(after) if after.status == "playing" else []
    to_move = after.to_move if owing else frozenset()
    found = []
    for seat, player in owing:
        if seat in to_move and after.seats[seat].acting_bot_level is None:
            known = None if is_new_turn(event, seat) else find_notice(before, "turn", seat, player)
            found.append(known or notice_from_event("turn", seat, player, event))
    return found


def is_new_turn(event: AnyEvent, seat: Seat) -> bool:
    """Return whether the event starts a new turn for a seat that owes a move after it."""
    if isinstance(event, Moved):
        return event.seat == seat
    if isinstance(event, TakenBack) and event.seat == seat:
        return True
    return rollback_ply(event) is not None and not is_free_takeback(event)


def proposal_notices(before: AnyMatch, after: AnyMatch, event: AnyEvent) -> Iterator[Notice]:
    """Return who is asked for consent, and since when. The ply is the number of the proposal."""
    for proposal in after.proposals:
        for seat in seats_to_answer(after, proposal):
            player = after.seats[seat].player
            if player:
                known = find_notice(before, "asked", seat, player, proposal.number)
                yield known or Notice("asked", seat, player, proposal.number, event.at)


def opening_notices(before: AnyMatch, after: AnyMatch, event: AnyEvent) -> Iterator[Notice]:
    """Return who has to open a share, and since when."""
    for seat in unopened_seats(after):
        player = after.seats[seat].player
        if player:
            yield find_notice(before, "opening", seat, player) or notice_from_event("opening", seat, player, event)


def lasting_notices(before: AnyMatch, after: AnyMatch, event: AnyEvent) -> Iterator[Notice]:
    """Return the notices of permanent changes. A player who ran out of time gets one even after losing the seat."""
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
    """Return the current notice of this kind for the player at the seat, or None."""
    for notice in match.notices:
        if (notice.kind, notice.seat, notice.player) == (kind, seat, player) and ply in (None, notice.ply):
            return notice
    return None


def notice_from_event(kind: NoticeKind, seat: Seat, player: str, event: AnyEvent) -> Notice:
    """Return the notice that an event causes."""
    return Notice(kind, seat, player, event.ply, event.at)
