"""General protections: response headers, sessions, redirects, and rate limits while Redis is down."""

import ast
from pathlib import Path

import pytest

from service.api.responses import API_HEADERS as INTERFACE_HEADERS
from service.bootstrap import build_services
from service.event_store.embedded import EmbeddedServer
from service.runtime.rate_limits import RateLimits
from service.runtime.settings import Settings
from service.web.security import PAGE_HEADERS
from service.wsgi import create_app
from tests.service.api.builders import PREFIX, PROBLEM
from tests.service.audience import API_REQUESTS, PAGE_REQUESTS, Audience, visitor_as
from tests.service.web.visitors import Visitor

WEB = Path(__file__).parents[2] / "service" / "web"
ROUTE_SPECIFIC_HEADERS = {
    "Referrer-Policy": {"no-referrer"},
    "Cache-Control": {"private, no-store", "no-store", "no-cache"},
}
"""Headers that pages with a secret address or content may set themselves."""


# -- headers ------------------------------------------------------------------------------------------------------


def test_every_page_and_form_error_has_the_security_headers(world: Audience) -> None:
    reader = visitor_as(world, "owner")
    token = reader.open("/name").form("/name").fields["csrf_token"]
    known = {**world.ids, "code": "x", "token": "0" * 12}
    for each in PAGE_REQUESTS:
        path = each.path.format(**known)
        for fields in ({}, {"csrf_token": token, **(each.body or {})}):
            answer = reader.client.open(path, method=each.method, data=fields if each.method == "POST" else None)
            assert_headers(answer.headers, PAGE_HEADERS, f"{each.method} {path} {answer.status_code}")


def test_every_api_response_has_its_own_headers(world: Audience) -> None:
    for each in API_REQUESTS:
        if "/stream" not in each.path:
            person = world.callers["owner"]
            answer = person.send(
                each.method, each.path.format(**world.ids), b"{}", {"Content-Type": "application/json"}
            )
            assert_headers(answer.headers, INTERFACE_HEADERS, each.path)
            assert "Set-Cookie" not in answer.headers
            assert "Access-Control-Allow-Origin" not in answer.headers


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/nothing", 404),
        ("DELETE", "/new", 405),
        ("POST", "/name", 400),
        ("POST", "/play", 400),
        ("GET", "/%00", 404),
    ],
)
def test_unknown_routes_have_the_headers_too(world: Audience, method: str, path: str, status: int) -> None:
    for prefix, headers in (("", PAGE_HEADERS), (PREFIX, INTERFACE_HEADERS)):
        answer = world.app.test_client().open(prefix + path, method=method)
        assert answer.status_code in (status, 404)
        assert_headers(answer.headers, headers, path)


def assert_headers(headers: object, expected: dict[str, str], what: str) -> None:
    """Check the headers, except those that a page may set itself, and that none names the server software."""
    for name, value in expected.items():
        found = headers.get(name)  # type: ignore[attr-defined]
        allowed = {value} | ROUTE_SPECIFIC_HEADERS.get(name, set())
        if name == "Cache-Control" and found and "immutable" in found:
            continue  # a file with its digest in its address
        assert found in allowed, f"{what}: {name} is {found}"
    assert "X-Powered-By" not in headers  # type: ignore[operator]


# -- sessions -----------------------------------------------------------------------------------------------------


def test_signing_in_starts_a_new_session(world: Audience) -> None:
    """Given a browser with a session planted by Eve, when Ann signs in, then Ann gets a new session."""
    eve = Visitor(world.app).named("Eve")
    planted = eve.client.get_cookie("crumbtrail")
    assert planted
    victim = Visitor(world.app)
    victim.client.set_cookie("crumbtrail", planted.value)
    before = victim.open("/name").form("/name").fields["csrf_token"]
    world.services.notifications.preferences.set_address(world.callers["owner"].id or "", "ann@example.org")
    path = sign_in_path(world, "ann@example.org")
    victim.send(victim.open(path).form(path))
    assert name_of(victim) == "Ann"
    assert victim.client.get_cookie("crumbtrail") != planted
    assert name_of(eve) == "Eve"
    thief = Visitor(world.app)
    thief.client.set_cookie("crumbtrail", planted.value)
    assert name_of(thief) == "Eve"
    form = victim.open("/name").form("/name")
    assert victim.post(form, csrf_token=before, name="Mallory").status_code == 400, (
        "the form token of the planted session is invalid"
    )


def sign_in_path(world: Audience, address: str) -> str:
    """Return the path of a magic link for this address."""
    world.services.accounts.magic_links.send(address, None)
    [due] = world.services.notifications.one_off_tasks.due(world.services.runtime.clock.now())
    return f"/sign-in/{world.services.accounts.magic_links.token_of(due.id)}"


def name_of(reader: Visitor) -> str:
    """Return the visitor's name."""
    return reader.open("/name").form("/name").fields["name"]


def test_signing_out_clears_the_session(world: Audience) -> None:
    reader = visitor_as(world, "owner")
    token = reader.open("/name").form("/name").fields["csrf_token"]
    assert reader.client.post("/sign-out", data={"csrf_token": token}).status_code == 303
    with reader.client.session_transaction() as session:
        assert "player" not in session


def test_the_api_ignores_cookies(world: Audience) -> None:
    """If it accepted them, a page of another site could make a browser send commands."""
    reader = visitor_as(world, "owner")
    for method, path in (("GET", "/me"), ("POST", "/matches"), ("POST", f"/matches/{world.ids['match']}/moves")):
        answer = reader.client.open(PREFIX + path, method=method, json={"type": "resign"} if method == "POST" else None)
        assert (answer.status_code, answer.mimetype) == (401, PROBLEM)


# -- redirects and header injection ------------------------------------------------------------------------------


def test_every_redirect_uses_url_for() -> None:
    """A redirect never leads to an address sent by a client."""
    calls = [
        (path.name, call.args[0], url_functions(tree))
        for path in WEB.rglob("*.py")
        for tree in [ast.parse(path.read_text())]
        for call in ast.walk(tree)
        if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "redirect"
    ]
    assert len(calls) > 15
    for name, argument, helpers in calls:
        target = argument.left if isinstance(argument, ast.BinOp) else argument  # url_for(...) + "#orders"
        assert is_call_of(target, {"url_for", *helpers}), name


def url_functions(module: ast.Module) -> set[str]:
    """Return the functions of a module that return nothing but what `url_for` returns."""
    returned = {
        function.name: [node.value for node in ast.walk(function) if isinstance(node, ast.Return)]
        for function in module.body
        if isinstance(function, ast.FunctionDef)
    }
    return {name for name, values in returned.items() if values and all(is_call_of(v, {"url_for"}) for v in values)}


def is_call_of(node: ast.AST | None, names: set[str]) -> bool:
    """Return whether this is a call of one of these functions."""
    return isinstance(node, ast.Call) and getattr(node.func, "id", "") in names


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "localhost@evil.example", "a\tb"])
def test_a_forged_host_appears_in_no_redirect(world: Audience, host: str) -> None:
    reader = visitor_as(world, "owner")
    token = reader.open("/name").form("/name").fields["csrf_token"]
    for path in ("/sign-out", "/account/notifications/address/remove"):
        answer = reader.client.post(path, data={"csrf_token": token}, headers={"Host": host, "X-Forwarded-Host": host})
        assert answer.status_code in (303, 400)
        where = answer.headers.get("Location", "/")
        assert where.startswith("/")
        assert not where.startswith("//")


@pytest.mark.parametrize(
    "query", ["next=//evil.example", "next=https://evil.example", "url=//evil.example", "return_to=//x"]
)
def test_a_query_cannot_redirect_elsewhere(world: Audience, query: str) -> None:
    reader = visitor_as(world, "owner")
    token = reader.open("/name").form("/name").fields["csrf_token"]
    answer = reader.client.post(f"/name?{query}", data={"csrf_token": token, "name": "Ann"})
    assert answer.headers["Location"] == "/"


@pytest.mark.parametrize(
    "name", ["a\r\nBcc: eve@example.org", "a\nb", "a\x85b", "a\u2028b", "a\x00b", "a\x0bb", "a\u202eb"]
)
def test_a_name_cannot_inject_a_header(world: Audience, name: str) -> None:
    """Names appear in email subjects, so line breaks and control characters are rejected."""
    person = world.callers["stranger"]
    assert person.post("/players", {"name": name}).status_code in (400, 422)
    reader = visitor_as(world, "owner")
    page = reader.send(reader.open("/name").form("/name"), name=name)
    assert page.status == 422
    assert name_of(reader) == "Ann"


@pytest.mark.parametrize(
    "url", ["https://x.example/\r\nX-Evil: 1", "https://x.example/\nHost: y", "https://x.example/\x00"]
)
def test_a_webhook_url_cannot_inject_a_header(world: Audience, url: str) -> None:
    person = world.callers["owner"]
    answer = person.send("PUT", "/me/notifications/webhook", repr(url).replace("'", '"').encode(), {})
    assert answer.status_code >= 400
    reader = visitor_as(world, "owner")
    form = next(form for form in reader.open("/account/notifications").forms("/webhook"))
    assert reader.send(form, url=url).status == 422


# -- limits -------------------------------------------------------------------------------------------------------


def test_rate_limits_hold_while_redis_is_down(own_server: EmbeddedServer) -> None:
    """Each process then counts alone, so a flood cannot lift the limits by bringing Redis down."""
    services = build_services(Settings(log_url=own_server.url(), limits=RateLimits(address_requests=5)))
    client = create_app(services).test_client()
    own_server.stop()
    found = [client.get(path).status_code for path in ("/", f"{PREFIX}/matches") * 4]
    assert found == [503] * 5 + [429] * 3
    assert client.get("/healthz").status_code == 200
    own_server.start()
    assert client.get("/").status_code == 429, "requests counted meanwhile still count"
    services.runtime.redis.close()


def test_limits_on_email_and_webhooks_cannot_be_switched_off(world: Audience) -> None:
    """They apply even with CRUMBTRAIL_LIMITS=off, as in these tests."""
    reader = visitor_as(world, "owner")
    token = reader.open("/name").form("/name").fields["csrf_token"]
    form = {"csrf_token": token, "address": "bob@example.org"}
    assert [reader.client.post("/sign-in", data=form).status_code for _ in range(6)] == [200] * 5 + [429]
    person = world.callers["owner"]
    person.send(
        "PUT", "/me/notifications/webhook", b'{"url":"https://example.org/"}', {"Content-Type": "application/json"}
    )
    assert [person.post("/me/notifications/webhook/test").status_code for _ in range(21)] == [202] * 20 + [429]
