"""The engine's scoring (rules, section 8): ranking, the end of the contest, and the score sheet."""

from collections.abc import Iterator

from domain.games.pie_contest.rules.components import NAMES
from domain.games.pie_contest.rules.facts import GameEnded
from domain.games.pie_contest.rules.model import Pie, State
from domain.games.pie_contest.rules.parts import GRAND_PIES_COUNTED, GRAND_PIES_TO_END, PIES_TO_END, Reason, SeatScore
from domain.games.pie_contest.rules.pie_values import PRINTED, value_parts
from domain.kernel.game import ScoreLine, ScoreSheet, Seat


def rank_pies(pies: tuple[Pie, ...]) -> list[int]:
    """Return the numbers of a seat's Pies, highest value first. Equal Pies are in ascending order."""
    return sorted(range(1, len(pies) + 1), key=lambda number: (-pies[number - 1].value, number))


def seat_score(state: State, seat: Seat) -> SeatScore:
    """Return a seat's score: its best Pie, or the sum of the best three in the Grand Contest (8.2)."""
    pies = state.seats[seat].pies
    best = GRAND_PIES_COUNTED if state.options.variant == "grand" else 1
    counted = tuple(rank_pies(pies)[:best])
    score = sum(pies[number - 1].value for number in counted) if counted else None
    return SeatScore(seat, score, counted)


def rank_key(state: State, seat: Seat) -> tuple[int, ...]:
    """Return a seat's ranking key: score, then with `next_best` its other Pies, best first. Empty without a Pie."""
    entry = seat_score(state, seat)
    if entry.score is None:
        return ()
    if state.options.tie_break == "shared":
        return (entry.score,)
    pies = state.seats[seat].pies
    rest = rank_pies(pies)[len(entry.counted) :]
    return (entry.score, *(pies[number - 1].value for number in rest))


def rank_seats(state: State) -> tuple[tuple[Seat, ...], ...]:
    """Return the seats in groups of equal rank, best first. Resigned seats form the last group."""
    groups: dict[tuple[int, ...], list[Seat]] = {}
    for seat in state.live:
        groups.setdefault(rank_key(state, seat), []).append(seat)
    best_first = [tuple(groups[key]) for key in sorted(groups, reverse=True)]
    return (*best_first, state.out) if state.out else tuple(best_first)


def make_game_ended(state: State, why: Reason) -> GameEnded:
    """Return the end of the contest with the current scores (V1 to V4, 8.2)."""
    groups = rank_seats(state)
    has_winner = why == "last_seat" or any(state.seats[seat].pies for seat in state.live)
    return GameEnded(
        why, tuple(seat_score(state, seat) for seat in state.live), groups[0] if has_winner else (), groups
    )


def end_reason(state: State) -> Reason | None:
    """Return why the contest ends now, or None if it continues (V1, V2)."""
    baked = [len(state.seats[seat].pies) for seat in state.live]
    if state.options.variant == "grand":
        return "all_have_four" if min(baked) >= GRAND_PIES_TO_END else None
    if min(baked) >= (state.options.pies_for_all or 1):
        return "all_baked"
    return "third_pie" if max(baked) >= PIES_TO_END else None


# -- the sheet ----------------------------------------------------------------------------------------------------


def score(state: State) -> ScoreSheet:
    """Return the score sheet: for each live seat, how the Pies that count came to their current value."""
    lines = tuple(line for seat in state.live for line in seat_lines(state, seat))
    totals = tuple(None if seat in state.out else seat_score(state, seat).score for seat in range(len(state.seats)))
    return ScoreSheet(lines, totals, state.result.winners if state.result else ())


def seat_lines(state: State, seat: Seat) -> Iterator[ScoreLine]:
    """Yield the lines of one seat, Pie by Pie."""
    for number in seat_score(state, seat).counted:
        pie = state.seats[seat].pies[number - 1]
        yield from baking_lines(seat, number, pie)
        for before, after, cause in zip(pie.values, pie.values[1:], pie.causes[1:], strict=False):
            if cause.why == "stale":
                yield ScoreLine(seat, "B4", f"Pie {number}: stale, seat {cause.seat} Baked", after - before)
            else:
                yield ScoreLine(seat, "12.1", f"Pie {number}: {NAMES[cause.card or 0]}", after - before)


def baking_lines(seat: Seat, number: int, pie: Pie) -> Iterator[ScoreLine]:
    """Yield the parts of a Pie's baked value: printed worths, then each kind of term (8.1)."""
    if pie.causes[0].why == "given":
        yield ScoreLine(seat, "15", f"Pie {number}: given", pie.total)
        return
    points: dict[str, int] = {}
    for _, what, part in value_parts(pie.cards, baked=True):
        points[what] = points.get(what, 0) + part
    for what in (PRINTED, *sorted(set(points) - {PRINTED})):
        yield ScoreLine(seat, "8.1", f"Pie {number}: {what}", points[what])
