"""`crumbtrail up`: start all processes with one command."""

import os
import signal
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from service.cli.listen import browser_url, free_port, is_free
from service.cli.supervisor import Program, Stopped, Supervisor
from service.cli.web import gunicorn_command
from service.event_store.connect import connect
from service.event_store.durability import NotDurable, require_durability
from service.event_store.embedded import EmbeddedServer, EmbeddedServerFailed
from service.event_store.errors import LogUnavailable
from service.runtime.settings import from_environment

READY_SECONDS = 60
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

    SIGHUP restarts web, dispatcher and workers with the code installed now, without failing requests.
    """
    supervisor = Supervisor(lambda line: click.echo(line, err=True))
    supervisor.install_signal_handlers()
    with TemporaryDirectory(prefix="crumbtrail-metrics-", ignore_cleanup_errors=True) as metrics:
        try:
            run_programs(supervisor, host, port, data, metrics)
        except Stopped:
            click.echo("\nStopping")
        except (LogUnavailable, NotDurable, EmbeddedServerFailed) as error:
            raise click.ClickException(str(error)) from None
        finally:
            supervisor.stop()
    click.echo("Stopped. Every confirmed move is saved.")


def run_programs(supervisor: Supervisor, host: str, port: int | None, data: Path | None, metrics: str) -> None:
    """Start the programs in order and supervise them. All share the folder `metrics` for their counters.

    Raises Stopped when a stop is requested.
    """
    settings = from_environment()
    port = choose_port(host, port)
    urls = {"CRUMBTRAIL_LOG_URL": settings.log_url, "CRUMBTRAIL_QUEUE_URL": settings.queue_url}
    if settings.log_url is None:
        server = EmbeddedServer(data or settings.data)
        server.prepare()
        supervisor.start(Program("log server", server.command(), serves_others=True))
        urls = {"CRUMBTRAIL_LOG_URL": server.url(0), "CRUMBTRAIL_QUEUE_URL": settings.queue_url or server.url(1)}
        server.wait(meanwhile=supervisor.raise_if_stopped)
    urls["CRUMBTRAIL_PUBLIC_URL"] = os.environ.get("CRUMBTRAIL_PUBLIC_URL") or browser_url(host, port)
    environment = {name: url for name, url in urls.items() if url}
    environment["PROMETHEUS_MULTIPROC_DIR"] = metrics
    environment["CRUMBTRAIL_API_URL"] = ""  # local workers use the log directly
    require_durability(connect(environment["CRUMBTRAIL_LOG_URL"]), settings.allow_fast, settings.replicas)
    for name, command in (
        ("dispatcher", [sys.executable, "-m", "workers.processes.dispatcher"]),
        ("bot worker", [sys.executable, "-m", "workers.processes.worker", "--queues", "bots"]),
        ("deadline worker", [sys.executable, "-m", "workers.processes.worker", "--queues", "deadlines"]),
        ("audit worker", [sys.executable, "-m", "workers.processes.worker", "--queues", "audits"]),
        ("mail worker", [sys.executable, "-m", "workers.processes.worker", "--queues", "mail"]),
        ("webhook worker", [sys.executable, "-m", "workers.processes.worker", "--queues", "webhooks"]),
    ):
        supervisor.start(Program(name, command, environment))
    supervisor.start(Program("web", gunicorn_command(host, port), environment, reload=signal.SIGHUP))
    wait_until_ready(supervisor, browser_url(host, port))
    click.echo(f"Crumbtrail is running at {browser_url(host, port)} (press Ctrl-C to stop)")
    while True:
        supervisor.restart_dead()
        time.sleep(STEP_SECONDS)


def choose_port(host: str, port: int | None) -> int:
    """Return the requested port, else 8000, else a free one. Raises ClickException if the requested one is taken."""
    try:
        if port:
            if not is_free(host, port):
                raise click.ClickException(f"Port {port} is taken. Choose another with --port.")
            return port
        return 8000 if port is None and is_free(host, 8000) else free_port(host)
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
