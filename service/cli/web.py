"""`crumbtrail web`: run only the web processes, which serve pages and API."""

import os
import sys

import click

from service.cli.listen import browser_url, free_port
from service.runtime.settings import from_environment


def gunicorn_command(host: str, port: int) -> list[str]:
    """Return the gunicorn command, configured by `service.runtime.gunicorn_config`."""
    return [
        *(sys.executable, "-m", "gunicorn", "--config", "python:service.runtime.gunicorn_config", "service.wsgi:app()"),
        *("--bind", f"[{host}]:{port}" if ":" in host else f"{host}:{port}"),
    ]


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", default=8000, show_default=True, help="Port to listen on. 0 chooses a free port.")
def web(host: str, port: int) -> None:
    """Serve pages and API, without dispatcher and workers.

    Set CRUMBTRAIL_LOG_URL to the URL of the log server.

    SIGHUP restarts the processes without failing requests. A socket passed by systemd replaces host and port.
    """
    if from_environment().log_url is None:
        raise click.ClickException("No log is configured. Set CRUMBTRAIL_LOG_URL, or run `crumbtrail up`.")
    port = port or free_port(host)
    given = os.environ.get("LISTEN_PID") == str(os.getpid())
    click.echo(
        "Crumbtrail is running at the socket passed by systemd"
        if given
        else f"Crumbtrail is running at {browser_url(host, port)}"
    )
    command = gunicorn_command(host, port)
    os.execv(command[0], command)  # noqa: S606 -- our own command, without a shell
