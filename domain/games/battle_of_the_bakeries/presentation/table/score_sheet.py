"""The score sheet, round by round: every cake and bonus with the ply it comes from.

It is built from the facts that the reader can see. Money is public, so every reader gets the same sheet.
"""

from collections.abc import Iterable

import msgspec

from domain.games.battle_of_the_bakeries.rules.components import CAKE_CARDS, FACTORS
from domain.games.battle_of_the_bakeries.rules.facts import (
    BonusTaken,
    CakeSold,
    CatchUpTried,
    ChefHired,
    Fact,
    HiringClosed,
    PositionSet,
    RoundBegan,
    RoundScored,
    SaleClosed,
    SeatResigned,
)
from domain.games.battle_of_the_bakeries.rules.parts import SEATS, Pair, opponent_of
from domain.games.battle_of_the_bakeries.rules.scoring import current_price
from domain.kernel.events import AnyEvent


class SheetEntry(msgspec.Struct, frozen=True):
    """An amount in dollars, a description of its source, and its ply."""

    words: str
    amount: int
    ply: int


class SheetSale(msgspec.Struct, frozen=True):
    """A cake sold: `amount` is chef x factor x price, where the price is already reduced by stale cards."""

    slot: int
    cake: str
    stale: int
    chef: int
    factor: int
    price: int
    amount: int
    ply: int


class SheetColumn(msgspec.Struct):
    """One bakery's part of a round. `percent`, `kept` and `great_chef` are None until the round is scored."""

    chef: int = 1
    fives: list[SheetEntry] = []
    brought: SheetEntry | None = None
    """The initial tab of a match that started from a custom position."""
    sales: list[SheetSale] = []
    tab: int = 0
    tries: list[SheetEntry] = []
    """The amount that the bakery would keep after each try of the catch-up round."""
    percent: int | None = None
    kept: SheetEntry | None = None
    great_chef: SheetEntry | None = None
    lost: bool = False
    """Whether the tab was never scored because a player resigned."""

    @property
    def total(self) -> int:
        """The money earned in the round so far, without the open tab."""
        closing = (entry.amount for entry in (self.kept, self.great_chef) if entry)
        return sum(five.amount for five in self.fives) + sum(closing)


class SheetRound(msgspec.Struct):
    """A round on the sheet. `winner` sold seven cakes first; `scores` are the totals after the round."""

    number: int
    columns: Pair[SheetColumn]
    winner: int | None = None
    closed: bool = False
    """Whether the sale is over."""
    scores: Pair[int] | None = None

    @property
    def rows(self) -> range:
        """The row numbers, one for each sale of the bakery with more sales."""
        return range(max(len(column.sales) for column in self.columns))

    @property
    def has_tab(self) -> bool:
        """Whether a tab holds money."""
        return any(column.tab for column in self.columns)

    @property
    def caught_up(self) -> bool:
        """Whether there was a catch-up round."""
        return any(column.tries for column in self.columns)


class ScoreSheetTable(msgspec.Struct):
    """The whole sheet. `start` holds the initial scores of a match from a custom position."""

    rounds: list[SheetRound]
    start: Pair[int] = (0, 0)

    @property
    def totals(self) -> Pair[int]:
        """The match scores according to the sheet."""
        first, second = (self.start[seat] + sum(r.columns[seat].total for r in self.rounds) for seat in SEATS)
        return first, second


def build_sheet(events: Iterable[AnyEvent]) -> ScoreSheetTable:
    """Return the score sheet for the events of a match."""
    sheet = ScoreSheetTable([])
    for event in events:
        for fact in event.facts:
            enter_fact(sheet, fact, event.ply)
    return sheet


def enter_fact(sheet: ScoreSheetTable, fact: Fact, ply: int) -> None:
    """Enter one fact into the sheet. Most facts change nothing."""
    match fact:
        case RoundBegan(number):
            sheet.rounds.append(SheetRound(number, (SheetColumn(), SheetColumn())))
        case PositionSet():
            start_from_position(sheet, fact, ply)
        case ChefHired(seat, multiplier):
            sheet.rounds[-1].columns[seat].chef = multiplier
        case HiringClosed(_, multipliers, _):
            for column, chef in zip(sheet.rounds[-1].columns, multipliers, strict=True):
                column.chef = chef
        case BonusTaken(seat, amount):
            column = sheet.rounds[-1].columns[seat]
            column.fives.append(SheetEntry("A five", amount, ply))
        case CakeSold():
            enter_sale(sheet.rounds[-1].columns[fact.seat], fact, ply)
        case SaleClosed(seat, _):
            sheet.rounds[-1].winner, sheet.rounds[-1].closed = seat, True
        case CatchUpTried(seat, number, _, total, hit, percent):
            column = sheet.rounds[-1].columns[seat]
            words = f"needed {number}, rolled {total}: {'hit' if hit else 'miss'}, {percent}%"
            column.tries.append(SheetEntry(words, column.tab * percent // 100, ply))
        case RoundScored():
            close_round(sheet.rounds[-1], fact, ply)
        case SeatResigned():
            for column in sheet.rounds[-1].columns:
                column.lost = column.tab > 0 and column.kept is None


def start_from_position(sheet: ScoreSheetTable, fact: PositionSet, ply: int) -> None:
    """Enter the custom position that a match starts from."""
    columns = (SheetColumn(chef=fact.multipliers[0]), SheetColumn(chef=fact.multipliers[1]))
    sheet.start = fact.scores
    catching_up = fact.phase == "catch_up"
    winner = opponent_of(fact.actor) if catching_up else None  # U1: the loser of the sale plays the catch-up round
    sheet.rounds.append(SheetRound(fact.round, columns, winner, closed=catching_up))
    if fact.phase not in ("sale", "catch_up") or fact.tabs is None:
        return
    for column, tab in zip(columns, fact.tabs, strict=True):
        column.tab = tab
        column.brought = SheetEntry("Tab at the start", tab, ply) if tab else None


def enter_sale(column: SheetColumn, fact: CakeSold, ply: int) -> None:
    """Add a sold cake to the tab."""
    factor, price = FACTORS[fact.slot], current_price(fact.cake, fact.stale)
    chef = fact.amount // (factor * price)
    name = CAKE_CARDS[fact.cake].name
    column.sales.append(SheetSale(fact.slot, name, fact.stale, chef, factor, price, fact.amount, ply))
    column.tab = fact.tab


def close_round(played: SheetRound, fact: RoundScored, ply: int) -> None:
    """Enter the end of a round: what is kept of the tabs, and the Great Chef Bonus."""
    played.scores = fact.scores
    for seat, column in enumerate(played.columns):
        column.percent = fact.percents[seat]
        column.kept = SheetEntry(f"{fact.percents[seat]}% of the tab", fact.kept[seat], ply)
        if fact.great_chef[seat]:
            column.great_chef = SheetEntry("Great Chef Bonus", fact.great_chef[seat], ply)
