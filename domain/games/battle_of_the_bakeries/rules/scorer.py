"""The independent scorer (rules, section 8), which ignores every amount computed by the engine.

It uses only actions and draws: cards claimed, cakes and stale cards placed, dice, money taken, stops and resignations.
From these it recomputes sales, the end of each sale, catch-up rounds and what each seat keeps.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from domain.games.battle_of_the_bakeries.rules.facts import (
    BonusTaken,
    CakePlaced,
    CatchUpStopped,
    CatchUpTried,
    ChefHired,
    DiceRolled,
    DieRolled,
    Fact,
    HiringClosed,
    PositionSet,
    RoundBegan,
    SeatResigned,
    StalePlaced,
)
from domain.games.battle_of_the_bakeries.rules.parts import SlotKey
from domain.kernel.game import ScoreLine, ScoreSheet

T = TypeVar("T")

PRICES = {
    "wedding_cake": 500, "birthday_cake": 500,
    "boston_cream_pie": 350, "mississippi_mud_cake": 350,
    "pineapple_upside_down_cake": 200, "black_forest_cake": 200,
    "cinnamon_coffee_cake": 125, "german_chocolate_cake": 125,
    "sheet_cake": 75, "bundt_cake": 75,
    "lemon_cake": 50,
}  # fmt: skip
FACTORS = {7: 1, 6: 2, 8: 2, 5: 3, 9: 3, 4: 5, 10: 5, 3: 8, 11: 8, 2: 13, 12: 13}
MAX_ROLLS = 400


@dataclass
class BakeryTally:
    """One seat's bakery in the current round."""

    chef: int = 1
    cakes: dict[int, str] = field(default_factory=dict)
    stale: dict[int, int] = field(default_factory=dict)
    sold: list[int] = field(default_factory=list)
    tab: int = 0


class ScoreCounter:
    """Scores one match, fact by fact."""

    def __init__(self) -> None:
        self.lines: list[ScoreLine] = []
        self.won = [0, 0]
        self.resigned: int | None = None
        self.number = 0
        self.new_round(0)

    def new_round(self, number: int) -> None:
        """Reset everything except the score lines and rounds won (S8)."""
        self.round = number
        self.bakeries = (BakeryTally(), BakeryTally())
        self.fives = 0
        self.rolls = 0
        self.hits = 0
        self.percent = 40
        self.running = False
        self.deeds: list[int] = []

    def add_line(self, seat: int, rule: str, item: str, points: int, *facts: int) -> None:
        """Add a line to the sheet."""
        self.lines.append(ScoreLine(seat, rule, item, points, facts or (self.number,)))

    def read_fact(self, fact: Fact) -> None:
        """Process one fact, ignoring the amounts in it."""
        match fact:
            case PositionSet():
                self.start_from_position(fact)
            case RoundBegan(number):
                self.new_round(number)
            case SeatResigned(seat):
                self.resign(seat)
            case DiceRolled(seat, dice, _):
                self.roll(seat, dice[0] + dice[1])
            case CatchUpTried(seat, number, dice, _, _, _):
                self.read_catch_up(seat, dice[0] + dice[1] == number)
            case CatchUpStopped(seat):
                self.close_round(1 - seat, self.percent)
            case _:
                self.read_preparation(fact)

    def read_preparation(self, fact: Fact) -> None:
        """Process money for a 5, chefs, cakes and stale cards."""
        match fact:
            case DieRolled(_, 5, _):
                self.fives += 1
            case BonusTaken(seat, _):
                self.add_line(seat, "H3", f"round {self.round}: money for a 5", 250 + 250 * self.fives)
            case ChefHired(seat, _, _, cards):
                self.bakeries[seat].chef = chef_among(cards)
            case HiringClosed(_, _, None):
                for bakery in self.bakeries:  # T2
                    bakery.chef = 1
            case CakePlaced(_, case, slot, cake):
                self.bakeries[case].cakes[slot] = cake
                self.running = True
            case StalePlaced(_, case, slot, _, _):
                stale = self.bakeries[case].stale
                stale[slot] = stale.get(slot, 0) + 1
            case _:
                return

    def roll(self, seat: int, total: int) -> None:
        """Process a roll: a new number sells its cake; the seventh sale or 400th roll ends the sale (M2, M6, T3)."""
        self.rolls += 1
        self.deeds.append(self.number)
        mine, theirs = self.bakeries[seat], self.bakeries[1 - seat]
        if total not in mine.sold and total in mine.cakes:
            self.sell(seat, total)
            if len(mine.sold) == 7:
                self.won[seat] += 1
                if mine.chef < theirs.chef + 3:  # otherwise the catch-up round decides (U1)
                    self.close_round(seat, 40)
                return
        if self.rolls >= MAX_ROLLS:
            self.close_round(None, 40)

    def sell(self, seat: int, slot: int) -> None:
        """Add a sale of chef x slot x price, minus a fifth of the price for each stale card (M2, M4)."""
        mine = self.bakeries[seat]
        cake, stale = mine.cakes[slot], mine.stale.get(slot, 0)
        fifth = PRICES[cake] // 5
        money = mine.chef * FACTORS[slot] * fifth * (5 - stale)
        mine.sold.append(slot)
        mine.tab += money
        suffix = f", {stale} stale" if stale else ""
        self.add_line(seat, "M4" if stale else "M2", f"round {self.round}: {cake} in slot {slot}{suffix}", money)

    def read_catch_up(self, seat: int, hit: bool) -> None:
        """Process a catch-up try: 60 per cent after one hit, 80 after two, 40 after a miss (U2, U3)."""
        self.deeds.append(self.number)
        if not hit:
            self.close_round(1 - seat, 40)
            return
        self.hits += 1
        self.percent = 40 + 20 * self.hits
        if self.hits == 2:
            self.close_round(1 - seat, self.percent)

    def close_round(self, winner: int | None, percent: int) -> None:
        """Add the lines for what each seat loses of its tab and for the Great Chef Bonus (E1, T3)."""
        for seat, bakery in enumerate(self.bakeries):
            if seat != winner:
                rule = "T3" if winner is None else {40: "E1", 60: "U2"}.get(percent, "U3")
                lost = bakery.tab - bakery.tab * percent // 100
                self.add_line(seat, rule, f"round {self.round}: keeps {percent}% of the tab", -lost, *self.deeds)
            elif self.earns_great_chef(bakery) and bakery.tab >= 5:
                self.add_line(seat, "R51", f"round {self.round}: Great Chef Bonus", bakery.tab // 5, *self.deeds)
        self.running = False

    def earns_great_chef(self, bakery: BakeryTally) -> bool:
        """Return whether seven cakes with seven different names were sold (R51)."""
        return len(bakery.sold) == 7 and len({bakery.cakes[slot] for slot in bakery.sold}) == 7

    def resign(self, seat: int) -> None:
        """Record a resignation and cancel the open tabs (E4)."""
        self.resigned = seat
        for owner, bakery in enumerate(self.bakeries):
            if self.running and bakery.tab:
                self.add_line(owner, "E4", f"round {self.round}: tab not scored", -bakery.tab)

    def start_from_position(self, start: PositionSet) -> None:
        """Start from a position document with its scores, chefs and cakes."""
        self.new_round(start.round)
        self.won = list(start.rounds_won)
        self.fives = start.fives
        for seat, bakery in enumerate(self.bakeries):
            bakery.chef = start.multipliers[seat]
            bakery.cakes = {int(slot): cake for slot, cake in slots_of_seat(start.cases, seat).items() if cake}
            if start.scores[seat]:
                self.add_line(seat, "S8", "score at the start", start.scores[seat])
        if start.phase in ("sale", "catch_up"):
            self.start_in_sale(start)

    def start_in_sale(self, start: PositionSet) -> None:
        """Start from a position document in a sale or a catch-up round."""
        self.running = True
        self.rolls = start.rolls or 0
        self.hits = start.tries or 0
        self.percent = start.percent or 40
        for seat, bakery in enumerate(self.bakeries):
            bakery.stale = {int(slot): count for slot, count in slots_of_seat(start.stale, seat).items()}
            bakery.sold = list(start.sold[seat]) if start.sold else []
            bakery.tab = start.tabs[seat] if start.tabs else 0
            if bakery.tab:
                self.add_line(seat, "S7", f"round {self.round}: tab at the start", bakery.tab)

    def sheet(self) -> ScoreSheet:
        """Return the sheet so far, with the winner as if the match ended now (E3, E4)."""
        totals = tuple(sum(line.points for line in self.lines if line.seat == seat) for seat in (0, 1))
        if self.resigned is not None:
            return ScoreSheet(tuple(self.lines), totals, (1 - self.resigned,))
        ranks = [(totals[seat], self.won[seat]) for seat in (0, 1)]
        winners = () if ranks[0] == ranks[1] else (ranks.index(max(ranks)),)
        return ScoreSheet(tuple(self.lines), totals, winners)


def chef_among(cards: Iterable[str]) -> int:
    """Return the multiplier of the chef among these cards."""
    return next(int(card.removeprefix("chef_")) for card in cards if card.startswith("chef_"))


def slots_of_seat(maps: tuple[Mapping[SlotKey, T], Mapping[SlotKey, T]] | None, seat: int) -> Mapping[SlotKey, T]:
    """Return a seat's map by slot, or an empty one."""
    return maps[seat] if maps else {}


def audit(facts: Iterable[Fact]) -> ScoreSheet:
    """Return the score sheet recomputed from the facts."""
    count = ScoreCounter()
    for number, fact in enumerate(facts):
        count.number = number
        count.read_fact(fact)
    return count.sheet()
