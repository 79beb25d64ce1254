"""Normalizes and checks JSON from outside before anything else reads it."""

from collections.abc import Mapping
from typing import Any

import msgspec

from domain.kernel.refusals import BadOptions

MAX_SAFE_INTEGER = 2**53 - 1
"""The largest whole number that every JSON reader reads exactly (RFC 8785)."""


def normalize_numbers(document: Any) -> Any:
    """Return the document with numbers such as 5.0 written as 5; JSON has only one kind of number.

    Raises msgspec.ValidationError for a number that other programs would not read exactly.
    """
    if isinstance(document, str) or document is None:
        return document
    if isinstance(document, float) and document.is_integer():
        document = int(document)
    if isinstance(document, int):
        if abs(document) > MAX_SAFE_INTEGER:
            raise msgspec.ValidationError("a number is outside the range -(2**53 - 1) to 2**53 - 1")
        return document
    if type(document) is dict or isinstance(document, Mapping):  # checking for an abstract class is slow
        return {key: normalize_numbers(value) for key, value in document.items()}
    if isinstance(document, list | tuple):
        return [normalize_numbers(value) for value in document]
    return document


def read_position(document: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Return a position document as the log stores it, without checking its meaning. Raise BadOptions."""
    try:
        position: dict[str, Any] | None = normalize_numbers(document)
    except msgspec.ValidationError as error:
        raise BadOptions("position", f"This is not a position document: {error}.") from None
    return position
