"""Deadlines: the sweep finds them no matter what was lost, they take effect once, and a bot moves if the match says
so."""

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from freezegun import freeze_time
from redis import Redis

from domain.kernel.events import Cancelled, Expired, TimeControl
from domain.match.clock import LOBBY_TIMEOUT
from domain.match.commands import CloseLobby, Expire, Play, SeatSpec
from domain.match.durations import DAY, HOUR
from domain.match.state import AnyMatch
from replays.verify import verify
from service.bootstrap import Services, build_services
from service.event_store.embedded import EmbeddedServer
from service.matches.errors import NotSeated
from service.matches.results import CLOCK_AUTHOR, IdempotencyKey
from service.runtime.clock import FileClock
from service.runtime.settings import Settings, from_environment
from service.verification.audits import replay_file_of
from tests.processes import kill
from tests.waiting import wait_until
from tests.workers.crew import ServiceProcesses
from workers.handlers import matches as handlers
from workers.jobs.queue import JobQueue
from workers.processes.reconciler import Reconciler
from workers.projection.projector import Projector

START = datetime(2026, 3, 1, 8, tzinfo=UTC)
PEOPLE = (SeatSpec("human", player="p_ann"), SeatSpec("human", player="p_bob"))


def timed(services: Services, expiry: str) -> AnyMatch:
    plan = TimeControl(kind="per_move", seconds=DAY, expiry=expiry, level="random")  # type: ignore[arg-type]
    return services.matches.creation.create("p_ann", "tic_tac_toe", PEOPLE, {}, clock=plan).match


def mark(services: Services, match: AnyMatch, seat: int, cell: int) -> AnyMatch:
    by = IdempotencyKey(("p_ann", "p_bob")[seat], f"{seat} {cell}")
    return services.matches.commands.submit(match.id, Play(seat, {"type": "mark", "cell": cell}), by).match


def sweep(services: Services, queue: JobQueue) -> int:
    Projector(services.log, services.read_models.writer, services.read_models.progress).catch_up()
    return Reconciler(services.read_models.work, services.runtime.job_failures, queue, services.runtime.clock).run()


def expiries(services: Services, match: AnyMatch) -> list[Expired]:
    head = services.matches.repository.load(match.id)
    return [event for event in services.matches.repository.visible_events(head, 0) if isinstance(event, Expired)]


def test_a_deadline_is_found_when_it_has_passed_and_not_before(services: Services, jobs: JobQueue) -> None:
    with freeze_time(START) as frozen:
        match = timed(services, "resigns")
        frozen.tick(DAY - 1)
        assert sweep(services, jobs) == 0
        handlers.expire(match.id, match.ply)
        assert services.matches.repository.load(match.id).ply == match.ply
        frozen.tick(1)
        assert sweep(services, jobs) == 1
        handlers.expire(match.id, match.ply)
        (expired,) = expiries(services, match)
        assert (expired.seat, expired.deadline) == (0, START + timedelta(days=1))
        assert services.matches.repository.load(match.id).status == "over"


def test_a_job_that_runs_twice_or_late_acts_once(services: Services) -> None:
    with freeze_time(START) as frozen:
        match = timed(services, "bot_moves")
        frozen.tick(DAY)
        for _ in range(3):
            handlers.expire(match.id, match.ply)
        assert len(expiries(services, match)) == 1


def test_a_met_deadline_does_not_expire(services: Services) -> None:
    with freeze_time(START) as frozen:
        match = timed(services, "resigns")
        frozen.tick(HOUR)
        moved = mark(services, match, 0, 4)
        frozen.tick(DAY - HOUR)
        handlers.expire(match.id, match.ply)
        handlers.expire(match.id, moved.ply)
        assert expiries(services, match) == []


def test_a_bot_makes_only_the_overdue_move(services: Services, jobs: JobQueue) -> None:
    with freeze_time(START) as frozen:
        match = timed(services, "bot_moves")
        frozen.tick(DAY)
        handlers.expire(match.id, match.ply)
        Projector(services.log, services.read_models.writer, services.read_models.progress).catch_up()
        row = services.read_models.lists.find_match(match.id)
        assert row is not None
        assert row.is_bot_to_move
        handlers.play_bot(match.id, match.ply + 1)
        head = services.matches.repository.load(match.id)
        assert head.to_move == {1}
        mark(services, match, 1, next(m.cell for m in head.rules.legal_moves(head.state, 1)))
        head = services.matches.repository.load(match.id)
        handlers.play_bot(match.id, head.ply)
        assert services.matches.repository.load(match.id).ply == head.ply


def test_a_deadline_is_found_after_the_queue_was_flushed(services: Services, jobs: JobQueue, queue: Redis) -> None:
    with freeze_time(START) as frozen:
        timed(services, "resigns")
        frozen.tick(DAY)
        assert sweep(services, jobs) == 1
        queue.flushdb()
        assert sweep(services, jobs) == 1


def test_a_deadline_survives_a_restart_of_the_log(own_server: EmbeddedServer) -> None:
    with freeze_time(START) as frozen:
        first = build_services(Settings(log_url=own_server.url()))
        match = timed(first, "resigns")
        Projector(first.log, first.read_models.writer, first.read_models.progress).catch_up()
        own_server.stop()
        own_server.start()
        frozen.tick(DAY)
        again = build_services(Settings(log_url=own_server.url()))
        assert [waiting.match for waiting in again.read_models.work.expired_deadlines(again.runtime.clock.now())] == [
            match.id
        ]
        assert again.matches.commands.expire_overdue(again.matches.repository.load(match.id))


def test_players_cannot_submit_expiries(services: Services) -> None:
    with freeze_time(START) as frozen:
        match = timed(services, "resigns")
        frozen.tick(DAY)
        with pytest.raises(NotSeated):
            services.matches.commands.submit(match.id, Expire(0), IdempotencyKey("p_bob", "x"))
        assert (
            services.matches.commands.submit(match.id, Expire(0), IdempotencyKey(CLOCK_AUTHOR, "x")).match.status
            == "over"
        )


def test_a_match_that_no_one_joins_is_cancelled(services: Services, jobs: JobQueue) -> None:
    with freeze_time(START) as frozen:
        wishes = [SeatSpec("human", player="p_ann"), SeatSpec("open")]
        match = services.matches.creation.create("p_ann", "tic_tac_toe", wishes, {}).match
        frozen.tick(LOBBY_TIMEOUT.total_seconds() - 1)
        assert sweep(services, jobs) == 0
        handlers.expire(match.id, match.ply)
        assert services.matches.repository.load(match.id).status == "open"
        frozen.tick(1)
        assert sweep(services, jobs) == 1
        handlers.expire(match.id, match.ply)
        head = services.matches.repository.load(match.id)
        cancelled = services.matches.repository.visible_events(head, None)[-2]
        assert isinstance(cancelled, Cancelled)
        assert cancelled.reason == "abandoned"
        assert verify(replay_file_of(services.log.lines(match.id))).ok
        with pytest.raises(NotSeated):
            services.matches.commands.submit(match.id, CloseLobby(), IdempotencyKey("p_ann", "x"))


# -- processes ----------------------------------------------------------------------------------------------------


def test_deadlines_pass_across_processes_with_one_clock(
    crew: ServiceProcesses, short_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Dispatcher and workers read the time from a file that the test writes. All are killed during the test."""
    hand = short_dir / "clock"
    hand.write_text(START.isoformat())
    monkeypatch.setenv("CRUMBTRAIL_CLOCK_FILE", str(hand))
    assert isinstance(
        build_services(from_environment({**os.environ, "CRUMBTRAIL_LOG_URL": crew.log.url()})).runtime.clock,
        FileClock,
    )
    services = build_services(Settings(log_url=crew.log.url(), clock_file=hand))
    before = crew.dispatcher(), crew.worker(), crew.worker("deadlines")
    crew.wait_until_started(3)
    matches = [timed(services, expiry) for expiry in ("resigns", "bot_moves", "bot_takes_over")]
    wait_until(lambda: all(services.read_models.lists.find_match(match.id) for match in matches), 60)
    for process in before:
        kill(process)
    hand.write_text((START + timedelta(days=1)).isoformat())
    crew.dispatcher(), crew.worker(), crew.worker("deadlines")
    wait_until(lambda: all(expiries(services, match) for match in matches), 60)
    wait_until(lambda: services.matches.repository.load(matches[1].id).to_move == {1}, 60)
    wait_until(lambda: services.matches.repository.load(matches[2].id).to_move == {1}, 60)
    assert services.matches.repository.load(matches[0].id).status == "over"
    assert [len(expiries(services, match)) for match in matches] == [1, 1, 1]
