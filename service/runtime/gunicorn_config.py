"""How gunicorn serves: `gunicorn --config python:service.runtime.gunicorn_config "service.wsgi:app()"`.

At SIGTERM, and at a reload (SIGHUP), a process takes no new connection, ends its live streams at once (whoever listens
comes back to another process and goes on where they were), finishes every request that it has taken, and leaves.

This is read before the standard library is patched for gevent, so nothing here may import what opens connections.
"""

import os
import shutil
import tempfile
from typing import Any

from gunicorn.glogging import Logger  # type: ignore[import-untyped]

from service.runtime.logs import LogFormat, make_handler, set_up_logging

WORKERS = 2
GRACE_SECONDS = 6
"""Longer than any request takes, and than an idle connection is kept; shorter than the supervisor waits."""
WATCH_SECONDS = 0.1
METRICS_VARIABLE = "PROMETHEUS_MULTIPROC_DIR"

workers = WORKERS
worker_class = "gevent"
"""A watcher of a live stream costs a greenlet, not a thread."""
worker_connections = 2000
graceful_timeout = GRACE_SECONDS
control_socket_disable = True
loglevel = "warning"
limit_request_line = 8190
limit_request_field_size = 8190


class GunicornLogger(Logger):  # type: ignore[misc]
    """gunicorn's own lines in the form of all others."""

    def setup(self, cfg: Any) -> None:
        """Write to standard error, as our own lines are."""
        super().setup(cfg)
        form: LogFormat = "json" if os.environ.get("CRUMBTRAIL_LOG_FORMAT", "").strip() == "json" else "plain"
        set_up_logging("web", form)
        self.error_log.handlers = [make_handler("web", form)]


logger_class = GunicornLogger


def on_starting(server: Any) -> None:
    """Make a folder in which the processes add up their counters, unless one was given."""
    if METRICS_VARIABLE not in os.environ:
        server.metrics = os.environ[METRICS_VARIABLE] = tempfile.mkdtemp(prefix="crumbtrail-metrics-")


def on_exit(server: Any) -> None:
    """Leave nothing behind."""
    if hasattr(server, "metrics"):
        shutil.rmtree(server.metrics, ignore_errors=True)


def post_worker_init(worker: Any) -> None:
    """End the streams of this process when it is to stop: they would hold it up for ever."""
    import gevent  # type: ignore[import-untyped]  # noqa: PLC0415 -- only in a worker, which has patched the standard library

    live = worker.wsgi.extensions["crumbtrail"].streaming.matches

    def watch() -> None:
        while worker.alive:
            gevent.sleep(WATCH_SECONDS)
        live.close()

    gevent.spawn(watch)
