"""Stores the results of a run as JSON and as the tables of docs/performance.md."""

import os
import platform
import re
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from bench.measure import Row

PROJECT = Path(__file__).parents[1]
LAST = PROJECT / "bench-last.json"
"""The previous run on this machine. Git ignores it."""
RECORDED = PROJECT / "docs" / "performance.json"
PAGE = PROJECT / "docs" / "performance.md"
BEGIN, END = "<!-- figures -->", "<!-- end of figures -->"
"""The tables of the page are between these two lines."""
NOISE = 0.1
"""A smaller relative change of a median is not reported."""


class Part(msgspec.Struct, frozen=True):
    """The figures of one part, with place and time."""

    machine: str
    taken: str
    commit: str
    rows: list[Row]


Run = dict[str, Part]
"""Parts by name."""


def part(rows: list[Row]) -> Part:
    """Return the rows with this machine, time and commit."""
    return Part(machine(), datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"), commit(), rows)


def machine() -> str:
    """Return processor, number of cores, system and Python version."""
    model = "unknown processor"
    if (cpuinfo := Path("/proc/cpuinfo")).exists():
        model = next((line.split(":")[1].strip() for line in cpuinfo.open() if line.startswith("model name")), model)
    return (
        f"{model}, {os.cpu_count()} cores, {platform.system()} {platform.machine()}, Python {platform.python_version()}"
    )


def commit() -> str:
    """Return the commit of the tree, with a plus sign if the tree has uncommitted changes."""
    described = subprocess.run(
        ["git", "describe", "--always", "--dirty=+", "--abbrev=12"],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        check=False,
    )
    return described.stdout.strip() or "no commit"


def load(path: Path) -> Run:
    """Read a run from its file. Return an empty run if there is none."""
    return msgspec.json.decode(path.read_bytes(), type=Run) if path.exists() else {}


def save(path: Path, run: Run) -> None:
    """Write a run as readable JSON."""
    path.write_bytes(msgspec.json.format(msgspec.json.encode(run, order="sorted"), indent=1) + b"\n")


def change(row: Row, before: Part | None) -> str:
    """Return the change of the median since the previous run if it is more than noise."""
    known = next((old for old in before.rows if old.what == row.what), None) if before else None
    if known is None or not row.rounds or not known.rounds or not known.median:
        return ""
    moved = row.median / known.median - 1
    return f"{moved:+.0%}" if abs(moved) >= NOISE else ""


def write_page(run: Run) -> None:
    """Replace the tables of the page with those of the run."""
    tables = "\n\n".join(table(name, run[name]) for name in run)
    page = PAGE.read_text()
    PAGE.write_text(re.sub(f"{BEGIN}.*{END}", lambda _: f"{BEGIN}\n\n{tables}\n\n{END}", page, flags=re.DOTALL))


def table(name: str, figures: Part) -> str:
    """Return one part as a Markdown table."""
    lines = [
        f"### {name.replace('_', ' ').capitalize()}",
        "",
        f"{figures.taken}, commit `{figures.commit}`, {figures.machine}.",
        "",
        "| what | median [least-most] | target | |",
        "| --- | --- | --- | --- |",
    ]
    lines += [f"| {row.what} | {row.figure()} | {row.target or ''} | {row.verdict} |" for row in figures.rows]
    return "\n".join(lines)
