"""Endpoints at the root: liveness, readiness, metrics and public keys."""

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
from service.event_store.errors import REDIS_ERRORS, LogUnavailable
from service.runtime.log_metrics import disk_samples, readiness_samples
from service.runtime.metrics import Sample, render_counters, render_samples
from service.runtime.readiness import Readiness
from service.runtime.settings import Settings

PROXY_HEADERS = ("Forwarded", "X-Forwarded-For", "X-Forwarded-Proto", "X-Real-IP", "Via")
"""Headers that proxies add."""

health = Blueprint("health", __name__)
health.register_error_handler(Exception, error_response)


@health.get("/healthz")
def alive() -> Response:
    """Report that the process is alive, and the last known durability of the log, without asking its server."""
    last = services().runtime.durability_status.last
    return json_response({"status": "alive", "durability": last.mode if last else "unknown"})


@health.get("/readyz")
def ready() -> Response:
    """Report whether a move could be accepted now, as found at most a second ago; 503 with the reason if not."""
    found = services().runtime.readiness.current()
    if found.reason is None:
        return json_response(
            {"status": "ready", "durability": found.durability, "faults": found.faults, "servers": found.servers}
        )
    raise Problem(
        503,
        unready_code(found),
        found.advice,
        headers={"Retry-After": str(RETRY_SECONDS)},
        cause=" ".join((f"{found.reason}:", *found.faults)),
        reason=found.reason,
        durability=found.durability or "unknown",
        faults=found.faults,
        retry_after=RETRY_SECONDS,
    )


def unready_code(found: Readiness) -> str:
    """Return the code of the problem document. Its `reason` is more precise."""
    if found.durability is not None and not found.is_durable:
        return "not_durable"
    return "clock_wrong" if found.reason == "clock" else "log_unavailable"


@health.get("/.well-known/crumbtrail-key")
def key() -> Response:
    """Return the public keys that sign this server's replay files, the current one first."""
    return json_response(services().disputes.signing_keys.public_keys())


@health.get("/metrics")
def metrics() -> Response:
    """Return the counters of all processes and figures from the log, for Prometheus, without naming matches or players.

    While the log is unavailable, its figures are left out, except its free disk and why no move can be accepted. Only
    operators may read them: on a quiet server they reveal secret actions, such as giving standing orders.
    """
    if not is_operator_address(request.remote_addr or "", services().runtime.settings):
        detail = (
            "Only operators can read the metrics. Send the request from the server itself, "
            "or add your network to CRUMBTRAIL_METRICS_TO."
        )
        raise Problem(403, "operators_only", detail)
    samples = [*readiness_samples(services().runtime.readiness.current())]
    servers = services().runtime.log_metrics.samples()
    samples += servers.samples
    reached = int(servers.all_answered)
    for look in (dispute_samples, job_failure_samples, feed_samples, dispatcher_samples):
        try:
            samples += look(services())
        except (LogUnavailable, *REDIS_ERRORS):
            reached = 0
    samples += disk_samples(services().runtime.readiness.disk)
    samples.append(Sample("crumbtrail_log_up", "gauge", "Whether the log server answers: 1 or 0.", reached))
    return Response(render_counters() + render_samples(samples), content_type=CONTENT_TYPE_LATEST)


def is_operator_address(address: str, settings: Settings) -> bool:
    """Return whether this address may read the metrics.

    A request forwarded by an untrusted proxy may come from anywhere, even if the proxy runs on this machine.
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
    """Yield how many matches need an arbiter or an operator."""
    disputed, failed = (
        len(parts.read_models.work.disputed_matches()),
        len(parts.read_models.verdicts.failed_matches()),
    )
    help_text = "Matches with unresolved disputes."
    yield Sample("crumbtrail_disputed_matches", "gauge", help_text, disputed)
    help_text = "Matches whose last audit failed. Alert when this is not 0."
    yield Sample("crumbtrail_failed_audits", "gauge", help_text, failed)


def job_failure_samples(parts: Services) -> Iterator[Sample]:
    """Yield the numbers of failed jobs. Workers store these counts next to the log."""
    for job, times in parts.runtime.job_failures.totals().items():
        help_text = "Jobs of workers that failed."
        yield Sample("crumbtrail_failed_jobs_total", "counter", help_text, times, {"job": job})


def feed_samples(parts: Services) -> Iterator[Sample]:
    """Yield the total number of appends, and how far the lists lag."""
    reached = parts.read_models.progress.checkpoints()
    heads = parts.log.feed_heads()
    help_text = "Appends to all matches since the log was created, by people, bots and the server."
    yield Sample("crumbtrail_appends_total", "counter", help_text, sum(heads.values()))
    behind = {shard: head - reached[shard] for shard, head in heads.items() if head > reached[shard]}
    help_text = "Appends that the lists do not include yet."
    yield Sample("crumbtrail_feed_lag", "gauge", help_text, sum(behind.values()))
    help_text = "Age in seconds of the oldest append that the lists do not include yet."
    yield Sample(
        "crumbtrail_feed_lag_seconds", "gauge", help_text, feed_lag_seconds(parts, {s: reached[s] for s in behind})
    )


def feed_lag_seconds(parts: Services, behind: dict[int, int]) -> float:
    """Return the age in seconds of the oldest append after these positions."""
    next_ones = parts.log.feeds(behind, count=1)
    waiting = [parts.log.lines(item.match, item.first, item.first) for found in next_ones.values() for item in found]
    times = [msgspec.json.decode(lines[0], type=EventTime).at for lines in waiting if lines]
    return max(((parts.runtime.clock.now() - at).total_seconds() for at in times), default=0.0)


class EventTime(msgspec.Struct):
    """The time of an event."""

    at: datetime


def dispatcher_samples(parts: Services) -> Iterator[Sample]:
    """Yield the time since the dispatcher's last heartbeat, and the state of the queues it reported."""
    beat = parts.runtime.heartbeat.last()
    if beat is None:
        return
    silent = max(0.0, time.time() - beat.at)
    help_text = "Seconds since the dispatcher's last heartbeat, which it sends every few seconds."
    yield Sample("crumbtrail_dispatcher_silent_seconds", "gauge", help_text, silent)
    help_text = "Whether the dispatcher can reach the queue server: 1 or 0."
    yield Sample("crumbtrail_queue_up", "gauge", help_text, beat.queues is not None)
    for queue, state in (beat.queues or {}).items():
        for name, help_text, value in (
            ("jobs", "Waiting jobs.", state.jobs),
            ("oldest_seconds", "Seconds that the oldest job has waited.", state.oldest),
            ("workers", "Workers that serve the queue.", state.workers),
        ):
            yield Sample(f"crumbtrail_queue_{name}", "gauge", help_text, value, {"queue": queue})
