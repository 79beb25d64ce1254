"""The proxy of the check: its deliberate faults, and that it changes nothing else in the service's answers."""

import sys
import threading
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest
from click.testing import CliRunner
from werkzeug.serving import make_server

from service.api.problems import problem_from_error
from service.bootstrap import Services
from service.event_store.errors import LogUnavailable
from service.wsgi import create_app
from tests import plain_http
from tests.waiting import wait_until
from workers.bots.commands import bot as commands
from workers.bots.conformance.proxy import (
    CUT,
    DOUBLED,
    LINE_MISHAPS,
    LOST,
    MOVE_MISHAPS,
    REFUSED,
    ProxyRecord,
    run_proxy,
)
from workers.bots.conformance.run import ConformanceRun, print_report
from workers.bots.service_client import ServiceClient
from workers.projection.projector import Projector

KEY = {"Idempotency-Key": "k"}


@pytest.fixture
def service(services: Services) -> Iterator[str]:
    """Return the URL of a running service."""
    server = make_server("127.0.0.1", 0, create_app(services), threaded=True)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()


@pytest.fixture
def seen() -> ProxyRecord:
    return ProxyRecord()


@pytest.fixture
def bot(service: str, seen: ProxyRecord) -> Iterator[httpx.Client]:
    """Return a program that plays through the proxy."""
    token = plain_http.post(f"{service}/api/v1/players", json={"name": "Crumb", "bot": True}).json()["token"]
    with (
        run_proxy(service, seen) as address,
        plain_http.Client(base_url=f"{address}/api/v1", headers={"Authorization": f"Bearer {token}"}) as client,
    ):
        yield client


def begin(bot: httpx.Client, seen: ProxyRecord, game: str = "tic_tac_toe", **wish: Any) -> str:
    """Create a match of the program against itself. Return its id."""
    body = {"game": game, "seats": [{"kind": "me"}, {"kind": "bot", "level": "random"}], **wish}
    match: str = bot.post("/matches", json=body).json()["match"]["id"]
    seen.games[match] = game
    return match


def bring_about(seen: ProxyRecord, mishap: str) -> None:
    """Let the next move or line have this fault."""
    if mishap in MOVE_MISHAPS.values():
        seen.moves = next(number for number, each in MOVE_MISHAPS.items() if each == mishap) - 1
    else:
        seen.lines = next(number for number, each in LINE_MISHAPS.items() if each == mishap) - 1


def test_answer_headers_are_forwarded(bot: httpx.Client, seen: ProxyRecord) -> None:
    match = begin(bot, seen)
    shown = bot.get(f"/matches/{match}")
    assert shown.headers["ETag"] == f'"{shown.json()["ply"]}"'
    assert bot.get(f"/matches/{match}", headers={"If-None-Match": shown.headers["ETag"]}).status_code == 304
    seen.moves = 1
    made = bot.post(f"/matches/{match}/moves", json={"type": "mark", "cell": 4}, headers=KEY)
    again = bot.post(f"/matches/{match}/moves", json={"type": "mark", "cell": 4}, headers=KEY)
    assert (made.status_code, again.status_code) == (201, 201)
    assert "Idempotent-Replayed" not in made.headers
    assert again.headers["Idempotent-Replayed"] == "true"
    assert len(again.headers.get_list("Content-Length")) == 1
    assert (seen.accepted, seen.repeated) == (1, 1)


def test_the_proxy_refuses_a_move_as_the_service_does(bot: httpx.Client, seen: ProxyRecord) -> None:
    match = begin(bot, seen)
    bring_about(seen, REFUSED)
    refused = bot.post(f"/matches/{match}/moves?as=0", json={"type": "mark", "cell": 4}, headers=KEY)
    own = problem_from_error(LogUnavailable())
    assert refused.status_code == own.status
    assert refused.json() == own.document(f"/api/v1/matches/{match}/moves")
    assert refused.headers["Retry-After"] == own.headers["Retry-After"]
    assert refused.headers["Content-Type"] == "application/problem+json"


def test_a_move_is_made_although_its_answer_is_lost(bot: httpx.Client, seen: ProxyRecord) -> None:
    match = begin(bot, seen)
    bring_about(seen, LOST)
    with pytest.raises(httpx.RemoteProtocolError):
        bot.post(f"/matches/{match}/moves", json={"type": "mark", "cell": 4}, headers=KEY)
    assert seen.accepted == 1


@pytest.mark.parametrize("form", ["text/event-stream", "application/x-ndjson"])
def test_a_doubled_entry_is_complete_both_times(
    bot: httpx.Client, seen: ProxyRecord, services: Services, form: str
) -> None:
    match = begin(bot, seen)
    Projector(services.log, services.read_models.writer, services.read_models.progress).catch_up()
    bring_about(seen, DOUBLED)
    with bot.stream("GET", "/me/stream", headers={"Accept": form}) as stream:
        assert stream.headers["Content-Type"].startswith(form)
        assert stream.headers["Cache-Control"] == "no-store"
        output = list(islice(turns(stream.iter_lines(), form), 2))
    assert [row["id"] for row in output] == [match, match]


def test_a_cut_entry_is_incomplete(bot: httpx.Client, seen: ProxyRecord, services: Services) -> None:
    begin(bot, seen)
    Projector(services.log, services.read_models.writer, services.read_models.progress).catch_up()
    bring_about(seen, CUT)
    with bot.stream("GET", "/me/stream", headers={"Accept": "text/event-stream"}) as stream:
        assert list(turns(stream.iter_lines(), "text/event-stream")) == []


@pytest.mark.parametrize("query", ["", "?as=0", "?limit=9", "?limit=9&as=0"])
def test_lists_of_legal_moves_show_kinds_not_made_yet(bot: httpx.Client, seen: ProxyRecord, query: str) -> None:
    """Given a position with several kinds of moves, one of them never made, then the list contains only that kind."""
    match = begin(bot, seen, "take_the_cake", options={"first_player": 0})
    kinds = {move["type"] for move in bot.get(f"/matches/{match}/legal-moves?limit=10000").json()["moves"]}
    assert len(kinds) > 1
    for kind in sorted(kinds):
        seen.expected_kinds, seen.accepted_kinds = {"take_the_cake": kinds}, {"take_the_cake": kinds - {kind}}
        listed = bot.get(f"/matches/{match}/legal-moves{query}").json()
        assert {move["type"] for move in listed["moves"]} == {kind}
        assert len(listed["moves"]) <= 9 or "limit" not in query


def test_the_service_refuses_an_invalid_limit(bot: httpx.Client, seen: ProxyRecord) -> None:
    match = begin(bot, seen)
    seen.expected_kinds = {"tic_tac_toe": {"mark"}}
    for limit in ("0", "x", "10001", ""):
        assert bot.get(f"/matches/{match}/legal-moves?limit={limit}").status_code == 422


def test_a_bot_is_not_sound_before_it_made_every_kind_of_move(
    service: str, seen: ProxyRecord, capsys: pytest.CaptureFixture[str]
) -> None:
    """Given a finished run, then the bot is sound once it has made every kind of move. Until then, the report names the
    rest."""
    ask = ServiceClient(service)
    ask.register("Crumb")
    course = ConformanceRun(ask, seen, "tic_tac_toe", "random")
    course.done, seen.expected_kinds = True, {"tic_tac_toe": {"mark"}}
    assert not print_report(seen, [course], None)
    output = capsys.readouterr().out
    assert "NOT SHOWN TO BE SOUND" in output
    assert "never made: tic_tac_toe (mark)" in output
    seen.accepted_kinds = {"tic_tac_toe": {"mark"}}
    assert print_report(seen, [course], None)
    assert "SOUND: every match" in capsys.readouterr().out


@pytest.mark.skipif(sys.platform != "linux", reason="looks for the process in /proc")
def test_child_processes_of_a_wrapper_end_with_the_check(service: str, tmp_path: Path) -> None:
    """Given a bot started by a shell, then the bot does not survive the check."""
    script = f"sleep 300 & echo $! > {tmp_path}/pid; wait"
    words = ["check", "--url", service, "--game", "tic_tac_toe", "--seconds", "2", "--", "sh", "-c", script]
    assert CliRunner().invoke(commands, words).exit_code == 1
    state = Path(f"/proc/{(tmp_path / 'pid').read_text().strip()}/stat")
    wait_until(lambda: not state.exists() or ") Z " in state.read_text(), 60)


def turns(lines: Iterator[str], form: str) -> Iterator[Any]:
    """Yield the turns of a stream, with server-sent events read as their standard says."""
    data: list[str] = []
    for line in lines:
        if form == "application/x-ndjson" and line:
            yield msgspec.json.decode(line)
        if line.startswith("data:"):
            data.append(line.removeprefix("data:").removeprefix(" "))
        if not line and data:
            yield msgspec.json.decode("\n".join(data))
            data = []
