"""The documents that go out, as marshmallow schemas: for the OpenAPI document; a test holds real answers to them.

`View`, `Move`, `Fact` and `Event` are unions over all games and kinds; `openapi.py` puts them in place.
"""

from typing import Any, NamedTuple

from marshmallow import INCLUDE, RAISE, Schema, fields, validate

from service.api.decoding import MAX_SAFE_INTEGER

HASH_FORMAT = validate.Regexp("^[0-9a-f]{64}$")
MATCH_ID_PATTERN = "^[0-6][0-9][a-z2-7]{16}$"


class StrictSchema(Schema):
    """A JSON object without any fields but its own. The docstring of a schema is its description."""

    class Meta:
        """What marshmallow and the OpenAPI document go by."""

        unknown = RAISE


class InputSchema(StrictSchema):
    """A document that comes in. Its whole numbers are those that every reader of JSON reads alike."""

    def on_bind_field(self, field_name: str, field_obj: Any) -> None:  # noqa: D102
        ranges = [check for check in field_obj.validators if isinstance(check, validate.Range | validate.OneOf)]
        if isinstance(field_obj, fields.Integer) and not ranges:
            field_obj.metadata = {"minimum": -MAX_SAFE_INTEGER, "maximum": MAX_SAFE_INTEGER, **field_obj.metadata}


class VariantField(NamedTuple):
    """A field that documents of some kinds alone may have, or must."""

    name: str
    kinds: tuple[str, ...]
    required: bool = False


class OutputSchema(StrictSchema):
    """A document that goes out: all its fields are there, but those with `metadata={"optional": True}`."""

    def on_bind_field(self, field_name: str, field_obj: Any) -> None:  # noqa: D102
        field_obj.required = not field_obj.metadata.get("optional", False)


def optional_metadata(**metadata: Any) -> dict[str, Any]:
    """The metadata of a field that may be missing."""
    return {"optional": True, **metadata}


class ProblemSchema(OutputSchema):
    """A refusal (RFC 9457). Further members depend on the code; `docs/api.md` lists them."""

    class Meta:
        """Extensions are allowed by the RFC."""

        unknown = INCLUDE

    type = fields.String(metadata={"description": "urn:crumbtrail:problem:<code>"})
    title = fields.String()
    status = fields.Integer()
    detail = fields.String(metadata={"description": "What was wrong and what would be right, for people."})
    instance = fields.String(metadata={"description": "The path that was asked for."})
    code = fields.String(metadata={"description": "Stable, for programs."})


class View(OutputSchema):
    """What a seat or a spectator may see; its form is the game's."""


class Move(OutputSchema):
    """What a seat asks to do; its form is the game's."""


class Fact(OutputSchema):
    """What an event did to the game; its form is the game's."""


class Event(OutputSchema):
    """One entry of a match's log, as its reader may see it."""


class Outcome(OutputSchema):
    """How a match ended."""

    reason = fields.String(metadata={"description": "The game's own word."})
    winners = fields.List(fields.Integer(), metadata={"description": "Seats; none in a draw."})
    scores = fields.List(
        fields.Integer(allow_none=True), metadata={"description": "The final score of each seat, null if it has none."}
    )
    places = fields.List(fields.Integer(), metadata={"description": "The rank of each seat; equal ranks are shared."})


class Player(OutputSchema):
    """Somebody who may sit at a match."""

    id = fields.String()
    name = fields.String()
    bot = fields.Boolean(metadata={"description": "A program; others see `(bot)` behind its name."})


class Seat(OutputSchema):
    """One seat of a match, and who sits there."""

    seat = fields.Integer()
    name = fields.String(metadata={"description": "The seat's name in the game."})
    kind = fields.String(validate=validate.OneOf(["human", "bot", "open"]))
    private = fields.Boolean(metadata={"description": "Taken by invitation only."})
    player = fields.String(allow_none=True)
    player_name = fields.String(allow_none=True)
    level = fields.String(allow_none=True, metadata={"description": "The level of a bot."})
    standin = fields.String(
        allow_none=True, metadata={"description": "The bot that makes this seat's next move, whose time was up."}
    )
    lapsed = fields.Boolean(metadata={"description": "Its time was up, and its person has not moved since."})
    deadline = fields.DateTime(allow_none=True, metadata={"description": "When its time is up; null: no clock runs."})
    away = fields.DateTime(allow_none=True, metadata={"description": "When its last vacation ends, or has ended."})
    vacation = fields.Integer(metadata={"description": "Days off that it may still take."})


class Fork(OutputSchema):
    """Where a match was forked from."""

    match = fields.String()
    ply = fields.Integer()
    head = fields.String(validate=HASH_FORMAT, metadata={"description": "The hash of the event there."})
    luck = fields.String(validate=validate.OneOf(["same", "new"]))
    draws = fields.Integer(metadata={"description": "The game events behind it."})
    origin = fields.String(metadata={"description": "The match whose id and client seeds make the same luck."})
    client_seeds = fields.List(fields.String())


class Clock(OutputSchema):
    """How long a seat may take, in seconds, and what happens when its time is up."""

    kind = fields.String(validate=validate.OneOf(["per_move", "bank"]))
    seconds = fields.Integer(metadata={"description": "For each move, or in the bank at the start."})
    increment = fields.Integer(metadata={"description": "What a bank gains with each move."})
    expiry = fields.String(validate=validate.OneOf(["resigns", "bot_moves", "bot_takes_over"]))
    level = fields.String(metadata={"description": "The level of the bot that moves or takes over."})
    vacation = fields.Integer(
        metadata=optional_metadata(description="Days off that each seat may take; none if left out.")
    )


class Proposal(OutputSchema):
    """What a seat has asked for and somebody has still to answer."""

    number = fields.Integer(metadata={"description": "The ply of the asking; `agree` and `decline` name it."})
    seat = fields.Integer()
    what = fields.String(validate=validate.OneOf(["pause", "extend", "takeback", "hand_over"]))
    seconds = fields.Integer(allow_none=True)
    to_ply = fields.Integer(allow_none=True)
    of = fields.Integer(allow_none=True, metadata={"description": "The seat to be handed over."})
    level = fields.String(allow_none=True, metadata={"description": "Of the bot that gets it; null: who is invited."})
    awaits = fields.List(fields.Integer(), metadata={"description": "Seats that have not answered."})


class Offer(OutputSchema):
    """A seat that may be taken over by who has its invitation."""

    number = fields.Integer(metadata={"description": "The ply of the offer; `keep_seat` names it."})
    seat = fields.Integer()
    by = fields.Integer(metadata={"description": "The seat that offers it: the same one, or another by consent."})
    invitation = fields.String(
        allow_none=True,
        metadata={"description": "For who shall take it over; told to who offers it alone, by a token that could."},
    )


class Match(OutputSchema):
    """A match as its reader may see it."""

    id = fields.String(validate=validate.Regexp(MATCH_ID_PATTERN))
    game = fields.String()
    rules_version = fields.Integer()
    status = fields.String(validate=validate.OneOf(["open", "playing", "over"]))
    ply = fields.Integer(metadata={"description": "The number of the last event; also the ETag."})
    to_move = fields.List(fields.Integer(), metadata={"description": "The seats that owe a move."})
    you = fields.List(fields.Integer(), metadata={"description": "Your seats."})
    seats = fields.List(fields.Nested(Seat))
    options = fields.Dict(keys=fields.String(), values=fields.Raw())
    view = fields.Nested(View, allow_none=True, metadata={"description": "Null before the start."})
    outcome = fields.Nested(Outcome, allow_none=True)
    creator = fields.String()
    given_seed = fields.Boolean(metadata={"description": "The seed was chosen by the creator: never rated."})
    commitment = fields.String(validate=HASH_FORMAT, metadata={"description": "SHA-256 of the seed."})
    seed = fields.String(allow_none=True, metadata={"description": "The seed in hex, once the match is over."})
    head = fields.String(validate=HASH_FORMAT, metadata={"description": "The hash of the last event."})
    created_at = fields.DateTime()
    at = fields.DateTime(metadata={"description": "The time of the last event."})
    disputes = fields.List(fields.Integer(), metadata={"description": "Disputes that nobody has resolved yet."})
    retracted = fields.List(
        fields.List(fields.Integer()), metadata={"description": "Plies that were taken back: first and last."}
    )
    clock = fields.Nested(Clock, allow_none=True)
    paused = fields.Boolean(metadata={"description": "All clocks stand."})
    proposals = fields.List(fields.Nested(Proposal))
    offers = fields.List(fields.Nested(Offer))
    rated = fields.Boolean(metadata={"description": "It counts for the ratings, if nothing comes in between."})
    private = fields.Boolean(metadata={"description": "It stands in no list."})
    seating = fields.String(
        validate=validate.OneOf(["chosen", "chance"]), metadata={"description": "How it is decided who sits where."}
    )
    annulled = fields.Boolean(metadata={"description": "An arbiter has annulled it: it has no result."})
    flawed = fields.Boolean(metadata={"description": "An audit found that its log does not hold."})
    fork = fields.Nested(
        Fork, allow_none=True, metadata={"description": "Where it was forked from; a fork counts for nothing."}
    )


class DoneSchema(OutputSchema):
    """A command that was carried out: its own event, all events of that append, the match as it is now."""

    event = fields.Nested(Event)
    events = fields.List(fields.Nested(Event))
    match = fields.Nested(Match)


# -- events -------------------------------------------------------------------------------------------------------


class SeatPlan(OutputSchema):
    """What the creator planned for a seat."""

    kind = fields.String(validate=validate.OneOf(["human", "bot", "open"]))
    private = fields.Boolean()


class EventBase(OutputSchema):
    """What every event has."""

    ply = fields.Integer()
    seat = fields.Integer(allow_none=True, metadata={"description": "Who did it; null for the match itself."})
    at = fields.DateTime()
    move = fields.Nested(Move, allow_none=True, metadata={"description": "Until the end shown to its own seat alone."})
    facts = fields.List(fields.Nested(Fact), metadata={"description": "As the reader may see them now."})
    draw = fields.Integer(allow_none=True, metadata={"description": "The number of the game event in the draws."})
    first_fact = fields.Integer(metadata={"description": "The number of facts in the match before this event's."})
    salt = fields.String(allow_none=True, metadata={"description": "Null until the end."})
    prev = fields.String(validate=HASH_FORMAT, metadata={"description": "The hash of the event before."})
    hash = fields.String(validate=HASH_FORMAT, metadata={"description": "The hash of the whole event: a seal."})


def event_kind(name: str) -> fields.String:
    """The tag of an event."""
    return fields.String(validate=validate.OneOf([name]))


class CreatedEvent(EventBase):
    """The match exists."""

    kind = event_kind("created")
    match = fields.String()
    game = fields.String()
    rules_version = fields.Integer()
    components = fields.String(metadata={"description": "SHA-256 of the component data, or empty."})
    options = fields.Dict(keys=fields.String(), values=fields.Raw())
    position = fields.Dict(keys=fields.String(), values=fields.Raw(), allow_none=True)
    seats = fields.List(fields.Nested(SeatPlan))
    creator = fields.String()
    commitment = fields.String(validate=HASH_FORMAT)
    given = fields.Boolean()
    fork = fields.Nested(Fork, metadata=optional_metadata())
    clock = fields.Nested(Clock, metadata=optional_metadata())
    rated = fields.Boolean(metadata=optional_metadata())
    private = fields.Boolean(metadata=optional_metadata())
    seating = fields.String(validate=validate.OneOf(["chance"]), metadata=optional_metadata())


class SeatTakenEvent(EventBase):
    """A player or a bot sits down."""

    kind = event_kind("seat_taken")
    player = fields.String(allow_none=True)
    level = fields.String(allow_none=True)
    client_seed = fields.String()


class SeatLeftEvent(EventBase):
    """A player got up before the start."""

    kind = event_kind("seat_left")


class StartedEvent(EventBase):
    """All seats are taken and the game is set up."""

    kind = event_kind("started")
    client_seeds = fields.List(fields.String())
    order = fields.List(
        fields.Integer(),
        metadata=optional_metadata(description="For each seat, the one at which its player had sat down."),
    )


class Cause(OutputSchema):
    """The standing order by which a move was made; until the end shown to its own seat alone."""

    order = fields.String(metadata={"description": "The order's id."})
    kind = fields.String(validate=validate.OneOf(["forced", "move"]))


class MovedEvent(EventBase):
    """A seat's move was accepted."""

    kind = event_kind("moved")
    cause = fields.Nested(Cause, metadata=optional_metadata(description="If a standing order made it."))


class EndedEvent(EventBase):
    """The game came to its end."""

    kind = event_kind("ended")
    outcome = fields.Nested(Outcome)


class CancelledEvent(EventBase):
    """The match was called off before it started."""

    kind = event_kind("cancelled")
    reason = fields.String(validate=validate.OneOf(["abandoned"]), metadata=optional_metadata())


class SeedRevealedEvent(EventBase):
    """The seed: from here on everyone can check everything."""

    kind = event_kind("seed_revealed")
    seed = fields.String()


class DisputedEvent(EventBase):
    """A seat or an arbiter disputes a ply; `claim` is the digest of the words."""

    kind = event_kind("disputed")
    target = fields.Integer()
    ground = fields.String()
    claim = fields.String(validate=HASH_FORMAT)
    arbiter = fields.String(allow_none=True)


class AuditedEvent(EventBase):
    """An audit's verdict; without a dispute a routine one that failed."""

    kind = event_kind("audited")
    dispute = fields.Integer(allow_none=True)
    holds = fields.Boolean()
    layer = fields.String(allow_none=True)
    at_ply = fields.Integer(allow_none=True)
    rule = fields.String(allow_none=True)


class ResolvedEvent(EventBase):
    """An arbiter's ruling on a dispute."""

    kind = event_kind("resolved")
    dispute = fields.Integer()
    ruling = fields.String()
    to_ply = fields.Integer(allow_none=True)
    outcome = fields.Nested(Outcome, allow_none=True)
    arbiter = fields.String()


class ExpiredEvent(EventBase):
    """The time of a seat was up; what the match chose for that happens."""

    kind = event_kind("expired")
    deadline = fields.DateTime()
    consequence = fields.String(validate=validate.OneOf(["resigns", "bot_moves", "bot_takes_over"]))
    level = fields.String(allow_none=True)


class ProposedEvent(EventBase):
    """A seat asks all others for something."""

    kind = event_kind("proposed")
    what = fields.String(validate=validate.OneOf(["pause", "extend", "takeback", "hand_over"]))
    seconds = fields.Integer(allow_none=True)
    to_ply = fields.Integer(allow_none=True)
    of = fields.Integer(metadata=optional_metadata(description="The seat to be handed over."))
    level = fields.String(metadata=optional_metadata(description="Of the bot that gets it; left out: who is invited."))


class AnsweredEvent(EventBase):
    """A seat agrees to a proposal, declines it, or withdraws its own."""

    kind = event_kind("answered")
    proposal = fields.Integer()
    agrees = fields.Boolean()


class PausedEvent(EventBase):
    """All clocks stand."""

    kind = event_kind("paused")
    proposal = fields.Integer()


class ResumedEvent(EventBase):
    """The clocks run again."""

    kind = event_kind("resumed")


class ExtendedEvent(EventBase):
    """A seat has so many seconds more."""

    kind = event_kind("extended")
    proposal = fields.Integer()
    seconds = fields.Integer()


class VacationTakenEvent(EventBase):
    """A seat's clock stands for so many days; `left` are those it may still take."""

    kind = event_kind("vacation_taken")
    days = fields.Integer()
    left = fields.Integer()


class SeatOfferedEvent(EventBase):
    """A seat may be taken over by who has its invitation; `by` offers it, another seat by the consent of all others."""

    kind = event_kind("seat_offered")
    by = fields.Integer()
    proposal = fields.Integer(allow_none=True)


class OfferWithdrawnEvent(EventBase):
    """The invitation that belongs to an offer is good for nothing any more."""

    kind = event_kind("offer_withdrawn")
    offer = fields.Integer()


class HandedOverEvent(EventBase):
    """A player or a bot sits there from now on; `fresh`: its clock begins anew."""

    kind = event_kind("handed_over")
    player = fields.String(allow_none=True)
    level = fields.String(allow_none=True)
    offer = fields.Integer(allow_none=True)
    proposal = fields.Integer(allow_none=True)
    fresh = fields.Boolean()


class TakenBackEvent(EventBase):
    """The match goes on from behind `to_ply`; without a proposal freely, since nobody had learned anything."""

    kind = event_kind("taken_back")
    to_ply = fields.Integer()
    proposal = fields.Integer(allow_none=True)
    rated = fields.Boolean()


EVENT_SCHEMAS: dict[str, type[EventBase]] = {
    "created": CreatedEvent,
    "seat_taken": SeatTakenEvent,
    "seat_left": SeatLeftEvent,
    "started": StartedEvent,
    "moved": MovedEvent,
    "ended": EndedEvent,
    "cancelled": CancelledEvent,
    "seed_revealed": SeedRevealedEvent,
    "disputed": DisputedEvent,
    "audited": AuditedEvent,
    "resolved": ResolvedEvent,
    "expired": ExpiredEvent,
    "proposed": ProposedEvent,
    "answered": AnsweredEvent,
    "paused": PausedEvent,
    "resumed": ResumedEvent,
    "extended": ExtendedEvent,
    "taken_back": TakenBackEvent,
    "vacation_taken": VacationTakenEvent,
    "seat_offered": SeatOfferedEvent,
    "offer_withdrawn": OfferWithdrawnEvent,
    "handed_over": HandedOverEvent,
}
