"""Standing orders executed by workers: promptly and once, despite lost hints and killed processes."""

import subprocess
import time

import pytest
from freezegun import freeze_time
from redis import Redis

from domain.kernel.events import Moved, TimeControl
from domain.match.commands import AnswerProposal, HandOver, Play, Propose, SeatSpec
from domain.match.durations import DAY
from domain.match.state import AnyMatch
from replays.verify import verify
from service.bootstrap import Services
from service.matches.command_handler import TO_LAST_MOVE
from service.matches.order_execution import StandingOrderExecutor
from service.matches.results import IdempotencyKey
from service.matches.standing_orders import SeatOrders, change_orders, make_order, with_forced_moves, with_moves
from service.verification.audits import replay_file_of
from tests.processes import kill
from tests.waiting import wait_until
from tests.workers.crew import ServiceProcesses, children, kill_with_its_job
from workers.handlers import matches as handlers
from workers.jobs.allowed_job import DEADLINES
from workers.jobs.job_ids import orders_job_id
from workers.jobs.queue import JobQueue, connect_queue
from workers.jobs.standing_orders import StandingOrderScheduler
from workers.projection.projector import Projector

PEOPLE = (SeatSpec("human", player="p_ann"), SeatSpec("human", player="p_bob"))
PLAYERS = ("p_ann", "p_bob")


def started(services: Services, clock: TimeControl | None = None) -> AnyMatch:
    return services.matches.creation.create("p_ann", "tic_tac_toe", PEOPLE, {}, clock=clock).match


def mark(services: Services, match: AnyMatch, seat: int, cell: int) -> AnyMatch:
    by = IdempotencyKey(PLAYERS[seat], f"{seat} {cell}")
    return services.matches.commands.submit(match.id, Play(seat, {"type": "mark", "cell": cell}), by).match


def order(services: Services, match: AnyMatch, seat: int, *cells: int, forced: bool = False) -> list[str]:
    """Replace the seat's orders by these cells, in this order. Return the orders' ids."""
    head = services.matches.repository.load(match.id)
    given = [make_order(head, {"type": "mark", "cell": cell}) for cell in cells]

    def how(orders: SeatOrders) -> SeatOrders:
        return with_moves(with_forced_moves(orders, forced), given)

    change_orders(services.matches.standing_orders, head, seat, PLAYERS[seat], None, how)
    return [each.id for each in given]


def left(services: Services, match: AnyMatch, seat: int) -> SeatOrders:
    return services.matches.standing_orders.load(match.id).for_seat(seat, PLAYERS[seat])


def moves(services: Services, match: AnyMatch) -> list[Moved]:  # type: ignore[type-arg]
    head = services.matches.repository.load(match.id)
    seen = [services.matches.repository.visible_events(head, seat) for seat in (0, 1)]
    return [one if one.seat == 0 else two for one, two in zip(*seen, strict=True) if isinstance(one, Moved)]  # type: ignore[misc]


def causes(services: Services, match: AnyMatch) -> list[str]:
    return [event.cause.order for event in moves(services, match) if event.cause]


def sweep(services: Services, jobs: JobQueue) -> int:
    Projector(services.log, services.read_models.writer, services.read_models.progress).catch_up()
    return StandingOrderScheduler(
        services.matches.standing_orders, services.read_models.lists, jobs, services.runtime.clock
    ).run()


# -- once ---------------------------------------------------------------------------------------------------------


def test_a_job_that_runs_twice_or_late_acts_once(services: Services) -> None:
    match = started(services)
    first, second = order(services, match, 1, 0, 1)
    moved = mark(services, match, 0, 4)
    for _ in range(3):
        handlers.follow_orders(match.id, moved.ply)
        handlers.follow_orders(match.id, moved.ply + 1)
    assert causes(services, match) == [first]
    assert [each.id for each in left(services, match, 1).moves] == [second]


def test_an_order_cancelled_while_a_worker_checks_it_is_not_executed(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Given a worker that has read the orders and checks whether a move is forced, when they are cancelled meanwhile,
    then it makes no move, and the orders given next are executed."""
    match = started(services)
    order(services, match, 1, 0, 1, forced=True)
    moved = mark(services, match, 0, 4)
    monkeypatch.setattr("service.matches.order_execution.forced_move", lambda *_: order(services, match, 1) and None)
    handlers.follow_orders(match.id, moved.ply)
    monkeypatch.undo()
    assert causes(services, match) == []
    assert services.matches.standing_orders.load(match.id).checked_ply < moved.ply, "the sweep finds it again"
    (new,) = order(services, match, 1, 2)
    handlers.follow_orders(match.id, moved.ply)
    assert causes(services, match) == [new]


@pytest.mark.parametrize("player", PLAYERS)
def test_orders_of_an_erased_player_are_not_executed(services: Services, player: str) -> None:
    """Given orders of two players in several matches, including in a handed-over seat, when one player is erased, then
    none of their orders are kept or executed, and the other's orders remain."""
    matches = [started(services) for _ in range(3)]
    for match in matches:
        order(services, match, 0, 2, forced=True), order(services, match, 1, 0)
    given = matches[2]
    mark(services, given, 0, 8)
    services.matches.commands.submit(
        given.id, HandOver(PLAYERS.index(player), "random"), IdempotencyKey(player, "give")
    )
    services.accounts.eraser.erase(player), services.accounts.eraser.erase(player)
    gone, other = (0, 1) if player == PLAYERS[0] else (1, 0)
    for match in matches:
        book = services.matches.standing_orders.load(match.id)
        assert (book.seats[gone].moves, book.seats[gone].forced) == ((), None)
        assert len(book.seats[other].moves) == 1
    head = matches[0]
    handlers.follow_orders(head.id, head.ply)
    assert len(causes(services, head)) == (0 if gone == 0 else 1)
    moved = services.matches.repository.load(head.id) if gone == 1 else mark(services, head, 0, 8)
    handlers.follow_orders(head.id, moved.ply)
    assert len(causes(services, head)) == 1, "only the other player's order"


class Dead(Exception):
    """Raised where the worker dies."""


def test_an_order_is_not_repeated_if_the_worker_dies_after_the_move(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the move and the record that it was made: the log contains the order's id, at any later ply."""
    match = started(services)
    first, second = order(services, match, 1, 0, 1)
    moved = mark(services, match, 0, 4)
    monkeypatch.setattr(type(services.matches.standing_orders), "update", lambda *_: (_ for _ in ()).throw(Dead()))
    with pytest.raises(Dead):
        services.matches.order_executor.execute(match.id, moved.ply)
    monkeypatch.undo()
    assert causes(services, match) == [first]
    assert [each.id for each in left(services, match, 1).moves] == [first, second]
    # even if no worker has checked the match in between
    mark(services, match, 0, 8)
    head = services.matches.repository.load(match.id)
    handlers.follow_orders(match.id, head.ply)
    assert causes(services, match) == [first, second]
    assert left(services, match, 1).moves == ()
    assert left(services, match, 1).dropped == ()


def test_an_order_whose_move_was_retracted_is_not_repeated(services: Services) -> None:
    match = started(services)
    (first,) = order(services, match, 1, 0)
    before = services.matches.standing_orders.load(match.id)
    moved = mark(services, match, 0, 4)
    handlers.follow_orders(match.id, moved.ply)
    asked = services.matches.commands.submit(
        match.id, Propose(seat=1, what="takeback", to_ply=TO_LAST_MOVE), IdempotencyKey("p_bob", "back")
    )
    services.matches.commands.submit(match.id, AnswerProposal(0, asked.match.ply, True), IdempotencyKey("p_ann", "yes"))
    head = services.matches.repository.load(match.id)
    assert head.to_move == {1}
    services.matches.standing_orders.update(
        match.id, {1: before.seats[1]}
    )  # as if the worker had died before the record
    handlers.follow_orders(match.id, head.ply)
    assert causes(services, match) == [first]
    assert left(services, match, 1).moves == ()


def test_changes_made_while_a_worker_executes_orders_are_kept(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = started(services)
    (first,) = order(services, match, 1, 0)
    moved = mark(services, match, 0, 4)
    make = StandingOrderExecutor._submit

    def slow(self: StandingOrderExecutor, *given: object) -> bool:
        made = make(self, *given)  # type: ignore[arg-type]
        order(services, match, 1, 2, 3)
        return made

    monkeypatch.setattr(StandingOrderExecutor, "_submit", slow)
    services.matches.order_executor.execute(match.id, moved.ply)
    monkeypatch.undo()
    assert causes(services, match) == [first]
    assert [each.move["cell"] for each in left(services, match, 1).moves] == [2, 3]


# -- found --------------------------------------------------------------------------------------------------------


def test_the_sweep_finds_matches_without_hints_and_checks_them_once(
    services: Services, jobs: JobQueue, queue: Redis
) -> None:
    match = started(services)
    assert sweep(services, jobs) == 0
    order(services, match, 1, 0)
    assert sweep(services, jobs) == 1, "the orders are new"
    handlers.follow_orders(match.id, services.matches.repository.load(match.id).ply)
    queue.flushdb()
    assert sweep(services, jobs) == 0
    moved = mark(services, match, 0, 4)
    assert sweep(services, jobs) == 1
    assert orders_job_id(match.id, moved.ply) in jobs.pending_work(DEADLINES)
    assert sweep(services, jobs) == 0, "it is already queued"
    handlers.follow_orders(match.id, moved.ply)
    assert len(causes(services, match)) == 1


def test_hints_are_sent_only_for_matches_with_orders(services: Services, jobs: JobQueue, queue: Redis) -> None:
    matches = [started(services) for _ in range(3)]
    order(services, matches[1], 1, 0)
    rows = Projector(services.log, services.read_models.writer, services.read_models.progress).catch_up()
    StandingOrderScheduler(
        services.matches.standing_orders, services.read_models.lists, jobs, services.runtime.clock
    ).schedule(rows)
    assert jobs.pending_work(DEADLINES) == {orders_job_id(matches[1].id, matches[1].ply)}


def test_a_busy_queue_holds_one_check_for_each_match(services: Services, jobs: JobQueue, queue: Redis) -> None:
    """Given a match that moves on while its check waits, then no other check is queued, and the old one carries out the
    order for the newest ply."""
    match = started(services)
    (first,) = order(services, match, 1, 0)
    projector = Projector(services.log, services.read_models.writer, services.read_models.progress)
    scheduler = StandingOrderScheduler(
        services.matches.standing_orders, services.read_models.lists, jobs, services.runtime.clock
    )
    scheduler.schedule(projector.catch_up())
    moved = mark(services, match, 0, 4)
    scheduler.schedule(projector.catch_up())
    assert scheduler.run() == 0
    assert jobs.pending_work(DEADLINES) == {orders_job_id(match.id, match.ply)}
    assert moved.ply > match.ply
    handlers.follow_orders(match.id, match.ply)
    assert causes(services, match) == [first]


def test_a_check_for_a_ply_that_is_not_in_the_log_does_nothing(services: Services) -> None:
    match = started(services)
    order(services, match, 1, 0)
    moved = mark(services, match, 0, 4)
    handlers.follow_orders(match.id, moved.ply + 1)
    assert causes(services, match) == []


def test_consecutive_sweeps_reach_every_match(services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.matches.standing_orders.MATCHES_PER_SWEEP", 2)
    match = started(services)
    shard = match.id[:2]
    names = [f"{shard}{'a' * 15}{letter}" for letter in "abcdefg"]
    for name in names:
        services.matches.standing_orders.update(name, {})
    found = [waiting.match for number in range(4) for waiting in services.matches.standing_orders.sweep(number)]
    assert sorted(found) == names


def test_orders_are_deleted_at_the_end(services: Services, jobs: JobQueue) -> None:
    match = started(services)
    order(services, match, 1, 0)
    services.matches.commands.submit(match.id, Play(0, {"type": "resign"}), IdempotencyKey("p_ann", "end"))
    assert sweep(services, jobs) == 1
    handlers.follow_orders(match.id, services.matches.repository.load(match.id).ply)
    assert sweep(services, jobs) == 0
    assert services.matches.standing_orders.load(match.id).seats == {}


# -- seats played by others ------------------------------------------------------------------------------------------


def test_no_order_is_executed_while_a_bot_plays_the_seat(services: Services) -> None:
    match = started(services)
    order(services, match, 1, 0)
    services.matches.commands.submit(match.id, HandOver(1, "random"), IdempotencyKey("p_bob", "away"))
    moved = mark(services, match, 0, 4)
    handlers.follow_orders(match.id, moved.ply)
    assert causes(services, match) == []
    handlers.play_bot(match.id, moved.ply)
    assert [event.seat for event in moves(services, match)] == [0, 1], "the substitute bot plays"


def test_a_passed_deadline_takes_precedence_over_orders(services: Services) -> None:
    with freeze_time("2026-03-01T08:00:00Z") as frozen:
        match = started(services, TimeControl(kind="per_move", seconds=DAY, expiry="bot_moves", level="random"))
        order(services, match, 0, 4)
        frozen.tick(DAY)
        handlers.follow_orders(match.id, match.ply)
        head = services.matches.repository.load(match.id)
        assert head.seats[0].standin == "random"
        assert causes(services, match) == []
        handlers.follow_orders(match.id, head.ply)
        assert causes(services, match) == []
        assert len(left(services, match, 0).moves) == 1


# -- processes ----------------------------------------------------------------------------------------------------


def strike(worker: "subprocess.Popen[bytes]") -> None:
    """Kill a worker, together with the process of its job if it gets a job soon."""
    patience = time.monotonic() + 2
    while not children(worker) and time.monotonic() < patience:
        time.sleep(0.001)
    if children(worker):
        kill_with_its_job(worker)
    else:
        kill(worker)


@pytest.mark.full
def test_two_lists_of_orders_play_a_whole_match_despite_kills(crew: ServiceProcesses) -> None:
    """Given both seats' orders for a whole match, when dispatcher and worker are killed repeatedly, even during jobs,
    and the queue is flushed, then every order is executed once, in its turn, and the log verifies."""
    services = crew.services
    dispatcher, worker = crew.dispatcher(), crew.worker("deadlines")
    crew.wait_until_started(2)
    matches = [started(services) for _ in range(4)]
    given = {
        match.id: (order(services, match, 0, 0, 2, 3, 7, 8), order(services, match, 1, 1, 4, 5, 6)) for match in matches
    }
    for round_ in range(4):
        strike(worker)
        kill(dispatcher)
        if round_ == 1:
            connect_queue(crew.queue.url()).flushdb()
        dispatcher, worker = crew.dispatcher(), crew.worker("deadlines")
        if all(services.matches.repository.load(match.id).status == "over" for match in matches):
            break
    wait_until(lambda: all(services.matches.repository.load(match.id).status == "over" for match in matches), 60)
    for match in matches:
        ann, bob = given[match.id]
        made = causes(services, match)
        assert made == [each for pair in zip(ann, [*bob, ""], strict=True) for each in pair if each]
        assert verify(replay_file_of(services.log.lines(match.id))).ok
    wait_until(lambda: services.matches.standing_orders.sweep(0) == [], 60)


def test_an_order_given_on_the_players_own_turn_is_executed_within_seconds(running: ServiceProcesses) -> None:
    match = started(running.services)
    (first,) = order(running.services, match, 0, 4)
    wait_until(lambda: causes(running.services, match) == [first], 60)
    order(running.services, match, 1, 0)
    wait_until(lambda: len(causes(running.services, match)) == 2, 60)
