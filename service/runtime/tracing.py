"""OpenTelemetry traces of requests, log accesses and jobs, sent by OTLP to a collector.

They are off unless CRUMBTRAIL_TRACES_TO names a collector, and need `pip install crumbtrail[otel]`. While they are off,
nothing is wrapped, and nothing is loaded beyond what redis-py imports by itself. Spans name routes, never paths,
queries, addresses, moves or error messages, like log lines.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

from service.runtime.invalid_setting import InvalidSetting
from service.runtime.logs import REQUEST_ID_HEADER

WsgiApp = Callable[[dict[str, Any], Any], Iterable[bytes]]

ROUTE_KEY = "crumbtrail.route"
"""WSGI environment key of the route that answered."""
SERVICE_NAME = "crumbtrail"
METHODS = frozenset({"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"})
LOG_METHODS = (
    *("append", "confirm_replicated", "feeds", "lines", "read_snapshot", "seed", "spans", "tail", "tails"),
    "write_snapshot",
)
"""The calls of `MatchLog` that get a span."""
WEB_TIMEOUT_SECONDS = 5.0
JOB_TIMEOUT_SECONDS = 1.0
"""A job's process ends when its spans are sent, so a collector that doesn't answer delays the next job by this much."""
FIRST_SERVER_ERROR = 500


class Tracing:
    """Makes spans in this process and sends them to a collector in the background."""

    def __init__(self, collector: str, process: str, timeout: float) -> None:
        try:
            from opentelemetry import propagate, trace  # noqa: PLC0415 -- an extra
            from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # noqa: PLC0415
            from opentelemetry.sdk.resources import Resource  # noqa: PLC0415
            from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415
            from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415
        except ImportError:
            raise InvalidSetting(
                "CRUMBTRAIL_TRACES_TO is set, but OpenTelemetry is not installed. "
                "Run `pip install 'crumbtrail[otel]'`, or unset CRUMBTRAIL_TRACES_TO."
            ) from None
        resource = Resource.create({"service.name": SERVICE_NAME, "crumbtrail.process": process})
        self._provider = TracerProvider(resource=resource)
        exporter = OTLPSpanExporter(endpoint=f"{collector}/v1/traces", timeout=timeout)
        self._provider.add_span_processor(BatchSpanProcessor(exporter))
        self._tracer = self._provider.get_tracer(SERVICE_NAME)
        self._extract = propagate.extract
        self._kinds = trace.SpanKind

    def flush(self) -> None:
        """Send the finished spans now."""
        self._provider.force_flush()

    def close(self) -> None:
        """Send the finished spans and stop."""
        self._provider.shutdown()

    @contextmanager
    def span(self, name: str, **attributes: str) -> Iterator[Any]:
        """Make a span of the block. It records only the type of an error."""
        with self._tracer.start_as_current_span(
            name, attributes=attributes, record_exception=False, set_status_on_exception=False
        ) as span:
            try:
                yield span
            except BaseException as error:
                span.set_attribute("error.type", type(error).__name__)
                raise

    def application(self, serve: WsgiApp, fast_route: str, trusts_headers: bool) -> WsgiApp:
        """Return the WSGI application with a span for each request, up to the start of its response.

        `fast_route` is the route of requests for which the application did not set ROUTE_KEY. With `trusts_headers`,
        a request continues the trace of the proxy in front (`traceparent`).
        """

        def traced(environ: dict[str, Any], start: Any) -> Iterable[bytes]:
            method = environ["REQUEST_METHOD"] if environ["REQUEST_METHOD"] in METHODS else "_OTHER"
            carrier = {"traceparent": environ["HTTP_TRACEPARENT"]} if "HTTP_TRACEPARENT" in environ else {}
            parent = self._extract(carrier) if trusts_headers else None
            with self._tracer.start_as_current_span(
                method, parent, self._kinds.SERVER, record_exception=False, set_status_on_exception=False
            ) as span:

                def begin(status: str, headers: list[tuple[str, str]], *rest: Any) -> Any:
                    route = environ.get(ROUTE_KEY, fast_route)
                    span.update_name(f"{method} {route}")
                    span.set_attributes(
                        {
                            "http.request.method": method,
                            "http.route": route,
                            "http.response.status_code": int(status[:3]),
                            "crumbtrail.request": dict(headers).get(REQUEST_ID_HEADER, ""),
                        }
                    )
                    if int(status[:3]) >= FIRST_SERVER_ERROR:
                        span.set_attribute("error.type", status[:3])
                    return start(status, headers, *rest)

                return serve(environ, begin)

        return traced

    def log_calls(self, log: Any) -> None:
        """Give each call of this `MatchLog` a span."""
        for name in LOG_METHODS:
            setattr(log, name, self._traced_call(f"log.{name}", getattr(log, name)))

    def _traced_call(self, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(call)
        def traced(*args: Any, **kwargs: Any) -> Any:
            with self.span(name):
                return call(*args, **kwargs)

        return traced


def make_tracing(collector: str | None, process: str, timeout: float = WEB_TIMEOUT_SECONDS) -> Tracing | None:
    """Return the tracing of this process, or None if it is off. `timeout` is for each try to send, in seconds.

    Raises InvalidSetting.
    """
    return Tracing(collector, process, timeout) if collector else None
