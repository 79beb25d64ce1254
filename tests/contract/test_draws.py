"""The draw table of each game: following it makes every draw that the rules make."""

import json
from typing import Any

import pytest

from domain.kernel.chance import Seed
from domain.kernel.events import Moved, Started
from domain.kernel.game import AnyGame
from replays.re_execution import TracedLuck, re_execute
from replays.replay import Replay
from replays.standalone_verify import DrawInterpreter, check_all_draws
from tests.builders import log_lines
from tests.contract.cases import every_table, sample_matches
from tools.draw_tables import plain


def draws_by_rules(replay: Replay) -> list[int]:
    """Return how many draws each ply makes when it is decided again."""
    luck = Seed(bytes.fromhex(replay.last.seed or ""), given=replay.created.given)
    made = []
    for before, event in zip([None, *replay.matches()], replay.events, strict=False):
        traced = TracedLuck(luck)
        if before is not None and isinstance(event, Started | Moved):
            re_execute(before, event, traced)
        made.append(len(traced.traced))
    return made


def draws_by_table(game: AnyGame, replay: Replay) -> tuple[list[int], list[Any]]:
    """Return how many draws each ply makes by the game's table, and where the facts show another outcome."""
    events = [json.loads(line) for line in log_lines(replay.events)]
    interpreter = CountingInterpreter(plain(game), events[0])
    check_all_draws(events, bytes.fromhex(replay.last.seed or ""), interpreter)
    return interpreter.made, interpreter.mismatches


class CountingInterpreter(DrawInterpreter):
    """Counts the draws of each ply."""

    made: list[int]

    def run_event(self, ply: int, facts: Any, source: Any) -> None:
        before = self.draw_count
        super().run_event(ply, facts, source)
        self.made = [*getattr(self, "made", []), self.draw_count - before]


@pytest.mark.slow
@every_table
def test_the_table_makes_the_draws_of_the_rules(game: AnyGame, seats: int) -> None:
    for replay in sample_matches(game, seats):
        made, differences = draws_by_table(game, replay)
        assert differences == [], replay.created.options
        assert made == draws_by_rules(replay), replay.created.options


@pytest.mark.slow
@every_table
def test_other_draws_do_not_fit_the_facts(game: AnyGame, seats: int) -> None:
    """Without this, a table that compares nothing would pass the test above."""
    for replay in sample_matches(game, seats):
        events = [json.loads(line) for line in log_lines(replay.events)]
        interpreter = CountingInterpreter(plain(game), events[0])
        check_all_draws(events, b"another seed", interpreter)
        assert bool(interpreter.mismatches) == bool(sum(draws_by_rules(replay)))
