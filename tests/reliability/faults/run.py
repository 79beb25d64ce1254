"""A run: clients play, the nemesis causes faults, and everything is recorded."""

import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from redis.exceptions import RedisError

from domain.kernel.events import TimeControl
from domain.kernel.registry import find_game
from domain.match.commands import SeatSpec
from service.event_store.log import MatchLog
from service.notifications.preferences import NotificationPreferences
from service.runtime.clock import FileClock
from tests.projections import Projections
from tests.reliability.faults import oracle
from tests.reliability.faults.checker import LEASED_SECONDS, PROMISED_SECONDS
from tests.reliability.faults.clients import OPENING_SECONDS, PAUSE_SECONDS, Client, ClientSeat, SharedState, list_games
from tests.reliability.faults.environment import Environment, running_environment
from tests.reliability.faults.history import Fault, History, Request
from tests.reliability.faults.nemesis import BETWEEN_SECONDS, Nemesis
from tests.reliability.faults.observer import Observer
from tests.reliability.faults.planted import planted
from tests.reliability.faults.servers import Server
from tests.reliability.faults.three_servers import ThreeServers
from tests.stored_matches import CREATION_KEY, EARLIER_VERSION, store_match
from tests.waiting import holds_within

CLIENTS = 5
EARLIER_MATCHES = 3
"""Number of matches under rules version 1 that wait for two players when the run begins."""
ABSENT_CREATOR = "p_0000000000000000"
"""The creator of the matches that exist when the run begins. This player doesn't play."""
SHORT_OPENING = TimeControl(kind="per_move", seconds=OPENING_SECONDS)
MAX_THINKING_SECONDS = 2.0
"""Maximum time that one of the clients thinks, so that some turns last long enough for a notification."""
GRACE_SECONDS = 2.0
"""Additional waiting time, so that late work can be detected as late."""
EXTRA_SECONDS = 60.0
"""Extra time for a run on a slow machine."""
UNFORESEEN = re.compile(r"Traceback|AUDIT FAILED|cannot be read|failed at ply|failed: |DISPUTE UPHELD")


def run_faults(
    folder: Path,
    *,
    seed: int,
    seconds: float,
    harms: Sequence[str],
    plant: str | None = None,
    promised: float = PROMISED_SECONDS,
    most_moves: int = 30,
    least: tuple[int, int] = (0, 0),
    between: tuple[float, float] = BETWEEN_SECONDS,
    finally_: str | None = None,
    three_servers: bool = False,
) -> History:
    """Let clients play for this many seconds while these faults happen repeatedly, and return the record.

    At the end, the fault `finally_` happens once. The clients continue until they have made `least[0]` moves and seen
    `least[1]` matches end. Then the service gets time until it is idle, or until the promised time is over.
    """
    queue = Server(folder / "queue", planted(plant))
    log = start_log(folder / "log", plant, three_servers)
    queue.start()
    witness = Observer(log)
    try:
        with running_environment(folder, log, queue, plant) as on:
            began = time.monotonic()
            witness.start()
            room = SharedState(
                *(on.stack.url, list_games(on.stack.url), most_moves),
                hooks=on.webhook_server.url,
                give_address=address_book(on.contacts()),
            )
            for game in room.games[:EARLIER_MATCHES]:
                offer_match(on, room, game, EARLIER_VERSION)
            room.never_opened.add(offer_match(on, room, room.games[-1], level="sealed", clock=SHORT_OPENING))
            with clients_playing(room, seed, promised):
                nemesis = Nemesis(on, seed, between)
                done = nemesis.work(harms, seconds)
                if finally_:
                    done = nemesis.once(finally_)
                holds_within(lambda: room.has_seen(*least), EXTRA_SECONDS)
            on.clock.jump(OPENING_SECONDS)  # so that shares that were not opened are overdue
            holds_within(on.is_idle, promised + LEASED_SECONDS + GRACE_SECONDS, every=0.1)
            ended = time.monotonic()
        witness.stop()
        return build_history(seed, began, ended, room, done, on, witness, folder / "output")
    finally:
        log.stop()
        queue.stop()


def start_log(folder: Path, plant: str | None, three_servers: bool) -> Server | ThreeServers:
    """Start the log on one server or on three."""
    if three_servers:
        return ThreeServers(folder)
    log = Server(folder, planted(plant))
    log.start()
    return log


def offer_match(on: Environment, room: SharedState, game: str, version: int | None = None, **more: Any) -> str:
    """Store a match under a rules version, offer its seats to the clients, and return its id."""
    redis, began = on.log.client(), time.monotonic()
    now = FileClock(on.clock.path).now()
    match = store_match(MatchLog(redis), find_game(game, version), ABSENT_CREATOR, [SeatSpec("open")] * 2, now, **more)
    redis.close()
    room.invitations += [ClientSeat(match, 0), ClientSeat(match, 1)]
    room.ops.append(
        Request(
            client="absent creator",
            author=ABSENT_CREATOR,
            kind="create",
            match=match,
            key=CREATION_KEY,
            began=began,
            ended=time.monotonic(),
            status=201,
        )
    )
    return match


def address_book(contacts: NotificationPreferences) -> Callable[[str, str], None]:
    """Return a function that gives a player an address, retrying while the server is down."""

    def give(player: str, address: str) -> None:
        while True:
            try:
                return contacts.set_address(player, address)
            except RedisError:
                time.sleep(PAUSE_SECONDS)

    return give


@contextmanager
def clients_playing(room: SharedState, seed: int, patience: float) -> Iterator[None]:
    """Let clients play until the block ends, then wait up to `patience` seconds for their last answers."""
    clients = [Client(room, f"client-{n}", seed, 0 if n else MAX_THINKING_SECONDS) for n in range(CLIENTS)]
    for client in clients:
        client.start()
    try:
        yield
    finally:
        room.over.set()
        until = time.monotonic() + patience
        for client in clients:
            client.join(max(0.0, until - time.monotonic()))
        room.given_up.set()
        for client in clients:
            client.join()
    for client in clients:
        if client.failure is not None:
            raise client.failure


def build_history(
    seed: int,
    began: float,
    ended: float,
    room: SharedState,
    done: Sequence[Fault],
    on: Environment,
    witness: Observer,
    output: Path,
) -> History:
    """Return the record of a finished run."""
    redis = on.log.client()
    feed = oracle.read_feed(redis)
    seen = {(entry.shard, entry.position): entry.seen or ended for entry in witness.seen}
    matches = oracle.read_matches(redis, feed, seen, witness.audited, on.clock.sets, ended)
    projected, checkpoints = oracle.read_lists(redis, room.games), Projections(redis).progress.checkpoints()
    complaints = [line for line in output.read_text(errors="replace").splitlines() if UNFORESEEN.search(line)]
    return History(
        seed=seed,
        began=began,
        ended=ended,
        ops=tuple(room.ops),
        harms=tuple(done),
        clock=tuple(on.clock.sets),
        matches=tuple(matches),
        feed=tuple(feed),
        witnessed=tuple(witness.seen),
        checkpoints=checkpoints,
        projected=projected,
        derived=oracle.derive_lists(redis, room.games),
        readers=oracle.read_readers(on.contacts(), {op.author for op in room.ops}),
        taken=oracle.read_taken_deliveries(on.mail_server, on.webhook_server),
        complaints=tuple(complaints),
    )
