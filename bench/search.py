"""The search: iterations a second of `strong`, now and before the work on speed began, and the same moves chosen."""

import shutil
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from bench.measure import Row, at_least, in_turns, ratio
from bench.processes import PROJECT, REQUIREMENTS, Turns, Unavailable, tree_of, turns

BEFORE = "9c8ebab"
"""The commit before the work on speed began."""
PLAYS_OTHERWISE = (
    "domain/kernel/values.py",
    *(
        f"domain/games/mice_cake/{name}"
        for name in ("ahead.py", "drawing.py", "rounds.py", "strategy.py", "weights.py", "worths.py", "worths.txt")
    ),
)
"""What weighs the moves of a game that plays better since then. The tree before is given these files of today, so that
both have the same thoughts, and rules, folding and search are what differs."""
ROUNDS = 3


def rows() -> Iterator[Row]:
    """For each game the rate of this tree, that of the tree before, and whether both choose the same moves."""
    with ExitStack() as stack:
        now = stack.enter_context(searching(PROJECT))
        before: Turns = {}
        missing = ""
        try:
            tree = stack.enter_context(tree_of(BEFORE))
            for name in PLAYS_OTHERWISE:
                shutil.copy(PROJECT / name, tree / name)
            before = stack.enter_context(searching(tree))
        except Unavailable as error:
            missing = str(error)
        for slug in now["games"]():
            yield from game_rows(slug, now, before, missing)


@contextmanager
def searching(tree: Path) -> Iterator[Turns]:
    """The searches of a tree of this project. Raises Unavailable."""
    script = str(REQUIREMENTS.with_name("search_rate.py"))
    with turns([sys.executable, script], {"PYTHONPATH": str(tree)}) as candidates:
        yield candidates


def game_rows(slug: str, now: Turns, before: Turns, missing: str) -> Iterator[Row]:
    """One game, beside the tree before."""
    if not before:
        figures = in_turns({"now": now[f"rate {slug}"]}, ROUNDS)
        yield Row(f"{slug}: search, iterations", figures["now"], "/s")
        yield Row(f"{slug}: the same : at {BEFORE}", missing=missing)
        return
    figures = in_turns({"now": now[f"rate {slug}"], "before": before[f"rate {slug}"]}, ROUNDS)
    yield Row(f"{slug}: search, iterations", figures["now"], "/s")
    yield Row(f"{slug}: search at {BEFORE}, iterations", figures["before"], "/s")
    yield Row(f"{slug}: now : before", ratio(figures["now"], figures["before"]))
    pairs = list(zip(now[f"moves {slug}"](), before[f"moves {slug}"](), strict=True))
    share = sum(mine == theirs for mine, theirs in pairs) / len(pairs)
    yield Row(f"{slug}: positions with the same thought, of {len(pairs)}", [share], target=at_least(1))
