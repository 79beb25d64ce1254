"""The short names of option values on pages."""

from domain.kernel.game import OptionHelp


def test_a_label_comes_with_its_value() -> None:
    option = OptionHelp("first", "Who goes first", ("random", True, 1), ("", "", ""), ("Random", "The host", "Ana"))
    assert [option.label(value) for value in option.values] == ["Random", "The host", "Ana"]


def test_without_labels_the_value_is_made_readable() -> None:
    option = OptionHelp("tie", "Ties", ("next_best", None, True, False), ("", "", "", ""))
    assert [option.label(value) for value in option.values] == ["Next best", "Default", "Yes", "No"]
    assert option.label(17) == "17"
