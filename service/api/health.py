"""At the root: whether the process lives, whether it can serve, its counters and its public keys."""

import time
from collections.abc import Iterator
from datetime import datetime
from ipaddress import ip_address

import msgspec
from flask import Blueprint, Response, request
from prometheus_client import CONTENT_TYPE_LATEST

from service.api.problems import RETRY_SECONDS, Problem, error_response
from service.api.responses import json_response
from service.app_context import services
from service.bootstrap import Services
from service.event_store.durability import DURABLE_MODES
from service.event_store.errors import REDIS_ERRORS, LogUnavailable
from service.runtime.metrics import Sample, render_counters, render_samples
from service.runtime.settings import Settings

PROXY_HEADERS = ("Forwarded", "X-Forwarded-For", "X-Forwarded-Proto", "X-Real-IP", "Via")
"""Headers that proxies add."""

health = Blueprint("health", __name__)
health.register_error_handler(Exception, error_response)


@health.get("/healthz")
def alive() -> Response:
    """The process lives, and this is what its log was last known to promise; nobody is asked."""
    last = services().runtime.durability_status.last
    return json_response({"status": "alive", "durability": last.mode if last else "unknown"})


@health.get("/readyz")
def ready() -> Response:
    """The log can be reached and keeps what it acknowledges; 503 otherwise."""
    found = services().runtime.durability_status.refresh()
    if found.mode in DURABLE_MODES or (found.mode == "fast" and services().runtime.settings.allow_fast):
        return json_response(
            {"status": "ready", "durability": found.mode, "faults": found.faults, "servers": found.servers}
        )
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
    return json_response(services().disputes.signing_keys.public_keys())


@health.get("/metrics")
def metrics() -> Response:
    """The counters of all processes, and what stands in the log, for Prometheus. No match or player is named.

    What cannot be asked while the log is away is left out: the counters must be told even then. They are told to who
    looks after the service alone: on a quiet server they say what somebody has just done in secret, such as an order.
    """
    if not is_operator_address(request.remote_addr or "", services().runtime.settings):
        detail = "This is for who looks after the server: ask on its machine, or name yours in CRUMBTRAIL_METRICS_TO."
        raise Problem(403, "operators_only", detail)
    samples: list[Sample] = []
    reached = 1
    for look in (dispute_samples, job_failure_samples, feed_samples, dispatcher_samples):
        try:
            samples += look(services())
        except (LogUnavailable, *REDIS_ERRORS):
            reached = 0
    samples.append(Sample("crumbtrail_log_up", "gauge", "Whether the log's server answers: 1 or 0.", reached))
    return Response(render_counters() + render_samples(samples), content_type=CONTENT_TYPE_LATEST)


def is_operator_address(address: str, settings: Settings) -> bool:
    """Whether this address is one that may read the figures.

    What a proxy hands on that is not believed may come from anywhere, though the proxy stands on this machine.
    """
    if not settings.proxies and any(name in request.headers for name in PROXY_HEADERS):
        return False
    try:
        found = ip_address(address)
    except ValueError:
        return False
    found = getattr(found, "ipv4_mapped", None) or found
    return found.is_loopback or any(found in network for network in settings.metrics_to)


def dispute_samples(parts: Services) -> Iterator[Sample]:
    """What awaits an arbiter or an operator."""
    disputed, failed = (
        len(parts.read_models.work.disputed_matches()),
        len(parts.read_models.verdicts.failed_matches()),
    )
    what = "Matches with disputes that nobody has resolved yet."
    yield Sample("crumbtrail_disputed_matches", "gauge", what, disputed)
    what = "Matches whose last audit failed. More than none is an alarm."
    yield Sample("crumbtrail_failed_audits", "gauge", what, failed)


def job_failure_samples(parts: Services) -> Iterator[Sample]:
    """Jobs that went wrong, as the workers have counted them beside the log."""
    for job, times in parts.runtime.job_failures.totals().items():
        what = "Jobs of workers that went wrong."
        yield Sample("crumbtrail_failed_jobs_total", "counter", what, times, {"job": job})


def feed_samples(parts: Services) -> Iterator[Sample]:
    """How much was ever appended, and how far the lists are behind it."""
    reached = parts.read_models.progress.checkpoints()
    heads = parts.log.feed_heads()
    what = "Appends to all matches since the log began: moves of people and bots, and whatever else happened."
    yield Sample("crumbtrail_appends_total", "counter", what, sum(heads.values()))
    behind = {shard: head - reached[shard] for shard, head in heads.items() if head > reached[shard]}
    what = "Appends that the lists do not show yet."
    yield Sample("crumbtrail_feed_lag", "gauge", what, sum(behind.values()))
    what = "Since how many seconds the oldest of them waits."
    yield Sample("crumbtrail_feed_lag_seconds", "gauge", what, feed_lag_seconds(parts, {s: reached[s] for s in behind}))


def feed_lag_seconds(parts: Services, behind: dict[int, int]) -> float:
    """The age of the oldest append behind these positions."""
    next_ones = parts.log.feeds(behind, count=1)
    waiting = [parts.log.lines(item.match, item.first, item.first) for found in next_ones.values() for item in found]
    times = [msgspec.json.decode(lines[0], type=EventTime).at for lines in waiting if lines]
    return max(((parts.runtime.clock.now() - at).total_seconds() for at in times), default=0.0)


class EventTime(msgspec.Struct):
    """The one field of an event that is looked at here."""

    at: datetime


def dispatcher_samples(parts: Services) -> Iterator[Sample]:
    """How long the dispatcher has been silent, and how it has seen the queues last."""
    beat = parts.runtime.heartbeat.last()
    if beat is None:
        return
    silent = max(0.0, time.time() - beat.at)
    what = "Seconds since the dispatcher's last sign of life; it gives one every few seconds."
    yield Sample("crumbtrail_dispatcher_silent_seconds", "gauge", what, silent)
    what = "Whether the dispatcher has reached the queue's server: 1 or 0."
    yield Sample("crumbtrail_queue_up", "gauge", what, beat.queues is not None)
    for queue, state in (beat.queues or {}).items():
        for name, what, value in (
            ("jobs", "Jobs that wait.", state.jobs),
            ("oldest_seconds", "For how long the oldest of them has waited.", state.oldest),
            ("workers", "Workers that serve the queue.", state.workers),
        ):
            yield Sample(f"crumbtrail_queue_{name}", "gauge", what, value, {"queue": queue})
