"""Audits of disputes by workers: the verdict, what a running match reveals, and crashes."""

import logging
import os
import signal
from datetime import timedelta
from itertools import islice
from typing import Any

import msgspec
import pytest
from redis import Redis

from domain.kernel.chance import Fast
from domain.kernel.events import Audited
from domain.match.commands import Play, RaiseDispute, RecordVerdict, ResolveDispute, SeatSpec
from domain.match.state import AnyMatch
from replays.verify import verify
from service.bootstrap import Services
from service.event_store.errors import LogUnavailable
from service.event_store.keys import log_key, snapshot_key, verdict_key
from service.matches.repository import SNAPSHOT_INTERVAL, snapshot_version
from service.matches.results import IdempotencyKey, bot_author
from service.verification.audits import replay_file_of
from tests.processes import kill
from tests.waiting import wait_until
from tests.workers.crew import BOTS, SEATS, ServiceProcesses, children, first_legal_move
from workers.handlers import matches as handlers
from workers.handlers.matches import hear
from workers.jobs.allowed_job import AUDITS
from workers.jobs.job_ids import dispute_job_id
from workers.jobs.queue import JobQueue, connect_queue
from workers.processes.reconciler import Reconciler
from workers.projection.projector import Projector

CLAIM = "ab" * 32
ANN = "p_ann"


def played(services: Services, game: str = "mice_cake") -> AnyMatch:
    """Return a running match of Ann against a bot, after one move of hers."""
    match = services.matches.creation.create(ANN, game, SEATS, {}).match
    move = msgspec.to_builtins(first_legal_move(match, 0))
    return services.matches.commands.submit(match.id, Play(0, move), IdempotencyKey(ANN, "move")).match


def dispute(services: Services, match: str, ply: int = 4, key: str = "dispute") -> int:
    done = services.matches.commands.submit(match, RaiseDispute(0, ply, "draw", CLAIM), IdempotencyKey(ANN, key))
    return done.events[0].ply


def finished(services: Services) -> AnyMatch:
    match = services.matches.creation.create(ANN, "tic_tac_toe", SEATS, {}).match
    return services.matches.commands.submit(match.id, Play(0, {"type": "resign"}), IdempotencyKey(ANN, "resign")).match


def rewritten(redis: Redis, match: str, ply: int, line: bytes) -> None:
    """Change one line of the log's stream, as someone with access to the server could."""
    key = log_key(match)
    lines: list[Any] = redis.xrange(key)
    redis.delete(key)
    for entry, fields in lines:
        redis.xadd(key, {"e": line if entry == b"%d-0" % ply else fields[b"e"]}, id=entry)


# -- verdicts -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", ["mice_cake", "tic_tac_toe"])
def test_a_valid_running_match_gets_its_verdict(services: Services, game: str) -> None:
    match = played(services, game)
    number = dispute(services, match.id)
    handlers.hear(match.id, number)
    head = services.matches.repository.load(match.id)
    (ruled,) = head.disputes
    assert (ruled.audit_holds, ruled.layer, ruled.at_ply, ruled.rule) == (True, None, None, None)
    assert not head.has_failed_audit
    assert services.read_models.verdicts.find(match.id) is None, "a full report would reveal hidden facts"


def test_a_verdict_is_given_once_even_if_the_job_runs_again(services: Services) -> None:
    match = played(services)
    number = dispute(services, match.id)
    for _ in range(3):
        handlers.hear(match.id, number)
    events = services.matches.repository.visible_events(services.matches.repository.load(match.id), None)
    assert sum(isinstance(event, Audited) for event in events) == 1
    handlers.hear(match.id, 99)  # no such dispute


def test_a_changed_log_is_found_and_only_layer_ply_and_rule_are_revealed(
    services: Services, redis: Redis, caplog: pytest.LogCaptureFixture
) -> None:
    # given: a running match whose second last line was replaced, without changing the hash chain
    match = played(services)
    number = dispute(services, match.id)
    line = services.log.lines(match.id)[4]
    assert b'"columns":{' in line
    rewritten(redis, match.id, 5, line.replace(b'"at":"2', b'"at":"1', 1))
    # when
    with caplog.at_level(logging.CRITICAL):
        handlers.hear(match.id, number)
    # then
    event = services.matches.repository.visible_events(services.matches.repository.load(match.id), None)[-1]
    assert isinstance(event, Audited)
    assert (event.holds, event.layer, event.at_ply, event.rule) == (False, "chain", 5, "chain.hash")
    assert services.matches.repository.load(match.id).has_failed_audit
    assert "DISPUTE UPHELD" in caplog.text
    assert "columns" not in caplog.text


@pytest.mark.parametrize("game", ["pie_contest", "take_the_cake", "battle_of_the_bakeries"])
def test_a_snapshot_by_the_process_that_created_the_match_is_valid(services: Services, game: str) -> None:
    """Given a match that one process plays until it writes a snapshot, when it is audited, then the snapshot is
    valid."""
    people, chance = [SeatSpec("human", ANN), SeatSpec("human", ANN)], Fast("snapshot")
    match = services.matches.creation.create(ANN, game, people, {}).match
    while match.ply < SNAPSHOT_INTERVAL + 2:
        seat = min(match.to_move)
        move = chance.pick(list(islice(match.rules.legal_moves(match.state, seat), 100)))
        match = services.matches.commands.submit(match.id, Play(seat, move), IdempotencyKey(ANN, f"{match.ply}")).match
    assert services.log.read_snapshot(match.id) is not None
    report = services.verification.auditor.audit(match.id)
    assert report.first is None, report.as_text()


def test_a_snapshot_that_differs_from_the_fold_is_found(services: Services, redis: Redis) -> None:
    match = finished(services)
    other = services.matches.creation.create(ANN, "tic_tac_toe", SEATS, {}).match
    services.log.write_snapshot(match.id, 4, snapshot_version(other.rules), msgspec.json.encode(other))
    Projector(services.log, services.read_models.writer, services.read_models.progress).catch_up()
    number = dispute(services, match.id)
    handlers.hear(match.id, number)
    (ruled,) = services.matches.repository.load(match.id).disputes
    assert (ruled.audit_holds, ruled.layer, ruled.rule) == (False, "snapshot", "fold.snapshot")
    redis.delete(snapshot_key(match.id))


def test_a_failed_routine_audit_is_appended_listed_and_logged(
    services: Services, redis: Redis, caplog: pytest.LogCaptureFixture
) -> None:
    match = finished(services)
    Projector(services.log, services.read_models.writer, services.read_models.progress).catch_up()
    line = services.log.lines(match.id)[2]
    rewritten(redis, match.id, 3, line.replace(b'"share":null', b'"share":"nine"'))
    with caplog.at_level(logging.CRITICAL):
        handlers.audit(match.id)
    assert "AUDIT FAILED" in caplog.text
    assert services.read_models.verdicts.failed_matches() == [match.id]
    head = services.matches.repository.load(match.id)
    assert head.has_failed_audit
    event = services.matches.repository.visible_events(head, None)[-1]
    assert isinstance(event, Audited)
    assert (event.dispute, event.holds, event.layer) == (None, False, "chain")


@pytest.mark.parametrize("broken", ["append", "record"])
def test_an_interrupted_failed_audit_is_repeated_until_event_and_report_are_stored(
    services: Services, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    """Given a log that does not answer when the event or the report is written, when the audit runs again, then both
    are stored, the event only once."""
    match = finished(services)
    services.log.write_snapshot(match.id, 3, snapshot_version(match.rules), b"{}")
    projector = Projector(services.log, services.read_models.writer, services.read_models.progress)
    projector.catch_up()

    def fail(*_: Any, **__: Any) -> None:
        raise LogUnavailable("The log server did not answer in time.")

    with monkeypatch.context() as patch:
        patch.setattr(services.log if broken == "append" else services.read_models.verdicts, broken, fail)
        handlers.audit(match.id)
    projector.catch_up()
    assert [waiting.match for waiting in services.read_models.work.unaudited_matches()] == [match.id]
    for _ in range(2):
        handlers.audit(match.id)
        projector.catch_up()
    assert services.read_models.work.unaudited_matches() == []
    assert services.read_models.verdicts.failed_matches() == [match.id]
    head = services.matches.repository.load(match.id)
    assert head.has_failed_audit
    assert sum(isinstance(event, Audited) for event in services.matches.repository.visible_events(head, None)) == 1


def test_a_finished_match_disputed_and_annulled_still_verifies(services: Services) -> None:
    services.accounts.arbiters.add("p_judge")
    match = finished(services)
    number = dispute(services, match.id)
    handlers.hear(match.id, number)
    services.matches.commands.submit(
        match.id, ResolveDispute(number, "annulled", "p_judge"), IdempotencyKey("p_judge", "ruling")
    )
    report = verify(replay_file_of(services.log.lines(match.id)))
    assert report.ok, report.as_text()
    assert services.read_models.verdicts.find(match.id) is not None, (
        "nothing is hidden any more, so the full report is stored"
    )


# -- the queue ----------------------------------------------------------------------------------------------------


def test_a_dispute_is_listed_until_it_has_its_verdict(services: Services, jobs: JobQueue, queue: Redis) -> None:
    match = played(services)
    number = dispute(services, match.id)
    projector = Projector(services.log, services.read_models.writer, services.read_models.progress)
    reconciler = Reconciler(services.read_models.work, services.runtime.job_failures, jobs, services.runtime.clock)
    projector.catch_up()
    for _ in range(2):
        reconciler.run(timedelta(0))
        assert dispute_job_id(match.id, number) in jobs.pending_work(AUDITS)
    queue.flushdb()
    hear(match.id, number)
    projector.catch_up()
    reconciler.run(timedelta(0))
    assert jobs.pending_work(AUDITS) == set()
    assert services.read_models.work.disputes_awaiting_verdict() == []
    assert [row.id for row in services.read_models.work.disputed_matches()] == [match.id]


def test_workers_that_are_killed_repeatedly_give_one_verdict(crew: ServiceProcesses) -> None:
    services = crew.services
    worker = crew.worker("audits")
    crew.dispatcher()
    crew.wait_until_started(2)
    matches = [played(services) for _ in range(3)]
    numbers = [dispute(services, match.id) for match in matches]
    for _ in range(3):
        for pid in children(worker):
            os.kill(pid, signal.SIGKILL)
        kill(worker)
        connect_queue(crew.queue.url()).flushall()
        worker = crew.worker("audits")
    for match, number in zip(matches, numbers, strict=True):
        wait_until(lambda match=match: services.matches.repository.load(match.id).disputes[0].has_verdict, 60)
        events = services.matches.repository.visible_events(services.matches.repository.load(match.id), None)
        assert [event.dispute for event in events if isinstance(event, Audited)] == [number]


def test_only_the_auditor_can_record_verdicts(services: Services) -> None:
    match = services.matches.creation.create(ANN, "tic_tac_toe", BOTS, {}).match
    for author in (bot_author(match.id, 0), ANN, "auditor "):
        with pytest.raises(Exception, match="only audits may record verdicts"):
            services.matches.commands.submit(match.id, RecordVerdict(None, True), IdempotencyKey(author, "x"))
    assert verdict_key(match.id).startswith("{ct:")
