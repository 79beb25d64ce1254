"""Permissions: every route of the API and the pages, requested by all kinds of callers.

The routes come from the URL map, so a new route without a case in `audience` fails. Refused requests change nothing.
"""

import json

import pytest
from flask import Flask
from redis import Redis
from werkzeug.test import TestResponse

from tests.service.api.builders import PREFIX, Person
from tests.service.audience import (
    API_CALLERS,
    API_REQUESTS,
    KEY,
    PAGE_READERS,
    PAGE_REQUESTS,
    SEATS,
    Audience,
    RequestCase,
    visitor_as,
)
from workers.projection.projector import Projector


def dump_keys(redis: Redis) -> dict[bytes, bytes]:
    """Return all keys on the server with their contents."""
    return {key: redis.dump(key) for key in redis.keys("*")}


def ask(person: Person, request: RequestCase, path: str) -> TestResponse:
    """Return the response, without reading the body of a stream."""
    headers = {"Idempotency-Key": KEY, "Content-Type": "application/json"}
    if person.token:
        headers["Authorization"] = f"Bearer {person.token}"
    raw = None if request.body is None else json.dumps(request.body)
    answer = person.app.test_client().open(PREFIX + path, method=request.method, headers=headers, data=raw)
    answer.close()
    return answer


@pytest.mark.parametrize("request_", API_REQUESTS, ids=lambda each: f"{each.method} {each.path}")
def test_every_api_caller_gets_the_expected_status(world: Audience, redis: Redis, request_: RequestCase) -> None:
    path = request_.path.format(**world.ids)
    expected = dict(zip(API_CALLERS, map(int, request_.statuses.split()), strict=True))
    found = {}
    for name, person in world.callers.items():
        if name == "owner" and request_.path.endswith("/test"):
            ask(person, RequestCase("PUT", "", "", {"url": "https://example.org/"}), "/me/notifications/webhook")
        before = dump_keys(redis)
        found[name] = ask(person, request_, path).status_code
        if found[name] >= 400:
            assert dump_keys(redis) == before, f"the refused request of {name} changed something"
    assert found == expected


def test_every_api_route_has_a_case(lasting_app: Flask) -> None:
    assert requested_routes(lasting_app, API_REQUESTS, PREFIX) == routes(lasting_app, PREFIX)


def requested_routes(app: Flask, requests: list[RequestCase], prefix: str = "") -> set[tuple[str, str]]:
    """Return the routes of these requests."""
    known = {
        "match": "m",
        "over": "m",
        "open": "m",
        "sealed": "m",
        "dispute": 1,
        "player": "p",
        "slug": "s",
        "code": "c",
        "token": "t",
    }
    urls, found = app.url_map.bind("localhost"), set()
    for each in requests:
        path = prefix + each.path.partition("?")[0].format(**known)
        rule, _ = urls.match(path, each.method, return_rule=True)
        found.add((each.method, rule.rule))
    return found


def routes(app: Flask, prefix: str) -> set[tuple[str, str]]:
    """Return all routes below a prefix, with each method."""
    return {
        (method, rule.rule)
        for rule in app.url_map.iter_rules()
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
        if rule.rule.startswith(prefix)
    }


# -- the pages ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("request_", PAGE_REQUESTS, ids=lambda each: f"{each.method} {each.path}")
def test_every_page_reader_gets_the_expected_status(world: Audience, redis: Redis, request_: RequestCase) -> None:
    head = world.services.matches.repository.load(world.ids["open"])
    code = world.services.matches.invitations.seat_code(head, 1)
    path = request_.path.format(**world.ids, code=code, token="0" * 12)
    expected = dict(zip(PAGE_READERS, map(int, request_.statuses.split()), strict=True))
    found = {}
    for name in PAGE_READERS:
        reader = visitor_as(world, name)
        token = reader.open("/name").form("/name").fields["csrf_token"]
        before = matches_in(redis)
        fields = None if request_.method == "GET" else {"csrf_token": token, **(request_.body or {})}
        answer = reader.client.open(path, method=request_.method, data=fields)
        found[name] = answer.status_code
        if answer.status_code >= 400:
            assert matches_in(redis) == before, f"the refused request of {name} changed a match"
    assert found == expected


def matches_in(redis: Redis) -> dict[bytes, bytes]:
    """Return all keys of matches with their contents."""
    return {key: value for key, value in dump_keys(redis).items() if key.startswith(b"{")}


def test_every_page_route_has_a_case(lasting_app: Flask) -> None:
    elsewhere = {route for route in routes(lasting_app, "") if route[1].startswith(PREFIX)} | ROOT
    assert requested_routes(lasting_app, PAGE_REQUESTS) == routes(lasting_app, "") - elsewhere


ROOT = {("GET", "/healthz"), ("GET", "/readyz"), ("GET", "/metrics"), ("GET", "/.well-known/crumbtrail-key")}
"""Routes that need no player."""


def test_the_root_routes_need_no_sign_in(world: Audience) -> None:
    for method, path in ROOT:
        assert world.app.test_client().open(path, method=method).status_code == 200


# -- leaks through lists and pages -------------------------------------------------------------------------------


def test_a_webhook_is_shown_only_to_its_owner(world: Audience) -> None:
    ann, cid = world.callers["owner"], world.callers["spectator"]
    ann.send(
        "PUT",
        "/me/notifications/webhook",
        b'{"url":"https://secret.example.org/"}',
        {"Content-Type": "application/json"},
    )
    for path in ("/me/notifications", f"/players/{ann.id}", f"/matches/{world.ids['match']}"):
        assert "secret.example.org" not in cid.get(path).text
    for page in ("/account", "/account/notifications", f"/players/{ann.id}"):
        assert "secret.example.org" not in visitor_as(world, "spectator").open(page).html
    assert "secret.example.org" in visitor_as(world, "owner").open("/account/notifications").html


def test_an_unlisted_match_is_not_listed_for_other_players(world: Audience) -> None:
    """The match has an open seat."""
    body = {"game": "tic_tac_toe", "seats": SEATS, "private": True}
    match = world.callers["owner"].post("/matches", body).json["match"]["id"]
    Projector(world.services.log, world.services.read_models.writer, world.services.read_models.progress).catch_up()
    world.services.read_models.verdicts.record(match, b"{}", failed=True)
    for name in ("stranger", "spectator", "other"):
        person = world.callers[name]
        assert match not in visitor_as(world, name).open("/disputes").html
        assert match not in person.get("/matches").text
        assert match not in person.get(f"/players/{world.ids['player']}/matches").text
    assert match in world.callers["owner"].get(f"/players/{world.ids['player']}/matches").text
    assert world.callers["owner"].id is not None
    world.services.accounts.arbiters.add(world.callers["owner"].id)
    assert match in visitor_as(world, "owner").open("/disputes").html, "an arbiter sees it"
