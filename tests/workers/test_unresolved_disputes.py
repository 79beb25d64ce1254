"""The workers close a dispute once if no arbiter has ruled on it for 14 days, no matter what was lost in between."""

import json
from datetime import UTC, datetime, timedelta

from freezegun import freeze_time

from domain.match.commands import RaiseDispute, ResolveDispute
from domain.match.disputes import RULING_PERIOD
from domain.match.state import AnyMatch
from replays.verify import verify
from service.bootstrap import Services
from service.event_store.keys import ARBITERS_KEY, projection_key, shard_of
from service.matches.results import IdempotencyKey
from service.verification.audits import replay_file_of
from tests.workers.test_disputes import ANN, dispute, finished, played
from workers.handlers import matches as handlers
from workers.jobs.queue import JobQueue
from workers.processes.reconciler import Reconciler
from workers.projection.projector import Projector

START = datetime(2026, 3, 1, 8, tzinfo=UTC)


def sweep(services: Services, jobs: JobQueue) -> int:
    """Update the lists and enqueue what is due, without audits, which the tests run themselves."""
    Projector(services.log, services.read_models.writer, services.read_models.progress).catch_up()
    return Reconciler(services.read_models.work, services.runtime.job_failures, jobs, services.runtime.clock).run()


def resolved_by_server(services: Services, match: AnyMatch) -> list[str | None]:
    """Return the server's rulings in a match."""
    head = services.matches.repository.load(match.id)
    return [each.ruling for each in head.disputes if each.ruling and each.resolved_by is None]


def test_a_dispute_of_a_finished_match_is_closed_after_14_days(services: Services, jobs: JobQueue) -> None:
    with freeze_time(START) as frozen:
        # given: a finished match with a dispute that the audit has heard
        match = finished(services)
        handlers.audit(match.id)
        handlers.hear(match.id, dispute(services, match.id))
        head = services.matches.repository.load(match.id)
        # when: a minute before the time is over
        frozen.tick(RULING_PERIOD - timedelta(minutes=1))
        assert sweep(services, jobs) == 0
        handlers.expire(match.id, head.ply)
        assert resolved_by_server(services, match) == []
        # and: when it is over
        frozen.tick(timedelta(minutes=1))
        assert sweep(services, jobs) == 1
        for _ in range(3):
            handlers.expire(match.id, head.ply)
        # then: the server has ruled once, and the log verifies
        assert resolved_by_server(services, match) == ["stands"]
        report = verify(replay_file_of(services.matches.repository.log_lines(match.id)))
        assert report.ok, report.as_text()
        sweep(services, jobs)
        assert services.read_models.work.disputed_matches() == []
        assert services.read_models.work.expired_deadlines(services.runtime.clock.now()) == []


def test_a_running_match_continues(services: Services, jobs: JobQueue) -> None:
    with freeze_time(START) as frozen:
        match = played(services)
        handlers.hear(match.id, dispute(services, match.id))
        head = services.matches.repository.load(match.id)
        frozen.tick(RULING_PERIOD)
        sweep(services, jobs)
        handlers.expire(match.id, head.ply)
        assert resolved_by_server(services, match) == ["goes_on"]
        assert services.matches.repository.load(match.id).status == "playing"


def test_an_arbiter_who_rules_in_time_is_not_overruled(services: Services, jobs: JobQueue) -> None:
    with freeze_time(START) as frozen:
        match = finished(services)
        number = dispute(services, match.id)
        handlers.hear(match.id, number)
        services.runtime.redis.sadd(ARBITERS_KEY, "p_judge")
        ruling = ResolveDispute(number, "annulled", "p_judge")
        services.matches.commands.submit(match.id, ruling, IdempotencyKey("p_judge", "ruling"))
        frozen.tick(RULING_PERIOD)
        sweep(services, jobs)
        handlers.expire(match.id, services.matches.repository.load(match.id).ply)
        assert resolved_by_server(services, match) == []


def test_a_row_that_an_earlier_release_wrote_is_found_too(services: Services, jobs: JobQueue) -> None:
    with freeze_time(START) as frozen:
        # given: a disputed match whose row says nothing about a ruling by the server
        match = finished(services)
        handlers.audit(match.id)
        handlers.hear(match.id, dispute(services, match.id))
        sweep(services, jobs)
        redis, shard = services.runtime.redis, shard_of(match.id)
        stored = json.loads(redis.hget(projection_key(shard, "rows"), match.id) or "")
        del stored["ruling_due"]
        redis.hset(projection_key(shard, "rows"), match.id, json.dumps(stored))
        redis.zrem(projection_key(shard, "expiring"), match.id)
        (row,) = services.read_models.work.disputed_matches()
        assert row.ruling_due is None
        # when
        frozen.tick(RULING_PERIOD + timedelta(minutes=1))
        sweep(services, jobs)
        handlers.expire(match.id, row.ply)
        # then
        assert resolved_by_server(services, match) == ["stands"]


def test_two_disputes_are_each_closed_at_their_own_time(services: Services, jobs: JobQueue) -> None:
    with freeze_time(START) as frozen:
        match = finished(services)
        handlers.hear(match.id, dispute(services, match.id))
        frozen.tick(timedelta(days=2))
        second = RaiseDispute(0, 5, "draw", "cd" * 32)
        number = services.matches.commands.submit(match.id, second, IdempotencyKey(ANN, "second")).match.ply
        handlers.hear(match.id, number)
        for expected in (["stands"], ["stands", "stands"]):
            frozen.move_to(START + RULING_PERIOD + timedelta(days=2 * (len(expected) - 1)))
            sweep(services, jobs)
            handlers.expire(match.id, services.matches.repository.load(match.id).ply)
            assert resolved_by_server(services, match) == expected
