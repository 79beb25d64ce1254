"""`crumbtrail web`: the pages and the interface, without anything else."""

import os
import sys

import click

from service.cli.listen import browser_url, free_port
from service.runtime.settings import from_environment


def gunicorn_command(host: str, port: int) -> list[str]:
    """The command that serves, as `service.runtime.gunicorn_config` says."""
    return [
        *(sys.executable, "-m", "gunicorn", "--config", "python:service.runtime.gunicorn_config", "service.wsgi:app()"),
        *("--bind", f"[{host}]:{port}" if ":" in host else f"{host}:{port}"),
    ]


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", default=8000, show_default=True, help="Port to listen on; 0 picks a free one.")
def web(host: str, port: int) -> None:
    """Serve pages and API; CRUMBTRAIL_LOG_URL names the log.

    SIGHUP renews the processes without a failed request. A socket that systemd holds takes the place of host and port.
    """
    if from_environment().log_url is None:
        raise click.ClickException("no log: set CRUMBTRAIL_LOG_URL, or run `crumbtrail up`")
    port = port or free_port(host)
    given = os.environ.get("LISTEN_PID") == str(os.getpid())
    click.echo(
        "Crumbtrail serves at the socket that it was given"
        if given
        else f"Crumbtrail serves at {browser_url(host, port)}"
    )
    command = gunicorn_command(host, port)
    os.execv(command[0], command)  # noqa: S606 -- our own command, without a shell
