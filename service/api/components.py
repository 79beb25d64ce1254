"""The components of the OpenAPI document that describe answers, generated from the types that msgspec encodes.

A type in `service` says what its fields mean with `Annotated[..., Meta(description=...)]`. The domain is free of prose
about the API, so the tables below describe its fields. Neither checks anything when a value is decoded.
"""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Annotated, Any, get_args, get_origin

import msgspec
from msgspec import Meta, Struct, UnsetType

from domain.kernel.events import (
    EVENT_TYPES,
    Cause,
    Created,
    Disputed,
    Event,
    Fork,
    Moved,
    PlannedSeat,
    Proposed,
    SeatEvent,
    Started,
    TimeControl,
)
from domain.kernel.game import Beyond, MoveGrammar, Outcome
from service.bots.decision_log import BotDecision, Budget
from service.bots.house_bots import BotTurnDocument
from service.matches.match_document import (
    HASH_PATTERN,
    DisputeDocument,
    FindingDocument,
    MatchDocument,
    OfferDocument,
    ProposalDocument,
    ResolutionDocument,
    SeatDocument,
)
from service.matches.standing_orders import DroppedOrder, StandingOrder
from service.notifications.preferences import LastDelivery
from service.read_models.profiles import (
    LeaderboardEntryDocument,
    ProfileDocument,
    RatingDocument,
    RatingPointDocument,
    RecordDocument,
)
from service.read_models.summary import MatchSummary, SeatSummary

COMPONENT_PREFIX = "#/components/schemas/"


class Move(Struct):
    """The move of any game. `openapi.game_unions` puts the schema of this name in place."""


class Fact(Struct):
    """The fact of any game. `openapi.game_unions` puts the schema of this name in place."""


AnyMove = Annotated[Any, Meta(extra_json_schema={"$ref": "Move"})]
AnyFact = Annotated[Any, Meta(extra_json_schema={"$ref": "Fact"})]

UNIONS = ("Move", "Fact", "View")
"""Components that are unions over all games."""

COMPONENT_NAMES: dict[type, str] = {
    MatchDocument: "Match",
    SeatDocument: "Seat",
    ProposalDocument: "Proposal",
    OfferDocument: "Offer",
    DisputeDocument: "DisputeOut",
    FindingDocument: "Finding",
    ResolutionDocument: "Resolution",
    MatchSummary: "MatchRow",
    SeatSummary: "SeatRow",
    ProfileDocument: "PlayerPage",
    RecordDocument: "Record",
    RatingDocument: "Rating",
    RatingPointDocument: "Point",
    LeaderboardEntryDocument: "Leader",
    BotDecision: "BotMove",
    Budget: "BotBudget",
    BotTurnDocument: "TurnOut",
    StandingOrder: "OrderOut",
    DroppedOrder: "DroppedOut",
    LastDelivery: "DeliveryOutcome",
    TimeControl: "Clock",
    PlannedSeat: "SeatPlan",
    MoveGrammar: "GrammarOut",
    Beyond: "BeyondOut",
    **{kind: f"{kind.__name__}Event" for kind in EVENT_TYPES},
}
"""The names of components as they were released; any other type has its own."""

GAME_FIELDS: dict[tuple[type, str], dict[str, Any]] = {
    (MatchDocument, "view"): {"anyOf": [{"$ref": "View"}, {"type": "null"}]},
    (BotTurnDocument, "view"): {"$ref": "View"},
    (BotTurnDocument, "facts"): {"type": "array", "items": {"$ref": "Fact"}},
    (StandingOrder, "move"): {"$ref": "Move"},
    (DroppedOrder, "move"): {"$ref": "Move"},
}
"""Fields that hold plain JSON of which the form is the game's."""

DOMAIN_FIELDS: dict[type, dict[str, str]] = {
    Outcome: {
        "reason": "The game's own word.",
        "winners": "Seats; none in a draw.",
        "scores": "The final score of each seat, null if it has none.",
        "places": "The rank of each seat; equal ranks are shared.",
    },
    Fork: {
        "head": "The hash of the event there.",
        "draws": "The game events behind it.",
        "origin": "The match whose id and client seeds make the same luck.",
    },
    TimeControl: {
        "seconds": "For each move, or in the bank at the start.",
        "increment": "What a bank gains with each move.",
        "level": "The level of the bot that moves or takes over.",
        "vacation": "Days off that each seat may take; none if left out.",
    },
    Cause: {"order": "The order's id."},
    Event: {
        "seat": "Who did it; null for the match itself.",
        "move": "Until the end shown to its own seat alone.",
        "facts": "As the reader may see them now.",
        "draw": "The number of the game event in the draws.",
        "first_fact": "The number of facts in the match before this event's.",
        "salt": "Null until the end.",
        "prev": "The hash of the event before.",
        "hash": "The hash of the whole event: a seal.",
    },
    SeatEvent: {"seat": "Who did it."},
    Created: {"components": "SHA-256 of the component data, or empty."},
    Started: {"order": "For each seat, the one at which its player had sat down."},
    Moved: {"cause": "If a standing order made it."},
    Proposed: {
        "of": "The seat to be handed over.",
        "level": "Of the bot that gets it; left out: who is invited.",
    },
    Beyond: {"text": "For people."},
    MoveGrammar: {"schema": "JSON Schema 2020-12 of a move, with what you may use just now."},
}
"""What fields of domain types mean to clients; a type has those of its bases too."""

DOMAIN_HASHES = {
    (Event, "prev"),
    (Event, "hash"),
    (Created, "commitment"),
    (Disputed, "claim"),
    (Fork, "head"),
}
"""Fields of domain types that hold a hash in hex."""

ALWAYS_SERVED = {(Event, "prev"), (Event, "hash")}
"""Fields that may be unset only before an event is sealed."""


def component_name(kind: Any) -> str:
    """The name of the component that describes a type."""
    plain = get_origin(kind) or kind
    return COMPONENT_NAMES.get(plain, str(plain.__name__))


def component_reference(kind: Any) -> dict[str, str]:
    """The reference to the component that describes a type."""
    return {"$ref": COMPONENT_PREFIX + component_name(kind)}


def answer_components(answers: Iterable[type]) -> dict[str, Any]:
    """The components that describe these types of answers, all kinds of events, and the types inside them, by name."""
    kinds = struct_types([*answers, *(kind[Move, Fact] for kind in EVENT_TYPES)])
    references, generated = msgspec.json.schema_components(kinds, ref_template="{name}")
    generated_names = [reference["$ref"] for reference in references]
    released = dict(zip(generated_names, map(component_name, kinds), strict=True)) | {name: name for name in UNIONS}
    return {
        component_name(kind): rename_references(answer_schema(kind, generated[name]), released)
        for kind, name in zip(kinds, generated_names, strict=True)
    }


def struct_types(hints: Iterable[Any]) -> list[Any]:
    """The structs that these types are made of, each once."""
    found: dict[Any, None] = {}
    waiting = list(hints)
    while waiting:
        for part in type_parts(waiting.pop()):
            if is_struct(part) and part not in found:
                found[part] = None
                waiting += [field.type for field in msgspec.structs.fields(part)]
    return list(found)


def type_parts(hint: Any) -> Iterator[Any]:
    """A type, and the types that it is put together from; the parameters of a generic struct are not looked at."""
    yield hint
    if not is_struct(hint):
        for part in get_args(hint):
            yield from type_parts(part)


def is_struct(hint: Any) -> bool:
    """Whether a type is a struct, perhaps a generic one with its parameters."""
    plain = get_origin(hint) or hint
    return isinstance(plain, type) and issubclass(plain, Struct)


def answer_schema(kind: Any, generated: Mapping[str, Any]) -> dict[str, Any]:
    """The schema that msgspec generated for a type, made true for answers.

    An answer has all fields but those that may be unset, whatever their defaults, and no others; its times have a zone.
    """
    properties = dict(generated["properties"])
    optional = set()
    for field in msgspec.structs.fields(kind):
        name, parts = field.encode_name, list(type_parts(field.type))
        properties[name] = field_schema(kind, field.name, properties[name], is_time=datetime in parts)
        if UnsetType in parts and not is_listed(kind, field.name, ALWAYS_SERVED):
            optional.add(name)
    return {
        "type": "object",
        "description": generated.get("description", ""),
        "properties": properties,
        "required": [name for name in properties if name not in optional],
        "additionalProperties": False,
    }


def field_schema(kind: Any, name: str, generated: Mapping[str, Any], is_time: bool) -> dict[str, Any]:
    """The schema of a field: without its default, with its description and format."""
    plain = get_origin(kind) or kind
    schema = {key: value for key, value in generated.items() if key != "default"}
    if (plain, name) in GAME_FIELDS:
        about = {"description": schema["description"]} if "description" in schema else {}
        return GAME_FIELDS[plain, name] | about
    if is_time:
        for option in schema.get("anyOf", [schema]):
            if option["type"] == "string":
                option["format"] = "date-time"
    if is_listed(kind, name, DOMAIN_HASHES):
        schema["pattern"] = HASH_PATTERN
    described = (DOMAIN_FIELDS[base][name] for base in plain.__mro__ if name in DOMAIN_FIELDS.get(base, {}))
    description = next(described, None)
    return schema | ({"description": description} if description else {})


def is_listed(kind: Any, name: str, fields: Iterable[tuple[type, str]]) -> bool:
    """Whether a field of this type, or of one of its bases, is in the list."""
    plain = get_origin(kind) or kind
    return any(issubclass(plain, owner) and name == listed for owner, listed in fields)


def rename_references(schema: Any, names: Mapping[str, str]) -> Any:
    """The schema with its references under other names."""
    if isinstance(schema, list | tuple):
        return [rename_references(part, names) for part in schema]
    if not isinstance(schema, dict):
        return schema
    found = {key: rename_references(part, names) for key, part in schema.items()}
    if "$ref" in schema:
        found["$ref"] = COMPONENT_PREFIX + names[schema["$ref"]]
    if "mapping" in schema:
        found["mapping"] = {tag: COMPONENT_PREFIX + names[name] for tag, name in schema["mapping"].items()}
    return found
