"""Contents, order and pages of the lists: lobby, turns, a player's matches, and work."""

import string
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from redis import Redis

from domain.match.commands import Play, SeatSpec, TakeSeat
from service.event_store.keys import SHARDS
from service.event_store.log import MatchLog
from service.matches.command_handler import MatchCommandHandler
from service.matches.creation import MatchCreator
from service.matches.repository import MatchRepository
from service.matches.results import IdempotencyKey
from service.read_models.match_lists import InvalidCursor, encode_cursor
from service.read_models.summary import MatchSummary, summarize_match
from service.read_models.work_lists import WorkItem
from service.runtime.clock import SystemClock
from tests.projections import Projections
from tests.service.read_models.rows import (
    DRAW,
    NOON,
    OPEN_SEAT,
    SECOND,
    FeedWriter,
    bot_seat,
    human_seat,
    make_summary,
    match_id,
    match_ids,
)

# -- rows ---------------------------------------------------------------------------------------------------------


def test_the_row_of_a_match_has_no_hidden_information(log: MatchLog) -> None:
    repository, clock = MatchRepository(log), SystemClock()
    seats, share = [SeatSpec("human", player="p_ann"), SeatSpec("bot", level="greedy")], "ab" * 32
    creation = MatchCreator(log, repository, clock, b"secret")
    made = creation.create("p_ann", "tic_tac_toe", seats, {}, level="open").match
    matches = MatchCommandHandler(log, repository, clock)
    sitting = TakeSeat(0, "p_ann", commitment=made.commitment, share=share)
    matches.submit(made.id, sitting, IdempotencyKey("p_ann", "sit"))
    moved = matches.submit(made.id, Play(0, {"type": "mark", "cell": 4}), IdempotencyKey("p_ann", "k")).match
    found = summarize_match(moved)
    assert found == MatchSummary(
        id=made.id,
        game="tic_tac_toe",
        status="playing",
        ply=5,
        to_move=(1,),
        seats=(human_seat("p_ann"), bot_seat("greedy")),
        creator="p_ann",
        created_at=made.created_at,
        at=moved.last_event_at,
        outcome=None,
    )
    assert found.is_bot_to_move
    assert share not in repr(found)


def test_an_applied_row_is_read_back_unchanged(projections: Projections) -> None:
    over = make_summary(
        match_id(3), status="over", outcome=DRAW, seats=(human_seat("p_ann"), bot_seat()), at=NOON + SECOND
    )
    FeedWriter(projections).announce(over)
    assert projections.lists.find_match(over.id) == over
    assert projections.lists.find_match(match_id(4)) is None


# -- lobby --------------------------------------------------------------------------------------------------------


def test_the_lobby_lists_matches_by_game_and_status_newest_first(projections: Projections) -> None:
    def made(name: str, seconds: int, **other: Any) -> MatchSummary:
        return make_summary(match_id(seconds % SHARDS, name), created_at=NOON + seconds * SECOND, **other)

    old, middle = (
        made("old", 1, status="open", seats=(human_seat("p_ann"), OPEN_SEAT)),
        made("middle", 70, game="mice_cake"),
    )
    new, last = made("new", 90), made("last", 95, game="mice_cake", status="over", outcome=DRAW)
    FeedWriter(projections).announce(middle, last, old, new)
    assert match_ids(projections.lists.list_matches().rows) == match_ids([last, new, middle, old])
    assert match_ids(projections.lists.list_matches(game="mice_cake").rows) == match_ids([last, middle])
    assert match_ids(projections.lists.list_matches(status="playing").rows) == match_ids([new, middle])
    assert match_ids(projections.lists.list_matches(game="tic_tac_toe", status="open").rows) == [old.id]
    assert projections.lists.list_matches(game="mice_cake", status="open").rows == []


def test_a_match_moves_from_list_to_list_and_keeps_its_place(projections: Projections) -> None:
    feeds = FeedWriter(projections)
    match, later = match_id(7), match_id(8)
    feeds.announce(make_summary(match, status="open"), make_summary(later, created_at=NOON + SECOND, status="playing"))
    feeds.announce(make_summary(match, status="playing", at=NOON + 9 * SECOND))
    assert match_ids(projections.lists.list_matches(status="playing").rows) == [later, match]
    assert projections.lists.list_matches(status="open").rows == []
    feeds.announce(make_summary(match, status="over", outcome=DRAW))
    assert match_ids(projections.lists.list_matches(status="over").rows) == [match]
    assert match_ids(projections.lists.list_matches(status="playing").rows) == [later]


def test_pages_continue_where_they_ended_even_if_matches_are_added(projections: Projections) -> None:
    """Given 100 matches created in the same millisecond and 30 later ones, when more are added between the pages, then
    each old match appears exactly once and the new ones do not."""
    feeds = FeedWriter(projections)
    same = [make_summary(match_id(n % SHARDS, string.ascii_lowercase[n // SHARDS])) for n in range(100)]
    later = [make_summary(match_id(n, "later"), created_at=NOON + (n + 1) * SECOND) for n in range(30)]
    feeds.announce(*same, *later)
    seen: list[str] = []
    cursor = None
    for page_number in range(40):
        page = projections.lists.list_matches(cursor=cursor, limit=9)
        seen += match_ids(page.rows)
        feeds.announce(make_summary(match_id(page_number, "new"), created_at=NOON + 1000 * SECOND))
        cursor = page.cursor
        if cursor is None:
            break
    expected = sorted([*same, *later], key=lambda one: (one.created_at, one.id), reverse=True)
    assert seen == match_ids(expected)


def test_a_page_that_ends_with_the_list_has_no_cursor(projections: Projections) -> None:
    FeedWriter(projections).announce(*(make_summary(match_id(n)) for n in range(4)))
    assert projections.lists.list_matches(limit=4).cursor is None
    assert projections.lists.list_matches(limit=5).cursor is None
    assert projections.lists.list_matches(limit=3).cursor is not None


def test_a_page_may_come_from_a_single_shard(projections: Projections) -> None:
    rows = [make_summary(match_id(11, f"{letter}x"), created_at=NOON + SECOND) for letter in string.ascii_lowercase]
    FeedWriter(projections).announce(*rows)
    assert match_ids(projections.lists.list_matches(limit=20).rows) == match_ids(reversed(rows))[:20]
    assert match_ids(projections.lists.matches_of("p_ann")) == match_ids(reversed(rows))


@pytest.mark.parametrize(
    "cursor",
    ["x", "!!!", encode_cursor("0001777636800000:07aaaaaaaaaaaaaaaa"), encode_cursor("nonsense"), "MDAwMA==", "é"],
)
def test_an_invalid_cursor_is_refused(projections: Projections, cursor: str) -> None:
    with pytest.raises(InvalidCursor, match="Leave it out"):
        projections.lists.list_matches(cursor=cursor)


def test_a_modified_cursor_is_refused(projections: Projections) -> None:
    FeedWriter(projections).announce(make_summary(match_id(1)), make_summary(match_id(2)))
    cursor = projections.lists.list_matches(limit=1).cursor
    assert cursor is not None
    assert projections.lists.list_matches(cursor=cursor).rows
    for other in (cursor + "A", cursor + "=", cursor[:-1], " " + cursor, cursor + "\n"):
        with pytest.raises(InvalidCursor):
            projections.lists.list_matches(cursor=other)


# -- players ------------------------------------------------------------------------------------------------------


def test_turns_are_the_matches_waiting_for_the_player_longest_waiting_first(projections: Projections) -> None:
    feeds = FeedWriter(projections)
    waits, waits_longer, not_mine = match_id(1), match_id(2), match_id(3)
    feeds.announce(
        make_summary(waits, to_move=(0,), at=NOON + 5 * SECOND),
        make_summary(waits_longer, to_move=(0, 1), at=NOON + 2 * SECOND),
        make_summary(not_mine, to_move=(1,)),
    )
    assert match_ids(projections.lists.turns_of("p_ann")) == [waits_longer, waits]
    assert match_ids(projections.lists.turns_of("p_bob")) == [not_mine, waits_longer]
    feeds.announce(
        make_summary(waits, to_move=(1,), at=NOON + 9 * SECOND), make_summary(waits_longer, status="over", outcome=DRAW)
    )
    assert match_ids(projections.lists.turns_of("p_ann")) == []
    assert match_ids(projections.lists.turns_of("p_bob")) == [not_mine, waits]


def test_player_ids_with_a_common_prefix_are_kept_apart(projections: Projections) -> None:
    one, other = match_id(1), match_id(2)
    FeedWriter(projections).announce(
        make_summary(one, seats=(human_seat("p_1"), bot_seat()), creator="p_1", to_move=(0,)),
        make_summary(other, seats=(human_seat("p_12"), bot_seat()), creator="p_12", to_move=(0,)),
    )
    assert match_ids(projections.lists.turns_of("p_1")) == match_ids(projections.lists.matches_of("p_1")) == [one]
    assert match_ids(projections.lists.turns_of("p_12")) == match_ids(projections.lists.matches_of("p_12")) == [other]
    assert projections.lists.turns_of("p_") == projections.lists.matches_of("p_") == []


def test_a_players_matches_are_those_played_in_or_created(projections: Projections) -> None:
    feeds = FeedWriter(projections)
    made, joined, left = match_id(1), match_id(2), match_id(3)
    feeds.announce(
        make_summary(made, seats=(bot_seat(), bot_seat()), creator="p_bob"),
        make_summary(joined, created_at=NOON + SECOND),
        make_summary(left, status="open", seats=(OPEN_SEAT, human_seat("p_bob")), creator="p_ann"),
    )
    assert match_ids(projections.lists.matches_of("p_bob")) == [joined, left, made]
    feeds.announce(make_summary(left, status="open", seats=(OPEN_SEAT, OPEN_SEAT), creator="p_ann"))
    assert match_ids(projections.lists.matches_of("p_bob")) == [joined, made]


# -- workers ------------------------------------------------------------------------------------------------------


def test_due_bot_turns_are_listed_longest_waiting_first(projections: Projections) -> None:
    feeds = FeedWriter(projections)
    waits, waits_longer, persons_turn = match_id(1), match_id(2), match_id(3)
    against_bot = (human_seat("p_ann"), bot_seat())
    feeds.announce(
        make_summary(waits, seats=against_bot, to_move=(1,), ply=7, at=NOON + 5 * SECOND),
        make_summary(waits_longer, seats=against_bot, to_move=(0, 1), ply=5, at=NOON + 2 * SECOND),
        make_summary(persons_turn, seats=against_bot, to_move=(0,)),
    )
    assert projections.work.due_bot_turns() == [
        WorkItem(waits_longer, 5, NOON + 2 * SECOND),
        WorkItem(waits, 7, NOON + 5 * SECOND),
    ]
    assert ids_of(projections.work.due_bot_turns(before=NOON + 5 * SECOND)) == [waits_longer]
    assert ids_of(projections.work.due_bot_turns(before=NOON + 2 * SECOND)) == []
    feeds.announce(make_summary(waits, seats=against_bot, to_move=(0,), ply=8, at=NOON + 6 * SECOND))
    assert ids_of(projections.work.due_bot_turns()) == [waits_longer]


def test_finished_matches_are_unaudited_until_a_verdict_is_recorded(projections: Projections) -> None:
    feeds = FeedWriter(projections)
    first, second = match_id(1), match_id(1, "b")
    feeds.announce(
        make_summary(first, status="over", at=NOON + SECOND),
        make_summary(second, status="over"),
        make_summary(match_id(9)),
    )
    assert ids_of(projections.work.unaudited_matches()) == [second, first]
    assert ids_of(projections.work.unaudited_matches(before=NOON + SECOND)) == [second]
    assert projections.verdicts.find(second) is None
    projections.verdicts.record(second, b'{"ok":true}')
    assert projections.verdicts.find(second) == b'{"ok":true}'
    assert ids_of(projections.work.unaudited_matches()) == [first]
    feeds.announce(make_summary(second, status="over", ply=9, at=NOON + 9 * SECOND))
    assert ids_of(projections.work.unaudited_matches()) == [first], "an audited match stays audited"


def ids_of(waiting: list[WorkItem]) -> list[str]:
    return [one.match for one in waiting]


# -- any history --------------------------------------------------------------------------------------------------

PLAYERS = ("p_a", "p_b", "p_ab")
SEATS = st.sampled_from([*(human_seat(player) for player in PLAYERS), bot_seat(), OPEN_SEAT])
MATCHES = [match_id(shard, name) for shard in (0, 7, 63) for name in ("a", "b", "c")]


@st.composite
def summary_lists(draw: st.DrawFn) -> list[MatchSummary]:
    """Draw successive rows of a few matches, many of them created in the same millisecond."""
    made: dict[str, tuple[str, str, datetime]] = {}
    rows = []
    for step in range(draw(st.integers(0, 20))):
        match = draw(st.sampled_from(MATCHES))
        game, creator, created_at = made.setdefault(
            match,
            (
                draw(st.sampled_from(["tic_tac_toe", "mice_cake"])),
                draw(st.sampled_from(PLAYERS)),
                NOON + draw(st.integers(0, 2)) * timedelta(milliseconds=1),
            ),
        )
        seats = draw(st.tuples(SEATS, SEATS))
        rows.append(
            make_summary(
                match,
                game=game,
                creator=creator,
                created_at=created_at,
                status=draw(st.sampled_from(["open", "playing", "over"])),
                seats=seats,
                to_move=draw(st.sampled_from([(), (0,), (1,), (0, 1)])),
                ply=step + 1,
                at=NOON + step * SECOND,
            )
        )
    return rows


def sort_newest_first(rows: list[MatchSummary]) -> list[str]:
    return match_ids(sorted(rows, key=lambda one: (one.created_at, one.id), reverse=True))


def sort_by_wait(rows: list[MatchSummary], waits: Callable[[MatchSummary], bool]) -> list[str]:
    return match_ids(sorted(filter(waits, rows), key=lambda one: one.at))


@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(summary_lists(), st.integers(1, 4))
def test_every_list_reflects_the_newest_rows_after_any_history(
    redis: Redis, rows: list[MatchSummary], limit: int
) -> None:
    redis.flushdb()
    projections = Projections(redis)
    FeedWriter(projections).announce(*rows)
    now = list({one.id: one for one in rows}.values())
    for game in (None, "tic_tac_toe", "mice_cake"):
        for status in (None, "open", "playing", "over"):
            matching = [one for one in now if game in (None, one.game) and status in (None, one.status)]
            assert pages(projections, game, status, limit) == sort_newest_first(matching)
    for player in PLAYERS:
        seated = [one for one in now if player in {one.creator, *(seat.player for seat in one.seats)}]
        assert match_ids(projections.lists.matches_of(player)) == sort_newest_first(seated)
        waiting = sort_by_wait(now, lambda one, me=player: me in {one.seats[n].player for n in one.to_move})
        assert match_ids(projections.lists.turns_of(player)) == waiting
    assert ids_of(projections.work.due_bot_turns()) == sort_by_wait(now, lambda one: one.is_bot_to_move)
    assert ids_of(projections.work.unaudited_matches()) == sort_by_wait(now, lambda one: one.status == "over")


def pages(projections: Projections, game: Any, status: Any, limit: int) -> list[str]:
    """Return a whole list, read page by page."""
    seen: list[str] = []
    cursor = None
    while True:
        page = projections.lists.list_matches(game, status, cursor, limit)
        assert len(page.rows) <= limit
        seen += match_ids(page.rows)
        cursor = page.cursor
        if cursor is None:
            return seen
