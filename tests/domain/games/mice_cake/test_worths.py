"""What lies in a column is worth (docs/bots.md)."""

import pytest

from domain.games.mice_cake.bot.evaluation import CONSTANTS, VALUES, VALUES_FILE, ColumnEvaluator, read_table
from domain.games.mice_cake.rules.parts import Piece


def test_a_row_that_is_too_short_is_named() -> None:
    text = VALUES_FILE.read_text().replace("\n3-4 ", "\n3-4 0.5\n3-5-")
    with pytest.raises(ValueError, match="row 3-4: needs 23 worths, has 1"):
        read_table(text)


def test_the_blank_in_front_is_worth_most_and_the_more_the_richer_the_rival_is() -> None:
    fronts = VALUES["front5"]
    assert max(fronts, key=lambda piece: fronts[piece]) == "0-0"
    promise, richer = ColumnEvaluator(), ColumnEvaluator(rich=10)
    assert richer.value_of(("0-0", "1-1")) - promise.value_of(("0-0", "1-1")) == pytest.approx(10 * CONSTANTS["rich"])


def test_a_front_that_lies_face_down_is_the_mean_of_what_it_may_be() -> None:
    known = [ColumnEvaluator(rich=6).value_of((piece, "4-5")) for piece in ("0-0", "6-6")]
    down = ColumnEvaluator(("0-0", "6-6"), rich=6).value_of((None, "4-5"))
    assert down == pytest.approx(sum(known) / 2)


def test_the_blank_counts_in_the_depth_of_a_column_too() -> None:
    """Given six dominoes, when the fourth is the 0-0 and can be seen, then it is worth what its place says."""

    def worth(fourth: Piece | None) -> float:
        return ColumnEvaluator().value_of(("1-1", "1-2", "1-3", fourth, "1-5", "1-6"))

    assert worth("0-0") - worth("1-4") == pytest.approx(CONSTANTS["deep6.4"])
    assert worth(None) == worth("1-4")


def test_an_empty_column_promises_nothing() -> None:
    assert ColumnEvaluator().value_of(()) == 0
