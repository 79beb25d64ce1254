"""The lists of matches on the pages and in the API: the lobby, and a player's matches, turns and record."""

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from heapq import merge
from itertools import islice
from typing import Any, Literal

import msgspec
from redis import Redis, RedisCluster

from domain.match.state import MatchStatus
from service.event_store.keys import SHARDS, projection_key
from service.read_models.shards import ShardReader, end_of_list, match_of_place, place_in_list
from service.read_models.summary import (
    MatchSummary,
    Tally,
)
from service.runtime.clock import from_milliseconds

MAX_SCANNED_MATCHES = 1000
"""Maximum number of matches read for one page. The next page continues from there."""
NEVER = datetime.max.replace(tzinfo=UTC)
_PLACE_PATTERN = re.compile(r"\d{13}:[0-9]{2}[a-z2-7]{16}", re.ASCII)


class InvalidCursor(ValueError):
    """The cursor does not come from this server."""


class MatchFilter(msgspec.Struct, frozen=True):
    """A filter for a list of matches. Fields that are None do not filter.

    `has_free_seat`: anyone may take a seat; `clock`: the kind of time control, or `none`; `has_bots`: a bot plays.
    """

    has_free_seat: bool | None = None
    rated: bool | None = None
    clock: Literal["none", "per_move", "bank"] | None = None
    has_bots: bool | None = None

    def accepts(self, row: MatchSummary) -> bool:
        """Return whether the match passes the filter."""
        return (
            self.has_free_seat in (None, row.free_seat is not None)
            and self.rated in (None, row.rated)
            and self.clock in (None, row.clock or "none")
            and self.has_bots in (None, any(seat.kind == "bot" for seat in row.seats))
        )


ANY_MATCH = MatchFilter()


class MatchPage(msgspec.Struct, frozen=True):
    """A page of a list. `cursor` requests the next page; None at the end of the list."""

    rows: list[MatchSummary]
    cursor: str | None


class MatchLists:
    """Summaries of matches, by id and in lists. Threads, greenlets and processes may share it."""

    def __init__(self, redis: "Redis | RedisCluster") -> None:
        self._shards = ShardReader(redis)

    def find_match(self, match: str) -> MatchSummary | None:
        """Return the row of one match, if the lists have it yet."""
        rows = self._shards.load_summaries([match])
        return rows[0] if rows else None

    def find_matches(self, matches: Iterable[str]) -> list[MatchSummary]:
        """Return the rows of these matches, without those that the lists do not have yet."""
        return self._shards.load_summaries(matches)

    def list_matches(
        self,
        game: str | None = None,
        status: MatchStatus | None = None,
        cursor: str | None = None,
        limit: int = 50,
        wanted: MatchFilter = ANY_MATCH,
        private: bool = False,
    ) -> MatchPage:
        """Return matches, newest first, optionally by game, status and filter. Raises InvalidCursor.

        A page may have a cursor with fewer than `limit` rows, even none, because rare matches are searched in steps.
        `private` lists the unlisted matches, for operators.
        """
        prefix = f"{'private' if private else 'list'}:{game or '*'}:{status or '*'}:"
        # A match may have changed its status after the index was read.
        return self._page(prefix, cursor, limit, lambda row: status in (None, row.status) and wanted.accepts(row))

    def list_played_by(self, player: str, reader: str | None, cursor: str | None = None, limit: int = 50) -> MatchPage:
        """Return the matches of a player that `reader` may see, newest first. Raises InvalidCursor."""

        def is_visible(row: MatchSummary) -> bool:
            people = {seat.player for seat in row.seats if seat.player}
            return player in people and (not row.private or reader in people)

        return self._page(f"mine:{player}:", cursor, limit, is_visible)

    def matches_of(self, player: str, limit: int = 500) -> list[MatchSummary]:
        """Return the newest matches that the player plays in or has created, newest first."""
        return self._shards.load_summaries(
            map(match_of_place, islice(self._newest_places(f"mine:{player}:", None, chunk=16), limit))
        )

    def first_match_at(self, player: str) -> datetime | None:
        """Return when the player's first match was created, or None."""
        places = self._shards.first_places(f"mine:{player}:", 1)
        return from_milliseconds(int(places[0].partition(":")[0])) if places else None

    def has_public_matches(self, player: str) -> bool:
        """Return whether the player has played in or created a listed match, among their newest matches."""
        rows = self._shards.load_summaries(
            map(match_of_place, islice(self._newest_places(f"mine:{player}:", None, chunk=1), MAX_SCANNED_MATCHES))
        )
        return any(not row.private for row in rows)

    def tallies(self, player: str, games: Iterable[str]) -> dict[str, Tally]:
        """Return, by game, how many listed matches a player has won, drawn and lost, rated or not."""
        wanted = [(game, word) for game in games for word in Tally._fields]
        counts = self._shards.count_entries([f"tally:{player}:{game}:{word}:" for game, word in wanted])
        sums = dict(zip(wanted, counts, strict=True))
        found = {game: Tally(*(sums[game, word] for word in Tally._fields)) for game, _ in wanted}
        return {game: tally for game, tally in found.items() if any(tally)}

    def count_open_matches(self, player: str) -> int:
        """Return how many matches created by the player are not over, as of the latest checkpoint."""
        return self._shards.count_entries([f"busy:{player}:"])[0]

    def turns_of(self, player: str, limit: int = 500) -> list[MatchSummary]:
        """Return the matches waiting for the player's move or answer, by deadline and then longest waiting first."""
        rows = self._shards.load_summaries(map(match_of_place, self._shards.first_places(f"turn:{player}:", limit)))
        waiting = [row for row in rows if row.is_waiting_for(player) and not row.without_game]
        return sorted(waiting, key=lambda row: (row.deadline_of(player) or NEVER, row.at))

    def _page(self, prefix: str, cursor: str | None, limit: int, takes: Callable[[MatchSummary], bool]) -> MatchPage:
        start = decode_cursor(cursor) if cursor else None
        places = self._newest_places(prefix, start, chunk=4 + limit // 16)
        kept: list[MatchSummary] = []
        looked_at, last = 0, ""
        while looked_at < MAX_SCANNED_MATCHES and (batch := list(islice(places, limit))):
            rows = {
                row.id: row
                for row in self._shards.load_summaries(map(match_of_place, batch if len(kept) < limit else ()))
            }
            for place in batch:
                if len(kept) == limit:
                    return MatchPage(kept, encode_cursor(last))
                row, last = rows.get(match_of_place(place)), place
                kept += [row] if row and takes(row) else []
            looked_at += len(batch)
        return MatchPage(kept, encode_cursor(last) if last and next(places, None) else None)

    def _newest_places(self, prefix: str, start: str | None, chunk: int) -> Iterator[str]:
        """Yield the places in a list backwards from the end or from before `start`, merged over the shards."""
        after = f"({prefix}{start}" if start else end_of_list(prefix)
        first = self._shards.read([_reverse_range(shard, prefix, after, chunk) for shard in range(SHARDS)])
        shards = (self._older_places(shard, prefix, entries, chunk) for shard, entries in enumerate(first))
        return merge(*shards, reverse=True)

    def _older_places(self, shard: int, prefix: str, entries: list[bytes], chunk: int) -> Iterator[str]:
        while entries:
            yield from (place_in_list(entry, prefix) for entry in entries)
            if len(entries) < chunk:
                return
            [entries] = self._shards.read([_reverse_range(shard, prefix, b"(" + entries[-1], chunk)])


def encode_cursor(place: str) -> str:
    """Return the cursor for the page after a place in a list."""
    return urlsafe_b64encode(place.encode()).decode().rstrip("=")


def decode_cursor(cursor: str) -> str:
    """Return the place in a list that a cursor names. Raises InvalidCursor."""
    try:
        place = urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode()
    except ValueError:
        place = ""
    if not _PLACE_PATTERN.fullmatch(place) or encode_cursor(place) != cursor:
        raise InvalidCursor("This cursor is invalid. Leave it out to start from the first page.")
    return place


def _reverse_range(shard: int, prefix: str, after: str | bytes, count: int) -> tuple[Any, ...]:
    return ("ZREVRANGEBYLEX", projection_key(shard, "index"), after, f"[{prefix}", "LIMIT", 0, count)
