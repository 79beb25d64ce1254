"""The projections: what lobby, players and workers ask of all matches, derived from the feeds and from nothing else.

Every shard has its own, written by `project.lua` together with their checkpoint, so that each position of the feed
counts exactly once whoever applies it and however often. Reading merges the shards. All of it can be thrown away and
derived again, equal to the last byte; only the verdicts of audits stand beside it, since no feed tells them.

A shard's index is one sorted set of texts, each a list and a place in it: `list:mice_cake:open:<time>:<match>`. The
server keeps them in order, so a page begins behind the last entry of the page before, whatever has been added since.
"""

import random
import re
import time
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from hashlib import sha1
from heapq import merge
from importlib.resources import files
from itertools import islice
from typing import Annotated, Any, Literal, NamedTuple, TypeVar

import msgspec
from msgspec import Meta
from redis import Redis, RedisCluster
from redis.exceptions import NoScriptError

from domain.kernel.game import Outcome, Seat
from domain.match.clock import lobby_closing_time
from domain.match.proposals import seats_to_answer
from domain.match.state import AnyMatch, MatchStatus, Notice
from service.event_store.errors import REDIS_ERRORS, MatchNotFound, is_transient, redis_errors_as_unavailable
from service.event_store.keys import SHARDS, feed_key, hash_tag, is_match_id, log_key, projection_key, shard_of
from service.event_store.log import FeedItem
from service.notifications.outbox import delivery_records_key, encode_notices, outbox_key

T = TypeVar("T")

PROJECT_SCRIPT = files("service.read_models").joinpath("project.lua").read_text(encoding="utf-8")
PROJECT_SCRIPT_SHA1 = sha1(PROJECT_SCRIPT.encode(), usedforsecurity=False).hexdigest()

KEY_NAMES = (
    *("checkpoint", "rows", "index", "entries", "due", "unaudited", "unheard", "expiring", "owing"),
    *("results", "unfolded", "unread"),
)
"""A shard's keys that are derived again from its feed, in the order of the script."""
UNREADABLE_ROW = b"?"
"""What the script is given in the place of a row that cannot be made."""
MAX_RETRY_PAUSE = 0.05
"""The longest pause before the second try, in seconds."""
MAX_WORK_PER_SHARD = 100
"""How many waiting matches of a shard are told at once, so that a long queue is no heavy question."""
MAX_SCANNED_MATCHES = 1000
"""How many matches are looked at for one page of those that are wanted; the next page goes on from there."""
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
NEVER = datetime.max.replace(tzinfo=UTC)
_PLACE_PATTERN = re.compile(r"\d{13}:[0-9]{2}[a-z2-7]{16}", re.ASCII)


class InvalidCursor(ValueError):
    """This is no cursor of a page that was served."""


class FeedGap(Exception):
    """A position was to be applied before the one after `checkpoint`, or is not what was read any more.

    Nothing was applied of it. Read the feed again from there.
    """

    def __init__(self, position: int, checkpoint: int) -> None:
        super().__init__(f"position {position} cannot follow {checkpoint}")
        self.checkpoint = checkpoint


class SeatSummary(msgspec.Struct, frozen=True):
    """A seat in a list of matches."""

    kind: Literal["human", "bot", "open"]
    player: str | None
    level: str | None
    private: bool
    deadline: datetime | None = None
    standin: str | None = None


class MatchSummary(msgspec.Struct, frozen=True, kw_only=True):
    """A match in a list. It holds nothing that is hidden from anybody."""

    id: str
    game: str
    status: MatchStatus
    ply: int
    to_move: tuple[Seat, ...]
    seats: tuple[SeatSummary, ...]
    creator: str
    created_at: datetime
    at: datetime
    outcome: Outcome | None
    unheard: Annotated[tuple[int, ...], Meta(description="Disputes that await the audit's verdict.")] = ()
    disputes: Annotated[int, Meta(description="How many disputes nobody has resolved yet.")] = 0
    annulled: bool = False
    rated: bool = False
    paused: bool = False
    closes_at: Annotated[datetime | None, Meta(description="When an open match is called off if nobody comes.")] = None
    asked: Annotated[tuple[Seat, ...], Meta(description="Seats whose answer to a proposal is awaited.")] = ()
    clock: Literal["per_move", "bank"] | None = None
    private: Annotated[bool, Meta(description="It is told to nobody but those who sit there.")] = False
    by_chance: Annotated[bool, Meta(description="Who sits where is drawn at the start.")] = False
    archived: Annotated[bool, Meta(description="Taken up from a file: it counts for nobody here.")] = False
    ended_at: datetime | None = None
    """When the game came to its end."""

    @property
    def free_seat(self) -> Seat | None:
        """The first seat that anyone may take."""
        return next((n for n, seat in enumerate(self.seats) if seat.kind == "open" and not seat.private), None)

    @property
    def is_bot_to_move(self) -> bool:
        """Whether a bot owes a move."""
        return any(self.seats[seat].kind == "bot" or self.seats[seat].standin for seat in self.to_move)

    @property
    def deadline(self) -> datetime | None:
        """When the time of a seat is up, the earliest of several."""
        return min((seat.deadline for seat in self.seats if seat.deadline), default=None)

    def is_waiting_for(self, player: str) -> bool:
        """Whether the player owes a move or an answer."""
        owing = (self.seats[seat] for seat in {*self.to_move, *self.asked})
        return any(seat.player == player and not seat.standin for seat in owing)

    def deadline_of(self, player: str) -> datetime | None:
        """When the time of this player is up."""
        return min((seat.deadline for seat in self.seats if seat.player == player and seat.deadline), default=None)


class MatchFilter(msgspec.Struct, frozen=True):
    """What a match in a list must be like; None: either way.

    `seats`: anyone may take one; `clock`: of this kind, or `none`; `bots`: one plays.
    """

    has_free_seat: bool | None = None
    rated: bool | None = None
    clock: Literal["none", "per_move", "bank"] | None = None
    has_bots: bool | None = None

    def accepts(self, row: MatchSummary) -> bool:
        """Whether the match is such a one."""
        return (
            self.has_free_seat in (None, row.free_seat is not None)
            and self.rated in (None, row.rated)
            and self.clock in (None, row.clock or "none")
            and self.has_bots in (None, any(seat.kind == "bot" for seat in row.seats))
        )


ANY_MATCH = MatchFilter()


class ProjectionChange(msgspec.Struct, frozen=True):
    """A position of a shard's feed, the row of its match from there on, and what its people are to be told.

    Without a row the match stays as it was: because a later position says more, or because it cannot be read; then
    `unread` notes it for somebody who can, who may apply the same position with a row, also behind the checkpoint.
    A change is applied only where the feed has the announcements on which it `relies`, and the log the event with the
    hash `head` at the row's ply: a failover may have lost what was read.
    """

    position: int
    match: str
    row: MatchSummary | None
    notices: tuple[Notice, ...] = ()
    required_announcements: tuple[FeedItem, ...] = ()
    head_hash: str = ""
    is_unreadable: bool = False


class WorkItem(NamedTuple):
    """A match that waits for a worker at this ply, since then."""

    match: str
    ply: int
    since: datetime


class RatedResult(msgspec.Struct, frozen=True):
    """What the ratings take from a match: who played, on which places they ended, and which seats won."""

    match: str
    game: str
    ended_at: datetime
    players: tuple[str, ...]
    places: tuple[int, ...]
    winners: tuple[Seat, ...]

    @property
    def order_key(self) -> str:
        """Where it stands in the order in which results are taken: by time of end and id."""
        return f"{to_milliseconds(self.ended_at):013}:{self.match}"


class PendingResults(NamedTuple):
    """Results that the ratings have to take into account anew: by shard and `game:place`, a number that only grows.

    It is the position that says so, or one behind the checkpoint for a match that could not be read when it was there.
    """

    marks: dict[tuple[int, str], float]

    def added_since(self, earlier: "PendingResults") -> "PendingResults":
        """What of it the earlier news did not have."""
        return PendingResults({mark: at for mark, at in self.marks.items() if earlier.marks.get(mark) != at})

    def first_places(self) -> dict[str, str]:
        """By game, the first place of them."""
        found: dict[str, str] = {}
        for _, mark in self.marks:
            game, _, place = mark.partition(":")
            found[game] = min(place, found.get(game, place))
        return found


class Tally(NamedTuple):
    """How many matches a player has won, drawn and lost."""

    won: int
    drawn: int
    lost: int


class MatchPage(msgspec.Struct, frozen=True):
    """Some rows of a list; `cursor` asks for those behind them, None at the end of the list."""

    rows: list[MatchSummary]
    cursor: str | None


_summary_decoder = msgspec.json.Decoder(MatchSummary)
_result_decoder = msgspec.json.Decoder(RatedResult)


def summarize_match(match: AnyMatch) -> MatchSummary:
    """The row of a match."""
    return MatchSummary(
        id=match.id,
        game=match.game,
        status=match.status,
        ply=match.ply,
        to_move=tuple(sorted(match.to_move)),
        seats=tuple(summarize_seat(match, number) for number in range(len(match.seats))),
        creator=match.creator,
        created_at=match.created_at,
        at=match.last_event_at,
        outcome=match.outcome,
        unheard=tuple(dispute.number for dispute in match.disputes if not dispute.has_verdict),
        disputes=sum(dispute.is_open for dispute in match.disputes),
        annulled=match.annulled,
        rated=match.is_rated,
        paused=match.paused,
        closes_at=lobby_closing_time(match),
        asked=tuple(sorted({seat for proposal in match.proposals for seat in seats_to_answer(match, proposal)})),
        clock=match.time_control.kind if match.time_control else None,
        private=match.private,
        by_chance=match.by_chance,
        ended_at=match.ended_at,
    )


def rated_result(row: MatchSummary) -> RatedResult | None:
    """What the ratings take from a match; None where they take nothing."""
    players = tuple(seat.player for seat in row.seats if seat.player)
    if not row.rated or row.archived or row.outcome is None or row.ended_at is None or len(players) < len(row.seats):
        return None
    return RatedResult(row.id, row.game, row.ended_at, players, row.outcome.places, row.outcome.winners)


def tally_entries(row: MatchSummary) -> Iterator[tuple[str, str]]:
    """For each person at a match that was played to its end and may be told of, whether it was won, drawn or lost."""
    people = [seat.player for seat in row.seats]
    if row.outcome is None or row.private or row.archived:
        return
    for number, player in enumerate(people):
        if player is not None and people.count(player) == 1:
            won, drawn = number in row.outcome.winners, not row.outcome.winners
            yield player, "won" if won else "drawn" if drawn else "lost"


def summarize_seat(match: AnyMatch, number: Seat) -> SeatSummary:
    """A seat of a row."""
    seat = match.seats[number]
    deadline = match.clocks[number].deadline if match.clocks else None
    return SeatSummary(seat.kind, seat.player, seat.level, seat.private, deadline, seat.standin)


class Projections:
    """The projections of all shards. Threads, greenlets and processes may share them.

    Every method raises LogUnavailable when the server does not do its part, and MatchNotFound for a match id that
    cannot be one.
    """

    def __init__(self, redis: "Redis | RedisCluster") -> None:
        self._redis: Any = redis

    # -- writing ------------------------------------------------------------------------------------------------

    def apply(
        self, shard: int, position: int, match: str, row: MatchSummary | None, notices: tuple[Notice, ...] = ()
    ) -> bool:
        """Take one position of the shard's feed into account: `match` is now as in `row` (see `ProjectionChange`).

        False when the position was applied before. Raises FeedGap when one before it is missing.
        """
        return self.apply_all(shard, [ProjectionChange(position, match, row, notices)])[0]

    def apply_all(self, shard: int, changes: Sequence[ProjectionChange]) -> list[bool]:
        """The same for consecutive positions, in one round trip. Should it break off, the first ones are applied."""
        applied = self.apply_shards({shard: changes})[shard]
        if isinstance(applied, FeedGap):
            raise applied
        return applied

    def apply_shards(self, changes: Mapping[int, Sequence[ProjectionChange]]) -> dict[int, list[bool] | FeedGap]:
        """The same for several shards, in one round trip for all. A gap in one of them concerns no other."""
        runs = {shard: list(_group_changes(each)) for shard, each in changes.items()}
        calls = {shard: [self._script_call(shard, run) for run in each] for shard, each in runs.items()}
        answers = iter(try_twice(lambda: self._run_script(calls.values())))
        return {shard: _read_answers(each, list(islice(answers, len(each)))) for shard, each in runs.items()}

    def _script_call(self, shard: int, run: Sequence[ProjectionChange]) -> tuple[Any, ...]:
        """Keys and arguments of the script for changes of which the last alone may have a row."""
        change = run[-1]
        row = change.row
        verdict = verdict_key(change.match)
        keys = [*_projection_keys(shard), outbox_key(shard), delivery_records_key(change.match), verdict]
        keys += [feed_key(shard), log_key(change.match)]
        due = to_milliseconds(row.at) if row and row.is_bot_to_move else ""
        over = to_milliseconds(row.at) if row and row.status == "over" else ""
        disputed = to_milliseconds(row.at) if row and row.unheard else ""
        due_at = (row.deadline or row.closes_at) if row else None
        deadline = to_milliseconds(due_at) if due_at else ""
        raw = msgspec.json.encode(row) if row else UNREADABLE_ROW if change.is_unreadable else b""
        result = rated_result(row) if row else None
        return (
            len(keys),
            *keys,
            change.position,
            change.match,
            raw,
            due,
            over,
            disputed,
            deadline,
            encode_notices(change.notices),
            b"%s:%s %s" % (result.game.encode(), result.order_key.encode(), msgspec.json.encode(result))
            if result
            else "",
            run[0].position,
            "\n".join(announcement_line(item) for each in run for item in each.required_announcements),
            f"{row.ply} {change.head_hash}" if row and change.head_hash else "",
            *(index_entries(row) if row else ()),
        )

    def _run_script(self, calls: Collection[Sequence[tuple[Any, ...]]]) -> list[Any]:
        """The answers to all these calls of the script, those of a shard in their order."""
        try:
            return self._run_pipeline([("EVALSHA", PROJECT_SCRIPT_SHA1, *call) for each in calls for call in each])
        except NoScriptError:
            # The first call for a shard teaches the script to the server, of which a cluster has several.
            firsts = [[("EVAL", PROJECT_SCRIPT, *call) for call in each[:1]] for each in calls]
            others = [[("EVALSHA", PROJECT_SCRIPT_SHA1, *call) for call in each[1:]] for each in calls]
            return self._run_pipeline(
                [call for both in zip(firsts, others, strict=True) for each in both for call in each]
            )

    def reset(self, shard: int) -> None:
        """Forget the shard's projections, to derive them again from position 1 of its feed."""
        try_twice(lambda: self._redis.unlink(*_projection_keys(shard)))

    def record_verdict(self, match: str, verdict: bytes, *, failed: bool = False) -> None:
        """Keep the verdict (JSON) of a match's audit; the match is audited now. Failed ones are listed as well."""
        failures = projection_key(_shard_of(match), "failed")

        def write() -> None:
            with self._redis.pipeline(transaction=True) as pipeline:
                pipeline.set(verdict_key(match), verdict)
                pipeline.zrem(projection_key(shard_of(match), "unaudited"), match)
                pipeline.sadd(failures, match) if failed else pipeline.srem(failures, match)
                pipeline.execute()

        try_twice(write)

    # -- reading, for workers -----------------------------------------------------------------------------------

    def checkpoint(self, shard: int) -> int:
        """The last position of the shard's feed that was applied, 0 at the beginning."""
        return self.checkpoints([shard])[shard]

    def checkpoints(self, shards: Iterable[int] = range(SHARDS)) -> dict[int, int]:
        """The same for several shards in one round trip."""
        wanted = list(shards)
        found = self._read([("GET", projection_key(shard, "checkpoint")) for shard in wanted])
        return {shard: int(value or 0) for shard, value in zip(wanted, found, strict=True)}

    def unreadable_matches(self) -> dict[int, dict[str, int]]:
        """By shard, the matches that nobody could read yet, each with the position of its newest announcement."""
        found = self._read(
            [("ZRANGE", projection_key(shard, "unread"), 0, -1, "WITHSCORES") for shard in range(SHARDS)]
        )
        return {
            shard: {match.decode(): int(at) for match, at in _members_with_scores(each)}
            for shard, each in enumerate(found)
        }

    def due_bot_turns(self, before: datetime | None = None, now: datetime | None = None) -> list[WorkItem]:
        """Matches in which a bot owes a move, the one that waits longest first.

        Only those that have waited since before then; with `now` also those since later than now, as it is when the
        clock was set back.
        """
        return [
            WorkItem(row.id, row.ply, row.at) for row in self._waiting_since("due", before, now) if row.is_bot_to_move
        ]

    def expired_deadlines(self, now: datetime) -> list[WorkItem]:
        """Matches in which the time of a seat, or that to sit down, is up, by the deadline that passed first."""
        ends = (
            (row, row.deadline or row.closes_at)
            for row in self._waiting_since("expiring", now + timedelta(milliseconds=1))
        )
        found = [WorkItem(row.id, row.ply, end) for row, end in ends if end and end <= now]
        return sorted(found, key=lambda waiting: waiting.since)

    def unaudited_matches(self, before: datetime | None = None, now: datetime | None = None) -> list[WorkItem]:
        """Matches that are over and have no verdict, the one that waits longest first; for the times see `due`."""
        return [WorkItem(row.id, row.ply, row.at) for row in self._waiting_since("unaudited", before, now)]

    def failed_audits(self) -> list[str]:
        """The ids of all matches whose last audit failed."""
        found = self._read([("SMEMBERS", projection_key(shard, "failed")) for shard in range(SHARDS)])
        return sorted(match.decode() for matches in found for match in matches)

    def disputes_awaiting_verdict(self, before: datetime | None = None, now: datetime | None = None) -> list[WorkItem]:
        """Disputes (`ply` is their number) that await a verdict, the longest first; for the times see `due`."""
        rows = self._waiting_since("unheard", before, now)
        return [WorkItem(row.id, number, row.at) for row in rows for number in row.unheard]

    def disputed_matches(self, limit: int = 500) -> list[MatchSummary]:
        """Matches with disputes that nobody has resolved, the one that waits longest first."""
        prefix = "court:"
        found = self._read(
            [
                ("ZRANGEBYLEX", projection_key(shard, "index"), f"[{prefix}", _end_of_list(prefix), "LIMIT", 0, limit)
                for shard in range(SHARDS)
            ]
        )
        places = sorted(_place_in_list(entry, prefix) for entries in found for entry in entries)
        return [row for row in self._load_summaries(map(_match_of_place, places[:limit])) if row.disputes]

    def verdict(self, match: str) -> bytes | None:
        """The verdict (JSON) of the match's audit, if there is one."""
        found: bytes | None = try_twice(lambda: self._redis.get(verdict_key(match)))
        return found

    def _waiting_since(self, name: str, before: datetime | None, now: datetime | None = None) -> list[MatchSummary]:
        spans = [("-inf", f"({to_milliseconds(before)}" if before else "+inf")]
        spans += [(f"({to_milliseconds(now)}", "+inf")] if before and now else []
        keys = [projection_key(shard, name) for shard in range(SHARDS)]
        queries = [(key, *span, "LIMIT", 0, MAX_WORK_PER_SHARD) for key in keys for span in spans]
        found = self._read([("ZRANGEBYSCORE", *query) for query in queries])
        rows = self._load_summaries(match.decode() for waiting in found for match in waiting)
        return sorted(rows, key=lambda row: row.at)

    # -- reading, for the ratings -------------------------------------------------------------------------------

    def pending_results(self) -> PendingResults:
        """What the ratings have not taken into account."""
        found = self._read([("ZRANGE", projection_key(s, "unfolded"), 0, -1, "WITHSCORES") for s in range(SHARDS)])
        marks = (
            (shard, mark.decode(), at) for shard, each in enumerate(found) for mark, at in _members_with_scores(each)
        )
        return PendingResults({(shard, mark): at for shard, mark, at in marks})

    def acknowledge_results(self, news: PendingResults) -> None:
        """The ratings have taken these into account; what has changed meanwhile is still news."""
        seen: dict[int, float] = {}
        for (shard, _), position in news.marks.items():
            seen[shard] = max(position, seen.get(shard, 0))
        self._read([("ZREMRANGEBYSCORE", projection_key(shard, "unfolded"), "-inf", at) for shard, at in seen.items()])

    def count_results(self, games: Iterable[str]) -> int:
        """How many results of these games are rated."""
        prefixes = [f"rated:{game}:" for game in games]
        keys = [projection_key(shard, "index") for shard in range(SHARDS)]
        return sum(
            self._read([("ZLEXCOUNT", key, f"[{each}", _end_of_list(each)) for each in prefixes for key in keys])
        )

    def rated_results(self, game: str, after: str, limit: int) -> list[RatedResult]:
        """The results that are rated and stand behind a place (`""`: from the first), in their order."""
        prefix = f"rated:{game}:"
        start = f"({prefix}{after}"
        found = self._read(
            [
                ("ZRANGEBYLEX", projection_key(shard, "index"), start, _end_of_list(prefix), "LIMIT", 0, limit)
                for shard in range(SHARDS)
            ]
        )
        places = sorted(_place_in_list(entry, prefix) for entries in found for entry in entries)[:limit]
        by_shard: dict[int, list[str]] = {}
        for match in map(_match_of_place, places):
            by_shard.setdefault(_shard_of(match), []).append(match)
        raw = self._read([("HMGET", projection_key(shard, "results"), *ids) for shard, ids in by_shard.items()])
        results = [_result_decoder.decode(each.partition(b" ")[2]) for found in raw for each in found if each]
        # Between the two readings one may have changed; then that is news.
        return sorted((r for r in results if r.order_key > after), key=lambda result: result.order_key)

    # -- reading, for people ------------------------------------------------------------------------------------

    def find_match(self, match: str) -> MatchSummary | None:
        """The row of one match, if it is known here yet."""
        rows = self._load_summaries([match])
        return rows[0] if rows else None

    def find_matches(self, matches: Iterable[str]) -> list[MatchSummary]:
        """The rows of these matches, leaving out those that are not known here yet."""
        return self._load_summaries(matches)

    def list_matches(
        self,
        game: str | None = None,
        status: MatchStatus | None = None,
        cursor: str | None = None,
        limit: int = 50,
        wanted: MatchFilter = ANY_MATCH,
        private: bool = False,
    ) -> MatchPage:
        """Matches, the newest first: all, or those of a game, of a status, or that are wanted. Raises BadCursor.

        A page may have fewer than `limit` rows, even none, and yet a cursor: what is rare is looked for in steps.
        The `private` ones are in a list of their own, for who looks after the service.
        """
        prefix = f"{'private' if private else 'list'}:{game or '*'}:{status or '*'}:"
        # Between the two readings a match may have gone to another list.
        return self._page(prefix, cursor, limit, lambda row: status in (None, row.status) and wanted.accepts(row))

    def list_played_by(self, player: str, reader: str | None, cursor: str | None = None, limit: int = 50) -> MatchPage:
        """The matches at which the player sits, the newest first, as `reader` may know of them. Raises BadCursor."""

        def told(row: MatchSummary) -> bool:
            people = {seat.player for seat in row.seats if seat.player}
            return player in people and (not row.private or reader in people)

        return self._page(f"mine:{player}:", cursor, limit, told)

    def _page(self, prefix: str, cursor: str | None, limit: int, takes: Callable[[MatchSummary], bool]) -> MatchPage:
        start = decode_cursor(cursor) if cursor else None
        places = self._newest_places(prefix, start, chunk=4 + limit // 16)
        kept: list[MatchSummary] = []
        looked_at, last = 0, ""
        while looked_at < MAX_SCANNED_MATCHES and (batch := list(islice(places, limit))):
            rows = {
                row.id: row for row in self._load_summaries(map(_match_of_place, batch if len(kept) < limit else ()))
            }
            for place in batch:
                if len(kept) == limit:
                    return MatchPage(kept, encode_cursor(last))
                row, last = rows.get(_match_of_place(place)), place
                kept += [row] if row and takes(row) else []
            looked_at += len(batch)
        return MatchPage(kept, encode_cursor(last) if last and next(places, None) else None)

    def matches_of(self, player: str, limit: int = 500) -> list[MatchSummary]:
        """The newest matches that the player sits at or has created, the newest first."""
        return self._load_summaries(
            map(_match_of_place, islice(self._newest_places(f"mine:{player}:", None, chunk=16), limit))
        )

    def has_public_matches(self, player: str) -> bool:
        """Whether the player has ever sat at a match that is not private, or set one up."""
        rows = self._load_summaries(
            map(_match_of_place, islice(self._newest_places(f"mine:{player}:", None, chunk=1), MAX_SCANNED_MATCHES))
        )
        return any(not row.private for row in rows)

    def tallies(self, player: str, games: Iterable[str]) -> dict[str, Tally]:
        """By game, what came of all matches of a player that were played to an end, rated or not."""
        wanted = [(game, word) for game in games for word in Tally._fields]
        counts = self._read(
            [
                ("ZLEXCOUNT", projection_key(shard, "index"), f"[{prefix}", _end_of_list(prefix))
                for prefix in (f"tally:{player}:{game}:{word}:" for game, word in wanted)
                for shard in range(SHARDS)
            ]
        )
        sums = {each: sum(counts[n * SHARDS : (n + 1) * SHARDS]) for n, each in enumerate(wanted)}
        found = {game: Tally(*(sums[game, word] for word in Tally._fields)) for game, _ in wanted}
        return {game: tally for game, tally in found.items() if any(tally)}

    def count_open_matches(self, player: str) -> int:
        """How many matches that the player has created are not over, as far as the lists know yet."""
        prefix = f"busy:{player}:"
        found = self._read(
            [
                ("ZLEXCOUNT", projection_key(shard, "index"), f"[{prefix}", _end_of_list(prefix))
                for shard in range(SHARDS)
            ]
        )
        return sum(found)

    def turns_of(self, player: str, limit: int = 500) -> list[MatchSummary]:
        """The matches that wait for a move or an answer of the player: by deadline, then the one that waits longest."""
        prefix = f"turn:{player}:"
        found = self._read(
            [
                ("ZRANGEBYLEX", projection_key(shard, "index"), f"[{prefix}", _end_of_list(prefix), "LIMIT", 0, limit)
                for shard in range(SHARDS)
            ]
        )
        places = sorted(_place_in_list(entry, prefix) for entries in found for entry in entries)
        rows = self._load_summaries(map(_match_of_place, places[:limit]))
        waiting = [row for row in rows if row.is_waiting_for(player)]
        return sorted(waiting, key=lambda row: (row.deadline_of(player) or NEVER, row.at))

    def _newest_places(self, prefix: str, start: str | None, chunk: int) -> Iterator[str]:
        """The places in a list from the end, or from behind `start`, merged over the shards and read as needed."""
        after = f"({prefix}{start}" if start else _end_of_list(prefix)
        first = self._read([_reverse_range(shard, prefix, after, chunk) for shard in range(SHARDS)])
        shards = (self._older_places(shard, prefix, entries, chunk) for shard, entries in enumerate(first))
        return merge(*shards, reverse=True)

    def _older_places(self, shard: int, prefix: str, entries: list[bytes], chunk: int) -> Iterator[str]:
        while entries:
            yield from (_place_in_list(entry, prefix) for entry in entries)
            if len(entries) < chunk:
                return
            [entries] = self._read([_reverse_range(shard, prefix, b"(" + entries[-1], chunk)])

    def _load_summaries(self, matches: Iterable[str]) -> list[MatchSummary]:
        """The rows of these matches in this order, leaving out those that are not known."""
        wanted = list(matches)
        by_shard: dict[int, list[str]] = {}
        for match in wanted:
            by_shard.setdefault(_shard_of(match), []).append(match)
        found = self._read([("HMGET", projection_key(shard, "rows"), *ids) for shard, ids in by_shard.items()])
        known: dict[str, bytes | None] = {}
        for ids, rows in zip(by_shard.values(), found, strict=True):
            known.update(zip(ids, rows, strict=True))
        return [_summary_decoder.decode(raw) for match in wanted if (raw := known[match])]

    def _read(self, commands: Sequence[tuple[Any, ...]]) -> list[Any]:
        """The answers to commands that only read, each about one shard, in one round trip."""
        return try_twice(lambda: self._run_pipeline(commands))

    def _run_pipeline(self, commands: Sequence[tuple[Any, ...]]) -> list[Any]:
        if not commands:
            return []
        with self._redis.pipeline(transaction=False) as pipeline:
            for command in commands:
                pipeline.execute_command(*command)
            return list(pipeline.execute())


def index_entries(row: MatchSummary) -> list[str]:
    """Where a match stands in the index."""
    created, now = f"{to_milliseconds(row.created_at):013}:{row.id}", f"{to_milliseconds(row.at):013}:{row.id}"
    players = {row.creator, *(seat.player for seat in row.seats if seat.player)}
    waiting = {player for seat in row.seats if (player := seat.player) and row.is_waiting_for(player)}
    result = rated_result(row)
    name = "private" if row.private else "list"
    return sorted(
        [
            *(f"{name}:{game}:{status}:{created}" for game in ("*", row.game) for status in ("*", row.status)),
            *(f"mine:{player}:{created}" for player in players),
            *(f"turn:{player}:{now}" for player in waiting),
            *([f"court:{now}"] if row.disputes else []),
            *([f"rated:{row.game}:{result.order_key}"] if result else []),
            *(f"tally:{player}:{row.game}:{word}:{created}" for player, word in tally_entries(row)),
            *([f"busy:{row.creator}:{created}"] if row.status != "over" else []),
        ]
    )


def verdict_key(match: str) -> str:
    """The verdict of the match's audit, JSON."""
    return f"{hash_tag(_shard_of(match))}:audit:{match}"


def to_milliseconds(at: datetime) -> int:
    """The time in milliseconds since 1970, rounded down."""
    return (at - EPOCH) // timedelta(milliseconds=1)


def encode_cursor(place: str) -> str:
    """The cursor behind a place in a list."""
    return urlsafe_b64encode(place.encode()).decode().rstrip("=")


def decode_cursor(cursor: str) -> str:
    """The place in a list that a cursor names. Raises BadCursor."""
    try:
        place = urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode()
    except ValueError:
        place = ""
    if not _PLACE_PATTERN.fullmatch(place) or encode_cursor(place) != cursor:
        raise InvalidCursor("This is no cursor that was served here. Leave it out to begin with the first page.")
    return place


def _group_changes(changes: Iterable[ProjectionChange]) -> Iterator[list[ProjectionChange]]:
    """Consecutive changes, parted behind each that says something: what says nothing goes with what comes behind it."""
    run: list[ProjectionChange] = []
    for change in changes:
        run.append(change)
        if change.row is not None or change.is_unreadable:
            yield run
            run = []
    if run:
        yield run


def _read_answers(runs: Sequence[Sequence[ProjectionChange]], answers: Sequence[Any]) -> list[bool] | FeedGap:
    """Which of a shard's changes were applied now, or that one of them came too early."""
    applied: list[bool] = []
    for run, (status, checkpoint) in zip(runs, answers, strict=True):
        if status in (b"GAP", b"GONE"):
            return FeedGap(run[0].position, checkpoint)
        applied += [status == b"APPLIED" and change.position > checkpoint for change in run]
    return applied


def _projection_keys(shard: int) -> list[str]:
    return [projection_key(shard, name) for name in KEY_NAMES]


def announcement_line(item: FeedItem) -> str:
    """An announcement as the script looks for it."""
    return f"{item.position} {item.match} {item.first} {item.last}"


def _shard_of(match: str) -> int:
    if not is_match_id(match):
        raise MatchNotFound("There is no such match.")
    return shard_of(match)


def _reverse_range(shard: int, prefix: str, after: str | bytes, count: int) -> tuple[Any, ...]:
    return ("ZREVRANGEBYLEX", projection_key(shard, "index"), after, f"[{prefix}", "LIMIT", 0, count)


def _end_of_list(prefix: str) -> str:
    """The end of a list: behind the prefix stand digits, and the colon sorts behind all of them."""
    return f"({prefix}:"


def _place_in_list(entry: bytes, prefix: str) -> str:
    return entry[len(prefix.encode()) :].decode()


def _members_with_scores(answer: Sequence[Any]) -> Iterator[tuple[bytes, float]]:
    """Members with their scores, as either version of the protocol tells them."""
    if answer and isinstance(answer[0], list | tuple):
        yield from ((member, float(score)) for member, score in answer)
    else:
        yield from ((member, float(score)) for member, score in zip(answer[::2], answer[1::2], strict=True))


def _match_of_place(place: str) -> str:
    return place.partition(":")[2]


def try_twice(call: Callable[[], T]) -> T:
    """The call's answer, asked for once more where that may help: everything here may be done twice."""
    with redis_errors_as_unavailable():
        try:
            return call()
        except REDIS_ERRORS as error:
            if not is_transient(error):
                raise
        time.sleep(random.uniform(0, MAX_RETRY_PAUSE))  # noqa: S311 -- jitter, no secret
        return call()
