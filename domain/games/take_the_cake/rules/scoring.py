"""The engine's scoring (rules, section 8): ticked ingredients, the pastry and the ranking."""

from collections.abc import Sequence
from itertools import groupby

from domain.games.take_the_cake.rules.model import Baker, State
from domain.games.take_the_cake.rules.parts import Reason
from domain.kernel.game import ScoreLine, ScoreSheet, Seat


def points(baker: Baker) -> int:
    """Return one point for each ticked ingredient and one for the pastry (E2)."""
    return len(baker.collected) + baker.baked


def rank_tiers(bakers: Sequence[Baker], out: Sequence[Seat]) -> tuple[tuple[Seat, ...], ...]:
    """Return the tiers, best first: the pastry, the other remaining seats, then the resigned, latest first (E5).

    A last baker ranks first without a special case, because no other seat remains.
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
    """Return a line for each ingredient and pastry (E2), then each winner's reason (E1, E3, E4) and the places (E5)."""
    lines = [line for seat, baker in enumerate(state.bakers) for line in seat_lines(seat, baker)]
    if state.result is None:
        return ScoreSheet(tuple(lines), tuple(map(points, state.bakers)), ())
    rule, item = WIN_LINES[state.result.reason]
    lines += [ScoreLine(seat, rule, item, 0) for seat in state.result.winners]
    lines += [ScoreLine(seat, "E5", f"place {place}", 0) for place, seat in seat_places(state.result.ranking)]
    return ScoreSheet(tuple(lines), state.result.scores, state.result.winners)


def seat_lines(seat: Seat, baker: Baker) -> list[ScoreLine]:
    """Return the lines with one seat's points."""
    lines = [ScoreLine(seat, "E2", ingredient, 1) for ingredient in baker.collected]
    return [*lines, ScoreLine(seat, "E2", "pastry", 1)] if baker.baked else lines


def seat_places(ranking: Sequence[Sequence[Seat]]) -> list[tuple[int, Seat]]:
    """Return pairs of place and seat, best first. The seats of a tier share a place."""
    found: list[tuple[int, Seat]] = []
    for tier in ranking:
        place = len(found) + 1
        found += [(place, seat) for seat in tier]
    return found
