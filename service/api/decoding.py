"""The one JSON decoder of the interface. What it lets through can be hashed, stored and sent back without surprise.

It is stricter than most: no duplicate keys, no NaN, no integers that other readers round, no depth bombs, no text that
is not Unicode.
"""

import json
import math
from typing import Any, NoReturn

DEEPEST = 32
"""How deep arrays and objects may be nested."""
LARGEST = 2**53 - 1
"""The largest integer that every JSON reader reads alike (RFC 7493)."""


class BadJson(ValueError):
    """The text is not JSON as we take it; the message says what is wrong with it."""


def decode(raw: bytes) -> Any:
    """The value of a JSON text in UTF-8. Raises BadJson."""
    try:
        value = _decoder.decode(raw.decode())
    except UnicodeDecodeError as error:
        raise BadJson(f"The body must be UTF-8; byte {error.start + 1} is not.") from None
    except json.JSONDecodeError as error:
        raise BadJson(f"The body is not JSON: {error.msg}, line {error.lineno}, column {error.colno}.") from None
    except RecursionError:
        raise _too_deep() from None
    _inspect(value, DEEPEST)
    return value


def _inspect(value: Any, depth: int) -> None:
    """Raise BadJson for what is nested deeper than `depth` or holds text that is not Unicode."""
    if isinstance(value, str):
        _require_text(value)
    elif isinstance(value, dict | list):
        if depth == 0:
            raise _too_deep()
        if isinstance(value, dict):
            for key in value:
                _require_text(key)
        for part in value.values() if isinstance(value, dict) else value:
            _inspect(part, depth - 1)


def _require_text(text: str) -> None:
    if text.isascii() and "\0" not in text:
        return
    if "\0" in text or any("\ud800" <= character <= "\udfff" for character in text):
        raise BadJson(
            "The body holds a NUL or half of a surrogate pair (\\u0000, \\ud800 to \\udfff); text has neither."
        )


def _too_deep() -> BadJson:
    return BadJson(f"The body is nested too deep; {DEEPEST} levels are allowed.")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise BadJson("The body names a key twice in one object.")
    return found


def _integer(digits: str) -> int:
    if len(digits) > len(str(-LARGEST)) or abs(int(digits)) > LARGEST:
        raise BadJson(f"The body holds an integer beyond {LARGEST}; readers of JSON round those.")
    return int(digits)


def _float(digits: str) -> float | int:
    """The number; 5.0 is the integer 5, as JSON Schema has it and some programs write it."""
    number = float(digits)
    if not math.isfinite(number) or abs(number) > LARGEST:
        raise BadJson(f"The body holds a number beyond {LARGEST}.")
    return int(number) if number.is_integer() else number


def _constant(name: str) -> NoReturn:
    raise BadJson(f"{name} is not JSON.")


_decoder = json.JSONDecoder(object_pairs_hook=_object, parse_int=_integer, parse_float=_float, parse_constant=_constant)
