"""The score as the engine counts it (rules, section 8): ticked ingredients, the pastry, and the ranking."""

from collections.abc import Sequence
from itertools import groupby

from domain.games.take_the_cake.rules.model import Baker, State
from domain.games.take_the_cake.rules.parts import Reason
from domain.kernel.game import ScoreLine, ScoreSheet, Seat


def points(baker: Baker) -> int:
    """E2 One for each ticked ingredient, one for the pastry."""
    return len(baker.collected) + baker.baked


def rank_tiers(bakers: Sequence[Baker], out: Sequence[Seat]) -> tuple[tuple[Seat, ...], ...]:
    """E5 Tiers, best first: the baker of the pastry, the others still in, then the resigned, the latest first.

    The last baker of all needs no rule of its own: nobody else is still in.
    """

    def standing(seat: Seat) -> tuple[int, int, int]:
        baker = bakers[seat]
        return -baker.baked, -len(baker.collected), baker.last

    still = sorted((seat for seat in range(len(bakers)) if seat not in out), key=standing)
    tiers = [tuple(sorted(tier)) for _, tier in groupby(still, key=standing)]
    return (*tiers, *((seat,) for seat in reversed(out)))


WIN_LINES: dict[Reason, tuple[str, str]] = {
    "baked": ("E1", "wins: baked the pastry"),
    "closed": ("E3", "wins: ahead when the bakery closed"),
    "last_baker": ("E4", "wins: the last baker"),
}


def score(state: State) -> ScoreSheet:
    """A line for each ticked ingredient and the pastry by seat (E2), then why each winner won (E1, E3, E4)."""
    lines = [line for seat, baker in enumerate(state.bakers) for line in seat_lines(seat, baker)]
    if state.result is None:
        return ScoreSheet(tuple(lines), tuple(map(points, state.bakers)), ())
    rule, item = WIN_LINES[state.result.reason]
    lines += [ScoreLine(seat, rule, item, 0) for seat in state.result.winners]
    lines += [ScoreLine(seat, "E5", f"place {place}", 0) for place, seat in seat_places(state.result.ranking)]
    return ScoreSheet(tuple(lines), state.result.scores, state.result.winners)


def seat_lines(seat: Seat, baker: Baker) -> list[ScoreLine]:
    """The points of one seat."""
    lines = [ScoreLine(seat, "E2", ingredient, 1) for ingredient in baker.collected]
    return [*lines, ScoreLine(seat, "E2", "pastry", 1)] if baker.baked else lines


def seat_places(ranking: Sequence[Sequence[Seat]]) -> list[tuple[int, Seat]]:
    """Place and seat, best first; the seats of a tier share a place."""
    found: list[tuple[int, Seat]] = []
    for tier in ranking:
        place = len(found) + 1
        found += [(place, seat) for seat in tier]
    return found
