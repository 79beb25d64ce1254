"""What `crumbtrail doctor` checks about the log server. URLs are not shown, since they may contain passwords."""

import time
from collections.abc import Iterator
from typing import Any

from redis.exceptions import NoPermissionError

from service.cli.doctor_finding import Finding
from service.event_store.connect import connect, connect_seeds
from service.event_store.damaged_matches import damaged_matches
from service.event_store.errors import REDIS_ERRORS, LogUnavailable
from service.event_store.keys import new_match_id, seed_key
from service.event_store.log import MatchLog
from service.event_store.log_format import LOG_FORMAT, NewerLogFormat, require_known_format
from service.event_store.write_probe import WriteProbe
from service.runtime.clock import SystemClock
from service.runtime.durability_status import DurabilityStatus
from service.runtime.heartbeat import DispatcherHeartbeat
from service.runtime.readiness import ReadinessCheck
from service.runtime.settings import Settings

MAX_CLOCK_SKEW = 2.0
"""Maximum difference between clocks, in seconds."""
MAX_MEMORY_SHARE = 0.9
MAX_DISPATCHER_SILENCE = 15.0
"""Maximum time between heartbeats of a working dispatcher, in seconds."""


def check_log_server(settings: Settings, url: str) -> Iterator[Finding]:
    """Check that the log server answers, is durable and accepts moves, and that the seeds have a separate account."""
    advice = "Check CRUMBTRAIL_LOG_URL, and that the server is running and accepts the login."
    try:
        redis: Any = connect(url)
        log = MatchLog(redis, settings.replicas, connect_seeds(settings.seed_url))
        status = DurabilityStatus(redis, settings.replicas, settings.log_servers)
        found = ReadinessCheck(settings, SystemClock(), redis, log, status).check()
    except LogUnavailable as error:
        yield Finding("log", False, str(error), advice)
        return
    if found.durability is None:
        yield Finding("log", False, " ".join(found.faults), advice)
        return
    if found.settings_faults:
        yield Finding("log", False, f"wrong server settings ({found.durability})", " ".join(found.settings_faults))
    else:
        yield Finding("log", True, f"{', '.join(found.servers)}: {found.durability}")
    if found.problems:
        reasons = " ".join(problem.message for problem in found.problems)
        yield Finding("moves", False, f"none can be accepted ({found.reason}). {reasons}", found.advice)
    elif found.reason is None:
        yield Finding("moves", True, "a move could be accepted now")
    yield check_log_format(redis)
    yield from check_matches(redis)
    yield from check_clock(redis)
    yield from check_memory(redis)
    yield from check_dispatcher(redis)
    if settings.seed_url is not None:
        yield check_seed_account(redis, settings.seed_url)


def check_log_format(redis: Any) -> Finding:
    """Check that no newer release has written to the log."""
    try:
        return Finding("log format", True, f"{require_known_format(redis)}; this release reads up to {LOG_FORMAT}")
    except NewerLogFormat as error:
        return Finding("log format", False, f"{error.found}; this release reads up to {LOG_FORMAT}", str(error))
    except LogUnavailable as error:
        return Finding("log format", False, "it can't be read", str(error))


def check_matches(redis: Any) -> Iterator[Finding]:
    """Report the matches that were found damaged after a restart of the log server."""
    try:
        found = damaged_matches(redis)
    except LogUnavailable:
        return
    advice = "It accepts no moves. Restore it from a backup, then restart the log server, so that it is checked again."
    for match, what in found.items():
        yield Finding(f"match {match}", False, what, advice)


def check_seed_account(log: Any, url: str) -> Finding:
    """Check that the account of the seeds can read them, and that the log's account can't."""
    unused_match = new_match_id()
    try:
        connect(url, looks_for_restarts=False).get(seed_key(unused_match))
    except (LogUnavailable, *REDIS_ERRORS) as error:
        found = f"their account can't read them ({type(error).__name__})"
        return Finding("seeds", False, found, "Check CRUMBTRAIL_SEED_URL. `crumbtrail acl` creates the account.")
    try:
        log.get(seed_key(unused_match))
    except NoPermissionError:
        return Finding("seeds", True, "only their own account can read them")
    advice = "This defeats the separate account. Give the log's account only the permissions from `crumbtrail acl`."
    return Finding("seeds", False, "the account of CRUMBTRAIL_LOG_URL can read them as well", advice)


def check_clock(redis: Any) -> Iterator[Finding]:
    """Check that this machine and the log server agree on the time, if the server reports it."""
    try:
        skews = WriteProbe(redis).clock_skews()
    except LogUnavailable:
        return
    furthest = max(skews, key=lambda skew: abs(skew.seconds))
    if abs(furthest.seconds) > MAX_CLOCK_SKEW:
        found = f"this machine differs by {-furthest.seconds:+.0f} s from the log server"
        advice = "Deadlines depend on the clocks of web and worker machines. Synchronise all clocks with NTP."
        yield Finding("clock", False, f"{found} at {furthest.server}" if furthest.server else found, advice)


def check_memory(redis: Any) -> Iterator[Finding]:
    """Check that the log server has memory left, if it has a limit."""
    try:
        info = redis.info("memory")
    except REDIS_ERRORS:
        return
    nodes = info.values() if "used_memory" not in info else [info]
    fullest = max((n["used_memory"] / n["maxmemory"] for n in nodes if n.get("maxmemory")), default=0.0)
    if fullest > MAX_MEMORY_SHARE:
        advice = "At the limit, the server accepts no moves. Raise maxmemory."
        yield Finding("log's memory", False, f"{fullest:.0%} of maxmemory is used", advice)


def check_dispatcher(redis: Any) -> Iterator[Finding]:
    """Check the dispatcher and the queues, unless no dispatcher has ever run here."""
    try:
        beat = DispatcherHeartbeat(redis).last()
    except REDIS_ERRORS:
        return
    if beat is None:
        return
    silent = time.time() - beat.at
    if silent > MAX_DISPATCHER_SILENCE:
        advice = "Start `crumbtrail dispatcher`. Without it, lists are not updated and bots do not move."
        yield Finding("dispatcher", False, f"no heartbeat for {silent:.0f} s", advice)
        return
    yield Finding("dispatcher", True, "running")
    for queue, state in (beat.queues or {}).items():
        if state.jobs and not state.workers:
            advice = f"Start `crumbtrail worker --queues {queue}`."
            yield Finding(f"queue {queue}", False, f"no worker serves it; waiting jobs: {state.jobs}", advice)
