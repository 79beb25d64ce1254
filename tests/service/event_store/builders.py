"""Helpers for tests of the log."""

import hashlib
from collections.abc import Iterable, Sequence

from service.event_store.keys import SHARDS, shard_of
from service.event_store.log import AppendResult, MatchLog

SEED = bytes(range(32))


def digest(text: str) -> str:
    """Return a command id or payload digest, as the service makes them."""
    return hashlib.sha256(text.encode()).hexdigest()


def event_line(text: str) -> bytes:
    """Return an event line. The log does not parse it."""
    return b'{"kind":"moved","said":"%s"}' % text.encode()


def append_texts(log: MatchLog, match: str, expected: int, *texts: str, command: str | None = None) -> AppendResult:
    """Append one event for each text. The command id derives from the texts unless `command` is given."""
    joined = "+".join(texts)
    return log.append(
        match,
        expected,
        [event_line(text) for text in texts],
        command=digest(command or joined),
        payload=digest(joined),
        seed=SEED if expected == 0 else None,
    )


def assert_feeds_announce_all(log: MatchLog, matches: Iterable[str]) -> None:
    """Check that the feeds have no gaps and announce exactly the events of these matches, once and in order."""
    announced: dict[str, list[int]] = {match: [] for match in matches}
    for shard in range(SHARDS):
        items = log.feed(shard, 0, count=1_000_000)
        assert [item.position for item in items] == list(range(1, len(items) + 1))
        assert log.feed_head(shard) == len(items)
        for item in items:
            assert shard_of(item.match) == shard
            announced[item.match] += range(item.first, item.last + 1)
    for match, plies in announced.items():
        assert plies == list(range(1, len(log.lines(match)) + 1))


def texts_of(log: MatchLog, match: str) -> Sequence[str]:
    """Return the texts of a match's events."""
    return [found.decode().split('"')[-2] for found in log.lines(match)]
