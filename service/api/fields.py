"""marshmallow fields for JSON, queries and headers that do not coerce similar values."""

import re
from typing import Any

from marshmallow import ValidationError, fields, validate

from service.api.problems import Problem

DIGITS_PATTERN = re.compile(r"[0-9]{1,9}", re.ASCII)
MAX_QUERY_INTEGER = 999_999_999
PLY_ETAG_PATTERN = re.compile(r'"([0-9]{1,9})"', re.ASCII)
IDEMPOTENCY_KEY_PATTERN = re.compile(r"[\x20-\x7e]{1,255}", re.ASCII)


class QueryInteger(fields.Integer):
    """An integer of up to nine digits in a query, from `least` to `most`."""

    def __init__(self, least: int = 0, most: int = MAX_QUERY_INTEGER, **kwargs: Any) -> None:
        super().__init__(validate=validate.Range(least, most), **kwargs)

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> int:
        if not isinstance(value, str) or not DIGITS_PATTERN.fullmatch(value):
            raise self.make_error("invalid")
        return int(value)


class QueryFlag(fields.Integer):
    """A flag in a query: 1 or 0."""

    def __init__(self, *, metadata: dict[str, Any] | None = None, **kwargs: Any) -> None:
        super().__init__(metadata={"enum": [0, 1], **(metadata or {})}, **kwargs)

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> bool:
        if value not in ("0", "1"):
            raise ValidationError("Must be 1 or 0.")
        return bool(value == "1")


class StrictBoolean(fields.Boolean):
    """A JSON boolean; numbers and strings are refused."""

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> bool:
        if type(value) is not bool:
            raise self.make_error("invalid", input=value)
        return value


class PatternString(fields.String):
    """A string that must match a pattern as a whole."""

    def __init__(self, pattern: str, expected: str, **kwargs: Any) -> None:
        metadata = {"pattern": f"^{pattern}$", **kwargs.pop("metadata", {})}
        super().__init__(metadata=metadata, **kwargs)
        self._pattern = re.compile(pattern, re.ASCII)
        self._expected = expected

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> str:
        text = super()._deserialize(value, attr, data, **kwargs)
        if text is None or not self._pattern.fullmatch(text):
            raise ValidationError(self._expected)
        return text


class IfMatchHeader(fields.String):
    """The `If-Match` header: the expected ply in quotes, or `*` for any. Raises Problem 400 for anything else."""

    def __init__(self, *, metadata: dict[str, Any], **kwargs: Any) -> None:
        super().__init__(metadata={"pattern": '^"[0-9]{1,9}"$', **metadata}, **kwargs)

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> int | None:  # type: ignore[override]
        if value.strip() == "*":
            return None
        found = PLY_ETAG_PATTERN.fullmatch(value.strip())
        if not found:
            raise Problem(
                400, "bad_if_match", 'If-Match must be the ply you expect, in quotes, such as "12", or * for any ply.'
            )
        return int(found[1])


class IdempotencyKeyHeader(fields.String):
    """The `Idempotency-Key` header. Raises Problem 400 for an invalid one."""

    def __init__(self, *, metadata: dict[str, Any], **kwargs: Any) -> None:
        super().__init__(metadata={"pattern": "^[ -~]{1,255}$", **metadata}, **kwargs)

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> str:
        if not IDEMPOTENCY_KEY_PATTERN.fullmatch(value):
            raise Problem(
                400, "bad_idempotency_key", "An Idempotency-Key must have 1 to 255 printable ASCII characters."
            )
        return str(value)
