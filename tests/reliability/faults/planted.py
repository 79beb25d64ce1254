"""Bugs planted in the service's processes, to check that the checker finds them.

`python -m tests.reliability.faults.planted NAME MODULE ...` plants the bug NAME in this process and then runs MODULE
like `python -m MODULE ...`. Under `crumbtrail up` every process is started this way. The service has no code for this.
"""

import hashlib
import runpy
import sys
import threading
import time
import zlib
from collections.abc import Callable, Sequence
from typing import Any

from service.event_store import embedded


def planted(name: str | None) -> Callable[[Sequence[str]], list[str]]:
    """Return a function that changes a command to start with a plant, or leaves it unchanged for None."""

    def command(words: Sequence[str]) -> list[str]:
        python, dash_m, *rest = words
        return list(words) if name is None else [python, dash_m, "tests.reliability.faults.planted", name, *rest]

    return command


def one_in(number: int, text: str) -> bool:
    """Return True for about one in `number` texts, the same ones in every process."""
    return zlib.crc32(text.encode()) % number == 0


# -- the log --------------------------------------------------------------------------------------------------------


def alter_script(before: str, after: str) -> None:
    """Replace a text in the append script."""
    from service.event_store import log

    assert before in log.APPEND_SCRIPT
    log.APPEND_SCRIPT = log.APPEND_SCRIPT.replace(before, after)
    log.APPEND_SCRIPT_SHA1 = hashlib.sha1(log.APPEND_SCRIPT.encode()).hexdigest()


def duplicate_on_retry() -> None:
    """A command that was carried out is forgotten, so a retry acts again."""
    from service.event_store import log

    alter_script("local known = redis.call('HGET', commands, command)", "local known = false")
    log._parse_remembered = lambda value: None  # type: ignore[assignment]


def payload_not_compared() -> None:
    """A used key is accepted for any request."""
    from service.matches import command_handler, creation

    for module in (command_handler, creation):
        module.payload_digest = lambda value: "the same"  # type: ignore[attr-defined]


def no_equality_check() -> None:
    """An append does not check the ply of the match."""
    alter_script("if ply ~= expected or not known_head then", "if tonumber(ply) < tonumber(expected) then")


def lost_announcement() -> None:
    """One append in nine is not announced in the feed."""
    alter_script("redis.pcall('XADD', feed,", "first % 9 == 8 and at or redis.pcall('XADD', feed,")


def half_a_command() -> None:
    """Only two of three events that belong together are appended."""
    alter_script("for i = 7, #ARGV do", "for i = 7, #ARGV - (#ARGV == 9 and 1 or 0) do")


def everysec_called_durable() -> None:
    """The server syncs its file only once a second, and the check at the start accepts that."""
    from service.event_store import durability

    embedded.DURABLE_SETTINGS["appendfsync"] = "everysec"
    durability.REQUIRED_SETTINGS = tuple(
        setting for setting in durability.REQUIRED_SETTINGS if setting.name != "appendfsync"
    )


def append_later(delay: float) -> Callable[..., Any]:
    """Return an append function that answers immediately and appends later."""
    from service.event_store.log import AppendResult, MatchLog

    real = MatchLog.append

    def append(self: Any, match: str, expected: int, lines: Sequence[bytes], **rest: Any) -> AppendResult:
        def later() -> None:
            time.sleep(delay)
            real(self, match, expected, lines, **rest)

        threading.Thread(target=later, daemon=True).start()
        return AppendResult(expected + 1, expected + len(lines), is_duplicate=False)

    return append


def acknowledged_before_appended() -> None:
    """A move is acknowledged first and appended a little later."""
    from service.event_store.log import MatchLog

    later, real = append_later(0.5), MatchLog.append

    def append(self: Any, match: str, expected: int, *rest: Any, **options: Any) -> Any:
        return (later if expected > 4 else real)(self, match, expected, *rest, **options)

    MatchLog.append = append  # type: ignore[method-assign]


def unknown_called_done() -> None:
    """An append whose outcome is unknown counts as done."""
    from service.event_store.errors import LogUnavailable
    from service.event_store.log import AppendResult, MatchLog

    real = MatchLog.append

    def append(self: Any, match: str, expected: int, lines: Sequence[bytes], **rest: Any) -> AppendResult:
        try:
            return real(self, match, expected, lines, **rest)
        except LogUnavailable:
            return AppendResult(expected + 1, expected + len(lines), is_duplicate=False)

    MatchLog.append = append  # type: ignore[method-assign]


def wrong_link() -> None:
    """Some events have the wrong hash of the event before them."""
    from service.event_store.log import MatchLog

    real = MatchLog.append

    def append(self: Any, match: str, expected: int, lines: Sequence[bytes], **rest: Any) -> Any:
        if expected % 7 == 6:
            lines = [lines[0].replace(b'"prev":"', b'"prev":"f', 1), *lines[1:]]
        return real(self, match, expected, lines, **rest)

    MatchLog.append = append  # type: ignore[method-assign]


# -- reading and deciding -------------------------------------------------------------------------------------------


def stale_cache() -> None:
    """A match is shown from the cache of the process."""
    from service.matches.repository import MatchRepository

    real = MatchRepository.load
    MatchRepository.load = lambda self, match: self.cached(match) or real(self, match)  # type: ignore[method-assign]


def time_runs_backwards() -> None:
    """An event takes the time of the clock, even if earlier events have a later time."""
    from msgspec.structs import replace

    from service.matches import command_handler

    real = command_handler.decide
    command_handler.decide = lambda head, command, now, *rest: real(  # type: ignore[assignment]
        replace(head, last_event_at=min(head.last_event_at, now)), command, now, *rest
    )


# -- projections and jobs --------------------------------------------------------------------------------------------


def skipped_position() -> None:
    """One append in six is left out of the lists."""
    from msgspec.structs import replace

    from workers.projection.projector import Projector

    real = Projector._change
    Projector._change = lambda self, item, newest, match: replace(  # type: ignore[method-assign]
        found := real(self, item, newest, match), row=None if one_in(6, f"{item.match} {item.last}") else found.row
    )


def lost_bot_turns() -> None:
    """In one match of three the bot's turns are not enqueued."""
    from workers.jobs.queue import JobQueue

    real = JobQueue.enqueue_bot_turn
    JobQueue.enqueue_bot_turn = lambda self, match, ply, attempt=0: (  # type: ignore[method-assign]
        None if one_in(3, match) else real(self, match, ply, attempt)
    )


def no_reconciler() -> None:
    """Jobs that the queue has lost are not enqueued again."""
    from workers.processes.reconciler import Reconciler

    Reconciler.run = lambda self, patience=None: 0  # type: ignore[method-assign]


def dropped_deadlines() -> None:
    """Expired deadlines are not enqueued."""
    from workers.jobs.queue import JobQueue

    JobQueue.enqueue_expiry = lambda self, match, ply, attempt=0: None  # type: ignore[method-assign]


def deadline_lost_with_its_worker() -> None:
    """A deadline whose job was lost with its worker is not enqueued again."""
    from workers.jobs.queue import JobQueue

    real = JobQueue.enqueue_expiry
    JobQueue.enqueue_expiry = lambda self, match, ply, attempt=0: (  # type: ignore[method-assign]
        None if attempt else real(self, match, ply)
    )


def dropped_audits() -> None:
    """One match of two is not audited."""
    from workers.jobs.queue import JobQueue

    real = JobQueue.enqueue_audit
    JobQueue.enqueue_audit = lambda self, match, attempt=0: (  # type: ignore[method-assign]
        None if one_in(2, match) else real(self, match, attempt)
    )


def job_that_acts_twice() -> None:
    """A bot's job moves at any ply of the match, with a new command each time."""
    import secrets

    from domain.match.commands import Play
    from service.bots.house_bots import HouseBots
    from service.matches.results import IdempotencyKey, bot_author

    def submit(self: Any, match: str, ply: int, seat: int, move: Any, *, is_fallback: bool = False) -> Any:
        by = IdempotencyKey(bot_author(match, seat), secrets.token_hex(8))
        return self._commands.submit(match, Play(seat, move, seen=ply), by)

    HouseBots.submit = submit  # type: ignore[method-assign]


def lost_deliveries() -> None:
    """One delivery in three is never enqueued."""
    from workers.jobs.queue import JobQueue

    real = JobQueue.enqueue_delivery
    JobQueue.enqueue_delivery = lambda self, delivery, attempt: (  # type: ignore[method-assign]
        None if one_in(3, delivery.id) else real(self, delivery, attempt)
    )


def delivered_but_not_recorded() -> None:
    """Deliveries are not recorded, and so are made again."""
    from service.notifications.outbox import Outbox

    Outbox.record = lambda self, delivery, told: self.postpone(delivery, told.at)  # type: ignore[method-assign]


def recorded_but_not_delivered() -> None:
    """One delivery in four is recorded without being made."""
    from service.notifications.outbox import DeliveryRecord
    from workers.notifications.delivery import Deliverer

    real = Deliverer._deliver_or_throttle

    def deliver_or_only_record(self: Any, delivery: Any, *rest: Any) -> None:
        if one_in(4, delivery.id):
            self._outbox.record(delivery, DeliveryRecord(self._clock.now(), "sent", delivery.id))
        else:
            real(self, delivery, *rest)

    Deliverer._deliver_or_throttle = deliver_or_only_record  # type: ignore[method-assign]


def orders_not_followed() -> None:
    """In one match of three standing orders are not checked."""
    from workers.jobs.queue import JobQueue

    real = JobQueue.enqueue_standing_orders
    JobQueue.enqueue_standing_orders = lambda self, match, ply, attempt=0: (  # type: ignore[method-assign]
        None if one_in(3, match) else real(self, match, ply, attempt)
    )


def order_under_a_new_key() -> None:
    """An order is carried out with a new key each time."""
    import secrets

    from service.matches import order_execution

    real = order_execution.IdempotencyKey
    order_execution.IdempotencyKey = lambda author, key: real(author, secrets.token_hex(8))  # type: ignore[assignment,misc]


def lost_result() -> None:
    """One result in three does not count towards the first player's rating."""
    from workers.projection import rating_formula

    real = rating_formula.add_result
    rating_formula.add_result = lambda standing, result, seat, mu, sigma: (  # type: ignore[assignment]
        standing if seat == 0 and one_in(3, result.match) else real(standing, result, seat, mu, sigma)
    )


PLANTS: dict[str, Callable[[], None]] = {
    plant.__name__: plant
    for plant in (
        *(
            duplicate_on_retry,
            payload_not_compared,
            no_equality_check,
            lost_announcement,
            half_a_command,
            everysec_called_durable,
        ),
        *(acknowledged_before_appended, unknown_called_done, wrong_link, stale_cache, time_runs_backwards),
        *(skipped_position, lost_bot_turns, no_reconciler, dropped_deadlines),
        *(deadline_lost_with_its_worker, dropped_audits, job_that_acts_twice),
        *(lost_deliveries, delivered_but_not_recorded, recorded_but_not_delivered),
        *(orders_not_followed, order_under_a_new_key, lost_result),
    )
}


def up_with(name: str) -> None:
    """Make `crumbtrail up` start every process with the plant."""
    from dataclasses import replace

    from service.cli import up

    real = up.Program

    def program(*parts: Any, **named: Any) -> Any:
        found = real(*parts, **named)
        return replace(found, command=planted(name)(found.command))

    up.Program = program  # type: ignore[assignment,misc]


def main(name: str, module: str, *arguments: str) -> None:
    """Plant the bug and run the module as a program."""
    if module == "gunicorn":
        from gevent import monkey

        monkey.patch_all()
    PLANTS[name]()
    if module == "service.cli":
        up_with(name)
    if (
        module == "service.event_store.embedded"
    ):  # running it as a program would create a second copy with its own settings
        embedded.main(list(arguments))
    sys.argv = [module, *arguments]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
