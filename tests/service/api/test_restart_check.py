"""What players get while a restarted log server is being checked, and in a damaged match."""

from collections.abc import Iterator

import pytest
from click.testing import CliRunner
from flask import Flask
from redis import Redis

from service.bootstrap import build_services
from service.cli.main import main
from service.event_store.connect import connect
from service.event_store.embedded import EmbeddedServer
from service.event_store.keys import log_key, restart_lock_key
from service.runtime.settings import Settings
from service.wsgi import create_app
from tests.service.api.builders import PREFIX, anonymous, assert_problem, mark_cell, started_match


@pytest.fixture
def app(own_server: EmbeddedServer) -> Iterator[Flask]:
    """Return the application with a log server that the test may restart."""
    services = build_services(Settings(log_url=own_server.url()))
    yield create_app(services)
    services.runtime.redis.close()


@pytest.fixture
def direct(own_server: EmbeddedServer) -> Iterator[Redis]:
    """A direct connection to the log server."""
    client = connect(own_server.url())
    assert isinstance(client, Redis)
    yield client
    client.close()


def replace_event(client: Redis, match: str, ply: int, old: bytes, new: bytes) -> None:
    """Replace a text in one event of the log, as a torn file may replace a whole event."""
    entries = client.xrange(log_key(match))
    assert old in entries[ply - 1][1][b"e"]
    client.delete(log_key(match))
    for entry_id, fields in entries:
        line = fields[b"e"].replace(old, new) if entry_id == b"%d-0" % ply else fields[b"e"]
        client.xadd(log_key(match), {b"e": line}, id=entry_id)


def test_a_move_during_the_check_gets_its_own_code_and_succeeds_later(
    app: Flask, own_server: EmbeddedServer, direct: Redis
) -> None:
    """Given a restarted log server that another process is checking, then a move is answered `log_unchecked`, the match
    can be read, and the repeated move succeeds after the check."""
    match, (ann, _) = started_match(app)
    own_server.kill()
    own_server.start()
    direct.set(restart_lock_key(0), f"{direct.info()['run_id']} another process", ex=60)
    answer = mark_cell(ann, match, 0, Idempotency_Key="move")
    problem = assert_problem(answer, 503, "log_unchecked")
    assert answer.headers["Retry-After"] == str(problem["retry_after"])
    assert "same Idempotency-Key" in problem["detail"]
    assert anonymous(app).get(f"/matches/{match}").status_code == 200
    ready = app.test_client().get("/readyz")
    assert (ready.status_code, ready.json["reason"]) == (503, "restarted")
    direct.delete(restart_lock_key(0))
    assert mark_cell(ann, match, 0, Idempotency_Key="move").status_code == 201


def test_a_damaged_match_accepts_no_moves_and_is_named_by_doctor(
    app: Flask, own_server: EmbeddedServer, direct: Redis
) -> None:
    """Given a match in which an event was replaced, when the log server restarts, then this match answers
    `log_damaged`, doctor names it, and other matches continue."""
    match, (ann, bob) = started_match(app)
    whole, (cid, _) = started_match(app)
    for player, cell in ((ann, 0), (bob, 4), (ann, 1)):
        assert mark_cell(player, match, cell).status_code == 201
    last = app.test_client().get(f"{PREFIX}/matches/{match}").json["ply"]
    replace_event(direct, match, last - 1, b'"cell":4', b'"cell":5')
    own_server.kill()
    own_server.start()
    assert_problem(mark_cell(bob, match, 7), 503, "log_damaged")
    assert mark_cell(cid, whole, 0).status_code == 201
    assert app.test_client().get("/readyz").status_code == 200, "other matches take moves"
    told = CliRunner().invoke(main, ["doctor"], env={"CRUMBTRAIL_LOG_URL": own_server.url()})
    assert f"match {match}" in told.output
    assert f"match {whole}" not in told.output
    # when: it is repaired and the server restarts, then: it goes on
    replace_event(direct, match, last - 1, b'"cell":5', b'"cell":4')
    own_server.kill()
    own_server.start()
    assert mark_cell(bob, match, 7).status_code == 201


def test_a_match_with_a_broken_link_is_not_shown_by_a_process_that_reads_it_again(
    app: Flask, own_server: EmbeddedServer, direct: Redis
) -> None:
    match, (ann, bob) = started_match(app)
    for player, cell in ((ann, 0), (bob, 4)):
        assert mark_cell(player, match, cell).status_code == 201
    entries = direct.xrange(log_key(match))
    hash_of = entries[-2][1][b"e"].split(b'"hash":"')[1][:64]
    replace_event(direct, match, len(entries), hash_of, b"0" * 64)
    services = build_services(Settings(log_url=own_server.url()))
    fresh = create_app(services)
    for path in (f"/matches/{match}", f"/matches/{match}/events"):
        problem = assert_problem(anonymous(fresh).get(path), 503, "log_damaged")
        assert "The operator has to restore it" in problem["detail"]
    services.runtime.redis.close()
