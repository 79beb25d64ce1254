"""The options of a question, and the keys by which an answer names them."""

from collections.abc import Iterable
from typing import NamedTuple

from domain.games.pie_contest.rules.moves import option_sort_key
from domain.games.pie_contest.rules.parts import Kind

KEY_FORMATS: dict[Kind, str] = {
    "swap": "pair:{}/{}",
    "steal_card": "seat:{}",
    "give_ing": "gift:{}/{}",
    "pie": "pie:{}.{}",
    "order_effect": "eff:{}",
    "order_achievement": "ach:{}",
}
"""How the options of a kind are written; all others are `card:<id>`."""
Numbers = tuple[int, ...]


class Decision(NamedTuple):
    """A decision: pick so many of the options, which are in the order of Q4."""

    kind: Kind
    options: tuple[str, ...]
    picks: int = 1


def make_decision(kind: Kind, found: Iterable[Numbers], picks: int = 1) -> Decision:
    """A decision among these; Q4 in ascending order of their numbers."""
    form = KEY_FORMATS.get(kind, "card:{}")
    return Decision(kind, tuple(form.format(*numbers) for numbers in sorted(found)), picks)


def key_numbers(key: str) -> Numbers:
    """The numbers in an option key."""
    return option_sort_key(key)[0]
