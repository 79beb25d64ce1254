"""`crumbtrail doctor`: what is wrong with this installation, and what to do about it."""

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
"""Bytes that must be free on the disk of the log."""
MAX_CLOCK_SKEW = 2.0
"""Seconds by which clocks may differ."""
MAX_MEMORY_SHARE = 0.9
MAX_DISPATCHER_SILENCE = 15.0
"""Seconds for which a dispatcher that works is silent at most."""


class Finding(msgspec.Struct, frozen=True):
    """One thing looked at; `advice` says what to do where it is not well."""

    what: str
    well: bool
    found: str
    advice: str = ""


@click.command()
@click.option("--json", "as_json", is_flag=True, help="The findings as one JSON list.")
def doctor(as_json: bool) -> None:
    """Check this installation. Exit code 1 when something has to be done."""
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
    """Look at everything the service needs, in the order in which it needs it.

    What a setting that cannot be would have said is looked at as if it were not set.
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
        advice = "RQ does not run on a cluster: set CRUMBTRAIL_QUEUE_URL to a single server or to sentinels."
        yield Finding("queue", False, "none is named, and the log is a cluster", advice)
    yield check_mail(settings)
    yield check_proxies(settings)
    yield check_cookies(settings)


def faulty_names(faults: Sequence[str]) -> set[str]:
    """The names of the settings that these sentences are about."""
    return {fault.split(" ", 1)[0] for fault in faults}


def check_settings(faults: Sequence[str]) -> Iterator[Finding]:
    """What is wrong with the environment."""
    for fault in faults:
        name, _, words = fault.partition(" ")
        yield Finding(f"setting {name}", False, words)
    if not faults:
        yield Finding("settings", True, "each can be read")


def check_package(module: str) -> Finding:
    """Whether a package can be imported."""
    try:
        importlib.import_module(module)
    except ImportError as error:
        return Finding(module, False, str(error), "Run `make install` again.")
    return Finding(module, True, "importable")


def check_embedded_server() -> Finding:
    """Whether the embedded log server is there for this platform."""
    try:
        return Finding("embedded log server", True, str(server_binary()))
    except EmbeddedServerFailed as error:
        advice = "Set CRUMBTRAIL_LOG_URL to a Redis >= 6.2 or Valkey server with an append-only file."
        return Finding("embedded log server", False, str(error), advice)


def check_data_folder(data: Path) -> Finding:
    """Whether the data folder can be written, and has room."""
    nearest = next(path for path in (data.absolute(), *data.absolute().parents) if path.exists())
    if not nearest.is_dir() or not os.access(nearest, os.W_OK):
        advice = "Choose another with --data or CRUMBTRAIL_DATA."
        return Finding("data folder", False, f"{nearest} cannot be written", advice)
    free = shutil.disk_usage(nearest).free
    if free < MIN_FREE_BYTES:
        advice = "The log's server stops when its disk is full: make room, or choose another folder."
        return Finding("data folder", False, f"{free // 2**20} MiB are free on the disk of {nearest}", advice)
    return Finding("data folder", True, str(data.absolute()))


# -- the servers. Their URLs are not shown: they may hold passwords ------------------------------------------------


def check_log_server(settings: Settings, url: str) -> Iterator[Finding]:
    """Whether the log's server answers, keeps what it acknowledges, and is asked by accounts that are kept apart."""
    try:
        redis: Any = connect(url)
        MatchLog(redis).ping()
        found = durability.check_durability(redis, settings.replicas)
    except LogUnavailable as error:
        yield Finding("log", False, str(error), "Check CRUMBTRAIL_LOG_URL, and that the server runs and lets us in.")
        return
    if found.faults:
        yield Finding("log", False, f"settings at fault ({found.mode})", " ".join(found.faults))
    else:
        yield Finding("log", True, f"{', '.join(found.servers)}: {found.mode}")
    yield from check_clock(redis)
    yield from check_memory(redis)
    yield from check_dispatcher(redis)
    if settings.seed_url is not None:
        yield check_seed_account(redis, settings.seed_url)


def check_seed_account(log: Any, url: str) -> Finding:
    """Whether the account of the seeds may read them, and the log's own may not."""
    nobody = new_match_id()
    try:
        connect(url).get(seed_key(nobody))
    except (LogUnavailable, *REDIS_ERRORS) as error:
        found = f"its account cannot read seeds ({type(error).__name__})"
        return Finding("seeds", False, found, "Check CRUMBTRAIL_SEED_URL: `crumbtrail acl` makes the account.")
    try:
        log.get(seed_key(nobody))
    except NoPermissionError:
        return Finding("seeds", True, "one account reads them, and the log's own does not")
    advice = "Two accounts gain nothing so: give the log's the rights that `crumbtrail acl` lists."
    return Finding("seeds", False, "the account of CRUMBTRAIL_LOG_URL may read them as well", advice)


def check_clock(redis: Any) -> Iterator[Finding]:
    """Whether this machine and the log's server agree on the time; nothing where it does not tell."""
    try:
        told = redis.time()
    except REDIS_ERRORS:
        return
    seconds, micro = next(iter(told.values())) if isinstance(told, dict) else told
    apart = time.time() - seconds - micro / 1e6
    if abs(apart) > MAX_CLOCK_SKEW:
        advice = "Deadlines go by the clocks of the machines of web and workers: have all follow one time server."
        yield Finding("clock", False, f"this machine is {apart:+.0f} s from the log's server", advice)


def check_memory(redis: Any) -> Iterator[Finding]:
    """Whether the log's server has memory left for further matches, where it has a limit."""
    try:
        info = redis.info("memory")
    except REDIS_ERRORS:
        return
    nodes = info.values() if "used_memory" not in info else [info]
    fullest = max((n["used_memory"] / n["maxmemory"] for n in nodes if n.get("maxmemory")), default=0.0)
    if fullest > MAX_MEMORY_SHARE:
        advice = "At its limit it takes no moves: raise maxmemory."
        yield Finding("log's memory", False, f"{fullest:.0%} of maxmemory are used", advice)


def check_dispatcher(redis: Any) -> Iterator[Finding]:
    """Whether a dispatcher is at work; nothing in an installation that never ran."""
    try:
        beat = DispatcherHeartbeat(redis).last()
    except REDIS_ERRORS:
        return
    if beat is None:
        return
    silent = time.time() - beat.at
    if silent > MAX_DISPATCHER_SILENCE:
        advice = "Start `crumbtrail dispatcher`: until then lists stand still and bots do not move."
        yield Finding("dispatcher", False, f"silent for {silent:.0f} s", advice)
        return
    yield Finding("dispatcher", True, "at work")
    for queue, state in (beat.queues or {}).items():
        if state.jobs and not state.workers:
            advice = f"Start `crumbtrail worker --queues {queue}`."
            yield Finding(f"queue {queue}", False, f"{state.jobs} jobs wait, and no worker serves it", advice)


def check_queue_server(url: str) -> Iterator[Finding]:
    """Whether the queue's server answers and lets us work. It may lose everything, so it needs no settings."""
    try:
        redis: Any = connect(url)
        redis.ping()
        redis.exists("rq:queues")
    except NoPermissionError:
        advice = "Give its account the rights that `crumbtrail acl` lists."
        yield Finding("queue", False, "its account lacks a permission", advice)
    except (LogUnavailable, *REDIS_ERRORS) as error:
        why = "refused the user name or the password" if isinstance(error, AuthenticationError) else "no answer"
        advice = "Check CRUMBTRAIL_QUEUE_URL, and that the server runs and lets us in."
        yield Finding("queue", False, f"{why} ({type(error).__name__})", advice)
    else:
        yield Finding("queue", True, "answers")


def check_cookies(settings: Settings) -> Finding:
    """Whether browsers keep the session's cookie to https, where there is https."""
    if settings.public_url.startswith("https://") and not settings.secure_cookies:
        advice = "Leave CRUMBTRAIL_SECURE_COOKIES out: browsers then never send the session without TLS."
        return Finding("cookies", False, "sent without TLS as well, though the pages are at https://", advice)
    if settings.secure_cookies and settings.public_url.startswith("http://") and settings.public_url != PUBLIC_URL:
        advice = "Serve the pages at https://, or set CRUMBTRAIL_SECURE_COOKIES=0: nobody can stay signed in so."
        return Finding("cookies", False, "kept to TLS, but the pages are at http://", advice)
    return Finding("cookies", True, "kept to TLS" if settings.secure_cookies else "sent with and without TLS")


def check_proxies(settings: Settings) -> Finding:
    """Whether addresses are those of readers: limits go by them, and who may read /metrics."""
    if settings.public_url.startswith("https://") and not settings.proxies:
        advice = "Set CRUMBTRAIL_PROXIES=1, and let the proxy send X-Forwarded-For: else all readers share its address."
        return Finding("proxies", False, "none is to be believed, though one must serve https://", advice)
    return Finding(
        "proxies", True, f"{settings.proxies} to be believed; /metrics is for this machine{metrics_networks(settings)}"
    )


def metrics_networks(settings: Settings) -> str:
    """The networks that are named beside this machine."""
    return "".join(f", {network}" for network in settings.metrics_to)


def check_mail(settings: Settings) -> Finding:
    """Whether mail can be sent, and where its links lead. The server itself is not asked."""
    if settings.smtp_url is None:
        return Finding("mail", True, "switched off: set CRUMBTRAIL_SMTP_URL to smtp://user:password@host:587")
    here = settings.public_url == PUBLIC_URL
    advice = "Links in mails lead to this machine: set CRUMBTRAIL_PUBLIC_URL to where people reach it." if here else ""
    return Finding("mail", not here, f"switched on, links lead to {settings.public_url}", advice)


def check_api(url: str, token: str) -> Finding:
    """Whether the interface that a worker elsewhere asks is there and takes its token."""
    request = urllib.request.Request(f"{url.rstrip('/')}/api/v1/house", headers={"Authorization": f"Bearer {token}"})  # noqa: S310
    try:
        with urllib.request.urlopen(request, timeout=10):  # noqa: S310 -- the operator's own address
            return Finding("interface", True, "answers, and takes the token")
    except urllib.error.HTTPError as error:
        advice = "Set CRUMBTRAIL_BOT_TOKEN to one that `crumbtrail bot token new` has made beside the log."
        return Finding("interface", False, f"refuses us ({error.code})", advice)
    except (OSError, ValueError, HTTPException) as error:
        return Finding("interface", False, f"no answer ({type(error).__name__})", "Check CRUMBTRAIL_API_URL.")
