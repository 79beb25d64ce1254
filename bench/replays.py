"""Matches read back from a real log: a whole replay, the cost of a late move, a cold load."""

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from hashlib import sha256
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Any, NamedTuple

import msgspec
from redis import Redis

from bench import endless
from bench.measure import Row, at_least, at_most, in_turns, per_second, ratio
from bench.processes import Unavailable, peer
from domain.kernel.chance import Fast
from domain.kernel.event_codec import read_event, write_event
from domain.kernel.events import AnyEvent
from domain.kernel.game import AnyGame
from domain.kernel.registry import find_game
from domain.match.commands import Play
from domain.match.history import fold
from service.event_store.connect import connect
from service.event_store.embedded import EmbeddedServer
from service.event_store.keys import log_key, match_id_for, snapshot_key
from service.event_store.log import MatchLog
from service.matches.command_handler import MatchCommandHandler
from service.matches.repository import SNAPSHOT_INTERVAL, MatchRepository, snapshot_version
from service.matches.results import IdempotencyKey
from service.runtime.clock import SystemClock
from tests.builders import Table, play_on, sit_down, step

FACTS = 10_000
TRIES = 3
"""Only the fastest of this many attempts in a round counts, because it waited least for others."""
EARLY, LATE = 50, 5_000
"""The plies whose moves are compared."""
AT_ONCE = 500


def rows() -> Iterator[Row]:
    """Yield one row per figure."""
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="ct-bench-", dir="/tmp"))
        server = stack.enter_context(EmbeddedServer(Path(folder) / "log"))
        redis = connect(server.url(0))
        assert isinstance(redis, Redis)
        game = stack.enter_context(endless.registered())
        cake = find_game("take_the_cake")
        yield from replay_rows(redis, cake, "Take the Cake", cake.fold)
        yield from replay_rows(redis, game, "seven small facts a move", endless.fold_in_place)
        yield from rebuild_rows(game)
        yield from late_move_rows(redis)
        yield from cold_load_rows(redis)


# -- a whole replay -----------------------------------------------------------------------------------------------


class Spent(NamedTuple):
    """Seconds of processor time in one replay, here and in the log server.

    `reading` is everything until the answer is parsed, then come decoding and folding the facts.
    """

    read: float
    decoded: float
    folded: float

    @property
    def total(self) -> float:
        """The sum of all three."""
        return sum(self)


def replay_rows(redis: Redis, game: AnyGame, what: str, plain_fold: Callable[[list[Any]], Any]) -> Iterator[Row]:
    """Compare matches with 10,000 facts in total, as the service stores them and with one fact per entry."""
    tables = matches_of(game, FACTS)
    log, stock = MatchLog(redis), Redis(unix_socket_path=redis.get_connection_kwargs()["path"])
    for table in tables:
        store(log, table)
        store_plainly(redis, table)
    count = sum(len(event.facts) for table in tables for event in table.events)
    ids = [table.match.id for table in tables]
    last = [table.match.state for table in tables]
    ways: dict[str, Callable[[], tuple[Spent, list[Any]]]] = {
        "ours": partial(replayed, log, game, ids),
        "plain": partial(replayed_plainly, stock, game, ids, plain_fold),
    }
    spent: dict[str, list[Spent]] = {name: [] for name in ways}

    def quickest(name: str) -> float:
        found = []
        for _ in range(TRIES):
            before = cost_of_server(redis)
            taken, states = ways[name]()
            found.append(taken._replace(read=taken.read + cost_of_server(redis) - before))
            assert states == last
        best = min(found, key=lambda taken: taken.total)
        spent[name].append(best)
        return best.total

    figures = in_turns({name: partial(quickest, name) for name in ways})
    micro = {name: [total / count * 1e6 for total in totals] for name, totals in figures.items()}
    where = f"{what}, {count:,} facts in {len(tables)} matches"
    yield Row(f"{where}: read, decode, fold, a fact", micro["ours"], "us")
    yield Row(f"{what}: one fact an entry by redis-py, a fact", micro["plain"], "us")
    yield Row(f"{what}: replay : the plain way", ratio(micro["ours"], micro["plain"]), target=at_most(0.35))
    for name, label in (("ours", "replay"), ("plain", "the plain way")):
        taken = spent[name][1:]
        yield Row(f"{what}: {label}, share of reading", [each.read / each.total for each in taken])
        yield Row(f"{what}: {label}, share of folding", [each.folded / each.total for each in taken])
    yield Row(
        f"{what}: reading and decoding alone : the plain way's",
        [
            (a.read + a.decoded) / (b.read + b.decoded)
            for a, b in zip(spent["ours"][1:], spent["plain"][1:], strict=True)
        ],
    )


def matches_of(game: AnyGame, facts: int) -> list[Table]:
    """Return matches between random players that have this number of facts in total."""
    tables: list[Table] = []
    missing = facts
    while missing > 0:
        number = len(tables)
        table = sit_down(game, seats=max(game.seat_counts), seed=number, match=match_id(f"{game.slug} {number}"))
        chance = Fast(number)
        if game.slug == "endless":
            while sum_of_facts(table.events) < facts:
                for _ in range(AT_ONCE):
                    step(table, chance)
        else:
            play_on(table, chance)
        tables.append(table)
        missing -= sum_of_facts(table.events)
    return tables


def sum_of_facts(events: Sequence[AnyEvent]) -> int:
    """Yield the facts of all events."""
    return sum(len(event.facts) for event in events)


def match_id(name: str) -> str:
    """Return the id of a benchmark match."""
    return match_id_for(sha256(name.encode()).digest())


def store(log: MatchLog, table: Table) -> None:
    """Append the events of a match to the log, as the service does."""
    lines = [write_event(event) for event in table.events]
    for begin in range(0, len(lines), AT_ONCE):
        seed = bytes.fromhex(table.luck.reveal()) if begin == 0 else None
        log.append(table.match.id, begin, lines[begin : begin + AT_ONCE], command=f"c{begin}", payload="p", seed=seed)


def store_plainly(redis: Redis, table: Table) -> None:
    """Append every fact of a match as an entry of a stream."""
    facts = [fact for event in table.events for fact in event.facts]
    for begin in range(0, len(facts), AT_ONCE):
        with redis.pipeline(transaction=False) as pipeline:
            for fact in facts[begin : begin + AT_ONCE]:
                pipeline.xadd(f"plain:{table.match.id}", {"f": msgspec.json.encode(fact)})
            pipeline.execute()


def replayed(log: MatchLog, game: AnyGame, ids: Sequence[str]) -> tuple[Spent, list[Any]]:
    """Read, decode and fold the matches as the service does, and return the time of each part."""
    read = decoded = folded = 0.0
    states = []
    for match in ids:
        begun = process_time()
        lines = log.lines(match)
        have_read = process_time()
        events = [read_event(line, game) for line in lines]
        have_decoded = process_time()
        states.append(fold(events).state)
        folded += process_time() - have_decoded
        decoded += have_decoded - have_read
        read += have_read - begun
    return Spent(read, decoded, folded), states


def replayed_plainly(
    redis: Redis, game: AnyGame, ids: Sequence[str], fold_facts: Callable[[list[Any]], Any]
) -> tuple[Spent, list[Any]]:
    """Read the same facts, one per entry, with redis-py's own client and `xrange`; decode and fold them one by one."""
    decode = msgspec.json.Decoder(game.fact_type).decode
    read = decoded = folded = 0.0
    states = []
    for match in ids:
        begun = process_time()
        entries: Any = redis.xrange(f"plain:{match}")
        have_read = process_time()
        facts = [decode(fields[b"f"]) for _, fields in entries]
        have_decoded = process_time()
        states.append(fold_facts(facts))
        folded += process_time() - have_decoded
        decoded += have_decoded - have_read
        read += have_read - begun
    return Spent(read, decoded, folded), states


# -- compared with pyeventsourcing ------------------------------------------------------------------------------------


def rebuild_rows(game: AnyGame) -> Iterator[Row]:
    """Yield facts per second from lines in memory, next to aggregates of pyeventsourcing with events in memory."""
    with ExitStack() as stack:
        candidates: dict[str, Callable[[], float]] = {}
        missing = ""
        try:
            peers = stack.enter_context(peer("rebuild.py"))
            candidates |= {f"theirs {name}": turn for name, turn in peers.items()}
        except Unavailable as error:
            missing = str(error)
        candidates["floor"] = partial(per_second, bare(game, FACTS))
        for count in (1_000, FACTS):
            candidates[f"ours {count:,} events"] = partial(per_second, rebuilt(game, count))
        figures = in_turns(candidates)
    for count in (1_000, FACTS):
        ours, theirs = figures[f"ours {count:,} events"], figures.get(f"theirs {count:,} events")
        yield Row(f"rebuild of {count:,} facts, lines in memory, facts", ours, "/s")
        what = f"rebuild of {count:,} facts : pyeventsourcing's of as many events"
        if theirs is None:
            yield Row(what, target=at_least(50), missing=missing)
            continue
        yield Row(f"pyeventsourcing (POPO), rebuild of {count:,} events, events", theirs, "/s")
        yield Row(what, ratio(ours, theirs), target=at_least(50))
    yield Row("floor: facts without events, folded in place, facts", figures["floor"], "/s")
    yield Row(f"rebuild of {FACTS:,} facts : floor", ratio(figures[f"ours {FACTS:,} events"], figures["floor"]))


def bare(game: AnyGame, count: int) -> Callable[[], int]:
    """Fold the same facts as plain lists, one per move, into lists that change in place."""
    [table] = matches_of(game, count)
    lines = [msgspec.json.encode(event.facts) for event in table.events]
    facts = sum_of_facts(table.events)

    def once() -> int:
        folded = endless.fold_in_place(fact for line in lines for fact in game.read_facts(line))
        assert folded == table.match.state
        return facts

    return once


def rebuilt(game: AnyGame, count: int) -> Callable[[], int]:
    """Decode and fold a match with this number of facts."""
    [table] = matches_of(game, count)
    lines = [write_event(event) for event in table.events]
    while sum_of_facts(table.events[: len(lines) - 1]) >= count:
        lines.pop()
    facts = sum_of_facts(table.events[: len(lines)])

    def once() -> int:
        fold(read_event(line, game) for line in lines)
        return facts

    return once


# -- late moves and cold loads ------------------------------------------------------------------------------------


class Cost(NamedTuple):
    """The cost of a move: processor time in us here and in the log server, and bytes between the two."""

    processor: float
    moved: float


def cost_of_all(redis: Redis) -> Cost:
    """Return the total so far."""
    info: Any = redis.info("stats")
    here_and_there = process_time() + cost_of_server(redis)
    return Cost(here_and_there * 1e6, info["total_net_input_bytes"] + info["total_net_output_bytes"])


def cost_of_server(redis: Redis) -> float:
    """Return the processor time in seconds of the log server so far."""
    info: Any = redis.info("cpu")
    return float(info["used_cpu_user"] + info["used_cpu_sys"])


def late_move_rows(redis: Redis) -> Iterator[Row]:
    """Compare moves at ply 50 with moves at ply 5,000, with and without a cached position."""
    log = MatchLog(redis)
    game = find_game("endless")
    late = with_plies(log, game, LATE, 900)
    fresh = iter(range(1_000, 10_000))
    warm = MatchRepository(log)
    costs: dict[str, list[Cost]] = {}

    def moves(name: str, match: str, repository_of: Callable[[], MatchRepository]) -> float:
        repository_of().load(match)
        before = cost_of_all(redis)
        for number in range(SNAPSHOT_INTERVAL):
            repository = repository_of()
            seat = min((repository.cached(match) or repository.load(match)).to_move)
            commands = MatchCommandHandler(log, repository, SystemClock())
            commands.submit(match, Play(seat, {"type": "turn"}), IdempotencyKey(f"p{seat}", f"{before}{number}"))
        after = cost_of_all(redis)
        spent = Cost(*((b - a) / SNAPSHOT_INTERVAL for a, b in zip(before, after, strict=True)))
        costs.setdefault(name, []).append(spent)
        return spent.processor

    def cold() -> MatchRepository:
        return MatchRepository(log)

    in_turns(
        {
            "warm early": lambda: moves("warm early", with_plies(log, game, EARLY, next(fresh)), lambda: warm),
            "warm late": lambda: moves("warm late", late, lambda: warm),
            "cold early": lambda: moves("cold early", with_plies(log, game, EARLY, next(fresh)), cold),
            "cold late": lambda: moves("cold late", late, cold),
        }
    )
    for temper, label in (("warm", "position cached"), ("cold", "nothing cached")):
        early, later = costs[f"{temper} early"][1:], costs[f"{temper} late"][1:]
        yield Row(f"a move at ply {EARLY}, {label}: processor time", [each.processor for each in early], "us")
        yield Row(f"a move at ply {LATE:,}, {label}: processor time", [each.processor for each in later], "us")
        yield Row(
            f"ply {LATE:,} : ply {EARLY}, {label}, processor time",
            ratio([each.processor for each in later], [each.processor for each in early]),
            target=at_most(1.2),
        )
        yield Row(f"a move at ply {LATE:,}, {label}: bytes to and from the log", [each.moved for each in later])
        yield Row(
            f"ply {LATE:,} : ply {EARLY}, {label}, bytes",
            ratio([each.moved for each in later], [each.moved for each in early]),
            target=at_most(1.2),
        )


def with_plies(log: MatchLog, game: AnyGame, plies: int, number: int) -> str:
    """Append a match with this number of plies, with the snapshot that it would have."""
    table = sit_down(game, seed=number, match=match_id(f"{game.slug} {number}"))
    while table.match.ply < plies:
        step(table, Fast(number))
        if table.match.ply % SNAPSHOT_INTERVAL == 0:
            raw = msgspec.json.encode(table.match)
            snapshot = table.match.ply, snapshot_version(game), raw
    store(log, table)
    if plies >= SNAPSHOT_INTERVAL:
        log.write_snapshot(table.match.id, *snapshot)
    return table.match.id


def cold_load_rows(redis: Redis) -> Iterator[Row]:
    """Load a match that no process knows from its snapshot, and compare with the two bare commands."""
    log, game = MatchLog(redis), find_game("endless")
    match = with_plies(log, game, LATE, 800)
    stored = log.read_snapshot(match)
    assert stored is not None, "with_plies writes one"
    tail = len(log.lines(match, stored.ply + 1))
    cursor = f"({stored.ply}-0"

    def load() -> None:
        assert MatchRepository(log).load(match).ply == LATE

    def two_commands() -> None:
        redis.hget(snapshot_key(match), "raw")
        redis.xrange(log_key(match), cursor, "+")

    figures = in_turns({"load": partial(middle, load), "bare": partial(middle, two_commands)})
    yield Row(f"cold load at ply {LATE:,} (snapshot and {tail} events)", figures["load"], "us")
    yield Row("two bare commands: snapshot, and events after it", figures["bare"], "us")
    yield Row("cold load : two bare commands", ratio(figures["load"], figures["bare"]), target=at_most(1.3))


def middle(call: Callable[[], object], times: int = 200) -> float:
    """Return the median time of a call in us."""
    spent = []
    for _ in range(times):
        begun = perf_counter()
        call()
        spent.append(perf_counter() - begun)
    return median(spent) * 1e6
