"""Events: listed, awaited, streamed and resumed. `test_server.py` tests streams of a real server."""

import json
import threading
import time
from collections.abc import Callable, Iterator

import pytest
from flask import Flask
from redis import Redis

from service.api import players, streams
from service.bootstrap import Services
from service.runtime.concurrency_limits import make_stream_limiter
from service.runtime.metrics import OPEN_STREAMS
from tests.service.api.builders import (
    PREFIX,
    Person,
    anonymous,
    assert_problem,
    finished_match,
    mark_cell,
    new_match,
    register,
    started_match,
)

SSE = "text/event-stream"
NDJSON = "application/x-ndjson"
MUCH_SHORTER = 20.0
"""Seconds, well below the 30 of a whole wait, and long enough for a busy machine."""


def run_later(seconds: float, person: Person, match: str, cell: int) -> threading.Thread:
    """Start a thread that makes a move later."""

    def move() -> None:
        time.sleep(seconds)
        mark_cell(person, match, cell)

    thread = threading.Thread(target=move)
    thread.start()
    return thread


def read_sse(text: str) -> list[dict[str, str]]:
    """Return the entries of an event stream, by field."""
    entries = []
    for block in text.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.split("\n") if line and not line.startswith(":"))
        if "data" in fields:
            entries.append(fields)
    return entries


# -- list --------------------------------------------------------------------------------------------------------


def test_events_follow_a_ply(app: Flask) -> None:
    match, (ann, _) = started_match(app)
    mark_cell(ann, match, 4)
    found = ann.get(f"/matches/{match}/events").json
    assert [event["kind"] for event in found["events"]] == ["created", "seat_taken", "seat_taken", "started", "moved"]
    assert found["ply"] == 5
    assert [event["ply"] for event in ann.get(f"/matches/{match}/events?after=3").json["events"]] == [4, 5]
    assert ann.get(f"/matches/{match}/events?after=5").json == {"ply": 5, "events": []}
    assert ann.get(f"/matches/{match}/events?after=999").json == {"ply": 5, "events": []}
    assert [event["ply"] for event in ann.get(f"/matches/{match}/events?after=1&limit=2").json["events"]] == [2, 3]


def test_only_requested_events_are_read(app: Flask, redis: Redis) -> None:
    """For one early event of a long match, Redis sends only that event."""
    match, players = started_match(app)
    for _ in range(15):
        for person in players:
            (offer,) = person.post(f"/matches/{match}/commands", {"type": "hand_over"}).json["match"]["offers"]
            person.post(f"/matches/{match}/commands", {"type": "keep_seat", "offer": offer["number"]})

    def sent(limit: int) -> int:
        before = redis.info("stats")["total_net_output_bytes"]  # type: ignore[index]
        assert len(players[0].get(f"/matches/{match}/events?after=2&limit={limit}").json["events"]) == limit
        return int(redis.info("stats")["total_net_output_bytes"] - before)  # type: ignore[index]

    sent(1)
    assert sent(60) - sent(1) > 50 * 200, "an event has a few hundred bytes"
    assert players[0].get(f"/matches/{match}/events?after=62").json["ply"] == 64


def test_a_move_is_visible_only_to_its_seat_until_the_end(app: Flask) -> None:
    match, (ann, bob) = started_match(app)
    mark_cell(ann, match, 4)
    for person, move in ((ann, {"type": "mark", "cell": 4}), (bob, None), (anonymous(app), None)):
        assert person.get(f"/matches/{match}/events?after=4").json["events"][0]["move"] == move
    bob.post(f"/matches/{match}/moves", {"type": "resign"})
    for person in (bob, anonymous(app)):
        event = person.get(f"/matches/{match}/events?after=4").json["events"][0]
        assert event["move"] == {"type": "mark", "cell": 4}
        assert event["salt"]


@pytest.mark.parametrize(
    "query", ["after=-1", "after=x", "after=1.5", "after=" + "9" * 5000, "wait=31", "wait=-1", "limit=0"]
)
def test_a_bad_query_is_refused(app: Flask, query: str) -> None:
    match, (ann, _) = started_match(app)
    assert_problem(ann.get(f"/matches/{match}/events?{query}"), 422, "invalid")


# -- wait ---------------------------------------------------------------------------------------------------------


def test_waiting_ends_with_the_next_event(app: Flask) -> None:
    match, (ann, bob) = started_match(app)
    began, mover = time.monotonic(), run_later(0.3, ann, match, 4)
    found = bob.get(f"/matches/{match}/events?after=4&wait=30").json
    mover.join()
    assert [event["ply"] for event in found["events"]] == [5]
    assert 0.25 < time.monotonic() - began < MUCH_SHORTER


def test_waiting_ends_after_the_given_time(app: Flask) -> None:
    match, (_, bob) = started_match(app)
    began = time.monotonic()
    assert bob.get(f"/matches/{match}/events?after=4&wait=1").json == {"ply": 4, "events": []}
    assert 0.9 < time.monotonic() - began < MUCH_SHORTER


def test_there_is_no_wait_if_there_are_events_or_the_match_is_over(app: Flask) -> None:
    match, (ann, _) = finished_match(app)
    began = time.monotonic()
    assert len(ann.get(f"/matches/{match}/events?after=9&wait=30").json["events"]) == 2
    assert ann.get(f"/matches/{match}/events?after=11&wait=30").json["events"] == []
    assert time.monotonic() - began < MUCH_SHORTER


# -- streams ------------------------------------------------------------------------------------------------------


def test_the_stream_of_a_finished_match_has_all_events_and_ends(app: Flask) -> None:
    match, (ann, _) = finished_match(app)
    events = ann.get(f"/matches/{match}/events").json["events"]
    sse = ann.get(f"/matches/{match}/stream", Accept=SSE)
    assert sse.mimetype == SSE
    assert sse.text.startswith("retry: ")
    entries = read_sse(sse.text)
    assert [(entry["id"], entry["event"]) for entry in entries] == [(str(e["ply"]), e["kind"]) for e in events]
    assert [json.loads(entry["data"]) for entry in entries] == events
    lines = ann.get(f"/matches/{match}/stream", Accept=NDJSON)
    assert lines.mimetype == NDJSON
    assert [json.loads(line) for line in lines.text.splitlines() if line] == events


@pytest.mark.parametrize("form", [SSE, NDJSON])
def test_a_stream_resumes_after_any_ply(app: Flask, form: str) -> None:
    match, (ann, _) = finished_match(app)

    def plies(**headers: str) -> list[int]:
        text = ann.get(f"/matches/{match}/stream?after=2", Accept=form, **headers).text
        if form == SSE:
            return [int(entry["id"]) for entry in read_sse(text)]
        return [json.loads(line)["ply"] for line in text.splitlines() if line]

    assert plies() == list(range(3, 12))
    for last in range(11):
        assert plies(Last_Event_ID=str(last)) == list(range(last + 1, 12))
    done = ann.get(f"/matches/{match}/stream", Accept=form, Last_Event_ID="11")
    assert (done.status_code, done.data) == (204, b""), "this makes an EventSource stop"
    assert_problem(ann.get(f"/matches/{match}/stream", Accept=form, Last_Event_ID="five"), 400, "bad_last_event_id")


def test_the_client_chooses_the_format(app: Flask) -> None:
    match, (ann, _) = finished_match(app)
    path = f"/matches/{match}/stream"
    assert ann.get(path).mimetype == NDJSON
    assert ann.get(path, Accept="*/*").mimetype == NDJSON
    assert ann.get(path, Accept=f"{NDJSON};q=0.5, {SSE}").mimetype == SSE
    assert_problem(ann.get(path, Accept="text/html"), 406, "not_acceptable")
    assert ann.send("HEAD", path).status_code == 200


def batches(app: Flask, person: Person, path: str, **headers: str) -> Iterator[bytes]:
    """Yield the chunks of a live stream as they arrive."""
    client = app.test_client()
    named = {"Authorization": f"Bearer {person.token}", **{k.replace("_", "-"): v for k, v in headers.items()}}
    response = client.get(PREFIX + path, headers=named, buffered=False)
    assert response.status_code == 200
    yield from response.response
    response.close()


def test_a_live_stream_sends_events_as_they_happen_and_ends_with_the_match(app: Flask) -> None:
    match, (ann, bob) = started_match(app)
    stream = batches(app, bob, f"/matches/{match}/stream?after=4", Accept=SSE)
    assert next(stream).startswith(b"retry")
    threads = [run_later(0.2, ann, match, 4), run_later(0.5, bob, match, 0)]
    first, second = (read_sse(next(stream).decode())[0] for _ in range(2))
    assert [entry["id"] for entry in (first, second)] == ["5", "6"]
    assert json.loads(first["data"])["move"] is None
    assert json.loads(second["data"])["move"] == {"type": "mark", "cell": 0}
    for thread in threads:
        thread.join()
    ann.post(f"/matches/{match}/moves", {"type": "resign"})
    rest = b"".join(stream).decode()
    assert [entry["event"] for entry in read_sse(rest)] == ["moved", "ended", "seed_revealed"]


def test_a_silent_stream_sends_keepalives(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "POLL_SECONDS", 0.1)
    monkeypatch.setattr(streams, "KEEPALIVE_SECONDS", 0.25)
    match, (_, bob) = started_match(app)
    for form, sign in ((SSE, b":\n\n"), (NDJSON, b"\n")):
        stream = batches(app, bob, f"/matches/{match}/stream?after=4", Accept=form)
        began = time.monotonic()
        next(stream)
        assert [next(stream), next(stream)] == [sign, sign]
        assert time.monotonic() - began > 0.4
        stream.close()


def test_keepalives_are_sent_within_ten_seconds_by_default() -> None:
    assert streams.KEEPALIVE_SECONDS + streams.POLL_SECONDS < 10


def test_the_number_of_streams_is_limited(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    match, (_, bob) = started_match(app)
    monkeypatch.setitem(app.extensions, "crumbtrail-slots", make_stream_limiter(2, 0, OPEN_STREAMS))
    path = f"/matches/{match}/stream"
    open_ones = [batches(app, bob, path, Accept=SSE) for _ in range(2)]
    for stream in open_ones:
        next(stream)
    refusal = bob.get(path, Accept=SSE)
    assert_problem(refusal, 503, "too_many_streams")
    assert refusal.headers["Retry-After"]
    began = time.monotonic()
    assert bob.get(f"/matches/{match}/events?after=4&wait=30").status_code == 200, (
        "an answer without waiting is always possible"
    )
    assert time.monotonic() - began < MUCH_SHORTER
    open_ones.pop().close()
    again = batches(app, bob, path, Accept=SSE)
    assert next(again)
    for stream in (*open_ones, again):
        stream.close()


def test_a_closed_stream_releases_its_slot(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    match, _ = started_match(app)
    monkeypatch.setitem(app.extensions, "crumbtrail-slots", make_stream_limiter(1, 0, OPEN_STREAMS))
    for _ in range(3):
        response = app.test_client().get(f"{PREFIX}/matches/{match}/stream", buffered=False)
        assert response.status_code == 200
        response.close()


def test_streams_of_pages_and_api_share_one_limit(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    match, (ann, _) = started_match(app)
    monkeypatch.setitem(app.extensions, "crumbtrail-slots", make_stream_limiter(2, 0, OPEN_STREAMS))
    turns = batches(app, ann, "/me/stream")
    next(turns)
    page = app.test_client().get(f"/matches/{match}/live", buffered=False)
    assert page.status_code == 200
    refused = app.test_client().get(f"/matches/{match}/live")
    assert (refused.status_code, refused.headers["Retry-After"]) == (503, "2")
    assert "reached its limit of open streams" in refused.get_data(as_text=True)
    assert_problem(ann.get(f"/matches/{match}/stream"), 503, "too_many_streams")
    assert app.test_client().head(f"/matches/{match}/live").status_code == 200, "a HEAD request takes no slot"
    page.close()
    again = app.test_client().get(f"/matches/{match}/live", buffered=False)
    assert again.status_code == 200
    again.close()
    turns.close()


def test_one_address_cannot_use_all_slots(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    match, (ann, _) = started_match(app)
    monkeypatch.setitem(app.extensions, "crumbtrail-slots", make_stream_limiter(9, 2, OPEN_STREAMS))
    path, browser = f"/matches/{match}/live", app.test_client()
    taken = [browser.get(path, buffered=False, environ_base={"REMOTE_ADDR": f"2001:db8::{n}"}) for n in (1, 2)]
    refused = browser.get(path, environ_base={"REMOTE_ADDR": "2001:db8::3"})
    assert (refused.status_code, refused.headers["Retry-After"]) == (429, "2")
    assert "2 open streams" in refused.get_data(as_text=True)
    interface = browser.get(f"{PREFIX}/matches/{match}/stream", environ_base={"REMOTE_ADDR": "2001:db8::4"})
    assert (interface.status_code, interface.json["code"]) == (429, "too_many_streams")
    other = batches(app, ann, f"/matches/{match}/stream")
    next(other)
    other.close()
    taken.pop().close()
    again = browser.get(path, buffered=False, environ_base={"REMOTE_ADDR": "2001:db8::3"})
    assert again.status_code == 200
    for stream in (again, *taken):
        stream.close()


# -- turns --------------------------------------------------------------------------------------------------------


def test_each_turn_is_streamed_once(
    app: Flask, services: Services, project: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.api.players.TOKEN_CHECK_SECONDS", 0.05)
    monkeypatch.setattr("service.streaming.turn_subscriptions.POLL_SECONDS", 0.02)
    first, (ann, bob) = started_match(app)
    project()
    stream = batches(app, ann, "/me/stream", Accept=SSE)
    next(stream)
    sent = read_sse(next(stream).decode())
    assert [(entry["event"], json.loads(entry["data"])["id"]) for entry in sent] == [("your_turn", first)]
    second = new_match(ann, seats="me me")["match"]["id"]
    project()
    further = read_sse(next(stream).decode())
    assert [json.loads(entry["data"])["id"] for entry in further] == [second]
    stream.close()

    # a resumed stream sends only new turns
    mark_cell(ann, first, 0)
    mark_cell(bob, first, 8)
    project()
    resumed = batches(app, ann, "/me/stream", Accept=SSE, Last_Event_ID=further[0]["id"])
    next(resumed)
    rows = [json.loads(entry["data"]) for entry in read_sse(next(resumed).decode())]
    assert [(row["id"], row["ply"]) for row in rows] == [(first, 6)]
    resumed.close()


def revoke(services: Services, person: Person) -> None:
    """Revoke the only token of a player."""
    assert person.id is not None
    (token,) = services.accounts.players.tokens(person.id)
    assert services.accounts.players.revoke(person.id, token.id)


def erase(services: Services, person: Person) -> None:
    """Erase a player."""
    assert person.id is not None
    services.accounts.eraser.erase(person.id)


END = pytest.mark.parametrize("end", [revoke, erase])
End = Callable[[Services, Person], None]


@END
def test_a_stream_of_secret_moves_ends_with_its_token(app: Flask, services: Services, end: End) -> None:
    """A stream sends nothing more after its token is revoked or its player erased."""
    match, (ann, bob) = started_match(app)
    stream = batches(app, ann, f"/matches/{match}/stream?as=0&after=4")
    mark_cell(ann, match, 0)
    assert (next(stream), json.loads(next(stream))["move"]) == (b"\n", {"type": "mark", "cell": 0})
    end(services, ann)
    mark_cell(bob, match, 4)
    assert list(stream) == []


def test_a_stream_as_a_seat_ends_when_the_seat_is_handed_over(app: Flask) -> None:
    match, (ann, bob) = started_match(app)
    as_seat = batches(app, ann, f"/matches/{match}/stream?as=0&after=4")
    plain = batches(app, ann, f"/matches/{match}/stream?after=4", Accept=NDJSON)
    assert next(as_seat) == next(plain) == b"\n"
    code = ann.post(f"/matches/{match}/commands", {"type": "hand_over"}).json["match"]["offers"][0]["invitation"]
    cid = register(app, "Cid")
    assert cid.post(f"/matches/{match}/seats/0", {"invitation": code}).status_code == 201
    mark_cell(cid, match, 0)
    assert list(as_seat) == []
    seen = [json.loads(line) for line in next(plain).splitlines()]
    assert [(event["kind"], event.get("move")) for event in seen][-1] == ("moved", None), "a spectator's view"
    plain.close()
    bob.post(f"/matches/{match}/moves", {"type": "resign"})


@END
def test_waiting_for_an_event_ends_with_the_token(app: Flask, services: Services, end: End) -> None:
    match, (ann, bob) = started_match(app)
    mark_cell(ann, match, 0)

    def leave() -> None:
        time.sleep(0.3)
        end(services, ann)
        mark_cell(bob, match, 4)

    thread = threading.Thread(target=leave)
    thread.start()
    assert_problem(ann.get(f"/matches/{match}/events?as=0&after=5&wait=20"), 401, "bad_token")
    thread.join()


@END
def test_a_stream_of_turns_ends_with_its_token(
    app: Flask, services: Services, project: Callable[[], None], monkeypatch: pytest.MonkeyPatch, end: End
) -> None:
    monkeypatch.setattr(players, "TOKEN_CHECK_SECONDS", 0.05)
    match, (ann, bob) = started_match(app)
    mark_cell(ann, match, 0)
    project()
    stream = batches(app, ann, "/me/stream", Accept=SSE)
    assert next(stream).startswith(b"retry")
    end(services, ann)
    mark_cell(bob, match, 4)
    project()
    assert list(stream) == []


def test_turns_need_a_token(app: Flask) -> None:
    assert_problem(anonymous(app).get("/me/stream"), 401, "no_token")
    assert register(app).get("/me/turns").json == {"turns": []}
