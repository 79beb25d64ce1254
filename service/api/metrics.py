"""Counters for Prometheus. With several processes they are added up in the folder PROMETHEUS_MULTIPROC_DIR."""

from prometheus_client import Counter, Gauge, Histogram

MOVES = Counter("crumbtrail_moves_total", "Moves, accepted and refused.", ["game", "code"])
LATENCY = Histogram(
    "crumbtrail_request_seconds",
    "Seconds from a request to the head of its answer.",
    ["method", "route", "status"],
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
)
STREAMS = Gauge("crumbtrail_open_streams", "Live streams that are open.", multiprocess_mode="livesum")
