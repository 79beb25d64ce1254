"""`crumbtrail doctor`: find problems with this installation and say how to fix them."""

import importlib
import os
import shutil
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from http.client import HTTPException
from pathlib import Path
from typing import Any

import click
import msgspec
from redis.exceptions import AuthenticationError, NoPermissionError

from domain.kernel.registry import games, skipped_games
from service.cli.doctor_finding import Finding
from service.cli.doctor_log_server import check_log_server
from service.cli.doctor_public_url import check_public_url
from service.event_store.connect import connect
from service.event_store.embedded import EmbeddedServer, EmbeddedServerFailed, server_binary
from service.event_store.errors import REDIS_ERRORS, LogUnavailable
from service.runtime.installed_games import SKIPPED_ADVICE
from service.runtime.settings import PUBLIC_URL, Settings, from_environment, parse_environment, unknown_variables

MIN_FREE_BYTES = 256 * 2**20
"""Minimum free disk space for the log, in bytes."""


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
    for skipped in skipped_games():
        yield Finding(f"game {skipped.module}", False, f"skipped: {skipped.as_text()}", SKIPPED_ADVICE)
    _, faults = parse_environment(environment)
    yield from check_settings([*faults, *unknown_variables(environment)])
    settings = from_environment({name: text for name, text in environment.items() if name not in faulty_names(faults)})
    if settings.api_url is not None:
        yield check_api(settings.api_url, settings.bot_token or "")
    elif settings.log_url is None:
        yield check_embedded_server()
        yield check_data_folder(settings.data)
        if (url := running_embedded_server(settings.data)) is not None:
            yield from check_log_server(settings, url)
    else:
        yield from check_log_server(settings, settings.log_url)
    if settings.queue_url is not None:
        yield from check_queue_server(settings.queue_url)
    elif settings.log_url is not None:
        advice = "RQ does not support clusters. Set CRUMBTRAIL_QUEUE_URL to a single server or to sentinels."
        yield Finding("queue", False, "CRUMBTRAIL_QUEUE_URL is not set, and the log is a cluster", advice)
    yield from check_public_url(settings)
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


def running_embedded_server(data: Path) -> str | None:
    """Return the URL of the embedded server that is running on a data folder, or None."""
    try:
        server = EmbeddedServer(data)
        return server.url() if server.running_pid() else None
    except (EmbeddedServerFailed, OSError):
        return None


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


def check_queue_server(url: str) -> Iterator[Finding]:
    """Check that the queue server answers and grants access. It may lose data, so its settings don't matter."""
    try:
        redis: Any = connect(url)
        redis.ping()
        redis.exists("rq:queues")
    except NoPermissionError:
        advice = "Give its account the permissions from `crumbtrail acl`."
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
