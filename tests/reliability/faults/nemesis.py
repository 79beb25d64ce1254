"""Causes faults in an order determined by a seed; has the list of all faults."""

import os
import signal
import time
from collections.abc import Callable, Sequence
from random import Random
from typing import Literal, NamedTuple

import httpx
from redis.exceptions import RedisError

from tests import plain_http
from tests.processes import children_of
from tests.reliability.faults.environment import Environment
from tests.reliability.faults.history import Fault
from tests.reliability.faults.servers import Server
from tests.waiting import holds_within
from tests.workers.receivers import HookServer, MailServer

BETWEEN_SECONDS = (0.3, 1.5)
APPEND = b"EVALSHA"
HOUR = 3600.0
HEALTHY_SECONDS = 3.0
"""After being ready for this long, a service has no after-effects of an earlier fault."""
RENEWAL_SECONDS = 240.0
"""Time for a renewal on a busy machine."""
LOST_SECONDS = 12.0
"""How long a lost server is away: longer than the promised time after which moves continue."""
PROCESSES = ("web", "dispatcher", "bot worker", "deadline worker", "audit worker", "mail worker", "webhook worker")
"""The processes that `crumbtrail up` supervises, without the servers."""


class FaultKind(NamedTuple):
    """A kind of fault: its description, whether it is an outage, and the function that causes it.

    `on` tells whether it needs one log server, three, or works with both. Before a fault that `needs_health`, the
    service must have recovered from all others.
    """

    words: str
    outage: bool
    do: Callable[[Environment, Random], None]
    needs_shim: bool = False
    on: Literal["one server", "three servers", "both"] = "both"
    needs_health: bool = False


# -- processes ------------------------------------------------------------------------------------------------------


def kill(name: str) -> Callable[[Environment, Random], None]:
    """Return a fault that kills (-9) the process with this name and its children; the supervisor restarts it."""

    def do(on: Environment, luck: Random) -> None:
        for pid in on.stack.pids(name):
            send_signal(pid, signal.SIGKILL)

    return do


def kill_one_web_process(on: Environment, luck: Random) -> None:
    """Kill (-9) one of the processes that answer requests."""
    _, *children = on.stack.pids("web") or [0]
    if children:
        send_signal(luck.choice(children), signal.SIGKILL)


def pause(name: str) -> Callable[[Environment, Random], None]:
    """Return a fault that stops the process with this name and its children for a while (SIGSTOP)."""

    def do(on: Environment, luck: Random) -> None:
        pause_processes(on.stack.pids(name), luck)

    return do


def catch_deadline_job(on: Environment, luck: Random) -> list[int]:
    """Let deadlines pass, and return the pids of the deadline worker and its job once it has one."""
    workers = on.stack.pids("deadline worker")[:1]
    clock_forward(on, luck)
    holds_within(lambda: any(map(children_of, workers)), 3, every=0.002)
    return [*(job for worker in workers for job in children_of(worker)), *workers]


def kill_deadline_worker(on: Environment, luck: Random) -> None:
    """Kill (-9) the deadline worker as soon as it works on a deadline."""
    for pid in catch_deadline_job(on, luck):
        send_signal(pid, signal.SIGKILL)


def pause_deadline_worker(on: Environment, luck: Random) -> None:
    """Stop the deadline worker for a while as soon as it works on a deadline (SIGSTOP)."""
    pause_processes(catch_deadline_job(on, luck), luck)


def pause_processes(pids: Sequence[int], luck: Random) -> None:
    """Stop these processes for a while (SIGSTOP)."""
    for pid in pids:
        send_signal(pid, signal.SIGSTOP)
    time.sleep(luck.uniform(0.5, 4))
    for pid in pids:
        send_signal(pid, signal.SIGCONT)


def send_signal(pid: int, number: int) -> None:
    """Send a signal to a process that may have ended."""
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return


# -- renewals -------------------------------------------------------------------------------------------------------


def renew(on: Environment, luck: Random) -> None:
    """Renew all processes (SIGHUP), and wait until that is done."""
    before = renewals(on)
    on.stack.process.send_signal(signal.SIGHUP)
    assert holds_within(lambda: renewals(on) > before, RENEWAL_SECONDS, every=0.1), on.stack.output.read_text()[-2000:]


def renewals(on: Environment) -> int:
    """Return the number of completed renewals."""
    return on.stack.output.read_text(errors="replace").count("Renewed: ")


def is_ready(on: Environment) -> bool:
    """Return whether the service says that it accepts moves, and all its processes run."""
    try:
        ready = plain_http.get(f"{on.stack.url}/readyz", timeout=2).status_code == 200
    except httpx.HTTPError:
        return False
    return ready and all(map(on.stack.pids, PROCESSES))


def become_healthy(on: Environment) -> bool:
    """Wait until the service has been ready for a while. Return False if that doesn't happen."""
    until = time.monotonic() + RENEWAL_SECONDS
    since = time.monotonic()
    while time.monotonic() < until:
        if not is_ready(on):
            since = time.monotonic()
        elif time.monotonic() - since > HEALTHY_SECONDS:
            return True
        time.sleep(0.1)
    return False


# -- the network ----------------------------------------------------------------------------------------------------


def cut_connections(on: Environment, luck: Random) -> None:
    """Break all connections to the log."""
    on.proxy.cut()


def lose_requests(on: Environment, luck: Random) -> None:
    """Lose some appends before they reach the server."""
    on.proxy.lose_requests(APPEND, luck.randint(2, 12))
    time.sleep(1)


def lose_replies(on: Environment, luck: Random) -> None:
    """Lose the replies to some appends."""
    on.proxy.lose_replies(APPEND, luck.randint(2, 12))
    time.sleep(1)


def delay(on: Environment, luck: Random) -> None:
    """Delay every packet."""
    on.proxy.delay = luck.uniform(0.02, 0.3)
    time.sleep(luck.uniform(1, 3))
    on.proxy.delay = 0.0


def black_hole(on: Environment, luck: Random) -> None:
    """Block all packets in both directions."""
    on.proxy.mute = True
    time.sleep(luck.uniform(1, 4))
    on.proxy.mute = False


def swallow_replies(on: Environment, luck: Random) -> None:
    """Block all packets from the server."""
    on.proxy.mute_replies = True
    time.sleep(luck.uniform(1, 4))
    on.proxy.mute_replies = False


# -- servers --------------------------------------------------------------------------------------------------------


def restart_later(server: Server, luck: Random) -> None:
    """Restart a server after a while."""
    time.sleep(luck.uniform(0, 1.5))
    server.start()


def kill_log(on: Environment, luck: Random) -> None:
    """Kill (-9) the log server."""
    on.server.kill()
    restart_later(on.server, luck)


def kill_log_in_rewrite(on: Environment, luck: Random) -> None:
    """Kill (-9) the log server during a slow rewrite of its file."""
    client = on.server.client()
    client.config_set("rdb-key-save-delay", 5000)
    client.bgrewriteaof()
    time.sleep(luck.uniform(0.05, 0.5))
    client.close()
    on.server.kill()
    restart_later(on.server, luck)


def cut_power(on: Environment, luck: Random) -> None:
    """End the log server and discard everything that was not synced to disk."""
    on.server.cut_power()
    restart_later(on.server, luck)


def tear_log(on: Environment, luck: Random) -> None:
    """End the log server in the middle of a write."""
    on.server.tear_write()
    restart_later(on.server, luck)


def tear_append(on: Environment, luck: Random) -> None:
    """End the log server inside an append, and kill it once more after other appends."""
    on.server.tear_append(luck)
    on.server.start()
    time.sleep(luck.uniform(0.5, 1.5))
    on.server.kill()
    restart_later(on.server, luck)


def lose_primary(on: Environment, luck: Random) -> None:
    """Lose the primary of three servers for a while."""
    on.three_servers.lose_primary(LOST_SECONDS)


def lose_replica(on: Environment, luck: Random) -> None:
    """Lose one of the two replicas for a while."""
    on.three_servers.lose_replica(LOST_SECONDS, luck)


def fill_disk(on: Environment, luck: Random) -> None:
    """Leave hardly any space for the log's file. The server ends, and has space again after its restart."""
    on.server.fill_disk(luck.randint(0, 3000))
    holds_within(lambda: on.server.pid is None, 3)
    if on.server.pid is None:
        restart_later(on.server, luck)
    else:
        on.server.free_disk()


def fill_memory(on: Environment, luck: Random) -> None:
    """Put the log server at its memory limit, so that it refuses writes."""
    client = on.server.client()
    client.config_set("maxmemory", 1)
    time.sleep(luck.uniform(1, 2.5))
    client.config_set("maxmemory", 0)
    client.close()


def slow_disk(on: Environment, luck: Random) -> None:
    """Slow down every sync."""
    on.server.slow_disk(luck.randint(50, 300))
    time.sleep(luck.uniform(1, 3))
    on.server.slow_disk(0)


def pause_log(on: Environment, luck: Random) -> None:
    """Pause the log server."""
    on.server.pause(luck.uniform(0.3, 4))


def forget_scripts(on: Environment, luck: Random) -> None:
    """Flush all scripts of the log server."""
    client = on.server.client()
    client.script_flush()
    client.close()


def machine_down(on: Environment, luck: Random) -> None:
    """Kill all processes of the service at the same time, and discard what the log had not synced to disk."""
    for name in PROCESSES:
        kill(name)(on, luck)
    on.queue.kill()
    cut_power(on, luck)
    on.queue.start()


def kill_queue(on: Environment, luck: Random) -> None:
    """Kill (-9) the queue server."""
    on.queue.kill()
    restart_later(on.queue, luck)


def pause_queue(on: Environment, luck: Random) -> None:
    """Pause the queue server."""
    on.queue.pause(luck.uniform(0.3, 4))


def flush_queue(on: Environment, luck: Random) -> None:
    """Delete everything on the queue server."""
    client = on.queue.client()
    client.flushall()
    client.close()


# -- receivers ------------------------------------------------------------------------------------------------------


def refuse_deliveries(
    receiver: Callable[[Environment], MailServer | HookServer],
) -> Callable[[Environment, Random], None]:
    """Return a fault that makes the receiver refuse deliveries for a while."""

    def do(on: Environment, luck: Random) -> None:
        receiver(on).is_away = True
        time.sleep(luck.uniform(0.5, 3))
        receiver(on).is_away = False

    return do


# -- the clock ------------------------------------------------------------------------------------------------------


def clock_forward(on: Environment, luck: Random) -> None:
    """Set the clock forward, so that all deadlines of the next hours pass."""
    on.clock.jump(luck.uniform(1, 3) * HOUR)


def clock_back(on: Environment, luck: Random) -> None:
    """Set the clock back."""
    on.clock.jump(-luck.uniform(0.01, 1) * HOUR)


FAULT_KINDS = {
    "kill web": FaultKind("kill -9 the web's master and all its processes", False, kill("web")),
    "kill one web process": FaultKind("kill -9 one process that answers requests", False, kill_one_web_process),
    "kill dispatcher": FaultKind("kill -9 the dispatcher", False, kill("dispatcher")),
    "kill bot worker": FaultKind("kill -9 the bots' RQ worker and its job", False, kill("bot worker")),
    "kill deadline worker": FaultKind(
        "let deadlines pass, and kill -9 their RQ worker and its job", False, kill_deadline_worker
    ),
    "kill audit worker": FaultKind("kill -9 the audits' RQ worker and its job", False, kill("audit worker")),
    "kill mail worker": FaultKind("kill -9 the RQ worker for email", False, kill("mail worker")),
    "kill webhook worker": FaultKind("kill -9 the RQ worker for webhooks", False, kill("webhook worker")),
    "renewal": FaultKind("renew all processes (SIGHUP) and wait until that is done", False, renew, needs_health=True),
    "machine down": FaultKind(
        "kill -9 all of these and both servers, and cut the log's power", True, machine_down, True
    ),
    "kill log": FaultKind("kill -9 the log server", True, kill_log),
    "kill log in rewrite": FaultKind("kill -9 the log server while it rewrites its file", True, kill_log_in_rewrite),
    "kill queue": FaultKind("kill -9 the queue server", True, kill_queue),
    "pause web": FaultKind("SIGSTOP all web processes for 0.5 to 4 s", True, pause("web")),
    "pause dispatcher": FaultKind("SIGSTOP the dispatcher for 0.5 to 4 s", True, pause("dispatcher")),
    "pause bot worker": FaultKind("SIGSTOP the bots' worker and its job for 0.5 to 4 s", True, pause("bot worker")),
    "pause deadline worker": FaultKind(
        "let deadlines pass, and SIGSTOP their worker and its job for 0.5 to 4 s", True, pause_deadline_worker
    ),
    "pause audit worker": FaultKind(
        "SIGSTOP the audits' worker and its job for 0.5 to 4 s", True, pause("audit worker")
    ),
    "pause log": FaultKind("SIGSTOP the log server for 0.3 to 4 s", True, pause_log),
    "pause queue": FaultKind("SIGSTOP the queue server for 0.3 to 4 s", True, pause_queue),
    "cut": FaultKind("break every connection to the log", False, cut_connections),
    "lose requests": FaultKind("2 to 12 appends never arrive", False, lose_requests),
    "lose replies": FaultKind("2 to 12 appends are carried out, but their replies are lost", False, lose_replies),
    "delay": FaultKind("every packet to and from the log takes 20 to 300 ms longer, for 1 to 3 s", True, delay),
    "black hole": FaultKind("no packet to or from the log arrives for 1 to 4 s", True, black_hole),
    "swallow replies": FaultKind("no packet from the log arrives for 1 to 4 s", True, swallow_replies),
    "power cut": FaultKind("end the log server and truncate its files to what was synced", True, cut_power, True),
    "torn append": FaultKind(
        "kill -9 the log server inside an append, and again after further appends", True, tear_append
    ),
    "lose primary": FaultKind(
        "kill -9 the primary of three log servers, for 12 s", True, lose_primary, on="three servers"
    ),
    "lose replica": FaultKind(
        "kill -9 a replica of three log servers, for 12 s", True, lose_replica, on="three servers"
    ),
    "torn tail": FaultKind("end the log server in the middle of a write", True, tear_log),
    "disk full": FaultKind("the log's file may grow by only 0 to 3000 bytes (RLIMIT_FSIZE)", True, fill_disk),
    "memory full": FaultKind("the log server is at its memory limit for 1 to 2.5 s", True, fill_memory),
    "slow disk": FaultKind("every sync of the log takes 50 to 300 ms longer, for 1 to 3 s", True, slow_disk, True),
    "forget scripts": FaultKind("SCRIPT FLUSH on the log server", False, forget_scripts),
    "flush queue": FaultKind("FLUSHALL on the queue server", False, flush_queue),
    "mail refused": FaultKind(
        "the mail server answers 451 for 0.5 to 3 s", False, refuse_deliveries(lambda on: on.mail_server)
    ),
    "calls refused": FaultKind(
        "all webhooks answer 503 for 0.5 to 3 s", False, refuse_deliveries(lambda on: on.webhook_server)
    ),
    "clock forward": FaultKind("the service's clock jumps 1 to 3 hours forward", False, clock_forward),
    "clock back": FaultKind("the service's clock jumps up to an hour back", False, clock_back),
}


ONE_SERVER = (
    *("machine down", "kill log", "kill log in rewrite", "pause log", "cut", "lose requests", "lose replies", "delay"),
    *("black hole", "swallow replies", "power cut", "torn append", "torn tail", "disk full", "memory full"),
    *("slow disk", "forget scripts"),
)
"""Faults of the only log server, or of the proxy in front of it."""
FAULT_KINDS |= {name: FAULT_KINDS[name]._replace(on="one server") for name in ONE_SERVER}


class Nemesis:
    """Causes faults in one environment, in an order determined by the seed."""

    def __init__(self, on: Environment, seed: int, between: tuple[float, float] = BETWEEN_SECONDS) -> None:
        self._on = on
        self._between = between
        self._luck = Random(f"nemesis {seed}")
        self._done: list[Fault] = []

    def work(self, names: Sequence[str], seconds: float) -> list[Fault]:
        """Cause these faults in rounds, each once per round, for this many seconds. Return what was done and when."""
        until, round_ = time.monotonic() + seconds, []
        possible = [name for name in names if self._is_possible(FAULT_KINDS[name])]
        while (left := until - time.monotonic()) > 0:
            time.sleep(min(left, self._luck.uniform(*self._between)))
            if not possible:
                continue
            round_ = round_ or self._luck.sample(possible, len(possible))
            self._do(round_.pop())
        return self._done

    def once(self, name: str) -> list[Fault]:
        """Cause this fault once. Return everything that was done and when."""
        self._do(name)
        return self._done

    def _is_possible(self, kind: FaultKind) -> bool:
        needed = "three servers" if self._on.has_three_servers else "one server"
        return kind.on in (needed, "both") and (not kind.needs_shim or self._on.server.can_lose_power)

    def _do(self, name: str) -> None:
        kind = FAULT_KINDS[name]
        if kind.needs_health:
            assert become_healthy(self._on), "the service did not recover from the faults before"
        began = time.monotonic()
        try:
            kind.do(self._on, self._luck)
        except RedisError:
            # The server is still down from another fault.
            if not self._on.has_three_servers and self._on.server.pid is None:
                self._on.server.start()
        self._done.append(Fault(name, began, time.monotonic(), kind.outage))
