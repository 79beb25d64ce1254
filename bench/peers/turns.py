"""The other side of `bench.processes`: a script whose candidates wait for their turn.

It uses only the standard library, because it runs in an environment without our packages. Its first line of output
names the candidates. For each name on a line of input, it prints the result of that candidate's turn as JSON.
"""

import json
import sys
import time
from collections.abc import Callable, Mapping

SLICE_SECONDS = 0.5


def take_turns(candidates: Mapping[str, Callable[[], object]]) -> None:
    """Serve turns until standard input ends."""
    print(json.dumps(list(candidates)), flush=True)
    for line in sys.stdin:
        print(json.dumps(candidates[line.strip()]()), flush=True)


def per_second(work: Callable[[], int]) -> float:
    """Return how many units `work` does per second of processor time. It returns the number of units of one call."""
    done, start = 0, time.process_time()
    while (spent := time.process_time() - start) < SLICE_SECONDS:
        done += work()
    return done / spent
