"""Archived matches: taken up from replay files, as they are, to be looked at and never to be changed.

That a match is archived is told by the command that appended it, which its log remembers: the two cannot be parted.
"""

from typing import Any

from redis import Redis

from domain.kernel.event_codec import write_event
from domain.kernel.events import SeedRevealed
from replays.file import ReplayError, read_replay
from replays.report import divergence_error
from replays.verify import verify
from service.disputes.trusted_keys import TRUST_ANY_KEY
from service.event_store.errors import CommandReused, VersionConflict, redis_errors_as_unavailable
from service.event_store.keys import command_key, is_match_id
from service.event_store.log import MatchLog
from service.matches.results import payload_digest

IMPORT_COMMAND_ID = "archive"
"""The command id under which a match is taken up; those of all others are digests."""


class MatchAlreadyExists(Exception):
    """There is a match of this id, and it is not this one, or it needs no taking up."""


class ImportedMatches:
    """Which matches are archived."""

    def __init__(self, redis: Redis, log: MatchLog) -> None:
        self._redis: Any = redis
        self._log = log

    def contains(self, match: str) -> bool:
        """Whether the match was taken up from a file. Raises LogUnavailable."""
        with redis_errors_as_unavailable():
            return bool(self._redis.hexists(command_key(match), IMPORT_COMMAND_ID))

    def import_file(self, raw: bytes) -> str:
        """Take a match up from its replay file; gives its id. Doing it again changes nothing.

        Raises ReplayError for a file that does not verify or whose match is not over, AlreadyHere where the id belongs
        to another match or to one that was played here, LogUnavailable.
        """
        report = verify(raw, TRUST_ANY_KEY)
        if report.first is not None:
            raise ReplayError(report.first)
        replay = read_replay(raw)
        match = replay.created.match
        if replay.is_redacted:
            sentence = "The match is not over: its file shows only what a spectator may see, and cannot be archived."
            raise ReplayError(divergence_error(1, "file.header", True, False, sentence).divergence)
        if not is_match_id(match):
            sentence = "The match has an id that no server gives out."
            wanted = "two digits and 16 letters or digits"
            raise ReplayError(divergence_error(2, "archive.id", wanted, match, sentence, ply=1).divergence)
        lines = [write_event(event) for event in replay.events]
        seed = next(bytes.fromhex(event.seed) for event in replay.events if isinstance(event, SeedRevealed))
        digest = payload_digest(replay.last.head_hash)
        try:
            self._log.append(match, 0, lines, command=IMPORT_COMMAND_ID, payload=digest, seed=seed)
        except (VersionConflict, CommandReused) as error:
            raise MatchAlreadyExists(f"match {match} {self._describe_existing(match, lines)}") from error
        return match

    def _describe_existing(self, match: str, lines: list[bytes]) -> str:
        """What is here of a match that cannot be taken up with these lines."""
        if self._log.lines(match, last=len(lines)) == lines:
            return "was played here, with this very history: there is nothing to take up"
        return "is here already, with another history"
