"""How a bot chooses: by its level, from its seat's view only, with a seed that makes the choice repeatable."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from domain.bots.levels import LEVELS, STRONG_BUDGET, BotChoice, BotInput, budget_of
from domain.bots.search import Budget
from domain.kernel.chance import Fast
from domain.kernel.game import AnyGame
from domain.kernel.registry import games
from domain.match.state import AnyMatch, SeatState
from replays.redaction import redact_event
from service.bootstrap import Services
from service.bots.house_bots import bot_seed
from service.bots.levels import LEVELS as OFFERED
from tests.builders import Table, sit_down, step
from workers.bots.turn_source import BotTask
from workers.handlers import matches as handlers

SECRET = b"the service's own"


def with_bots(table: Table, level: str) -> AnyMatch:
    """Return the match with a bot in every seat."""
    seat = SeatState("bot", level=level)
    return replace(table.match, seats=tuple(seat for _ in table.match.seats))


def positions(game: AnyGame, name: str, plies: int = 12) -> list[Table]:
    """Return tables of a random match, one for every second ply near its start."""
    tables = []
    for ply in range(0, plies, 2):
        table, chance = sit_down(game, seed=name), Fast(name)
        for _ in range(ply):
            if table.match.status == "playing":
                step(table, chance)
        if table.match.status == "playing":
            tables.append(table)
    return tables


def test_all_offered_levels_exist_and_vice_versa() -> None:
    assert list(OFFERED) == list(LEVELS)
    assert all(level.name == name and level.description for name, level in LEVELS.items())


def choose(match: AnyMatch, seat: int, facts: Sequence[Any] = (), failures: int = 0) -> BotChoice:
    """Return the choice of the bot in this seat, given these facts."""
    game, seed = match.rules, bot_seed(match, seat, SECRET)

    def look() -> BotInput:
        view, legal = game.view(match.state, seat), game.legal_moves(match.state, seat)
        return BotInput(game=game, view=view, seat=seat, legal=legal, facts=lambda: facts, seed=seed)

    level = match.seats[seat].acting_bot_level or "random"
    return handlers.choose_move(BotTask(match.id, match.ply, seat, level, failures, game, look))


def facts_of(table: Table, seat: int) -> list[Any]:
    """Return all facts so far that the seat may see."""
    return [fact for event in table.events for fact in redact_event(event, table.match, seat).facts]


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give the strong bot few iterations."""
    monkeypatch.setitem(LEVELS, "strong", replace(LEVELS["strong"], budget=Budget(iterations=12)))


@pytest.mark.parametrize("game", games().values(), ids=lambda game: game.slug)
@pytest.mark.parametrize("level", LEVELS)
def test_a_bot_chooses_a_legal_move_and_repeats_its_choice(
    game: AnyGame, level: str, caplog: pytest.LogCaptureFixture
) -> None:
    for table in positions(game, level):
        match = with_bots(table, level)
        for seat in sorted(match.to_move):
            facts = facts_of(table, seat)
            choice = choose(match, seat, facts)
            game.decide(match.state, seat, choice.move, Fast("any"))
            assert choose(match, seat, facts) == choice
    assert "failed at ply" not in caplog.text


@pytest.mark.parametrize("game", games().values(), ids=lambda game: game.slug)
@pytest.mark.parametrize("level", LEVELS)
def test_a_bot_chooses_the_same_move_in_worlds_that_its_seat_cannot_distinguish(
    game: AnyGame, level: str, caplog: pytest.LogCaptureFixture
) -> None:
    for table in positions(game, f"worlds {level}"):
        match = with_bots(table, level)
        for seat in sorted(match.to_move):
            view, known = game.view(match.state, seat), facts_of(table, seat)
            chosen = choose(match, seat, known)
            for world in range(2):
                other = game.determinize(view, known, seat, Fast(world))
                assert choose(replace(match, state=other), seat, known) == chosen
    assert "failed at ply" not in caplog.text


def test_a_level_receives_the_view_but_never_the_state(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[BotInput] = []

    def look(bot_input: BotInput, budget: Budget | None, stop_after: int | None) -> BotChoice:
        shown.append(bot_input)
        return BotChoice(next(iter(bot_input.legal)))

    monkeypatch.setitem(LEVELS, "greedy", replace(LEVELS["greedy"], choose=look))
    match = with_bots(sit_down(games()["mice_cake"]), "greedy")
    seat = min(match.to_move)
    choose(match, seat)
    assert [bot_input.view for bot_input in shown] == [match.rules.view(match.state, seat)]
    assert not any(isinstance(part, type(match.state) | type(match)) for part in vars(shown[0]).values())


def test_the_random_bot_plays_all_legal_moves_equally_often() -> None:
    """900 choices out of 9: chi-square with 8 degrees of freedom exceeds 34 once in 25,000 times."""
    match = with_bots(sit_down(games()["tic_tac_toe"]), "random")
    times = Counter(choose(replace(match, id=f"match {n}"), 0).move.cell for n in range(900))
    assert sum((times[cell] - 100) ** 2 / 100 for cell in range(9)) < 34


def test_under_protocol_1_a_bots_luck_differs_by_match_ply_seat_and_service() -> None:
    match = sit_down(games()["tic_tac_toe"]).match
    drawn = {
        bot_seed(replace(match, id=name, ply=ply), seat, secret)
        for name in ("a", "b")
        for ply in (3, 4)
        for seat in (0, 1)
        for secret in (SECRET, b"another's")
    }
    assert len(drawn) == 16


def test_a_failing_strategy_blocks_no_one_and_reveals_nothing(
    services: Services, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*arguments: Any) -> BotChoice:
        raise ValueError("the opponent's secret is xylophone")

    monkeypatch.setitem(LEVELS, "greedy", replace(LEVELS["greedy"], choose=fail))
    match = with_bots(sit_down(games()["tic_tac_toe"]), "greedy")
    assert choose(match, 0).move in list(match.rules.legal_moves(match.state, 0))
    assert "Level greedy failed at ply 4" in caplog.text
    assert "ValueError at test_bots.py" in caplog.text
    assert "xylophone" not in caplog.text


def test_a_failed_turn_falls_back_to_a_random_move_and_then_resigns() -> None:
    """Given a turn that failed before, then the bot makes a random move, and resigns after three failures."""
    match = with_bots(sit_down(games()["tic_tac_toe"]), "greedy")
    own, instead = choose(match, 0), choose(match, 0, failures=1)
    any_move = choose(with_bots(sit_down(games()["tic_tac_toe"]), "random"), 0)
    assert own.move != instead.move == any_move.move
    assert (own.is_fallback, instead.is_fallback) == (False, True)
    assert choose(match, 0, failures=2) == choose(match, 0, failures=1)
    assert msgspec.to_builtins(choose(match, 0, failures=3).move) == {"type": "resign"}


def test_the_game_and_the_position_set_the_number_of_iterations(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(LEVELS, "strong", replace(LEVELS["strong"], budget=STRONG_BUDGET))

    def budget(slug: str, level: str = "strong", **options: Any) -> Budget | None:
        match = sit_down(games()[slug], options=options).match
        return budget_of(LEVELS[level], match.rules, match.rules.view(match.state, 0))

    assert budget("mice_cake") == Budget(4500)
    assert budget("mice_cake", matches="boost") == Budget(600), "these options have no fast rollouts"
    assert budget("tic_tac_toe") == STRONG_BUDGET
    assert budget("mice_cake", "greedy") is None


def test_no_level_has_a_time_limit() -> None:
    """A limit in seconds would make decisions depend on how busy the machine is, so nobody could repeat them."""
    assert all(level.budget is None or level.budget.seconds is None for level in LEVELS.values())
