"""Base classes of the marshmallow schemas for requests and problems. `components` describes all other answers."""

from typing import Any, NamedTuple

from marshmallow import INCLUDE, RAISE, Schema, fields, validate

from service.api.decoding import MAX_SAFE_INTEGER
from service.api.fields import QueryInteger


class StrictSchema(Schema):
    """A JSON object without unknown fields. The docstring of a schema is its OpenAPI description."""

    class Meta:
        """Options of marshmallow."""

        unknown = RAISE


class InputSchema(StrictSchema):
    """A request document. Its integers are limited to those that all JSON decoders agree on."""

    def on_bind_field(self, field_name: str, field_obj: Any) -> None:  # noqa: D102
        ranges = [check for check in field_obj.validators if isinstance(check, validate.Range | validate.OneOf)]
        if isinstance(field_obj, fields.Integer) and not ranges:
            field_obj.metadata = {"minimum": -MAX_SAFE_INTEGER, "maximum": MAX_SAFE_INTEGER, **field_obj.metadata}


class SeatQuery(InputSchema):
    """The seat that a request acts for."""

    as_ = QueryInteger(data_key="as", metadata={"description": "The seat to act for, if you have several."})


class ViewingSeatQuery(InputSchema):
    """The seat whose view to show."""

    as_ = QueryInteger(
        data_key="as",
        metadata={"description": "The seat whose view to show: one of yours, or any seat once the match is over."},
    )


class VariantField(NamedTuple):
    """A field that only documents of some kinds may have. Some or all of these kinds require it."""

    name: str
    kinds: tuple[str, ...]
    required_by: tuple[str, ...] = ()


class ProblemSchema(StrictSchema):
    """An error (RFC 9457). Additional members depend on the code; `docs/api.md` lists them."""

    class Meta:
        """The RFC allows extensions."""

        unknown = INCLUDE

    type = fields.String(required=True, metadata={"description": "urn:crumbtrail:problem:<code>"})
    title = fields.String(required=True)
    status = fields.Integer(required=True)
    detail = fields.String(required=True, metadata={"description": "What went wrong and what to do, for people."})
    instance = fields.String(required=True, metadata={"description": "The requested path."})
    code = fields.String(required=True, metadata={"description": "A stable code, for programs."})
