"""Players who use the API, and matches between them. Every answer is validated against the OpenAPI document.

ann = register(app, "Ann")
match, (ann, bob) = started_match(app, "mice_cake")         # one person per seat
ann.post(f"/matches/{match}/moves", {"type": "resign"})     # a werkzeug test response
"""

import json
import re
from dataclasses import dataclass
from functools import cache
from itertools import count
from typing import Any
from urllib.parse import quote
from weakref import WeakKeyDictionary

from flask import Flask
from jsonschema_rs import Draft202012, Draft202012Validator, Registry
from werkzeug.test import TestResponse

PREFIX = "/api/v1"
PROBLEM = "application/problem+json"
NAMES = ("Ann", "Bob", "Cid", "Dora")
OPEN_CAKE = "c0ffee"
"""A seed for a cake in which both seats can enter every column."""
_keys = count()
_numbers = count(2)


@dataclass(frozen=True)
class Person:
    """A client with or without a token. If `checked`, answers are validated against the OpenAPI document."""

    app: Flask
    token: str | None = None
    id: str | None = None
    checked: bool = True

    def get(self, path: str, **headers: str) -> TestResponse:
        """GET a path under /api/v1. Keyword arguments such as `If_None_Match="5"` are headers."""
        return self.send("GET", path, headers=headers)

    def post(self, path: str, body: Any = None, **headers: str) -> TestResponse:
        """POST a JSON body."""
        raw = b"" if body is None else json.dumps(body).encode()
        return self.send("POST", path, raw, {"Content-Type": "application/json", **headers})

    def send(self, method: str, path: str, raw: bytes = b"", headers: dict[str, str] | None = None) -> TestResponse:
        """Send any request and validate the answer against the OpenAPI document."""
        named = {name.replace("_", "-"): value for name, value in (headers or {}).items()}
        if self.token and "Authorization" not in named:
            named["Authorization"] = f"Bearer {self.token}"
        client = self.app.test_client()
        response = client.open(PREFIX + path, method=method, data=raw, headers=named, buffered=True)
        if self.checked:
            assert_conforms(self.app, method, path, response)
        return response


def anonymous(app: Flask) -> Person:
    """Return a client without a token."""
    return Person(app)


def register(app: Flask, name: str = "Ann") -> Person:
    """Register a player. If the name is taken, it gets a number that no other player of this run has."""
    answer = anonymous(app).post("/players", {"name": name})
    if answer.status_code == 409:
        answer = anonymous(app).post("/players", {"name": f"{name} {next(_numbers)}"})
    assert answer.status_code == 201, answer.text
    return Person(app, answer.json["token"], answer.json["player"]["id"])


def new_match(person: Person, game: str = "tic_tac_toe", seats: str = "me open", **more: Any) -> dict[str, Any]:
    """Create a match with seats such as `me open private bot`, and return the answer."""
    wishes = {
        "me": {"kind": "me"},
        "open": {"kind": "open"},
        "private": {"kind": "open", "private": True},
        "bot": {"kind": "bot", "level": "random"},
    }
    body = {"game": game, "seats": [wishes[word] for word in seats.split()], **more}
    answer = person.post("/matches", body)
    assert answer.status_code == 201, answer.text
    return dict(answer.json)


def started_match(app: Flask, game: str = "tic_tac_toe", **more: Any) -> tuple[str, tuple[Person, Person]]:
    """Start a match and return its id and both players."""
    ann, bob = register(app, "Ann"), register(app, "Bob")
    if game == "mice_cake":
        more.setdefault("seed", OPEN_CAKE)
    made = new_match(ann, game, **more)
    match = made["match"]["id"]
    answer = bob.post(f"/matches/{match}/seats/1", {"invitation": made["invitations"]["1"]})
    assert answer.status_code == 201, answer.text
    return match, (ann, bob)


def mark_cell(person: Person, match: str, cell: int, **headers: str) -> TestResponse:
    """Mark a cell of tic-tac-toe."""
    return person.post(f"/matches/{match}/moves", {"type": "mark", "cell": cell}, **headers)


def finished_match(app: Flask) -> tuple[str, tuple[Person, Person]]:
    """Play a match of tic-tac-toe that Ann wins. Its last ply is 11."""
    match, (ann, bob) = started_match(app)
    for person, cell in ((ann, 0), (bob, 3), (ann, 1), (bob, 4), (ann, 2)):
        assert mark_cell(person, match, cell).status_code == 201
    return match, (ann, bob)


def fresh_key() -> str:
    """Return an unused Idempotency-Key."""
    return f"key {next(_keys)}"


def assert_problem(answer: TestResponse, status: int, code: str) -> dict[str, Any]:
    """Assert that the answer is this problem, and return the problem document."""
    found = (answer.status_code, (answer.json or {}).get("code"))
    assert found == (status, code), f"expected {status} {code}, got {answer.status_code}: {answer.text[:500]}"
    return dict(answer.json)


# -- the OpenAPI document -----------------------------------------------------------------------------------------


def openapi(app: Flask) -> dict[str, Any]:
    """Return the document that the application serves."""
    return dict(app.test_client().get(f"{PREFIX}/openapi.json").json)


_texts: WeakKeyDictionary[Flask, str] = WeakKeyDictionary()


def _text(app: Flask) -> str:
    """Return the document as served. It is cached per application, because tests create hundreds of them."""
    if app not in _texts:
        _texts[app] = app.test_client().get(f"{PREFIX}/openapi.json").text
    return _texts[app]


@cache
def _document(text: str) -> dict[str, Any]:
    return dict(json.loads(text))


@cache
def _registry(text: str) -> Registry:
    return Registry([("urn:api", _document(text))], draft=Draft202012)


def assert_conforms(app: Flask, method: str, path: str, answer: TestResponse) -> None:
    """Assert that the answer matches the document in every field."""
    if method == "HEAD" or answer.mimetype not in ("application/json", PROBLEM):
        return
    assert answer.json is not None
    if answer.status_code >= 400:
        assert answer.mimetype == PROBLEM
        _assert_valid(app, "/components/schemas/Problem", answer.json)
        assert answer.json["status"] == answer.status_code
        return
    document = _document(_text(app))
    rule = _rule(app, method, path)
    if rule == f"{PREFIX}/openapi.json":
        return
    operation = document["paths"][rule][method.lower()]
    status = str(answer.status_code)
    assert status in operation["responses"], f"{method} {rule} does not document {status}"
    pointer = "/".join(part.replace("~", "~0").replace("/", "~1") for part in ("paths", rule))
    _assert_valid(app, f"/{pointer}/{method.lower()}/responses/{status}/content/application~1json/schema", answer.json)


def _rule(app: Flask, method: str, path: str) -> str:
    """Return the path template in the document for a request."""
    rule, _ = app.url_map.bind("").match(PREFIX + path.partition("?")[0], method, return_rule=True)
    return re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule.rule)


def _assert_valid(app: Flask, pointer: str, value: Any) -> None:
    error = next(iter(_validator(_text(app), pointer).iter_errors(value)), None)
    assert error is None, f"{pointer}: {error.message[:300]} at {error.instance_path}"


@cache
def _validator(text: str, pointer: str) -> Draft202012Validator:
    return Draft202012Validator({"$ref": f"urn:api#{quote(pointer)}"}, registry=_registry(text))
