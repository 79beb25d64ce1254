"""Outages of the log: a 503 that says what to do, no partial changes, and automatic recovery."""

import json
import threading
import time
from collections.abc import Iterator

import pytest
from flask import Flask

from service import wsgi
from service.bootstrap import build_services
from service.event_store.embedded import EmbeddedServer
from service.event_store.errors import LogUnavailable
from service.runtime.settings import Settings
from service.wsgi import create_app
from tests.service.api.builders import PREFIX, anonymous, assert_problem, fresh_key, mark_cell, started_match
from tests.waiting import wait_until


@pytest.fixture
def app(own_server: EmbeddedServer) -> Iterator[Flask]:
    """Return the application with a log server that the test may stop."""
    services = build_services(Settings(log_url=own_server.url()))
    yield create_app(services)
    services.runtime.redis.close()


def test_the_api_answers_503_without_the_log_and_recovers(app: Flask, own_server: EmbeddedServer) -> None:
    match, (ann, bob) = started_match(app)
    key = fresh_key()
    mark_cell(ann, match, 0, Idempotency_Key="before")
    own_server.kill()
    for answer in (
        mark_cell(bob, match, 4, Idempotency_Key=key),
        ann.get("/me"),
        ann.get("/me/turns"),
        ann.post("/matches", {"game": "tic_tac_toe", "seats": [{"kind": "me"}] * 2}),
        anonymous(app).post("/players", {"name": "Cid"}),
        anonymous(app).get("/matches"),
        anonymous(app).get(f"/matches/{match}"),
        anonymous(app).get(f"/matches/{match}/events"),
        anonymous(app).get(f"/matches/{match}/stream"),
        anonymous(app).get(f"/matches/{match}/replay"),
        anonymous(app).get(f"/audits/{match}"),
    ):
        refusal = assert_problem(answer, 503, "log_unavailable")
        assert answer.headers["Retry-After"] == str(refusal["retry_after"])
        assert "same Idempotency-Key" in refusal["detail"]
    client = app.test_client()
    assert client.get("/readyz").status_code == 503
    assert client.get("/healthz").status_code == 200
    assert client.get("/metrics").status_code == 200
    assert anonymous(app).get("/games").status_code == 200

    own_server.start()
    answer = mark_cell(bob, match, 4, Idempotency_Key=key)
    assert (answer.status_code, answer.json["event"]["ply"]) == (201, 6)
    wait_until(lambda: client.get("/readyz").status_code == 200, 60)  # its result is valid for a second
    assert client.get("/readyz").json["durability"] == "durable"
    again = mark_cell(ann, match, 0, Idempotency_Key="before")
    assert (again.status_code, again.headers["Idempotent-Replayed"]) == (201, "true")
    assert ann.get(f"/matches/{match}").json["ply"] == 6


def test_a_stream_survives_an_outage_of_the_log(app: Flask, own_server: EmbeddedServer) -> None:
    match, (ann, _) = started_match(app)
    response = app.test_client().get(f"{PREFIX}/matches/{match}/stream?after=4", buffered=False)
    pieces = iter(response.response)
    next(pieces)
    own_server.kill()
    own_server.start()
    mover = threading.Timer(0.1, lambda: mark_cell(ann, match, 4))
    mover.start()
    began = time.monotonic()
    line = next(piece for piece in pieces if piece.strip())
    assert json.loads(line)["ply"] == 5
    assert time.monotonic() - began < 30
    mover.join()
    response.close()


def test_a_log_that_may_lose_moves_is_not_ready(app: Flask, own_server: EmbeddedServer) -> None:
    services = app.extensions["crumbtrail"]
    services.runtime.redis.config_set("appendfsync", "everysec")
    answer = app.test_client().get("/readyz")
    assert (answer.status_code, answer.mimetype) == (503, "application/problem+json")
    assert (answer.json["code"], answer.json["durability"]) == ("not_durable", "fast")
    assert "appendfsync" in answer.json["faults"][0]
    allowed = create_app(build_services(Settings(log_url=own_server.url(), allow_fast=True)))
    assert allowed.test_client().get("/readyz").json["durability"] == "fast"


def test_healthz_reports_the_last_known_durability(app: Flask, own_server: EmbeddedServer) -> None:
    """An orchestrator must not restart a process because the log is unavailable, so /healthz does not query the log."""
    client = app.test_client()
    assert client.get("/healthz").json == {"status": "alive", "durability": "unknown"}
    client.get("/readyz")
    own_server.kill()
    assert client.get("/healthz").json == {"status": "alive", "durability": "durable"}


def test_a_web_process_waits_for_its_log_at_the_start(
    own_server: EmbeddedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If one process gave up, gunicorn would stop the others too."""
    monkeypatch.setenv("CRUMBTRAIL_LOG_URL", own_server.url())
    own_server.stop()
    late = threading.Timer(1.2, own_server.start)
    late.start()
    application = wsgi.app()
    late.join()
    assert application.test_client().get("/healthz").json["durability"] == "durable"


def test_a_permanent_error_ends_a_web_process_immediately(
    own_server: EmbeddedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CRUMBTRAIL_LOG_URL", own_server.url().replace("unix://", "unix://nobody:wrong@"))
    with pytest.raises(LogUnavailable, match="password"):
        wsgi.app()
