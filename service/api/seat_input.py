"""The seats of a match to be created, as a request describes them."""

from typing import Any

from marshmallow import ValidationError, fields, validate, validates_schema

from domain.match.commands import NO_CLIENT_SEED, SeatSpec
from service.api.fields import PatternString, StrictBoolean
from service.api.schemas import InputSchema, VariantField
from service.bots.levels import LEVELS

MAX_SEATS = 16


class ClientSeed(PatternString):
    """A player's share of the luck."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(
            "[!-~]{1,64}",
            "A client seed has 1 to 64 printable ASCII characters without spaces.",
            metadata={"description": "Your share of the luck, any text without spaces; `none` if you give none."},
            **kwargs,
        )


class SeatIn(InputSchema):
    """Who shall sit at a seat: me, a bot, or whoever comes (with `private`: by invitation only)."""

    kind = fields.String(required=True, validate=validate.OneOf(["me", "open", "bot"]))
    level = fields.String(validate=validate.OneOf(LEVELS), metadata={"description": "Of a bot: required."})
    private = StrictBoolean(metadata={"description": "Of an open seat; in a private match each one is."})
    client_seed = ClientSeed()

    variant_fields = (
        VariantField("level", ("bot",), required=True),
        VariantField("private", ("open",)),
        VariantField("client_seed", ("me",)),
    )

    @validates_schema
    def check_fields_fit_kind(self, seat: dict[str, Any], **_: Any) -> None:
        """A bot has a level, an open seat may be private, I may have a client seed; no other kind has any of these."""
        for field in self.variant_fields:
            if field.name in seat and seat["kind"] not in field.kinds:
                raise ValidationError(f"Only a seat of kind {field.kinds[0]} has this.", field.name)
        if seat["kind"] == "bot" and "level" not in seat:
            raise ValidationError(f"A bot has a level: {' or '.join(LEVELS)}.", "level")


def seat_wish(seat: dict[str, Any], player: str) -> SeatSpec:
    """How the creator wants one seat."""
    match seat["kind"]:
        case "me":
            return SeatSpec("human", player=player, client_seed=seat.get("client_seed", NO_CLIENT_SEED))
        case "bot":
            return SeatSpec("bot", level=seat["level"])
        case _:
            return SeatSpec("open", private=seat.get("private", False))
