"""The page about ratings says what the code does: its tests, reasons, figures and rule."""

import ast
import re
from datetime import timedelta
from pathlib import Path
from typing import get_args

from domain.match.state import UnratedReason
from service.read_models.places import FEW_PLACES, FOUNDERS_NOTE, MIN_FOUNDERS, MIN_OPPONENT_AGE, PLACE_RULE
from service.web.unrated import NOTES

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "ratings.md").read_text(encoding="utf-8")
ACTIONS = (
    *("take over", "hand over", "takeback", "pause", "vacation", "extension", "dispute", "abort", "cancel"),
    *("erase the account", "ban"),
)


def table_rows(heading: str) -> list[list[str]]:
    """Return the cells of the first table after a heading, without its head."""
    lines = PAGE.split(heading, 1)[1].splitlines()
    first = next(n for n, line in enumerate(lines) if line.startswith("| ---"))
    rows = []
    for line in lines[first + 1 :]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line.strip("|").split("|")])
    return rows


def test_every_action_has_an_existing_test() -> None:
    rows = {action: test for action, _, test in table_rows("## What actions do to a rating")}
    assert set(ACTIONS) <= rows.keys()
    for test in rows.values():
        path, _, name = test.strip("`").partition("::")
        tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
        assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}, test


def test_every_reason_is_explained() -> None:
    assert {row[0].strip("`") for row in table_rows("`unrated_reason` says why")} == set(get_args(UnratedReason))
    assert NOTES.keys() == set(get_args(UnratedReason)) - {"not_chosen"}


def test_the_rule_is_that_of_the_leaderboard_and_has_two_sentences() -> None:
    quoted = " ".join(line.removeprefix("> ") for line in PAGE.splitlines() if line.startswith("> "))
    assert quoted == PLACE_RULE
    assert len(re.findall(r"\.(?: |$)", PLACE_RULE)) == 2


def test_the_note_about_the_beginning_is_that_of_the_page() -> None:
    assert (6, 20, timedelta(days=1)) == (MIN_FOUNDERS, FEW_PLACES, MIN_OPPONENT_AGE)
    for said in (FOUNDERS_NOTE, " ".join(PAGE.split())):
        assert "Until 100 players of a game have one, an uncertainty of ±600 is enough" in said
        assert "f the operator has named no founders, then until 20 players of a game have a place" in said
        assert "count against everyone whose first rated match ended at least a day ago" in said
    assert "Name at least six" in PAGE
