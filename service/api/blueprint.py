"""The base class of the API's blueprints."""

from collections.abc import Callable
from functools import wraps
from typing import Any

import msgspec
from flask import Response
from flask_smorest import Blueprint  # type: ignore[import-untyped]
from marshmallow import Schema

from service.api.authentication import require_player
from service.api.components import component_reference
from service.api.problems import error_response
from service.api.request_parsing import RequestParser

PREFIX = "/api/v1"

TOKEN_REQUIRED: list[dict[str, list[str]]] = [{"bearer": []}]

TOKEN_OPTIONAL: list[dict[str, list[str]]] = [{}, {"bearer": []}]

ViewFunction = Callable[..., Response]


class ApiBlueprint(Blueprint):  # type: ignore[misc]
    """A blueprint that answers every error with a problem document.

    Where the OpenAPI document requires a token, `admit` checks it before anything else is read.
    """

    ARGUMENTS_PARSER = RequestParser()

    def __init__(self, name: str, description: str, admit: Callable[[], object] | None = None) -> None:
        super().__init__(name, f"service.api.{name}", url_prefix=PREFIX, description=description)
        self.register_error_handler(Exception, error_response)
        self._authorize = admit or require_player
        self.answer_types: list[type] = []
        """The types of answers, for their components in the OpenAPI document."""

    def route(self, rule: str, **options: Any) -> Any:
        """Return a decorator that serves a view at this path, with the token check."""
        serve = super().route(rule, **options)
        return lambda view: serve(self._with_authorization(view))

    def _with_authorization(self, view: ViewFunction) -> ViewFunction:
        if getattr(view, "_apidoc", {}).get("manual_doc", {}).get("security") != TOKEN_REQUIRED:
            return view

        @wraps(view)
        def admitting(**arguments: Any) -> Response:
            self._authorize()
            return view(**arguments)

        return admitting

    def response(self, status_code: int, schema: Any = None, **options: Any) -> Any:
        """Document the answer with a schema, or with the type that msgspec encodes."""
        return super().response(status_code, self._documented(schema), **options)

    def alt_response(self, status_code: int, *, schema: Any = None, **options: Any) -> Any:
        """Document an alternative answer."""
        return super().alt_response(status_code, schema=self._documented(schema), **options)

    def _documented(self, schema: Any) -> Any:
        """Return the schema; for a type that msgspec encodes, the reference to its component."""
        if not isinstance(schema, type) or not issubclass(schema, msgspec.Struct):
            return schema
        self.answer_types.append(schema)
        return component_reference(schema)

    def arguments(self, schema: type[Schema], **kwargs: Any) -> Any:
        """Parse arguments with this schema. One instance serves all requests, since creating one copies all fields."""
        return super().arguments(schema(), **kwargs)
