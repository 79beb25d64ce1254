"""The engine's scoring (rules, section 8), and the score sheet it keeps while folding facts."""

from collections.abc import Callable
from typing import Any

from domain.games.battle_of_the_bakeries.rules.components import FACTORS, PRICES, STALE_CARDS
from domain.games.battle_of_the_bakeries.rules.facts import (
    BonusTaken,
    CakeSold,
    Fact,
    PositionSet,
    RoundScored,
    SeatResigned,
)
from domain.games.battle_of_the_bakeries.rules.model import State
from domain.games.battle_of_the_bakeries.rules.parts import SALES_TO_WIN, SEATS, Cake
from domain.kernel.game import ScoreLine, ScoreSheet, Seat

LOSER_PERCENT = 40  # E1, T3
HIT_PERCENT = {1: 60, 2: 80}  # U2, U3: by the number of hits
GREAT_CHEF_SHARE = 5  # R52: a fifth of the tab


# -- the money of section 8 ---------------------------------------------------------------------------------------


def current_price(cake: Cake, stale: int) -> int:
    """Return the printed price minus a fifth for each stale card (M4)."""
    return PRICES[cake] * (100 - STALE_CARDS.percent * stale) // 100


def sale_amount(multiplier: int, slot: int, cake: Cake, stale: int) -> int:
    """Return the amount of a sale: chef x slot x price."""
    return multiplier * FACTORS[slot] * current_price(cake, stale)


def kept_amount(tab: int, percent: int) -> int:
    """Return what a seat keeps of its tab (E1)."""
    return tab * percent // 100


def great_chef_bonus(state: State, seat: Seat) -> int:
    """Return a fifth of the tab for seven cakes with seven names, else 0 (R51, R52)."""
    names = {state.cases[seat][slot - 2] for slot in state.sold[seat]}
    if len(state.sold[seat]) != SALES_TO_WIN or len(names) != SALES_TO_WIN:
        return 0
    return state.tabs[seat] // GREAT_CHEF_SHARE


# -- the score sheet ----------------------------------------------------------------------------------------------


def score_lines(state: State, fact: Fact) -> tuple[ScoreLine, ...]:
    """Return the score lines of a fact; `state` is the state before it."""
    row = LINES_BY_FACT.get(type(fact))
    return row(state, fact) if row else ()


def sale_lines(state: State, fact: CakeSold) -> tuple[ScoreLine, ...]:
    """Return the line of a sale."""
    rule, suffix = ("M4", f", {fact.stale} stale") if fact.stale else ("M2", "")
    item = f"round {state.round}: {fact.cake} in slot {fact.slot}{suffix}"
    return (ScoreLine(fact.seat, rule, item, fact.amount, (state.folded,)),)


def bonus_lines(state: State, fact: BonusTaken) -> tuple[ScoreLine, ...]:
    """Return the line for the money of a 5."""
    return (ScoreLine(fact.seat, "H3", f"round {state.round}: money for a 5", fact.amount, (state.folded,)),)


def round_lines(state: State, fact: RoundScored) -> tuple[ScoreLine, ...]:
    """Return the lines of both seats at the end of a round."""
    return tuple(line for seat in SEATS for line in closing_lines(state, fact, seat))


def resignation_lines(state: State, fact: SeatResigned) -> tuple[ScoreLine, ...]:
    """Return the lines that cancel the open tabs after a resignation (E4)."""
    if state.phase not in ("sale", "catch_up"):
        return ()
    return tuple(
        ScoreLine(seat, "E4", f"round {state.round}: tab not scored", -state.tabs[seat], (state.folded,))
        for seat in SEATS
        if state.tabs[seat]
    )


def closing_lines(state: State, fact: RoundScored, seat: Seat) -> list[ScoreLine]:
    """Return a seat's lines at the end of a round: the lost part of its tab and the Great Chef Bonus."""
    number, percent = (state.folded,), fact.percents[seat]
    lines = []
    if percent < 100:
        item = f"round {fact.round}: keeps {percent}% of the tab"
        lines.append(ScoreLine(seat, closing_rule(fact, percent), item, fact.kept[seat] - fact.tabs[seat], number))
    if fact.great_chef[seat]:
        lines.append(ScoreLine(seat, "R51", f"round {fact.round}: Great Chef Bonus", fact.great_chef[seat], number))
    return lines


def closing_rule(fact: RoundScored, percent: int) -> str:
    """Return the rule that determines the percentage kept of a tab."""
    if 100 not in fact.percents:
        return "T3"
    return {40: "E1", 60: "U2"}.get(percent, "U3")


def carried_lines(state: State, fact: PositionSet) -> tuple[ScoreLine, ...]:
    """Return the lines for the scores and open tabs of a position document."""
    number = (state.folded,)
    scores = [
        ScoreLine(seat, "S8", "score at the start", fact.scores[seat], number) for seat in SEATS if fact.scores[seat]
    ]
    tabs = [
        ScoreLine(seat, "S7", f"round {fact.round}: tab at the start", fact.tabs[seat], number)
        for seat in SEATS
        if fact.phase in ("sale", "catch_up") and fact.tabs and fact.tabs[seat]
    ]
    return (*scores, *tabs)


LINES_BY_FACT: dict[type, Callable[[State, Any], tuple[ScoreLine, ...]]] = {
    CakeSold: sale_lines,
    BonusTaken: bonus_lines,
    RoundScored: round_lines,
    SeatResigned: resignation_lines,
    PositionSet: carried_lines,
}
"""The function that returns the score lines, by type of fact."""


def score(state: State) -> ScoreSheet:
    """Return the score sheet of a finished match: lines, scores and winner (E3, E4)."""
    winners = () if state.winner is None else (state.winner,)
    return ScoreSheet(state.ledger, state.scores, winners)
