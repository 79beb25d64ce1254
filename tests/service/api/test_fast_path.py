"""The fast path for moves answers exactly like Flask, and plain moves do not reach Flask."""

import io
from collections.abc import Callable, Iterable
from typing import Any

import pytest
from flask import Flask
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from werkzeug.test import EnvironBuilder, run_wsgi_app

from service.api.fast_path import with_fast_path
from service.bootstrap import Services
from service.wsgi import create_app
from tests.service.api.builders import PREFIX, Person, assert_problem, fresh_key, mark_cell, register, started_match
from tests.service.api.conftest import ManualClock
from tests.service.api.test_limits import limited

__all__ = ["limited"]

Wsgi = Callable[[dict[str, Any], Any], Iterable[bytes]]
Answer = tuple[str, dict[str, str], bytes]
REQUEST = "request-0001"
IGNORED_HEADERS = ("X-Request-Id", "Idempotent-Replayed")


def post_raw(serve: Wsgi, path: str, body: bytes, headers: dict[str, str]) -> Answer:
    """Send a POST and return status, headers and body."""
    builder = EnvironBuilder(path=path.partition("?")[0], query_string=path.partition("?")[2], method="POST")
    environ = builder.get_environ()
    environ |= {"wsgi.input": io.BytesIO(body), "CONTENT_LENGTH": str(len(body)), "REMOTE_ADDR": "192.0.2.1"}
    for name, value in headers.items():
        key = name.upper().replace("-", "_")
        environ[key if key == "CONTENT_TYPE" else f"HTTP_{key}"] = value
    found, status, response_headers = run_wsgi_app(serve, environ, buffered=True)
    return status, dict(response_headers), b"".join(found)


def flask_alone(app: Flask) -> Wsgi:
    """Return the application without the fast path."""
    return lambda environ, start: Flask.wsgi_app(app, environ, start)


def fast_path_alone(app: Flask) -> Wsgi:
    """Return the fast path without Flask."""

    def nothing(environ: dict[str, Any], start: Any) -> Iterable[bytes]:
        raise AssertionError("this request left the fast path")

    services: Services = app.extensions["crumbtrail"]
    return with_fast_path(nothing, services)


def move_headers(person: Person, **more: str) -> dict[str, str]:
    """Return the headers of a plain move by this person."""
    named = {name.replace("_", "-"): value for name, value in more.items()}
    return {"Content-Type": "application/json", "Authorization": f"Bearer {person.token}", **named}


def moves_path(match: str) -> str:
    """Return the path for moves of a match."""
    return f"{PREFIX}/matches/{match}/moves"


def assert_same_answer(one: Answer, other: Answer) -> None:
    """Assert that two answers are the same, except for the headers that may differ."""
    response_headers = [{k: v for k, v in answer[1].items() if k not in IGNORED_HEADERS} for answer in (one, other)]
    assert (one[0], response_headers[0], one[2]) == (other[0], response_headers[1], other[2])


def test_a_plain_move_is_answered_without_flask_but_in_the_same_way(app: Flask) -> None:
    match, (ann, bob) = started_match(app)
    for person, cell in ((ann, 0), (bob, 3), (ann, 1), (bob, 4), (ann, 2)):
        body, headers = b'{"type": "mark", "cell": %d}' % cell, move_headers(person, Idempotency_Key=fresh_key())
        fast = post_raw(fast_path_alone(app), moves_path(match), body, headers)
        assert fast[0] == "201 CREATED"
        assert_same_answer(fast, post_raw(flask_alone(app), moves_path(match), body, headers))


def test_the_fast_path_repeats_the_answer_of_flask(app: Flask) -> None:
    match, (ann, _) = started_match(app)
    body, headers = b'{"type": "mark", "cell": 4}', move_headers(ann, Idempotency_Key="once", If_Match='"4"')
    first = post_raw(flask_alone(app), moves_path(match), body, headers)
    again = post_raw(fast_path_alone(app), moves_path(match), body, headers)
    assert first[0] == again[0] == "201 CREATED"
    assert_same_answer(first, again)
    assert again[1]["Idempotent-Replayed"] == "true"
    assert "Idempotent-Replayed" not in first[1]


@pytest.mark.parametrize("query", ["", "?as=0", "?as=1"])
def test_a_player_who_left_the_seat_gets_the_same_answer_both_ways(app: Flask, query: str) -> None:
    match, (ann, bob) = started_match(app)
    body, path = b'{"type": "mark", "cell": 4}', moves_path(match)
    post_raw(app.wsgi_app, path, body, move_headers(ann, Idempotency_Key="once"))
    assert ann.post(f"/matches/{match}/commands", {"type": "hand_over", "level": "easy"}).status_code == 201
    for person, key, known in ((ann, "once", True), (ann, "other", False), (bob, "once", False)):
        headers = move_headers(person, Idempotency_Key=key, X_Request_Id=REQUEST)
        fast = post_raw(app.wsgi_app, path + query, body, headers)
        assert fast[0].startswith("201" if known and query != "?as=1" else "4")
        assert_same_answer(fast, post_raw(flask_alone(app), path + query, body, headers))


def test_an_answer_has_its_request_id(app: Flask) -> None:
    match, (ann, _) = started_match(app)
    headers = move_headers(ann, X_Request_Id=REQUEST)
    assert (
        post_raw(fast_path_alone(app), moves_path(match), b'{"type": "mark", "cell": 4}', headers)[1]["X-Request-Id"]
        == REQUEST
    )
    refused = post_raw(app.wsgi_app, moves_path(match), b'{"type": "mark", "cell": 4}', headers)
    assert (refused[0], refused[1]["X-Request-Id"]) == ("409 CONFLICT", REQUEST)


@pytest.mark.parametrize("scope", ["play", "bot", "read"])
def test_the_fast_path_checks_the_scope_of_a_token(app: Flask, services: Services, scope: Any) -> None:
    match, (ann, _) = started_match(app)
    assert ann.id is not None
    weak = Person(app, services.accounts.players.new_token(ann.id, scope, "A token"))
    body, headers = b'{"type": "mark", "cell": 4}', move_headers(weak, Idempotency_Key="once")
    fast = post_raw(app.wsgi_app, moves_path(match), body, headers)
    assert fast[0].startswith("403" if scope == "read" else "201")
    assert_same_answer(fast, post_raw(flask_alone(app), moves_path(match), body, headers))


# -- random requests ----------------------------------------------------------------------------------------------

BODIES = st.one_of(
    st.sampled_from(
        [
            *(b'{"type": "mark", "cell": %d}' % cell for cell in range(11)),
            *(b"", b"{}", b"[]", b"null", b"{", b'{"type": 4}', b'{"type": "resign", "type": "resign"}', b"\xff"),
            *(b'{"type": "mark"}', b'{"type": "mark", "cell": 1.5}', b'{"type": "mark", "cell": 4, "more": NaN}'),
            b'{"type": "\\ud800"}',
            b" " * 70_000,
        ]
    ),
    st.binary(max_size=40),
)
QUERIES = st.sampled_from(["", "as=0", "as=1", "as=7", "as=x", "as=0&as=1", "dry_run=1", "as=0&dry_run=0", "else=1"])
TYPES = st.sampled_from(["application/json"] * 3 + ["application/json; charset=utf-8", "text/plain", ""])
KEYS = st.sampled_from(["a key", "another", "", "k" * 256, "n\xf6"])
TAGS = st.sampled_from(["", '"4"', '"5"', '"04"', "*", "4", ' "4" ', 'W/"4"'])
SENDERS = st.sampled_from(["ann", "ann", "bob", "nobody", "none", "basic", "long"])


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(BODIES, QUERIES, TYPES, KEYS, TAGS, SENDERS, st.sampled_from(["right", "right", "gone", "odd"]))
def test_both_ways_give_the_same_answer_to_any_request(
    app: Flask, body: bytes, query: str, mimetype: str, key: str, tag: str, sender: str, where: str
) -> None:
    match, (ann, bob) = started_match(app, seats="me open")
    headers = {"Content-Type": mimetype, "Idempotency-Key": key, "If-Match": tag, "X-Request-Id": REQUEST}
    tokens = {"ann": f"Bearer {ann.token}", "bob": f"bearer  {bob.token} ", "nobody": "Bearer ct_x", "basic": "Basic x"}
    headers["Authorization"] = tokens.get(sender, "Bearer " + "x" * 300 if sender == "long" else "")
    headers = {name: value for name, value in headers.items() if value}
    path = moves_path({"right": match, "gone": "07aaaaaaaaaaaaaaaa", "odd": "7%2f"}[where]) + (
        f"?{query}" if query else ""
    )
    fast = post_raw(app.wsgi_app, path, body, headers)
    slow = post_raw(flask_alone(app), path, body, headers)
    if fast[0] == "201 CREATED" and "Idempotency-Key" not in headers:
        assert slow[0] == "409 CONFLICT", "the move was made and cannot be made again"
    else:
        assert_same_answer(fast, slow)


# -- limits and errors --------------------------------------------------------------------------------------------


def test_a_refused_move_is_counted_once(limited: Callable[..., Flask]) -> None:
    app = limited(requests=6)
    ann, bob = register(app, "Ann"), register(app, "Bob")
    seats = [{"kind": "me"}, {"kind": "open"}]
    made = ann.post("/matches", {"game": "tic_tac_toe", "seats": seats}).json
    match = made["match"]["id"]
    assert bob.post(f"/matches/{match}/seats/1", {"invitation": made["invitations"]["1"]}).status_code == 201
    for _ in range(5):  # with taking the seat, Bob sends six requests
        assert mark_cell(bob, match, 0).status_code == 409
    assert_problem(mark_cell(bob, match, 0), 429, "too_many_requests")


def test_an_unexpected_error_gets_the_answer_of_flask(
    services: Services, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = create_app(services)
    match, (ann, _) = started_match(app)

    def broken(*arguments: Any) -> Any:
        raise ZeroDivisionError

    monkeypatch.setattr(services.matches.commands, "submit", broken)
    body, headers = b'{"type": "mark", "cell": 4}', move_headers(ann, X_Request_Id=REQUEST)
    fast = post_raw(app.wsgi_app, moves_path(match), body, headers)
    assert fast[0].startswith("500")
    assert b"ZeroDivision" not in fast[2]
    assert_same_answer(fast, post_raw(flask_alone(app), moves_path(match), body, headers))


def test_a_truncated_body_gets_the_answer_of_flask(app: Flask) -> None:
    match, (ann, _) = started_match(app)

    def cut(serve: Wsgi) -> Wsgi:
        def shorter(environ: dict[str, Any], start: Any) -> Iterable[bytes]:
            environ["CONTENT_LENGTH"] = "100"
            return serve(environ, start)

        return shorter

    headers = move_headers(ann, X_Request_Id=REQUEST)
    fast = post_raw(cut(app.wsgi_app), moves_path(match), b'{"type":', headers)
    assert fast[0] == "400 BAD REQUEST"
    assert_same_answer(fast, post_raw(cut(flask_alone(app)), moves_path(match), b'{"type":', headers))
