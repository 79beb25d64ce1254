"""Traces: what a collector on this machine receives, and that nothing is loaded or wrapped while they are off."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from redis import Redis

from service.bootstrap import build_services
from service.event_store.embedded import EmbeddedServer
from service.event_store.log import MatchLog
from service.runtime.invalid_setting import InvalidSetting
from service.runtime.settings import Settings
from service.runtime.tracing import LOG_METHODS, Tracing, make_tracing
from service.wsgi import create_app
from tests.service.api.builders import mark_cell, started_match
from tests.waiting import wait_until
from tests.workers.crew import ServiceProcesses, create_bots_match, wait_until_over

MOVES = "/api/v1/matches/<match>/moves"


class Collector:
    """An OpenTelemetry collector that stores the spans it receives, by OTLP over HTTP."""

    def __init__(self) -> None:
        self.spans: list[Any] = []
        self.processes: set[str] = set()
        self.raw: list[bytes] = []
        collector = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                collector.receive(self.path, body)
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, format: str, *args: object) -> None:
                """Log nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def receive(self, path: str, body: bytes) -> None:
        """Store the spans of one request."""
        assert path == "/v1/traces"
        self.raw.append(body)
        for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
            self.processes |= {a.value.string_value for a in resource.resource.attributes if a.key.endswith(".process")}
            self.spans += [span for scope in resource.scope_spans for span in scope.spans]

    def named(self, name: str) -> list[Any]:
        """Return the spans with this name."""
        return [span for span in self.spans if span.name == name]

    def close(self) -> None:
        """Stop receiving."""
        self._server.shutdown()
        self._server.server_close()


def attributes(span: Any) -> dict[str, Any]:
    """Return the attributes of a span."""
    return {a.key: a.value.string_value or a.value.int_value for a in span.attributes}


@pytest.fixture
def collector() -> Iterator[Collector]:
    """A collector on this machine."""
    collector = Collector()
    yield collector
    collector.close()


@pytest.fixture
def tracing(collector: Collector) -> Iterator[Tracing]:
    """Tracing to that collector."""
    tracing = make_tracing(collector.url, "web")
    assert tracing is not None
    yield tracing
    tracing.close()


@pytest.fixture
def traced(server: EmbeddedServer, redis: Redis, tracing: Tracing) -> Flask:
    """The application with traces."""
    return create_app(build_services(Settings(log_url=server.url())), tracing)


def test_a_move_is_a_span_with_its_log_accesses(traced: Flask, tracing: Tracing, collector: Collector) -> None:
    """Given a move, which skips Flask, then its span has route, status and request id, and the append is inside."""
    match, (ann, bob) = started_match(traced)
    answer = mark_cell(ann, match, 0)
    refused = mark_cell(bob, match, 0)
    assert (answer.status_code, refused.status_code) == (201, 422)
    tracing.flush()
    accepted, turned_down = collector.named(f"POST {MOVES}")
    assert attributes(accepted) == {
        "http.request.method": "POST",
        "http.route": MOVES,
        "http.response.status_code": 201,
        "crumbtrail.request": answer.headers["X-Request-Id"],
    }
    assert attributes(turned_down)["http.response.status_code"] == 422
    inside = [span.name for span in collector.spans if span.parent_span_id == accepted.span_id]
    assert "log.append" in inside
    assert collector.processes == {"web"}


def test_spans_contain_no_paths_tokens_or_moves(traced: Flask, tracing: Tracing, collector: Collector) -> None:
    match, (ann, _) = started_match(traced)
    mark_cell(ann, match, 0)
    traced.test_client().get("/join/secret-invitation?seed=hunter2")
    tracing.flush()
    sent = b"".join(collector.raw)
    assert collector.named("GET none") or collector.named("GET /join/<invitation>")
    for secret in (match, ann.token, "hunter2", "secret-invitation", "cell", "127.0.0.1"):
        assert secret is not None
        assert secret.encode() not in sent, secret


def test_a_failed_log_is_an_error_without_its_message(
    own_server: EmbeddedServer, tracing: Tracing, collector: Collector
) -> None:
    app = create_app(build_services(Settings(log_url=own_server.url())), tracing)
    match, (ann, _) = started_match(app)
    own_server.kill()
    assert mark_cell(ann, match, 0).status_code == 503
    tracing.flush()
    (failed,) = [span for span in collector.named(f"POST {MOVES}") if "error.type" in attributes(span)]
    assert attributes(failed)["error.type"] == "503"
    assert b"cannot be reached" not in b"".join(collector.raw)


@pytest.mark.parametrize(("proxies", "continued"), [(0, False), (1, True)])
def test_only_a_trusted_proxy_can_set_the_trace(
    server: EmbeddedServer, redis: Redis, tracing: Tracing, collector: Collector, proxies: int, continued: bool
) -> None:
    app = create_app(build_services(Settings(log_url=server.url(), proxies=proxies)), tracing)
    trace = "0af7651916cd43dd8448eb211c80319c"
    app.test_client().get("/healthz", headers={"traceparent": f"00-{trace}-b7ad6b7169203331-01"})
    tracing.flush()
    (span,) = collector.named("GET /healthz")
    assert (span.trace_id.hex() == trace) == continued


def test_invented_methods_do_not_become_names(traced: Flask, tracing: Tracing, collector: Collector) -> None:
    traced.test_client().open("/healthz", method="BREW")
    tracing.flush()
    assert {span.name.split()[0] for span in collector.spans} <= {"_OTHER"}


def test_a_collector_that_does_not_answer_disturbs_nobody(server: EmbeddedServer, redis: Redis) -> None:
    tracing = make_tracing("http://127.0.0.1:1", "web", 0.2)
    app = create_app(build_services(Settings(log_url=server.url())), tracing)
    match, (ann, _) = started_match(app)
    assert mark_cell(ann, match, 0).status_code == 201
    assert tracing is not None
    tracing.close()


def test_without_the_setting_nothing_is_wrapped_or_loaded(server: EmbeddedServer, redis: Redis) -> None:
    services = build_services(Settings(log_url=server.url()))
    app = create_app(services)
    assert "tracing" not in app.wsgi_app.__qualname__.lower()
    assert not set(LOG_METHODS) & set(vars(services.log))
    loaded = modules_after("service.wsgi, workers.processes.worker")
    assert {name for name in loaded if name.startswith("opentelemetry.exporter")} == set()
    assert not loaded & {"opentelemetry.sdk.trace", "requests"}


def test_while_traces_are_off_only_redis_py_loads_parts_of_opentelemetry() -> None:
    """Given an installed extra, then all parts that web and workers load are those that redis-py imports
    automatically."""
    ours = modules_after("service.wsgi, workers.processes.worker, workers.processes.dispatcher")
    by_redis = modules_after("redis, redis.cluster, redis.sentinel, redis.asyncio")
    assert {name for name in ours - by_redis if name.startswith("opentelemetry")} == set()
    assert OBSERVED not in run_python(f"import service.wsgi, workers.processes.worker\n{IS_OBSERVED}")


def test_web_and_workers_run_without_opentelemetry(server: EmbeddedServer, redis: Redis) -> None:
    """Given a machine without the extra, then a request and a worker's modules load nothing of OpenTelemetry."""
    block = "import sys; sys.modules['opentelemetry'] = None"
    program = f"""{block}
import workers.processes.worker, workers.processes.dispatcher
from service.bootstrap import build_services
from service.runtime.settings import Settings
from service.wsgi import create_app
app = create_app(build_services(Settings(log_url={server.url()!r})))
print(app.test_client().get("/readyz").status_code, [n for n in sys.modules if n.startswith("opentelemetry.")])"""
    assert run_python(program).splitlines()[-1] == "200 []"


OBSERVED = "redis-py reports to OpenTelemetry"
IS_OBSERVED = f"""
from redis.observability.providers import get_observability_instance
print({OBSERVED!r} if get_observability_instance().is_enabled() else "off")
"""


def modules_after(imports: str) -> set[str]:
    """Return the names of all modules that are loaded after these imports."""
    return set(json.loads(run_python(f"import {imports}, sys, json; print(json.dumps(sorted(sys.modules)))")))


def run_python(program: str) -> str:
    """Return what a program prints in a new process."""
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout


def test_every_traced_call_of_the_log_exists() -> None:
    assert [name for name in LOG_METHODS if not callable(getattr(MatchLog, name, None))] == []


def test_a_missing_package_is_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.trace", None)
    with pytest.raises(InvalidSetting, match=r"pip install 'crumbtrail\[otel\]'"):
        make_tracing("http://127.0.0.1:4318", "web")


@pytest.mark.full
def test_jobs_of_a_worker_are_spans_with_their_log_accesses(short_dir: Path, collector: Collector) -> None:
    """Given a match between bots, then each turn is a span, sent by the process of the job, and the match ends."""
    with EmbeddedServer(short_dir / "log") as log, EmbeddedServer(short_dir / "queue") as queue:
        crew = ServiceProcesses(log, queue, short_dir)
        servers = {"CRUMBTRAIL_LOG_URL": log.url(), "CRUMBTRAIL_QUEUE_URL": queue.url()}
        environment = {**os.environ, **servers, "CRUMBTRAIL_TRACES_TO": collector.url}
        try:
            crew.start("workers.processes.worker", "--queues", "bots", environment=environment)
            crew.dispatcher()
            match = create_bots_match(crew.services)
            wait_until_over(crew.services, [match])
            wait_until(lambda: len(collector.named("job play_bot")) >= 5, 60)
        finally:
            crew.kill_all()
    turn = collector.named("job play_bot")[0]
    assert "crumbtrail.job" in attributes(turn)
    inside = {span.name for span in collector.spans if span.trace_id == turn.trace_id}
    assert "log.append" in inside
    assert collector.processes == {"worker of bots"}
