"""The metrics: each figure changes when it should, and none identifies a match, a player or anything hidden."""

import dataclasses
import re
import time
from collections.abc import Callable

import pytest
from flask import Flask
from msgspec.structs import replace
from prometheus_client import REGISTRY
from prometheus_client.parser import text_string_to_metric_families
from redis import Redis

from service.api.app_setup import COUNTED_METHODS
from service.bootstrap import Services, build_services
from service.event_store.embedded import EmbeddedServer
from service.event_store.errors import NotReplicated
from service.runtime.heartbeat import DispatcherHeartbeat
from service.runtime.settings import Settings, parse_networks
from service.wsgi import create_app
from tests.service.api.builders import (
    OPEN_CAKE,
    assert_problem,
    finished_match,
    mark_cell,
    new_match,
    register,
    started_match,
)
from tests.service.api.conftest import ManualClock
from tests.service.web.visitors import two_player_match
from workers.jobs.queue import JobQueue
from workers.processes.dispatcher import Dispatcher
from workers.processes.reconciler import DISPATCH_GRACE

Figures = dict[tuple[str, tuple[tuple[str, str], ...]], float]


def figures(app: Flask) -> Figures:
    """Return all figures, by name and labels."""
    served = app.test_client().get("/metrics").get_data(as_text=True)
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(served)
        for sample in family.samples
    }


def figure(app: Flask, name: str, **labels: str) -> float:
    """Return one figure, or 0 if it is not served."""
    return figures(app).get((name, tuple(sorted(labels.items()))), 0.0)


def test_moves_are_counted_by_game_and_result(app: Flask) -> None:
    def moves(code: str) -> float:
        return figure(app, "crumbtrail_moves_total", game="tic_tac_toe", code=code)

    match, (ann, bob) = started_match(app)
    before = {code: moves(code) for code in ("accepted", "cell_taken", "not_your_turn", "stale_ply")}
    assert mark_cell(ann, match, 0).status_code == 201
    assert_problem(mark_cell(bob, match, 0), 422, "cell_taken")
    assert_problem(mark_cell(ann, match, 1), 409, "not_your_turn")
    assert_problem(mark_cell(bob, match, 1, If_Match='"1"'), 409, "stale_ply")
    assert {code: moves(code) - before[code] for code in before} == dict.fromkeys(before, 1)


def test_latencies_are_labelled_by_route(app: Flask) -> None:
    labels = {"method": "POST", "route": "/api/v1/matches/<match>/moves", "status": "201"}
    before = figure(app, "crumbtrail_request_seconds_count", **labels)
    match, (ann, _) = started_match(app)
    mark_cell(ann, match, 0)
    assert figure(app, "crumbtrail_request_seconds_count", **labels) == before + 1
    assert figure(app, "crumbtrail_request_seconds_sum", **labels) > 0


def test_values_invented_by_clients_do_not_become_labels(app: Flask) -> None:
    """Requests with invented methods, paths, games and moves add no series."""
    match, (ann, _) = started_match(app)

    def request(name: str) -> None:
        for path in (f"/{name}", f"/api/v1/{name}", f"/api/v1/matches/{match}/moves", f"/matches/{match}", "/metrics"):
            app.test_client().open(path, method=name)
        app.test_client().get(f"/new/{name}")
        app.test_client().get(f"/api/v1/games/{name}")
        ann.post(f"/matches/{match}/moves", {"type": name})

    def series() -> set[object]:
        served = {(name, labels) for name, labels in figures(app) if name.startswith("crumbtrail_")}
        return {each for each in served if ("route", "/metrics") not in each[1]}

    request("MADEUP")
    before = series()
    for n in range(30):
        request(f"M{n}")
    assert series() == before
    methods = {dict(labels).get("method") for _, labels in figures(app)} - {None}
    assert methods <= {*COUNTED_METHODS, "other"}
    assert "other" in methods


def test_only_operators_can_read_the_metrics(services: Services) -> None:
    """Metrics reveal activity such as standing orders, which other players must not know about."""

    def status_for(address: str, proxies: int = 0, **headers: str) -> int:
        settings = replace(
            services.runtime.settings, proxies=proxies, metrics_to=parse_networks("10.1.0.0/16 2001:db8::/64")
        )
        runtime = dataclasses.replace(services.runtime, settings=settings)
        client = create_app(dataclasses.replace(services, runtime=runtime)).test_client()
        answer = client.get("/metrics", headers=headers, environ_base={"REMOTE_ADDR": address})
        if answer.status_code == 403:
            assert (answer.json["code"], b"crumbtrail_" in answer.data) == ("operators_only", False)
        return answer.status_code

    assert [status_for(each) for each in ("127.0.0.1", "::1", "::ffff:127.0.0.1", "10.1.2.3", "2001:db8::7")] == [
        200
    ] * 5
    assert [status_for(each) for each in ("10.2.0.1", "203.0.113.9", "2001:db8:1::7", "")] == [403] * 4
    by_proxy = {"X-Forwarded-For": "203.0.113.9"}
    assert status_for("127.0.0.1", **by_proxy) == status_for("127.0.0.1", proxies=1, **by_proxy) == 403
    assert status_for("127.0.0.1", proxies=1, **{"X-Forwarded-For": "203.0.113.9, 10.1.2.3"}) == 200
    assert status_for("127.0.0.1", proxies=1) == 200, "Prometheus on the same machine does not use the proxy"


def test_appends_are_counted_and_the_lag_ends_when_the_lists_catch_up(
    app: Flask, clock: ManualClock, project: Callable[[], None]
) -> None:
    assert figure(app, "crumbtrail_appends_total") == 0
    match, (ann, _) = started_match(app)
    clock.advance(30)
    mark_cell(ann, match, 0)
    clock.advance(12)
    assert figure(app, "crumbtrail_appends_total") == 3
    assert figure(app, "crumbtrail_feed_lag") == 3
    assert figure(app, "crumbtrail_feed_lag_seconds") == 42, "the age of the oldest append"
    project()
    assert figure(app, "crumbtrail_feed_lag") == figure(app, "crumbtrail_feed_lag_seconds") == 0
    assert figure(app, "crumbtrail_appends_total") == 3


def test_a_failed_audit_an_open_dispute_and_a_failed_job(
    app: Flask, services: Services, project: Callable[[], None]
) -> None:
    match, (_, bob) = finished_match(app)
    assert figure(app, "crumbtrail_failed_audits") == 0
    services.read_models.verdicts.record(match, b"{}", failed=True)
    assert figure(app, "crumbtrail_failed_audits") == 1
    services.read_models.verdicts.record(match, b"{}")
    assert figure(app, "crumbtrail_failed_audits") == 0
    assert figure(app, "crumbtrail_failed_jobs_total", job="audit") == 0
    services.runtime.job_failures.record_failure("audit")
    assert figure(app, "crumbtrail_failed_jobs_total", job="audit") == 1
    assert (
        bob.post(f"/matches/{match}/disputes", {"ply": 6, "ground": "move", "claim": "It was my cell."}).status_code
        == 201
    )
    assert figure(app, "crumbtrail_disputed_matches") == 0, "the lists do not include it yet"
    project()
    assert figure(app, "crumbtrail_disputed_matches") == 1


def test_the_heartbeat_reports_dispatcher_and_queues(
    app: Flask,
    services: Services,
    server: EmbeddedServer,
    clock: ManualClock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Metrics show the age of a waiting job, and that its queue has no workers."""
    assert ("crumbtrail_dispatcher_silent_seconds", ()) not in figures(app)
    with Redis(unix_socket_path=str(server.socket_path), db=1) as queue:
        queue.flushdb()
        jobs = JobQueue(queue)
        dispatcher = Dispatcher(services, jobs)
        new_match(register(app), seats="bot bot")
        dispatcher._poll()
        clock.advance(10)
        dispatcher._reconcile(DISPATCH_GRACE)
        time.sleep(1.1)
        dispatcher._reconcile(DISPATCH_GRACE)
        served = figures(app)
        assert served["crumbtrail_queue_up", ()] == 1
        assert served["crumbtrail_queue_jobs", (("queue", "bots"),)] >= 1
        assert served["crumbtrail_queue_oldest_seconds", (("queue", "bots"),)] >= 1
        assert served["crumbtrail_queue_workers", (("queue", "bots"),)] == 0
        assert served["crumbtrail_queue_jobs", (("queue", "audits"),)] == 0
        assert served["crumbtrail_dispatcher_silent_seconds", ()] < 5
        queue.flushdb()
    true = time.time
    monkeypatch.setattr("service.api.health.time.time", lambda: true() + 100)
    assert figure(app, "crumbtrail_dispatcher_silent_seconds") >= 100
    DispatcherHeartbeat(services.runtime.redis).record(None)
    assert figure(app, "crumbtrail_queue_up") == 0


def test_a_write_without_confirmation_by_replicas(redis: Redis, server: EmbeddedServer) -> None:
    before = REGISTRY.get_sample_value("crumbtrail_wait_failures_total") or 0
    services = build_services(Settings(log_url=server.url(), replicas=1))
    app = create_app(services)
    with pytest.raises(NotReplicated):
        services.accounts.players.register("Ann")
    answer = app.test_client().post("/api/v1/players", json={"name": "Ann"})
    assert (answer.status_code, answer.json["code"]) == (503, "log_unavailable")
    assert answer.json["request"] == answer.headers["X-Request-Id"]
    assert REGISTRY.get_sample_value("crumbtrail_wait_failures_total") == before + 2
    assert figure(app, "crumbtrail_wait_failures_total") == before + 3, "reading the metrics also checks readiness"
    services.runtime.redis.close()


def test_counters_are_served_while_the_log_is_unavailable(own_server: EmbeddedServer) -> None:
    services = build_services(Settings(log_url=own_server.url()))
    app = create_app(services)
    assert figure(app, "crumbtrail_log_up") == 1
    own_server.stop()
    served = figures(app)
    assert served["crumbtrail_log_up", ()] == 0
    assert ("crumbtrail_feed_lag", ()) not in served
    assert any(name == "crumbtrail_request_seconds_count" for name, _ in served)


def test_no_label_contains_a_match_a_player_or_a_seed(app: Flask, services: Services) -> None:
    """Labels come from short lists, whatever clients send."""
    match, (ann, bob) = started_match(app)
    mark_cell(ann, match, 0)
    mark_cell(bob, match, 0)
    ann.get(f"/matches/{match}?as=7")
    for path in (f"/api/v1/nothing/{match}", f"/{match}", "/join/secret-word", f"/matches/{match}"):
        app.test_client().get(path)
    ann.post(f"/matches/{match}/moves", {"type": "x" * 40})
    served = app.test_client().get("/metrics").get_data(as_text=True)
    for hidden in (match, ann.id, bob.id, ann.token, bob.token, services.log.seed(match).hex(), "secret-word", "xxx"):
        assert hidden is not None
        assert hidden not in served
    labels = {name for name, pairs in figures(app) for name, _ in pairs}
    assert labels <= {"method", "route", "status", "game", "code", "le", "job", "queue", *LOG_SERVER, *LIBRARY}
    names = {name for name, _ in figures(app) if name.startswith("crumbtrail_")}
    page = (services.runtime.settings.data.cwd() / "docs" / "operations.md").read_text()
    for name in names:
        family = re.sub(r"_(bucket|count|sum|created)$", "", name)
        assert f"`{family}" in page, f"docs/operations.md does not explain {family}"


LOG_SERVER = ("server", "product", "version", "role")
LIBRARY = ("generation", "implementation", "major", "minor", "patchlevel", "version")
"""Labels of prometheus-client's own process metrics."""


def test_moves_on_pages_are_counted(app: Flask) -> None:
    def moves(code: str) -> float:
        return figure(app, "crumbtrail_moves_total", game="mice_cake", code=code)

    def all_moves() -> float:
        return sum(value for (name, _), value in figures(app).items() if name == "crumbtrail_moves_total")

    match, ann, _ = two_player_match(app, seed=OPEN_CAKE)
    form, accepted, counted = ann.open(f"/matches/{match}").form("/moves"), moves("accepted"), all_moves()
    assert ann.post(form, A="1", B="0").status_code == 422
    assert (moves("accepted"), all_moves()) == (accepted, counted + 1)
    assert ann.post(form, A="2", B="2").status_code == 303
    assert (moves("accepted"), all_moves()) == (accepted + 1, counted + 2)
