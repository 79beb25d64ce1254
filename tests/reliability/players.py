"""Players over HTTP who outlast whatever breaks, and threads that go on until a block ends."""

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
from tests.reliability.stack import Stack

PATIENCE_SECONDS = 60


class Client:
    """A player who repeats what was not answered, under the same key."""

    def __init__(self, stack: Stack) -> None:
        self.http = httpx.Client(base_url=f"{stack.url}/api/v1", timeout=10)
        self._keys = map(str, itertools.count())
        self.token: str = self.ask("POST", "/players", json={"name": "Ada"})["token"]
        self.http.headers["Authorization"] = f"Bearer {self.token}"

    def ask(self, method: str, path: str, **request: Any) -> Any:
        """The answer, however often it takes; refusals other than 503 end the test."""
        headers = {"Idempotency-Key": next(self._keys)} if method == "POST" else {}
        deadline = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < deadline:
            try:
                answer = self.http.request(method, path, headers=headers, **request)
            except httpx.HTTPError:
                time.sleep(0.05)
                continue
            if answer.status_code < 300:
                return answer.json()
            assert answer.status_code == 503, answer.text
            time.sleep(0.05)
        raise AssertionError(f"{method} {path}: no answer within {PATIENCE_SECONDS} s")

    def create_bot_match(self, game: str) -> str:
        """A new match against the greedy bot; its id."""
        seats = [{"kind": "me"}, {"kind": "bot", "level": "greedy"}]
        match: str = self.ask("POST", "/matches", json={"game": game, "seats": seats})["match"]["id"]
        return match

    def wait_for_turn(self, match: str) -> Any:
        """The match once it is the player's turn, or over: the bot has moved in the meantime."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < deadline:
            now = self.ask("GET", f"/matches/{match}")
            if now["status"] == "over" or 0 in now["to_move"]:
                return now
            time.sleep(0.02)
        raise AssertionError(f"the bot did not move: {msgspec.json.encode(now).decode()[:500]}")


def play_to_end(client: Client, match: str, faults: Iterable[Callable[[], object]], turns: int = 1000) -> bytes:
    """Play to the end, with a fault at every second turn, one at a time, while the play goes on. Who has played so many
    turns resigns. Whatever was acknowledged is there, once; gives the replay, which verifies."""
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
    """The replay file of a match."""
    return client.http.get(f"/matches/{match}/replay").content


@contextmanager
def running_in_background(works: Iterable[Callable[[threading.Event], object]], patience: float = 90) -> Iterator[None]:
    """Each of these in a thread of its own until the block ends, which the event tells. Raises what they raise."""
    over, waiting = threading.Event(), list(works)
    with ThreadPoolExecutor(len(waiting)) as pool:
        running = [pool.submit(work, over) for work in waiting]
        try:
            yield
        finally:
            over.set()
        for each in running:
            each.result(patience)
