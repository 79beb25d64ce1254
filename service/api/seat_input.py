"""The seats of a new match, as described in a request."""

from typing import Any

from marshmallow import ValidationError, fields, validate, validates_schema

from domain.match.commands import NO_CLIENT_SEED, SeatSpec
from domain.match.lobby import SHARE_BEFORE_COMMITMENT
from service.api.fields import PatternString, StrictBoolean
from service.api.problems import Problem
from service.api.schemas import InputSchema, VariantField
from service.bots.levels import LEVELS

MAX_SEATS = 16
SHARE_DIGITS_PATTERN = "^[0-9a-f]{64}$"


class ShareText(fields.String):
    """A share or a seal. The match checks its format, because the luck protocol defines the refusal."""

    def __init__(self, description: str) -> None:
        super().__init__(
            validate=validate.Length(max=200), metadata={"description": description, "pattern": SHARE_DIGITS_PATTERN}
        )


class ClientSeed(PatternString):
    """A player's client seed, which is mixed into the luck."""

    def __init__(self, **kwargs: Any) -> None:
        described = {"description": "Your contribution to the luck: any text without spaces. Default: `none`."}
        super().__init__(
            "[!-~]{1,64}",
            "A client seed must have 1 to 64 printable ASCII characters without spaces.",
            **{"metadata": described, **kwargs},
        )


class SeatIn(InputSchema):
    """The player of a seat: you (`me`), a house bot, or anyone who takes it (with `private`, only by invitation)."""

    kind = fields.String(required=True, validate=validate.OneOf(["me", "open", "bot"]))
    level = fields.String(
        validate=validate.OneOf(LEVELS), metadata={"description": "The level of a bot; required for `bot`."}
    )
    private = StrictBoolean(
        metadata={"description": "For `open`: an invitation is needed. Always true in an unlisted match."}
    )
    client_seed = ClientSeed()
    share = fields.String(metadata={"description": "Refused here: create the match, then sit down with your share."})
    seal = fields.String(metadata={"description": "Refused here: create the match, then sit down with your seal."})

    variant_fields = (
        VariantField("level", ("bot",), ("bot",)),
        VariantField("private", ("open",)),
        VariantField("client_seed", ("me",)),
    )

    @validates_schema
    def check_fields_fit_kind(self, seat: dict[str, Any], **_: Any) -> None:
        """Raise ValidationError for a field that seats of this kind do not have, or a bot without a level."""
        if "share" in seat or "seal" in seat:
            raise Problem(422, "share_before_commitment", SHARE_BEFORE_COMMITMENT)
        for field in self.variant_fields:
            if field.name in seat and seat["kind"] not in field.kinds:
                raise ValidationError(f"Only a seat of kind `{field.kinds[0]}` takes this field.", field.name)
        if seat["kind"] == "bot" and "level" not in seat:
            raise ValidationError(f"A bot needs a level: {', '.join(LEVELS)}.", "level")


def seat_wish(seat: dict[str, Any], player: str) -> SeatSpec:
    """Return the specification of one seat."""
    match seat["kind"]:
        case "me":
            return SeatSpec("human", player=player, client_seed=seat.get("client_seed", NO_CLIENT_SEED))
        case "bot":
            return SeatSpec("bot", level=seat["level"])
        case _:
            return SeatSpec("open", private=seat.get("private", False))
