"""The search: iterations a second, on positions of a match between greedy seats, beside one greedy choice."""

from collections.abc import Iterator
from itertools import cycle

from domain.chance import Fast
from domain.game import AnyGame
from domain.match import AnyMatch
from domain.registry import games
from replays.perspectives import perspective
from tests.benchmarks.measure import Row, in_turns, per_second
from tests.builders import greedy_agent, sit_down, step
from workers.bots.search import Budget, think

POSITIONS = 6
PLIES = 60
ITERATIONS = 12


def rows() -> Iterator[Row]:
    """One line for each game."""
    for game in games().values():
        moments = positions(game)
        if not moments:
            continue
        turns, choices = cycle(moments), cycle(moments)

        def search(game: AnyGame = game, turns: Iterator[tuple[AnyMatch, list[object]]] = turns) -> int:
            match, facts = next(turns)
            seat = min(match.to_move)
            view, legal = game.view(match.state, seat), game.legal_moves(match.state, seat)
            return think(game, view, facts, seat, legal, "bench", Budget(ITERATIONS, 600)).iterations

        def choose(game: AnyGame = game, choices: Iterator[tuple[AnyMatch, list[object]]] = choices) -> int:
            match, _ = next(choices)
            seat = min(match.to_move)
            game.greedy(game.view(match.state, seat), seat, game.legal_moves(match.state, seat), Fast("bench"))
            return 1

        figures = in_turns({"search": lambda: per_second(search), "greedy": lambda: per_second(choose)}, rounds=3)
        yield Row(f"{game.slug}: search, iterations", figures["search"], "/s")
        yield Row(f"{game.slug}: greedy, choices", figures["greedy"], "/s")


def positions(game: AnyGame) -> list[tuple[AnyMatch, list[object]]]:
    """Positions in which a seat has several moves to think about, with what it was told."""
    table, chance, found = sit_down(game, seed="bench"), Fast("bench"), []
    for _ in range(PLIES):
        if table.match.status != "playing":
            break
        match, seat = table.match, min(table.match.to_move)
        facts = [fact for event in table.events for fact in perspective(event, match, seat).facts]
        view, legal = game.view(match.state, seat), game.legal_moves(match.state, seat)
        if think(game, view, facts, seat, legal, "bench", Budget(2, 600)).iterations:
            found.append((match, facts))
        step(table, chance, greedy_agent)
    return found[:: max(1, len(found) // POSITIONS)]
