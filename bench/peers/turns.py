"""The other side of `bench.processes`: a script whose candidates wait for their turn.

Standard library alone, since it runs beside other packages than ours. The first line out names the candidates; then
for each name on a line in, what its turn gave, as JSON.
"""

import json
import sys
import time
from collections.abc import Callable, Mapping

SLICE_SECONDS = 0.5


def take_turns(candidates: Mapping[str, Callable[[], object]]) -> None:
    """Serve turns until nobody asks any more."""
    print(json.dumps(list(candidates)), flush=True)
    for line in sys.stdin:
        print(json.dumps(candidates[line.strip()]()), flush=True)


def per_second(work: Callable[[], int]) -> float:
    """How many units `work` does in a second of processor time; it returns how many one call did."""
    done, start = 0, time.process_time()
    while (spent := time.process_time() - start) < SLICE_SECONDS:
        done += work()
    return done / spent
