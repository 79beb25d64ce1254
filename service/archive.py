"""Archived matches: taken up from replay files, as they are, to be looked at and never to be changed."""

from typing import Any

from redis import Redis

from domain.events import SeedRevealed, write_event
from replays.file import ReplayError, read
from replays.report import diverged
from replays.verify import verify
from service.log.client import CommandReused, MatchLog, VersionConflict
from service.log.keys import is_match_id, shard_of, tag
from service.matches import payload_digest
from service.notary import ANY_KEY


class AlreadyHere(Exception):
    """There is a match of this id, and it is not this one."""


class Archive:
    """Which matches are archived."""

    def __init__(self, redis: Redis, log: MatchLog) -> None:
        self._redis: Any = redis
        self._log = log

    def holds(self, match: str) -> bool:
        """Whether the match was taken up from a file."""
        return bool(self._redis.exists(archive_key(match)))

    def take_up(self, raw: bytes) -> str:
        """Take a match up from its replay file; gives its id. Doing it again changes nothing.

        Raises ReplayError for a file that does not verify or whose match is not over, AlreadyHere where the id belongs
        to another match, LogUnavailable.
        """
        report = verify(raw, ANY_KEY)
        if report.first is not None:
            raise ReplayError(report.first)
        replay = read(raw)
        match = replay.created.match
        if replay.sealed:
            sentence = "The match is not over: its file shows only what a spectator may see, and cannot be archived."
            raise ReplayError(diverged(1, "file.header", True, False, sentence).divergence)
        if not is_match_id(match):
            sentence = "The match has an id that no server gives out."
            wanted = "two digits and 16 letters or digits"
            raise ReplayError(diverged(2, "archive.id", wanted, match, sentence, ply=1).divergence)
        lines = [write_event(event) for event in replay.events]
        seed = next(bytes.fromhex(event.seed) for event in replay.events if isinstance(event, SeedRevealed))
        digest = payload_digest(replay.last.head)
        # The mark comes first: never may an archived match stand there without it.
        fresh = self._redis.set(archive_key(match), digest, nx=True)
        try:
            self._log.append(match, 0, lines, command=f"archive-{digest}", payload=digest, seed=seed)
        except (VersionConflict, CommandReused) as error:
            if fresh:
                self._redis.delete(archive_key(match))
            raise AlreadyHere(f"match {match} is here already, with another history") from error
        return match


def archive_key(match: str) -> str:
    """The mark of an archived match: the digest of its head."""
    return f"{tag(shard_of(match))}:archived:{match}"
