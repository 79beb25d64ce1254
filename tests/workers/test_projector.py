"""Building the projections from the feeds: each position once, despite interruptions, and rebuilt identically."""

import logging
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import count

import pytest
from redis import Redis

from domain.kernel.event_codec import read_header
from domain.kernel.game import AnyGame
from domain.kernel.registry import UnknownGame
from domain.match.commands import Play, SeatSpec, TakeSeat
from domain.match.state import AnyMatch
from replays.file import encode_replay
from service.bootstrap import Services, build_services
from service.event_store.embedded import EmbeddedServer
from service.event_store.errors import LogDamaged, LogUnavailable
from service.event_store.keys import SHARDS, command_key, feed_key, log_key, match_id_for, shard_of
from service.event_store.log import MatchLog
from service.matches.repository import pinned_game
from service.matches.results import IdempotencyKey
from service.read_models.summary import summarize_match
from service.read_models.writer import ProjectionChange
from service.runtime.settings import Settings
from tests.builders import play_match
from tests.service.read_models.rows import dump_keys
from tests.workers.crew import BOTS, SEATS, assert_verified_and_listed, create_bots_match
from workers.handlers import matches as handlers
from workers.projection.projector import Projector

PROJECTIONS = "{ct:*}:p:*"


def projector_of(services: Services) -> Projector:
    return Projector(services.log, services.read_models.writer, services.read_models.progress)


def some_history(services: Services, matches: int = 12) -> list[str]:
    """Create matches at all stages. Return their ids."""
    made = []
    for number in range(matches):
        wishes = [SeatSpec("open"), SeatSpec("bot", level="greedy")] if number % 4 == 0 else BOTS
        match = services.matches.creation.create(f"p_{number % 3}", "tic_tac_toe", wishes, {}).match
        for _ in range(number):
            handlers.play_bot(match.id, match.ply)
            match = services.matches.repository.load(match.id)
        made.append(match.id)
    taken = TakeSeat(0, "p_bob")
    services.matches.commands.submit(made[0], taken, IdempotencyKey("p_bob", "sit"))
    return made


def assert_equal_to_the_fold(services: Services, matches: list[str]) -> None:
    for match in matches:
        assert services.read_models.lists.find_match(match) == summarize_match(
            services.matches.repository.at_ply(match, services.matches.repository.load(match).ply)
        )


def test_every_row_equals_the_fold_of_its_events(services: Services) -> None:
    made = some_history(services)
    rows = projector_of(services).catch_up()
    assert {row.id for row in rows} == set(made)
    assert_equal_to_the_fold(services, made)
    heads = {shard: services.log.feed_head(shard) for shard in range(SHARDS)}
    assert services.read_models.progress.checkpoints() == heads


def test_incremental_and_rebuilt_projections_are_identical(services: Services, redis: Redis) -> None:
    """Given projections that followed every event, when they are deleted and rebuilt, then no key, row or order
    differs, including the verdicts."""
    projector = projector_of(services)
    match = create_bots_match(services)
    while match.status == "playing":
        projector.advance(int(match.id[:2]))
        handlers.play_bot(match.id, match.ply)
        match = services.matches.repository.load(match.id)
    projector.advance(int(match.id[:2]))
    handlers.audit(match.id)
    some_history(services)
    projector.catch_up()
    before = dump_keys(redis, PROJECTIONS)
    assert len(before) > 30
    projector.rebuild()
    assert dump_keys(redis, PROJECTIONS) == before
    Projector(services.log, services.read_models.writer, services.read_models.progress).rebuild()
    assert dump_keys(redis, PROJECTIONS) == before


def test_an_interrupted_projector_is_continued_by_another(services: Services, redis: Redis) -> None:
    """Given projectors stopped after a random number of single positions, then the result equals that of one that was
    never stopped."""
    made = some_history(services)
    dice = random.Random(7)
    while True:
        shards = [s for s in range(SHARDS) if services.log.feed_head(s) > services.read_models.progress.checkpoint(s)]
        if not shards:
            break
        shard = dice.choice(shards)
        items = services.log.feed(shard, services.read_models.progress.checkpoint(shard), count=dice.randint(1, 3))
        for item in items[: dice.randint(1, 3)]:
            then = services.matches.repository.at_ply(item.match, item.last)
            change = ProjectionChange(item.position, item.match, summarize_match(then), then.notices)
            services.read_models.writer.apply_shards({shard: [change]})
        if dice.random() < 0.2:
            projector_of(services).advance(shard)
    stepwise = dump_keys(redis, PROJECTIONS)
    projector_of(services).rebuild()
    assert dump_keys(redis, PROJECTIONS) == stepwise
    assert_equal_to_the_fold(services, made)


def test_two_projectors_apply_each_position_once(services: Services) -> None:
    one, other = projector_of(services), projector_of(services)
    made = some_history(services, matches=4)
    assert {row.id for row in one.catch_up()} == set(made)
    assert other.catch_up() == []
    late = create_bots_match(services)
    shard = int(late.id[:2])
    assert [row.id for row in other.advance(shard)] == [late.id]
    assert one.advance(shard) == []


def test_a_projector_notices_that_the_projections_were_reset(services: Services) -> None:
    projector = projector_of(services)
    made = some_history(services, matches=4)
    projector.catch_up()
    shard = int(made[0][:2])
    for number in range(SHARDS):
        services.read_models.writer.reset(number)
    services.matches.commands.submit(made[1], Play(0, {"type": "resign"}), IdempotencyKey(f"bot:{made[1]}:0", "resign"))
    projector.advance(int(made[1][:2]))
    projector.catch_up()
    assert services.read_models.progress.checkpoint(shard) == services.log.feed_head(shard)
    assert_equal_to_the_fold(services, made)


class Straddling(MatchLog):
    """A log that loses data in a failover right after the second read, while a dispatcher is paused."""

    def __init__(self, redis: Redis, lose: Callable[[], object]) -> None:
        super().__init__(redis)
        self._lose = lose

    def spans(self, wanted: Mapping[str, tuple[int, int | None]]) -> dict[str, list[bytes] | LogDamaged]:
        found = super().spans(wanted)
        self._lose()
        self._lose = lambda: None
        return found


@pytest.mark.parametrize("instead", ["nothing", "another match", "another move", "two of them"])
def test_events_lost_in_a_failover_after_reading_are_not_applied(
    services: Services, redis: Redis, instead: str
) -> None:
    """Given an announced but unconfirmed move, when the new primary has something else at its position."""
    seats = [SeatSpec("human", player="p_a"), SeatSpec("human", player="p_b")]
    match = services.matches.creation.create("p_a", "tic_tac_toe", seats, {}).match
    shard = shard_of(match.id)
    keys = [log_key(match.id), command_key(match.id), feed_key(shard)]
    projector_of(services).catch_up()
    confirmed = {key: redis.dump(key) for key in keys}

    def played(match: AnyMatch, cell: int) -> AnyMatch:
        by = IdempotencyKey(f"p_{'ab'[min(match.to_move)]}", f"key {cell} {match.ply}")
        return services.matches.commands.submit(
            match.id, Play(min(match.to_move), {"type": "mark", "cell": cell}), by
        ).match

    def fail_over() -> None:
        for key, raw in confirmed.items():
            redis.restore(key, 0, raw or b"", replace=True)
        if instead == "another match":
            while shard_of(services.matches.creation.create("p_a", "tic_tac_toe", seats, {}).match.id) != shard:
                pass
        if instead in ("another move", "two of them"):
            after = played(services.matches.repository.load(match.id), 7)
        if instead == "two of them":
            played(after, 8)

    played(played(match, 4), 5) if instead == "two of them" else played(match, 4)
    straddling = Projector(Straddling(redis, fail_over), services.read_models.writer, services.read_models.progress)
    assert straddling.catch_up() == []
    assert services.read_models.progress.checkpoint(shard) <= services.log.feed_head(shard)
    # the event at the lost position is applied by the first projector that reads it
    last = services.matches.repository.load(match.id)
    played(last, 2)
    straddling.catch_up()
    assert services.read_models.progress.checkpoints() == {each: services.log.feed_head(each) for each in range(SHARDS)}
    assert_equal_to_the_fold(services, [match.id])
    before = dump_keys(redis, PROJECTIONS)
    projector_of(services).rebuild()
    assert dump_keys(redis, PROJECTIONS) == before


def test_an_unreadable_match_is_logged_and_blocks_no_other(
    services: Services, redis: Redis, caplog: pytest.LogCaptureFixture
) -> None:
    """Given, in one shard, a match of a game that is not installed and one with a gap, then the other matches are
    listed."""
    unknown, holed = (match_id_for(bytes([5, n]) + bytes(30)) for n in (1, 2))
    strange = b'{"kind":"created","match":"%s","game":"gone","rules_version":1}' % unknown.encode()
    for match, lines in ((unknown, [strange]), (holed, [b"a", b"b", b"c"])):
        services.log.append(match, 0, lines, command="c", payload="p", seed=bytes(32))
    redis.xdel(log_key(holed), "2-0")
    made = match_in(services, 5, "healthy", SEATS)
    with caplog.at_level(logging.CRITICAL):
        projector_of(services).catch_up()
    assert services.read_models.progress.checkpoint(5) == services.log.feed_head(5) == 3
    assert services.read_models.lists.find_match(made.id) == summarize_match(made)
    assert services.read_models.lists.find_match(unknown) is services.read_models.lists.find_match(holed) is None
    assert f"Match {unknown} cannot be read (GameNotInstalled)" in caplog.text
    assert f"The log of match {holed} is damaged" in caplog.text


@contextmanager
def knowing(*matches: str) -> Iterator[None]:
    """Hide all rules except those of these matches from a projector, which then behaves like an older release."""

    def known(lines: Sequence[bytes]) -> AnyGame:
        if read_header(lines[0]).match not in matches:
            raise UnknownGame("tic_tac_toe", 2)
        return pinned_game(lines)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("workers.projection.projector.pinned_game", known)
        yield


def test_a_match_of_a_newer_release_is_listed_once_a_projector_can_read_it(
    services: Services, redis: Redis, caplog: pytest.LogCaptureFixture
) -> None:
    """Given a dispatcher that does not know the rules of some matches, when a newer one runs at the same time."""
    made = [match_in(services, 5, name, BOTS) for name in ("a", "b", "c")]
    old, new = projector_of(services), projector_of(services)
    handlers.play_bot(made[0].id, made[0].ply)
    with knowing(made[2].id):
        assert [row.id for row in old.catch_up()] == [made[2].id]
        # it tries once and continues with the shard
        caplog.clear()
        assert old.catch_up() == []
        assert caplog.text == ""
        assert services.read_models.progress.checkpoint(5) == services.log.feed_head(5) == 4
    # then: the newer one lists them once, without a new event
    assert sorted(row.id for row in new.catch_up()) == sorted(match.id for match in made[:2])
    assert new.catch_up() == projector_of(services).catch_up() == []
    assert {waiting.match for waiting in services.read_models.work.due_bot_turns()} == {match.id for match in made}
    assert_equal_to_the_fold(services, [match.id for match in made])
    # and matches that the older one finds later
    handlers.play_bot(made[1].id, made[1].ply)
    with knowing(made[2].id):
        assert projector_of(services).catch_up() == []
    assert [row.id for row in new.catch_up()] == [made[1].id]
    before = dump_keys(redis, PROJECTIONS)
    new.rebuild()
    assert dump_keys(redis, PROJECTIONS) == before


def test_a_late_result_stays_pending_until_it_is_rated(services: Services) -> None:
    people = [SeatSpec("human", player="p_a"), SeatSpec("human", player="p_b")]
    early, late = (match_in(services, 5, name, people, rated=True) for name in ("a", "b"))
    for match in (early, late):  # both players move, so that the result counts
        for number, move in enumerate(({"type": "mark", "cell": 0}, {"type": "mark", "cell": 1}, {"type": "resign"})):
            seat = number % 2
            by = IdempotencyKey(match.seats[seat].player or "", f"{match.id} {number}")
            services.matches.commands.submit(match.id, Play(seat, move), by)
    with knowing(late.id):
        projector_of(services).catch_up()
    seen = services.read_models.results.pending_results()
    # when: it arrives late, while a rater processes the earlier results
    assert [row.id for row in projector_of(services).catch_up()] == [early.id]
    services.read_models.results.acknowledge_results(seen)
    ((_, mark),) = services.read_models.results.pending_results().marks
    assert mark.endswith(early.id)
    services.read_models.results.acknowledge_results(services.read_models.results.pending_results())
    assert services.read_models.results.pending_results().marks == {}


def test_a_log_outage_while_checking_for_archives_raises_log_unavailable(own_server: EmbeddedServer) -> None:
    """Given a match from a file, when the log server dies just before the check whether it is archived, then the
    dispatcher gets LogUnavailable and can wait."""
    services = build_services(Settings(log_url=own_server.url()))
    game = services.matches.creation.create("p_ann", "tic_tac_toe", BOTS, {}).match.rules
    match = services.matches.imported.import_file(
        b"".join(encode_replay(play_match(game, match=match_id_for(bytes(32)))))
    )

    def is_archived(match: str) -> bool:
        own_server.kill()
        return services.matches.imported.contains(match)

    with pytest.raises(LogUnavailable):
        Projector(services.log, services.read_models.writer, services.read_models.progress, is_archived).catch_up()
    own_server.start()
    rows = Projector(
        services.log, services.read_models.writer, services.read_models.progress, services.matches.imported.contains
    ).catch_up()
    assert [(row.status, row.archived) for row in rows if row.id == match] == [("over", True)]
    services.runtime.redis.close()


def test_an_outage_of_the_log_is_reported_and_the_projector_continues(own_server: EmbeddedServer) -> None:
    services = build_services(Settings(log_url=own_server.url()))
    projector = projector_of(services)
    first = services.matches.creation.create("p_ann", "tic_tac_toe", SEATS, {}).match
    projector.catch_up()
    second = services.matches.creation.create("p_ann", "tic_tac_toe", SEATS, {}).match
    own_server.kill()
    with pytest.raises(LogUnavailable):
        projector.catch_up()
    with pytest.raises(LogUnavailable):
        projector.advance(int(second.id[:2]))
    own_server.start()
    assert [row.id for row in projector.catch_up()] == [second.id]
    assert services.read_models.lists.find_match(first.id) == summarize_match(first)


@pytest.mark.full
def test_a_long_feed_is_rebuilt_in_batches(services: Services, redis: Redis) -> None:
    """3,000 appends in one shard: many batches, and matches that start and end in different batches."""
    running: list[AnyMatch] = []
    appends = 0
    while appends < 3000:
        if len(running) < 100:
            running.append(match_in(services, 5, f"{appends}", BOTS))
        else:
            match = running[appends * 7 % len(running)]
            handlers.play_bot(match.id, match.ply)
            running.remove(match)
            match = services.matches.repository.load(match.id)
            running += [match] if match.status == "playing" else []
        appends += 1
    projector_of(services).catch_up()
    assert services.read_models.progress.checkpoint(5) == services.log.feed_head(5) == appends
    before = dump_keys(redis, PROJECTIONS)
    projector_of(services).rebuild()
    assert dump_keys(redis, PROJECTIONS) == before
    for row in services.read_models.lists.list_matches(status="over", limit=50).rows:
        assert_verified_and_listed(services, services.matches.repository.load(row.id))


def match_in(services: Services, shard: int, name: str, seats: Sequence[SeatSpec], **more: bool) -> AnyMatch:
    """Create a match in this shard, by searching for a key whose match id belongs there."""
    keys = (f"{name} {n}" for n in count())
    key = next(
        key
        for key in keys
        if shard_of(services.matches.creation.derive_match_id(IdempotencyKey("p_ann", key))) == shard
    )
    return services.matches.creation.create("p_ann", "tic_tac_toe", seats, {}, key=key, **more).match


def test_only_the_log_server_stores_data(services: Services, server: EmbeddedServer) -> None:
    made = some_history(services, matches=3)
    projector_of(services).catch_up()
    another = build_services(Settings(log_url=server.url()))
    assert another.runtime.redis is not services.runtime.redis
    assert {row.id for row in another.read_models.lists.list_matches().rows} == set(made)
