"""`crumbtrail web`: run only the web processes, which serve pages and API."""

import os
import socket
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from tempfile import TemporaryDirectory

import click

from service.cli.listen import browser_url, listen_on, sockets_from_systemd
from service.cli.supervisor import Program, Stopped, Supervisor
from service.runtime.gunicorn_config import METRICS_VARIABLE
from service.runtime.settings import from_environment


def gunicorn_command(host: str, port: int) -> list[str]:
    """Return the gunicorn command for an address, configured by `service.runtime.gunicorn_config`."""
    return gunicorn_command_for(f"[{host}]:{port}" if ":" in host else f"{host}:{port}")


def gunicorn_command_for(*addresses: str) -> list[str]:
    """Return the gunicorn command for addresses in gunicorn's notation."""
    return [
        *(sys.executable, "-m", "gunicorn", "--config", "python:service.runtime.gunicorn_config", "service.wsgi:app()"),
        *(word for address in addresses for word in ("--bind", address)),
    ]


def web_program(listeners: Sequence[socket.socket], environment: dict[str, str]) -> Program:
    """Return the program that serves pages and API on these sockets.

    All its generations share the sockets, so a renewal refuses no connection.
    """
    descriptors = [listener.fileno() for listener in listeners]
    return Program(
        "web", gunicorn_command_for(*(f"fd://{each}" for each in descriptors)), environment, sockets=descriptors
    )


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", default=8000, show_default=True, help="Port to listen on. 0 chooses a free port.")
def web(host: str, port: int) -> None:
    """Serve pages and API, without dispatcher and workers.

    Set CRUMBTRAIL_LOG_URL to the URL of the log server.

    SIGHUP replaces the processes without a pause. A socket passed by systemd replaces host and port.
    """
    if from_environment().log_url is None:
        raise click.ClickException("No log is configured. Set CRUMBTRAIL_LOG_URL, or run `crumbtrail up`.")
    supervisor = Supervisor(lambda line: click.echo(line, err=True))
    supervisor.install_signal_handlers()
    with ExitStack() as stack:
        if not (metrics := os.environ.get(METRICS_VARIABLE)):
            folder = TemporaryDirectory(prefix="crumbtrail-metrics-", ignore_cleanup_errors=True)
            metrics = stack.enter_context(folder)
        listeners = sockets_from_systemd()
        where = "the socket passed by systemd"
        if not listeners:
            listeners = [open_listener(host, port)]
            where = browser_url(host, listeners[0].getsockname()[1])
        try:
            start(supervisor, web_program(listeners, {METRICS_VARIABLE: metrics}))
            click.echo(f"Crumbtrail is running at {where}")
            supervisor.run()
        except Stopped:
            for listener in listeners:
                listener.close()  # refuses new connections from now on, instead of keeping them waiting
        finally:
            supervisor.stop()


def open_listener(host: str, port: int) -> socket.socket:
    """Return a listening socket. Raises ClickException."""
    try:
        return listen_on(host, port)
    except OSError as error:
        raise click.ClickException(f"Cannot listen on {host}, port {port}: {error.strerror}.") from None


def start(supervisor: Supervisor, program: Program) -> None:
    """Start the web processes and wait until all are ready. Raises Stopped, or SystemExit if they end before that."""
    running = supervisor.start(program)
    while not running.was_ready:
        supervisor.raise_if_stopped()
        code = running.child.exit_code()
        if code is not None:
            raise SystemExit(code if code > 0 else 1)
        running.was_ready = running.child.is_ready()
        supervisor.pause()
