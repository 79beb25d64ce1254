"""Reports from players about other players, for the moderators."""

import secrets
from datetime import datetime
from typing import Any, Literal, get_args

import msgspec
from msgspec.structs import replace
from redis import Redis

from service.event_store.keys import OPEN_REPORTS_KEY, REPORTS_KEY
from service.runtime.clock import Clock, to_milliseconds

MAX_TEXT = 500
"""The longest text of a report, in characters."""
ReportSubject = Literal["name", "stalling", "cheating", "text", "other"]
SUBJECTS: tuple[ReportSubject, ...] = get_args(ReportSubject)


class InvalidReport(ValueError):
    """The report can't be stored; the text says why, and what to do."""


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """A report by a player about another. `by` is None once the author was erased. `outcome`: a moderator's note."""

    id: str
    at: datetime
    by: str | None
    about: str
    subject: ReportSubject
    text: str
    match: str | None = None
    closed_by: str | None = None
    outcome: str | None = None

    @property
    def is_open(self) -> bool:
        """Return whether no moderator has closed it."""
        return self.closed_by is None


class Reports:
    """The reports of players."""

    def __init__(self, redis: Redis, clock: Clock) -> None:
        self._redis: Any = redis
        self._clock = clock

    def add(self, by: str, about: str, subject: str, text: str, match: str | None = None) -> Report:
        """Store a report. Raises InvalidReport for a bad subject or text, or if the same report is open already."""
        if by == about:
            raise InvalidReport("You can't report yourself.")
        if subject not in SUBJECTS:
            raise InvalidReport("Choose what the report is about.")
        words = text.strip()
        if len(words) > MAX_TEXT:
            raise InvalidReport(f"Your text has {len(words)} characters. Shorten it to {MAX_TEXT}.")
        if any((each.by, each.about, each.subject) == (by, about, subject) for each in self.open_reports()):
            raise InvalidReport("You have already reported this. A moderator will look at it.")
        now = self._clock.now()
        report = Report(
            id="r_" + secrets.token_hex(8), at=now, by=by, about=about, subject=subject, text=words, match=match
        )
        self._redis.hset(REPORTS_KEY, report.id, msgspec.json.encode(report))
        self._redis.zadd(OPEN_REPORTS_KEY, {report.id: to_milliseconds(now)})
        return report

    def find(self, report: str) -> Report | None:
        """Return the report with this id, or None."""
        raw = self._redis.hget(REPORTS_KEY, report)
        return msgspec.json.decode(raw, type=Report) if raw else None

    def open_reports(self, limit: int = 500) -> list[Report]:
        """Return the oldest open reports, oldest first."""
        waiting = self._redis.zrange(OPEN_REPORTS_KEY, 0, limit - 1)
        found = self._redis.hmget(REPORTS_KEY, waiting) if waiting else []
        return [msgspec.json.decode(raw, type=Report) for raw in found if raw]

    def about(self, player: str) -> list[Report]:
        """Return all reports about a player, newest first."""
        return sorted((each for each in self._all() if each.about == player), key=lambda each: each.at, reverse=True)

    def close(self, report: Report, by: str, outcome: str) -> None:
        """Close a report with a note for the other moderators. Idempotent."""
        closed = replace(report, closed_by=by, outcome=outcome)
        self._redis.hset(REPORTS_KEY, report.id, msgspec.json.encode(closed))
        self._redis.zrem(OPEN_REPORTS_KEY, report.id)

    def erase_author(self, player: str) -> None:
        """Remove a player's id and text from the reports that they have written. Idempotent."""
        for report in self._all():
            if report.by == player:
                self._redis.hset(REPORTS_KEY, report.id, msgspec.json.encode(replace(report, by=None, text="")))

    def _all(self) -> list[Report]:
        return [msgspec.json.decode(raw, type=Report) for raw in self._redis.hvals(REPORTS_KEY)]
