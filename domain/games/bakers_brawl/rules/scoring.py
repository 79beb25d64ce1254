"""Scoring by the engine (rules, 8.2 and 12.3)."""

from collections.abc import Iterable, Sequence

from domain.games.bakers_brawl.rules.components import AGENDAS, NEEDS, ORDERS, Agenda, Condition, PerOrder
from domain.games.bakers_brawl.rules.facts import AgendaScored, HelpBonusScored, ResultDeclared
from domain.games.bakers_brawl.rules.model import State
from domain.games.bakers_brawl.rules.parts import Completed, Result
from domain.kernel.game import ScoreLine, ScoreSheet, Seat

HELP_BONUS = 3
"""Points for every two Orders helped (R54)."""


def orders_helped(completed: Iterable[Completed], seat: Seat) -> tuple[str, ...]:
    """Return the completed Orders with this seat's cube on them, in order of completion (H in 8.2)."""
    return tuple(done.order_id for done in completed if seat in done.contributors)


def help_points(count: int) -> int:
    """Return the help bonus for this many Orders. An odd Order scores nothing."""
    return HELP_BONUS * (count // 2)


def meets_condition(condition: Condition, order_id: str) -> bool:
    """Return whether an Order meets the condition of an agenda (12.3)."""
    needs = NEEDS[order_id]
    if condition.has_any is not None:
        return not needs.isdisjoint(condition.has_any)
    if condition.has_all is not None:
        return needs.issuperset(condition.has_all)
    if condition.category_in is not None:
        return ORDERS[order_id].category in condition.category_in
    low, high = condition.size_between or (0, 0)
    return low <= len(needs) <= high


def agenda_points(agenda: Agenda, orders: Sequence[str]) -> tuple[tuple[str, ...], int]:
    """Return the Orders that an agenda counts, and its points for them."""
    match agenda.effect:
        case PerOrder(condition, points):
            met = tuple(order_id for order_id in orders if meets_condition(condition, order_id))
            return met, points * len(met)
        case effect:
            return tuple(orders), effect.table[len({ORDERS[order_id].category for order_id in orders})]


def score_agenda(state: State, seat: Seat) -> AgendaScored:
    """Return the agenda score of a seat."""
    agenda_id = state.seats[seat].agenda
    met, points = agenda_points(AGENDAS[agenda_id], orders_helped(state.completed, seat))
    return AgendaScored(seat, agenda_id, met, points)


def score_help(state: State, seat: Seat) -> HelpBonusScored:
    """Return the help bonus of a seat."""
    count = len(orders_helped(state.completed, seat))
    return HelpBonusScored(seat, count, help_points(count))


def total_score(state: State, seat: Seat) -> int:
    """Return the total of a seat: Brownie Points, agenda points and help bonus."""
    return state.seats[seat].points + score_agenda(state, seat).points + score_help(state, seat).points


def declare_result(state: State) -> ResultDeclared:
    """Return totals, ranks and winners. Seats that resigned rank last (8.2)."""
    active = [seat for seat, baker in enumerate(state.seats) if baker.active]
    strength = {seat: rank_key(state, seat) for seat in active}
    ranks = tuple(
        1 + sum(other > strength[seat] for other in strength.values()) if seat in strength else len(active) + 1
        for seat in range(state.players)
    )
    winners = tuple(seat for seat in active if ranks[seat] == 1)
    return ResultDeclared(tuple(total_score(state, seat) for seat in range(state.players)), ranks, winners)


def rank_key(state: State, seat: Seat) -> tuple[int, ...]:
    """Return the total of a seat; if `final_tie` is `ladder`, also Orders helped, Orders completed and free cubes."""
    if state.options.final_tie == "shared":
        return (total_score(state, seat),)
    own = sum(done.by == seat for done in state.completed)
    return total_score(state, seat), len(orders_helped(state.completed, seat)), own, state.seats[seat].cubes


# -- the sheet ----------------------------------------------------------------------------------------------------


def score(state: State) -> ScoreSheet:
    """Return three lines for each seat: Orders (8.1), agenda (12.3), help bonus (8.2). No winners before the end."""
    lines = tuple(line for seat in range(state.players) for line in seat_lines(state, seat))
    if state.result is None:
        return ScoreSheet(lines, tuple(total_score(state, seat) for seat in range(state.players)), ())
    return ScoreSheet(lines, state.result.totals, state.result.winners)


def seat_lines(state: State, seat: Seat) -> tuple[ScoreLine, ...]:
    """Return the lines of one seat."""
    agenda, bonus = score_agenda(state, seat), score_help(state, seat)
    counted = ", ".join(agenda.orders) or "no Order"
    return (
        ScoreLine(seat, "8.1", "points for Orders", state.seats[seat].points),
        ScoreLine(seat, "12.3", f"{agenda.agenda_id}: {counted}", agenda.points),
        ScoreLine(seat, "8.2", f"Orders helped: {bonus.helped}", bonus.points),
    )


def rank_table(result: Result) -> tuple[tuple[Seat, int, int], ...]:
    """Return seat, total and rank, best first."""
    rows = zip(range(len(result.totals)), result.totals, result.ranks, strict=True)
    return tuple(sorted(rows, key=lambda row: (row[2], row[0])))
