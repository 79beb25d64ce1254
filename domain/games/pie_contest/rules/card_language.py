"""The vocabulary of card effects (rules, 12.1): its syntax and the arguments of each word.

Effects in `components.json` are written as in the rules, for example `pie(other, -3)`. This module parses and checks
them. Their meaning is defined in `pie_values.py` (terms), `achievements.py` (conditions) and `effects.py` (ops).
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from domain.kernel.values import Value

Arg = str | int
KITCHEN_SIZE = 5

CALL_PATTERN = re.compile(r"([a-z_]+)\(([^()]*)\)")
WHOLE_NUMBER = re.compile(r"-?[0-9]+")


class Call(Value, frozen=True):
    """A word of the vocabulary with its arguments, which are words or whole numbers."""

    name: str
    args: tuple[Arg, ...]

    def __str__(self) -> str:
        return f"{self.name}({', '.join(map(str, self.args))})"


class VocabularyError(ValueError):
    """Raised for an effect that is not in the vocabulary. The message says what is wrong and what is valid."""


@dataclass(frozen=True)
class FilterWords:
    """The flavours and subflavours that a filter can use."""

    flavours: tuple[str, ...]
    subflavours: tuple[str, ...]

    def names(self) -> tuple[str, ...]:
        """Return flavours and subflavours, flavours first."""
        return (*self.flavours, *self.subflavours)


@dataclass(frozen=True)
class Parameter:
    """An argument: its description for error messages, and a check of its values."""

    wants: str
    accepts: Callable[[Arg, FilterWords], bool]


Signatures = Mapping[str, tuple[Parameter, ...]]


def word_parameter(*allowed: str) -> Parameter:
    """Return a parameter that accepts one of these words."""
    return Parameter(" or ".join(allowed), lambda value, _: value in allowed)


def number_parameter(wants: str, fits: Callable[[int], bool]) -> Parameter:
    """Return a parameter that accepts a whole number for which `fits` is true."""
    return Parameter(wants, lambda value, _: isinstance(value, int) and fits(value))


def is_filter(value: Arg, filters: FilterWords) -> bool:
    """Return whether this filter selects Ingredients: `any`, a flavour, a subflavour, or `!` with one of these."""
    return isinstance(value, str) and (value in ("any", "ingredient") or value.removeprefix("!") in filters.names())


FILTER = Parameter("any, a flavour, a subflavour, or ! followed by one of these", is_filter)
CARDS = Parameter(
    "card, action, any, a flavour, a subflavour, or ! followed by one of these",
    lambda value, filters: value in ("card", "action") or is_filter(value, filters),
)
COUNT = number_parameter("a number of 1 or more", lambda n: n >= 1)
SIZE = number_parameter(f"a number of Ingredients, 1 to {KITCHEN_SIZE}", lambda n: 1 <= n <= KITCHEN_SIZE)
LIMIT = number_parameter("a whole number", lambda n: True)
CHANGE = number_parameter("a whole number other than 0", lambda n: n != 0)

TERMS: Signatures = {
    "per": (FILTER, CHANGE),
    "if_any": (FILTER, CHANGE),
    "if_none": (FILTER, CHANGE),
    "if_size": (SIZE, CHANGE),
    "per_flavour": (CHANGE,),
    "each": (FILTER, CHANGE),
}
OPS: Signatures = {
    "draw": (word_parameter("self"), COUNT),
    "bake": (word_parameter("self", "may", "all"),),
    "extra_play": (COUNT,),
    "swap": (),
    "steal_ing": (FILTER,),
    "trash_ing": (word_parameter("others", "self"), FILTER),
    "give_ing": (FILTER,),
    "take_back": (FILTER,),
    "salvage": (CARDS,),
    "stock": (FILTER,),
    "forage": (),
    "search": (COUNT,),
    "steal_card": (COUNT,),
    "trash_hand": (word_parameter("others"), COUNT),
    "pass_hand": (),
    "pie": (word_parameter("self", "other", "all_others"), CHANGE),
    "new_row": (),
}
CONDITIONS: Signatures = {
    "kitchen": (FILTER, SIZE),
    "flavours": (COUNT,),
    "worth_min": (LIMIT,),
    "worth_max": (LIMIT,),
    "hand_min": (COUNT,),
    "hand_max": (LIMIT,),
    "pies": (COUNT,),
    "pie_max": (LIMIT,),
    "clean": (),
    "bake_min": (LIMIT,),
    "bake_max": (LIMIT,),
    "bake_size": (SIZE,),
    "bake_with": (FILTER, SIZE),
    "bake_flavours": (SIZE,),
    "dive": (CARDS,),
    "steals": (COUNT,),
    "swaps": (COUNT,),
    "raids": (COUNT,),
    "plays": (COUNT,),
}


def read_call(text: str, signatures: Signatures, filters: FilterWords) -> Call:
    """Return the effect in this text. Raises VocabularyError if it is not in the vocabulary."""
    match = CALL_PATTERN.fullmatch(text)
    if match is None:
        raise VocabularyError(f"{text!r} is not an effect. Effects look like draw(self, 2)")
    name, inside = match.groups()
    if name not in signatures:
        raise VocabularyError(f"{text!r}: there is no {name}. Use one of {', '.join(signatures)}")
    args = tuple(map(read_arg, inside.split(","))) if inside.strip() else ()
    parameters = signatures[name]
    if len(args) != len(parameters):
        raise VocabularyError(f"{text!r}: {name} takes {len(parameters)} arguments, not {len(args)}")
    for arg, parameter in zip(args, parameters, strict=True):
        if not parameter.accepts(arg, filters):
            raise VocabularyError(f"{text!r}: {arg!r} is not {parameter.wants}")
    return Call(name, args)


def read_calls(texts: Iterable[str], signatures: Signatures, filters: FilterWords) -> tuple[Call, ...]:
    """Return the effects in these texts. Raises VocabularyError."""
    return tuple(read_call(text, signatures, filters) for text in texts)


def read_arg(text: str) -> Arg:
    """Return the argument as a whole number if it is one, otherwise as a word."""
    bare = text.strip()
    return int(bare) if WHOLE_NUMBER.fullmatch(bare) else bare
