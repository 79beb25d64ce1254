"""The JSON decoder of the API. Values that it accepts can be hashed, stored and sent back unchanged.

It is stricter than most decoders: it refuses duplicate keys, NaN, integers that other decoders round, deep nesting and
invalid Unicode.
"""

import json
import math
from typing import Any, NoReturn

MAX_DEPTH = 32
"""Maximum nesting depth of arrays and objects."""
MAX_SAFE_INTEGER = 2**53 - 1
"""The largest integer that all JSON decoders agree on (RFC 7493)."""
MAX_DIGITS = len(str(-MAX_SAFE_INTEGER))
"""The length of the longest text of an integer within that limit."""


class InvalidJson(ValueError):
    """The text is not valid JSON, or not allowed here; the message says why."""


def decode(raw: bytes) -> Any:
    """Return the value of a JSON text in UTF-8. Raises InvalidJson."""
    try:
        text = raw.decode()
        value = _decoder.decode(text)
    except UnicodeDecodeError as error:
        raise InvalidJson(f"The body must be UTF-8, but byte {error.start + 1} is invalid.") from None
    except json.JSONDecodeError as error:
        raise InvalidJson(f"The body is not JSON: {error.msg}, line {error.lineno}, column {error.colno}.") from None
    except RecursionError:
        raise _too_deep_error() from None
    # Invalid Unicode needs an escape, and depth needs brackets. Most bodies have neither, and skipping the check takes
    # 25 to 30 % less time.
    if "\\u" in text or text.count("{") + text.count("[") > MAX_DEPTH:
        _check_depth_and_text(value, MAX_DEPTH)
    return value


def _check_depth_and_text(value: Any, depth: int) -> None:
    """Raise InvalidJson for a value that is nested deeper than `depth` or contains invalid Unicode."""
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
        raise InvalidJson("The body contains a NUL or an unpaired surrogate (\\u0000, \\ud800 to \\udfff). Remove it.")


def _too_deep_error() -> InvalidJson:
    return InvalidJson(f"The body is nested too deeply. The limit is {MAX_DEPTH} levels.")


def _parse_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise InvalidJson("The body has an object with a duplicate key.")
    return found


def _parse_integer(digits: str) -> int:
    number = int(digits) if len(digits) <= MAX_DIGITS else None
    if number is None or abs(number) > MAX_SAFE_INTEGER:
        raise InvalidJson(f"The body contains an integer beyond {MAX_SAFE_INTEGER}, which many JSON decoders round.")
    return number


def _parse_float(digits: str) -> float | int:
    """Return the number. 5.0 becomes the integer 5, as in JSON Schema, as some programs write integers this way."""
    number = float(digits)
    if not math.isfinite(number) or abs(number) > MAX_SAFE_INTEGER:
        raise InvalidJson(f"The body contains a number beyond {MAX_SAFE_INTEGER}.")
    return int(number) if number.is_integer() else number


def _reject_constant(name: str) -> NoReturn:
    raise InvalidJson(f"{name} is not valid JSON.")


_decoder = json.JSONDecoder(
    object_pairs_hook=_parse_object, parse_int=_parse_integer, parse_float=_parse_float, parse_constant=_reject_constant
)
