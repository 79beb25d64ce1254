"""CSRF protection, cookies, size limits, and pages for missing or unavailable content."""

import io
import logging
import re

import pytest
from flask import Flask
from redis import Redis

from service.bootstrap import build_services
from service.event_store.embedded import EmbeddedServer
from service.runtime.settings import Settings
from service.web.security import ENDPOINTS_WITHOUT_SESSION
from service.wsgi import create_app
from tests.service.web.visitors import Form, Visitor, two_player_match

FILLED = {
    "token": "0" * 12,
    "dispute": "5",
    "match": "00aaaaaaaaaaaaaaaa",
    "player": "p_x",
    "report": "r_x",
    "seat": "0",
    "code": "x",
    "slug": "mice_cake",
}


def posts(app: Flask) -> list[str]:
    """Return every URL path that accepts a form protected by the session."""
    found = (rule for rule in app.url_map.iter_rules() if rule.endpoint.startswith("web."))
    rules = [rule for rule in found if rule.endpoint not in ENDPOINTS_WITHOUT_SESSION]
    return [re.sub(r"<(?:\w+:)?(\w+)>", lambda found: FILLED[found[1]], r.rule) for r in rules if "POST" in r.methods]


def test_every_form_needs_the_csrf_token_of_its_session(app: Flask, ann: Visitor, bob: Visitor) -> None:
    stolen = ann.open("/").form("/play").fields["csrf_token"]
    paths = posts(app)
    assert len(paths) >= 10
    for path in paths:
        for fields in ({}, {"csrf_token": "x"}, {"csrf_token": stolen}):
            page = bob.send(Form(path, "post", {**fields, "key": "0" * 32, "seat": "0"}))
            assert page.status == 400, path
            assert "We couldn't process that" in page.text


def test_the_session_cookie_is_http_only_and_same_site(ann: Visitor) -> None:
    cookie = ann.client.get("/").headers["Set-Cookie"]
    assert cookie.startswith("crumbtrail=")
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie
    assert "Secure" not in cookie


def test_the_cookie_is_secure_over_https(server: EmbeddedServer, redis: Redis) -> None:
    app = create_app(build_services(Settings(log_url=server.url(), secure_cookies=True)))
    answer = app.test_client().get("/", base_url="https://crumbtrail.example")
    assert "Secure" in answer.headers["Set-Cookie"]
    assert answer.headers["Strict-Transport-Security"]


def test_forms_work_over_https_without_a_referrer(server: EmbeddedServer, redis: Redis) -> None:
    app = create_app(build_services(Settings(log_url=server.url(), secure_cookies=True)))
    ann = Visitor(app, base_url="https://crumbtrail.example")
    assert ann.send(ann.open("/").form("/play"), press="greedy").status == 200


def test_a_forged_session_is_ignored(app: Flask) -> None:
    match, ann, _ = two_player_match(app)
    cookie = ann.client.get_cookie("crumbtrail")
    assert cookie
    thief = Visitor(app)
    thief.client.set_cookie("crumbtrail", cookie.value[:-2] + "AA")
    assert "(you)" not in thief.open(f"/matches/{match}").html


@pytest.mark.parametrize("key", ["", "short", "z" * 32, "0" * 33])
def test_a_form_without_a_valid_key_is_refused(ann: Visitor, key: str) -> None:
    page = ann.send(ann.open("/").form("/play"), press="greedy", key=key)
    assert page.status == 400
    assert "This form is incomplete" in page.text


@pytest.mark.parametrize("fields", [{"game": "chess"}, {"level": "oracle"}, {"game": "\x00"}])
def test_unknown_games_and_bots_are_refused(ann: Visitor, fields: dict[str, str]) -> None:
    page = ann.send(ann.open("/").form("/play"), **{"level": "greedy", **fields})
    assert page.status == 400


def test_a_form_that_is_too_large_is_refused(ann: Visitor) -> None:
    assert ann.send(ann.open("/name").form("/name"), name="x" * 100_000).status == 413


def test_an_upload_that_is_too_large_is_refused(ann: Visitor) -> None:
    form = ann.open("/verify").form("/verify")
    data = {**form.fields, "file": (io.BytesIO(b"x" * (17 * 2**20)), "m.crumb.ndjson")}
    assert ann.client.post("/verify", data=data).status_code == 413


@pytest.mark.parametrize(
    "path",
    [
        "/matches/00aaaaaaaaaaaaaaaa",
        "/matches/nonsense",
        "/matches/00aaaaaaaaaaaaaaaa/replay",
        "/matches/00aaaaaaaaaaaaaaaa/live",
        "/matches/00aaaaaaaaaaaaaaaa/replay/file",
        "/new/chess",
        "/rules/chess",
        "/rules/..%2f..",
        "/join/00aaaaaaaaaaaaaaaa/0/code",
        "/join/00aaaaaaaaaaaaaaaa/99999999999999999999/code",
        "/nothing",
    ],
)
def test_missing_content_gets_a_friendly_page(ann: Visitor, path: str) -> None:
    page = ann.open(path)
    assert page.status == 404
    assert "Not found" in page.text
    assert page.headers["Content-Type"].startswith("text/html")
    assert "Content-Security-Policy" in page.headers


def test_an_unsupported_method_gets_an_error_page(ann: Visitor) -> None:
    answer = ann.client.delete("/new")
    assert answer.status_code == 405
    assert "That isn&#39;t possible here" in answer.get_data(as_text=True)


def test_the_api_answers_with_problem_json(ann: Visitor) -> None:
    answer = ann.client.get("/api/v1/nothing")
    assert answer.status_code == 404
    assert answer.mimetype == "application/problem+json"


def test_a_form_can_be_sent_again_after_an_outage(own_server: EmbeddedServer, caplog: pytest.LogCaptureFixture) -> None:
    """The error page offers the same form again, and the move is made once."""
    services = build_services(Settings(log_url=own_server.url()))
    app = create_app(services)
    match, ann, _ = two_player_match(app, seed="c0ffee")
    form = ann.open(f"/matches/{match}").form("/moves")
    ply = services.matches.repository.load(match).ply
    own_server.stop()

    with caplog.at_level(logging.ERROR):
        away = ann.send(form, A="4")
        assert ann.open("/").status == 503
        assert ann.open(f"/matches/{match}").status == 503
        assert ann.open("/rules/mice_cake").status in (200, 503)
    assert away.status == 503
    assert away.headers["Retry-After"]
    assert "Temporarily unavailable" in away.text
    assert not [record for record in caplog.records if "unexpected" in record.message]

    own_server.start()
    again = away.form("/moves")
    assert {name: again.fields[name] for name in ("A", "key", "seat")} == {
        "A": "4",
        "key": form.fields["key"],
        "seat": "0",
    }
    assert "You sent your mice: A 4." in ann.send(again).text
    assert ann.send(form, A="4").status == 200
    assert services.matches.repository.load(match).ply == ply + 1


def test_every_page_warns_if_moves_may_be_lost(own_server: EmbeddedServer) -> None:
    services = build_services(Settings(log_url=own_server.url(), allow_fast=True))
    services.runtime.redis.config_set("appendfsync", "everysec")
    page = Visitor(create_app(services)).open("/rules")
    assert "This server may lose moves." in page.text
    assert "appendfsync is everysec" in page.text
    assert "This server may lose confirmed moves." in page.text


def test_a_page_says_that_the_log_is_durable(ann: Visitor) -> None:
    assert "Every confirmed move is safely saved." in ann.open("/").text


def test_an_internal_error_shows_and_logs_no_secret(
    app: Flask, ann: Visitor, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    table = ann.send(ann.open("/").form("/play"), press="greedy")

    def broken(*_: object) -> None:
        raise RuntimeError("a secret")

    monkeypatch.setattr("service.web.pages.match.describe_turn", broken)
    with caplog.at_level(logging.ERROR):
        page = ann.open(table.path)
    assert page.status == 500
    assert "Something went wrong" in page.text
    assert "secret" not in page.html + caplog.text
    assert "unexpected RuntimeError on web.match" in caplog.text
