"""An update from the first release to this one, under load, as `docs/operations.md` describes it: no move fails."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from redis import Redis

from replays.verify import verify
from service.cli.listen import free_port
from service.event_store.connect import connect
from service.event_store.embedded import EmbeddedServer
from service.event_store.keys import LOG_FORMAT_KEY
from service.event_store.log_format import LOG_FORMAT
from tests import plain_http
from tests.processes import children_of, command_of
from tests.reliability.players import running_in_background
from tests.reliability.stack import Stack
from tests.waiting import wait_until

pytestmark = [pytest.mark.full, pytest.mark.skipif(sys.platform != "linux", reason="finds the processes in /proc")]

PROJECT = Path(__file__).parents[2]
RELEASE = "6e72bc9"
PEOPLE = 3
PATIENCE_SECONDS = 120


@pytest.fixture
def released(tmp_path: Path) -> Path:
    """The tree of the first release, from the repository's history. Its requirements are a part of today's."""
    folder = tmp_path / "released"
    folder.mkdir()
    archive = subprocess.run(["git", "archive", RELEASE], cwd=PROJECT, capture_output=True, check=False)
    if archive.returncode:
        pytest.fail(
            f"The update cannot be tried: commit {RELEASE} is not in this repository. Get the whole history with "
            "`git fetch --unshallow`, or leave this test out with `--deselect`."
        )
    subprocess.run(["tar", "-x", "-C", str(folder)], input=archive.stdout, check=True)
    return folder


class Installation:
    """The place from which all processes load the code: a link to a tree, which an update replaces at once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.link = folder / "installed"

    def install(self, tree: Path) -> None:
        """Make this tree the installed one."""
        new = self.folder / "next"
        new.symlink_to(tree)
        new.replace(self.link)

    @contextmanager
    def running(self) -> Iterator[Stack]:
        """Run the installed `crumbtrail up` until the block ends."""
        port = free_port("127.0.0.1")
        environment = {name: value for name, value in os.environ.items() if not name.startswith("CRUMBTRAIL_")}
        environment |= {"CRUMBTRAIL_LIMITS": "off", "PYTHONPATH": str(self.link)}
        command = [sys.executable, "-m", "service.cli", "up", "--port", str(port), "--data", str(self.folder / "var")]
        with (self.folder / "output").open("ab") as output:
            process = subprocess.Popen(command, cwd=self.folder, env=environment, stdout=output, stderr=output)
        stack = Stack(process, port, self.folder / "output")
        try:
            stack.wait_until_ready()
            yield stack
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(40)


class Mover:
    """A player who plays one match after another against a bot, and sends each request once."""

    def __init__(self, url: str, name: str) -> None:
        self.http = plain_http.Client(base_url=f"{url}/api/v1", timeout=60)
        self.http.headers["Authorization"] = f"Bearer {self.ask('POST', '/players', json={'name': name})['token']}"
        self.moves: dict[str, dict[int, Any]] = {}
        """The acknowledged moves of each match, by ply."""

    def ask(self, method: str, path: str, **more: Any) -> Any:
        """Return the answer. Any answer but success fails the test."""
        answer = self.http.request(method, path, **more)
        assert answer.status_code in (200, 201), f"{method} {path}: {answer.status_code} {answer.text}"
        return answer.json()

    def play(self, over: threading.Event) -> None:
        """Play until the event is set, and finish the match."""
        while not over.is_set():
            seats = [{"kind": "me"}, {"kind": "bot", "level": "random"}]
            match = self.ask("POST", "/matches", json={"game": "tic_tac_toe", "seats": seats})["match"]["id"]
            moves = self.moves[match] = {}
            while self.wait_for_turn(match):
                legal = self.ask("GET", f"/matches/{match}/legal-moves?limit=50")["moves"]
                event = self.ask("POST", f"/matches/{match}/moves", json=legal[len(moves) % len(legal)])["event"]
                moves[event["ply"]] = event["move"]

    def wait_for_turn(self, match: str) -> bool:
        """Wait until it is the player's turn (True) or the match is over (False)."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < deadline:
            now = self.ask("GET", f"/matches/{match}")
            if now["status"] == "over" or 0 in now["to_move"]:
                return bool(now["status"] != "over")
            time.sleep(0.05)
        raise AssertionError(f"the bot did not move in {match}")

    def check_stored_moves(self) -> None:
        """Assert that each acknowledged move is stored exactly once, and that all matches verify."""
        for match, moves in self.moves.items():
            events = self.ask("GET", f"/matches/{match}/events")["events"]
            assert {event["ply"]: event["move"] for event in events if event["seat"] == 0 and event["move"]} == moves
            report = verify(self.http.get(f"/matches/{match}/replay").content)
            assert report.ok, report.as_text()


def processes(stack: Stack) -> set[int]:
    """Return the processes that a renewal replaces: all but the log server and gunicorn's master."""
    found = set()
    for pid in children_of(stack.process.pid):
        if "gunicorn" in command_of(pid):
            found |= set(children_of(pid))
        elif "valkey" not in command_of(pid) and "embedded" not in command_of(pid):
            found.add(pid)
    return found


def count(people: Sequence[Mover]) -> int:
    """Return how many moves have been acknowledged."""
    return sum(len(moves) for each in people for moves in each.moves.values())


def test_an_update_from_the_first_release_fails_no_move(tmp_path: Path, released: Path) -> None:
    """Given the first release under load, when this tree is installed and SIGHUP sent, then all processes run it, and
    every move was answered and stored once. The matches are complete after a restart of the supervisor, too."""
    installation = Installation(tmp_path)
    installation.install(released)
    with installation.running() as stack:
        people = [Mover(stack.url, f"Player {number}") for number in range(PEOPLE)]
        before = processes(stack)
        with running_in_background([each.play for each in people], 2 * PATIENCE_SECONDS):
            wait_until(lambda: count(people) > 20, PATIENCE_SECONDS)
            installation.install(PROJECT)
            stack.process.send_signal(signal.SIGHUP)
            wait_until(
                lambda: len(now := processes(stack)) >= len(before) and not now & before, PATIENCE_SECONDS, every=0.2
            )
            seen = count(people)
            wait_until(lambda: count(people) > seen + 20, PATIENCE_SECONDS)
        for each in people:
            each.check_stored_moves()
        assert recorded_format(tmp_path / "var") == LOG_FORMAT, "the new release must have opened the log"
    with installation.running() as stack:
        for each in people:
            each.http.base_url = f"{stack.url}/api/v1"
        for each in people:
            each.check_stored_moves()
    assert "Traceback" not in (tmp_path / "output").read_text()


def recorded_format(data: Path) -> int:
    """Return the newest format that has written to this log."""
    client = connect(EmbeddedServer(data).url())
    assert isinstance(client, Redis)
    found = client.get(LOG_FORMAT_KEY)
    client.close()
    assert isinstance(found, bytes)
    return int(found)
