"""Limits: a client over the limit gets 429 and a time to retry; other clients are not affected."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from click.testing import CliRunner
from flask import Flask
from redis import Redis

from service.bootstrap import build_services
from service.cli.main import main
from service.event_store.embedded import EmbeddedServer
from service.runtime.rate_limits import (
    DEFAULT_LIMITS,
    REPORTS_PER_WINDOW,
    LimitExceeded,
    RateLimits,
    address_network,
    parse_rate_limits,
)
from service.runtime.settings import Settings, from_environment
from service.wsgi import create_app
from tests.service.api.builders import Person, anonymous, assert_problem, new_match, register
from tests.service.api.conftest import ManualClock

Limited = Callable[..., Flask]


@pytest.fixture
def limited(redis: Redis, server: EmbeddedServer, clock: ManualClock) -> Iterator[Limited]:
    """Return a function that creates an application with given limits; several act as processes of one service."""
    built = []

    def make(proxies: int = 0, **rates: int) -> Flask:
        built.append(build_services(Settings(log_url=server.url(), limits=RateLimits(**rates), proxies=proxies), clock))
        return create_app(built[-1])

    yield make
    for services in built:
        services.runtime.redis.close()


def create(person: Person, key: str | None = None) -> object:
    body = {"game": "tic_tac_toe", "seats": [{"kind": "me"}, {"kind": "open"}]}
    return person.post("/matches", body, **({"Idempotency_Key": key} if key else {}))


def project(app: Flask) -> None:
    """Bring the lists up to date, as the dispatcher does."""
    from workers.projection.projector import Projector

    services = app.extensions["crumbtrail"]
    Projector(services.log, services.read_models.writer, services.read_models.progress).catch_up()


# -- matches ------------------------------------------------------------------------------------------------------


def test_a_player_with_too_many_open_matches_cannot_create_another(limited: Limited) -> None:
    app = limited(open_matches=3)
    ann, bob = register(app, "Ann"), register(app, "Bob")
    made = [new_match(ann)["match"]["id"] for _ in range(3)]
    project(app)
    refused = assert_problem(create(ann), 429, "too_many_matches")  # type: ignore[arg-type]
    assert "3 unfinished matches" in refused["detail"]
    assert create(ann).headers["Retry-After"] == str(refused["retry_after"])  # type: ignore[attr-defined]
    new_match(bob)
    ann.post(f"/matches/{made[0]}/commands", {"type": "cancel"})
    project(app)
    new_match(ann)


def test_new_matches_are_limited_even_if_the_lists_lag(limited: Limited) -> None:
    app = limited(open_matches=500, new_matches=20)
    ann = register(app)
    answers = [create(ann).status_code for _ in range(30)]  # type: ignore[attr-defined]
    assert answers == [201] * 20 + [429] * 10


def test_a_repeated_request_is_answered_despite_the_limit(limited: Limited) -> None:
    app = limited(open_matches=1)
    ann = register(app)
    first = create(ann, "one")
    project(app)
    assert_problem(create(ann, "two"), 429, "too_many_matches")  # type: ignore[arg-type]
    assert create(ann, "one").json["match"]["id"] == first.json["match"]["id"]  # type: ignore[attr-defined]


def test_the_limit_ends_with_its_window(limited: Limited, clock: ManualClock) -> None:
    app = limited(new_matches=2)
    ann = register(app)
    assert [create(ann).status_code for _ in range(3)] == [201, 201, 429]  # type: ignore[attr-defined]
    refused = assert_problem(create(ann), 429, "too_many_requests")  # type: ignore[arg-type]
    clock.advance(refused["retry_after"])
    new_match(ann)


# -- registrations and requests -----------------------------------------------------------------------------------


def test_registrations_are_limited_per_address(limited: Limited) -> None:
    app = limited(registrations=2)
    register(app), register(app, "Bob")
    refused = assert_problem(anonymous(app).post("/players", {"name": "Eve"}), 429, "too_many_requests")
    assert "new players from your address" in refused["detail"]
    other = app.test_client().post("/api/v1/players", json={"name": "Zoe"}, environ_base={"REMOTE_ADDR": "203.0.113.9"})
    assert other.status_code == 201


def test_guests_on_pages_are_limited_too(limited: Limited) -> None:
    app = limited(registrations=1)
    register(app)
    ann = register(limited(), "Ann")
    match = new_match(ann)["match"]["id"]
    client = app.test_client()
    page = client.get(f"/matches/{match}").get_data(as_text=True)
    token = page.partition('name="csrf_token" value="')[2].partition('"')[0]
    key = page.partition('name="key" value="')[2].partition('"')[0]
    answer = client.post(f"/matches/{match}/seats/1", data={"csrf_token": token, "key": key})
    assert answer.status_code == 429, answer.get_data(as_text=True)[:500]
    assert int(answer.headers["Retry-After"]) > 0
    assert "new players from your address" in answer.get_data(as_text=True)


def test_requests_are_limited_per_player_across_tokens_and_processes(limited: Limited) -> None:
    one, two = limited(requests=6), limited(requests=6)
    ann, bob = register(one, "Ann"), register(one, "Bob")
    services = one.extensions["crumbtrail"]
    other_token = Person(two, services.accounts.players.new_token(ann.id, "read", "another"))
    found = [person.get("/me").status_code for person in (ann, other_token) * 5]
    assert found.count(200) == 6
    assert found[6:] == [429] * 4
    assert bob.get("/me").status_code == 200


def test_requests_are_limited_per_address_on_pages_and_api(limited: Limited, clock: ManualClock) -> None:
    app = limited(address_requests=3)
    client = app.test_client()
    assert [client.get(path).status_code for path in ("/", "/api/v1/games", "/nowhere")] == [200, 200, 404]
    page, answer, nothing = client.get("/"), client.get("/api/v1/games"), client.get("/api/v1/nowhere")
    assert [page.status_code, answer.status_code, nothing.status_code] == [429, 429, 429]
    assert client.get("/nowhere").status_code == 429
    assert answer.json["code"] == "too_many_requests"
    assert "<h1" in page.get_data(as_text=True)
    assert client.get("/healthz").status_code == 200, "health checks are not limited"
    assert client.get("/", environ_base={"REMOTE_ADDR": "203.0.113.9"}).status_code == 200
    clock.advance(60)
    assert client.get("/").status_code == 200


def test_only_a_trusted_proxy_determines_the_address(limited: Limited) -> None:
    behind, direct = limited(proxies=1, address_requests=1), limited(address_requests=1)
    for app, second in ((behind, 200), (direct, 429)):
        app.extensions["crumbtrail"].runtime.redis.flushall()
        client = app.test_client()
        assert client.get("/", headers={"X-Forwarded-For": "6.6.6.6, 198.51.100.1"}).status_code == 200
        assert client.get("/", headers={"X-Forwarded-For": "6.6.6.6, 198.51.100.2"}).status_code == second
        if app is behind:
            assert client.get("/", headers={"X-Forwarded-For": "7.7.7.7, 198.51.100.1"}).status_code == 429


def test_batched_counting_exceeds_the_limit_only_slightly(limited: Limited) -> None:
    apps = [limited(requests=200), limited(requests=200)]
    ann = register(apps[0])
    people = [Person(app, ann.token, checked=False) for app in apps]
    passed = sum(people[n % 2].get("/me").status_code == 200 for n in range(240))
    assert 200 <= passed <= 200 + len(apps) * 200 // REPORTS_PER_WINDOW


# -- settings -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("most", [20, 300])
def test_concurrent_requests_are_each_counted_once(limited: Limited, most: int) -> None:
    """As many concurrent requests are admitted as consecutive ones."""
    limits = limited(requests=most).extensions["crumbtrail"].runtime.rate_limiter

    def admitted(_: int) -> bool:
        try:
            limits.count_request_of("p_ann")
        except LimitExceeded:
            return False
        return True

    with ThreadPoolExecutor(8) as many:
        assert sum(many.map(admitted, range(2 * most))) == most


def test_limits_apply_unless_they_are_switched_off() -> None:
    assert from_environment({}).limits == DEFAULT_LIMITS
    assert from_environment({"CRUMBTRAIL_LIMITS": "off"}).limits == RateLimits()
    assert parse_rate_limits("open_matches=9 requests=0").open_matches == 9
    assert parse_rate_limits("open_matches=9 requests=0").registrations == DEFAULT_LIMITS.registrations


@pytest.mark.parametrize("text", ["many", "matches=3", "requests=-1", "requests=lots", "open_matches="])
def test_an_invalid_limits_setting_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="CRUMBTRAIL_LIMITS must be `off`"):
        parse_rate_limits(text)


@pytest.mark.parametrize("setting", [{"CRUMBTRAIL_LIMITS": "many"}, {"CRUMBTRAIL_PROXIES": "one"}])
def test_an_invalid_setting_is_reported_in_one_line(setting: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in setting.items():
        monkeypatch.setenv(name, value)
    result = CliRunner().invoke(main, ["web"])
    assert (result.exit_code, result.output.count("\n")) == (1, 1)
    assert next(iter(setting)) in result.output


def test_one_subscriber_counts_as_one_address() -> None:
    assert (
        address_network("2001:db8:1:2:3:4:5:6")
        == address_network("2001:db8:1:2::1")
        != address_network("2001:db8:1:3::1")
    )
    assert address_network("::ffff:192.0.2.1") == address_network("192.0.2.1")
    assert address_network("") == address_network("no address") == "unknown"
