"""Archived matches: imported unchanged from replay files, for viewing only.

A match is archived if its log contains the import command. That command is stored with the events, so the mark cannot
be separated from them.
"""

from typing import Any

from redis import Redis

from domain.kernel.event_codec import write_event
from domain.kernel.events import SeedRevealed
from domain.match.luck import revealed_secrets, stored_secrets
from replays.file import ReplayError, read_replay
from replays.report import divergence_error
from replays.verify import verify
from service.disputes.trusted_keys import TRUST_ANY_KEY
from service.event_store.errors import CommandReused, VersionConflict, redis_errors_as_unavailable
from service.event_store.keys import command_key, is_match_id
from service.event_store.log import MatchLog
from service.matches.results import payload_digest

IMPORT_COMMAND_ID = "archive"
"""The command id of an import. All other command ids are digests."""


class MatchAlreadyExists(Exception):
    """A match with this id already exists: a different one, or the same one played on this server."""


class ImportedMatches:
    """Imports matches and checks which ones were imported."""

    def __init__(self, redis: Redis, log: MatchLog) -> None:
        self._redis: Any = redis
        self._log = log

    def contains(self, match: str) -> bool:
        """Return whether the match was imported from a file. Raises LogUnavailable."""
        with redis_errors_as_unavailable():
            return bool(self._redis.hexists(command_key(match), IMPORT_COMMAND_ID))

    def import_file(self, raw: bytes) -> str:
        """Import a match from its replay file and return its id. Repeating the call changes nothing.

        Raises ReplayError if the file does not verify or the match is not over, MatchAlreadyExists if the id belongs
        to another match or to one played on this server, and LogUnavailable.
        """
        report = verify(raw, TRUST_ANY_KEY)
        if report.first is not None:
            raise ReplayError(report.first)
        replay = read_replay(raw)
        match = replay.created.match
        if replay.is_redacted:
            sentence = (
                "The match is not over, so its file holds only public information. Import it when the match is over."
            )
            raise ReplayError(divergence_error(1, "file.header", True, False, sentence).divergence)
        if not is_match_id(match):
            sentence = "The match id is invalid: no server creates such an id."
            wanted = "two digits and 16 letters or digits"
            raise ReplayError(divergence_error(2, "archive.id", wanted, match, sentence, ply=1).divergence)
        lines = [write_event(event) for event in replay.events]
        revealed = next(event for event in replay.events if isinstance(event, SeedRevealed))
        secrets = stored_secrets(revealed_secrets(replay.last, revealed))
        digest = payload_digest(replay.last.head_hash)
        try:
            self._log.append(match, 0, lines, command=IMPORT_COMMAND_ID, payload=digest, seed=secrets)
        except (VersionConflict, CommandReused) as error:
            raise MatchAlreadyExists(f"match {match} {self._describe_existing(match, lines)}") from error
        return match

    def _describe_existing(self, match: str, lines: list[bytes]) -> str:
        """Return why a match with these lines cannot be imported."""
        if self._log.lines(match, last=len(lines)) == lines:
            return "was played on this server with the same history, so there is nothing to import"
        return "already exists with a different history"
