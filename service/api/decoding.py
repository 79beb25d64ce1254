"""The one JSON decoder of the interface. What it lets through can be hashed, stored and sent back without surprise.

It is stricter than most: no duplicate keys, no NaN, no integers that other readers round, no depth bombs, no text that
is not Unicode.
"""

import json
import math
from typing import Any, NoReturn

MAX_DEPTH = 32
"""How deep arrays and objects may be nested."""
MAX_SAFE_INTEGER = 2**53 - 1
"""The largest integer that every JSON reader reads alike (RFC 7493)."""


class InvalidJson(ValueError):
    """The text is not JSON as we take it; the message says what is wrong with it."""


def decode(raw: bytes) -> Any:
    """The value of a JSON text in UTF-8. Raises BadJson."""
    try:
        value = _decoder.decode(raw.decode())
    except UnicodeDecodeError as error:
        raise InvalidJson(f"The body must be UTF-8; byte {error.start + 1} is not.") from None
    except json.JSONDecodeError as error:
        raise InvalidJson(f"The body is not JSON: {error.msg}, line {error.lineno}, column {error.colno}.") from None
    except RecursionError:
        raise _too_deep_error() from None
    _check_depth_and_text(value, MAX_DEPTH)
    return value


def _check_depth_and_text(value: Any, depth: int) -> None:
    """Raise BadJson for what is nested deeper than `depth` or holds text that is not Unicode."""
    if isinstance(value, str):
        _require_valid_text(value)
    elif isinstance(value, dict | list):
        if depth == 0:
            raise _too_deep_error()
        if isinstance(value, dict):
            for key in value:
                _require_valid_text(key)
        for part in value.values() if isinstance(value, dict) else value:
            _check_depth_and_text(part, depth - 1)


def _require_valid_text(text: str) -> None:
    if text.isascii() and "\0" not in text:
        return
    if "\0" in text or any("\ud800" <= character <= "\udfff" for character in text):
        raise InvalidJson(
            "The body holds a NUL or half of a surrogate pair (\\u0000, \\ud800 to \\udfff); text has neither."
        )


def _too_deep_error() -> InvalidJson:
    return InvalidJson(f"The body is nested too deep; {MAX_DEPTH} levels are allowed.")


def _parse_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise InvalidJson("The body names a key twice in one object.")
    return found


def _parse_integer(digits: str) -> int:
    if len(digits) > len(str(-MAX_SAFE_INTEGER)) or abs(int(digits)) > MAX_SAFE_INTEGER:
        raise InvalidJson(f"The body holds an integer beyond {MAX_SAFE_INTEGER}; readers of JSON round those.")
    return int(digits)


def _parse_float(digits: str) -> float | int:
    """The number; 5.0 is the integer 5, as JSON Schema has it and some programs write it."""
    number = float(digits)
    if not math.isfinite(number) or abs(number) > MAX_SAFE_INTEGER:
        raise InvalidJson(f"The body holds a number beyond {MAX_SAFE_INTEGER}.")
    return int(number) if number.is_integer() else number


def _reject_constant(name: str) -> NoReturn:
    raise InvalidJson(f"{name} is not JSON.")


_decoder = json.JSONDecoder(
    object_pairs_hook=_parse_object, parse_int=_parse_integer, parse_float=_parse_float, parse_constant=_reject_constant
)
