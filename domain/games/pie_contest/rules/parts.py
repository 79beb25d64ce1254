"""Names, constants and small values used in moves, facts and states."""

from collections.abc import Iterable
from typing import Annotated, Literal, get_args

import msgspec
from msgspec import UNSET, Meta, UnsetType

from domain.games.pie_contest.rules.card_language import Arg
from domain.games.pie_contest.rules.components import LAST_CARD
from domain.kernel.game import Seat
from domain.kernel.values import Value

START_HAND = 5  # S5
ROW_SIZE = 3  # S6
HAND_LIMIT = 7  # T7
STALE_LOSS = 4  # B4
MIN_TO_BAKE = 3  # B1
MAX_GRANTED = 5  # R12
GRAND_BONUS = 3  # H5
PIES_TO_END = 3  # V1
GRAND_PIES_TO_END = 4  # V2
GRAND_PIES_COUNTED = 3  # 8.2
MAX_SEATS = 8  # R51
Card = Annotated[int, Meta(ge=1, le=LAST_CARD)]
"""The id of a card."""
Cards = tuple[int, ...]
Variant = Literal["standard", "grand"]
Stage = Literal["open", "acted"]
Phase = Literal["main", "choice", "trim", "over"]
Reason = Literal["all_baked", "third_pie", "all_have_four", "last_seat", "closing_time"]
Zone = Literal["hand", "pile"]
Kind = Literal[
    "swap", "steal_ing", "trash_ing", "salvage", "stock", "take_back", "search_keep", "trash_hand", "pass_hand",
    "steal_card", "give_ing", "pie", "may_bake", "order_effect", "order_achievement",
]  # fmt: skip
Why = Literal["no_target", "kitchen_full", "not_your_turn", "limit", "pantry_empty"]
DeedKind = Literal["play", "dive", "swap", "steal", "raid", "bake"]
SeatKey = Literal["0", "1", "2", "3", "4", "5", "6", "7"]
SEAT_KEYS: tuple[SeatKey, ...] = get_args(SeatKey)


def known_card(card: int | UnsetType) -> Cards:
    """Return the card in a tuple, or an empty tuple if it is hidden from the reader."""
    return () if isinstance(card, UnsetType) else (card,)


def visible_cards(cards: Cards | UnsetType) -> Cards:
    """Return the cards, or an empty tuple if they are hidden from the reader."""
    return () if isinstance(cards, UnsetType) else cards


def by_seat(things: Iterable[Cards]) -> dict[SeatKey, Cards]:
    """Return the cards of each seat, keyed by seat number as in JSON."""
    return dict(zip(SEAT_KEYS, things, strict=False))


BAKERS = ("Ana", "Ben", "Cleo", "Dora", "Emil", "Fay", "Gus", "Hana")
"""The names of the seats."""


class Step(Value, frozen=True):
    """A queued effect: the seat it belongs to, its op with arguments, and the card that caused it (4.6)."""

    seat: Seat
    op: str
    args: tuple[Arg, ...]
    src: int


class PieChange(Value, frozen=True):
    """The value of a Pie before and after a change."""

    seat: Seat
    pie: int
    from_: int = msgspec.field(name="from")
    to: int


class HandMove(Value, frozen=True, kw_only=True):
    """A card passed in Potluck. Only giver and receiver see `card`, unless it goes to the pile."""

    from_: Seat = msgspec.field(name="from")
    to: Seat
    card: int | UnsetType = UNSET
    zone: Zone


class SeatScore(Value, frozen=True):
    """The score of a seat (null without a Pie) and the numbers of the Pies that count."""

    seat: Seat
    score: int | None
    counted: tuple[int, ...]
