"""Extreme positions: however large their numbers and lists are, a few moves stay short."""

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import islice
from typing import Any, Literal, NamedTuple

import pytest
from hypothesis import given as for_all
from hypothesis import settings
from hypothesis import strategies as st

from domain.kernel.chance import Chance, Fast
from domain.kernel.game import AnyGame, Seat
from domain.kernel.json_input import MAX_SAFE_INTEGER
from domain.kernel.refusals import BadOptions
from domain.match.guards import MAX_FACTS_PER_EVENT
from tests.builders import sit_down, step
from tests.contract.cases import GAMES, every_game

SCALES = (10, 100, 1_000, 10_000, 1_000_000, MAX_SAFE_INTEGER)
"""The scales for numbers, in steps, so that growth is noticed while it is still small."""
LONGEST = 2_000
"""The maximum length of enlarged lists."""
MOVES = 6

P0 = {
    "layout": [["Q1", 0], ["Q2", 0], ["Q7", 0], ["Q3", 0]],
    "recipe": "rec_02",
    "tokens": {"eggs": [1, 2], "sugar": [0, 8], "cream": [7, 7], "berries": [6, 1]},
    "featured": "feat_01",
    "bakers": {"0": {"collected": ["eggs"], "last": 1}, "1": {"last": 2}},
    "round": 3,
    "turn": 6,
}
TILES = {"B2": {"ingredient": "flour", "owner": 0, "labor": 1}, "B3": {"ingredient": "sugar", "owner": 1, "labor": 1}}
BASES: dict[str, list[dict[str, Any]]] = {
    "tic_tac_toe": [{"cells": ["cross", None, None, "nought", None, None, None, None, None]}],
    "mice_cake": [
        {"cake": ["A1: (0-0) (2-4) 1-3", "B7: 4-6"], "yellow": ["6-6"], "rest": "blue", "quiet": 1, "round": 5,
         "options": {"start_face": "down", "matches": "boost"}, "resting": {"blue": [{"column": "A", "count": 1}]}},
    ],
    "take_the_cake": [P0],
    "bakers_brawl": [
        {"players": 2, "round": 2, "board": TILES, "discard": ["nuts"], "pantry": ["nuts"], "special_top": ["lemon"],
         "boss_pile": ["O40"], "completed": [{"order_id": "O05", "by": 0, "contributors": [0, 1]}],
         "seats": [{"hand": ["apple"], "cubes": 3, "points": 2}, {"cubes": 1, "points": 2}]},
        {"players": 2, "special_deck": ["nuts"], "order_deck": ["O30"]},
    ],
    "battle_of_the_bakeries": [
        {"step": "five", "fives": 1, "skips": [0, 1], "turns_done": 2, "turn": 3, "bonus_offer": 500, "face_up": [3],
         "flips_min": 2, "flips_max": 2, "scores": [0, 0], "rounds_won": [0, 0], "shown": [3], "empty": [7]},
        {"phase": "last_chance", "finder": 0, "multipliers": [6, 1], "allowed": [5], "skips": [0, 0]},
        {"phase": "stock", "drawn": "lemon_cake", "skips": [0, 0], "rolls": 1},
        {"phase": "sale", "rolls": 1, "tabs": [0, 0], "stale": [{"2": 1}, {}], "stale_left": 1, "sold": [[3], [4]]},
        {"phase": "catch_up", "actor": 1, "sold": [[2, 3, 4, 5, 6, 7, 8], [2]], "tries": 0, "tabs": [1, 1]},
    ],
    "pie_contest": [
        {"hands": {"0": [129]}, "kitchens": {"0": [1, 19, 20, 93, 125]}, "pies": {"0": [3], "1": [11, -1]},
         "turn": 10, "plays_left": 1, "acts_made": 0, "granted": 0, "options": {"variant": "grand"}, "trash": [24]},
    ],
}  # fmt: skip
"""Positions of each game with many things to enlarge. A game without any starts from an empty document."""

Path = tuple[str | int, ...]


class Growth(NamedTuple):
    """A thing to enlarge in a document: one number, all numbers of a list, or the length of a list."""

    path: Path
    what: Literal["number", "numbers", "length"]


def growths(document: Any, path: Path = ()) -> Iterator[Growth]:
    """Yield everything in a document that can be enlarged."""
    if isinstance(document, int) and not isinstance(document, bool):
        yield Growth(path, "number")
    if isinstance(document, list) and document:
        yield Growth(path, "length")
        if all(isinstance(each, int) for each in document):
            yield Growth(path, "numbers")
    if isinstance(document, dict | list):
        items: Iterable[Any] = document.items() if isinstance(document, dict) else enumerate(document)
        for key, value in items:
            yield from growths(value, (*path, key))


def value_at(document: Any, path: Path) -> Any:
    """Return the value at a path."""
    for key in path:
        document = document[key]
    return document


def with_value_at(document: Any, path: Path, value: Any) -> Any:
    """Return the document with a different value at a path."""
    if not path:
        return value
    key, rest = path[0], path[1:]
    changed = with_value_at(document[key], rest, value)
    if isinstance(document, dict):
        return {**document, key: changed}
    return [changed if n == key else each for n, each in enumerate(document)]


def with_size(document: Any, push: Growth, size: int) -> Any:
    """Return the document with a number or a list of this size at the path."""
    old = value_at(document, push.path)
    match push.what:
        case "number":
            return with_value_at(document, push.path, size)
        case "numbers":
            return with_value_at(document, push.path, [size] * len(old))
        case "length":
            return with_value_at(document, push.path, [old[n % len(old)] for n in range(size)])


def largest(accepted: Callable[[int], bool], low: int, high: int) -> int:
    """Return the largest accepted size from `low`, which is accepted, to `high`."""
    if accepted(high):
        return high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if accepted(middle) else (low, middle)
    return low


def is_position(game: AnyGame, document: Any) -> bool:
    """Return whether a match can start from the document."""
    try:
        game.start(game.seat_counts[0], {}, Fast(0), document)
    except BadOptions:
        return False
    return True


def grow(game: AnyGame, document: Any, push: Growth, scale: int) -> Any:
    """Return the document with one thing as large as the game accepts, up to a scale."""
    old = value_at(document, push.path)
    size = {"number": old, "numbers": 0, "length": len(old) if isinstance(old, list) else 0}[push.what]
    most = min(scale, LONGEST) if push.what == "length" else scale
    if size >= most or not is_position(game, with_size(document, push, size)):
        return document
    found = largest(lambda wanted: is_position(game, with_size(document, push, wanted)), size, most)
    return with_size(document, push, found)


def any_move(game: AnyGame, view: Any, seat: Seat, legal: Iterable[Any], chance: Chance) -> Any:
    """Return a legal move, or resign if there is none."""
    moves = list(islice(legal, 100))
    return chance.pick(moves) if moves else {"type": "resign"}


def play_some(game: AnyGame, document: Any, seed: int) -> int:
    """Play some moves from a position. Return the number of facts of the longest event.

    Raises MatchRefused for too many facts.
    """
    table, chance = sit_down(game, position=document, seed=seed), Fast(seed)
    for _ in range(MOVES):
        if table.match.status != "playing":
            break
        step(table, chance, any_move)
    return max(len(event.facts) for event in table.events)


def play_from_growth(game: AnyGame, base: Any, chosen: list[Growth], seed: int) -> None:
    """Play some moves with these things enlarged more and more, as far as the game accepts."""
    for scale in SCALES:
        document = base
        for push in chosen:
            document = grow(game, document, push, scale)
        assert play_some(game, document, seed) <= MAX_FACTS_PER_EVENT


@cache
def bases(game: AnyGame) -> list[tuple[dict[str, Any], list[Growth]]]:
    """Return the base positions of a game, with the things to enlarge in each."""
    return [(base, list(growths(base))) for base in BASES.get(game.slug, [{}]) if is_position(game, base)]


def test_the_largest_size_is_found() -> None:
    for most in range(20):
        assert largest(lambda size, most=most: size <= most, 0, 15) == min(most, 15)  # type: ignore[misc]


def test_every_base_position_is_valid() -> None:
    for game in GAMES:
        assert len(bases(game)) == len(BASES.get(game.slug, [{}])), game.slug


@pytest.mark.slow
@every_game
@pytest.mark.timeout(600)
def test_a_few_moves_stay_short_with_each_number_and_list_at_its_largest(game: AnyGame) -> None:
    for base, there in bases(game):
        for seed, push in enumerate(there):
            play_from_growth(game, base, [push], seed)


@pytest.mark.slow
@every_game
@pytest.mark.timeout(600)
@pytest.mark.parametrize("count", [15, pytest.param(150, marks=pytest.mark.full)])
def test_a_few_moves_stay_short_from_extreme_positions(game: AnyGame, count: int) -> None:
    if not bases(game):
        pytest.skip("the game has no known positions")

    @settings(max_examples=count)
    @for_all(data=st.data())
    def check(data: st.DataObject) -> None:
        base, there = data.draw(st.sampled_from(bases(game)))
        chosen = data.draw(st.lists(st.sampled_from(there), max_size=9, unique=True)) if there else []
        play_from_growth(game, base, chosen, data.draw(st.integers(0, 99)))

    check()
