"""The matches of the check: a bot that prefers kinds of moves it has not made meets every kind of every game."""

from collections.abc import Iterable
from itertools import islice
from typing import Any, get_args

import pytest

from domain.bots.levels import LEVELS, BotInput
from domain.kernel.chance import Chance, Fast
from domain.kernel.conformance import ConformanceMatch
from domain.kernel.game import AnyGame
from domain.kernel.registry import games
from tests.builders import play_on, sit_down
from workers.bots.conformance.positions import DEFAULT_MATCHES, conformance_matches
from workers.bots.conformance.proxy import MAX_LIMIT


def rehearse(game: AnyGame, rehearsal: ConformanceMatch, made: set[type], luck: str) -> None:
    """Play a match with a bot in seat 0 that prefers kinds of moves it has not made."""

    def agent(game: AnyGame, view: Any, seat: int, legal: Iterable[Any], chance: Chance) -> Any:
        if seat != 0:
            level = LEVELS[rehearsal.level or "greedy"]
            seed = f"{chance.below(10**9)}"
            return level.choose(BotInput(game, view, seat, legal, list, seed), None, None).move
        moves = list(islice(legal, MAX_LIMIT))
        fresh = [move for move in moves if type(move) not in made]
        move = chance.pick(fresh or moves)
        made.add(type(move))
        return move

    seats = rehearsal.seats or min(game.seat_counts)
    table = sit_down(game, seats=seats, options=rehearsal.options, position=rehearsal.position, seed=luck)
    play_on(table, Fast(luck), agent, 0)


@pytest.mark.parametrize("game", games().values(), ids=lambda game: game.slug)
@pytest.mark.parametrize("luck", [0, 1, 3])
def test_every_kind_of_move_occurs(game: AnyGame, luck: int) -> None:
    made: set[type] = set()
    for number, rehearsal in enumerate(conformance_matches(game.slug)):
        rehearse(game, rehearsal, made, f"{luck} {number}")
    assert {kind.__name__ for kind in get_args(game.move_type)} - {kind.__name__ for kind in made} == {"Resign"}


@pytest.mark.parametrize("slug", ["mice_cake", "a_game_that_is_not_installed"])
def test_a_game_without_listed_matches_is_checked_from_its_initial_position(slug: str) -> None:
    assert conformance_matches(slug) == DEFAULT_MATCHES
