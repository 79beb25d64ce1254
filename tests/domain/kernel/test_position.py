"""Helpers for position documents."""

import msgspec
import pytest

from domain.kernel.position import PositionReader, value_or_default
from domain.kernel.refusals import BadOptions


class Settings(msgspec.Struct, frozen=True):
    size: int = 3
    open: bool = False


class Document(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    options: Settings = Settings()
    turn: int = 1


POSITION = PositionReader(Document, "Ludo", rule="P1")


def test_a_document_is_read_with_its_defaults() -> None:
    assert POSITION.read({"options": {"size": 5}}) == Document(Settings(5))


def test_an_unknown_member_is_refused_with_the_known_ones() -> None:
    with pytest.raises(
        BadOptions, match=r"not a position of Ludo: .*`round`.*\. Valid keys: options, turn\."
    ) as refused:
        POSITION.read({"round": 1})
    assert refused.value.rule == "P1"


def test_options_may_be_given_in_either_place() -> None:
    assert POSITION.merge_options(Settings(size=5), Settings(open=True)) == Settings(5, open=True)
    assert POSITION.merge_options(Settings(size=5), Settings(size=5)) == Settings(5)


def test_options_that_contradict_each_other_are_refused() -> None:
    with pytest.raises(BadOptions, match="Option size is 5, but the position says 4"):
        POSITION.merge_options(Settings(size=5), Settings(size=4))


def test_a_requirement_that_does_not_hold_is_refused() -> None:
    POSITION.require([1], "never raised")
    with pytest.raises(BadOptions, match=r"Nobody is left\."):
        POSITION.require([], "Nobody is left.")


def test_only_none_is_replaced_by_a_default() -> None:
    assert value_or_default(None, 3) == 3
    assert value_or_default(0, 3) == 0
