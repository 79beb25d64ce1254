"""Ratings don't depend on the order in which results become known, and all derived data can be rebuilt identically."""

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from redis import Redis

from domain.kernel.events import Created
from domain.kernel.game import Outcome
from domain.match.commands import Play, RaiseDispute, RecordVerdict, ResolveDispute, SeatSpec
from domain.match.state import AnyMatch
from replays.file import encode_replay
from replays.verify import verify
from service.bootstrap import Services
from service.matches.results import AUDITOR_AUTHOR, IdempotencyKey
from service.read_models.rating_records import RatingHead
from service.read_models.rating_trust import RatingTrust, TrustStore
from service.read_models.ratings import Ratings
from service.read_models.summary import MatchSummary, RatedResult
from tests.builders import play_match
from tests.projections import Projections
from tests.service.read_models.rows import DRAW, NOON, FeedWriter, dump_keys, human_seat, make_summary, match_id
from tests.waiting import wait_until
from tests.workers.crew import ServiceProcesses
from tests.workers.rating_population import settled_league, store_league
from workers.projection.projector import Projector
from workers.projection.ratings import Rater, build_steps
from workers.projection.rebuild import rebuild_projections, rebuild_ratings

RATINGS = "{ct:r:*}:[^t]*"
"""All keys except the generation, which counts the rollbacks and is never rebuilt."""
DERIVED = ("{ct:[0-9]*}:p:*", RATINGS)
GAME = "tic_tac_toe"
PLAYERS = ["p_ann", "p_bob", "p_cid"]
ROW_OF_THREE = (4, 0, 1, 6, 7)
"""Cells, in turn, with which the first player wins."""


def ended(number: int, minute: int, players: Sequence[str], winner: int | None, **other: Any) -> MatchSummary:
    """Return a finished rated match. Without a winner it is a draw."""
    places = tuple(1 if winner in (None, seat) else 2 for seat in range(len(players)))
    outcome = Outcome("line", () if winner is None else (winner,), (0,) * len(players), places)
    at = NOON + timedelta(minutes=minute)
    parts: dict[str, Any] = {
        "status": "over",
        "seats": tuple(human_seat(player) for player in players),
        "rated": True,
        "outcome": outcome,
        "ended_at": at,
        "at": at,
    }
    return make_summary(match_id(number * 7 % 64, "abcdefghijklmnop"[number]), **(parts | other))


def rater_of(redis: Redis) -> Rater:
    return Rater(Projections(redis).results, Ratings(redis), TrustStore(redis).current)


def rated(redis: Redis, batches: Sequence[Sequence[MatchSummary]]) -> dict[bytes, Any]:
    """Return the raw ratings after these rows became known batch by batch on an empty server."""
    redis.flushall()
    feeds, rater = FeedWriter(Projections(redis)), rater_of(redis)
    for batch in batches:
        feeds.announce(*batch)
        rater.catch_up()
    assert Projections(redis).results.pending_results().marks == {}
    return dump_keys(redis, RATINGS)


# -- many ---------------------------------------------------------------------------------------------------------

pairs = st.sampled_from([("p_ann", "p_bob"), ("p_bob", "p_cid"), ("p_cid", "p_ann"), ("p_bob", "p_ann")])
some_rows = st.lists(
    st.tuples(st.integers(0, 5), st.one_of(pairs, st.just(tuple(PLAYERS))), st.sampled_from([0, 1, None])),
    min_size=2,
    max_size=9,
).map(lambda drawn: [ended(n, *each) for n, each in enumerate(drawn)])


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=some_rows, data=st.data())
def test_ratings_do_not_depend_on_the_order_of_arrival(
    redis: Redis, rows: list[MatchSummary], data: st.DataObject
) -> None:
    """Given matches, some of which ended at the same moment, when they become known in any order and in batches of any
    size, some first with a different result or unrated, then the ratings equal those of all matches in order."""
    at_once = rated(redis, [rows])
    shuffled = data.draw(st.permutations(rows))
    wrong = [replace(each, outcome=DRAW) for each in shuffled if each.outcome and len(each.seats) == 2]
    early = data.draw(st.lists(st.sampled_from([*wrong, *shuffled]), max_size=3, unique_by=lambda r: r.id))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(rows)), max_size=3)))
    batches = [shuffled[a:b] for a, b in zip([0, *cuts], [*cuts, len(rows)], strict=True)]
    assert rated(redis, [early, *batches]) == at_once


def test_a_removed_result_leaves_no_trace(redis: Redis) -> None:
    """Given an annulled match, when the ratings are recomputed from before it, then it has no effect on them."""
    rows = [ended(n, n, pair, n % 2) for n, pair in enumerate([("p_ann", "p_bob"), ("p_dan", "p_ann"), PLAYERS[:2]])]
    without = rated(redis, [[rows[0], rows[2]]])
    annulled = replace(rows[1], rated=False, annulled=True, outcome=None)
    assert rated(redis, [rows, [annulled]]) == without
    assert rated(redis, [[rows[0]], [rows[1]], [annulled], [rows[2]]]) == without
    assert rated(redis, [rows, [replace(each, rated=False) for each in rows]]) == {}


def test_a_long_history_is_rated_and_rolled_back_in_batches(redis: Redis, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [ended(n, n, PLAYERS[:2], n % 2) for n in range(10)]
    at_once = rated(redis, [rows])
    monkeypatch.setattr("workers.projection.ratings.BATCH", 3)
    assert rated(redis, [rows]) == at_once
    assert rated(redis, [rows[1:], rows[:1]]) == at_once


def test_two_simultaneous_raters_are_safe(redis: Redis) -> None:
    """Given a rater with an outdated head, when it writes, then nothing happens, and the next call repairs it."""
    rows = [ended(n, n, PLAYERS[:2], n % 2) for n in range(4)]
    at_once = rated(redis, [rows])
    ratings = Ratings(redis)
    steps = ratings.steps_from(GAME, "", 2)
    assert not ratings.undo(GAME, RatingHead("0", "of another history"), steps, None)
    assert not ratings.extend(GAME, RatingHead(), steps)
    assert dump_keys(redis, RATINGS) == at_once


@pytest.mark.parametrize("work", [Rater.catch_up, lambda rater: rater.rebuild([GAME])])
def test_a_rater_that_read_outdated_results_writes_nothing(
    redis: Redis, monkeypatch: pytest.MonkeyPatch, work: Callable[[Rater], None]
) -> None:
    """Given a rater that read the results before an earlier one became known, when it writes after another rater rolled
    back, then nothing happens, and the new result is rated."""
    rows = [ended(n, n, PLAYERS[:2], n % 2) for n in range(2)]
    at_once = rated(redis, [rows])
    redis.flushall()
    projections, ratings = Projections(redis), Ratings(redis)
    feeds = FeedWriter(projections)
    feeds.announce(rows[1])
    head, results = ratings.head(GAME), projections.results.rated_results(GAME, "", 9)
    steps = build_steps(head, {}, {}, results)
    feeds.announce(rows[0])

    def reading(*arguments: Any) -> list[RatedResult]:
        ratings.extend(GAME, head, steps)
        return Projections(redis).results.rated_results(*arguments)

    monkeypatch.setattr(projections.results, "rated_results", reading)
    rater = Rater(projections.results, ratings)
    while projections.results.pending_results().marks:
        work(rater)
    assert dump_keys(redis, RATINGS) == at_once


def test_a_rater_that_dies_between_two_batches_is_continued(redis: Redis, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [ended(n, n, PLAYERS[:2], n % 2) for n in range(8)]
    at_once = rated(redis, [rows])
    redis.flushall()
    monkeypatch.setattr("workers.projection.ratings.BATCH", 3)
    FeedWriter(Projections(redis)).announce(*rows)
    rater_of(redis).catch_up(1)  # the only call
    assert Ratings(redis).head(GAME) != RatingHead()
    rater_of(redis).catch_up()
    assert dump_keys(redis, RATINGS) == at_once


def test_a_backlog_is_rated_in_small_batches_while_results_arrive(
    redis: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Given a rater that takes two results at a time, when the first match's result arrives last while others keep
    ending, then the rater still finishes, with the same ratings."""
    rows = [ended(n, n, PLAYERS[:2], n % 2) for n in range(16)]
    at_once = rated(redis, [rows])
    redis.flushall()
    monkeypatch.setattr("workers.projection.ratings.BATCH", 2)
    feeds, rater = FeedWriter(Projections(redis)), rater_of(redis)
    feeds.announce(*rows[1:9])
    rater.catch_up()
    feeds.announce(rows[0])
    for late in rows[9:]:
        rater.catch_up(1)
        feeds.announce(late)
    looks = 0
    while Projections(redis).results.pending_results().marks:
        rater.catch_up(1)
        looks += 1
        assert looks < 20
    assert looks > 2
    assert dump_keys(redis, RATINGS) == at_once


def test_leaders_are_ranked_by_the_lower_bound(redis: Redis) -> None:
    """Given ten players with a place, and one who has lost to one of them, then the leaderboard ranks only the ten."""
    league, people = settled_league(10, 50, "leaders")
    league.beat(people.names[0], "p_new")
    ratings = Ratings(redis)
    store_league(ratings, GAME, league, {name: name for name in [*people.names, "p_new"]})
    leaders = ratings.leaders(GAME)
    assert sorted(each.player for each in leaders) == people.names
    assert [each.rank for each in leaders] == [*range(1, 11)]
    assert ratings.ratings_of(GAME, ["p_new"])["p_new"].lost == 1
    assert leaders == sorted(leaders, key=lambda each: -each.player_rating.lower_bound)
    assert ratings.leaders(GAME, after=1, limit=1) == [leaders[1]]
    assert ratings.head(GAME).places == 10
    first = people.names[0]
    own = [step.result.match for step in league.steps if first in step.result.players]
    assert [step.result.match for step in ratings.history(GAME, first)] == own


def test_places_and_meetings_are_undone_exactly(redis: Redis) -> None:
    """Given a league in which players earned places, when its results from the middle on are undone and applied again,
    then no key differs in between or at the end."""
    league, _ = settled_league(8, 60, "undone")
    steps = [replace(step, result=replace(step.result, game=GAME)) for step in league.steps]
    ratings, half = Ratings(redis), len(steps) // 2
    assert ratings.extend(GAME, ratings.head(GAME), steps[:half])
    middle = dump_keys(redis, RATINGS)
    assert ratings.extend(GAME, ratings.head(GAME), steps[half:])
    end = dump_keys(redis, RATINGS)
    assert ratings.undo(GAME, ratings.head(GAME), steps[half:][::-1], steps[half - 1])
    assert dump_keys(redis, RATINGS) == middle
    assert ratings.extend(GAME, ratings.head(GAME), steps[half:])
    assert dump_keys(redis, RATINGS) == end
    assert ratings.undo(GAME, ratings.head(GAME), steps[::-1], None)
    assert dump_keys(redis, RATINGS) == {}


def test_everything_is_refolded_with_the_new_formula(redis: Redis) -> None:
    """Given results that a process of an earlier release has rated and acknowledged, when a new process starts, then
    it rates all of them with its own formula and leaves the earlier ratings alone."""
    rows = [ended(n, n, PLAYERS[:2], n % 2) for n in range(7)]
    at_once = rated(redis, [rows])
    redis.delete(*redis.keys("{ct:r:*}:*"))
    redis.set("{ct:r:tic_tac_toe}:head", "0001777636800000:00a digest")
    assert Projections(redis).results.pending_results().marks == {}
    rater_of(redis).catch_up()
    assert redis.get("{ct:r:tic_tac_toe}:head") == b"0001777636800000:00a digest"
    redis.delete("{ct:r:tic_tac_toe}:head")
    assert dump_keys(redis, RATINGS) == at_once


def test_a_result_that_an_earlier_release_acknowledged_is_found(redis: Redis) -> None:
    """Given complete ratings, when an earlier result arrives and another process acknowledges it, then the next
    process still applies it."""
    rows = [ended(n, n, PLAYERS[:2], n % 2) for n in range(7)]
    at_once = rated(redis, [rows])
    rated(redis, [rows[1:]])
    feeds = FeedWriter(Projections(redis))
    feeds.announce(rows[0])
    results = Projections(redis).results
    results.acknowledge_results(results.pending_results())
    rater_of(redis).catch_up()
    assert dump_keys(redis, RATINGS) == at_once


# -- founders and excluded players ------------------------------------------------------------------------------------

some_changes = st.lists(
    st.one_of(
        st.sampled_from(PLAYERS).map(lambda player: ("exclude", player)),
        st.sampled_from(PLAYERS).map(lambda player: ("readmit", player)),
        st.sampled_from(PLAYERS).map(lambda player: ("add_founder", player)),
        st.sampled_from(PLAYERS).map(lambda player: ("remove_founder", player)),
    ),
    min_size=1,
    max_size=5,
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=some_rows, changes=some_changes, data=st.data())
def test_ratings_do_not_depend_on_when_players_are_excluded(
    redis: Redis, rows: list[MatchSummary], changes: list[tuple[str, str]], data: st.DataObject
) -> None:
    """Given bans for cheating and founders that come and go between results in any order, when everything has been
    rated step by step, then the ratings equal those of a rebuild, byte for byte."""
    redis.flushall()
    feeds, rater, trust = FeedWriter(Projections(redis)), rater_of(redis), TrustStore(redis)
    todo: list[Any] = data.draw(st.permutations([*rows, *changes]))
    for each in todo:
        if isinstance(each, MatchSummary):
            feeds.announce(each)
        else:
            getattr(trust, each[0])(each[1])
        if data.draw(st.booleans()):
            rater.catch_up()
    rater.catch_up()
    step_by_step = dump_keys(redis, RATINGS)
    rater_of(redis).rebuild([GAME])
    assert dump_keys(redis, RATINGS) == step_by_step


def test_a_ban_for_cheating_removes_the_results_and_lifting_it_restores_them(redis: Redis) -> None:
    """Given three players, when one is excluded, then the others have the ratings of the matches without that player,
    the history still lists the match, and everything is as before when the ban is lifted."""
    rows = [ended(n, 3000 * n, pair, 0) for n, pair in enumerate([("p_cid", "p_ann"), PLAYERS[:2], PLAYERS[1:]] * 3)]
    without = rated(redis, [[row for row in rows if "p_cid" not in [seat.player for seat in row.seats]]])
    alone = {player: Ratings(redis).ratings_of(GAME, PLAYERS)[player] for player in PLAYERS[:2]}
    assert without
    before, trust, rater = rated(redis, [rows]), TrustStore(redis), rater_of(redis)
    trust.exclude("p_cid")
    rater.catch_up()
    now = Ratings(redis).ratings_of(GAME, PLAYERS)
    assert {player: now[player] for player in PLAYERS[:2]} == alone
    assert (now["p_cid"].match_count, now["p_cid"].mu) == (0, 1500.0)
    history = Ratings(redis).history(GAME, "p_cid")
    assert [step.excluded for step in history] == [(0,), (1,)] * 3
    trust.readmit("p_cid")
    rater.catch_up()
    assert dump_keys(redis, RATINGS) == before


def test_a_rater_that_read_an_outdated_trust_writes_nothing(redis: Redis) -> None:
    """Given a rater that read the head before a ban, when another rater has applied the ban, then it can't append."""
    rows = [ended(n, n, PLAYERS[:2], 0) for n in range(2)]
    feeds, ratings = FeedWriter(Projections(redis)), Ratings(redis)
    feeds.announce(rows[0])
    rater_of(redis).catch_up()
    head = ratings.head(GAME)
    TrustStore(redis).exclude("p_ann")
    rater_of(redis).catch_up()
    feeds.announce(rows[1])
    results = Projections(redis).results.rated_results(GAME, head.order_key, 9)
    assert len(results) == 1
    assert not ratings.extend(GAME, head, build_steps(head, {}, {}, results))


def test_a_ban_during_a_rebuild_is_not_lost(redis: Redis) -> None:
    """Given a rebuild that has read who is excluded, when a player is banned and the dispatcher has applied the ban,
    then the rebuild starts again with it."""
    rows = [ended(n, n, PLAYERS[:2], n % 2) for n in range(3)]
    rated(redis, [rows])
    store, dispatcher = TrustStore(redis), rater_of(redis)
    dispatcher.catch_up()

    def read_before_the_ban() -> RatingTrust:
        found = store.current()
        store.exclude("p_ann")
        dispatcher.catch_up()
        return found

    Rater(Projections(redis).results, Ratings(redis), read_before_the_ban).rebuild([GAME])
    dispatcher.catch_up()
    assert [step.excluded for step in Ratings(redis).history(GAME, "p_bob")] == [(0,)] * 3
    assert Ratings(redis).head(GAME).trust == store.current()


def test_a_ban_is_applied_in_small_batches_and_by_the_next_process_if_one_dies(
    redis: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [ended(n, n, PLAYERS[:2], n % 2) for n in range(10)]
    rated(redis, [rows])
    other = rater_of(redis)
    other.catch_up()
    monkeypatch.setattr("workers.projection.ratings.BATCH", 3)
    TrustStore(redis).exclude("p_ann")
    rater_of(redis).catch_up(1)  # dies after the first batch
    assert Ratings(redis).step_count(GAME) < 10
    other.catch_up()
    assert Ratings(redis).step_count(GAME) == 10
    assert all(step.excluded == (0,) for step in Ratings(redis).history(GAME, "p_bob"))


# -- from the logs ------------------------------------------------------------------------------------------------


def play(services: Services, match: AnyMatch, cells: Sequence[int] = ROW_OF_THREE) -> AnyMatch:
    for number, cell in enumerate(cells):
        player = match.seats[number % 2].player or ""
        by = IdempotencyKey(player, f"{number}")
        match = services.matches.commands.submit(match.id, Play(number % 2, {"type": "mark", "cell": cell}), by).match
    return match


def some_matches(services: Services) -> list[AnyMatch]:
    """Return matches: rated and unrated, running and finished, one annulled."""
    made = []
    for number in range(8):
        players = PLAYERS[number % 3], PLAYERS[(number + 1) % 3]
        wishes = [SeatSpec("human", player=player) for player in players]
        options: dict[str, Any] = {"rated": number % 4 != 3, "by_chance": number % 2 == 1}
        match = services.matches.creation.create(players[0], GAME, wishes, {}, **options).match
        made.append(play(services, match) if number % 5 != 4 else match)
    annul(services, made[2])
    return made


def annul(services: Services, match: AnyMatch) -> None:
    services.accounts.arbiters.add("p_judge")
    ann = match.seats[0].player or ""
    submit = services.matches.commands.submit
    number = submit(match.id, RaiseDispute(0, 6, "score", "ab" * 32), IdempotencyKey(ann, "dispute")).match.ply
    submit(match.id, RecordVerdict(number, False, "moves", 6, "T2"), IdempotencyKey(AUDITOR_AUTHOR, "hear"))
    submit(match.id, ResolveDispute(number, "annulled", "p_judge"), IdempotencyKey("p_judge", "rule"))


def test_all_derived_data_is_rebuilt_identically(services: Services, redis: Redis) -> None:
    """Given projections and ratings that followed the log match by match, when both are deleted and rebuilt, also by
    the command, then no key differs."""
    made = some_matches(services)
    projector, rater = (
        Projector(services.log, services.read_models.writer, services.read_models.progress),
        Rater(services.read_models.results, services.read_models.ratings),
    )
    for match in reversed(made):  # shards are read separately, so the oldest match may be last
        projector.advance(int(match.id[:2]))
        rater.catch_up()
    before = [dump_keys(redis, pattern) for pattern in DERIVED]
    standings = services.read_models.ratings.ratings_of(GAME, PLAYERS)
    assert (
        sum(each.match_count for each in standings.values()) == 2 * 4
    )  # six rated matches without a running and an annulled one
    rebuild_projections(services), rebuild_ratings(services)
    assert [dump_keys(redis, pattern) for pattern in DERIVED] == before
    redis.delete(*redis.keys(RATINGS))
    command = [sys.executable, "-c", "from workers.cli import rebuild; rebuild()"]
    done = subprocess.run(command, env=dict(os.environ), capture_output=True, text=True, timeout=60, check=True)
    assert "4 rated results" in done.stdout
    assert [dump_keys(redis, pattern) for pattern in DERIVED] == before


def test_a_match_from_a_file_is_never_rated(services: Services) -> None:
    """Given a file of a rated match between players of this service, when it is imported, then their ratings don't
    change."""
    events = play_match(services.matches.creation.create("p", GAME, [SeatSpec("open")] * 2, {}).match.rules, rated=True,
                        match=match_id(3))  # fmt: skip
    assert isinstance(events[0], Created)
    raw = b"".join(encode_replay(events))
    assert verify(raw).ok
    match = services.matches.imported.import_file(raw)
    projector = Projector(
        services.log, services.read_models.writer, services.read_models.progress, services.matches.imported.contains
    )
    projector.catch_up()
    Rater(services.read_models.results, services.read_models.ratings).catch_up()
    found = services.read_models.lists.find_match(match)
    assert found is not None
    assert (found.status, found.rated, found.archived) == ("over", False, True)
    assert services.read_models.lists.tallies("p0", [GAME]) == {}
    assert services.read_models.ratings.leaders(GAME) == []


def test_the_dispatcher_rates_finished_matches(running: ServiceProcesses) -> None:
    services = running.services
    wishes = [SeatSpec("human", player=player) for player in ("p_eve", "p_fay")]
    play(services, services.matches.creation.create("p_eve", GAME, wishes, {}, rated=True).match)
    found = wait_until(lambda: services.read_models.ratings.ratings_of(GAME, ["p_eve", "p_fay"]), 60)
    assert found["p_eve"].won == found["p_fay"].lost == 1
