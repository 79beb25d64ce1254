"""The OpenAPI document: requests from marshmallow schemas, answers from msgspec types, and unions over all games."""

import inspect
from collections.abc import Iterable
from itertools import count
from typing import Any

import msgspec
from flask_smorest import Api  # type: ignore[import-untyped]

from domain.kernel.events import EVENT_TYPES
from domain.kernel.game import AnyGame
from domain.kernel.registry import games
from service.api.commands import CommandIn
from service.api.components import COMPONENT_PREFIX, answer_components, component_reference, rename_references
from service.api.problems import MIMETYPE
from service.api.schemas import ProblemSchema, VariantField
from service.api.seat_input import SeatIn

DESCRIPTION = """Correspondence board games in which anyone can check every roll, move and point.

Get a bearer token with `POST /players`. Every error is a problem document (RFC 9457) with a stable `code`. `ETag`,
`If-Match` and the ids of stream entries are the ply of the match. If a POST gets no answer, repeat it with the same
`Idempotency-Key`: it takes effect only once."""


class ProblemApi(Api):  # type: ignore[misc]
    """The API, whose errors are problem documents."""

    ERROR_SCHEMA = ProblemSchema

    def _register_error_handlers(self) -> None:
        """Register none, since they would also apply to pages. `ApiBlueprint` and `service.wsgi` handle API errors."""


def complete_document(api: Api, answers: Iterable[type]) -> None:
    """Add what marshmallow does not generate: components of responses, unions over games, descriptions and problems."""
    schemas, responses = api.spec.components.schemas, api.spec.components.responses
    api.spec.components.security_scheme("bearer", {"type": "http", "scheme": "bearer"})
    schemas |= answer_components(answers)
    schemas |= game_unions()
    for key, name in api.ma_plugin.converter.refs.items():
        schemas[name]["description"] = inspect.getdoc(key[0])
    schemas["SeatIn"] = split_by_kind(schemas["SeatIn"], "kind", SeatIn.variant_fields)
    schemas["CommandIn"] = split_by_kind(schemas["CommandIn"], "type", CommandIn.variant_fields)
    schemas["ShareIn"] = split_opening_from_loss(schemas["ShareIn"])
    for response in responses.values():
        problem = response.get("content", {}).pop("application/json", None)
        if problem:
            response["content"][MIMETYPE] = problem
    schemas.pop("PaginationMetadata", None)  # added by flask-smorest; this API uses cursors


def split_opening_from_loss(schema: dict[str, Any]) -> dict[str, Any]:
    """Split the body of an opening into its two variants: a share with its table, and a lost share."""
    fields = schema["properties"]
    opening = {"table": fields["table"], "share": fields["share"]}
    loss = {"lost": {**fields["lost"], "const": True}}
    variants = [
        {"type": "object", "properties": variant, "required": [*variant], "additionalProperties": False}
        for variant in (opening, loss)
    ]
    return {"description": schema["description"], "oneOf": variants}


def split_by_kind(schema: dict[str, Any], by: str, own: Iterable[VariantField]) -> dict[str, Any]:
    """Split the schema into one variant per value of the field `by`, each with only the fields of its kind."""
    variants = []
    for kind in schema["properties"][by]["enum"]:
        foreign = {field.name for field in own if kind not in field.kinds}
        fields = {name: part for name, part in schema["properties"].items() if name not in foreign}
        needed = [field.name for field in own if kind in field.required_by]
        required = [*schema["required"], *needed]
        variant = {"type": "object", "properties": {**fields, by: {"const": kind}}, "required": required}
        variants.append({**variant, "additionalProperties": False})
    return {"description": schema["description"], "oneOf": variants}


def game_unions() -> dict[str, Any]:
    """Return `Move`, `Fact` and `View` over all games, `Event` over its kinds, and the components they refer to."""
    found: dict[str, Any] = {name: {"anyOf": []} for name in ("Move", "Fact", "View")}
    for game in games().values():
        own, components = game_schemas(game)
        found |= components
        for name, schema in own.items():
            found[name]["anyOf"].append(schema)
    kinds = {kind.__struct_config__.tag: component_reference(kind)["$ref"] for kind in EVENT_TYPES}
    return found | {
        "MoveIn": {"$ref": COMPONENT_PREFIX + "Move"},
        "Event": {
            "oneOf": [{"$ref": reference} for reference in kinds.values()],
            "discriminator": {"propertyName": "kind", "mapping": kinds},
        },
    }


def game_schemas(game: AnyGame) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the schemas of a game's moves, facts and views, and the components they refer to."""
    types = (game.move_type, game.fact_type, game.view_type)
    found, components = msgspec.json.schema_components(types, ref_template="{name}")
    names = short_names("".join(part.capitalize() for part in game.slug.split("_")), components)
    own = [rename_references(schema, names) for schema in found]
    return (
        dict(zip(("Move", "Fact", "View"), own, strict=True)),
        {names[name]: rename_references(schema, names) for name, schema in components.items()},
    )


def short_names(prefix: str, long: Iterable[str]) -> dict[str, str]:
    """Return component names prefixed with the game's name, without type parameters, numbered if ambiguous."""
    names: dict[str, str] = {}
    for name in long:
        short = prefix + name.partition("_")[0]
        free = (f"{short}{number}" if number > 1 else short for number in count(1))
        names[name] = next(candidate for candidate in free if candidate not in names.values())
    return names
