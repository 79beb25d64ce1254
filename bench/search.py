"""The search: iterations a second of `strong` in each game.

Up to commit 2501033 the tree before the work on speed ran next to this one; it has another layout and other names, so
that the two can no longer be asked the same questions. Its figures stay in docs/performance.md.
"""

import sys
from collections.abc import Iterator

from bench.measure import Row, in_turns
from bench.processes import PROJECT, REQUIREMENTS, turns

ROUNDS = 3
SCRIPT = REQUIREMENTS.with_name("search_rate.py")


def rows() -> Iterator[Row]:
    """The rate of each game in which the search has something to think about."""
    with turns([sys.executable, str(SCRIPT)], {"PYTHONPATH": str(PROJECT)}) as candidates:
        for slug in candidates["games"]():
            name = f"rate {slug}"
            yield Row(f"{slug}: search, iterations", in_turns({name: candidates[name]}, ROUNDS)[name], "/s")
