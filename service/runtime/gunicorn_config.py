"""The gunicorn configuration: `gunicorn --config python:service.runtime.gunicorn_config "service.wsgi:app()"`.

On SIGTERM, a process stops accepting connections, ends its live streams, finishes the requests in progress and exits.
Clients resume their streams with another process. Send SIGHUP to `crumbtrail web` or `crumbtrail up`, not to gunicorn:
gunicorn stops its processes before the new ones answer.

This module is loaded before gevent patches the standard library, so it must not import modules that open connections.
"""

import os
import shutil
import tempfile
from typing import Any

from gunicorn.errors import HaltServer  # type: ignore[import-untyped]
from gunicorn.glogging import Logger  # type: ignore[import-untyped]

from service.event_store.private_files import PRIVATE_UMASK
from service.runtime.logs import LogFormat, make_handler, set_up_logging
from service.runtime.start_report import report_ready

WORKERS = 2
GRACE_SECONDS = 6
"""Longer than any request and any idle connection, and shorter than the supervisor waits."""
WATCH_SECONDS = 0.1
METRICS_VARIABLE = "PROMETHEUS_MULTIPROC_DIR"

workers = WORKERS
worker_class = "gevent"
"""With gevent, a live stream costs a greenlet instead of a thread."""
worker_connections = 2000
graceful_timeout = GRACE_SECONDS
control_socket_disable = True
umask = PRIVATE_UMASK
loglevel = "warning"
limit_request_line = 8190
limit_request_field_size = 8190


class GunicornLogger(Logger):  # type: ignore[misc]
    """Writes gunicorn's log lines in our format."""

    def setup(self, cfg: Any) -> None:
        """Write to standard error in our format."""
        super().setup(cfg)
        form: LogFormat = "json" if os.environ.get("CRUMBTRAIL_LOG_FORMAT", "").strip() == "json" else "plain"
        set_up_logging("web", form)
        self.error_log.handlers = [make_handler("web", form)]


logger_class = GunicornLogger


def on_starting(server: Any) -> None:
    """Create the folder in which the processes share their counters, unless one was given.

    Sockets that were passed as descriptors outlive this gunicorn, so it must not delete their files when it stops.
    """
    stop_at_the_first_failed_start(server)
    server.systemd = server.systemd or all(isinstance(address, int) for address in server.cfg.address)
    if METRICS_VARIABLE not in os.environ:
        server.metrics = os.environ[METRICS_VARIABLE] = tempfile.mkdtemp(prefix="crumbtrail-metrics-")


def stop_at_the_first_failed_start(server: Any) -> None:
    """Let the first process that cannot start stop the others, and ignore their failures from then on.

    gunicorn 27 raises HaltServer for each of them. Raised while it stops, that would end it with a traceback, and
    `on_exit` would not run.
    """
    reap = server.reap_workers

    def reap_workers() -> None:
        try:
            reap()
        except HaltServer:
            is_stopping = not server.LISTENERS
            if not is_stopping:
                raise

    server.reap_workers = reap_workers


def on_exit(server: Any) -> None:
    """Delete the folder created by `on_starting`."""
    if hasattr(server, "metrics"):
        shutil.rmtree(server.metrics, ignore_errors=True)


def post_worker_init(worker: Any) -> None:
    """Report that this process can answer, and end its streams when it is stopping.

    The streams would otherwise keep it alive forever.
    """
    import gevent  # type: ignore[import-untyped]  # noqa: PLC0415 -- gevent is loaded only in workers

    live = worker.wsgi.extensions["crumbtrail"].streaming.matches

    def watch() -> None:
        while worker.alive:
            gevent.sleep(WATCH_SECONDS)
        live.close()

    gevent.spawn(watch)
    report_ready(worker.cfg.workers)
