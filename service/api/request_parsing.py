"""Reads request bodies: their size, their JSON, and the problem for a document that its schema refuses."""

from typing import Any, cast

from flask import Request
from marshmallow import RAISE, Schema, ValidationError
from webargs.flaskparser import FlaskParser
from werkzeug.exceptions import RequestEntityTooLarge

from service.api.decoding import InvalidJson, decode
from service.api.problems import Problem

MAX_BODY_BYTES = 64 * 1024


class RequestParser(FlaskParser):
    """Reads requests with our own decoder and refuses fields that the schema does not have."""

    DEFAULT_UNKNOWN_BY_LOCATION = {**FlaskParser.DEFAULT_UNKNOWN_BY_LOCATION, "query": RAISE}  # noqa: RUF012

    def load_json(self, req: Request, schema: Schema) -> Any:
        """The body, `{}` if there is none. Raises Problem 400 and 415."""
        raw = read_body(req)
        if not raw:
            return {}
        if not req.is_json:
            raise Problem(415, "not_json", "The body must be JSON: send it with Content-Type: application/json.")
        return parse_json_object(raw)

    def handle_error(  # type: ignore[override]
        self, error: ValidationError, req: Request, schema: Schema, *, error_status_code: Any, error_headers: Any
    ) -> None:
        """Raise Problem 422 for a document that the schema refuses."""
        raise validation_problem(cast(dict[str, Any], error.messages))


def parse_json_object(raw: bytes) -> dict[str, Any]:
    """The JSON object that a body is. Raises Problem 400 and 422."""
    try:
        value = decode(raw)
    except InvalidJson as error:
        raise Problem(400, "malformed_json", str(error)) from None
    if not isinstance(value, dict):
        raise Problem(422, "invalid", "The body must be a JSON object.", errors={"json": {}})
    return value


def validation_problem(messages: dict[str, Any]) -> Problem:
    """The problem for a document that its schema refuses: messages by place, of which there is one."""
    (where,) = messages
    place = "body" if where == "json" else where
    return Problem(422, "invalid", f"The {place} is not as it must be: {first_message(messages)}", errors=messages)


def read_body(req: Request) -> bytes:
    """The whole body. Raises RequestEntityTooLarge; werkzeug cuts one without a length off instead."""
    raw = req.get_data(cache=False)
    if req.content_length is None and len(raw) == req.max_content_length:
        raise RequestEntityTooLarge
    return raw


def first_message(messages: Any) -> str:
    """The first of nested messages, with the way to it."""
    path: list[str] = []
    while isinstance(messages, dict):
        key, messages = next(iter(messages.items()))
        path.append(str(key))
    where = ".".join(part for part in path[1:] if part != "_schema")
    text = str(messages[0] if isinstance(messages, list) else messages)
    return f"{where}: {text}" if where else text
