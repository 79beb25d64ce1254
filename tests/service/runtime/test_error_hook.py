"""The error hook: it gets a report of each unexpected error, without messages, and can't break a request."""

import logging
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest
from flask import Flask
from redis import Redis

from service.bootstrap import build_services
from service.event_store.embedded import EmbeddedServer
from service.runtime.error_hook import ErrorReport, install_error_hook
from service.runtime.invalid_setting import InvalidSetting
from service.runtime.settings import Settings
from service.wsgi import create_app
from tests.service.api.builders import register
from workers.handlers.matches import JobFailed, job


@pytest.fixture
def reports(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[ErrorReport]]:
    """The reports that an installed hook of the operator has received."""
    received: list[ErrorReport] = []
    module: Any = ModuleType("my_alerts")
    module.send = received.append
    monkeypatch.setitem(sys.modules, "my_alerts", module)
    install_error_hook("my_alerts:send", "web")
    yield received
    install_error_hook(None, "")


@pytest.fixture
def broken(server: EmbeddedServer, redis: Redis, monkeypatch: pytest.MonkeyPatch) -> Flask:
    """An application with a bug whose message quotes a secret."""
    services = build_services(Settings(log_url=server.url()))

    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("hunter2")

    app = create_app(services)
    for name in [name for name in dir(services.read_models.lists) if not name.startswith("_")]:
        if callable(getattr(services.read_models.lists, name)):
            monkeypatch.setattr(services.read_models.lists, name, fail)
    return app


def test_an_unexpected_error_of_the_api_and_of_a_page_is_reported(broken: Flask, reports: list[ErrorReport]) -> None:
    answer = broken.test_client().get("/api/v1/matches")
    page = broken.test_client().get("/")
    assert (answer.status_code, page.status_code) == (500, 500)
    first, second = reports
    assert (first.kind, first.process, first.context["request"]) == (
        "RuntimeError",
        "web",
        answer.headers["X-Request-Id"],
    )
    assert (first.what.startswith("matches."), second.what.startswith("web.")) == (True, True)
    assert first.places[0].endswith(" fail")
    assert "hunter2" not in repr(reports)


def test_refusals_are_not_reported(server: EmbeddedServer, redis: Redis, reports: list[ErrorReport]) -> None:
    app = create_app(build_services(Settings(log_url=server.url())))
    register(app).get("/matches/nonsense")
    assert app.test_client().get("/nowhere").status_code == 404
    assert reports == []


def test_a_failed_job_is_reported(reports: list[ErrorReport]) -> None:
    @job
    def arena_match(match: str) -> None:
        raise ValueError("hunter2")

    with pytest.raises(JobFailed):
        arena_match("07mzxw6ytboi3dgnbv")
    (report,) = reports
    assert (report.kind, report.what, report.context["match"]) == ("ValueError", "arena_match", "07mzxw6ytboi3dgnbv")
    assert "hunter2" not in repr(report)


def test_a_hook_that_fails_is_logged_and_the_request_continues(
    broken: Flask, reports: list[ErrorReport], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(report: ErrorReport) -> None:
        raise OSError("hunter2")

    monkeypatch.setattr(sys.modules["my_alerts"], "send", fail)
    install_error_hook("my_alerts:send", "web")
    with caplog.at_level(logging.WARNING):
        assert broken.test_client().get("/api/v1/matches").status_code == 500
    assert "The error hook failed: OSError." in caplog.messages
    assert "hunter2" not in caplog.text


@pytest.mark.parametrize("name", ["no_such_module:send", "json:no_such_function", "json.decoder:NaN"])
def test_a_hook_that_cannot_be_called_is_refused_at_the_start(name: str) -> None:
    with pytest.raises(InvalidSetting, match="CRUMBTRAIL_ERROR_HOOK names"):
        install_error_hook(name, "web")
