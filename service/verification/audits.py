"""Audits of matches in the log: from its own lines, byte for byte, and never from a cache.

Beside what a replay file can show, an audit looks at the cached snapshot, which must be what the events fold to. A
match that still runs is audited by its secret seed; of that audit only layer, ply and rule are ever told.
"""

import logging
from collections.abc import Sequence
from datetime import datetime

import msgspec
from msgspec import UNSET

from domain.kernel.event_codec import read_event
from domain.kernel.events import Created
from domain.kernel.refusals import Refused
from domain.match.commands import RecordVerdict
from domain.match.history import fold
from replays.file import encode_replay
from replays.fork_check import check_fork
from replays.report import Divergence, Layer, Report, shorten, with_layer
from replays.verify import RULES_ERRORS, verify_log
from service.bootstrap import Services
from service.event_store.errors import CommandReused, MatchNotFound
from service.event_store.log import StoredSnapshot
from service.matches.command_handler import AUDITOR_AUTHOR, IdempotencyKey, pinned_game, snapshot_version

logger = logging.getLogger("crumbtrail.audits")

VERDICT_APPEND_ERRORS = (
    *(Refused, CommandReused, msgspec.MsgspecError),
    *(ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError),
)
"""How it shows that nothing can be put behind what a log holds, since the rules may fall over damaged lines in any way.
None of these passes by itself."""


class Verdict(msgspec.Struct, frozen=True):
    """The outcome of an audit."""

    match: str
    audited_at: datetime
    report: Report


def audit_stored_match(services: Services, match: str) -> Report:
    """The report on a match as its log holds it. Raises MatchNotFound, LogUnavailable."""
    snapshot = services.log.read_snapshot(match)  # before the lines: it is never of a later ply than they are
    lines = services.matches.log_lines(match)
    raw = replay_file_of(lines)
    report = verify_log(raw, None if has_revealed_seed(lines) else services.log.seed(match))
    report = add_snapshot_layer(report, lines, snapshot)
    return add_fork_layer(services, report, lines)


def add_fork_layer(services: Services, report: Report, lines: Sequence[bytes]) -> Report:
    """The report on a fork with one more layer, `fork`: that it begins as the match was that it comes from."""
    if report.first is not None:
        return report
    game = pinned_game(lines)
    created = read_event(lines[0], game)
    if not isinstance(created, Created) or created.fork is UNSET:
        return report
    try:
        parent = [read_event(line, game) for line in services.log.lines(created.fork.match)]
    except MatchNotFound:
        parent = []
    if not parent:
        return report  # a fork that was taken up from a file may come from a match that is not here
    return with_layer(report, check_fork([created], parent))


def replay_file_of(lines: Sequence[bytes]) -> bytes:
    """The replay file that holds these lines of the log as they are, byte for byte.

    Lines that cannot be read get no frame, and fail the audit by that.
    """
    body = [line + b"\n" for line in lines]
    try:
        game = pinned_game(lines)
        header, *_, closing = encode_replay([read_event(line, game) for line in lines])
    except RULES_ERRORS:  # damaged lines may be such that the rules cannot make sense of them
        return b"".join(body)
    return b"".join([header, *body, closing])


def store_report(services: Services, match: str, report: Report) -> None:
    """Keep the report on a match that is over."""
    verdict = Verdict(match, services.clock.now(), report)
    services.projections.record_verdict(match, msgspec.json.encode(verdict), failed=not report.ok)


def record_report(services: Services, match: str, report: Report) -> None:
    """Keep the report on a match that is over; one that failed is told loudly: log, metric, page and event.

    What is kept is not audited again, so the event comes first, and is written once however often it is asked for.
    Raises LogUnavailable: then nothing is kept.
    """
    if not report.ok:
        logger.critical("AUDIT FAILED: match %s. %s", match, report.first.as_text() if report.first else report.verdict)
        try:
            append_verdict(services, match, None, report, "routine")
        except VERDICT_APPEND_ERRORS as error:
            logger.critical("The verdict on match %s cannot stand in its log (%s).", match, type(error).__name__)
    store_report(services, match, report)


def append_verdict(services: Services, match: str, dispute: int | None, report: Report, purpose: str) -> None:
    """The verdict as an event: by layer, ply and rule, and nothing else. Raises Refused, CommandReused."""
    failed = next((layer for layer in report.layers if layer.divergence and layer.divergence == report.first), None)
    where = (failed.name, report.first.ply, report.first.rule) if failed and report.first else (None, None, None)
    command = RecordVerdict(dispute, report.first is None, *where)
    services.matches.submit(match, command, IdempotencyKey(AUDITOR_AUTHOR, purpose))


def has_revealed_seed(lines: Sequence[bytes]) -> bool:
    """Whether the match of these lines has revealed its seed; they may be damaged elsewhere."""
    return any(b'"kind":"seed_revealed"' in line for line in lines)


def add_snapshot_layer(report: Report, lines: Sequence[bytes], stored: StoredSnapshot | None) -> Report:
    """The report with one more layer, `snapshot`. A snapshot of other code is no fault: it is never read."""
    if report.first is not None:
        return report  # what does not hold has no fold to compare with
    return with_layer(report, check_snapshot(lines, stored))


def check_snapshot(lines: Sequence[bytes], stored: StoredSnapshot | None) -> Layer:
    """The snapshot against the fold of the events up to its ply."""
    game = pinned_game(lines)
    if stored is None or stored.version != snapshot_version(game):
        return Layer("snapshot", "ok", "There is no snapshot that would be read.")
    if not 1 <= stored.ply <= len(lines):
        found = f"ply {stored.ply}"
    else:
        folded = msgspec.json.encode(fold(read_event(line, game) for line in lines[: stored.ply]))
        if folded == stored.raw:
            return Layer("snapshot", "ok", f"The snapshot at ply {stored.ply} is what the events fold to.")
        found = "another position"
    sentence = "The cached snapshot is not what the events fold to."
    divergence = Divergence(
        line=stored.ply + 1,
        ply=stored.ply,
        rule="fold.snapshot",
        expected="what the events fold to",
        found=shorten(found),
        sentence=sentence,
    )
    return Layer("snapshot", "failed", sentence, divergence)
