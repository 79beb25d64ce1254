"""The options of a choice, and the keys that identify them in moves."""

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
"""The format of option keys by kind of choice. All other kinds use `card:<id>`."""
Numbers = tuple[int, ...]


class Decision(NamedTuple):
    """A decision: pick this many of the options, which are in the order of Q4."""

    kind: Kind
    options: tuple[str, ...]
    picks: int = 1


def make_decision(kind: Kind, found: Iterable[Numbers], picks: int = 1) -> Decision:
    """Return a decision between these options, in ascending order of their numbers (Q4)."""
    form = KEY_FORMATS.get(kind, "card:{}")
    return Decision(kind, tuple(form.format(*numbers) for numbers in sorted(found)), picks)


def key_numbers(key: str) -> Numbers:
    """Return the numbers in an option key."""
    return option_sort_key(key)[0]
