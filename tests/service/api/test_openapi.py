"""The catalogue and the OpenAPI document: valid, and good enough to play by."""

import json

import msgspec
import pytest
from flask import Flask
from jsonschema_rs import Draft202012Validator, meta
from openapi_spec_validator import validate

from domain.kernel.registry import games
from service.wsgi import create_app
from tests.builders import play_match
from tests.service.api.builders import PREFIX, anonymous, assert_problem, openapi


def test_the_document_is_valid(app: Flask) -> None:
    document = openapi(app)
    assert document["openapi"] == "3.1.0"
    validate(document)


def test_the_document_names_every_route_and_no_other(app: Flask) -> None:
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


def test_every_operation_has_a_name_a_summary_and_a_schema_for_refusals(app: Flask) -> None:
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


def test_links_lead_to_operations(app: Flask) -> None:
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


def test_two_applications_have_one_document(app: Flask) -> None:
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
