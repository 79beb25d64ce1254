"""Run the benchmarks, print a line for each figure, and compare it with the previous run."""

import gc
from importlib import import_module

import click

from bench import record
from bench.measure import Row

PARTS = (
    "engine",
    "draws",
    "luck",
    "replays",
    "search",
    "verification",
    "edge",
    "append",
    "servers",
    "live",
    "boardgame_io",
    "pages",
    "renewals",
    "timing",
)
"""The modules of this package that have `rows()`, in the order in which they run."""


@click.command()
@click.argument("parts", nargs=-1, type=click.Choice(PARTS))
@click.option(
    "--record", "publish", is_flag=True, help="Write docs/performance.json and the table of docs/performance.md."
)
def main(parts: tuple[str, ...], publish: bool) -> None:
    """Measure PARTS, or all of them."""
    gc.freeze()  # as the processes of the service do
    last = record.load(record.LAST)
    published = record.load(record.RECORDED)
    for name in parts or PARTS:
        click.echo(f"\n{name}")
        rows = []
        for row in import_module(f"bench.{name}").rows():
            rows.append(row)
            click.echo(line(row, record.change(row, last.get(name))))
        last[name] = published[name] = record.part(rows)
        record.save(record.LAST, last)
        if publish:
            ordered = {each: published[each] for each in PARTS if each in published}
            record.save(record.RECORDED, ordered)
            record.write_page(ordered)


def line(row: Row, change: str) -> str:
    """Format one figure, its target with the verdict, and the change since the previous run."""
    target = f"{row.target}: {row.verdict}" if row.target else ""
    return f"{row.what:<84}{row.figure():<38}{target:<24}{change}".rstrip()


if __name__ == "__main__":
    main()
