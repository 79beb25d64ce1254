"""Players and their tokens; what every answer carries."""

import pytest
from flask import Flask

from service.services import Services
from tests.service.api.builders import PREFIX, new_match, problem, register, table, visitor


def test_a_player_registers_and_is_known_by_the_token(app: Flask, services: Services) -> None:
    answer = visitor(app).post("/players", {"name": " Ann  O'Hara "})
    assert answer.status_code == 201
    player, token = answer.json["player"], answer.json["token"]
    assert visitor(app).get("/me", Authorization=f"Bearer {token}").json == {"player": player}
    redis = services.redis
    stored = [redis.get(key) if redis.type(key) == b"string" else repr(redis.hgetall(key)).encode()
              for key in redis.keys("ct:*")]  # fmt: skip
    assert not any(token.encode() in value for value in stored), "tokens are stored hashed"
    assert not any(token.encode() in key for key in services.redis.scan_iter())


@pytest.mark.parametrize("name", ["", " ", "x" * 41, "a\tb", "\u200b", "\u202eevil", "x" * 5000])
def test_a_name_that_cannot_be_shown_is_refused(app: Flask, name: str) -> None:
    answer = visitor(app).post("/players", {"name": name})
    assert answer.status_code == 422
    assert answer.json["code"] in ("bad_name", "invalid")


@pytest.mark.parametrize("body", [{}, {"name": 5}, {"name": None}, {"name": "Ann", "age": 5}])
def test_a_registration_is_a_name(app: Flask, body: dict) -> None:
    problem(visitor(app).post("/players", body), 422, "invalid")


def test_no_cookie_is_set_or_honoured(app: Flask, services: Services) -> None:
    match, (ann, _) = table(app, "mice_cake")
    client = app.test_client()
    with client.session_transaction() as session:
        session["player"], session["secret"] = ann.id, services.sessions.begin(ann.id)
    for answer in (
        client.get(f"{PREFIX}/me"),
        client.get(f"{PREFIX}/me/turns"),
        client.get(f"{PREFIX}/matches/{match}/legal-moves"),
        client.post(f"{PREFIX}/matches/{match}/moves", json={"type": "resign"}),
    ):
        assert answer.status_code == 401
        assert "Set-Cookie" not in answer.headers
    assert client.get(f"{PREFIX}/matches/{match}").json["you"] == []


def test_every_answer_carries_its_headers(app: Flask) -> None:
    ann = register(app)
    match = new_match(ann)["match"]["id"]
    for answer in (
        ann.get("/me"),
        ann.get(f"/matches/{match}"),
        ann.get("/nothing"),
        ann.post("/players", {}),
        ann.get("/openapi.json"),
        ann.send("DELETE", "/games"),
        app.test_client().get("/healthz"),
        app.test_client().get("/metrics"),
    ):
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Content-Security-Policy"].startswith("default-src 'none'")
        assert "no-store" in answer.headers["Cache-Control"]
        assert "Authorization" in answer.headers["Vary"]
