"""Builds the projections from the feeds: folds each announced match and stores its row.

Regardless of the number of matches and shards, it takes one round trip to read the announcements, one to read the
matches, and one to apply their rows.
"""

import logging
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache

from cachetools import LRUCache
from msgspec.structs import replace

from domain.kernel.event_codec import read_event
from domain.kernel.game import AnyGame
from domain.match.guards import MatchLookup
from domain.match.history import History, fold
from domain.match.state import AnyMatch
from service.event_store.errors import LogDamaged, LogUnavailable
from service.event_store.keys import SHARDS
from service.event_store.log import FeedItem, MatchLog
from service.matches.repository import is_newest_event, match_without_game, pinned_game
from service.read_models.progress import FeedProgress
from service.read_models.summary import MatchSummary, summarize_match
from service.read_models.writer import FeedGap, ProjectionChange, ProjectionWriter

logger = logging.getLogger("workers")

Progress = Callable[[int], object]
"""Called with the number of positions that were just applied."""
FEED_BATCH = 100
"""Number of feed items of a shard to read at a time."""
POSITIONS_PER_APPLY = 100
"""Positions are applied together as soon as this many have been read, across all shards."""
FOLDED_MATCHES = 2048
"""Number of folded matches to cache, so that the next event takes one step."""


class Projector:
    """Keeps the projections up to date with the feeds. Several may run in parallel: each position is applied once."""

    def __init__(
        self,
        log: MatchLog,
        writer: ProjectionWriter,
        progress: FeedProgress,
        is_archived: Callable[[str], bool] = lambda match: False,
    ) -> None:
        self._log = log
        self._writer = writer
        self._progress = progress
        self._is_archived = is_archived
        self._folded: LRUCache[str, AnyMatch] = LRUCache(FOLDED_MATCHES)
        self._positions: dict[int, int] = {}
        self._unreadable: set[tuple[str, int]] = set()
        """Matches that we could not read, with their feed positions. They are not retried."""

    def catch_up(self) -> list[MatchSummary]:
        """Apply all announcements after the checkpoints, and matches that no process could read before.

        Return the rows that we changed. Raises LogUnavailable.
        """
        self._positions = self._progress.checkpoints()
        return [*self._retry_unread(), *self._apply_new(range(SHARDS))]

    def advance(self, *shards: int) -> list[MatchSummary]:
        """Apply the new announcements of these shards. Return the rows that we changed. Raises LogUnavailable."""
        if unknown := [shard for shard in shards if shard not in self._positions]:
            self._positions |= self._progress.checkpoints(unknown)
        return self._apply_new(shards)

    def has_applied(self, match: str, ply: int) -> bool:
        """Return whether we have applied the match up to this ply."""
        folded = self._folded.get(match)
        return folded is not None and folded.ply >= ply

    def rebuild(self, progress: Progress = lambda positions: None) -> None:
        """Delete all projections and rebuild them. Raises LogUnavailable."""
        for shard in range(SHARDS):
            self._writer.reset(shard)
        self._positions = self._progress.checkpoints()
        self._apply_new(range(SHARDS), progress)

    def _apply_new(self, shards: Iterable[int], progress: Progress = lambda positions: None) -> list[MatchSummary]:
        rows: list[MatchSummary] = []
        behind = list(shards)
        while behind:
            found = self._log.feeds({shard: self._positions[shard] for shard in behind}, FEED_BATCH)
            for some in split_into_batches(found):
                rows += self._apply(some)
                progress(sum(map(len, some.values())))
            behind = [shard for shard, items in found.items() if len(items) == FEED_BATCH]
        return rows

    def _retry_unread(self) -> list[MatchSummary]:
        """Apply matches that an older release, or this one before a repair, could not read."""
        unread = {
            shard: sorted(position for match, position in matches.items() if (match, position) not in self._unreadable)
            for shard, matches in self._progress.unreadable_matches().items()
        }
        feeds = {
            shard: [item for position in positions for item in self._log.feed(shard, position - 1, 1)]
            for shard, positions in unread.items()
            if positions
        }
        return [row for some in split_into_batches(feeds) for row in self._apply(some)]

    def _apply(self, feeds: Mapping[int, Sequence[FeedItem]]) -> list[MatchSummary]:
        """Apply consecutive items of each shard. Each match is folded once, to its last announced ply."""
        newest = {item.match: item for items in feeds.values() for item in items}
        matches = self._load_matches(newest.values())
        changes = {
            shard: [self._change(item, newest[item.match], matches[item.match]) for item in items]
            for shard, items in feeds.items()
        }
        rows: list[MatchSummary] = []
        for shard, applied in self._writer.apply_shards(changes).items():
            if isinstance(applied, FeedGap):
                # The projections were reset, or a failover lost what we read: return to their checkpoint.
                self._positions[shard] = applied.checkpoint
                continue
            self._positions[shard] = max(self._positions[shard], changes[shard][-1].position)
            self._unreadable |= {(change.match, change.position) for change in changes[shard] if change.is_unreadable}
            rows += [
                change.row
                for change, by_us in zip(changes[shard], applied, strict=True)
                if by_us and change.row and not change.is_unreadable
            ]
        return rows

    def _change(self, item: FeedItem, newest: FeedItem, match: AnyMatch | None) -> ProjectionChange:
        """Return the change for a feed position. It is empty if `newest` is a later position of the same match."""
        if item is not newest:
            return ProjectionChange(item.position, item.match, None, required_announcements=(item, newest))
        if match is None:
            row = self._row_without_game(item.match)
            return ProjectionChange(item.position, item.match, row, required_announcements=(item,), is_unreadable=True)
        row = summarize_match(match)
        # A match from a file has a single append, its first, so matches played here skip this query.
        archived = row.status == "over" and item.first == 1 and self._is_archived(row.id)
        row = replace(row, rated=False, archived=True) if archived else row
        return ProjectionChange(item.position, item.match, row, match.notices, (item,), match.head_hash)

    def _row_without_game(self, match: str) -> MatchSummary | None:
        """Return what is known about an unreadable match without its game, or None if nothing is known."""
        try:
            row = summarize_match(match_without_game(self._log.lines(match)))
        except LogUnavailable as error:
            if not isinstance(error, LogDamaged):
                raise
        except Exception:  # damaged lines can fail in any way
            logger.critical("Match %s can't be read even without its game. It is left out of all lists.", match)
        else:
            return replace(row, rated=False, archived=True) if self._is_archived(match) else row
        return None

    def _load_matches(self, items: Collection[FeedItem]) -> dict[str, AnyMatch | None]:
        """Return the matches after their items' last plies; None for a match that can't be read."""
        known = {item.match: self._folded.get(item.match) for item in items}
        plies = {item.match: head.ply if (head := known[item.match]) else 1 for item in items}
        lines = self._log.spans({item.match: (plies[item.match], max(item.last, plies[item.match])) for item in items})
        return {item.match: self._load_match(item, known[item.match], lines[item.match]) for item in items}

    def _load_match(self, item: FeedItem, known: AnyMatch | None, lines: list[bytes] | LogDamaged) -> AnyMatch | None:
        """Return the match after the item's last ply. None: it cannot be read, which must not block other matches.

        The caller records the match as unreadable, so that a process that can read it applies it later. Until then it
        is listed with what is known without its game.
        """
        try:
            return self._fold(item, known, lines)
        except LogUnavailable as error:
            if not isinstance(error, LogDamaged):
                raise
            logger.critical("%s It is left out of all lists.", error)
        except Exception as error:  # an unknown game, or an error in its rules
            logger.critical("Match %s cannot be read (%s).", item.match, type(error).__name__)
        return None

    def _fold(self, item: FeedItem, known: AnyMatch | None, found: list[bytes] | LogDamaged) -> AnyMatch:
        """Return the match after the item's last ply, or after a later one that we have seen.

        `found` starts with the newest event of `known`, or with the first event of the match.
        """
        if isinstance(found, LogDamaged):
            raise found
        lines = found
        if known is not None and not (lines and is_newest_event(lines[0], known)):
            # A failover lost what we saw, which was never acknowledged.
            known, lines = None, self._log.lines(item.match, 1, item.last)
        elif known is not None:
            lines = lines[1:]
        if lines or known is None:
            game = known.rules if known else pinned_game(lines)
            known = self._folded[item.match] = fold(
                (read_event(line, game) for line in lines),
                known,
                self._past_states(item.match, game) if known else None,
            )
        return known

    def _past_states(self, match: str, game: AnyGame) -> MatchLookup:
        """Return a lookup of the match after earlier plies, read from the log."""
        history = cache(lambda: History([read_event(line, game) for line in self._log.lines(match)]))
        return lambda ply: history().at(ply)


def split_into_batches(feeds: Mapping[int, Sequence[FeedItem]]) -> Iterator[dict[int, Sequence[FeedItem]]]:
    """Yield the non-empty feeds in batches that are applied together."""
    portion: dict[int, Sequence[FeedItem]] = {}
    for shard, items in feeds.items():
        if items:
            portion[shard] = items
        if sum(map(len, portion.values())) >= POSITIONS_PER_APPLY:
            yield portion
            portion = {}
    if portion:
        yield portion
