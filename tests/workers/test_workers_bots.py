"""How a bot chooses: by its level, from its seat's view alone, with luck of its own that a second run has again."""

from collections import Counter
from typing import Any

import pytest
from msgspec.structs import replace

from domain.chance import Fast
from domain.game import AnyGame
from domain.match import AnyMatch, SeatState
from domain.registry import games
from service.levels import LEVELS as OFFERED
from tests.builders import Table, sit_down, step
from workers import jobs
from workers.bots.levels import CHOICES, LEVELS, Level

SECRET = b"the service's own"


def with_bots(table: Table, level: str) -> AnyMatch:
    """The match with a bot at every seat."""
    seat = SeatState("bot", level=level)
    return replace(table.match, seats=tuple(seat for _ in table.match.seats))


def positions(game: AnyGame, name: str, plies: int = 12) -> list[Table]:
    """Tables of a random match, one for each of its first plies."""
    tables = []
    for ply in range(plies):
        table, chance = sit_down(game, seed=name), Fast(name)
        for _ in range(ply):
            if table.match.status == "playing":
                step(table, chance)
        if table.match.status == "playing":
            tables.append(table)
    return tables


def test_the_levels_that_are_offered_are_those_that_there_are() -> None:
    assert list(OFFERED) == list(CHOICES) == list(LEVELS)
    assert all(level.name == name and level.description for name, level in LEVELS.items())


@pytest.mark.parametrize("game", games().values(), ids=lambda game: game.slug)
@pytest.mark.parametrize("level", LEVELS)
def test_a_bot_chooses_a_legal_move_and_the_same_one_again(game: AnyGame, level: str) -> None:
    for table in positions(game, level):
        match = with_bots(table, level)
        for seat in sorted(match.to_move):
            move = jobs.choose(match, seat, SECRET)
            assert move in list(game.legal_moves(match.state, seat))
            assert jobs.choose(match, seat, SECRET) == move


@pytest.mark.parametrize("game", games().values(), ids=lambda game: game.slug)
@pytest.mark.parametrize("level", LEVELS)
def test_a_bot_plays_alike_in_worlds_that_its_seat_cannot_tell_apart(game: AnyGame, level: str) -> None:
    for table in positions(game, f"worlds {level}"):
        match = with_bots(table, level)
        facts = [fact for event in table.events for fact in event.facts]
        for seat in sorted(match.to_move):
            view = game.view(match.state, seat)
            seen = [game.redact(match.state, fact, n, seat) for n, fact in enumerate(facts)]
            known = [fact for fact in seen if fact is not None]
            for world in range(3):
                other = game.determinize(view, known, seat, Fast(world))
                assert jobs.choose(replace(match, state=other), seat, SECRET) == jobs.choose(match, seat, SECRET)


def test_a_level_is_shown_the_view_and_never_the_state(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[Any] = []

    def look(game: AnyGame, view: Any, seat: int, legal: Any, chance: Any) -> Any:
        shown.append(view)
        return next(iter(legal))

    monkeypatch.setitem(LEVELS, "greedy", Level("greedy", "looks", look))
    match = with_bots(sit_down(games()["mice_cake"]), "greedy")
    seat = min(match.to_move)
    jobs.choose(match, seat, SECRET)
    assert shown == [match.rules.view(match.state, seat)]
    assert not isinstance(shown[0], type(match.state))


def test_the_random_bot_plays_every_legal_move_about_as_often() -> None:
    """900 choices out of 9: chi-square with 8 degrees of freedom is above 34 once in 25,000 times."""
    match = with_bots(sit_down(games()["tic_tac_toe"]), "random")
    times = Counter(jobs.choose(replace(match, id=f"match {n}"), 0, SECRET).cell for n in range(900))
    assert sum((times[cell] - 100) ** 2 / 100 for cell in range(9)) < 34


def test_a_bots_luck_differs_by_match_ply_seat_and_service() -> None:
    match = sit_down(games()["tic_tac_toe"]).match
    drawn = {
        jobs.luck(replace(match, id=name, ply=ply), seat, secret).below(10**12)
        for name in ("a", "b")
        for ply in (3, 4)
        for seat in (0, 1)
        for secret in (SECRET, b"another's")
    }
    assert len(drawn) == 16


def test_a_strategy_that_falls_over_holds_nobody_up_and_gives_nothing_away(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fall_over(*arguments: Any) -> Any:
        raise ValueError("the opponent's secret is 42")

    monkeypatch.setitem(LEVELS, "greedy", Level("greedy", "falls over", fall_over))
    match = with_bots(sit_down(games()["tic_tac_toe"]), "greedy")
    assert jobs.choose(match, 0, SECRET) in list(match.rules.legal_moves(match.state, 0))
    assert "Level greedy fell over at ply 4" in caplog.text
    assert "ValueError at test_workers_bots.py" in caplog.text
    assert "42" not in caplog.text.replace("ply 4", "")
