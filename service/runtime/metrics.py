"""Counters for Prometheus. With several processes they are added up in the folder PROMETHEUS_MULTIPROC_DIR."""

import os
import re
from collections.abc import Iterable
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
    "Seconds from a request to the head of its answer.",
    ["method", "route", "status"],
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
)
OPEN_STREAMS = Gauge("crumbtrail_open_streams", "Live streams that are open.", multiprocess_mode="livesum")
OPEN_UPLOADS = Gauge("crumbtrail_open_uploads", "Files that come in, or are verified.", multiprocess_mode="livesum")


class Sample(NamedTuple):
    """A value that was looked up elsewhere, so that every process tells the same."""

    name: str
    kind: Literal["counter", "gauge"]
    description: str
    value: float
    labels: dict[str, str] = {}  # noqa: RUF012 -- never changed


def render_samples(samples: Iterable[Sample]) -> bytes:
    """The samples as Prometheus reads them; those of one name stand together."""
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
    """A value that was looked up elsewhere."""

    def __init__(self, metric: Metric) -> None:
        self._metric = metric

    def collect(self) -> list[Metric]:
        """The value."""
        return [self._metric]


def render_counters() -> bytes:
    """All counters as Prometheus reads them: of this process, or of all that share the folder."""
    if MULTIPROC_DIR_VARIABLE not in os.environ:
        return generate_latest(REGISTRY)
    registry = CollectorRegistry()
    MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    return generate_latest(registry)


def forget_dead_processes() -> None:
    """Take the open streams of processes that have died out of the sum; their counters stay in it."""
    folder = os.environ.get(MULTIPROC_DIR_VARIABLE)
    for file in Path(folder).glob("gauge_live*.db") if folder else ():
        found = re.search(r"_([0-9]+)\.db$", file.name)
        if found and not is_process_alive(int(found[1])):
            mark_process_dead(int(found[1]))  # type: ignore[no-untyped-call]


def is_process_alive(process: int) -> bool:
    """Whether there is such a process."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
