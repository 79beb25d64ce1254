"""Find the first leaf at which two plain values differ."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any, NamedTuple

import msgspec

MISSING = "nothing"
"""Placeholder for a value that one side does not have."""


class Difference(NamedTuple):
    """The first leaf that differs, such as `facts[1].dice[2]`, and its value on both sides."""

    path: str
    expected: Any
    found: Any


def first_difference(expected: Any, found: Any, path: str) -> Difference | None:
    """Return the first leaf at which two values differ, with fields in declared order, or None if they are equal."""
    return next(differences(msgspec.to_builtins(expected), msgspec.to_builtins(found), path), None)


def differences(expected: Any, found: Any, path: str) -> Iterator[Difference]:
    """Yield every leaf at which two plain values differ, in order."""
    if isinstance(expected, Mapping) and isinstance(found, Mapping):
        for key in [*expected, *(key for key in found if key not in expected)]:
            yield from differences(expected.get(key, MISSING), found.get(key, MISSING), f"{path}.{key}")
    elif is_list(expected) and is_list(found):
        for n, (one, other) in enumerate(zip_longest(expected, found, fillvalue=MISSING)):
            yield from differences(one, other, f"{path}[{n}]")
    elif type(expected) is not type(found) or expected != found:
        yield Difference(path, expected, found)


def is_list(value: Any) -> bool:
    """Return whether a plain value is an array."""
    return isinstance(value, Sequence) and not isinstance(value, str)
