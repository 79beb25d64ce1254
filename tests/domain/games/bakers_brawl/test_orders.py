"""Finding completed Orders (rules, C1 to C9), compared with a search through every set of cells."""

from itertools import combinations
from typing import Any

import pytest
from hypothesis import given as for_all
from hypothesis import settings
from hypothesis import strategies as st

from domain.games.bakers_brawl import GAME
from domain.games.bakers_brawl.rules.components import INGREDIENTS, NEEDS, ORDERS
from domain.games.bakers_brawl.rules.orders import Candidate, Grid, find_candidates, largest_part
from domain.games.bakers_brawl.rules.parts import Tile, cell_key, cells_of
from domain.kernel.chance import Fast
from domain.kernel.refusals import IllegalMove
from tests.domain.games.bakers_brawl.builders import plain, play, position, read, short


def touches(a: str, b: str) -> bool:
    """Return whether two cells share an edge (C5)."""
    return abs(int(a[1:]) - int(b[1:])) + abs(ord(a[0]) - ord(b[0])) == 1


def is_connected(cells: tuple[str, ...]) -> bool:
    reached, grown = set(cells[:1]), True
    while grown:
        more = {cell for cell in cells if cell not in reached and any(touches(cell, other) for other in reached)}
        reached, grown = reached | more, bool(more)
    return len(reached) == len(cells)


def by_exhaustive_search(board: dict[str, Tile], line: list[str], cell: str, strict: bool) -> list[Candidate]:
    """Find the candidates by applying C1 to C7 literally."""
    found = []
    for order_id in line:
        need = ORDERS[order_id].need
        sets = []
        for cells in combinations(sorted(board, key=cell_key), len(need)):
            kinds = [board[at].ingredient for at in cells]
            if cell not in cells or sorted(kinds) != sorted(need) or not is_connected(cells):
                continue
            adjacent = [at for at in board if at not in cells and any(touches(at, used) for used in cells)]
            if not strict or not adjacent:
                sets.append(cells)
        found += [Candidate(order_id, cells) for cells in sorted(sets, key=lambda cells: [*map(cell_key, cells)])]
    return found


@settings(max_examples=60, deadline=None)
@for_all(st.integers(0, 1 << 32), st.integers(5, 14), st.booleans())
def test_finds_what_trying_every_set_finds(seed: int, count: int, strict: bool) -> None:
    chance = Fast(seed)
    size = 4
    kinds = chance.shuffle(INGREDIENTS)[:7]  # few types, so that more sets fit
    cells = chance.shuffle(cells_of(size))[:count]
    board = {at: Tile(chance.pick(kinds), chance.below(3), 1) for at in cells}
    line = chance.shuffle(ORDERS)[:5]
    line += [order_id for order_id in ORDERS if NEEDS[order_id] <= set(kinds) and order_id not in line]
    assert find_candidates(Grid(board, size), line, cells[0], strict=strict) == by_exhaustive_search(
        board, line, cells[0], strict
    )


def test_the_compared_boards_have_candidates() -> None:
    """The comparison above needs boards with candidates."""
    found = 0
    for seed in range(40):
        chance = Fast(seed)
        board = {at: Tile(chance.pick(INGREDIENTS[:6]), 0, 1) for at in cells_of(4)}
        found += len(by_exhaustive_search(board, ["O04", "O09", "O34"], "B2", strict=False))
    assert found > 20


# -- strict_clusters (C6) -----------------------------------------------------------------------------------------

SETTING: dict[str, Any] = {
    "order_line": ["O27", "O34", "O26"],
    "board": {
        "B2": {"ingredient": "flour", "owner": 1, "labor": 1},
        "C3": {"ingredient": "sugar", "owner": 0, "labor": 1},
        "D2": {"ingredient": "milk", "owner": 1, "labor": 1},
    },
    "seats": [{"hand": ["berries"]}, {}],
}


def test_c6_a_neighbour_prevents_completion_only_with_strict_clusters() -> None:
    berries = read(type="play_special", ingredient="berries", cell="C2")
    _, loose = play(position(2, **SETTING), 0, berries)
    assert short(loose[1]) == ["order_completed", 0, "O27", ["B2", "C2", "C3"]]
    _, strict = play(position(2, **SETTING, options={"strict_clusters": True}), 0, berries)
    assert [short(fact)[0] for fact in strict] == ["ingredient_placed", "turn_started"]


def test_c6_a_set_without_neighbours_completes_with_strict_clusters() -> None:
    board = {cell: tile for cell, tile in SETTING["board"].items() if cell != "D2"}
    state = position(2, **{**SETTING, "board": board}, options={"strict_clusters": True})
    _, facts = play(state, 0, read(type="play_special", ingredient="berries", cell="C2"))
    assert short(facts[1]) == ["order_completed", 0, "O27", ["B2", "C2", "C3"]]


# -- may_decline (R32) --------------------------------------------------------------------------------------------


def test_r32_with_may_decline_even_a_single_candidate_is_offered() -> None:
    state = position(2, **SETTING, options={"may_decline": True})
    state, facts = play(state, 0, read(type="play_special", ingredient="berries", cell="C2"))
    assert short(facts[-1]) == ["completion_opened", 0, "C2", ["O27"]]
    offered = list(GAME.legal_moves(state, 0))
    assert plain(offered) == [
        {"type": "complete_order", "order_id": "O27", "cells": ["B2", "C2", "C3"]},
        {"type": "decline_order"},
    ]
    declined, facts = play(state, 0, offered[1])
    assert [short(fact) for fact in facts] == [["completion_declined", 0, "C2"], ["turn_started", 1, 1]]
    assert set(declined.board) == {"B2", "C2", "D2", "C3"}
    # C10: only a later placement that is part of the declined set can complete it.
    _, facts = play(declined, 1, read(type="play_basic", ingredient="eggs", cell="E5"))
    assert "order_completed" not in [short(fact)[0] for fact in facts]
    _, facts = play(declined, 1, read(type="play_basic", ingredient="sugar", cell="C1"))
    assert short(facts[1])[0] == "completion_opened"


def test_r32_without_the_option_nothing_can_be_declined() -> None:
    board = {**SETTING["board"], "B1": {"ingredient": "sugar", "owner": 0, "labor": 1}}
    board["C1"] = {"ingredient": "flour", "owner": 0, "labor": 1}
    state = position(2, **{**SETTING, "board": board})
    state, _ = play(state, 0, read(type="play_special", ingredient="berries", cell="C2"))
    assert state.phase == "complete"
    with pytest.raises(IllegalMove) as refused:
        play(state, 0, read(type="decline_order"))
    assert refused.value.code == "decline_not_allowed"
    assert {"type": "decline_order"} not in plain(list(GAME.legal_moves(state, 0)))


def test_c7_candidates_are_sorted_by_age_of_the_order_then_by_cells() -> None:
    """The ingredients of O09 are part of O38, so one placement allows several Orders and sets."""
    kinds = {"A1": "eggs", "B1": "sugar", "C1": "eggs", "B2": "cream_cheese", "A2": "milk", "C2": "lemon"}
    board = {cell: {"ingredient": kind, "owner": 1, "labor": 1} for cell, kind in kinds.items() if cell != "B1"}
    state = position(3, order_line=["O38", "O09"], board=board)
    state, facts = play(state, 0, read(type="play_basic", ingredient="sugar", cell="B1"))
    assert short(facts[-1]) == ["completion_opened", 0, "B1", ["O38", "O09"]]
    assert [(move["order_id"], move["cells"]) for move in plain(list(GAME.legal_moves(state, 0)))] == [
        ("O38", ["A1", "B1", "A2", "B2", "C2"]),
        ("O38", ["B1", "C1", "A2", "B2", "C2"]),
        ("O09", ["A1", "B1", "B2"]),
        ("O09", ["B1", "C1", "B2"]),
    ]


# -- resigning before choosing an Order (M8) --------------------------------------------------------------------------


def test_m8_a_seat_that_resigns_before_its_choice_completes_the_first_candidate() -> None:
    board = {
        "B2": {"ingredient": "flour", "owner": 1, "labor": 1},
        "D2": {"ingredient": "flour", "owner": 2, "labor": 1},
        "C3": {"ingredient": "sugar", "owner": 1, "labor": 1},
    }
    seats = [{"hand": ["berries", "nuts"]}, {}, {}]
    state = position(3, order_line=["O27", "O34", "O26"], board=board, seats=seats, options={"may_decline": True})
    state, _ = play(state, 0, read(type="play_special", ingredient="berries", cell="C2"))
    state, facts = play(state, 0, read(type="resign"))
    assert [short(fact) for fact in facts] == [
        ["seat_resigned", 0, ["nuts"]],
        ["order_completed", 0, "O27", ["B2", "C2", "C3"]],
        ["points_scored", 0, 3, "top", "O27"],
        ["labor_compared", "O27", [[0, 2, 1, 1], [1, 2, 2, 0]], [1]],
        ["points_scored", 1, 2, "bottom", "O27"],
        ["ingredients_cleared", "O27", ["B2", "C2", "C3"], [[0, 2, []], [1, 2, ["flour", "sugar"]]], ["berries"]],
        ["order_claimed", "O27", [0, 1]],
        ["turn_started", 1, 1],
    ]
    assert state.seats[0].points == 3


def test_r63_the_last_baker_wins_even_if_an_order_could_be_completed() -> None:
    state = position(2, **SETTING, options={"may_decline": True})
    state, _ = play(state, 0, read(type="play_special", ingredient="berries", cell="C2"))
    state, facts = play(state, 0, read(type="resign"))
    assert [short(fact)[:2] for fact in facts[:2]] == [["seat_resigned", 0], ["game_ended", "last_baker"]]
    assert state.result
    assert state.result.winners == (1,)
    assert state.result.ranks == (2, 1)
    assert "O27" in state.order_line


def test_t6_drawn_cards_stay_aside_when_an_off_turn_resignation_ends_the_game() -> None:
    state = position(2, special_top=["lemon", "nuts"])
    state, _ = play(state, 0, read(type="draw_special"))
    state, _ = play(state, 1, read(type="resign"))
    assert (state.phase, state.drawn, state.turn) == ("over", ("lemon", "nuts"), 0)


@settings(max_examples=60, deadline=None)
@for_all(st.integers(0, 1 << 32), st.integers(1, 11))
def test_the_largest_part_matches_an_exhaustive_search(seed: int, count: int) -> None:
    chance = Fast(seed)
    cells = chance.shuffle(cells_of(4))[:count]
    kinds = chance.shuffle(INGREDIENTS)[:6]
    board = {at: Tile(chance.pick(kinds), chance.below(3), 1) for at in cells}
    order = ORDERS[chance.pick([*ORDERS])]
    fitting = sorted((at for at in board if board[at].ingredient in order.need), key=cell_key)
    parts = [
        part
        for size in range(len(order.need), 0, -1)
        for part in combinations(fitting, size)
        if len({board[at].ingredient for at in part}) == size and is_connected(part)
    ]
    largest = [part for part in parts if len(part) == len(parts[0])]
    expected = min(largest, key=lambda part: [*map(cell_key, part)], default=())
    assert largest_part(Grid(board, 4), NEEDS[order.id]) == expected
