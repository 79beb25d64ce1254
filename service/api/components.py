"""The components of the OpenAPI document that describe answers, generated from the types that msgspec encodes.

Types in `service` describe their fields with `Annotated[..., Meta(description=...)]`. The domain does not depend on the
API, so the tables below describe the fields of its types. None of this affects decoding.
"""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Annotated, Any, get_args, get_origin

import msgspec
from msgspec import Meta, Struct, UnsetType

from domain.bots.search import Budget
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
from service.bots.decision_log import BotDecision
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
    """Placeholder for the move of any game; `openapi.game_unions` adds the schema with this name."""


class Fact(Struct):
    """Placeholder for the fact of any game; `openapi.game_unions` adds the schema with this name."""


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
"""The released names of components. All other types use their class name."""

GAME_FIELDS: dict[tuple[type, str], dict[str, Any]] = {
    (MatchDocument, "view"): {"anyOf": [{"$ref": "View"}, {"type": "null"}]},
    (BotTurnDocument, "view"): {"$ref": "View"},
    (BotTurnDocument, "facts"): {"type": "array", "items": {"$ref": "Fact"}},
    (StandingOrder, "move"): {"$ref": "Move"},
    (DroppedOrder, "move"): {"$ref": "Move"},
}
"""Fields with plain JSON whose schema depends on the game."""

DOMAIN_FIELDS: dict[type, dict[str, str]] = {
    Outcome: {
        "reason": "A code defined by the game.",
        "winners": "The seats that won; none in a draw.",
        "scores": "The final score of each seat; null if it has none.",
        "places": "The rank of each seat, from 1; tied seats share a rank.",
    },
    Fork: {
        "head": "The hash of the event at that ply.",
        "draws": "The number of game events before the fork.",
        "origin": "The match whose id and client seeds reproduce the luck.",
    },
    TimeControl: {
        "seconds": "Time for each move, or in the bank at the start.",
        "increment": "Seconds that each move adds to the bank.",
        "level": "The level of the bot that moves or takes over when time runs out.",
        "vacation": "Days off for each seat; none if absent.",
    },
    Cause: {"order": "The id of the standing order."},
    Event: {
        "seat": "The seat that acted; null for the match itself.",
        "move": "Shown only to its own seat until the match is over.",
        "facts": "The facts as the reader may see them now.",
        "draw": "The number of the game event, which identifies its random draws.",
        "first_fact": "The number of facts in the match before this event.",
        "salt": "Null until the match is over.",
        "prev": "The hash of the previous event.",
        "hash": "The hash of the whole event, including hidden parts.",
    },
    SeatEvent: {"seat": "The seat that acted."},
    Created: {"components": "SHA-256 of the game's component data, or empty."},
    Started: {"order": "For each seat, the seat that its player had originally taken."},
    Moved: {"cause": "The standing order that made the move, if any."},
    Proposed: {
        "of": "The seat to be handed over.",
        "level": "The level of the bot that gets the seat; if absent, the seat is offered by invitation.",
    },
    Beyond: {"text": "The rule in plain language."},
    MoveGrammar: {"schema": "JSON Schema 2020-12 of a move, restricted to what you may use at this ply."},
}
"""Descriptions of the fields of domain types, for clients. A type inherits those of its bases."""

DOMAIN_HASHES = {
    (Event, "prev"),
    (Event, "hash"),
    (Created, "commitment"),
    (Disputed, "claim"),
    (Fork, "head"),
}
"""Fields of domain types that contain a hash in hex."""

ALWAYS_SERVED = {(Event, "prev"), (Event, "hash")}
"""Fields that are unset only until an event is sealed, so answers always have them."""


def component_name(kind: Any) -> str:
    """Return the name of the component that describes a type."""
    plain = get_origin(kind) or kind
    return COMPONENT_NAMES.get(plain, str(plain.__name__))


def component_reference(kind: Any) -> dict[str, str]:
    """Return the reference to the component that describes a type."""
    return {"$ref": COMPONENT_PREFIX + component_name(kind)}


def answer_components(answers: Iterable[type]) -> dict[str, Any]:
    """Return the components for these types of answers, all kinds of events, and the types inside them, by name."""
    kinds = struct_types([*answers, *(kind[Move, Fact] for kind in EVENT_TYPES)])
    references, generated = msgspec.json.schema_components(kinds, ref_template="{name}")
    generated_names = [reference["$ref"] for reference in references]
    released = dict(zip(generated_names, map(component_name, kinds), strict=True)) | {name: name for name in UNIONS}
    return {
        component_name(kind): rename_references(answer_schema(kind, generated[name]), released)
        for kind, name in zip(kinds, generated_names, strict=True)
    }


def struct_types(hints: Iterable[Any]) -> list[Any]:
    """Return the structs that these types contain, without duplicates."""
    found: dict[Any, None] = {}
    waiting = list(hints)
    while waiting:
        for part in type_parts(waiting.pop()):
            if is_struct(part) and part not in found:
                found[part] = None
                waiting += [field.type for field in msgspec.structs.fields(part)]
    return list(found)


def type_parts(hint: Any) -> Iterator[Any]:
    """Yield a type and the types it is composed of. Does not descend into the parameters of generic structs."""
    yield hint
    if not is_struct(hint):
        for part in get_args(hint):
            yield from type_parts(part)


def is_struct(hint: Any) -> bool:
    """Return whether a type is a struct, including a parametrised generic one."""
    plain = get_origin(hint) or hint
    return isinstance(plain, type) and issubclass(plain, Struct)


def answer_schema(kind: Any, generated: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema that msgspec generated for a type, adapted to answers.

    An answer has all fields except those that may be unset, whatever their defaults, and no others. Its times have a
    time zone.
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
    """Return the schema of a field, without its default, with its description and format."""
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
    """Return whether the list has a field of this type or of one of its bases."""
    plain = get_origin(kind) or kind
    return any(issubclass(plain, owner) and name == listed for owner, listed in fields)


def rename_references(schema: Any, names: Mapping[str, str]) -> Any:
    """Return the schema with its references renamed."""
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
