"""Invalid and hostile input: the answer is always a problem document, never a 500, a traceback or HTML."""

import gzip
import io
import json
import string
from urllib.parse import quote

import pytest
from flask import Flask
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from service.api import decoding
from service.api.decoding import InvalidJson, decode
from service.bootstrap import Services
from tests.service.api.builders import PREFIX, Person, anonymous, assert_problem, new_match, register, started_match

JSON = {"Content-Type": "application/json"}
KIB = 1024

BODIES = {
    "truncated": b'{"type":',
    "no JSON": b"type=mark",
    "two documents": b"{} {}",
    "not UTF-8": b'{"type":"\xff"}',
    "UTF-16": '{"type":"mark"}'.encode("utf-16"),
    "byte order mark": b'\xef\xbb\xbf{"type":"mark"}',
    "depth bomb of arrays": b"[" * 60_000,
    "depth bomb of objects": b'{"a":' * 10_000,
    "closed depth bomb": b'{"type":' + b"[" * 20_000 + b"]" * 20_000 + b"}",
    "deeper than allowed": b'{"type":' + b"[" * 40 + b"]" * 40 + b"}",
    "NaN": b'{"type":"mark","cell":NaN}',
    "Infinity": b'{"type":"mark","cell":-Infinity}',
    "overflowing number": b'{"type":"mark","cell":1e999}',
    "huge number": b'{"type":"mark","cell":1e300}',
    "5000 digits": b'{"type":"mark","cell":' + b"9" * 5000 + b"}",
    "beyond 2**53": b'{"type":"mark","cell":9007199254740993}',
    "lone surrogate": b'{"type":"\\ud800"}',
    "lone surrogate as key": b'{"type":"mark","\\udfff":1}',
    "deep lone surrogate": b'{"type":"mark","cell":[{"a":["\\udc00"]}]}',
    "NUL": b'{"type":"\\u0000"}',
    "raw control character": b'{"type":"a\x01"}',
    "duplicate keys": b'{"type":"mark","type":"resign"}',
    "deep duplicate keys": b'{"type":"mark","cell":[{"a":1,"a":1}]}',
}


@pytest.mark.parametrize("raw", BODIES.values(), ids=BODIES)
def test_invalid_json_is_malformed(app: Flask, raw: bytes) -> None:
    match, (ann, _) = started_match(app)
    for path in ("/players", "/matches", f"/matches/{match}/moves", f"/matches/{match}/commands"):
        refusal = assert_problem(ann.send("POST", path, raw, JSON), 400, "malformed_json")
        assert "Traceback" not in refusal["detail"]
    assert ann.get(f"/matches/{match}").json["ply"] == 4


@pytest.mark.parametrize("raw", [b"[]", b'"mark"', b"5", b"null", b"true"])
def test_a_body_must_be_an_object(app: Flask, raw: bytes) -> None:
    match, (ann, _) = started_match(app)
    for path in ("/players", "/matches", f"/matches/{match}/moves", f"/matches/{match}/commands"):
        assert_problem(ann.send("POST", path, raw, JSON), 422, "invalid")


def test_a_body_must_be_json(app: Flask) -> None:
    match, (ann, _) = started_match(app)
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "nonsense"):
        answer = ann.send("POST", f"/matches/{match}/moves", b'{"type":"resign"}', {"Content-Type": kind})
        assert_problem(answer, 415, "not_json")


def test_a_compressed_body_is_not_decompressed(app: Flask) -> None:
    match, (ann, _) = started_match(app)
    raw = gzip.compress(b'{"type":"resign"}')
    assert_problem(
        ann.send("POST", f"/matches/{match}/moves", raw, JSON | {"Content-Encoding": "gzip"}), 400, "malformed_json"
    )


def test_a_huge_body_is_refused(app: Flask) -> None:
    match, (ann, _) = started_match(app)
    raw = b'{"type":"resign","x":"' + b"x" * (64 * KIB) + b'"}'
    for path in ("/players", "/matches", f"/matches/{match}/moves", f"/matches/{match}/seats/1"):
        assert_problem(ann.send("POST", path, raw, JSON), 413, "too_large")
    assert ann.send("POST", f"/matches/{match}/moves", raw[: 63 * KIB], JSON).status_code == 400


def test_a_body_of_unknown_length_is_limited(app: Flask) -> None:
    answer = app.test_client().post(
        f"{PREFIX}/players",
        input_stream=io.BytesIO(b'{"name":"' + b"x" * (100 * KIB) + b'"}'),
        headers={"Transfer-Encoding": "chunked", **JSON},
        environ_overrides={"wsgi.input_terminated": True},
    )
    assert answer.status_code == 413


@pytest.mark.parametrize(
    "path", ["/nothing", "/matches/", "/games/tic_tac_toe/", "//matches", "/../x", "/%ff", "/\u00e4"]
)
def test_an_unknown_path_is_a_problem_document(app: Flask, path: str) -> None:
    assert_problem(anonymous(app).get(path), 404, "not_found")


def test_a_wrong_method_is_a_problem_document(app: Flask) -> None:
    answer = anonymous(app).send("DELETE", "/matches")
    assert_problem(answer, 405, "method_not_allowed")
    assert "POST" in answer.headers["Allow"]
    assert "POST" in answer.json["detail"]
    for method in ("PUT", "PATCH", "TRACE", "NONSENSE"):
        assert anonymous(app).send(method, "/matches").mimetype == "application/problem+json"


def test_an_unexpected_error_reveals_nothing(
    app: Flask, services: Services, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(match: str) -> None:
        raise RuntimeError("the hidden domino is 6-6")

    monkeypatch.setattr(services.matches.repository, "load", fail)
    for testing in (False, True):
        app.testing = testing
        answer = anonymous(app).get("/matches/00aaaaaaaaaaaaaaaa")
        assert_problem(answer, 500, "internal_error")
        assert "6-6" not in answer.text + caplog.text
    assert "RuntimeError" in caplog.text
    assert "test_bad_input.py" in caplog.text


# -- the decoder --------------------------------------------------------------------------------------------------

texts = st.text(st.characters(codec="utf-8", exclude_characters="\0"))
values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(string.ascii_letters), inner, max_size=4),
    max_leaves=20,
)


@given(values)
def test_plain_json_passes_unchanged(value: object) -> None:
    assert decode(json.dumps(value).encode()) == value
    assert decode(json.dumps(value, ensure_ascii=False).encode(errors="surrogatepass")) == value


@given(st.binary(max_size=60) | st.text('[]{}",:0123456789.eE+-\\ud8nultrfase ', max_size=40).map(str.encode))
@settings(max_examples=300)
def test_any_bytes_are_refused_or_decoded_to_a_json_value(raw: bytes) -> None:
    try:
        value = decode(raw)
    except InvalidJson:
        return
    assert decode(json.dumps(value).encode()) == value


def test_the_limits_themselves_are_allowed() -> None:
    deepest = "[" * decoding.MAX_DEPTH + "]" * decoding.MAX_DEPTH
    assert json.dumps(decode(deepest.encode())) == deepest
    with pytest.raises(InvalidJson, match="nested too deeply"):
        decode(f"[{deepest}]".encode())
    assert decode(b"[9007199254740991, -9007199254740991, 5.0, 1e3]") == [2**53 - 1, 1 - 2**53, 5.0, 1000.0]


# -- random requests ----------------------------------------------------------------------------------------------

PATHS = ("/players", "/matches", "/matches/{match}/moves", "/matches/{match}/commands", "/matches/{match}/seats/1")
GET_PATHS = (
    "/matches", "/matches/{match}", "/matches/{match}/legal-moves", "/matches/{match}/events",
    "/matches/{match}/replay", "/games/{match}", "/me/turns", "/audits/{match}",
)  # fmt: skip
WORDS = (
    "type", "mark", "cell", "resign", "game", "tic_tac_toe", "mice_cake", "seats", "kind", "me", "open", "bot", "level",
    "random", "options", "position", "cells", "cake", "seed", "name", "invitation", "client_seed", "leave", "cancel",
    "columns", "A", "steal_target", "6-6", "private", "rest", "yellow",
)  # fmt: skip
words = st.sampled_from(WORDS)
likely = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 12) | st.floats(-2, 9) | words | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=4),
    max_leaves=12,
)
headers = st.dictionaries(
    st.sampled_from(["If-Match", "Idempotency-Key", "If-None-Match", "Last-Event-ID", "Accept"]),
    st.sampled_from(['"4"', "*", "4", "", "key", "text/event-stream", "application/json", '"', "\xff", "W/"]),
    max_size=3,
)
queries = st.dictionaries(
    st.sampled_from(["as", "at", "after", "limit", "dry_run", "cursor", "game", "status", "x"]),
    st.sampled_from(["0", "1", "2", "-1", "", "x", "9" * 30, "open", "tic_tac_toe", "\x00", "é", "٣"]),
    max_size=3,
)


class RunningMatches:
    """The running matches that all examples of a test use."""

    def __init__(self, app: Flask) -> None:
        self.match, (self.ann, _) = started_match(app)
        self.cake = new_match(self.ann, "mice_cake", "me me")["match"]["id"]


@pytest.fixture
def place(app: Flask) -> RunningMatches:
    return RunningMatches(app)


COMMON = {"deadline": None, "suppress_health_check": [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]}


def send_random_requests(place: RunningMatches, count: int) -> None:
    """Send `count` requests generated by hypothesis. None may cause a 500, and every answer must be as documented."""

    @settings(max_examples=count, **COMMON)
    @given(st.sampled_from(PATHS), likely | words.map(lambda word: {"type": word}), headers, queries, st.booleans())
    def post(path: str, body: object, headers_sent: dict[str, str], query: dict[str, str], cake: bool) -> None:
        url = path.format(match=place.cake if cake else place.match)
        text = "&".join(f"{key}={value}" for key, value in query.items())
        answer = place.ann.send("POST", f"{url}?{text}", json.dumps(body).encode(), JSON | headers_sent)
        assert answer.status_code < 500, answer.text

    @settings(max_examples=count, **COMMON)
    @given(st.sampled_from(GET_PATHS), st.text(max_size=20) | st.just("{match}"), headers, queries)
    def get(path: str, match: str, headers_sent: dict[str, str], query: dict[str, str]) -> None:
        known = place.match if match == "{match}" else quote(match, safe="")
        text = "&".join(f"{key}={value}" for key, value in query.items())
        answer = place.ann.send("GET", f"{path.format(match=known)}?{text}", headers=headers_sent)
        assert answer.status_code < 500, answer.text

    post()
    get()


def test_random_requests_never_cause_a_500(place: RunningMatches) -> None:
    send_random_requests(place, 150)


@pytest.mark.full
def test_many_random_requests_never_cause_a_500(place: RunningMatches) -> None:
    send_random_requests(place, 5_000)


# -- tokens -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "header",
    [
        "",
        "Bearer",
        "Bearer ",
        "Basic QW5uOnB3",
        "Bearer ct_nobody",
        "Token x",
        "Bearer " + "x" * 300,
        "Bearer \xff",
        "x",
    ],
)
def test_a_bad_token_is_unauthorized_everywhere(app: Flask, header: str) -> None:
    match, _ = started_match(app)
    somebody = Person(app)
    for answer in (
        somebody.get("/me", Authorization=header),
        somebody.get("/me/turns", Authorization=header),
        somebody.get("/me/stream", Authorization=header),
        somebody.get(f"/matches/{match}", Authorization=header),
        somebody.get(f"/matches/{match}/events", Authorization=header),
        somebody.get(f"/matches/{match}/legal-moves", Authorization=header),
        somebody.post(f"/matches/{match}/moves", {"type": "resign"}, Authorization=header),
        somebody.post(f"/matches/{match}/commands", {"type": "leave"}, Authorization=header),
        somebody.post(f"/matches/{match}/seats/1", {"name": "X"}, Authorization=header),
        somebody.post("/matches", {"game": "tic_tac_toe", "seats": [{"kind": "me"}] * 2}, Authorization=header),
    ):
        assert_problem(answer, 401, "bad_token")
        assert answer.headers["WWW-Authenticate"] == 'Bearer realm="crumbtrail", error="invalid_token"'
        if len(header) > 20:
            assert header.removeprefix("Bearer ") not in answer.text


def test_a_missing_token_is_requested(app: Flask) -> None:
    answer = anonymous(app).get("/me")
    assert_problem(answer, 401, "no_token")
    assert answer.headers["WWW-Authenticate"] == 'Bearer realm="crumbtrail"'


def test_the_scheme_is_not_case_sensitive(app: Flask) -> None:
    ann = register(app)
    assert anonymous(app).get("/me", Authorization=f"bearer {ann.token}").json["player"]["id"] == ann.id
