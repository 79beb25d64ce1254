"""The catalogue of games and the OpenAPI document."""

import json
import os
from pathlib import Path
from typing import Any

import msgspec
import pytest
from flask import Flask
from jsonschema_rs import Draft202012Validator, meta
from openapi_spec_validator import validate

from domain.kernel.registry import games
from service.wsgi import create_app
from tests.builders import play_match
from tests.service.api.builders import PREFIX, anonymous, assert_problem, openapi

RELEASED = Path(__file__).parents[2] / "golden" / "openapi.json"
"""The released document. `UPDATE_GOLDEN=1` rewrites it; review the diff, since released fields, codes and paths must
not change."""


def without_games(document: dict[str, Any]) -> dict[str, Any]:
    """Return the document without the components of games, which may change with their rules versions."""
    prefixes = tuple("".join(part.capitalize() for part in slug.split("_")) for slug in games())
    schemas = document["components"]["schemas"]
    own = {name: schema for name, schema in schemas.items() if not name.startswith(prefixes)}
    unions: dict[str, Any] = {name: {"anyOf": []} for name in ("Move", "Fact", "View")}
    return {**document, "components": {**document["components"], "schemas": own | unions}}


def normalized(schema: Any) -> Any:
    """Return the document in a normal form, so that equivalent schemas are equal.

    `{"anyOf": [{"type": T}, {"type": "null"}]}` becomes `{"type": [T, "null"]}`. Enums are sorted and have no type.
    Required fields are sorted. Empty schemas are removed.
    """
    if isinstance(schema, list):
        return [normalized(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    found = {key: normalized(part) for key, part in schema.items()}
    one_of_two = [option for option in found.get("anyOf", []) if option != {"type": "null"}]
    if len(one_of_two) == 1 and "$ref" not in one_of_two[0]:
        found |= one_of_two[0]
        nullable = len(found.pop("anyOf")) > 1
        if nullable and "enum" in found:
            found["enum"] = [*found["enum"], None]
        elif nullable:
            found["type"] = [found["type"], "null"]
    if isinstance(found.get("enum"), list):
        found["enum"] = sorted(found["enum"], key=str)
        found.pop("type", None)
    if isinstance(found.get("required"), list):
        found["required"] = sorted(found["required"])
    return {key: part for key, part in found.items() if key not in ("additionalProperties", "items") or part != {}}


def normalized_document(document: dict[str, Any]) -> dict[str, Any]:
    """Return the normalized document without descriptions of components, which are docstrings and may change."""
    found: dict[str, Any] = normalized(document)
    for schema in found["components"]["schemas"].values():
        schema.pop("description", None)
    return found


def test_the_document_matches_the_released_one(app: Flask) -> None:
    served = without_games(openapi(app))
    if os.environ.get("UPDATE_GOLDEN"):
        RELEASED.write_text(json.dumps(served, indent=1, sort_keys=True, ensure_ascii=False) + "\n")
    assert normalized_document(served) == normalized_document(json.loads(RELEASED.read_text()))


def test_every_component_is_described(app: Flask) -> None:
    schemas = without_games(openapi(app))["components"]["schemas"]
    described_elsewhere = {"Move", "Fact", "View", "Event", "MoveIn"}
    assert {name for name, schema in schemas.items() if not schema.get("description")} <= described_elsewhere


def test_the_document_is_valid(app: Flask) -> None:
    document = openapi(app)
    assert document["openapi"] == "3.1.0"
    validate(document)


def test_the_document_lists_exactly_the_routes(app: Flask) -> None:
    documented = {
        (method.upper(), path)
        for path, operations in openapi(app)["paths"].items()
        for method in operations
        if method != "parameters"
    }
    routed = {
        (method, rule.rule.replace("<int:", "<").replace("<", "{").replace(">", "}"))
        for rule in app.url_map.iter_rules()
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
        if rule.rule.startswith(PREFIX) and not rule.rule.endswith("openapi.json")
    }
    assert documented == routed


def test_every_operation_has_an_id_a_summary_and_an_error_schema(app: Flask) -> None:
    document = openapi(app)
    names = []
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            if method == "parameters":
                continue
            names.append(operation["operationId"])
            assert operation["summary"], f"{method} {path}"
            assert "default" in operation["responses"]
            for response in operation["responses"].values():
                described = response if "description" in response else document["components"]["responses"][
                    response["$ref"].rpartition("/")[2]
                ]  # fmt: skip
                assert described["description"], f"{method} {path}: an integer key is missing in its links"
    assert len(names) == len(set(names))
    refusal = document["components"]["responses"]["DEFAULT_ERROR"]["content"]
    assert list(refusal) == ["application/problem+json"]


def test_links_refer_to_operations(app: Flask) -> None:
    document = openapi(app)
    names = {
        operation["operationId"]
        for operations in document["paths"].values()
        for method, operation in operations.items()
        if method != "parameters"
    }
    created = document["paths"][f"{PREFIX}/matches"]["post"]["responses"]["201"]
    assert created["content"]["application/json"]["schema"] == {"$ref": "#/components/schemas/CreatedMatch"}
    assert {link["operationId"] for link in created["links"].values()} <= names
    assert created["links"]["events"]["parameters"] == {"match": "$response.body#/match/id"}


def test_two_applications_serve_the_same_document(app: Flask) -> None:
    assert openapi(create_app(app.extensions["crumbtrail"])) == openapi(app)


def test_the_catalogue_lists_every_game(app: Flask) -> None:
    listed = anonymous(app).get("/games").json["games"]
    assert [game["slug"] for game in listed] == list(games())
    cake = next(game for game in listed if game["slug"] == "mice_cake")
    assert cake["seat_counts"] == [{"seats": 2, "names": ["yellow", "blue"]}]
    assert {option["name"]: option["default"] for option in cake["options"]} == {
        "start_face": "alternate",
        "matches": "exhaust",
        "contest_floor": "pips",
    }
    assert_problem(anonymous(app).get("/games/go"), 404, "no_such_game")


@pytest.mark.parametrize("slug", sorted(games()))
def test_a_games_schemas_describe_its_moves_facts_and_views(app: Flask, slug: str) -> None:
    schemas = anonymous(app).get(f"/games/{slug}").json["schemas"]
    checks = {name: Draft202012Validator(schema) for name, schema in schemas.items()}
    for schema in schemas.values():
        meta.validate(schema)
    game = games()[slug]
    state = game.initial
    for event in play_match(game):
        state = game.fold(event.facts, state)
        if event.move is not None:
            checks["move"].validate(json.loads(msgspec.json.encode(event.move)))
        for fact in event.facts:
            checks["fact"].validate(json.loads(msgspec.json.encode(fact)))
        for seat in (None, 0, 1):
            checks["view"].validate(json.loads(msgspec.json.encode(game.view(state, seat))))
    assert not checks["move"].is_valid({"type": "nonsense"})
    assert not checks["fact"].is_valid({"type": "nonsense"})
    checks["options"].validate({})
    assert not checks["options"].is_valid({"nonsense": 1})
