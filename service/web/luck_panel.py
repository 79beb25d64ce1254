"""What the match page says about the luck of a match: what each player added, and who that protects."""

from datetime import datetime
from typing import Literal

import msgspec

from domain.kernel.game import Seat
from domain.kernel.text import capital
from domain.match.clock import lobby_closing_time
from domain.match.luck import table_seats, takes_shares, unopened_seats
from domain.match.state import AnyMatch, SeatState
from service.app_context import services
from service.web.seating import SeatInfo

BEFORE_START = ("open", "opening")

PROTECTION = {
    "open": "Players show their shares as they sit down. That protects the player who sits down last, even from the "
    "server, and the others unless the last player works with the server. The server can refuse a player's "
    "request, which only that player sees.",
    "sealed": "Players seal their shares as they sit down and open them once all seats are taken. That protects every "
    "player who added a share, even from the server and all other players together. They can't choose the luck. They "
    "can only discard the match before it starts, and then the history names the seats that didn't open a share.",
    "given": "Someone chose the seed and can know all the luck in advance. This is a practice match, so it is "
    "never rated.",
    "same": "This match uses the luck of another match, whose seed is public. So anyone can know the luck in advance.",
}
"""Who the luck of a match protects, by its level."""
PROTOCOL_1 = (
    "This match uses luck protocol 1. The server committed to its seed, and anyone can check the draws afterwards. But "
    "the server knew the creator's part of the luck before it committed, and everyone could see the others' parts as "
    "they sat down. So the server could have chosen the luck, and so could the last player with the server's help."
)
SAME_LUCK_UNDER_PROTOCOL_1 = (
    "The seed of the other match is public, so the hashes of hidden choices in this match can be guessed."
)
NO_SHARE_GIVEN = (
    "You didn't add a share of the luck, so you have to trust the server. Nothing changes for the other players."
)
NOBODY_GAVE_A_SHARE = "Nobody has added a share so far. Without one, all luck comes from the server's seed."
ONLY_BOTS = "All other seats are house bots, which add no shares. So you sit down last, and an open share protects you."


class LuckSeat(msgspec.Struct, frozen=True):
    """What one seat adds to the luck. `text` is its share or seal, if it has one."""

    label: str
    status: str
    text: str | None
    is_missing: bool


class LuckPanel(msgspec.Struct, frozen=True, kw_only=True):
    """The luck of a match as the reader sees it.

    `own` and `own_unopened` are the reader's seats in the order in which seats were taken. `discards` lists how many
    earlier tables of these players were cancelled because a share wasn't opened: name and number.
    """

    protocol: int
    level: Literal["open", "sealed", "given", "same"] | None
    takes_shares: bool
    explanations: tuple[str, ...]
    seats: tuple[LuckSeat, ...]
    own: tuple[Seat, ...]
    own_sealed: tuple[Seat, ...]
    own_unopened: tuple[Seat, ...]
    deadline: datetime | None
    discards: tuple[tuple[str, int], ...] = ()


def luck_panel(match: AnyMatch, reader: str | None, table: list[SeatInfo]) -> LuckPanel:
    """Return the luck of a match as this player (None: a spectator) sees it."""
    if match.luck is None:
        return LuckPanel(
            protocol=1,
            level=None,
            takes_shares=False,
            explanations=explain_protocol_1(match),
            seats=(),
            own=(),
            own_sealed=(),
            own_unopened=(),
            deadline=None,
        )
    seats = table_seats(match)
    own = tuple(n for n, seat in enumerate(seats) if reader and reader in (seat.player, *seat.former_players))
    closed = unopened_seats(match) if match.status in BEFORE_START else ()
    return LuckPanel(
        protocol=2,
        level="same" if match.fork is not None and match.fork.luck == "same" else match.luck.level,
        takes_shares=takes_shares(match),
        explanations=explain_protocol_2(match, own),
        seats=tuple(luck_seat(match, n, seat, table) for n, seat in enumerate(seats)) if takes_shares(match) else (),
        own=own,
        own_sealed=tuple(n for n in own if seats[n].seal is not None),
        own_unopened=tuple(n for n in own if n in closed) if match.status == "opening" else (),
        deadline=lobby_closing_time(match) if match.status == "opening" else None,
        discards=discards_of(table) if match.status in BEFORE_START else (),
    )


def discards_of(table: list[SeatInfo]) -> tuple[tuple[str, int], ...]:
    """Return how many tables each player has discarded, without players who have discarded none."""
    names = {sitting.player: "You" if sitting.is_you else sitting.occupant for sitting in table if sitting.player}
    counts = services().read_models.discards.counts(names)
    return tuple((names[player], count) for player, count in counts.items() if count)


def explain_protocol_1(match: AnyMatch) -> tuple[str, ...]:
    """Return who is protected in a match with protocol 1."""
    if match.has_given_seed:
        return (PROTECTION["given"],)
    if match.fork is not None and match.fork.luck == "same":
        return (PROTOCOL_1, SAME_LUCK_UNDER_PROTOCOL_1)
    return (PROTOCOL_1,)


def explain_protocol_2(match: AnyMatch, own: tuple[Seat, ...]) -> tuple[str, ...]:
    """Return who is protected in a match with protocol 2, and what that means for the reader."""
    assert match.luck is not None
    if match.fork is not None and match.fork.luck == "same":
        return (PROTECTION["same"],)
    found = [PROTECTION[match.luck.level]]
    if not takes_shares(match):
        return tuple(found)
    seats = table_seats(match)
    contributed = [n for n, seat in enumerate(seats) if seat.seal is not None or seat.share is not None]
    if not contributed:
        found.append(NOBODY_GAVE_A_SHARE)
    if own and not set(own) & set(contributed):
        found.append(NO_SHARE_GIVEN)
    others = [seat for n, seat in enumerate(seats) if n not in own]
    if match.luck.level == "open" and set(own) & set(contributed) and all(each.kind == "bot" for each in others):
        found.append(ONLY_BOTS)
    return tuple(found)


def luck_seat(match: AnyMatch, number: Seat, seat: SeatState, table: list[SeatInfo]) -> LuckSeat:
    """Return what one seat adds to the luck."""
    now = match.seat_order.index(number) if match.seat_order else number
    closed = seat.seal is not None and seat.share is None
    if seat.kind == "open":
        status = "still open"
    elif seat.kind == "bot" and not seat.former_players:
        status = "no share: a bot"
    elif seat.share is not None:
        status = "share opened" if seat.seal is not None else "share"
    elif closed:
        status = "sealed share, not opened"
    else:
        status = "no share"
    return LuckSeat(capital(table[now].label), status, seat.share or seat.seal, closed)
