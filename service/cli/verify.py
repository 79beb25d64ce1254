"""`crumbtrail verify`: check replay files, trusting nobody."""

import multiprocessing
import os
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import click
import msgspec

from domain.registry import games
from replays.file import read
from replays.forks import check_fork
from replays.report import Divergence, Layer, Report, with_layer
from replays.signature import Trust
from replays.verify import verify as verify_replay
from service.notary import ANY_KEY, BadKeyFile, read_keys

UNREADABLE = 2
EXIT_CODES = {"failed": 1, "unfinished": 3, "verified": 0}
WORST_FIRST = (1, UNREADABLE, 3, 0)
ALONE = 8
"""So few files are not worth the start of further processes."""
AT_ONCE = 8
"""Files that a process takes at a time."""


class Checked(msgspec.Struct, frozen=True):
    """A file and what was found: its report, or why it could not be read."""

    file: str
    report: Report | None
    fault: str = ""

    @property
    def exit_code(self) -> int:
        """The exit code that this file alone would give."""
        return UNREADABLE if self.report is None else EXIT_CODES[self.report.verdict]


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="One JSON line for each file.")
@click.option("--keys", type=click.Path(exists=True, dir_okay=False, path_type=Path), metavar="FILE",
              help="A saved /.well-known/crumbtrail-key: the file must be signed by one of its keys.")  # fmt: skip
@click.option("--parent", type=click.Path(exists=True, dir_okay=False, path_type=Path), metavar="FILE",
              help="The replay of the match that the files are forks of.")  # fmt: skip
@click.option("--jobs", type=click.IntRange(min=1), help="Processes to share the work  [default: one a processor]")
def verify(files: tuple[Path, ...], as_json: bool, keys: Path | None, parent: Path | None, jobs: int | None) -> None:
    """Check replay FILES: chain, signature, seed, every draw, every move decided again, the score counted again.

    Exit code 0: all verified; 1: at least one is false; 2: at least one could not be read at all; 3: nothing is wrong,
    but at least one match was not over.
    """
    try:
        trust = ANY_KEY if keys is None else read_keys(keys.read_bytes())
    except BadKeyFile as error:
        raise click.BadParameter(str(error), param_hint="--keys") from None
    codes = set()
    found = checked(files, trust, parent, jobs or os.cpu_count() or 1)
    with click.progressbar(
        found, len(files), label="Verifying", file=sys.stderr, hidden=len(files) < 2, item_show_func=None
    ) as progress:
        for each in progress:
            codes.add(each.exit_code)
            tell(each, as_json)
    raise SystemExit(next(code for code in WORST_FIRST if code in codes))


def checked(files: Sequence[Path], trust: Trust, parent: Path | None, jobs: int) -> Iterator[Checked]:
    """What was found of each file, in their order; many files are shared among processes."""
    check = partial(check_file, trust=trust, parent=parent)
    if jobs == 1 or len(files) <= ALONE:
        yield from map(check, files)
        return
    games()  # read once, before the processes part
    way = "fork" if "fork" in multiprocessing.get_all_start_methods() else None
    with ProcessPoolExecutor(min(jobs, len(files)), multiprocessing.get_context(way)) as pool:
        yield from pool.map(check, files, chunksize=AT_ONCE)


def check_file(file: Path, trust: Trust, parent: Path | None) -> Checked:
    """Check one file; a fork against its parent too, if there is one."""
    try:
        with file.open("rb") as pieces:
            report = verify_replay(pieces, trust)
        return Checked(str(file), report if parent is None else with_parent(report, file, parent))
    except OSError as error:
        return Checked(str(file), None, error.strerror or "it cannot be read")


def with_parent(report: Report, file: Path, parent: Path) -> Report:
    """The report with the layer `fork`. A parent that does not verify proves nothing."""
    if report.first is not None:
        return report
    with parent.open("rb") as pieces:
        theirs = verify_replay(pieces)
    if not theirs.ok:
        sentence = "The file of the match that it comes from does not verify."
        parted = Divergence(line=1, ply=None, rule="fork", expected="verified", found=theirs.verdict, sentence=sentence)
        return with_layer(report, Layer("fork", "failed", sentence, parted))
    return with_layer(report, check_fork(read(file.read_bytes()).events, read(parent.read_bytes()).events))


def tell(found: Checked, as_json: bool) -> None:
    """Say what was found of a file."""
    if found.report is None:
        click.echo(f"{found.file}: cannot be read: {found.fault}", err=True)
    elif as_json:
        click.echo(msgspec.json.encode({"file": found.file, "ok": found.report.ok, "report": found.report}).decode())
    else:
        verdict = {"verified": "verified", "unfinished": "unfinished", "failed": "NOT VERIFIED"}[found.report.verdict]
        click.echo(f"{found.file}: {verdict}")
        for line in found.report.words().splitlines():
            click.echo(f"  {line}")
