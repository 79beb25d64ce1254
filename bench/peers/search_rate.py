"""Measures the iterations per second of the search, in a separate process.

The positions come from a match between greedy seats. In each, the seat has several candidate moves.
"""

import sys
from collections.abc import Callable
from itertools import cycle
from typing import Any

from turns import per_second, take_turns

from domain.bots.search import Budget, run_search
from domain.kernel.chance import Fast
from domain.kernel.registry import games
from replays.redaction import redact_event
from tests.builders import greedy_agent, sit_down, step

POSITIONS = 6
PLIES = 60
ITERATIONS = 12
SLUGS = sys.argv[1:] or list(games())


def positions(slug: str) -> list[tuple[Any, list[Any]]]:
    """Return positions with several candidate moves, and the facts that the seat has seen."""
    table, chance, found = sit_down(games()[slug], seed="bench"), Fast("bench"), []
    for _ in range(PLIES):
        if table.match.status != "playing":
            break
        match, seat = table.match, min(table.match.to_move)
        facts = [fact for event in table.events for fact in redact_event(event, match, seat).facts]
        if chosen(match, facts, Budget(2)).iterations:
            found.append((match, facts))
        step(table, chance, greedy_agent)
    return found[:: max(1, len(found) // POSITIONS)]


def chosen(match: Any, facts: list[Any], budget: Budget) -> Any:
    """Search for the seat to move."""
    game, seat = match.rules, min(match.to_move)
    view, legal = game.view(match.state, seat), game.legal_moves(match.state, seat)
    return run_search(game, view, facts, seat, legal, "bench", budget)


def rate(slug: str) -> Callable[[], float]:
    """Return iterations per second over the positions."""
    moments = cycle(POSITIONS_OF[slug])
    return lambda: per_second(lambda: int(chosen(*next(moments), Budget(ITERATIONS)).iterations))


POSITIONS_OF = {slug: found for slug in SLUGS if (found := positions(slug))}
candidates: dict[str, Callable[[], Any]] = {f"rate {slug}": rate(slug) for slug in POSITIONS_OF}
candidates["games"] = lambda: list(POSITIONS_OF)
take_turns(candidates)
