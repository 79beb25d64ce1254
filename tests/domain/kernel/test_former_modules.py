"""Imports from the documented former locations still work, with a warning that names the new location."""

import importlib
import sys

import pytest

import crumbtrail.games

FORMER = {
    "domain.chance": ("Chance", "Fast", "Scripted"),
    "domain.game": (
        "AnyGame", "BadOptions", "Beyond", "Branch", "DrawTable", "Game", "IllegalMove", "Insight", "MoveGrammar",
        "OptionHelp", "Outcome", "Part", "Refused", "ScoreLine", "ScoreSheet", "Seat", "Step", "read_position",
    ),
    "domain.registry": ("UnknownGame", "find_game", "games", "versions"),
    "domain.svg": ("decoration", "element", "group", "label", "tooltip"),
    "domain.value": ("Value",),
}  # fmt: skip


@pytest.mark.parametrize("module", FORMER)
def test_a_former_module_has_its_names_and_warns(module: str) -> None:
    sys.modules.pop(module, None)
    with pytest.warns(DeprecationWarning, match=f"{module} has moved: import from "):
        former = importlib.import_module(module)
    for name in FORMER[module]:
        assert hasattr(former, name), name
        public = getattr(crumbtrail.games, name, None)
        assert public in (None, getattr(former, name)), name
