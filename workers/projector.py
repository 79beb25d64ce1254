"""From the feeds to the projections: folds each announced match and applies its row."""

import logging
from collections.abc import Callable, Iterable, Sequence
from functools import cache

from cachetools import LRUCache
from msgspec.structs import replace

from domain.events import read_event
from domain.game import AnyGame
from domain.match import AnyMatch, History, Past, fold
from service.log.client import FeedItem, LogDamaged, LogUnavailable, MatchLog
from service.log.keys import SHARDS
from service.matches import ends_in, game_of
from service.projections import Change, FeedGap, Projections, Row, summary

logger = logging.getLogger("workers")

Progress = Callable[[int], object]
"""Is told how many positions have been applied."""
BATCH = 200
"""How much of a shard's feed is read at once."""
FOLDED_MATCHES = 2048
"""How many matches are kept folded, so that the next event costs one step."""


class Projector:
    """Keeps the projections up with the feeds. Several may work on the same ones: each position counts once."""

    def __init__(
        self, log: MatchLog, projections: Projections, is_archived: Callable[[str], bool] = lambda match: False
    ) -> None:
        self._log = log
        self._projections = projections
        self._is_archived = is_archived
        self._folded: LRUCache[str, AnyMatch] = LRUCache(FOLDED_MATCHES)
        self._reached: dict[int, int] = {}

    def catch_up(self) -> list[Row]:
        """Apply what all feeds announce behind the checkpoints; gives the rows that changed by us.

        Raises LogUnavailable.
        """
        self._reached = self._projections.checkpoints()
        return self._follow(range(SHARDS))

    def advance(self, shard: int) -> list[Row]:
        """The same for one shard, from as far as we know it. Raises LogUnavailable."""
        if shard not in self._reached:
            self._reached |= self._projections.checkpoints([shard])
        return self._follow([shard])

    def knows(self, match: str, ply: int) -> bool:
        """Whether the match has been applied up to this ply by us."""
        folded = self._folded.get(match)
        return folded is not None and folded.ply >= ply

    def rebuild(self, progress: Progress = lambda positions: None) -> None:
        """Throw all projections away and derive them again. Raises LogUnavailable."""
        for shard in range(SHARDS):
            self._projections.reset(shard)
        self._reached = self._projections.checkpoints()
        self._follow(range(SHARDS), progress)

    def _follow(self, shards: Iterable[int], progress: Progress = lambda positions: None) -> list[Row]:
        rows: list[Row] = []
        behind = list(shards)
        while behind:
            found = self._log.feeds({shard: self._reached[shard] for shard in behind}, BATCH)
            for shard, items in found.items():
                rows += self._apply(shard, items) if items else []
                progress(len(items))
            behind = [shard for shard, items in found.items() if len(items) == BATCH]
        return rows

    def _apply(self, shard: int, items: Sequence[FeedItem]) -> list[Row]:
        """Apply consecutive items. A match that is announced several times is folded once, to the last ply."""
        newest = {item.match: item for item in items}
        matches = {match: self._match(item) for match, item in newest.items()}
        changes = [self._change(item, matches[item.match] if newest[item.match] is item else None) for item in items]
        try:
            applied = self._projections.apply_all(shard, changes)
        except FeedGap as gap:
            # Somebody has thrown the projections away: back to where they are now.
            self._reached[shard] = gap.checkpoint
            return []
        self._reached[shard] = items[-1].position
        return [change.row for change, by_us in zip(changes, applied, strict=True) if by_us and change.row]

    def _change(self, item: FeedItem, match: AnyMatch | None) -> Change:
        """What a position of the feed changes."""
        if match is None:
            return Change(item.position, item.match, None)
        row = summary(match)
        archived = row.status == "over" and self._is_archived(row.id)
        row = replace(row, rated=False, archived=True) if archived else row
        return Change(item.position, item.match, row, match.notices)

    def _match(self, item: FeedItem) -> AnyMatch | None:
        """The match behind the item's last ply; None when it cannot be read, which must not stop all others."""
        try:
            return self._fold(item)
        except LogUnavailable as error:
            if not isinstance(error, LogDamaged):
                raise
            logger.critical("%s It is left out of all lists.", error)
        except Exception as error:  # an unknown game, or rules that fall over
            logger.critical("Match %s cannot be read (%s); it is left out.", item.match, type(error).__name__)
        return None

    def _fold(self, item: FeedItem) -> AnyMatch:
        """The match behind the item's last ply, or further on where we have seen more of it already."""
        known = self._folded.get(item.match)
        lines = self._log.lines(item.match, known.ply if known else 1, max(item.last, known.ply if known else 0))
        if known is not None and not (lines and ends_in(lines[0], known)):
            # What we have seen is no more: it was never acknowledged, and a failover has lost it.
            known, lines = None, self._log.lines(item.match, 1, item.last)
        elif known is not None:
            lines = lines[1:]
        if lines or known is None:
            game = known.rules if known else game_of(lines)
            known = self._folded[item.match] = fold(
                (read_event(line, game) for line in lines), known, self._past(item.match, game) if known else None
            )
        return known

    def _past(self, match: str, game: AnyGame) -> Past:
        """The match behind earlier plies, from the log."""
        history = cache(lambda: History([read_event(line, game) for line in self._log.lines(match)]))
        return lambda ply: history().at(ply)
