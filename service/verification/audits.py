"""Audits of matches. They read the lines of the log byte for byte, and never a cache.

An audit runs all checks of a replay file, and also checks that the cached snapshot equals the fold of the events. A
running match is audited with its secret seed, so only the layer, ply and rule of that audit are ever shown.
"""

import logging
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime

import msgspec
from msgspec import UNSET

from domain.kernel.event_codec import read_event
from domain.kernel.events import Created
from domain.kernel.hash_chain import GENESIS, event_hash
from domain.kernel.refusals import Refused
from domain.kernel.registry import GameNotInstalled
from domain.match.commands import RecordVerdict
from domain.match.history import fold
from replays.file import encode_replay
from replays.fork_check import check_fork
from replays.report import Divergence, Layer, Report, shorten, with_layer
from replays.verify import RULES_ERRORS, verify_log
from service.event_store.errors import CommandReused, MatchNotFound
from service.event_store.log import MatchLog, StoredSnapshot
from service.matches.command_handler import MatchCommandHandler
from service.matches.repository import (
    MatchRepository,
    pinned_game,
    read_events_without_game,
    snapshot_version,
)
from service.matches.results import AUDITOR_AUTHOR, IdempotencyKey
from service.read_models.verdicts import AuditVerdicts
from service.runtime.clock import Clock

logger = logging.getLogger("crumbtrail.audits")

VERDICT_APPEND_ERRORS = (
    *(Refused, CommandReused, msgspec.MsgspecError),
    *(ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError),
)
"""Errors after which no verdict can be appended, because the rules can fail on damaged lines in any way. Retrying does
not help."""


class Verdict(msgspec.Struct, frozen=True):
    """The result of an audit."""

    match: str
    audited_at: datetime
    report: Report


class Auditor:
    """Audits matches and records the reports."""

    def __init__(
        self,
        log: MatchLog,
        repository: MatchRepository,
        commands: MatchCommandHandler,
        verdicts: AuditVerdicts,
        clock: Clock,
    ) -> None:
        self._log = log
        self._repository = repository
        self._commands = commands
        self._verdicts = verdicts
        self._clock = clock

    def audit(self, match: str) -> Report:
        """Audit a match as stored in the log and return the report.

        Raises MatchNotFound, LogUnavailable, and GameNotInstalled if there are no rules to audit it with.
        """
        snapshot = self._log.read_snapshot(match)  # before the lines, so that it is not newer than they are
        lines = self._repository.log_lines(match)
        require_installed_game(lines)
        raw = replay_file_of(lines)
        report = verify_log(raw, None if has_revealed_seed(lines) else self._log.seed(match))
        report = add_snapshot_layer(report, lines, snapshot)
        return self._add_fork_layer(report, lines)

    def _add_fork_layer(self, report: Report, lines: Sequence[bytes]) -> Report:
        """Return the report with the layer `fork`, which checks that a fork begins with its parent's position."""
        if report.first is not None:
            return report
        game = pinned_game(lines)
        created = read_event(lines[0], game)
        if not isinstance(created, Created) or created.fork is UNSET:
            return report
        try:
            parent = [read_event(line, game) for line in self._log.lines(created.fork.match)]
        except MatchNotFound:
            parent = []
        if not parent:
            return report  # the parent of an imported fork may be on another server
        return with_layer(report, check_fork([created], parent))

    def store(self, match: str, report: Report) -> None:
        """Store the report on a finished match."""
        verdict = Verdict(match, self._clock.now(), report)
        self._verdicts.record(match, msgspec.json.encode(verdict), failed=not report.ok)

    def record(self, match: str, report: Report) -> None:
        """Store the report on a finished match. A failed audit is also logged and appended to the match.

        The event is appended first, because a match with a stored report is not audited again. Repeated calls append
        it only once. Raises LogUnavailable; then no report is stored.
        """
        if not report.ok:
            logger.critical(
                "AUDIT FAILED: match %s. %s", match, report.first.as_text() if report.first else report.verdict
            )
            try:
                self.append_verdict(match, None, report, "routine")
            except VERDICT_APPEND_ERRORS as error:
                logger.critical(
                    "The verdict on match %s could not be appended to its log (%s).", match, type(error).__name__
                )
        self.store(match, report)

    def append_verdict(self, match: str, dispute: int | None, report: Report, purpose: str) -> None:
        """Append the verdict as an event with only layer, ply and rule. Raises Refused, CommandReused."""
        failed = next((layer for layer in report.layers if layer.divergence and layer.divergence == report.first), None)
        where = (failed.name, report.first.ply, report.first.rule) if failed and report.first else (None, None, None)
        command = RecordVerdict(dispute, report.first is None, *where)
        self._commands.submit(match, command, IdempotencyKey(AUDITOR_AUTHOR, purpose))


def require_installed_game(lines: Sequence[bytes]) -> None:
    """Raise GameNotInstalled if the first event names a game that is not installed, and was not tampered with."""
    try:
        pinned_game(lines)
    except GameNotInstalled:
        with suppress(ValueError):
            first = read_events_without_game(lines[:1])[0]
            if event_hash(first, GENESIS) != first.hash:
                return  # an audit finds what is wrong
        raise
    except RULES_ERRORS:
        return


def replay_file_of(lines: Sequence[bytes]) -> bytes:
    """Return the replay file with these lines of the log, byte for byte.

    Unreadable lines get no header or closing line, so they fail the audit.
    """
    body = [line + b"\n" for line in lines]
    try:
        game = pinned_game(lines)
        header, *_, closing = encode_replay([read_event(line, game) for line in lines])
    except RULES_ERRORS:  # damaged lines can make the rules fail in any way
        return b"".join(body)
    return b"".join([header, *body, closing])


def has_revealed_seed(lines: Sequence[bytes]) -> bool:
    """Return whether the match has revealed its seed. Works on damaged lines."""
    return any(b'"kind":"seed_revealed"' in line for line in lines)


def add_snapshot_layer(report: Report, lines: Sequence[bytes], stored: StoredSnapshot | None) -> Report:
    """Return the report with the layer `snapshot`. A snapshot of another version passes, as it is never read."""
    if report.first is not None:
        return report  # an invalid log has no fold to compare with
    return with_layer(report, check_snapshot(lines, stored))


def check_snapshot(lines: Sequence[bytes], stored: StoredSnapshot | None) -> Layer:
    """Compare the snapshot with the fold of the events up to its ply, and return the layer."""
    game = pinned_game(lines)
    if stored is None or stored.version != snapshot_version(game):
        return Layer("snapshot", "ok", "There is no snapshot in use.")
    if not 1 <= stored.ply <= len(lines):
        found = f"ply {stored.ply}"
    else:
        folded = msgspec.json.encode(fold(read_event(line, game) for line in lines[: stored.ply]))
        if folded == stored.raw:
            return Layer("snapshot", "ok", f"The snapshot at ply {stored.ply} matches the events.")
        found = "another position"
    sentence = "The cached snapshot does not match the events."
    divergence = Divergence(
        line=stored.ply + 1,
        ply=stored.ply,
        rule="fold.snapshot",
        expected="the position after these events",
        found=shorten(found),
        sentence=sentence,
    )
    return Layer("snapshot", "failed", sentence, divergence)
