"""`crumbtrail doctor`: what is wrong with this installation, and what to do about it."""

import importlib
import os
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from http.client import HTTPException
from pathlib import Path
from typing import cast

import click
import msgspec
from redis import Redis
from redis.exceptions import RedisError

from domain.registry import games
from service.log import durability
from service.log.client import LogUnavailable, connect
from service.log.embedded import EmbeddedServerFailed, server_binary
from service.settings import PUBLIC_URL, Settings, from_environment


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
    findings = list(examine(from_environment()))
    if as_json:
        click.echo(msgspec.json.encode(findings).decode())
    else:
        for finding in findings:
            click.echo(f"{'ok   ' if finding.well else 'FAULT'} {finding.what}: {finding.found}")
            if finding.advice:
                click.echo(f"      {finding.advice}")
    raise SystemExit(0 if all(finding.well for finding in findings) else 1)


def examine(settings: Settings) -> Iterator[Finding]:
    """Look at everything the service needs, in the order in which it needs it."""
    version = ".".join(map(str, sys.version_info[:3]))
    yield Finding(
        "Python", sys.version_info >= (3, 11), version, "" if sys.version_info >= (3, 11) else "Install 3.11+."
    )
    for module in ("flask", "flask_smorest", "gevent", "gunicorn", "marshmallow", "msgspec", "redis", "rq"):
        yield package(module)
    yield Finding("games", True, ", ".join(games()))
    if settings.api_url is not None:
        yield interface(settings.api_url, settings.bot_token or "")
    elif settings.log_url is None:
        yield embedded()
        yield folder(settings.data)
    else:
        yield reached("log", settings.log_url, log_advice)
    if settings.queue_url is not None:
        yield reached("queue", settings.queue_url, lambda redis: "")
    yield mail(settings)


def python() -> Finding:
    """Which Python this is; an older one than we need could not have come so far."""
    return Finding("Python", True, ".".join(map(str, sys.version_info[:3])))


def package(module: str) -> Finding:
    """Whether a package can be imported."""
    try:
        importlib.import_module(module)
    except ImportError as error:
        return Finding(module, False, str(error), "Run `make install` again.")
    return Finding(module, True, "importable")


def embedded() -> Finding:
    """Whether the embedded log server is there for this platform."""
    try:
        return Finding("embedded log server", True, str(server_binary()))
    except EmbeddedServerFailed as error:
        advice = "Set CRUMBTRAIL_LOG_URL to a Redis >= 6.2 or Valkey server with an append-only file."
        return Finding("embedded log server", False, str(error), advice)


def folder(data: Path) -> Finding:
    """Whether the data folder can be written."""
    nearest = next(path for path in (data.absolute(), *data.absolute().parents) if path.exists())
    if nearest.is_dir() and os.access(nearest, os.W_OK):
        return Finding("data folder", True, str(data.absolute()))
    return Finding(
        "data folder", False, f"{nearest} cannot be written", "Choose another with --data or CRUMBTRAIL_DATA."
    )


def reached(what: str, url: str, advise: Callable[[Redis], str]) -> Finding:
    """Whether a server answers with the settings that its task needs. The URL is not shown: it may hold a password."""
    try:
        redis = connect(url)
        redis.ping()
        advice = advise(cast(Redis, redis))  # the client of a cluster has the same methods
    except (LogUnavailable, RedisError, ValueError, OSError) as error:
        return Finding(what, False, f"no answer ({type(error).__name__})", "Check the URL and that the server runs.")
    return Finding(what, not advice, "settings at fault" if advice else "answers", advice)


def mail(settings: Settings) -> Finding:
    """Whether mail can be sent, and where its links lead. The server itself is not asked."""
    if settings.smtp_url is None:
        return Finding("mail", True, "switched off: set CRUMBTRAIL_SMTP_URL to smtp://user:password@host:587")
    here = settings.public_url == PUBLIC_URL
    advice = "Links in mails lead to this machine: set CRUMBTRAIL_PUBLIC_URL to where people reach it." if here else ""
    return Finding("mail", not here, f"switched on, links lead to {settings.public_url}", advice)


def interface(url: str, token: str) -> Finding:
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


def log_advice(redis: Redis) -> str:
    """What to change on the log's server, empty when all is well."""
    return " ".join(durability.check(redis).faults)
