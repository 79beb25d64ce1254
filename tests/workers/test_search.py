"""The search: finds good moves, keeps its budget, is repeatable, and never uses the true state."""

from dataclasses import replace as changed
from itertools import count
from typing import Any

import pytest

from domain.bots.search import MAX_CANDIDATES, Budget, SearchResult, run_search
from domain.kernel.chance import Fast
from domain.kernel.game import AnyGame
from domain.kernel.registry import find_game, games
from replays.redaction import redact_event
from tests.builders import Table, greedy_agent, sit_down, step
from workers.arena.series import Series, play_match

TIC_TAC_TOE = find_game("tic_tac_toe")

every_game = pytest.mark.parametrize("game", games().values(), ids=lambda game: game.slug)


def run(table: Table, seat: int, iterations: int = 40, seed: str = "s", **how: Any) -> SearchResult:
    """Return the result of the search at a table."""
    game, state = table.match.rules, table.match.state
    facts = [fact for event in table.events for fact in redact_event(event, table.match, seat).facts]
    legal_moves = game.legal_moves(state, seat)
    return run_search(game, game.view(state, seat), facts, seat, legal_moves, seed, Budget(iterations), **how)


def marks(*cells: int) -> Table:
    """Return a table of tic-tac-toe with these marks."""
    table = sit_down(TIC_TAC_TOE)
    for n, cell in enumerate(cells):
        table.play(n % 2, {"type": "mark", "cell": cell})
    return table


def in_the_middle(game: AnyGame, plies: int) -> Table:
    """Return a match between greedy seats, after this many plies."""
    table, chance = sit_down(game, seed="middle"), Fast("middle")
    for _ in range(plies):
        step(table, chance, greedy_agent)
    return table


def hard_choice(game: AnyGame) -> tuple[Table, int]:
    """Return the first position of matches between greedy seats in which a seat has several candidate moves."""
    for number in count():
        table, chance = sit_down(game, seed=f"middle {number}"), Fast("middle")
        while table.match.status == "playing":
            seat = min(table.match.to_move)
            if len(run(table, seat, iterations=6).candidates) > 1:
                return table, seat
            step(table, chance, greedy_agent)
    raise AssertionError("matches without end")


def test_the_search_avoids_a_trap_that_greedy_misses() -> None:
    """X holds two opposite corners. O loses to a fork in a third corner and draws on an edge."""
    table = marks(0, 4, 8)
    chosen = run(table, 1, iterations=4000).move.cell
    assert TIC_TAC_TOE.greedy(TIC_TAC_TOE.view(table.match.state, 1), 1, legal(table, 1), Fast(1)).cell in (2, 6)
    assert chosen in (1, 3, 5, 7)


YELLOW_WITH_83 = ["5-6", "5-5", "4-6", "4-5", "3-6", "2-6", "3-5", "1-6", "2-5", "0-4"]


def test_the_search_finds_the_decisive_move_in_the_last_rounds_of_mice_cake() -> None:
    """Yellow has 83 pips of 168 and wins with the 1-1; greedy sends all four mice to the 6-6, which is worth more."""
    mice_cake = find_game("mice_cake")
    document = {"cake": ["A3: 6-6", "B3: 1-1"], "yellow": YELLOW_WITH_83, "rest": "blue"}
    state = mice_cake.fold(mice_cake.start(2, {}, Fast(1), document))
    view, moves = mice_cake.view(state, 0), list(mice_cake.legal_moves(state, 0))
    made = run_search(mice_cake, view, [], 0, moves, "s", Budget(600))
    assert view.pips.yellow == 83
    assert mice_cake.greedy(view, 0, moves, Fast(1)).columns.A == 4
    assert made.move.columns.B >= 2
    assert made.candidates[0].value < 0.8 < max(candidate.value for candidate in made.candidates)


def legal(table: Table, seat: int) -> list[Any]:
    return list(table.match.rules.legal_moves(table.match.state, seat))


@every_game
def test_the_search_keeps_its_budget_and_reports_its_iterations(game: AnyGame) -> None:
    table, seat = hard_choice(game)
    made = run(table, seat, iterations=30)
    assert 2 <= len(made.candidates) <= MAX_CANDIDATES
    assert sum(candidate.visits for candidate in made.candidates) == made.iterations <= 30
    assert made.move in [candidate.move for candidate in made.candidates]
    assert all(0 <= candidate.value <= 1 for candidate in made.candidates)


@every_game
def test_a_search_that_a_time_limit_had_ended_can_be_repeated(game: AnyGame) -> None:
    """Given the recorded iterations of an earlier version, then the search stops after them."""
    table, seat = hard_choice(game)
    cut = run(table, seat, iterations=60, stop_after=16)
    assert cut.iterations == 16
    assert run(table, seat, iterations=60, stop_after=16) == cut
    assert run(table, seat, iterations=60) != cut


@every_game
def test_a_search_stopped_immediately_gives_the_default_move(game: AnyGame) -> None:
    table, seat = hard_choice(game)
    made = run(table, seat, stop_after=0)
    assert made.iterations == 0
    assert made.move == made.candidates[0].move


@every_game
def test_the_search_does_not_depend_on_the_true_state(game: AnyGame) -> None:
    """`run_search` gets only what the seat sees, and returns the same in every world consistent with it."""
    table, seat = hard_choice(game)
    state = table.match.state
    view = game.view(state, seat)
    facts = [fact for event in table.events for fact in redact_event(event, table.match, seat).facts]
    made = run(table, seat, iterations=24)
    for world in range(4):
        table.match = replaced(table.match, game.determinize(view, facts, seat, Fast(world)))
        again = run_search(
            game,
            game.view(table.match.state, seat),
            facts,
            seat,
            game.legal_moves(table.match.state, seat),
            "s",
            Budget(24),
        )
        assert again == made


def replaced(match: Any, state: Any) -> Any:
    import msgspec

    return msgspec.structs.replace(match, state=state)


def test_a_game_without_insight_can_be_searched() -> None:
    game = changed(find_game("mice_cake"), insight=None)
    table = in_the_middle(find_game("mice_cake"), 20)
    seat = min(table.match.to_move)
    state = table.match.state
    made = run_search(game, game.view(state, seat), [], seat, game.legal_moves(state, seat), "s", Budget(24))
    assert made.iterations == 24
    assert made.move in legal(table, seat)


def test_another_seed_uses_other_worlds() -> None:
    table, seat = hard_choice(find_game("mice_cake"))
    values = {run(table, seat, iterations=24, seed=seed).candidates for seed in "abc"}
    assert len(values) == 3


def test_a_series_is_determined_by_its_seed() -> None:
    series = Series("mice_cake", ("strong", "random"), "again", {}, 2, iterations=6)
    (first, events), (second, others) = play_match(series, 1), play_match(series, 1)
    assert events == others
    assert first.bots == second.bots == (1, 0)
    assert play_match(series, 0)[0].seed == first.seed, "both bots play each seat with the same luck"
    assert play_match(series, 2)[0].seed != first.seed
