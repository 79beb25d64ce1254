"""`crumbtrail up`: start all processes with one command."""

import socket
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast

import click
from redis import Redis

from domain.kernel.registry import skipped_games
from service.cli.listen import browser_url, is_free, listen_on
from service.cli.supervisor import Program, Stopped, Supervisor
from service.cli.web import web_program
from service.event_store.connect import connect
from service.event_store.durability import NotDurable, require_durability
from service.event_store.embedded import EmbeddedServer, EmbeddedServerFailed
from service.event_store.errors import LogUnavailable
from service.event_store.log_format import NewerLogFormat, require_known_format
from service.event_store.private_files import keep_new_files_private
from service.runtime.installed_games import skipped_line
from service.runtime.settings import from_environment

READY_SECONDS = 120
STEP_SECONDS = 0.2


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", type=int, help="Port to listen on.  [default: 8000, or a free port if 8000 is taken]")
@click.option(
    "--data", type=click.Path(path_type=Path), help="Data folder of the embedded log server.  [default: ./var]"
)
def up(host: str, port: int | None, data: Path | None) -> None:
    """Start Crumbtrail on this machine. Ctrl-C stops it.

    This starts the log server (if none is configured), web, dispatcher and workers, and restarts any that stop.

    SIGHUP replaces dispatcher, workers and web, one after another, with the code installed now. Requests are answered
    throughout.
    """
    supervisor = Supervisor(lambda line: click.echo(line, err=True))
    supervisor.install_signal_handlers()
    keep_new_files_private()
    for skipped in skipped_games():
        click.echo(f"{skipped_line(skipped)}. Run `crumbtrail doctor` for advice.", err=True)
    listener = open_listener(host, port)
    with TemporaryDirectory(prefix="crumbtrail-metrics-", ignore_cleanup_errors=True) as metrics, listener:
        try:
            run_programs(supervisor, listener, host, data, metrics)
        except Stopped:
            click.echo("\nStopping")
        except (LogUnavailable, NotDurable, NewerLogFormat, EmbeddedServerFailed) as error:
            raise click.ClickException(str(error)) from None
        finally:
            listener.close()  # refuses new connections from now on, instead of keeping them waiting
            supervisor.stop()
    click.echo("Stopped. Every confirmed move is saved.")


def run_programs(supervisor: Supervisor, listener: socket.socket, host: str, data: Path | None, metrics: str) -> None:
    """Start the programs in order and supervise them. All share the folder `metrics` for their counters.

    Raises Stopped when a stop is requested.
    """
    settings = from_environment()
    url = browser_url(host, listener.getsockname()[1])
    urls = {"CRUMBTRAIL_LOG_URL": settings.log_url, "CRUMBTRAIL_QUEUE_URL": settings.queue_url}
    if settings.log_url is None:
        server = EmbeddedServer(data or settings.data)
        server.prepare()
        supervisor.start(Program("log server", server.command(), serves_others=True))
        urls = {"CRUMBTRAIL_LOG_URL": server.url(0), "CRUMBTRAIL_QUEUE_URL": settings.queue_url or server.url(1)}
        server.wait(meanwhile=supervisor.raise_if_stopped)
    urls["CRUMBTRAIL_LOCAL_URL"] = url
    environment = {name: url for name, url in urls.items() if url}
    environment["PROMETHEUS_MULTIPROC_DIR"] = metrics
    environment["CRUMBTRAIL_API_URL"] = ""  # local workers use the log directly
    log = connect(environment["CRUMBTRAIL_LOG_URL"])
    require_durability(log, settings.allow_fast, settings.replicas, settings.log_servers)
    require_known_format(cast(Redis, log))  # the client of a cluster has the same methods
    for name, command in (
        ("dispatcher", [sys.executable, "-m", "workers.processes.dispatcher"]),
        ("bot worker", [sys.executable, "-m", "workers.processes.worker", "--queues", "bots"]),
        ("deadline worker", [sys.executable, "-m", "workers.processes.worker", "--queues", "deadlines"]),
        ("audit worker", [sys.executable, "-m", "workers.processes.worker", "--queues", "audits"]),
        ("mail worker", [sys.executable, "-m", "workers.processes.worker", "--queues", "mail"]),
        ("webhook worker", [sys.executable, "-m", "workers.processes.worker", "--queues", "webhooks"]),
    ):
        supervisor.start(Program(name, command, environment))
    supervisor.start(web_program([listener], environment))
    wait_until_ready(supervisor, url)
    click.echo(f"Crumbtrail is running at {url} (press Ctrl-C to stop)")
    supervisor.run()


def open_listener(host: str, port: int | None) -> socket.socket:
    """Listen on the requested port, else on 8000, else on a free one.

    Raises ClickException if the requested port is taken or this machine does not have the address.
    """
    try:
        if port:
            if not is_free(host, port):
                raise click.ClickException(f"Port {port} is taken. Choose another with --port.")
            return listen_on(host, port)
        return listen_on(host, 8000 if port is None and is_free(host, 8000) else 0)
    except OSError as error:
        raise click.ClickException(f"Cannot listen on {host}: {error}") from None


def wait_until_ready(supervisor: Supervisor, url: str) -> None:
    """Wait until the web processes are ready. Raises ClickException if they are not in time, and Stopped."""
    deadline = time.monotonic() + READY_SECONDS
    while time.monotonic() < deadline:
        supervisor.restart_dead()
        try:
            with urllib.request.urlopen(f"{url}/readyz", timeout=2):  # noqa: S310 -- our own address
                return
        except (urllib.error.URLError, OSError):
            time.sleep(STEP_SECONDS)
    raise click.ClickException(f"The web processes did not become ready at {url} within {READY_SECONDS} seconds.")
