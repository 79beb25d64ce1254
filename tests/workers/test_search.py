"""The search: finds what there is to find, keeps to its budget, can be run again, looks at no true state."""

from dataclasses import replace as changed
from itertools import count
from typing import Any

import pytest

from domain.kernel.chance import Fast
from domain.kernel.game import AnyGame
from domain.kernel.registry import find_game, games
from replays.redaction import redact_event
from tests.builders import Table, greedy_agent, sit_down, step
from workers.arena.series import Series, play_match
from workers.bots.search import MAX_CANDIDATES, Budget, SearchResult, run_search

TIC_TAC_TOE = find_game("tic_tac_toe")
NO_CAP = 600.0

every_game = pytest.mark.parametrize("game", games().values(), ids=lambda game: game.slug)


def thought(table: Table, seat: int, iterations: int = 40, seed: str = "s", **how: Any) -> SearchResult:
    """What the search makes of a table."""
    game, state = table.match.rules, table.match.state
    facts = [fact for event in table.events for fact in redact_event(event, table.match, seat).facts]
    budget = Budget(iterations, how.pop("seconds", NO_CAP))
    return run_search(game, game.view(state, seat), facts, seat, game.legal_moves(state, seat), seed, budget, **how)


def marks(*cells: int) -> Table:
    """Tic-tac-toe behind these marks."""
    table = sit_down(TIC_TAC_TOE)
    for n, cell in enumerate(cells):
        table.play(n % 2, {"type": "mark", "cell": cell})
    return table


def in_the_middle(game: AnyGame, plies: int) -> Table:
    """A match between greedy seats, some plies on."""
    table, chance = sit_down(game, seed="middle"), Fast("middle")
    for _ in range(plies):
        step(table, chance, greedy_agent)
    return table


def hard_choice(game: AnyGame) -> tuple[Table, int]:
    """The first position of that match in which a seat has several moves to think about."""
    table, chance = sit_down(game, seed="middle"), Fast("middle")
    while table.match.status == "playing":
        seat = min(table.match.to_move)
        if len(thought(table, seat, iterations=6).candidates) > 1:
            return table, seat
        step(table, chance, greedy_agent)
    raise AssertionError("no choice in the whole match")


def test_it_sees_through_what_greedy_falls_for() -> None:
    """Cross holds two opposite corners; nought in a third one loses to a fork, on an edge it draws."""
    table = marks(0, 4, 8)
    chosen = thought(table, 1, iterations=4000).move.cell
    assert TIC_TAC_TOE.greedy(TIC_TAC_TOE.view(table.match.state, 1), 1, legal(table, 1), Fast(1)).cell in (2, 6)
    assert chosen in (1, 3, 5, 7)


YELLOW_WITH_83 = ["5-6", "5-5", "4-6", "4-5", "3-6", "2-6", "3-5", "1-6", "2-5", "0-4"]


def test_in_the_last_rounds_of_mice_cake_it_takes_what_decides_the_match() -> None:
    """Yellow has 83 pips of 168 and wins with the 1-1; greedy sends all four mice to the 6-6, which is worth more."""
    mice_cake = find_game("mice_cake")
    document = {"cake": ["A3: 6-6", "B3: 1-1"], "yellow": YELLOW_WITH_83, "rest": "blue"}
    state = mice_cake.fold(mice_cake.start(2, {}, Fast(1), document))
    view, moves = mice_cake.view(state, 0), list(mice_cake.legal_moves(state, 0))
    made = run_search(mice_cake, view, [], 0, moves, "s", Budget(600, NO_CAP))
    assert view.pips.yellow == 83
    assert mice_cake.greedy(view, 0, moves, Fast(1)).columns.A == 4
    assert made.move.columns.B >= 2
    assert made.candidates[0].value < 0.8 < max(candidate.value for candidate in made.candidates)


def legal(table: Table, seat: int) -> list[Any]:
    return list(table.match.rules.legal_moves(table.match.state, seat))


@every_game
def test_it_keeps_to_its_budget_and_says_what_it_did(game: AnyGame) -> None:
    table, seat = hard_choice(game)
    made = thought(table, seat, iterations=30)
    assert 2 <= len(made.candidates) <= MAX_CANDIDATES
    assert sum(candidate.visits for candidate in made.candidates) == made.iterations <= 30
    assert made.move in [candidate.move for candidate in made.candidates]
    assert all(0 <= candidate.value <= 1 for candidate in made.candidates)


@every_game
def test_one_that_was_cut_short_can_be_run_again(game: AnyGame) -> None:
    table, seat = hard_choice(game)
    ticks = count()
    cut = thought(table, seat, iterations=60, seconds=17, clock=lambda: float(next(ticks)))
    assert cut.iterations == 16
    assert thought(table, seat, iterations=60, stop_after=16) == cut
    assert thought(table, seat, iterations=60) != cut


def test_one_that_is_run_again_on_a_busy_machine_is_the_same() -> None:
    """Given noted iterations, then they are made though the clock is past the cap before the first one."""
    table, seat = hard_choice(find_game("mice_cake"))
    noted = thought(table, seat, iterations=60)
    hours = count(step=3600)
    again = thought(table, seat, iterations=60, seconds=1.8, stop_after=60, clock=lambda: float(next(hours)))
    assert again == noted


@every_game
def test_a_cap_of_no_time_leaves_the_greedy_move(game: AnyGame) -> None:
    table, seat = hard_choice(game)
    made = thought(table, seat, seconds=0)
    assert made.iterations == 0
    assert made.move == made.candidates[0].move


@every_game
def test_the_state_is_not_within_its_reach(game: AnyGame) -> None:
    """All that `run_search` is given is what the seat sees, and it gives the same in every world behind that."""
    table, seat = hard_choice(game)
    state = table.match.state
    view = game.view(state, seat)
    facts = [fact for event in table.events for fact in redact_event(event, table.match, seat).facts]
    made = thought(table, seat, iterations=24)
    for world in range(4):
        table.match = replaced(table.match, game.determinize(view, facts, seat, Fast(world)))
        again = run_search(
            game,
            game.view(table.match.state, seat),
            facts,
            seat,
            game.legal_moves(table.match.state, seat),
            "s",
            Budget(24, NO_CAP),
        )
        assert again == made


def replaced(match: Any, state: Any) -> Any:
    import msgspec

    return msgspec.structs.replace(match, state=state)


def test_a_game_without_insight_is_searched_as_well() -> None:
    game = changed(find_game("mice_cake"), insight=None)
    table = in_the_middle(find_game("mice_cake"), 20)
    seat = min(table.match.to_move)
    state = table.match.state
    made = run_search(game, game.view(state, seat), [], seat, game.legal_moves(state, seat), "s", Budget(24, NO_CAP))
    assert made.iterations == 24
    assert made.move in legal(table, seat)


def test_other_seeds_see_other_worlds() -> None:
    table, seat = hard_choice(find_game("mice_cake"))
    values = {thought(table, seat, iterations=24, seed=seed).candidates for seed in "abc"}
    assert len(values) == 3


def test_a_series_is_a_function_of_its_seed() -> None:
    series = Series("mice_cake", ("strong", "random"), "again", {}, 2, iterations=6, seconds=NO_CAP)
    (first, events), (second, others) = play_match(series, 1), play_match(series, 1)
    assert events == others
    assert first.bots == second.bots == (1, 0)
    assert play_match(series, 0)[0].seed == first.seed, "both bots have each seat with the same luck"
    assert play_match(series, 2)[0].seed != first.seed
