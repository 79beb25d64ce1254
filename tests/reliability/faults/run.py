"""A run: clients play, the nemesis does harm, and what came of it is written down."""

import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from redis.exceptions import RedisError

from service.notifications.preferences import NotificationPreferences
from tests.projections import Projections
from tests.reliability.faults import oracle
from tests.reliability.faults.checker import LEASED_SECONDS, PROMISED_SECONDS
from tests.reliability.faults.clients import PAUSE_SECONDS, Client, SharedState, list_games
from tests.reliability.faults.environment import Environment, running_environment
from tests.reliability.faults.history import Fault, History
from tests.reliability.faults.nemesis import BETWEEN_SECONDS, Nemesis
from tests.reliability.faults.observer import Observer
from tests.reliability.faults.planted import planted
from tests.reliability.faults.servers import Server
from tests.waiting import holds_within

CLIENTS = 5
MAX_THINKING_SECONDS = 2.0
"""One of them thinks for so long at most, so that there are turns of which somebody is to be told."""
GRACE_SECONDS = 2.0
"""What is owed must be late before it can be found to be late."""
EXTRA_SECONDS = 60.0
"""How much longer a run may take on a slow machine."""
UNFORESEEN = re.compile(r"Traceback|AUDIT FAILED|cannot be read|fell over|failed: |DISPUTE UPHELD")


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
) -> History:
    """Let clients play for so long while these harms are done again and again; the record of it.

    They play on until they have made the `least` number of moves and seen the `least` number of matches end. Afterwards
    the service is left alone until it has done all that it owes, or has had the promised time for it.
    """
    log, queue = Server(folder / "log", planted(plant)), Server(folder / "queue", planted(plant))
    log.start()
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
            with clients_playing(room, seed, promised):
                done = Nemesis(on, seed, between).work(harms, seconds)
                holds_within(lambda: room.has_seen(*least), EXTRA_SECONDS)
            holds_within(on.is_idle, promised + LEASED_SECONDS + GRACE_SECONDS, every=0.1)
            ended = time.monotonic()
        witness.stop()
        return build_history(seed, began, ended, room, done, on, witness, folder / "output")
    finally:
        log.stop()
        queue.stop()


def address_book(contacts: NotificationPreferences) -> Callable[[str, str], None]:
    """Gives a player an address, as soon as there is a server to keep it."""

    def give(player: str, address: str) -> None:
        while True:
            try:
                return contacts.set_address(player, address)
            except RedisError:
                time.sleep(PAUSE_SECONDS)

    return give


@contextmanager
def clients_playing(room: SharedState, seed: int, patience: float) -> Iterator[None]:
    """Clients who play until the block ends; then each gets its last answer, if that comes within the patience."""
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
    """All of a run that is over."""
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
