"""`crumbtrail verify`: verify replay files without trusting a server."""

import gc
import multiprocessing
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import click
import msgspec

from domain.kernel.registry import games
from replays.bot_check import check_bots
from replays.file import read_replay
from replays.fork_check import check_fork
from replays.report import Divergence, Layer, Report, with_layer
from replays.signature import SignaturePolicy
from replays.verify import verify as verify_replay
from service.cli.files import read_file
from service.disputes.trusted_keys import TRUST_ANY_KEY, InvalidKeyFile, parse_trusted_keys

EXIT_UNREADABLE = 2
EXIT_CODES = {"failed": 1, "unfinished": 3, "verified": 0}
WORST_FIRST = (1, EXIT_UNREADABLE, 3, 0)
MAX_SERIAL = 8
"""Up to this many files are verified in one process, because starting more would take longer."""
GC_THRESHOLDS = (50_000, 20, 100)
"""Thresholds that make garbage collection rare. Folding creates few cycles; collecting took 10% of the time."""
FILES_PER_TASK = 8
"""Number of files given to a process at a time."""


BOT_CHOICES = ("sample", "all")
"""How many decisions of house bots are repeated."""


class CheckResult(NamedTuple):
    """The printable result for one file, and the exit code for this file alone."""

    exit_code: int
    text: str


class VerifyCommand(click.Command):
    """The command, with an option `--bots` that may be followed by the word `all`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Give `--bots` a value if it has none, so that it does not take the name of a file as its value."""
        words = [*args, ""]
        for place, (word, following) in enumerate(pairwise(words)):
            if word == "--":
                break
            if word == "--bots" and following not in BOT_CHOICES:
                words[place] = f"--bots={BOT_CHOICES[0]}"
        return super().parse_args(ctx, words[:-1])


@click.command(cls=VerifyCommand)
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print one JSON line per file.")
@click.option("--keys", type=click.Path(exists=True, dir_okay=False, path_type=Path), metavar="FILE",
              help="A saved /.well-known/crumbtrail-key. The files must be signed with one of its keys.")  # fmt: skip
@click.option("--parent", type=click.Path(exists=True, dir_okay=False, path_type=Path), metavar="FILE",
              help="The replay of the match from which the files were forked.")  # fmt: skip
@click.option("--bots", type=click.Choice(BOT_CHOICES), metavar="[all]",
              help="Repeat the decisions of house bots too: a sample for each file, or `all`.")  # fmt: skip
@click.option("--jobs", type=click.IntRange(min=1), help="Number of processes.  [default: one per CPU]")
def verify(
    files: tuple[Path, ...],
    as_json: bool,
    keys: Path | None,
    parent: Path | None,
    bots: str | None,
    jobs: int | None,
) -> None:
    """Verify replay FILES.

    This checks the hash chain, the signature, the seed, every draw, every move and the score. With --bots, it also
    checks that house bots played their published strategies on what they could see.

    \b
    Exit codes:
      0  all files were verified
      1  at least one file failed
      2  at least one file could not be read
      3  no file failed, but at least one match is unfinished
    """
    try:
        trust = TRUST_ANY_KEY if keys is None else parse_trusted_keys(read_file(keys))
    except InvalidKeyFile as error:
        raise click.BadParameter(str(error), param_hint="--keys") from None
    codes = set()
    check = partial(check_file, trust=trust, parent=parent, as_json=as_json, bots=bots)
    found = check_files(files, check, jobs or os.cpu_count() or 1)
    with click.progressbar(
        found, len(files), label="Verifying", file=sys.stderr, hidden=len(files) < 2, item_show_func=None
    ) as progress:
        for each in progress:
            codes.add(each.exit_code)
            click.echo(each.text, err=each.exit_code == EXIT_UNREADABLE)
    raise SystemExit(next(code for code in WORST_FIRST if code in codes))


def check_files(files: Sequence[Path], check: Callable[[Path], CheckResult], jobs: int) -> Iterator[CheckResult]:
    """Yield the result for each file, in order. Many files are divided among processes."""
    games()  # load once, before processes are forked
    gc.freeze()  # exclude everything loaded so far from garbage collection
    gc.set_threshold(*GC_THRESHOLDS)
    if jobs == 1 or len(files) <= MAX_SERIAL:
        yield from map(check, files)
        return
    way = "fork" if "fork" in multiprocessing.get_all_start_methods() else None
    with ProcessPoolExecutor(min(jobs, len(files)), multiprocessing.get_context(way)) as pool:
        yield from pool.map(check, files, chunksize=FILES_PER_TASK)


def check_file(
    file: Path, trust: SignaturePolicy, parent: Path | None, as_json: bool, bots: str | None = None
) -> CheckResult:
    """Verify one file. Compare it with its parent, and repeat the decisions of its bots, if asked to."""
    try:
        raw = read_file(file)
        report = verify_replay(raw, trust)
        if parent is not None:
            report = add_fork_layer(report, raw, read_file(parent))
        if bots is not None and report.first is None:
            report = with_layer(report, check_bots(read_replay(raw), everything=bots == "all"))
    except OSError as error:
        return CheckResult(EXIT_UNREADABLE, f"{file}: cannot be read: {error.strerror or 'unknown reason'}")
    return CheckResult(EXIT_CODES[report.verdict], (report_json if as_json else report_text)(str(file), report))


def add_fork_layer(report: Report, raw: bytes, parent: bytes) -> Report:
    """Return the report with the layer `fork`, which fails if the parent fails verification."""
    if report.first is not None:
        return report
    theirs = verify_replay(parent)
    if not theirs.ok:
        sentence = "The replay of the parent match failed verification."
        parted = Divergence(line=1, ply=None, rule="fork", expected="verified", found=theirs.verdict, sentence=sentence)
        return with_layer(report, Layer("fork", "failed", sentence, parted))
    return with_layer(report, check_fork(read_replay(raw).events, read_replay(parent).events))


def report_json(file: str, report: Report) -> str:
    """Return the report as a line of JSON."""
    return msgspec.json.encode({"file": file, "ok": report.ok, "report": report}).decode()


def report_text(file: str, report: Report) -> str:
    """Return the report as text."""
    verified = "verified" if report.has_known_origin else "verified, but its origin is unknown"
    verdict = {"verified": verified, "unfinished": "unfinished", "failed": "NOT VERIFIED"}[report.verdict]
    return "\n  ".join([f"{file}: {verdict}", *report.as_text().splitlines()])
