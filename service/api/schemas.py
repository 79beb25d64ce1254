"""What the marshmallow schemas of requests and problems are made from. `components` describes all other answers."""

from typing import Any, NamedTuple

from marshmallow import INCLUDE, RAISE, Schema, fields, validate

from service.api.decoding import MAX_SAFE_INTEGER
from service.api.fields import QueryInteger


class StrictSchema(Schema):
    """A JSON object that has no other fields. The docstring of a schema is its description."""

    class Meta:
        """Options of marshmallow."""

        unknown = RAISE


class InputSchema(StrictSchema):
    """A document of a request. Its integers are those that every JSON reader reads alike."""

    def on_bind_field(self, field_name: str, field_obj: Any) -> None:  # noqa: D102
        ranges = [check for check in field_obj.validators if isinstance(check, validate.Range | validate.OneOf)]
        if isinstance(field_obj, fields.Integer) and not ranges:
            field_obj.metadata = {"minimum": -MAX_SAFE_INTEGER, "maximum": MAX_SAFE_INTEGER, **field_obj.metadata}


class SeatQuery(InputSchema):
    """The seat that a request acts for."""

    as_ = QueryInteger(data_key="as", metadata={"description": "For this seat, if you hold several."})


class ViewingSeatQuery(InputSchema):
    """The seat whose view a request asks for."""

    as_ = QueryInteger(data_key="as", metadata={"description": "As this seat: yours; after the end any."})


class VariantField(NamedTuple):
    """A field that only documents of some kinds can have, or must have."""

    name: str
    kinds: tuple[str, ...]
    required: bool = False


class ProblemSchema(StrictSchema):
    """A refusal (RFC 9457). Further members depend on the code; `docs/api.md` lists them."""

    class Meta:
        """Extensions are allowed by the RFC."""

        unknown = INCLUDE

    type = fields.String(required=True, metadata={"description": "urn:crumbtrail:problem:<code>"})
    title = fields.String(required=True)
    status = fields.Integer(required=True)
    detail = fields.String(
        required=True, metadata={"description": "What was wrong and what would be right, for people."}
    )
    instance = fields.String(required=True, metadata={"description": "The path that was asked for."})
    code = fields.String(required=True, metadata={"description": "Stable, for programs."})
