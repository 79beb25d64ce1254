"""`crumbtrail audit`: audit matches in the log again."""

import multiprocessing
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from itertools import product
from typing import NoReturn

import click
import msgspec

from domain.kernel.registry import GameNotInstalled
from domain.match.state import MatchStatus
from replays.report import Report
from service.bootstrap import Services
from service.cli.keys import connect_services
from service.event_store.errors import LogUnavailable, MatchNotFound

PAGE_SIZE = 500
MATCHES_PER_TASK = 4
MAX_SERIAL = 8
"""Up to this many matches are audited in one process, because starting more would take longer."""


ALWAYS_SHOWN_LAYERS = frozenset({"bots"})
"""Layers that are shown for every match, even if they pass, because the user asked for them."""
AuditFunction = Callable[[Services, str], Report]
"""Audits one match. Must be importable by other processes."""


class AuditResult(msgspec.Struct, frozen=True):
    """A match with its report, or the reason why there is none."""

    match: str
    report: Report | None
    fault: str = ""

    @property
    def has_failed(self) -> bool:
        """Return whether the audit failed or could not run."""
        return self.report is None or self.report.verdict == "failed"


@click.command()
@click.argument("matches", nargs=-1)
@click.option(
    "--all", "everything", is_flag=True, help="Audit every match that has started, including unfinished ones."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON line per match.")
@click.option("--jobs", type=click.IntRange(min=1), help="Number of processes.  [default: one per CPU]")
def audit(matches: tuple[str, ...], everything: bool, as_json: bool, jobs: int | None) -> None:
    """Audit MATCHES (or all) in the log again. The verdicts on finished matches are stored.

    Exits with 0 if no audit failed, and with 1 otherwise.
    """
    run_audits(matches, everything, as_json, jobs, audit_and_record)


def run_audits(
    matches: Sequence[str], everything: bool, as_json: bool, jobs: int | None, audit_one: AuditFunction
) -> NoReturn:
    """Audit the matches (or all) with `audit_one`, print the results and exit. Raises UsageError, SystemExit."""
    if everything == bool(matches):
        raise click.UsageError("Give match ids or --all, but not both.")
    services = connect_services()
    wanted = list(started_matches(services)) if everything else list(matches)
    found: list[AuditResult] = []
    with click.progressbar(
        audit_each(wanted, jobs or os.cpu_count() or 1, audit_one), len(wanted), label="Auditing", file=sys.stderr,
        hidden=len(wanted) < 2,
    ) as progress:  # fmt: skip
        for each in progress:
            found.append(each)
            print_result(each, as_json)
    click.echo(summarize(found), err=as_json)
    raise SystemExit(1 if any(each.has_failed for each in found) else 0)


def audit_and_record(services: Services, match: str) -> Report:
    """Audit a match and, if it is over, store the verdict. Raises MatchNotFound, LogUnavailable."""
    report = services.verification.auditor.audit(match)
    if report.verdict != "unfinished":
        services.verification.auditor.record(match, report)
    return report


def started_matches(services: Services) -> Iterator[str]:
    """Yield the ids of all matches that have started."""
    statuses: tuple[MatchStatus, ...] = ("over", "playing")
    for status, private in product(statuses, (False, True)):
        cursor = None
        while True:
            page = services.read_models.lists.list_matches(
                status=status, cursor=cursor, limit=PAGE_SIZE, private=private
            )
            yield from (row.id for row in page.rows)
            cursor = page.cursor
            if cursor is None:
                break


def audit_each(matches: Sequence[str], jobs: int, audit_one: AuditFunction) -> Iterator[AuditResult]:
    """Yield the audit of each match, in order. Many matches are divided among processes."""
    audit_match = partial(audit_safely, audit_one)
    if jobs == 1 or len(matches) <= MAX_SERIAL:
        yield from map(audit_match, matches)
        return
    with ProcessPoolExecutor(min(jobs, len(matches)), multiprocessing.get_context("spawn")) as pool:
        yield from pool.map(audit_match, matches, chunksize=MATCHES_PER_TASK)


@cache
def process_services() -> Services:
    """Return the services of this process."""
    return connect_services()


def audit_safely(audit_one: AuditFunction, match: str) -> AuditResult:
    """Return the audit of one match, or why it cannot be read."""
    try:
        return AuditResult(match, audit_one(process_services(), match))
    except (MatchNotFound, LogUnavailable, GameNotInstalled) as error:
        return AuditResult(match, None, str(error) or "there is no such match")


def print_result(found: AuditResult, as_json: bool) -> None:
    """Print one match on one line. In text, only failures and requested layers are shown."""
    if as_json:
        click.echo(
            msgspec.json.encode({"match": found.match, "fails": found.has_failed, "report": found.report}).decode()
        )
    elif found.report is None:
        click.echo(f"{found.match}  CANNOT BE READ: {found.fault}")
    elif found.report.first is not None:
        click.echo(f"{found.match}  FAILED: {found.report.first.as_text()}")
    else:
        for layer in found.report.layers:
            if layer.name in ALWAYS_SHOWN_LAYERS:
                click.echo(f"{found.match}  {layer.as_text()}")


def summarize(found: Sequence[AuditResult]) -> str:
    """Return the number of matches for each verdict, as a sentence."""
    verdicts = [each.report.verdict if each.report else "unreadable" for each in found]
    kinds = ("verified", "unfinished", "failed", "unreadable")
    counts = ", ".join(f"{verdicts.count(kind)} {kind}" for kind in kinds if kind in verdicts)
    return f"Matches audited: {len(found)}. Verdicts: {counts or 'none'}."
