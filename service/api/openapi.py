"""The OpenAPI document: requests by their marshmallow schemas, answers by their types, and unions over all games."""

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

DESCRIPTION = """Play-by-web board games in which every die, move and point can be checked by anyone.

Bearer tokens come from `POST /players`. Every refusal is a problem document (RFC 9457) with a stable `code`.
`ETag`, `If-Match` and the ids of streams are the ply of the match. Repeat a POST with the same `Idempotency-Key` until
it is answered: it acts once."""


class ProblemApi(Api):  # type: ignore[misc]
    """The interface whose refusals are problem documents."""

    ERROR_SCHEMA = ProblemSchema

    def _register_error_handlers(self) -> None:
        """None: they would be those of the pages too. `Resource` and `service.wsgi` see to ours."""


def complete_document(api: Api, answers: Iterable[type]) -> None:
    """Add what marshmallow does not say: the components of these answers, the unions, descriptions, problems."""
    schemas, responses = api.spec.components.schemas, api.spec.components.responses
    api.spec.components.security_scheme("bearer", {"type": "http", "scheme": "bearer"})
    schemas |= answer_components(answers)
    schemas |= game_unions()
    for key, name in api.ma_plugin.converter.refs.items():
        schemas[name]["description"] = key[0].__doc__
    schemas["SeatIn"] = split_by_kind(schemas["SeatIn"], "kind", SeatIn.variant_fields)
    schemas["CommandIn"] = split_by_kind(schemas["CommandIn"], "type", CommandIn.variant_fields)
    for response in responses.values():
        problem = response.get("content", {}).pop("application/json", None)
        if problem:
            response["content"][MIMETYPE] = problem
    schemas.pop("PaginationMetadata", None)  # flask-smorest's own; our pages have cursors


def split_by_kind(schema: dict[str, Any], by: str, own: Iterable[VariantField]) -> dict[str, Any]:
    """The schema as one of several, by the value of one field: each with the fields that its kind may have."""
    variants = []
    for kind in schema["properties"][by]["enum"]:
        foreign = {field.name for field in own if kind not in field.kinds}
        fields = {name: part for name, part in schema["properties"].items() if name not in foreign}
        needed = [field.name for field in own if field.required and kind in field.kinds]
        required = [*schema["required"], *needed]
        variant = {"type": "object", "properties": {**fields, by: {"const": kind}}, "required": required}
        variants.append({**variant, "additionalProperties": False})
    return {"description": schema["description"], "oneOf": variants}


def game_unions() -> dict[str, Any]:
    """`Move`, `Fact` and `View` over all games, `Event` over its kinds, and what the games' schemas refer to."""
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
    """The schemas of a game's moves, facts and views, and the components that they refer to."""
    types = (game.move_type, game.fact_type, game.view_type)
    found, components = msgspec.json.schema_components(types, ref_template="{name}")
    names = short_names("".join(part.capitalize() for part in game.slug.split("_")), components)
    own = [rename_references(schema, names) for schema in found]
    return (
        dict(zip(("Move", "Fact", "View"), own, strict=True)),
        {names[name]: rename_references(schema, names) for name, schema in components.items()},
    )


def short_names(prefix: str, long: Iterable[str]) -> dict[str, str]:
    """Names with the game's name before and without the parameters of generic types, numbered to tell them apart."""
    names: dict[str, str] = {}
    for name in long:
        short = prefix + name.partition("_")[0]
        free = (f"{short}{number}" if number > 1 else short for number in count(1))
        names[name] = next(candidate for candidate in free if candidate not in names.values())
    return names
