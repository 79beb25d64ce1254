"""`crumbtrail doctor`: find problems with this installation and say how to fix them."""

import importlib
import os
import shutil
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from http.client import HTTPException
from pathlib import Path
from typing import Any

import click
import msgspec
from redis.exceptions import AuthenticationError, NoPermissionError

from domain.kernel.registry import games
from service.event_store import durability
from service.event_store.connect import connect
from service.event_store.embedded import EmbeddedServerFailed, server_binary
from service.event_store.errors import REDIS_ERRORS, LogUnavailable
from service.event_store.keys import new_match_id, seed_key
from service.event_store.log import MatchLog
from service.runtime.heartbeat import DispatcherHeartbeat
from service.runtime.settings import PUBLIC_URL, Settings, from_environment, parse_environment, unknown_variables

MIN_FREE_BYTES = 256 * 2**20
"""Minimum free disk space for the log, in bytes."""
MAX_CLOCK_SKEW = 2.0
"""Maximum difference between clocks, in seconds."""
MAX_MEMORY_SHARE = 0.9
MAX_DISPATCHER_SILENCE = 15.0
"""Maximum time between heartbeats of a working dispatcher, in seconds."""


class Finding(msgspec.Struct, frozen=True):
    """The result of one check; `advice` says how to fix a fault."""

    what: str
    well: bool
    found: str
    advice: str = ""


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print the findings as one JSON list.")
def doctor(as_json: bool) -> None:
    """Check this installation. Prints how to fix each fault, and exits with 1 if there is any."""
    findings = list(examine(os.environ))
    if as_json:
        click.echo(msgspec.json.encode(findings).decode())
    else:
        for finding in findings:
            click.echo(f"{'ok   ' if finding.well else 'FAULT'} {finding.what}: {finding.found}")
            if finding.advice:
                click.echo(f"      {finding.advice}")
    raise SystemExit(0 if all(finding.well for finding in findings) else 1)


def examine(environment: Mapping[str, str]) -> Iterator[Finding]:
    """Yield the findings of all checks, starting with what the service needs first.

    Invalid settings are reported and then treated as unset.
    """
    yield Finding("Python", True, ".".join(map(str, sys.version_info[:3])))
    for module in ("flask", "flask_smorest", "gevent", "gunicorn", "marshmallow", "msgspec", "redis", "rq"):
        yield check_package(module)
    yield Finding("games", True, ", ".join(games()))
    _, faults = parse_environment(environment)
    yield from check_settings([*faults, *unknown_variables(environment)])
    settings = from_environment({name: text for name, text in environment.items() if name not in faulty_names(faults)})
    if settings.api_url is not None:
        yield check_api(settings.api_url, settings.bot_token or "")
    elif settings.log_url is None:
        yield check_embedded_server()
        yield check_data_folder(settings.data)
    else:
        yield from check_log_server(settings, settings.log_url)
    if settings.queue_url is not None:
        yield from check_queue_server(settings.queue_url)
    elif settings.log_url is not None:
        advice = "RQ does not support clusters. Set CRUMBTRAIL_QUEUE_URL to a single server or to sentinels."
        yield Finding("queue", False, "CRUMBTRAIL_QUEUE_URL is not set, and the log is a cluster", advice)
    yield check_mail(settings)
    yield check_proxies(settings)
    yield check_cookies(settings)


def faulty_names(faults: Sequence[str]) -> set[str]:
    """Return the names of the settings in these fault messages, which start with them."""
    return {fault.split(" ", 1)[0] for fault in faults}


def check_settings(faults: Sequence[str]) -> Iterator[Finding]:
    """Yield the faults of the settings, or one finding that all are valid."""
    for fault in faults:
        name, _, text = fault.partition(" ")
        yield Finding(f"setting {name}", False, text)
    if not faults:
        yield Finding("settings", True, "all valid")


def check_package(module: str) -> Finding:
    """Check that a package can be imported."""
    try:
        importlib.import_module(module)
    except ImportError as error:
        return Finding(module, False, str(error), "Run `make install` again.")
    return Finding(module, True, "importable")


def check_embedded_server() -> Finding:
    """Check that the embedded log server is available for this platform."""
    try:
        return Finding("embedded log server", True, str(server_binary()))
    except EmbeddedServerFailed as error:
        advice = "Set CRUMBTRAIL_LOG_URL to a Redis (6.2 or later) or Valkey server with an append-only file."
        return Finding("embedded log server", False, str(error), advice)


def check_data_folder(data: Path) -> Finding:
    """Check that the data folder is writable and has enough free space."""
    nearest = next(path for path in (data.absolute(), *data.absolute().parents) if path.exists())
    if not nearest.is_dir() or not os.access(nearest, os.W_OK):
        advice = "Choose another folder with --data or CRUMBTRAIL_DATA."
        return Finding("data folder", False, f"{nearest} is not writable", advice)
    free = shutil.disk_usage(nearest).free
    if free < MIN_FREE_BYTES:
        advice = "The log server stops when its disk is full. Free some space, or choose another folder."
        return Finding("data folder", False, f"only {free // 2**20} MiB are free on the disk of {nearest}", advice)
    return Finding("data folder", True, str(data.absolute()))


# -- the servers. Their URLs are not shown, since they may contain passwords -----------------------------------------


def check_log_server(settings: Settings, url: str) -> Iterator[Finding]:
    """Check that the log server answers and is durable, and that the seeds have a separate account."""
    try:
        redis: Any = connect(url)
        MatchLog(redis).ping()
        found = durability.check_durability(redis, settings.replicas)
    except LogUnavailable as error:
        yield Finding(
            "log",
            False,
            str(error),
            "Check CRUMBTRAIL_LOG_URL, and that the server is running and accepts the login.",
        )
        return
    if found.faults:
        yield Finding("log", False, f"wrong server settings ({found.mode})", " ".join(found.faults))
    else:
        yield Finding("log", True, f"{', '.join(found.servers)}: {found.mode}")
    yield from check_clock(redis)
    yield from check_memory(redis)
    yield from check_dispatcher(redis)
    if settings.seed_url is not None:
        yield check_seed_account(redis, settings.seed_url)


def check_seed_account(log: Any, url: str) -> Finding:
    """Check that the account of the seeds can read them, and that the log's account can't."""
    unused_match = new_match_id()
    try:
        connect(url).get(seed_key(unused_match))
    except (LogUnavailable, *REDIS_ERRORS) as error:
        found = f"their account can't read them ({type(error).__name__})"
        return Finding("seeds", False, found, "Check CRUMBTRAIL_SEED_URL. `crumbtrail acl` creates the account.")
    try:
        log.get(seed_key(unused_match))
    except NoPermissionError:
        return Finding("seeds", True, "only their own account can read them")
    advice = "This defeats the separate account. Give the log's account only the rights from `crumbtrail acl`."
    return Finding("seeds", False, "the account of CRUMBTRAIL_LOG_URL can read them as well", advice)


def check_clock(redis: Any) -> Iterator[Finding]:
    """Check that this machine and the log server agree on the time, if the server reports it."""
    try:
        answer = redis.time()
    except REDIS_ERRORS:
        return
    seconds, micro = next(iter(answer.values())) if isinstance(answer, dict) else answer
    skew = time.time() - seconds - micro / 1e6
    if abs(skew) > MAX_CLOCK_SKEW:
        advice = "Deadlines depend on the clocks of web and worker machines. Synchronise all clocks with NTP."
        yield Finding("clock", False, f"this machine differs by {skew:+.0f} s from the log server", advice)


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


def check_queue_server(url: str) -> Iterator[Finding]:
    """Check that the queue server answers and grants access. It may lose data, so its settings don't matter."""
    try:
        redis: Any = connect(url)
        redis.ping()
        redis.exists("rq:queues")
    except NoPermissionError:
        advice = "Give its account the rights from `crumbtrail acl`."
        yield Finding("queue", False, "its account lacks a permission", advice)
    except (LogUnavailable, *REDIS_ERRORS) as error:
        why = "rejected the user name or password" if isinstance(error, AuthenticationError) else "no answer"
        advice = "Check CRUMBTRAIL_QUEUE_URL, and that the server is running and accepts the login."
        yield Finding("queue", False, f"{why} ({type(error).__name__})", advice)
    else:
        yield Finding("queue", True, "answers")


def check_cookies(settings: Settings) -> Finding:
    """Check that the session cookie is restricted to https if, and only if, the pages are at https."""
    if settings.public_url.startswith("https://") and not settings.secure_cookies:
        advice = "Unset CRUMBTRAIL_SECURE_COOKIES, so that browsers never send the session cookie without TLS."
        return Finding("cookies", False, "also sent without TLS, although the pages are at https://", advice)
    if settings.secure_cookies and settings.public_url.startswith("http://") and settings.public_url != PUBLIC_URL:
        advice = "No one can stay signed in. Serve the pages at https://, or set CRUMBTRAIL_SECURE_COOKIES=0."
        return Finding("cookies", False, "restricted to TLS, but the pages are at http://", advice)
    return Finding("cookies", True, "restricted to TLS" if settings.secure_cookies else "sent with and without TLS")


def check_proxies(settings: Settings) -> Finding:
    """Check that client addresses are known behind a proxy, since limits and access to /metrics depend on them."""
    if settings.public_url.startswith("https://") and not settings.proxies:
        advice = (
            "Set CRUMBTRAIL_PROXIES=1 and have the proxy send X-Forwarded-For. Otherwise all users share its address."
        )
        return Finding("proxies", False, "none is trusted, although https:// requires one", advice)
    return Finding(
        "proxies", True, f"{settings.proxies} trusted; /metrics is open to this machine{metrics_networks(settings)}"
    )


def metrics_networks(settings: Settings) -> str:
    """Return the networks that can also read /metrics, as text."""
    return "".join(f", {network}" for network in settings.metrics_to)


def check_mail(settings: Settings) -> Finding:
    """Check that email is configured and its links lead to the public URL. Does not connect to the mail server."""
    if settings.smtp_url is None:
        return Finding("mail", True, "off; to enable it, set CRUMBTRAIL_SMTP_URL to smtp://user:password@host:587")
    here = settings.public_url == PUBLIC_URL
    advice = "Links in emails lead to this machine. Set CRUMBTRAIL_PUBLIC_URL to the public address." if here else ""
    return Finding("mail", not here, f"on; links lead to {settings.public_url}", advice)


def check_api(url: str, token: str) -> Finding:
    """Check that the API answers a remote worker and accepts its token."""
    request = urllib.request.Request(f"{url.rstrip('/')}/api/v1/house", headers={"Authorization": f"Bearer {token}"})  # noqa: S310
    try:
        with urllib.request.urlopen(request, timeout=10):  # noqa: S310 -- the operator's own address
            return Finding("interface", True, "answers and accepts the token")
    except urllib.error.HTTPError as error:
        advice = "Set CRUMBTRAIL_BOT_TOKEN to a token from `crumbtrail bot token new`, run where the log server is."
        return Finding("interface", False, f"refused the request ({error.code})", advice)
    except (OSError, ValueError, HTTPException) as error:
        return Finding("interface", False, f"no answer ({type(error).__name__})", "Check CRUMBTRAIL_API_URL.")
