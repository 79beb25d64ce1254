"""HTTP players that retry through faults, and background threads for the duration of a block."""

import itertools
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import httpx
import msgspec

from replays.verify import verify
from tests import plain_http
from tests.names import fresh_name
from tests.reliability.stack import Stack

PATIENCE_SECONDS = 60


class Client:
    """A player that retries unanswered requests with the same key."""

    def __init__(self, stack: Stack) -> None:
        self.http = plain_http.Client(base_url=f"{stack.url}/api/v1", timeout=10)
        self._keys = map(str, itertools.count())
        self.token: str = self.ask("POST", "/players", json={"name": fresh_name("Ada")})["token"]
        self.http.headers["Authorization"] = f"Bearer {self.token}"

    def ask(self, method: str, path: str, **request: Any) -> Any:
        """Send a request until it succeeds, and return the answer. Any error other than 503 fails the test."""
        headers = {"Idempotency-Key": next(self._keys)} if method == "POST" else {}
        deadline = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < deadline:
            try:
                answer = self.http.request(method, path, headers=headers, **request)
            except httpx.HTTPError:
                time.sleep(0.05)
                continue
            if answer.status_code == 409 and path == "/players":
                request["json"] = {"name": fresh_name("Ada")}  # the request without an answer has taken the name
                continue
            if answer.status_code < 300:
                return answer.json()
            assert answer.status_code == 503, answer.text
            time.sleep(0.05)
        raise AssertionError(f"{method} {path}: no answer within {PATIENCE_SECONDS} s")

    def create_bot_match(self, game: str) -> str:
        """Create a match against the greedy bot, and return its id."""
        seats = [{"kind": "me"}, {"kind": "bot", "level": "greedy"}]
        match: str = self.ask("POST", "/matches", json={"game": game, "seats": seats})["match"]["id"]
        return match

    def wait_for_turn(self, match: str) -> Any:
        """Wait until it is the player's turn or the match is over, and return the match."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < deadline:
            now = self.ask("GET", f"/matches/{match}")
            if now["status"] == "over" or 0 in now["to_move"]:
                return now
            time.sleep(0.02)
        raise AssertionError(f"the bot did not move: {msgspec.json.encode(now).decode()[:500]}")


def play_to_end(client: Client, match: str, faults: Iterable[Callable[[], object]], turns: int = 1000) -> bytes:
    """Play a match to its end while causing a fault on every other turn, one at a time. Return the replay.

    The player resigns after `turns` turns. Checks that every acknowledged move is stored exactly once, and that the
    replay verifies.
    """
    acknowledged: dict[int, Any] = {}
    waiting, acting = iter(faults), Future[object]()
    acting.set_result(None)
    with ThreadPoolExecutor(1) as pool:
        for turn in itertools.count():
            if client.wait_for_turn(match)["status"] == "over":
                break
            if turn % 2 and acting.done() and (fault := next(waiting, None)):
                acting.result()
                acting = pool.submit(fault)
            legal = client.ask("GET", f"/matches/{match}/legal-moves?limit=50")["moves"]
            move = legal[-1] if turn < turns else {"type": "resign"}
            event = client.ask("POST", f"/matches/{match}/moves", json=move)["event"]
            acknowledged[event["ply"]] = event["move"]
        acting.result(PATIENCE_SECONDS)
    assert next(waiting, None) is None, "the match was too short for all faults"
    events = client.ask("GET", f"/matches/{match}/events")["events"]
    assert [event["ply"] for event in events] == list(range(1, len(events) + 1))
    assert {event["ply"]: event["move"] for event in events if event["seat"] == 0 and event["move"]} == acknowledged
    replay = replay_of(client, match)
    assert verify(replay).ok
    return replay


def replay_of(client: Client, match: str) -> bytes:
    """Return the replay file of a match."""
    return client.http.get(f"/matches/{match}/replay").content


@contextmanager
def running_in_background(works: Iterable[Callable[[threading.Event], object]], patience: float = 90) -> Iterator[None]:
    """Run each function in its own thread until the block ends, which sets the event. Raises their exceptions."""
    over, waiting = threading.Event(), list(works)
    with ThreadPoolExecutor(len(waiting)) as pool:
        running = [pool.submit(work, over) for work in waiting]
        try:
            yield
        finally:
            over.set()
        for each in running:
            each.result(patience)
