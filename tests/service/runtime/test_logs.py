"""Log lines: one line each, with their request, match or job, and never a secret."""

import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest
from flask import Flask
from redis import Redis

from service.bootstrap import Services, build_services
from service.event_store.embedded import EmbeddedServer
from service.runtime.logs import (
    REQUEST_ID_HEADER,
    JsonFormatter,
    PlainFormatter,
    log_context,
    request_id_for,
    set_up_logging,
)
from service.runtime.settings import Settings
from service.wsgi import create_app
from tests.service.api.builders import mark_cell, new_match, register, started_match


@pytest.fixture(autouse=True)
def about_nothing() -> Iterator[None]:
    """Clear the log context of this thread."""
    with log_context(request=None, match=None, job=None):
        yield


class RecordedLines(logging.Handler):
    """A handler that records log lines as JSON."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []
        self.setFormatter(JsonFormatter("web"))

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(self.format(record))

    def read(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.lines]


@pytest.fixture
def kept() -> Iterator[RecordedLines]:
    """All log lines of this process, as JSON."""
    kept, root, access = RecordedLines(), logging.getLogger(), logging.getLogger("crumbtrail.access")
    level, own = root.level, access.level
    root.addHandler(kept)
    root.setLevel(logging.INFO)
    access.setLevel(logging.INFO)
    yield kept
    root.removeHandler(kept)
    root.setLevel(level)
    access.setLevel(own)


@pytest.fixture
def services(redis: Redis, server: EmbeddedServer) -> Services:
    return build_services(Settings(log_url=server.url()))


@pytest.fixture
def app(services: Services) -> Flask:
    return create_app(services)


def make_record(text: str, *args: object, error: BaseException | None = None) -> logging.LogRecord:
    info = (type(error), error, error.__traceback__) if error else None
    return logging.LogRecord("crumbtrail", logging.WARNING, "x.py", 1, text, args, info)


def test_a_record_is_always_written_as_one_line() -> None:
    evil = make_record("said %s", 'one\ntwo\r\x1b[31m\u2028{"level":"error"}')
    assert len(PlainFormatter("web").format(evil).splitlines()) == 1
    line = JsonFormatter("web").format(evil)
    assert len(line.splitlines()) == 1
    assert json.loads(line)["text"] == 'said one two [31m {"level":"error"}'
    assert list(json.loads(line)) == ["at", "level", "process", "pid", "text"]


def test_an_exception_is_logged_without_its_message() -> None:
    try:
        raise ValueError("the seed is 5ec7e7")
    except ValueError as error:
        failed = make_record("it failed", error=error)
    for form in (PlainFormatter("web"), JsonFormatter("web")):
        line = form.format(failed)
        assert "5ec7e7" not in line
        assert "ValueError at test_logs.py:" in line
        assert len(line.splitlines()) == 1


def test_a_line_names_its_match_and_job() -> None:
    with log_context(match="07mzxw6ytboi3dgnbv", job="audit-1"):
        assert (
            PlainFormatter("worker")
            .format(make_record("done"))
            .endswith("worker: done [match 07mzxw6ytboi3dgnbv job audit-1]")
        )
        assert json.loads(JsonFormatter("worker").format(make_record("done")))["job"] == "audit-1"
    assert PlainFormatter("worker").format(make_record("done")).endswith("worker: done")


def test_requests_are_logged_only_in_json() -> None:
    access, root = logging.getLogger("crumbtrail.access"), logging.getLogger()
    before = root.handlers[:], root.level
    try:
        set_up_logging("web", "json")
        assert access.isEnabledFor(logging.INFO)
        set_up_logging("web", "plain")
        assert not access.isEnabledFor(logging.INFO)
    finally:
        root.handlers[:], root.level = before[0], before[1]
        access.setLevel(logging.NOTSET)


# -- requests -----------------------------------------------------------------------------------------------------


def test_a_response_has_the_id_of_its_request(app: Flask) -> None:
    client = app.test_client()
    for path in ("/", "/api/v1/games", "/healthz", "/nothing", "/api/v1/nothing"):
        response = client.get(path, headers={REQUEST_ID_HEADER: "my-request.1"})
        assert response.headers[REQUEST_ID_HEADER] == "my-request.1"
        given = {client.get(path).headers[REQUEST_ID_HEADER] for _ in range(3)}
        assert len(given) == 3


@pytest.mark.parametrize(
    "wanted", ["", "short", "x" * 65, "with space", 'quo"te-quote', "umläut-umläut", "new\nline-x"]
)
def test_a_malformed_request_id_is_replaced(wanted: str) -> None:
    made = request_id_for(wanted)
    assert made != wanted
    assert made.isalnum()


def test_an_access_line_has_route_status_match_and_request(app: Flask, kept: RecordedLines) -> None:
    match, (ann, _) = started_match(app)
    kept.lines.clear()
    answer = mark_cell(ann, match, 0, X_Request_Id="my-request-id")
    (line,) = kept.read()
    assert answer.headers[REQUEST_ID_HEADER] == line["request"] == "my-request-id"
    logged = {name: line[name] for name in ("text", "method", "route", "status", "match")}
    route = "/api/v1/matches/<match>/moves"
    assert logged == {"text": "answered", "method": "POST", "route": route, "status": 201, "match": match}
    assert line["ms"] > 0
    # and: the context does not carry over to the next request
    app.test_client().get("/")
    assert "match" not in kept.read()[-1]


def test_no_line_holds_a_secret(app: Flask, services: Services, kept: RecordedLines) -> None:
    """Given requests with tokens, an invitation and an email address, then no line contains any of them."""
    ann = register(app)
    made = new_match(ann, seats="me private")
    match = made["match"]["id"]
    secrets = [ann.token, services.log.seed(match).hex(), services.runtime.secret.hex(), ann.id]
    code = made["invitations"]["1"]
    app.test_client().get(f"/join/{match}/1/{code}")
    app.test_client().get(f"/api/v1/matches/{match}?token={ann.token}")
    app.test_client().post("/sign-in", data={"address": "ann@example.org"})
    app.test_client().get("/api/v1/me", headers={"Authorization": f"Bearer wrong-{ann.token}"})
    logged = "\n".join(kept.lines)
    assert len(kept.lines) > 5
    for secret in (*secrets, code, "ann@example.org"):
        assert secret not in logged


def test_an_error_response_has_the_request_id_of_its_log_lines(own_server: EmbeddedServer, kept: RecordedLines) -> None:
    services = build_services(Settings(log_url=own_server.url()))
    app = create_app(services)
    ann = register(app)
    own_server.stop()
    refused = ann.get("/me", X_Request_Id="look-for-me")
    assert (refused.status_code, refused.json["request"]) == (503, "look-for-me")
    assert [line["level"] for line in kept.read() if line.get("request") == "look-for-me"] == ["warning", "info"]
    page = app.test_client().get("/", headers={REQUEST_ID_HEADER: "and-for-me"})
    assert page.status_code == 503
    assert "and-for-me" in page.text
