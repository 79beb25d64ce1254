"""The evaluation of columns (docs/bots.md)."""

import pytest

from domain.games.mice_cake.bot.evaluation import CONSTANTS, VALUES, VALUES_FILE, ColumnEvaluator, read_table
from domain.games.mice_cake.rules.parts import Piece


def test_the_error_names_an_incomplete_row() -> None:
    text = VALUES_FILE.read_text().replace("\n3-4 ", "\n3-4 0.5\n3-5-")
    with pytest.raises(ValueError, match="row 3-4: expected 23 values, found 1"):
        read_table(text)


def test_the_blank_is_the_most_valuable_front_and_gains_with_the_best_steal() -> None:
    fronts = VALUES["front5"]
    assert max(fronts, key=lambda piece: fronts[piece]) == "0-0"
    poor, rich = ColumnEvaluator(), ColumnEvaluator(rich=10)
    assert rich.value_of(("0-0", "1-1")) - poor.value_of(("0-0", "1-1")) == pytest.approx(10 * CONSTANTS["rich"])


def test_a_face_down_front_has_the_mean_value_of_the_unseen_dominoes() -> None:
    known = [ColumnEvaluator(rich=6).value_of((piece, "4-5")) for piece in ("0-0", "6-6")]
    down = ColumnEvaluator(("0-0", "6-6"), rich=6).value_of((None, "4-5"))
    assert down == pytest.approx(sum(known) / 2)


def test_a_visible_blank_deep_in_a_column_has_a_value() -> None:
    def value(fourth: Piece | None) -> float:
        return ColumnEvaluator().value_of(("1-1", "1-2", "1-3", fourth, "1-5", "1-6"))

    assert value("0-0") - value("1-4") == pytest.approx(CONSTANTS["deep6.4"])
    assert value(None) == value("1-4")


def test_an_empty_column_has_no_value() -> None:
    assert ColumnEvaluator().value_of(()) == 0
