"""Lobby, turns, one's own matches, work: what each list holds, in which order, page by page."""

import string
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from redis import Redis

from domain.match.match import Play, SeatWish
from service.event_store.keys import SHARDS
from service.event_store.log import MatchLog
from service.matches.command_handler import CommandId, Matches
from service.read_models.projections import BadCursor, Projections, Row, Waiting, summary, write_cursor
from service.runtime.clock import SystemClock
from tests.service.read_models.rows import DRAW, FREE, NOON, SECOND, Feeds, bot, ids, match_id, person, row

# -- rows ---------------------------------------------------------------------------------------------------------


def test_the_row_of_a_match_says_what_a_list_needs_and_nothing_hidden(log: MatchLog) -> None:
    matches = Matches(log, SystemClock(), b"secret")
    wishes = [SeatWish("human", player="p_ann", client_seed="my own luck"), SeatWish("bot", level="greedy")]
    made = matches.create("p_ann", "tic_tac_toe", wishes, {}).match
    moved = matches.submit(made.id, Play(0, {"type": "mark", "cell": 4}), CommandId("p_ann", "k")).match
    found = summary(moved)
    assert found == Row(
        id=made.id,
        game="tic_tac_toe",
        status="playing",
        ply=5,
        to_move=(1,),
        seats=(person("p_ann"), bot("greedy")),
        creator="p_ann",
        created_at=made.created_at,
        at=moved.at,
        outcome=None,
    )
    assert found.bot_to_move
    assert "my own luck" not in repr(found)


def test_a_row_is_read_back_as_it_was_applied(projections: Projections) -> None:
    over = row(match_id(3), status="over", outcome=DRAW, seats=(person("p_ann"), bot()), at=NOON + SECOND)
    Feeds(projections).announce(over)
    assert projections.row(over.id) == over
    assert projections.row(match_id(4)) is None


# -- lobby --------------------------------------------------------------------------------------------------------


def test_the_lobby_lists_matches_by_game_and_status_the_newest_first(projections: Projections) -> None:
    def made(name: str, seconds: int, **other: Any) -> Row:
        return row(match_id(seconds % SHARDS, name), created_at=NOON + seconds * SECOND, **other)

    old, middle = made("old", 1, status="open", seats=(person("p_ann"), FREE)), made("middle", 70, game="mice_cake")
    new, last = made("new", 90), made("last", 95, game="mice_cake", status="over", outcome=DRAW)
    Feeds(projections).announce(middle, last, old, new)
    assert ids(projections.matches().rows) == ids([last, new, middle, old])
    assert ids(projections.matches(game="mice_cake").rows) == ids([last, middle])
    assert ids(projections.matches(status="playing").rows) == ids([new, middle])
    assert ids(projections.matches(game="tic_tac_toe", status="open").rows) == [old.id]
    assert projections.matches(game="mice_cake", status="open").rows == []


def test_a_match_moves_from_list_to_list_and_keeps_its_place(projections: Projections) -> None:
    feeds = Feeds(projections)
    match, later = match_id(7), match_id(8)
    feeds.announce(row(match, status="open"), row(later, created_at=NOON + SECOND, status="playing"))
    feeds.announce(row(match, status="playing", at=NOON + 9 * SECOND))
    assert ids(projections.matches(status="playing").rows) == [later, match]
    assert projections.matches(status="open").rows == []
    feeds.announce(row(match, status="over", outcome=DRAW))
    assert ids(projections.matches(status="over").rows) == [match]
    assert ids(projections.matches(status="playing").rows) == [later]


def test_pages_go_on_where_they_ended_whatever_is_added_in_between(projections: Projections) -> None:
    """Given 100 matches made in the same millisecond and 30 later ones, when new ones come between two pages, then
    each old one is seen exactly once and the new ones are not."""
    feeds = Feeds(projections)
    same = [row(match_id(n % SHARDS, string.ascii_lowercase[n // SHARDS])) for n in range(100)]
    later = [row(match_id(n, "later"), created_at=NOON + (n + 1) * SECOND) for n in range(30)]
    feeds.announce(*same, *later)
    seen: list[str] = []
    cursor = None
    for page_number in range(40):
        page = projections.matches(cursor=cursor, limit=9)
        seen += ids(page.rows)
        feeds.announce(row(match_id(page_number, "new"), created_at=NOON + 1000 * SECOND))
        cursor = page.cursor
        if cursor is None:
            break
    expected = sorted([*same, *later], key=lambda one: (one.created_at, one.id), reverse=True)
    assert seen == ids(expected)


def test_a_page_that_ends_with_the_list_has_no_cursor(projections: Projections) -> None:
    Feeds(projections).announce(*(row(match_id(n)) for n in range(4)))
    assert projections.matches(limit=4).cursor is None
    assert projections.matches(limit=5).cursor is None
    assert projections.matches(limit=3).cursor is not None


def test_a_page_may_come_from_a_single_shard(projections: Projections) -> None:
    rows = [row(match_id(11, f"{letter}x"), created_at=NOON + SECOND) for letter in string.ascii_lowercase]
    Feeds(projections).announce(*rows)
    assert ids(projections.matches(limit=20).rows) == ids(reversed(rows))[:20]
    assert ids(projections.mine("p_ann")) == ids(reversed(rows))


@pytest.mark.parametrize(
    "cursor",
    ["x", "!!!", write_cursor("0001777636800000:07aaaaaaaaaaaaaaaa"), write_cursor("nonsense"), "MDAwMA==", "é"],
)
def test_what_is_no_cursor_is_refused(projections: Projections, cursor: str) -> None:
    with pytest.raises(BadCursor, match="Leave it out"):
        projections.matches(cursor=cursor)


def test_a_cursor_with_anything_added_is_refused(projections: Projections) -> None:
    Feeds(projections).announce(row(match_id(1)), row(match_id(2)))
    cursor = projections.matches(limit=1).cursor
    assert cursor is not None
    assert projections.matches(cursor=cursor).rows
    for other in (cursor + "A", cursor + "=", cursor[:-1], " " + cursor, cursor + "\n"):
        with pytest.raises(BadCursor):
            projections.matches(cursor=other)


# -- players ------------------------------------------------------------------------------------------------------


def test_turns_are_the_matches_that_wait_for_me_the_longest_wait_first(projections: Projections) -> None:
    feeds = Feeds(projections)
    waits, waits_longer, not_mine = match_id(1), match_id(2), match_id(3)
    feeds.announce(
        row(waits, to_move=(0,), at=NOON + 5 * SECOND),
        row(waits_longer, to_move=(0, 1), at=NOON + 2 * SECOND),
        row(not_mine, to_move=(1,)),
    )
    assert ids(projections.turns("p_ann")) == [waits_longer, waits]
    assert ids(projections.turns("p_bob")) == [not_mine, waits_longer]
    feeds.announce(row(waits, to_move=(1,), at=NOON + 9 * SECOND), row(waits_longer, status="over", outcome=DRAW))
    assert ids(projections.turns("p_ann")) == []
    assert ids(projections.turns("p_bob")) == [not_mine, waits]


def test_one_player_whose_name_begins_like_anothers_sees_only_the_own_matches(projections: Projections) -> None:
    one, other = match_id(1), match_id(2)
    Feeds(projections).announce(
        row(one, seats=(person("p_1"), bot()), creator="p_1", to_move=(0,)),
        row(other, seats=(person("p_12"), bot()), creator="p_12", to_move=(0,)),
    )
    assert ids(projections.turns("p_1")) == ids(projections.mine("p_1")) == [one]
    assert ids(projections.turns("p_12")) == ids(projections.mine("p_12")) == [other]
    assert projections.turns("p_") == projections.mine("p_") == []


def test_mine_are_the_matches_that_i_sit_at_or_have_made(projections: Projections) -> None:
    feeds = Feeds(projections)
    made, joined, left = match_id(1), match_id(2), match_id(3)
    feeds.announce(
        row(made, seats=(bot(), bot()), creator="p_bob"),
        row(joined, created_at=NOON + SECOND),
        row(left, status="open", seats=(FREE, person("p_bob")), creator="p_ann"),
    )
    assert ids(projections.mine("p_bob")) == [joined, left, made]
    feeds.announce(row(left, status="open", seats=(FREE, FREE), creator="p_ann"))
    assert ids(projections.mine("p_bob")) == [joined, made]


# -- workers ------------------------------------------------------------------------------------------------------


def test_due_are_the_matches_in_which_a_bot_owes_a_move_the_longest_wait_first(projections: Projections) -> None:
    feeds = Feeds(projections)
    waits, waits_longer, persons_turn = match_id(1), match_id(2), match_id(3)
    against_bot = (person("p_ann"), bot())
    feeds.announce(
        row(waits, seats=against_bot, to_move=(1,), ply=7, at=NOON + 5 * SECOND),
        row(waits_longer, seats=against_bot, to_move=(0, 1), ply=5, at=NOON + 2 * SECOND),
        row(persons_turn, seats=against_bot, to_move=(0,)),
    )
    assert projections.due() == [
        Waiting(waits_longer, 5, NOON + 2 * SECOND),
        Waiting(waits, 7, NOON + 5 * SECOND),
    ]
    assert ids_of(projections.due(before=NOON + 5 * SECOND)) == [waits_longer]
    assert ids_of(projections.due(before=NOON + 2 * SECOND)) == []
    feeds.announce(row(waits, seats=against_bot, to_move=(0,), ply=8, at=NOON + 6 * SECOND))
    assert ids_of(projections.due()) == [waits_longer]


def test_unaudited_are_the_matches_that_are_over_until_a_verdict_is_there(projections: Projections) -> None:
    feeds = Feeds(projections)
    first, second = match_id(1), match_id(1, "b")
    feeds.announce(row(first, status="over", at=NOON + SECOND), row(second, status="over"), row(match_id(9)))
    assert ids_of(projections.unaudited()) == [second, first]
    assert ids_of(projections.unaudited(before=NOON + SECOND)) == [second]
    assert projections.verdict(second) is None
    projections.record_verdict(second, b'{"ok":true}')
    assert projections.verdict(second) == b'{"ok":true}'
    assert ids_of(projections.unaudited()) == [first]
    feeds.announce(row(second, status="over", ply=9, at=NOON + 9 * SECOND))
    assert ids_of(projections.unaudited()) == [first], "what is audited stays so, whatever is announced again"


def ids_of(waiting: list[Waiting]) -> list[str]:
    return [one.match for one in waiting]


# -- any history --------------------------------------------------------------------------------------------------

PLAYERS = ("p_a", "p_b", "p_ab")
SEATS = st.sampled_from([*(person(player) for player in PLAYERS), bot(), FREE])
MATCHES = [match_id(shard, name) for shard in (0, 7, 63) for name in ("a", "b", "c")]


@st.composite
def histories(draw: st.DrawFn) -> list[Row]:
    """Rows of few matches, any of them again and again; many were made in the same millisecond."""
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
            row(
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


def newest_first(rows: list[Row]) -> list[str]:
    return ids(sorted(rows, key=lambda one: (one.created_at, one.id), reverse=True))


def longest_wait_first(rows: list[Row], owed: Callable[[Row], bool]) -> list[str]:
    return ids(sorted(filter(owed, rows), key=lambda one: one.at))


@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(histories(), st.integers(1, 4))
def test_after_any_history_every_list_is_what_the_newest_rows_say(redis: Redis, rows: list[Row], limit: int) -> None:
    redis.flushdb()
    projections = Projections(redis)
    Feeds(projections).announce(*rows)
    now = list({one.id: one for one in rows}.values())
    for game in (None, "tic_tac_toe", "mice_cake"):
        for status in (None, "open", "playing", "over"):
            fitting = [one for one in now if game in (None, one.game) and status in (None, one.status)]
            assert pages(projections, game, status, limit) == newest_first(fitting)
    for player in PLAYERS:
        seated = [one for one in now if player in {one.creator, *(seat.player for seat in one.seats)}]
        assert ids(projections.mine(player)) == newest_first(seated)
        waiting = longest_wait_first(now, lambda one, me=player: me in {one.seats[n].player for n in one.to_move})
        assert ids(projections.turns(player)) == waiting
    assert ids_of(projections.due()) == longest_wait_first(now, lambda one: one.bot_to_move)
    assert ids_of(projections.unaudited()) == longest_wait_first(now, lambda one: one.status == "over")


def pages(projections: Projections, game: Any, status: Any, limit: int) -> list[str]:
    """A whole list, page by page."""
    seen: list[str] = []
    cursor = None
    while True:
        page = projections.matches(game, status, cursor, limit)
        assert len(page.rows) <= limit
        seen += ids(page.rows)
        cursor = page.cursor
        if cursor is None:
            return seen
