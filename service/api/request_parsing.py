"""Reads and validates request bodies, and builds the problems for invalid ones."""

from typing import Any, cast

from flask import Request
from marshmallow import RAISE, Schema, ValidationError
from webargs.flaskparser import FlaskParser
from werkzeug.exceptions import RequestEntityTooLarge

from service.api.decoding import InvalidJson, decode
from service.api.problems import Problem

MAX_BODY_BYTES = 64 * 1024


class RequestParser(FlaskParser):
    """Parses requests with the strict JSON decoder and refuses unknown fields."""

    DEFAULT_UNKNOWN_BY_LOCATION = {**FlaskParser.DEFAULT_UNKNOWN_BY_LOCATION, "query": RAISE}  # noqa: RUF012

    def load_json(self, req: Request, schema: Schema) -> Any:
        """Return the body, or `{}` if it is empty. Raises Problem 400, 415 and 422."""
        raw = read_body(req)
        if not raw:
            return {}
        if not req.is_json:
            raise Problem(415, "not_json", "The body must be JSON. Send it with Content-Type: application/json.")
        return parse_json_object(raw)

    def handle_error(  # type: ignore[override]
        self, error: ValidationError, req: Request, schema: Schema, *, error_status_code: Any, error_headers: Any
    ) -> None:
        """Raise Problem 422 for a document that does not match the schema."""
        raise validation_problem(cast(dict[str, Any], error.messages))


def parse_json_object(raw: bytes) -> dict[str, Any]:
    """Return the JSON object in a body. Raises Problem 400 and 422."""
    try:
        value = decode(raw)
    except InvalidJson as error:
        raise Problem(400, "malformed_json", str(error)) from None
    if not isinstance(value, dict):
        raise Problem(422, "invalid", "The body must be a JSON object.", errors={"json": {}})
    return value


def validation_problem(messages: dict[str, Any]) -> Problem:
    """Return the problem for a document that does not match its schema. `messages` has a single location as its key."""
    (where,) = messages
    place = "body" if where == "json" else where
    return Problem(422, "invalid", f"The {place} is invalid: {first_message(messages)}", errors=messages)


def read_body(req: Request) -> bytes:
    """Return the whole body. Raises RequestEntityTooLarge, even if werkzeug cuts off a body of unknown length."""
    raw = req.get_data(cache=False)
    if req.content_length is None and len(raw) == req.max_content_length:
        raise RequestEntityTooLarge
    return raw


def first_message(messages: Any) -> str:
    """Return the first of nested messages, with its path."""
    path: list[str] = []
    while isinstance(messages, dict):
        key, messages = next(iter(messages.items()))
        path.append(str(key))
    where = ".".join(part for part in path[1:] if part != "_schema")
    text = str(messages[0] if isinstance(messages, list) else messages)
    return f"{where}: {text}" if where else text
