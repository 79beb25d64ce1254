"""Hostile bodies, headers and paths for every route that writes are refused with an error and change nothing."""

from urllib.parse import quote

import pytest
from flask import Flask
from redis import Redis
from werkzeug.test import TestResponse

from tests.service.api.builders import PREFIX, PROBLEM
from tests.service.api.test_bad_input import BODIES
from tests.service.audience import API_REQUESTS, PAGE_REQUESTS, Audience, RequestCase, visitor_as

HUGE = b'{"x":"' + b"x" * 70_000 + b'"}'
KINDS = {
    "a form": "application/x-www-form-urlencoded",
    "text": "text/plain",
    "XML": "application/xml",
    "another charset": "text/plain; charset=utf-16",
    "broken multipart": "multipart/form-data",
    "nonsense": "a/b/c; ;;",
}
WITH_BODY = [each for each in API_REQUESTS if each.body is not None]
FORMS = [each for each in PAGE_REQUESTS if each.method == "POST" and each.path != "/sign-out"]


def send(world: Audience, request: RequestCase, raw: bytes, **headers: str) -> TestResponse:
    """Send a request with a caller who has permission, and return the response."""
    person = world.callers["house" if request.path.startswith("/house") else "owner"]
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    named = {"Content-Type": "application/json", "Authorization": f"Bearer {person.token}", **named}
    path = PREFIX + request.path.format(**world.ids)
    return world.app.test_client().open(path, method=request.method, headers=named, data=raw)


def assert_refused(answer: TestResponse, *statuses: int) -> None:
    """Check that this is an error response of the API."""
    assert answer.status_code in statuses, (answer.status_code, answer.text[:300])
    assert answer.mimetype == PROBLEM
    assert "Traceback" not in answer.text


def test_every_operation_with_a_body_is_attacked(lasting_app: Flask) -> None:
    paths = lasting_app.test_client().get(f"{PREFIX}/openapi.json").json["paths"]
    documented = {
        operation["operationId"]
        for operations in paths.values()
        for name, operation in operations.items()
        if name != "parameters" and "application/json" in operation.get("requestBody", {}).get("content", {})
    }
    urls = lasting_app.url_map.bind("localhost")
    known = {"match": "m", "over": "m", "open": "m", "sealed": "m", "dispute": 1, "player": "p", "slug": "s"}
    attacked = set()
    for each in WITH_BODY:
        rule, _ = urls.match(PREFIX + each.path.partition("?")[0].format(**known), each.method, return_rule=True)
        [path] = [path for path in paths if path.replace("{", "<").replace("}", ">") == rule.rule.replace("int:", "")]
        attacked.add(paths[path][each.method.lower()]["operationId"])
    assert attacked == documented


@pytest.mark.parametrize("request_", WITH_BODY, ids=lambda each: f"{each.method} {each.path}")
def test_a_hostile_body_is_refused_and_changes_nothing(world: Audience, redis: Redis, request_: RequestCase) -> None:
    before = {key: redis.dump(key) for key in redis.keys("*")}
    for raw in BODIES.values():
        assert_refused(send(world, request_, raw), 400)
    for raw in (b"[]", b'"x"', b"5", b"null", b'{"no such field":1}'):
        assert_refused(send(world, request_, raw), 422)
    assert_refused(send(world, request_, HUGE), 413)
    for kind in KINDS.values():
        assert_refused(send(world, request_, b'{"type":"resign"}', Content_Type=kind), 415)
    assert {key: redis.dump(key) for key in redis.keys("*")} == before


@pytest.mark.parametrize("name", ["Idempotency-Key", "If-Match", "Authorization"])
@pytest.mark.parametrize(
    "value", ["", "\x00", "\xff", "x" * 300, "a\tb", '"', 'W/"5"', "'; DROP TABLE", "${jndi:ldap://x}"]
)
def test_a_hostile_header_is_refused(world: Audience, name: str, value: str) -> None:
    move = next(each for each in WITH_BODY if each.path.endswith("/moves?as=0"))
    answer = send(world, move, b'{"type":"mark","cell":0}', **{name: value})
    if name == "Idempotency-Key" and value.isascii() and value.isprintable() and 0 < len(value) < 256:
        assert answer.status_code == 201
        return
    assert_refused(answer, 400, 401)
    assert len(value) < 5 or value not in answer.text


PATHS = [
    "/api/v1/../../etc/passwd", "/api/v1/%2e%2e/%2e%2e/etc/passwd", "/api/v1/matches/..%2f..%2fetc", "/api/v1//matches",
    "/api/v1/matches/%c0%ae%c0%ae/", "/api/v1/matches/%c0%af", "/api/v1/matches/%00",
    "/api/v1/matches/x%0d%0aSet-Cookie:%20a=b",
    "/api/v1/matches/" + "x" * 5000, "/api/v1/matches/%ed%a0%80", "/api/v1;/matches", "/api/v1/matches/%ff%fe",
    "/api/v1/matches/\u202e", "/api/v1/matches/00aaaaaaaaaaaaaaaa/seats/-1",
    "/api/v1/house/turns/x/99999999999999999999",
    "/api/v1/matches/00aaaaaaaaaaaaaaaa/disputes/1e5", "/API/V1/matches", "/api/v1/games/..", "/api/v1/players/*",
]  # fmt: skip
PAGE_PATHS = [
    "/../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/assets/0/../../wsgi.py", "/assets/0/..%2f..%2fwsgi.py",
    "/assets/0/%2e%2e/%2e%2e/wsgi.py", "/assets/0/%c0%ae%c0%ae/wsgi.py", "/assets/0//etc/passwd", "/assets/0/js",
    "/assets/0/templates/page.html", "/rules/..%2f..%2fwsgi", "/rules/%00", "/new/\u202e", "/players/%ed%a0%80",
    "/matches/%00", "/matches/x%0d%0aSet-Cookie:%20a=b", "//evil.example/", "/join/x/1/%ff", "/sign-in/%00",
    "/sign-in/" + "x" * 4000,
    "/unsubscribe/%c0%af/%00", "/leaderboard/%2e%2e", "/matches?cursor=%ff%00&game=%c0",
    "/matches?limit=99999999999999999999",
]  # fmt: skip


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_hostile_api_path_is_refused(world: Audience, path: str, method: str) -> None:
    answer = world.app.test_client().open(
        path, method=method, headers={"Authorization": f"Bearer {world.callers['owner'].token}"}
    )
    assert answer.status_code in (403, 404, 405), answer.status_code
    assert "Set-Cookie" not in answer.headers
    assert "root:" not in answer.text


@pytest.mark.parametrize("path", PAGE_PATHS)
def test_a_hostile_page_path_reveals_nothing(world: Audience, path: str) -> None:
    answer = world.app.test_client().get(path)
    assert answer.status_code in (200, 400, 404, 410), answer.status_code
    assert "Content-Security-Policy" in answer.headers
    assert "a=b" not in str(answer.headers)
    for secret in ("root:", "def create_app", "{% block"):
        assert secret not in answer.text


RAW_FORMS = {
    "not UTF-8": b"key=%ff%fe&seat=%ff&name=%c0%af&claim=%ff&game=%ff&word=%ff&address=%ff&url=%ff&move=%ff",
    "NUL": b"key=%00&seat=%00&name=%00&claim=%00&game=%00&scope=%00&label=%00&address=%00&url=%00&move=%00&what=%00",
    "surrogates": b"name=%ed%a0%80&claim=%ed%a0%80&label=%ed%a0%80&address=%ed%a0%80&client_seed=%ed%a0%80",
    "huge numbers": b"seat=" + b"9" * 400 + b"&ply=" + b"9" * 5000 + b"&days=-1&proposal=1e9&seconds=" + b"9" * 99,
    "other digits": "seat=٣&ply=٣&seconds=²&days=٣".encode(),
    "deep JSON": b"move=" + b"[" * 20_000 + b"&written=" + b'{"a":' * 9000,
    "NaN": b'move={"type":"mark","cell":NaN}&written={"type":"mark","cell":1e999}',
    "twice": b"seat=0&seat=1&key=a&key=b&do=resign&do=try&game=x&game=y",
    "many fields": b"&".join(b"f%d=1" % number for number in range(1200)),
    "semicolons": b"seat=0;key=1;name=x",
    "brackets": b"seat[]=0&seat[0]=1&key[$ne]=1&name[__proto__]=x",
    "nothing": b"",
}


@pytest.mark.parametrize("request_", FORMS, ids=lambda each: each.path)
def test_hostile_form_fields_are_refused(world: Audience, request_: RequestCase) -> None:
    reader = visitor_as(world, "owner")
    token = quote(reader.open("/name").form("/name").fields["csrf_token"]).encode()
    path = request_.path.format(**world.ids, code="x", token="0" * 12)
    match = world.services.matches.repository.load(world.ids["match"])
    for name, raw in RAW_FORMS.items():
        charset = "; charset=utf-16" if name == "not UTF-8" else ""
        body = b"csrf_token=" + token + b"&" + raw
        assert_page(reader.client.post(path, data=body, content_type=KINDS["a form"] + charset))
    for kind in (
        "application/json",
        "text/plain",
        "multipart/form-data",
        "multipart/form-data; boundary=x",
        "nonsense",
    ):
        assert assert_page(reader.client.post(path, data=b'--x\r\n{"seat":0}', content_type=kind)).status_code in (
            400,
            404,
        )
    large = b"csrf_token=" + token + b"&name=" + b"x" * 70_000
    assert assert_page(reader.client.post(path, data=large, content_type=KINDS["a form"])).status_code in (
        413,
        400,
        404,
    )
    assert world.services.matches.repository.load(world.ids["match"]).ply == match.ply


def assert_page(answer: TestResponse) -> TestResponse:
    """Check that the response is a page without internal details, and return it."""
    assert answer.status_code < 500, (answer.status_code, answer.text[:2000])
    assert "Traceback" not in answer.text
    assert "Content-Security-Policy" in answer.headers
    return answer
