"""Notification settings in the API."""

import json
from typing import Any

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from service.bootstrap import Services
from service.runtime.rate_limits import MAX_WEBHOOK_TESTS
from tests.service.api.builders import Person, anonymous, assert_problem, register

PATH = "/me/notifications"


def put(person: Person, path: str, body: Any, **headers: str) -> TestResponse:
    sent = {"Content-Type": "application/json", **headers}
    return person.send("PUT", path, json.dumps(body).encode(), sent)


def test_preferences_and_a_webhook_are_set_shown_and_removed(app: Flask, services: Services) -> None:
    ann = register(app)
    first = ann.get(PATH).json
    assert first == {
        "mail": {
            "mode": "each",
            "patience": 5,
            "zone": "UTC",
            "quiet": None,
            "hour": 8,
            "has_address": False,
            "switched_on": False,
        },
        "webhook": None,
        "outcomes": {},
    }
    preferences = {
        "mode": "daily",
        "patience": 15,
        "zone": "Asia/Tokyo",
        "quiet": {"start": "22:00", "end": "07:30"},
        "hour": 7,
    }
    assert put(ann, f"{PATH}/mail", preferences).json["mail"] == first["mail"] | preferences
    url = "https://hooks.example.org/x"
    hook = put(ann, f"{PATH}/webhook", {"url": url}).json
    assert hook["secret"].startswith("whsec_")
    assert ann.get(PATH).json["webhook"] == url
    assert hook["secret"] not in ann.get(PATH).text, "the secret is shown once"
    assert ann.send("DELETE", f"{PATH}/webhook").status_code == 204
    assert ann.get(PATH).json["webhook"] is None


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("mail", {"mode": "hourly"}),
        ("mail", {"mode": "each", "patience": 7}),
        ("mail", {"mode": "each", "hour": 24}),
        ("mail", {"mode": "each", "zone": "Mars/Olympus"}),
        ("mail", {"mode": "each", "quiet": {"start": "22:00", "end": ""}}),
        ("mail", {"mode": "each", "address": "eve@example.org"}),
        ("webhook", {"url": "ftp://example.org"}),
        ("webhook", {"url": "https://user:word@example.org/"}),
    ],
)
def test_invalid_settings_are_refused_and_change_nothing(app: Flask, path: str, body: dict[str, Any]) -> None:
    ann = register(app)
    before = ann.get(PATH).json
    refused = put(ann, f"{PATH}/{path}", body)
    assert refused.status_code == 422
    assert refused.json["code"] in ("invalid", "bad_contact")
    assert ann.get(PATH).json == before


def test_a_webhook_test_needs_a_webhook_and_is_rate_limited(app: Flask, services: Services) -> None:
    ann = register(app)
    assert_problem(ann.post(f"{PATH}/webhook/test", {}), 409, "no_webhook")
    put(ann, f"{PATH}/webhook", {"url": "https://hooks.example.org/x"})
    answers = [ann.post(f"{PATH}/webhook/test", {}) for _ in range(MAX_WEBHOOK_TESTS + 1)]
    assert [answer.status_code for answer in answers] == [202] * MAX_WEBHOOK_TESTS + [429]
    assert int(answers[-1].headers["Retry-After"]) > 0
    assert len(services.notifications.one_off_tasks.due(services.runtime.clock.now())) == MAX_WEBHOOK_TESTS


def test_only_a_token_with_the_scope_play_can_change_settings(app: Flask, services: Services) -> None:
    ann = register(app)
    assert_problem(anonymous(app).get(PATH), 401, "no_token")
    for scope in ("read", "bot"):
        token = services.accounts.players.new_token(ann.id, scope, "Phone")  # type: ignore[arg-type]
        bearer = {"Authorization": f"Bearer {token}"}
        assert anonymous(app).get(PATH, **bearer).status_code == 200
        assert_problem(put(anonymous(app), f"{PATH}/mail", {"mode": "none"}, **bearer), 403, "scope_missing")
