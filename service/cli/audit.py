"""`crumbtrail audit`: audit matches in the log again, from nothing."""

import multiprocessing
import os
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from itertools import product

import click
import msgspec

from replays.report import Report
from service.audits import examine_log, record
from service.cli.keys import running_services
from service.log.client import LogUnavailable, MatchNotFound
from service.services import Services

PAGE = 500
AT_ONCE = 4
ALONE = 8
"""So few matches are not worth the start of further processes."""


class Audited(msgspec.Struct, frozen=True):
    """A match and the report on it, or why there is none."""

    match: str
    report: Report | None
    fault: str = ""

    @property
    def fails(self) -> bool:
        """Whether something is wrong with it."""
        return self.report is None or self.report.verdict == "failed"


@click.command()
@click.argument("matches", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="Every match that has started, the running ones too.")
@click.option("--json", "as_json", is_flag=True, help="One JSON line for each match.")
@click.option("--jobs", type=click.IntRange(min=1), help="Processes to share the work  [default: one a processor]")
def audit(matches: tuple[str, ...], everything: bool, as_json: bool, jobs: int | None) -> None:
    """Audit MATCHES (or all) again, from the log's own lines. Verdicts on finished matches are kept anew.

    Exit code 0: nothing is wrong; 1: something is.
    """
    if everything == bool(matches):
        raise click.UsageError("Name matches, or take --all.")
    services = running_services()
    wanted = list(all_matches(services)) if everything else list(matches)
    found: list[Audited] = []
    with click.progressbar(
        audited(wanted, jobs or os.cpu_count() or 1), len(wanted), label="Auditing", file=sys.stderr,
        hidden=len(wanted) < 2,
    ) as progress:  # fmt: skip
        for each in progress:
            found.append(each)
            tell(each, as_json)
    click.echo(summary(found), err=as_json)
    raise SystemExit(1 if any(each.fails for each in found) else 0)


def all_matches(services: Services) -> Iterator[str]:
    """The ids of all matches that have started."""
    for status, private in product(("over", "playing"), (False, True)):
        cursor = None
        while True:
            page = services.projections.matches(status=status, cursor=cursor, limit=PAGE, private=private)
            yield from (row.id for row in page.rows)
            cursor = page.cursor
            if cursor is None:
                break


def audited(matches: Sequence[str], jobs: int) -> Iterator[Audited]:
    """The audit of each match, in their order; many are shared among processes."""
    if jobs == 1 or len(matches) <= ALONE:
        yield from map(audit_match, matches)
        return
    with ProcessPoolExecutor(min(jobs, len(matches)), multiprocessing.get_context("spawn")) as pool:
        yield from pool.map(partial(audit_match), matches, chunksize=AT_ONCE)


@cache
def own_services() -> Services:
    """The services of this process."""
    return running_services()


def audit_match(match: str) -> Audited:
    """Audit one match; the verdict on one that is over is kept."""
    services = own_services()
    try:
        report = examine_log(services, match)
        if report.verdict != "unfinished":
            record(services, match, report)
    except (MatchNotFound, LogUnavailable) as error:
        return Audited(match, None, str(error) or "there is no such match")
    return Audited(match, report)


def tell(found: Audited, as_json: bool) -> None:
    """One match in a line; with what is wrong, if something is."""
    if as_json:
        click.echo(msgspec.json.encode({"match": found.match, "fails": found.fails, "report": found.report}).decode())
    elif found.report is None:
        click.echo(f"{found.match}  CANNOT BE READ: {found.fault}")
    elif found.report.first is not None:
        click.echo(f"{found.match}  FAILED: {found.report.first.words()}")


def summary(found: Sequence[Audited]) -> str:
    """How many there were of each kind."""
    verdicts = [each.report.verdict if each.report else "unreadable" for each in found]
    kinds = ("verified", "unfinished", "failed", "unreadable")
    told = ", ".join(f"{verdicts.count(kind)} {kind}" for kind in kinds if kind in verdicts)
    return f"{len(found)} matches audited: {told or 'none'}."
