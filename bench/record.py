"""What a run found, kept as JSON and as the table of docs/performance.md."""

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
"""The last run here; git ignores it."""
RECORDED = PROJECT / "docs" / "performance.json"
PAGE = PROJECT / "docs" / "performance.md"
BEGIN, END = "<!-- figures -->", "<!-- end of figures -->"
"""The table of the page stands between these two lines."""
NOISE = 0.1
"""A change of a median below this share is not worth a word."""


class Part(msgspec.Struct, frozen=True):
    """The figures of one part, with where and when they were taken."""

    machine: str
    taken: str
    commit: str
    rows: list[Row]


Run = dict[str, Part]
"""Parts by name."""


def part(rows: list[Row]) -> Part:
    """The rows, stamped with this machine, this hour and this commit."""
    return Part(machine(), datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"), commit(), rows)


def machine() -> str:
    """Processor, cores, system and Python."""
    model = "unknown processor"
    if (cpuinfo := Path("/proc/cpuinfo")).exists():
        model = next((line.split(":")[1].strip() for line in cpuinfo.open() if line.startswith("model name")), model)
    return (
        f"{model}, {os.cpu_count()} cores, {platform.system()} {platform.machine()}, Python {platform.python_version()}"
    )


def commit() -> str:
    """The commit of the tree, with a plus sign where the tree has changes of its own."""
    described = subprocess.run(
        ["git", "describe", "--always", "--dirty=+", "--abbrev=12"],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        check=False,
    )
    return described.stdout.strip() or "no commit"


def load(path: Path) -> Run:
    """A run from its file; an empty one where there is none."""
    return msgspec.json.decode(path.read_bytes(), type=Run) if path.exists() else {}


def save(path: Path, run: Run) -> None:
    """Write a run as JSON that reads well."""
    path.write_bytes(msgspec.json.format(msgspec.json.encode(run, order="sorted"), indent=1) + b"\n")


def change(row: Row, before: Part | None) -> str:
    """How the median moved since the last run, where that is more than noise."""
    known = next((old for old in before.rows if old.what == row.what), None) if before else None
    if known is None or not row.rounds or not known.rounds or not known.median:
        return ""
    moved = row.median / known.median - 1
    return f"{moved:+.0%}" if abs(moved) >= NOISE else ""


def write_page(run: Run) -> None:
    """Put the tables of the run in their place on the page."""
    tables = "\n\n".join(table(name, run[name]) for name in run)
    page = PAGE.read_text()
    PAGE.write_text(re.sub(f"{BEGIN}.*{END}", lambda _: f"{BEGIN}\n\n{tables}\n\n{END}", page, flags=re.DOTALL))


def table(name: str, figures: Part) -> str:
    """One part as a table of Markdown."""
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
