"""The example bot keeps playing while service processes are killed: no move is lost or duplicated."""

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from replays.verify import verify
from tests import plain_http
from tests.reliability.stack import Stack, running_stack

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="finds the processes in /proc")
EXAMPLE = Path(__file__).parents[2] / "examples/bot.py"
VICTIMS = ("web", "dispatcher", "bot worker")
PATIENCE_SECONDS = 120


@contextmanager
def example_bot(stack: Stack, token: str, output: Path, *games: str) -> Iterator["subprocess.Popen[bytes]"]:
    """Run the unmodified example as a process."""
    with output.open("ab") as log:
        process = subprocess.Popen(
            [sys.executable, "-S", str(EXAMPLE), stack.url, token, *games], stdout=log, stderr=log
        )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def register(stack: Stack) -> str:
    """Register a player and return its token."""
    token: str = plain_http.post(f"{stack.url}/api/v1/players", json={"name": "Robot"}).json()["token"]
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


def test_a_wrong_token_ends_it_with_a_message(stack: Stack, tmp_path: Path) -> None:
    with example_bot(stack, "ct_x", tmp_path / "output") as bot:
        assert bot.wait(20) == 1
        assert (tmp_path / "output").read_text() == "The token is invalid.\n"
