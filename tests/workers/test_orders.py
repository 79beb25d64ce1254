"""Standing orders carried out by workers: promptly, once, whatever is lost or killed on the way."""

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
    """Order these cells, in this order, as the seat's whole list; gives the orders' ids."""
    head = services.matches.repository.load(match.id)
    wanted = [make_order(head, {"type": "mark", "cell": cell}) for cell in cells]

    def how(orders: SeatOrders) -> SeatOrders:
        return with_moves(with_forced_moves(orders, forced), wanted)

    change_orders(services.matches.standing_orders, head, seat, PLAYERS[seat], None, how)
    return [each.id for each in wanted]


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


def test_an_order_that_is_cancelled_while_a_worker_ponders_is_not_carried_out(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Given a worker that has read the orders and looks whether a move is forced, when they are cancelled meanwhile,
    then it makes no move, and what is ordered next is done."""
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
def test_who_was_erased_does_not_go_on_playing(services: Services, player: str) -> None:
    """Given orders of two at several matches, also at a seat that was handed over, when one of them is erased, then
    nothing of theirs is kept or carried out, and the other's orders stand."""
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
    assert len(causes(services, head)) == 1, "the other's order, and none of who was erased"


class Dead(Exception):
    """The worker has died here."""


def test_a_worker_that_dies_behind_the_move_leaves_an_order_that_is_not_done_again(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the move and the note that it is made: the log knows the order, at any later ply."""
    match = started(services)
    first, second = order(services, match, 1, 0, 1)
    moved = mark(services, match, 0, 4)
    monkeypatch.setattr(type(services.matches.standing_orders), "update", lambda *_: (_ for _ in ()).throw(Dead()))
    with pytest.raises(Dead):
        services.matches.order_executor.execute(match.id, moved.ply)
    monkeypatch.undo()
    assert causes(services, match) == [first]
    assert [each.id for each in left(services, match, 1).moves] == [first, second]
    # even where nobody has looked in between
    mark(services, match, 0, 8)
    head = services.matches.repository.load(match.id)
    handlers.follow_orders(match.id, head.ply)
    assert causes(services, match) == [first, second]
    assert left(services, match, 1).moves == ()
    assert left(services, match, 1).dropped == ()


def test_an_order_whose_move_was_taken_back_is_not_done_again(services: Services) -> None:
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
    )  # as if the worker had died before it noted anything
    handlers.follow_orders(match.id, head.ply)
    assert causes(services, match) == [first]
    assert left(services, match, 1).moves == ()


def test_what_the_seat_changes_while_a_worker_is_at_it_is_not_overwritten(
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


def test_what_no_hint_has_told_is_found_by_the_sweep_and_once_looked_at_left_alone(
    services: Services, jobs: JobQueue
) -> None:
    match = started(services)
    assert sweep(services, jobs) == 0
    order(services, match, 1, 0)
    assert sweep(services, jobs) == 1, "the orders are new"
    handlers.follow_orders(match.id, services.matches.repository.load(match.id).ply)
    assert sweep(services, jobs) == 0
    moved = mark(services, match, 0, 4)
    assert sweep(services, jobs) == 1
    assert orders_job_id(match.id, moved.ply) in jobs.pending_work(DEADLINES)
    assert sweep(services, jobs) == 0, "it is in hand"
    handlers.follow_orders(match.id, moved.ply)
    assert len(causes(services, match)) == 1


def test_hints_go_out_for_matches_with_orders_alone(services: Services, jobs: JobQueue, queue: Redis) -> None:
    matches = [started(services) for _ in range(3)]
    order(services, matches[1], 1, 0)
    rows = Projector(services.log, services.read_models.writer, services.read_models.progress).catch_up()
    StandingOrderScheduler(
        services.matches.standing_orders, services.read_models.lists, jobs, services.runtime.clock
    ).schedule(rows)
    assert jobs.pending_work(DEADLINES) == {orders_job_id(matches[1].id, matches[1].ply)}


def test_consecutive_sweeps_come_to_every_match(services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.matches.standing_orders.MATCHES_PER_SWEEP", 2)
    match = started(services)
    shard = match.id[:2]
    names = [f"{shard}{'a' * 15}{letter}" for letter in "abcdefg"]
    for name in names:
        services.matches.standing_orders.update(name, {})
    found = [waiting.match for number in range(4) for waiting in services.matches.standing_orders.sweep(number)]
    assert sorted(found) == names


def test_at_the_end_orders_are_forgotten(services: Services, jobs: JobQueue) -> None:
    match = started(services)
    order(services, match, 1, 0)
    services.matches.commands.submit(match.id, Play(0, {"type": "resign"}), IdempotencyKey("p_ann", "end"))
    assert sweep(services, jobs) == 1
    handlers.follow_orders(match.id, services.matches.repository.load(match.id).ply)
    assert sweep(services, jobs) == 0
    assert services.matches.standing_orders.load(match.id).seats == {}


# -- not theirs any more ------------------------------------------------------------------------------------------


def test_while_a_bot_stands_in_or_sits_there_no_order_is_carried_out(services: Services) -> None:
    match = started(services)
    order(services, match, 1, 0)
    services.matches.commands.submit(match.id, HandOver(1, "random"), IdempotencyKey("p_bob", "away"))
    moved = mark(services, match, 0, 4)
    handlers.follow_orders(match.id, moved.ply)
    assert causes(services, match) == []
    handlers.play_bot(match.id, moved.ply)
    assert [event.seat for event in moves(services, match)] == [0, 1], "the bot that took the seat over plays"


def test_a_deadline_that_has_passed_comes_before_any_order(services: Services) -> None:
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
    """Kill a worker and the process of its job, if it is at one soon."""
    patience = time.monotonic() + 2
    while not children(worker) and time.monotonic() < patience:
        time.sleep(0.001)
    if children(worker):
        kill_with_its_job(worker)
    else:
        kill(worker)


def test_two_lists_of_orders_play_a_match_out_however_often_everybody_is_killed(crew: ServiceProcesses) -> None:
    """Given both seats' orders for a whole match, when dispatcher and worker are killed again and again, in mid-job
    too, and the queue is flushed, then every order is carried out once, in its turn, and the log verifies."""
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


def test_an_order_given_at_ones_own_turn_is_done_within_seconds(running: ServiceProcesses) -> None:
    match = started(running.services)
    (first,) = order(running.services, match, 0, 4)
    wait_until(lambda: causes(running.services, match) == [first], 60)
    order(running.services, match, 1, 0)
    wait_until(lambda: len(causes(running.services, match)) == 2, 60)
