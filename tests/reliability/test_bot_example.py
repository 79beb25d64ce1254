"""The example bot keeps playing while service processes are killed: no move is lost or duplicated."""

import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest

from domain.kernel.luck import share_seal, table_hash
from replays.verify import verify
from tests import plain_http
from tests.names import fresh_name
from tests.reliability.stack import Stack, running_stack

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="finds the processes in /proc")
ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples/bot.py"
RELEASED = ROOT / "tests/golden/clients/bot-0.1.0.txt"
"""The example as it was before luck protocol 2."""
VICTIMS = ("web", "dispatcher", "bot worker")
PATIENCE_SECONDS = 120


@contextmanager
def example_bot(
    stack: Stack, token: str, output: Path, *places: str, program: Path = EXAMPLE, url: str = ""
) -> Iterator["subprocess.Popen[bytes]"]:
    """Run the unmodified example as a process. It stores its shares next to the output."""
    with output.open("ab") as log:
        process = subprocess.Popen(
            [sys.executable, "-S", str(program), url or stack.url, token, *places],
            stdout=log,
            stderr=log,
            cwd=output.parent,
        )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def register(stack: Stack) -> str:
    """Register a player and return its token."""
    token: str = plain_http.post(f"{stack.url}/api/v1/players", json={"name": fresh_name("Robot")}).json()["token"]
    return token


def ask(stack: Stack, path: str) -> Any:
    """Repeat a GET request until the web answers, and return the answer."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        try:
            answer = plain_http.get(f"{stack.url}/api/v1{path}", timeout=10)
        except httpx.HTTPError:
            answer = None
        if answer is not None and answer.status_code == 200:
            return answer.json()
        time.sleep(0.1)
    raise AssertionError(f"{path}: no answer within {PATIENCE_SECONDS} s")


def until_ply(stack: Stack, match: str, ply: int) -> Any:
    """Wait until the match has reached a ply or is over, and return it."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        now = ask(stack, f"/matches/{match}")
        if now["ply"] >= ply or now["status"] == "over":
            return now
        time.sleep(0.05)
    raise AssertionError(f"the match stays at ply {now['ply']}, {now['to_move']} to move")


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    folder = tmp_path_factory.mktemp("stack")
    with running_stack(folder / "var", folder / "output") as running:
        yield running


@pytest.mark.full
def test_the_example_keeps_playing_when_processes_are_killed(stack: Stack, tmp_path: Path) -> None:
    # given: the unmodified example bot in a match against a house bot
    token, output = register(stack), tmp_path / "output"
    with example_bot(stack, token, output, "mice_cake") as bot:
        [row] = wait_for_matches(stack)
        now = until_ply(stack, row["id"], 6)
        # when: the web, the dispatcher and the house bot's worker are killed in turn, and finally the bot itself
        for victim in VICTIMS:
            assert now["status"] == "playing", "the match was too short for the test"
            stack.kill(victim)
            now = until_ply(stack, row["id"], now["ply"] + 4)
        assert bot.poll() is None, output.read_text()
    with example_bot(stack, token, output) as bot:
        now = until_ply(stack, row["id"], 10_000)
        assert bot.poll() is None, output.read_text()
    # then: the match is played to its end, every seat has moved once per round, and the replay verifies
    assert now["status"] == "over"
    replay = plain_http.get(f"{stack.url}/api/v1/matches/{row['id']}/replay", timeout=30).content
    assert verify(replay).ok
    events = ask(stack, f"/matches/{row['id']}/events")["events"]
    assigned = [
        (fact["seat"], fact["round"]) for event in events for fact in event["facts"] if fact["type"] == "mice_assigned"
    ]
    assert len(assigned) == len(set(assigned)) > 10, "a move was duplicated"
    last = max(round_ for _, round_ in assigned)
    assert {round_ for _, round_ in assigned} == set(range(1, last + 1)), "a move was lost"
    assert output.read_text() == ""


def wait_for_matches(stack: Stack) -> Any:
    """Wait until there are running matches, and return them."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        if rows := ask(stack, "/matches?status=playing")["matches"]:
            return rows
        time.sleep(0.1)
    raise AssertionError("no match was started")


def test_it_declines_proposals_and_keeps_playing(stack: Stack, tmp_path: Path) -> None:
    """When a person proposes a pause, the example declines it and answers the next move."""
    token = register(stack)
    ann, robot = ({"Authorization": f"Bearer {each}"} for each in (register(stack), token))
    api = f"{stack.url}/api/v1/matches"
    clock = {"kind": "per_move", "seconds": 86_400}
    wish = {"game": "tic_tac_toe", "seats": [{"kind": "me"}, {"kind": "open"}], "clock": clock}
    match = plain_http.post(api, json=wish, headers=ann).json()["match"]["id"]
    assert plain_http.post(f"{api}/{match}/seats/1", json={}, headers=robot).is_success
    assert plain_http.post(f"{api}/{match}/commands", json={"type": "pause"}, headers=ann).status_code == 201
    asked = ask(stack, f"/matches/{match}")["ply"]
    with example_bot(stack, token, tmp_path / "output"):
        now = until_ply(stack, match, asked + 1)
        assert (now["proposals"], now["paused"]) == ([], False)
        assert plain_http.post(f"{api}/{match}/moves", json={"type": "mark", "cell": 4}, headers=ann).status_code == 201
        assert until_ply(stack, match, asked + 3)["to_move"] == [0]
    assert (tmp_path / "output").read_text() == ""


def shares_of(folder: Path) -> dict[str, Any]:
    """Return what the example has stored, by match."""
    return {path.stem: json.loads(path.read_text()) for path in folder.glob("shares/*/*.json")}


def test_it_gives_a_share_and_checks_it_at_the_end(stack: Stack, tmp_path: Path) -> None:
    token = register(stack)
    with example_bot(stack, token, tmp_path / "output", "tic_tac_toe"):
        until(lambda: any(mine.get("checked") for mine in shares_of(tmp_path).values()))
    [(match, mine)] = shares_of(tmp_path).items()
    luck = ask(stack, f"/matches/{match}")["luck"]
    assert (luck["level"], luck["shares"]) == ("open", [mine["share"], None])
    assert luck["commitment"] == mine["commitment"]
    assert (tmp_path / "output").read_text() == ""


def test_it_seals_its_share_and_opens_it_after_a_restart(stack: Stack, tmp_path: Path) -> None:
    # given: a sealed match that invites the example
    token, ann = register(stack), {"Authorization": f"Bearer {register(stack)}"}
    api = f"{stack.url}/api/v1/matches"
    wish = {"game": "tic_tac_toe", "seats": [{"kind": "me"}, {"kind": "open", "private": True}], "luck": "sealed"}
    made = httpx.post(api, json=wish, headers=ann).json()
    match, commitment = made["match"]["id"], made["commitment"]
    with example_bot(stack, token, tmp_path / "output", f"{stack.url}/join/{match}/1/{made['invitations']['1']}"):
        until(lambda: ask(stack, f"/matches/{match}")["luck"]["seals"][1] is not None)
    # when: the other player sits down and opens their share while the example is not running
    share = "20" * 32
    body = {"commitment": commitment, "seal": share_seal(match, 0, commitment, share)}
    assert httpx.post(f"{api}/{match}/seats/0", json=body, headers=ann).is_success
    table = table_hash(match, commitment, ask(stack, f"/matches/{match}")["luck"]["seals"])
    assert httpx.post(f"{api}/{match}/share", json={"table": table, "share": share}, headers=ann).is_success
    assert ask(stack, f"/matches/{match}")["status"] == "opening"
    # then: it opens the same share when it runs again
    before = shares_of(tmp_path)[match]["share"]
    with example_bot(stack, token, tmp_path / "output"):
        until(lambda: ask(stack, f"/matches/{match}")["status"] == "playing")
    assert ask(stack, f"/matches/{match}")["luck"]["shares"] == [share, before]
    assert (tmp_path / "output").read_text() == ""


def test_it_opens_nothing_if_the_server_shows_another_commitment(stack: Stack, tmp_path: Path) -> None:
    token, ann = register(stack), {"Authorization": f"Bearer {register(stack)}"}
    api = f"{stack.url}/api/v1/matches"
    wish = {"game": "tic_tac_toe", "seats": [{"kind": "open"}, {"kind": "open", "private": True}], "luck": "sealed"}
    made = httpx.post(api, json=wish, headers=ann).json()
    match = made["match"]["id"]
    with example_bot(stack, token, tmp_path / "output", f"{stack.url}/join/{match}/1/{made['invitations']['1']}"):
        until(lambda: ask(stack, f"/matches/{match}")["luck"]["seals"][1] is not None)
    [path] = tmp_path.glob("shares/*/*.json")
    path.write_text(json.dumps({**json.loads(path.read_text()), "commitment": "0" * 64}))
    assert httpx.post(f"{api}/{match}/seats/0", json={}, headers=ann).is_success
    with example_bot(stack, token, tmp_path / "output") as bot:
        assert bot.wait(20) == 1
    assert "has changed" in (tmp_path / "output").read_text()
    assert ask(stack, f"/matches/{match}")["status"] == "opening"


@contextmanager
def cheating_server(stack: Stack, seat: int, seal: str) -> Iterator[str]:
    """Run a server in front of the stack that shows a different seal for a seat in the events. Yield its address."""

    class Cheat(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.forward(b"")

        def do_POST(self) -> None:
            self.forward(self.rfile.read(int(self.headers["Content-Length"])))

        def forward(self, body: bytes) -> None:
            kept = {name: value for name, value in self.headers.items() if name not in ("Host", "Connection")}
            url = stack.url + self.path
            with plain_http.stream(self.command, url, headers=kept, content=body, timeout=None) as answer:
                self.send_response(answer.status_code)
                self.end_headers()
                if self.path.endswith("/events"):
                    self.wfile.write(json.dumps(forged(json.loads(answer.read()))).encode())
                    return
                with suppress(BrokenPipeError, ConnectionResetError):  # the example has ended
                    for part in answer.iter_bytes():
                        self.wfile.write(part)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    def forged(answer: Any) -> Any:
        for event in answer["events"]:
            if event["kind"] == "seat_taken" and event["seat"] == seat:
                event["seal"] = seal
        return answer

    server = ThreadingHTTPServer(("127.0.0.1", 0), Cheat)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def sealed_match(stack: Stack, creator: dict[str, str], *seats: dict[str, Any]) -> tuple[str, list[str]]:
    """Create a sealed match, and return it with the invite links of its private seats."""
    wish = {"game": "tic_tac_toe", "seats": seats, "luck": "sealed"}
    made = plain_http.post(f"{stack.url}/api/v1/matches", json=wish, headers=creator).json()
    match = made["match"]["id"]
    return match, [f"{stack.url}/join/{match}/{seat}/{code}" for seat, code in sorted(made["invitations"].items())]


@pytest.mark.parametrize("seal", ["-", "", "AB" * 32, "ab" * 32 + "\n"], ids=["dash", "empty", "capitals", "line end"])
def test_it_opens_nothing_if_a_seal_has_a_wrong_form(stack: Stack, tmp_path: Path, seal: str) -> None:
    """Given a server that shows an invalid seal for the other player, who has none, the example keeps its share."""
    token, ann = register(stack), {"Authorization": f"Bearer {register(stack)}"}
    match, [*_, link] = sealed_match(stack, ann, {"kind": "open"}, {"kind": "open", "private": True})
    assert plain_http.post(f"{stack.url}/api/v1/matches/{match}/seats/0", json={}, headers=ann).is_success
    with (
        cheating_server(stack, 0, seal) as url,
        example_bot(stack, token, tmp_path / "output", link, url=url) as bot,
    ):
        assert bot.wait(20) == 1
    assert f"match {match} has a seal that isn't 64 hexadecimal digits" in (tmp_path / "output").read_text()
    assert ask(stack, f"/matches/{match}")["status"] == "opening"


@pytest.mark.parametrize("seat", [0, 1])
def test_it_opens_nothing_if_one_of_its_seals_was_replaced(stack: Stack, tmp_path: Path, seat: int) -> None:
    """Given a server that shows a different seal for one of the example's two seats, the example keeps its share."""
    token, ann = register(stack), {"Authorization": f"Bearer {register(stack)}"}
    private = {"kind": "open", "private": True}
    match, links = sealed_match(stack, ann, private, private)
    with (
        cheating_server(stack, seat, "f" * 64) as url,
        example_bot(stack, token, tmp_path / "output", *links, url=url) as bot,
    ):
        assert bot.wait(20) == 1
    assert f"match {match} doesn't have my seal" in (tmp_path / "output").read_text()
    assert ask(stack, f"/matches/{match}")["status"] == "opening"
    # when the server shows both seals as they were sent, the example opens its share and the match starts
    with example_bot(stack, token, tmp_path / "output"):
        until(lambda: ask(stack, f"/matches/{match}")["status"] != "opening")
    assert ask(stack, f"/matches/{match}")["luck"]["shares"] == [shares_of(tmp_path)[match]["share"]] * 2


def test_a_refused_seat_does_not_keep_its_share_closed(stack: Stack, tmp_path: Path) -> None:
    """Given an example that was refused one seat, it takes a different one and opens the same share."""
    token, ann = register(stack), {"Authorization": f"Bearer {register(stack)}"}
    match, [*_, link] = sealed_match(stack, ann, {"kind": "open"}, {"kind": "open", "private": True})
    assert plain_http.post(f"{stack.url}/api/v1/matches/{match}/seats/0", json={}, headers=ann).is_success
    with example_bot(stack, token, tmp_path / "output", f"{stack.url}/join/{match}/0/x") as bot:
        assert bot.wait(20) == 1
    first = shares_of(tmp_path)[match]["share"]
    with example_bot(stack, token, tmp_path / "output", link):
        until(lambda: ask(stack, f"/matches/{match}")["status"] in ("playing", "over"))
    assert ask(stack, f"/matches/{match}")["luck"]["shares"] == [None, first]


def test_the_released_example_still_plays(stack: Stack, tmp_path: Path) -> None:
    token = register(stack)
    with example_bot(stack, token, tmp_path / "output", "pie_contest", program=RELEASED):
        until(lambda: bool(ask(stack, "/matches?game=pie_contest&status=over")["matches"]))
    [row] = ask(stack, "/matches?game=pie_contest")["matches"]
    assert ask(stack, f"/matches/{row['id']}")["luck"]["shares"] == [None, None]
    assert (tmp_path / "output").read_text() == ""


def until(holds: Callable[[], bool]) -> None:
    """Wait until the condition is true."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not holds():
        assert time.monotonic() < deadline, f"the condition was still false after {PATIENCE_SECONDS} s"
        time.sleep(0.1)


def test_a_wrong_token_ends_it_with_a_message(stack: Stack, tmp_path: Path) -> None:
    with example_bot(stack, "ct_x", tmp_path / "output") as bot:
        assert bot.wait(20) == 1
        assert (tmp_path / "output").read_text() == "The token is invalid.\n"
