"""Prometheus metrics. Several processes share them through the folder PROMETHEUS_MULTIPROC_DIR."""

import os
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple

from prometheus_client import REGISTRY, CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.metrics_core import Metric
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead
from prometheus_client.registry import Collector

MULTIPROC_DIR_VARIABLE = "PROMETHEUS_MULTIPROC_DIR"

MOVE_COUNTER = Counter("crumbtrail_moves_total", "Moves, accepted and refused.", ["game", "code"])
REQUEST_SECONDS = Histogram(
    "crumbtrail_request_seconds",
    "Seconds from a request to the start of its response.",
    ["method", "route", "status"],
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
)
OPEN_STREAMS = Gauge("crumbtrail_open_streams", "Open live streams.", multiprocess_mode="livesum")
OPEN_UPLOADS = Gauge("crumbtrail_open_uploads", "Files being uploaded or verified.", multiprocess_mode="livesum")


def count_move(game: str, outcome: str) -> None:
    """Count a move: `accepted`, or the code of its refusal."""
    _move_counter(game, outcome).inc()


@cache
def _move_counter(game: str, outcome: str) -> Counter:
    return MOVE_COUNTER.labels(game, outcome)


class Sample(NamedTuple):
    """A value read from shared storage, the same in every process."""

    name: str
    kind: Literal["counter", "gauge"]
    description: str
    value: float
    labels: dict[str, str] = {}  # noqa: RUF012 -- never changed


def render_samples(samples: Iterable[Sample]) -> bytes:
    """Return the samples in the Prometheus text format, grouped by name."""
    metrics: dict[str, Metric] = {}
    for sample in samples:
        name = sample.name.removesuffix("_total")
        metric = metrics.setdefault(name, Metric(name, sample.description, sample.kind))
        metric.add_sample(sample.name, sample.labels, sample.value)
    registry = CollectorRegistry()
    for metric in metrics.values():
        registry.register(SingleMetricCollector(metric))
    return generate_latest(registry)


class SingleMetricCollector(Collector):
    """A collector of one given metric."""

    def __init__(self, metric: Metric) -> None:
        self._metric = metric

    def collect(self) -> list[Metric]:
        """Return the metric."""
        return [self._metric]


def render_counters() -> bytes:
    """Return all metrics in the Prometheus text format, of this process or of all that share the folder."""
    if MULTIPROC_DIR_VARIABLE not in os.environ:
        return generate_latest(REGISTRY)
    registry = CollectorRegistry()
    MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    return generate_latest(registry)


def forget_dead_processes() -> None:
    """Remove the gauges of dead processes from the sum. Their counters stay in it."""
    folder = os.environ.get(MULTIPROC_DIR_VARIABLE)
    for file in Path(folder).glob("gauge_live*.db") if folder else ():
        found = re.search(r"_([0-9]+)\.db$", file.name)
        if found and not is_process_alive(int(found[1])):
            mark_process_dead(int(found[1]))  # type: ignore[no-untyped-call]


def is_process_alive(process: int) -> bool:
    """Return whether the process exists."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
