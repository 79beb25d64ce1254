"""At the root: whether the process lives, whether it can serve, its counters and its public keys."""

from flask import Blueprint, Response
from prometheus_client import CONTENT_TYPE_LATEST

from service.api.edge import answer, services
from service.api.metrics import court_gauges, exposition, failure_counter
from service.api.problems import RETRY_SECONDS, Problem, refuse
from service.log.client import LogUnavailable
from service.log.errors import REDIS_ERRORS

health = Blueprint("health", __name__)
health.register_error_handler(Exception, refuse)


@health.get("/healthz")
def alive() -> Response:
    """The process lives, and this is what its log was last known to promise; nobody is asked."""
    last = services().footing.last
    return answer({"status": "alive", "durability": last.mode if last else "unknown"})


@health.get("/readyz")
def ready() -> Response:
    """The log can be reached and keeps what it acknowledges; 503 otherwise."""
    found = services().footing.ask()
    if found.mode == "durable" or (found.mode == "fast" and services().settings.allow_fast):
        return answer({"status": "ready", "durability": found.mode, "faults": found.faults, "servers": found.servers})
    raise Problem(
        503,
        "not_durable",
        "The log's server may lose moves that it acknowledges.",
        headers={"Retry-After": str(RETRY_SECONDS)},
        durability=found.mode,
        faults=found.faults,
    )


@health.get("/.well-known/crumbtrail-key")
def key() -> Response:
    """The public keys that sign this server's replay files, the present one first."""
    return answer(services().notary.published())


@health.get("/metrics")
def metrics() -> Response:
    """The counters of all processes, and what awaits an arbiter or an operator, for Prometheus."""
    return Response(exposition() + court() + failures(), content_type=CONTENT_TYPE_LATEST)


def court() -> bytes:
    """Open disputes and failed audits; nothing while the log is away, for the counters must be told even then."""
    projections = services().projections
    try:
        return court_gauges(len(projections.disputed()), len(projections.failed_audits()))
    except LogUnavailable:
        return b""


def failures() -> bytes:
    """Jobs that went wrong; nothing while the log is away."""
    try:
        return failure_counter(services().failures.totals())
    except REDIS_ERRORS:
        return b""
