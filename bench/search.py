"""The search: iterations per second of `strong` in each game.

Until commit 2501033, this benchmark also ran the tree before the work on speed. That tree has a different layout and
different names, so the two can't be compared any longer. Its figures are in docs/performance.md.
"""

import sys
from collections.abc import Iterator

from bench.measure import Row, in_turns
from bench.processes import PROJECT, REQUIREMENTS, turns

ROUNDS = 3
SCRIPT = REQUIREMENTS.with_name("search_rate.py")


def rows() -> Iterator[Row]:
    """Yield the rate of each game in which the search has a choice."""
    with turns([sys.executable, str(SCRIPT)], {"PYTHONPATH": str(PROJECT)}) as candidates:
        for slug in candidates["games"]():
            name = f"rate {slug}"
            yield Row(f"{slug}: search, iterations", in_turns({name: candidates[name]}, ROUNDS)[name], "/s")
