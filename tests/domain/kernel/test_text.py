"""Helpers for sentences."""

import pytest

from domain.kernel.text import capital, join_and, pluralize, wrap_words


def test_capital_changes_only_the_first_letter() -> None:
    assert [capital(text) for text in ("", "a", "the Oven")] == ["", "A", "The Oven"]


@pytest.mark.parametrize(
    ("parts", "joined"), [("", ""), ("a", "a"), ("ab", "a and b"), ("abc", "a, b and c"), ("abcd", "a, b, c and d")]
)
def test_parts_are_joined_as_in_a_sentence(parts: str, joined: str) -> None:
    assert join_and(iter(parts)) == joined


def test_only_a_count_of_one_is_singular() -> None:
    assert [pluralize(count, "card") for count in (0, 1, 2)] == ["0 cards", "1 card", "2 cards"]


def test_lines_are_wrapped_between_words() -> None:
    assert wrap_words("an apple a day", 8) == ["an apple", "a day"]
    assert wrap_words("a strawberry", 4) == ["a", "strawberry"]
    assert wrap_words("", 4) == [""]
