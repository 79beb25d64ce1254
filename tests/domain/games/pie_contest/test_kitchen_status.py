"""Tests of the line that says what a Kitchen still needs (rules, B1)."""

import pytest

from domain.games.pie_contest import GAME
from domain.games.pie_contest.presentation.hints import kitchen_status
from domain.games.pie_contest.rules.components import NAMES
from domain.games.pie_contest.rules.pie_values import can_bake, count_salts
from tests.domain.games.pie_contest.builders import position

SALTS = tuple(card for card, name in NAMES.items() if name == "Table Salt")
PEARS = tuple(card for card, name in NAMES.items() if name in ("Pear", "Potato", "Sugar"))


@pytest.mark.parametrize(
    ("salts", "others", "said"),
    [
        (0, 0, "Empty"),
        (0, 1, "Needs 1 Ingredient and 1 Salt"),
        (0, 2, "Needs 1 Salt"),
        (0, 4, "Needs 1 Salt"),
        (0, 5, "Full, but has no Salt"),
        (1, 0, "Needs 2 Ingredients"),
        (1, 1, "Needs 1 Ingredient"),
        (2, 0, "1 Salt too many"),
        (2, 3, "1 Salt too many"),
        (4, 1, "3 Salts too many"),
    ],
)
def test_a_kitchen_says_what_is_missing(salts: int, others: int, said: str) -> None:
    assert kitchen_status((*SALTS[:salts], *PEARS[:others])) == said


def test_a_kitchen_that_can_be_baked_says_what_it_would_bake() -> None:
    salt_lemon_custard = (1, 41, 53)  # the Lemon adds 1 to the Custard, which loses 2 without a crust
    assert kitchen_status(salt_lemon_custard) == "Can bake 4"


@pytest.mark.parametrize(("salts", "others"), [(0, 1), (0, 2), (0, 3), (0, 4), (1, 0), (1, 1)])
def test_a_kitchen_with_what_it_asked_for_can_be_baked(salts: int, others: int) -> None:
    """Adding exactly what the line names makes the Kitchen ready, and adding one card less does not."""
    kitchen = (*SALTS[:salts], *PEARS[:others])
    said = kitchen_status(kitchen).split()
    more = int(said[1]) if "Ingredient" in said[2] else 0
    salt = 1 if said[-1] == "Salt" else 0
    spare = PEARS[others:]
    assert not can_bake((*kitchen, *spare[: more + salt - 1]))
    assert can_bake((*kitchen, *spare[:more], *SALTS[count_salts(kitchen) :][:salt]))


def test_the_picture_of_the_table_has_the_line_of_each_kitchen() -> None:
    state = position(kitchens={"0": [1, 30, 60], "1": [19], "2": [2, 3]})
    drawn = GAME.svg(GAME.view(state, None), None)
    for words in ("Can bake 5", "Needs 1 Ingredient and 1 Salt", "1 Salt too many", "Empty"):
        assert f">{words}<" in drawn
