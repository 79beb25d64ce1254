"""Does harm, by a seed: the list of all that is done to the service, and who does it."""

import os
import signal
import time
from collections.abc import Callable, Sequence
from random import Random
from typing import NamedTuple

from redis.exceptions import RedisError

from tests.processes import children_of
from tests.reliability.faults.environment import Environment
from tests.reliability.faults.history import Fault
from tests.reliability.faults.servers import Server
from tests.waiting import holds_within
from tests.workers.receivers import HookServer, MailServer

BETWEEN_SECONDS = (0.3, 1.5)
APPEND = b"EVALSHA"
HOUR = 3600.0
PROCESSES = ("web", "dispatcher", "bot worker", "deadline worker", "audit worker", "mail worker", "webhook worker")
"""What `crumbtrail up` watches over, beside the servers."""


class FaultKind(NamedTuple):
    """A kind of harm: what it is in words, whether it is an outage while it lasts, and how it is done."""

    words: str
    outage: bool
    do: Callable[[Environment, Random], None]
    needs_shim: bool = False


# -- processes ------------------------------------------------------------------------------------------------------


def kill(name: str) -> Callable[[Environment, Random], None]:
    """Kill -9 the process of that name and its children; its supervisor starts it again."""

    def do(on: Environment, luck: Random) -> None:
        for pid in on.stack.pids(name):
            send_signal(pid, signal.SIGKILL)

    return do


def kill_one_web_process(on: Environment, luck: Random) -> None:
    """Kill -9 one of the processes that answer requests."""
    _, *children = on.stack.pids("web") or [0]
    if children:
        send_signal(luck.choice(children), signal.SIGKILL)


def pause(name: str) -> Callable[[Environment, Random], None]:
    """SIGSTOP the process of that name and its children, and let them go on after a while."""

    def do(on: Environment, luck: Random) -> None:
        pause_processes(on.stack.pids(name), luck)

    return do


def catch_deadline_job(on: Environment, luck: Random) -> list[int]:
    """Let deadlines pass; gives the deadlines' worker with the job in its hands, once it has one."""
    workers = on.stack.pids("deadline worker")[:1]
    clock_forward(on, luck)
    holds_within(lambda: any(map(children_of, workers)), 3, every=0.002)
    return [*(job for worker in workers for job in children_of(worker)), *workers]


def kill_deadline_worker(on: Environment, luck: Random) -> None:
    """Kill -9 the deadlines' worker as soon as a deadline is in its hands."""
    for pid in catch_deadline_job(on, luck):
        send_signal(pid, signal.SIGKILL)


def pause_deadline_worker(on: Environment, luck: Random) -> None:
    """SIGSTOP the deadlines' worker as soon as a deadline is in its hands, and let it go on after a while."""
    pause_processes(catch_deadline_job(on, luck), luck)


def pause_processes(pids: Sequence[int], luck: Random) -> None:
    """SIGSTOP these processes, and let them go on after a while."""
    for pid in pids:
        send_signal(pid, signal.SIGSTOP)
    time.sleep(luck.uniform(0.5, 4))
    for pid in pids:
        send_signal(pid, signal.SIGCONT)


def send_signal(pid: int, number: int) -> None:
    """Send a signal to a process that may be gone."""
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return


# -- the network ----------------------------------------------------------------------------------------------------


def cut_connections(on: Environment, luck: Random) -> None:
    """Break all connections to the log."""
    on.proxy.cut()


def lose_requests(on: Environment, luck: Random) -> None:
    """Some appends never arrive."""
    on.proxy.lose_requests(APPEND, luck.randint(2, 12))
    time.sleep(1)


def lose_replies(on: Environment, luck: Random) -> None:
    """Some appends are carried out, and nobody is told."""
    on.proxy.lose_replies(APPEND, luck.randint(2, 12))
    time.sleep(1)


def delay(on: Environment, luck: Random) -> None:
    """Every packet takes longer."""
    on.proxy.delay = luck.uniform(0.02, 0.3)
    time.sleep(luck.uniform(1, 3))
    on.proxy.delay = 0.0


def black_hole(on: Environment, luck: Random) -> None:
    """Nothing gets through, in either direction."""
    on.proxy.mute = True
    time.sleep(luck.uniform(1, 4))
    on.proxy.mute = False


def swallow_replies(on: Environment, luck: Random) -> None:
    """All is carried out, and nobody is told."""
    on.proxy.mute_replies = True
    time.sleep(luck.uniform(1, 4))
    on.proxy.mute_replies = False


# -- servers --------------------------------------------------------------------------------------------------------


def restart_later(server: Server, luck: Random) -> None:
    """Start it again after a while."""
    time.sleep(luck.uniform(0, 1.5))
    server.start()


def kill_log(on: Environment, luck: Random) -> None:
    """Kill -9 the log's server."""
    on.log.kill()
    restart_later(on.log, luck)


def kill_log_in_rewrite(on: Environment, luck: Random) -> None:
    """Kill -9 the log's server while it rewrites its file, slowly."""
    client = on.log.client()
    client.config_set("rdb-key-save-delay", 5000)
    client.bgrewriteaof()
    time.sleep(luck.uniform(0.05, 0.5))
    client.close()
    on.log.kill()
    restart_later(on.log, luck)


def cut_power(on: Environment, luck: Random) -> None:
    """End the log's server, and with it all that was not forced to disk."""
    on.log.cut_power()
    restart_later(on.log, luck)


def tear_log(on: Environment, luck: Random) -> None:
    """End the log's server in the middle of a write."""
    on.log.tear_write()
    restart_later(on.log, luck)


def fill_disk(on: Environment, luck: Random) -> None:
    """Leave no space for the log's file: its server gives up, and there is space at its next start."""
    on.log.fill_disk(luck.randint(0, 3000))
    holds_within(lambda: on.log.pid is None, 3)
    if on.log.pid is None:
        restart_later(on.log, luck)
    else:
        on.log.free_disk()


def fill_memory(on: Environment, luck: Random) -> None:
    """The log's server takes no writes for want of memory."""
    client = on.log.client()
    client.config_set("maxmemory", 1)
    time.sleep(luck.uniform(1, 2.5))
    client.config_set("maxmemory", 0)
    client.close()


def slow_disk(on: Environment, luck: Random) -> None:
    """Every sync takes longer."""
    on.log.slow_disk(luck.randint(50, 300))
    time.sleep(luck.uniform(1, 3))
    on.log.slow_disk(0)


def pause_log(on: Environment, luck: Random) -> None:
    """The log's server stands still."""
    on.log.pause(luck.uniform(0.3, 4))


def forget_scripts(on: Environment, luck: Random) -> None:
    """The log's server forgets all scripts."""
    client = on.log.client()
    client.script_flush()
    client.close()


def machine_down(on: Environment, luck: Random) -> None:
    """All processes of the service are gone at once, the log's server with all that was not forced to disk."""
    for name in PROCESSES:
        kill(name)(on, luck)
    on.queue.kill()
    cut_power(on, luck)
    on.queue.start()


def kill_queue(on: Environment, luck: Random) -> None:
    """Kill -9 the queue's server."""
    on.queue.kill()
    restart_later(on.queue, luck)


def pause_queue(on: Environment, luck: Random) -> None:
    """The queue's server stands still."""
    on.queue.pause(luck.uniform(0.3, 4))


def flush_queue(on: Environment, luck: Random) -> None:
    """All that the queue's server holds is gone."""
    client = on.queue.client()
    client.flushall()
    client.close()


# -- receivers ------------------------------------------------------------------------------------------------------


def refuse_deliveries(
    receiver: Callable[[Environment], MailServer | HookServer],
) -> Callable[[Environment, Random], None]:
    """Nobody takes what people are told, for a while."""

    def do(on: Environment, luck: Random) -> None:
        receiver(on).is_away = True
        time.sleep(luck.uniform(0.5, 3))
        receiver(on).is_away = False

    return do


# -- the clock ------------------------------------------------------------------------------------------------------


def clock_forward(on: Environment, luck: Random) -> None:
    """The clock jumps forward: all deadlines within the next hours pass."""
    on.clock.jump(luck.uniform(1, 3) * HOUR)


def clock_back(on: Environment, luck: Random) -> None:
    """The clock jumps back."""
    on.clock.jump(-luck.uniform(0.01, 1) * HOUR)


FAULT_KINDS = {
    "kill web": FaultKind("kill -9 the web's master and all its processes", False, kill("web")),
    "kill one web process": FaultKind("kill -9 one process that answers requests", False, kill_one_web_process),
    "kill dispatcher": FaultKind("kill -9 the dispatcher", False, kill("dispatcher")),
    "kill bot worker": FaultKind("kill -9 the bots' RQ worker and the job in its hands", False, kill("bot worker")),
    "kill deadline worker": FaultKind(
        "let deadlines pass, and kill -9 their RQ worker and the job in its hands", False, kill_deadline_worker
    ),
    "kill audit worker": FaultKind("kill -9 the audits' RQ worker and its job", False, kill("audit worker")),
    "kill mail worker": FaultKind("kill -9 the RQ worker of mail", False, kill("mail worker")),
    "kill webhook worker": FaultKind("kill -9 the RQ worker of webhooks", False, kill("webhook worker")),
    "machine down": FaultKind(
        "kill -9 all of these and both servers, and cut the log's power", True, machine_down, True
    ),
    "kill log": FaultKind("kill -9 the log's server", True, kill_log),
    "kill log in rewrite": FaultKind("kill -9 the log's server while it rewrites its file", True, kill_log_in_rewrite),
    "kill queue": FaultKind("kill -9 the queue's server", True, kill_queue),
    "pause web": FaultKind("SIGSTOP all web processes for 0.5 to 4 s", True, pause("web")),
    "pause dispatcher": FaultKind("SIGSTOP the dispatcher for 0.5 to 4 s", True, pause("dispatcher")),
    "pause bot worker": FaultKind("SIGSTOP the bots' worker and its job for 0.5 to 4 s", True, pause("bot worker")),
    "pause deadline worker": FaultKind(
        "let deadlines pass, and SIGSTOP their worker and its job for 0.5 to 4 s", True, pause_deadline_worker
    ),
    "pause audit worker": FaultKind(
        "SIGSTOP the audits' worker and its job for 0.5 to 4 s", True, pause("audit worker")
    ),
    "pause log": FaultKind("SIGSTOP the log's server for 0.3 to 4 s", True, pause_log),
    "pause queue": FaultKind("SIGSTOP the queue's server for 0.3 to 4 s", True, pause_queue),
    "cut": FaultKind("break every connection to the log", False, cut_connections),
    "lose requests": FaultKind("2 to 12 appends never arrive", False, lose_requests),
    "lose replies": FaultKind("2 to 12 appends are carried out, and nobody is told", False, lose_replies),
    "delay": FaultKind("every packet to and from the log takes 20 to 300 ms longer, for 1 to 3 s", True, delay),
    "black hole": FaultKind("no packet to or from the log arrives for 1 to 4 s", True, black_hole),
    "swallow replies": FaultKind("no packet from the log arrives for 1 to 4 s", True, swallow_replies),
    "power cut": FaultKind("end the log's server and cut its files to what was forced to disk", True, cut_power, True),
    "torn tail": FaultKind("end the log's server in the middle of a write", True, tear_log),
    "disk full": FaultKind("the log's file may grow by 0 to 3000 bytes and no more (RLIMIT_FSIZE)", True, fill_disk),
    "memory full": FaultKind("the log's server is at its memory limit for 1 to 2.5 s", True, fill_memory),
    "slow disk": FaultKind("every sync of the log takes 50 to 300 ms longer, for 1 to 3 s", True, slow_disk, True),
    "forget scripts": FaultKind("SCRIPT FLUSH on the log's server", False, forget_scripts),
    "flush queue": FaultKind("FLUSHALL on the queue's server", False, flush_queue),
    "mail refused": FaultKind(
        "the mail server answers 451 for 0.5 to 3 s", False, refuse_deliveries(lambda on: on.mail_server)
    ),
    "calls refused": FaultKind(
        "all webhooks answer 503 for 0.5 to 3 s", False, refuse_deliveries(lambda on: on.webhook_server)
    ),
    "clock forward": FaultKind("the service's clock jumps 1 to 3 hours forward", False, clock_forward),
    "clock back": FaultKind("the service's clock jumps up to an hour back", False, clock_back),
}


class Nemesis:
    """Does harm on one ground, in an order that follows from the seed."""

    def __init__(self, on: Environment, seed: int, between: tuple[float, float] = BETWEEN_SECONDS) -> None:
        self._on = on
        self._between = between
        self._luck = Random(f"nemesis {seed}")
        self._done: list[Fault] = []

    def work(self, names: Sequence[str], seconds: float) -> list[Fault]:
        """Do these harms in rounds, each once a round, for so long; what was done, and when."""
        until, round_ = time.monotonic() + seconds, []
        possible = [name for name in names if self._on.log.can_lose_power or not FAULT_KINDS[name].needs_shim]
        while (left := until - time.monotonic()) > 0:
            time.sleep(min(left, self._luck.uniform(*self._between)))
            if not possible:
                continue
            round_ = round_ or self._luck.sample(possible, len(possible))
            self._do(round_.pop())
        return self._done

    def _do(self, name: str) -> None:
        kind, began = FAULT_KINDS[name], time.monotonic()
        try:
            kind.do(self._on, self._luck)
        except RedisError:
            # The server that was to be harmed over its own connection is still down from something else.
            if self._on.log.pid is None:
                self._on.log.start()
        self._done.append(Fault(name, began, time.monotonic(), kind.outage))
