"""Kill -9 of any process in the middle of a match: what was acknowledged is there, once, and the bot still moves."""

import itertools
import sys
import time
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest

from replays.verify import verify
from tests.reliability.stack import MARKS, Stack, running_stack

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="finds the processes in /proc")
PATIENCE_SECONDS = 60


class Client:
    """A player who repeats what was not answered, under the same key."""

    def __init__(self, stack: Stack) -> None:
        self._http = httpx.Client(base_url=f"{stack.url}/api/v1", timeout=10)
        self._keys = map(str, itertools.count())
        self.token: str = self.ask("POST", "/players", json={"name": "Ada"})["token"]
        self._http.headers["Authorization"] = f"Bearer {self.token}"

    def ask(self, method: str, path: str, **request: Any) -> Any:
        """The answer, however often it takes; refusals other than 503 end the test."""
        headers = {"Idempotency-Key": next(self._keys)} if method == "POST" else {}
        deadline = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < deadline:
            try:
                answer = self._http.request(method, path, headers=headers, **request)
            except httpx.HTTPError:
                time.sleep(0.05)
                continue
            if answer.status_code < 300:
                return answer.json()
            assert answer.status_code == 503, answer.text
            time.sleep(0.05)
        raise AssertionError(f"{method} {path}: no answer within {PATIENCE_SECONDS} s")


def test_every_process_may_be_killed_in_mid_match(tmp_path: Path) -> None:
    # given: a match of Mice Cake against the greedy bot
    with running_stack(tmp_path / "var", tmp_path / "output") as stack:
        client = Client(stack)
        seats = [{"kind": "me"}, {"kind": "bot", "level": "greedy"}]
        match = client.ask("POST", "/matches", json={"game": "mice_cake", "seats": seats})["match"]["id"]
        acknowledged: dict[int, Any] = {}
        victims = iter(MARKS)
        # when: after every second move another process is killed, each in its turn
        for turn in itertools.count():
            now = wait_for_turn(client, match)
            if now["status"] == "over":
                break
            move = now["view"]["legal"][-1]
            if turn % 2 and (victim := next(victims, None)):
                stack.kill(victim)
            event = client.ask("POST", f"/matches/{match}/moves", json=move)["event"]
            acknowledged[event["ply"]] = event["move"]
        # then: everybody had a turn to die, and all that was acknowledged is there, once
        assert next(victims, None) is None
        stack.wait_until_ready()
        events = client.ask("GET", f"/matches/{match}/events")["events"]
        assert [event["ply"] for event in events] == list(range(1, len(events) + 1))
        assert {event["ply"]: event["move"] for event in events if event["seat"] == 0 and event["move"]} == acknowledged
        replay = httpx.get(f"{stack.url}/api/v1/matches/{match}/replay").content
        assert verify(replay).ok
    # and: after a stop and a new start it is still there
    with running_stack(tmp_path / "var", tmp_path / "output") as again:
        assert httpx.get(f"{again.url}/api/v1/matches/{match}/replay").content == replay


def wait_for_turn(client: Client, match: str) -> Any:
    """The match once it is the player's turn, or over: the bot has moved in the meantime."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        now = client.ask("GET", f"/matches/{match}")
        if now["status"] == "over" or 0 in now["to_move"]:
            return now
        time.sleep(0.02)
    raise AssertionError(f"the bot did not move: {msgspec.json.encode(now).decode()[:500]}")
