"""The jobs in isolation: a bot's turn and an audit, run once, twice, late, concurrently, and with nothing to do."""

import logging
import threading
import time
from datetime import timedelta
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace
from redis import Redis
from rq.timeouts import JobTimeoutException, UnixSignalDeathPenalty

from domain.bots.levels import LEVELS, BotChoice
from domain.kernel.game import ScoreSheet
from domain.match.commands import Cancel, Play, SeatSpec
from domain.match.state import AnyMatch
from replays import file
from replays.report import Report
from replays.verify import verify
from service.bootstrap import Services
from service.event_store.embedded import EmbeddedServer
from service.event_store.errors import CommandReused, LogUnavailable
from service.event_store.keys import log_key
from service.matches.results import IdempotencyKey
from service.verification.audits import replay_file_of
from tests.service.event_store.proxy import Proxy
from tests.workers.crew import BOTS, SEATS, create_bots_match, first_legal_move
from workers import bootstrap
from workers.bots.audit import audit_bots
from workers.handlers import matches as handlers
from workers.jobs.queue import JobQueue
from workers.processes.reconciler import Reconciler
from workers.projection.projector import Projector


def anns_move(services: Services, match: AnyMatch) -> AnyMatch:
    """Make Ann's first legal move."""
    move = msgspec.to_builtins(first_legal_move(match, 0))
    return services.matches.commands.submit(match.id, Play(0, move), IdempotencyKey("p_ann", f"{match.ply}")).match


def play_out(services: Services, match: AnyMatch) -> AnyMatch:
    """Let the bots play to the end and update the lists."""
    while match.status == "playing":
        handlers.play_bot(match.id, match.ply)
        match = services.matches.repository.load(match.id)
    Projector(services.log, services.read_models.writer, services.read_models.progress).catch_up()
    return match


def verdict_of(services: Services, match: AnyMatch) -> dict[str, Any]:
    raw = services.read_models.verdicts.find(match.id)
    assert raw is not None
    verdict: dict[str, Any] = msgspec.json.decode(raw)
    return verdict


# -- a bot's turn -------------------------------------------------------------------------------------------------


def test_the_bot_answers_a_move(services: Services) -> None:
    match = services.matches.creation.create("p_ann", "tic_tac_toe", SEATS, {}).match
    moved = anns_move(services, match)
    handlers.play_bot(match.id, moved.ply)
    answered = services.matches.repository.load(match.id)
    assert answered.ply == moved.ply + 1
    assert answered.to_move == {0}
    assert services.matches.repository.visible_events(answered, 1, after=moved.ply)[0].seat == 1


def test_a_job_for_an_earlier_ply_does_nothing(services: Services) -> None:
    match = services.matches.creation.create("p_ann", "tic_tac_toe", SEATS, {}).match
    moved = anns_move(services, match)
    for ply in (0, 1, moved.ply - 1, moved.ply + 1, moved.ply + 7):
        handlers.play_bot(match.id, ply)
        assert services.matches.repository.load(match.id).ply == moved.ply


def test_a_job_does_nothing_if_a_person_is_to_move(services: Services) -> None:
    match = services.matches.creation.create("p_ann", "tic_tac_toe", SEATS, {}).match
    handlers.play_bot(match.id, match.ply)
    assert services.matches.repository.load(match.id).ply == match.ply


def test_a_job_for_a_match_that_is_waiting_or_over_does_nothing(services: Services) -> None:
    wishes = [SeatSpec("open"), SeatSpec("bot", level="greedy")]
    waits = services.matches.creation.create("p_ann", "tic_tac_toe", wishes, {}).match
    over = play_out(services, create_bots_match(services))
    for match in (waits, over):
        handlers.play_bot(match.id, match.ply)
        assert services.matches.repository.load(match.id).ply == match.ply


def test_the_same_turn_run_concurrently_makes_one_move(services: Services) -> None:
    for _ in range(5):
        match = create_bots_match(services)
        threads = [threading.Thread(target=handlers.play_bot, args=(match.id, match.ply)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert services.matches.repository.load(match.id).ply == match.ply + 1


def test_repeating_the_job_of_a_played_turn_changes_nothing(services: Services) -> None:
    """Given a bot's move in the log, when the same command is sent again later, then it returns the same event."""
    match = create_bots_match(services)
    handlers.play_bot(match.id, match.ply)
    move = services.matches.repository.visible_events(services.matches.repository.load(match.id), 0, after=match.ply)[
        0
    ].move
    again = services.house_bots.submit(match.id, match.ply, 0, move)
    assert again.is_repeat
    assert services.matches.repository.load(match.id).ply == match.ply + 1


def test_a_different_move_with_the_same_command_id_is_ignored(services: Services) -> None:
    """A newer version of a strategy may choose a different move in a second run. The first move counts."""
    match = create_bots_match(services)
    handlers.play_bot(match.id, match.ply)
    taken = services.matches.repository.visible_events(services.matches.repository.load(match.id), 0, after=match.ply)[
        0
    ].move
    other = next(move for move in match.rules.legal_moves(match.state, 0) if move != taken)
    task = bootstrap.get_turn_source().owed_turn(match.id, match.ply)
    assert task is None, "the match has advanced"
    with pytest.raises(CommandReused):
        services.house_bots.submit(match.id, match.ply, 0, msgspec.to_builtins(other))
    assert services.matches.repository.load(match.id).ply == match.ply + 1


def test_two_bots_to_move_at_the_same_time_both_move(services: Services) -> None:
    match = services.matches.creation.create("p_ann", "mice_cake", BOTS, {}).match
    while len(match.to_move) < 2:
        handlers.play_bot(match.id, match.ply)
        match = services.matches.repository.load(match.id)
    handlers.play_bot(match.id, match.ply)
    between = services.matches.repository.load(match.id)
    assert between.to_move == {1}
    handlers.play_bot(match.id, between.ply)
    assert services.matches.repository.load(match.id).ply > between.ply


def test_a_bot_that_chooses_an_illegal_move_makes_a_legal_one(
    services: Services, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def first_cell(*arguments: Any) -> BotChoice:
        return BotChoice({"type": "mark", "cell": 0})

    for name in LEVELS:
        monkeypatch.setitem(LEVELS, name, replace(LEVELS[name], choose=first_cell))
    match = play_out(services, create_bots_match(services))
    assert match.status == "over"
    assert "chose an illegal move (cell_taken)" in caplog.text


def test_errors_in_jobs_are_logged_without_their_messages(
    services: Services, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*arguments: Any) -> Any:
        raise RuntimeError("the seed is 42")

    match = create_bots_match(services)
    monkeypatch.setattr(handlers, "choose_move", fail)
    with pytest.raises(handlers.JobFailed, match=r"RuntimeError at test_jobs\.py") as failed:
        handlers.play_bot(match.id, match.ply)
    assert failed.value.__cause__ is None
    assert failed.value.__suppress_context__
    assert "RuntimeError at" in caplog.text
    assert "the seed" not in caplog.text


def test_a_job_is_retried_without_failing_while_the_log_is_down(
    own_server: EmbeddedServer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("CRUMBTRAIL_LOG_URL", own_server.url())
    bootstrap.get_services.cache_clear(), bootstrap.get_turn_source.cache_clear()
    match = create_bots_match(bootstrap.get_services())
    own_server.kill()
    handlers.play_bot(match.id, match.ply)
    assert "cannot be reached" in caplog.text
    own_server.start()
    handlers.play_bot(match.id, match.ply)
    assert bootstrap.get_services().matches.repository.load(match.id).ply == match.ply + 1
    bootstrap.get_services.cache_clear(), bootstrap.get_turn_source.cache_clear()


def test_a_log_outage_while_a_bot_chooses_is_not_a_failure(services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    """Given facts that can't be read at the moment, then the turn stays due and no random move is made."""

    def ask(*arguments: Any) -> BotChoice:
        raise LogUnavailable("It cannot be reached.")

    match = create_bots_match(services)
    with monkeypatch.context() as patched:
        for name in LEVELS:
            patched.setitem(LEVELS, name, replace(LEVELS[name], choose=ask))
        handlers.play_bot(match.id, match.ply)
    assert services.matches.repository.load(match.id).ply == match.ply
    assert services.runtime.job_failures.totals() == {}
    handlers.play_bot(match.id, match.ply)
    assert services.matches.repository.load(match.id).ply == match.ply + 1


def test_a_log_outage_while_reading_failures_is_not_a_failure(
    services: Services, server: EmbeddedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Given a connection that breaks while the number of failures is read, then the turn stays due. It is not counted
    as failed, which would lead to a random move."""
    match = create_bots_match(services)
    with Proxy(str(server.socket_path)) as proxy:
        monkeypatch.setenv("CRUMBTRAIL_LOG_URL", proxy.url)
        bootstrap.get_services.cache_clear(), bootstrap.get_turn_source.cache_clear()
        proxy.lose_replies(b"failed-turns", 1)
        handlers.play_bot(match.id, match.ply)
        assert services.matches.repository.load(match.id).ply == match.ply
        assert services.runtime.job_failures.totals() == {}
        handlers.play_bot(match.id, match.ply)
        assert services.matches.repository.load(match.id).ply == match.ply + 1


# -- audits -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", ["tic_tac_toe", "mice_cake"])
def test_the_audit_of_a_finished_match_verifies_it(services: Services, game: str) -> None:
    match = play_out(services, services.matches.creation.create("p_ann", game, BOTS, {}).match)
    handlers.audit(match.id)
    verdict = verdict_of(services, match)
    assert verdict["match"] == match.id
    report = msgspec.convert(verdict["report"], Report)
    assert (report.ok, report.verdict, report.events) == (True, "verified", match.ply)


def test_a_cancelled_match_is_verified_too(services: Services) -> None:
    wishes = [SeatSpec("open"), SeatSpec("bot", level="greedy")]
    match = services.matches.creation.create("p_ann", "tic_tac_toe", wishes, {}).match
    play_out(
        services, services.matches.commands.submit(match.id, Cancel("p_ann"), IdempotencyKey("p_ann", "cancel")).match
    )
    handlers.audit(match.id)
    assert verdict_of(services, match)["report"]["verdict"] == "verified"


def test_a_running_match_gets_no_verdict(services: Services) -> None:
    match = create_bots_match(services)
    handlers.audit(match.id)
    Projector(services.log, services.read_models.writer, services.read_models.progress).catch_up()
    handlers.audit(match.id)
    assert services.read_models.verdicts.find(match.id) is None


def test_a_verdict_is_not_given_twice(services: Services) -> None:
    match = play_out(services, create_bots_match(services))
    services.read_models.verdicts.record(match.id, b'"the first"')
    handlers.audit(match.id)
    assert services.read_models.verdicts.find(match.id) == b'"the first"'


@pytest.mark.parametrize(("limit", "most"), [("MAX_FILE", 4096), ("MAX_EVENTS", 3), ("MAX_LINE", 64)])
def test_an_audit_ignores_the_size_limit_of_uploaded_files(
    services: Services, monkeypatch: pytest.MonkeyPatch, limit: str, most: int
) -> None:
    """Given a match longer than the maximum for uploads, running or over, when it is audited, then it is valid."""
    running, over = create_bots_match(services), play_out(services, create_bots_match(services))
    monkeypatch.setattr(file, limit, most)
    refused = verify(replay_file_of(services.log.lines(over.id))).first
    assert refused is not None
    assert refused.rule == "file.limit"
    assert services.verification.auditor.audit(over.id).ok
    assert services.verification.auditor.audit(running.id).first is None
    assert audit_bots(services, over.id).ok


def test_an_audit_that_times_out_twice_is_suspended_without_a_verdict(
    services: Services, queue: Redis, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Given a rated match with a slow audit, when RQ ends the audit twice, then the match stays rated and unaudited and
    is not audited again for a day, unless the operator runs the audit."""

    def slow(*arguments: Any) -> ScoreSheet:
        time.sleep(5)
        raise AssertionError("RQ ends it earlier")

    people = [SeatSpec("human", player="p_ann"), SeatSpec("human", player="p_bob")]
    match = services.matches.creation.create("p_ann", "tic_tac_toe", people, {}, rated=True).match
    for seat, player in enumerate(("p_ann", "p_bob")):  # a result counts only if both have moved
        move = {"type": "mark", "cell": seat}
        services.matches.commands.submit(match.id, Play(seat, move), IdempotencyKey(player, "mark"))
    services.matches.commands.submit(match.id, Play(0, {"type": "resign"}), IdempotencyKey("p_ann", "resign"))
    Projector(services.log, services.read_models.writer, services.read_models.progress).catch_up()
    reconciler = Reconciler(
        services.read_models.work, services.runtime.job_failures, JobQueue(queue), services.runtime.clock
    )
    for _ in range(2):
        assert not services.runtime.job_failures.are_audits_suspended(match.id)
        with monkeypatch.context() as patched:
            patched.setitem(vars(match.rules), "audit", slow)
            with (
                pytest.raises(handlers.JobFailed, match="JobTimeoutException"),
                UnixSignalDeathPenalty(1, JobTimeoutException),
            ):
                handlers.audit(match.id)
    head = services.matches.repository.load(match.id)
    assert (head.is_rated, head.has_failed_audit, services.read_models.verdicts.failed_matches()) == (True, False, [])
    assert f"Run `crumbtrail audit {match.id}`" in caplog.text
    handlers.audit(match.id)
    assert services.read_models.verdicts.find(match.id) is None
    assert [waiting.match for waiting in services.read_models.work.unaudited_matches()] == [match.id]
    assert reconciler.run(timedelta(0)) == 0
    assert services.verification.auditor.audit(match.id).ok


def test_the_verdict_removes_the_match_from_the_unaudited_list(services: Services) -> None:
    match = play_out(services, create_bots_match(services))
    assert [waiting.match for waiting in services.read_models.work.unaudited_matches()] == [match.id]
    handlers.audit(match.id)
    assert services.read_models.work.unaudited_matches() == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"cell":', b'"cell": '),
        (b'"p_ann"', b'"p_bob"'),
        (b'"outcome"', b'"outcom"'),
        (b'"kind":"created"', b'"kind":"made"'),
        (b"{", b""),
    ],
)
def test_a_changed_line_of_the_log_fails_the_audit_and_is_logged(
    services: Services, redis: Redis, caplog: pytest.LogCaptureFixture, old: bytes, new: bytes
) -> None:
    """Given one rewritten line of the stream, even only by a space, then the audit fails."""
    match = play_out(services, create_bots_match(services))
    lines = services.log.lines(match.id)
    changed = next(n for n, line in enumerate(lines) if old in line)
    lines[changed] = lines[changed].replace(old, new, 1)
    redis.delete(log_key(match.id))
    for ply, line in enumerate(lines, 1):
        redis.xadd(log_key(match.id), {"e": line}, id=f"{ply}-0")
    bootstrap.get_services.cache_clear()  # without cached matches
    with caplog.at_level(logging.CRITICAL):
        handlers.audit(match.id)
    report = verdict_of(services, match)["report"]
    assert report["verdict"] == "failed"
    assert f"AUDIT FAILED: match {match.id}. line " in caplog.text
