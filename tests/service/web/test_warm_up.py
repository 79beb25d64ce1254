"""A web process prepares its pages before its first request, so that a renewal makes nobody wait."""

import logging
import os
import subprocess
import sys
from collections.abc import Iterator

import pytest
from flask import Flask
from redis import Redis

from service.bootstrap import build_services
from service.event_store.embedded import EmbeddedServer
from service.runtime.settings import Settings
from service.web import warm_up as module
from service.web.assets import assets
from service.web.game_files import find_cover
from service.web.warm_up import template_names, warm_up
from service.wsgi import create_app
from tests.service.api.builders import register, started_match

GAMES = ("mice_cake", "battle_of_the_bakeries", "tic_tac_toe")


@pytest.fixture
def app(server: EmbeddedServer, redis: Redis) -> Iterator[Flask]:
    services = build_services(Settings(log_url=server.url()))
    yield create_app(services)
    services.runtime.redis.close()


def prepared(app: Flask) -> set[str]:
    """Return the names of the compiled templates."""
    assert app.jinja_env.cache is not None
    return {name for _, name in app.jinja_env.cache}


def test_after_the_start_no_page_compiles_a_template(app: Flask) -> None:
    """Given a process that is ready, when its pages are opened, then all their templates are compiled already."""
    warm_up(app)
    before = prepared(app)
    client = app.test_client()
    pages = ["/", "/rules", "/leaderboards", "/verify", "/trust", "/sign-in"]
    for game in GAMES:
        match, _ = started_match(app, game)
        pages += [f"/matches/{match}", f"/matches/{match}/log", f"/rules/{game}"]
    statuses = {page: client.get(page).status_code for page in pages}
    assert set(statuses.values()) <= {200, 302, 404}
    assert sum(status == 200 for status in statuses.values()) > len(pages) // 2, statuses
    assert prepared(app) == before


def test_files_and_covers_are_made_before_the_first_request(app: Flask) -> None:
    assets.cache_clear(), find_cover.cache_clear()
    warm_up(app)
    files, covers = assets.cache_info().misses, find_cover.cache_info().misses
    assert app.test_client().get("/").status_code == 200
    assert (assets.cache_info().misses, find_cover.cache_info().misses) == (files, covers)


def test_a_page_that_cannot_be_prepared_is_logged_and_the_others_are_ready(
    app: Flask, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(module, "template_names", lambda: ["templates/none.html", *template_names()])
    with caplog.at_level(logging.WARNING, "crumbtrail"):
        warm_up(app)
    assert [text for text in caplog.messages if text.startswith("A page can't be prepared: TemplateNotFound")]
    assert "templates/lobby.html" in prepared(app)
    register(app, "Ann")
    assert app.test_client().get("/").status_code == 200


def test_the_application_of_a_process_is_warm(server: EmbeddedServer, redis: Redis) -> None:
    program = "from service.wsgi import app; print([name for _, name in app().jinja_env.cache])"
    environment = os.environ | {"CRUMBTRAIL_LOG_URL": server.url()}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    assert "templates/match.html" in done.stdout
