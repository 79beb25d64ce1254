"""What is wrong with a run: pure functions over its history. None of them asks the service's own code.

Each rule is a promise. Since every answer tells its ply and every event stands at one, checking for linearizability
needs no search: within a match the plies must agree with the order of the requests.
"""

import hashlib
import hmac
from base64 import b64decode, b64encode
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from itertools import pairwise
from typing import Any, NamedTuple

import msgspec

from tests.reliability.faults.history import (
    Channel,
    Fault,
    FeedEntry,
    History,
    MatchRecord,
    Notice,
    Reader,
    Request,
    TakenDelivery,
)

PROMISED_SECONDS = 30.0
"""How long a bot's turn, a deadline that has passed or an audit may take, not counting the time of outages."""
LEASED_SECONDS = 45.0
"""So much longer may a mail or a call take: a worker that was killed at it keeps it from others for a while."""
CHANNELS: tuple[Channel, ...] = ("mail", "webhook")
HOURLY_ALLOWANCE = {("mail", "turn"): 12, ("webhook", "turn"): 200, ("mail", "other"): 3, ("webhook", "other"): 10}
"""So many of one match's mails, or calls, come at once; from then on at a pace."""
RECORDING_SECONDS = 3.0
"""Seconds within which what was taken is recorded, if nothing keeps the worker from it."""
GENESIS = "0" * 64


class Violation(NamedTuple):
    """A promise that was broken, and where."""

    rule: str
    match: str
    ply: int | None
    words: str


Rule = Callable[[History], Iterator[Violation]]


def check(history: History, promised: float = PROMISED_SECONDS) -> list[Violation]:
    """All that is wrong; nothing, if all promises were kept."""
    found = [violation for rule in RULES for violation in rule(history)]
    return [*found, *kept_in_time(history, promised), *told_in_time(history, promised + LEASED_SECONDS)]


# -- what clients were told -----------------------------------------------------------------------------------------


def acknowledged(history: History) -> Iterator[Violation]:
    """Every acknowledged move stands in the log, at its ply, as it was asked for and as it was told."""
    matches = by_id(history)
    for op in history.ops:
        if op.kind != "move" or not op.done:
            continue
        event = event_at(matches.get(op.match), op.ply)
        if event is None:
            yield Violation("acknowledged", op.match, op.ply, f"{op.client}'s acknowledged move is not in the log")
        elif (event["seat"], event["move"]) != (op.seat, op.move) or event["hash"] != op.hash:
            yield Violation("acknowledged", op.match, op.ply, "another event stands where the move was told to be")


def created(history: History) -> Iterator[Violation]:
    """Every match whose creation was acknowledged is there."""
    matches = by_id(history)
    for op in history.ops:
        if op.kind == "create" and op.done and op.match not in matches:
            yield Violation("created", op.match, 1, "an acknowledged match is not in the log")


def once(history: History) -> Iterator[Violation]:
    """A person's events in the log are exactly what was acknowledged, and what never got an answer at most once."""
    matches = by_id(history)
    asked: dict[tuple[str, int], list[Request]] = defaultdict(list)
    for op in history.ops:
        if op.kind == "move" and op.seat is not None:
            asked[op.match, op.seat].append(op)
    for (match, seat), ops in asked.items():
        record = matches.get(match)
        events = [] if record is None else list(moves_of_person(record, seat))
        told = {op.ply for op in ops if op.done}
        unknown = Counter(canonical(op.move) for op in ops if op.status is None)
        for event in events:
            if event["ply"] in told:
                continue
            if unknown[canonical(event["move"])] > 0:
                unknown[canonical(event["move"])] -= 1
                continue
            refused = any(op.status is not None and not op.done and op.move == event["move"] for op in ops)
            words = "was refused or doubled" if refused else "is one that nobody was told of: it was doubled"
            yield Violation("once", match, event["ply"], f"the move {words}")
        for ply, count in Counter(op.ply for op in ops if op.done).items():
            if count > 1:
                yield Violation("once", match, ply, f"{count} requests were told that they are this event")


def repeated(history: History) -> Iterator[Violation]:
    """A key that was used is good for its own request and no other, and has the same answer for ever."""
    first = {(op.author, op.match, op.key): op for op in history.ops if op.kind == "move"}
    for op in history.ops:
        before = first.get((op.author, op.match, op.key))
        if before is None or op.status is None:
            continue
        if op.kind == "reuse" and op.done:
            yield Violation("repeated", op.match, op.ply, "another request under a used key was accepted")
        if op.kind == "repeat" and (op.ply, op.hash) != (before.ply, before.hash):
            yield Violation("repeated", op.match, before.ply, "the same request got another answer")


def order(history: History) -> Iterator[Violation]:
    """What was answered before something else was asked stands before it."""
    for match, ops in grouped(op for op in history.ops if op.kind == "move" and op.done).items():
        newest = 0
        for _, is_answer, ply in request_times(ops):
            if is_answer:
                newest = max(newest, ply)
            elif ply <= newest:
                yield Violation("order", match, ply, f"it was asked for after event {newest} had been acknowledged")


def fresh(history: History) -> Iterator[Violation]:
    """Nobody is shown less of a match than somebody had been told before he asked."""
    for match, ops in grouped(op for op in history.ops if op.done and op.head_ply is not None).items():
        newest = 0
        for _, is_answer, ply in request_times(ops, by_head=True):
            if is_answer:
                newest = max(newest, ply)
            elif ply < newest:
                yield Violation("fresh", match, ply, f"shown to somebody who asked when event {newest} was known")


def told(history: History) -> Iterator[Violation]:
    """Every position that was shown is the one that the log holds at that ply."""
    hashes = {record.id: [event["hash"] for event in record.events()] for record in history.matches}
    for op in history.ops:
        if not op.done or op.head_ply is None:
            continue
        known = hashes.get(op.match, [])
        if op.head_ply > len(known):
            yield Violation("told", op.match, op.head_ply, "it was shown and is not in the log")
        elif known[op.head_ply - 1] != op.head:
            yield Violation("told", op.match, op.head_ply, "something else was shown than stands in the log")


def answers(history: History) -> Iterator[Violation]:
    """An answer is a success, a refusal in words, or 503; no process tells of an error that nobody foresaw."""
    for op in history.ops:
        for status in op.strange:
            yield Violation("answers", op.match, op.ply, f"{op.kind} was answered {status}")
    for complaint in history.complaints:
        yield Violation("answers", "", None, complaint)


# -- what stands in the log -----------------------------------------------------------------------------------------


def sequence(history: History) -> Iterator[Violation]:
    """The plies of a match are 1 to n, each once, and its time never runs backwards."""
    for record in history.matches:
        events = record.events()
        for ply, (entry, event) in enumerate(zip(record.ids, events, strict=True), 1):
            if entry != f"{ply}-0" or event["ply"] != ply:
                yield Violation("sequence", record.id, ply, f"entry {entry} holds ply {event['ply']}")
        times = [time_of(event) for event in events]
        for event, before, time in zip(events, [None, *times], times, strict=False):
            if time is None:
                yield Violation("sequence", record.id, event["ply"], f"{event['at']} is no time")
            elif before and time < before:
                yield Violation("sequence", record.id, event["ply"], f"{event['at']} comes behind {before.isoformat()}")


def time_of(event: dict[str, Any]) -> datetime | None:
    """When it was appended; None if its time is none."""
    try:
        return datetime.fromisoformat(event["at"])
    except ValueError:
        return None


def chain(history: History) -> Iterator[Violation]:
    """Each event names the hash of the one before, and its own is right."""
    for record in history.matches:
        before = GENESIS
        for event in record.events():
            body = {name: value for name, value in event.items() if name not in ("prev", "hash")}
            right = hashlib.sha256(before.encode() + canonical(body)).hexdigest()
            if event["prev"] != before or event["hash"] != right:
                yield Violation("chain", record.id, event["ply"], "the chain of hashes is broken")
                break
            before = event["hash"]


def commands(history: History) -> Iterator[Violation]:
    """Every event belongs to one command, and each command is its author's: so no job can act twice."""
    keys: dict[str, set[str]] = defaultdict(set)
    for op in history.ops:
        if op.key is not None:
            keys[op.match].add(command_id(op.author, op.key))
    orders = grouped(op for op in history.ops if op.kind == "order")
    for record in history.matches:
        owners: Counter[int] = Counter()
        for value in record.commands.values():
            first, last = map(int, value.split(":")[:2])
            owners.update(range(first, last + 1))
        for ply in range(1, max([len(record.lines), *owners], default=0) + 1):
            if owners[ply] != 1 or ply > len(record.lines):
                yield Violation("commands", record.id, ply, f"an event of {owners[ply]} commands")
        yield from commands_by_nobody(record, keys[record.id], orders.get(record.id, []))


def commands_by_nobody(record: MatchRecord, keys: set[str], orders: Iterable[Request]) -> Iterator[Violation]:
    """Commands that neither a client nor the service's own workers may have sent."""
    events = record.events()
    for name, value in record.commands.items():
        first = int(value.split(":")[0])
        if name in keys or not 1 <= first <= len(events):
            continue
        event, ply = events[first - 1], first - 1
        own = {
            *(command_id(f"bot:{record.id}:{seat}", f"turn-{ply}") for seat in record.bots if seat == event["seat"]),
            *(command_id("clock", f"{what}-{ply}") for what in ("expire", "close")),
            command_id("auditor", "routine"),
            *(command_id(op.author, by_order(event, ply)) for op in orders if op.seat == event["seat"]),
        }
        if name not in own:
            yield Violation("commands", record.id, first, f"{event['kind']} by a command that nobody should have sent")


def by_order(event: dict[str, Any], behind: int) -> str:
    """The key under which the server makes a move that was ordered; nothing if this one was not."""
    cause = event.get("cause")
    if cause is None:
        return ""
    return f"order {cause['order']}" if cause["kind"] == "move" else f"forced {behind}"


def orders(history: History) -> Iterator[Violation]:
    """An order acts once, as it was given and for whom; none is forgotten, and the server has looked at all of them."""
    given = grouped(op for op in history.ops if op.kind == "order")
    for record in history.matches:
        asked = given.get(record.id, [])
        done = Counter(
            event["cause"]["order"] for event in record.events() if event.get("cause", {}).get("kind") == "move"
        )
        for order, count in done.items():
            if count > 1:
                yield Violation("orders", record.id, None, f"order {order} was carried out {count} times")
        for event in record.events():
            if "cause" in event and not was_ordered(event, asked):
                yield Violation("orders", record.id, event["ply"], "nobody has ordered this move")
        if record.orders is not None and (record.over or record.orders.looked < len(record.lines)):
            words = f"orders of a match {'that is over' if record.over else 'at which nobody has looked'}"
            yield Violation("orders", record.id, record.orders.looked, words)
        for seat, op in {op.seat: op for op in asked if op.seat is not None}.items():
            if not op.done or op.tries > 1 or record.over:
                continue  # of several tries it is not known which came last
            left, dropped = ({}, {}) if record.orders is None else (record.orders.left, record.orders.dropped)
            known = {*done, *left.get(seat, ()), *dropped.get(seat, ())}
            for order in op.move["moves"]:
                if order["id"] not in known:
                    yield Violation("orders", record.id, None, f"order {order['id']} of seat {seat} is forgotten")


def was_ordered(event: dict[str, Any], asked: Iterable[Request]) -> bool:
    """Whether somebody has ordered this move for its seat; where an answer was lost its id is not known."""
    ops = [op for op in asked if op.seat == event["seat"]]
    if event["cause"]["kind"] == "forced":
        return any(op.move["forced"] for op in ops)
    known = {order["id"]: order["move"] for op in ops if op.done for order in op.move["moves"]}
    if event["cause"]["order"] in known:
        return bool(known[event["cause"]["order"]] == event["move"])
    return any(op.tries > 1 or not op.done for op in ops)


def feed(history: History) -> Iterator[Violation]:
    """The feed's positions have no gap, it announces every event once and in order, and forgets nothing."""
    shards: dict[int, list[FeedEntry]] = defaultdict(list)
    for entry in history.feed:
        shards[entry.shard].append(entry)
    for shard, entries in shards.items():
        for position, entry in enumerate(entries, 1):
            if entry.position != position:
                yield Violation("feed", entry.match, None, f"shard {shard}: where {position} belongs is another")
                break
    announced: dict[str, list[int]] = defaultdict(list)
    for entry in history.feed:
        announced[entry.match] += range(entry.first, entry.last + 1)
    lengths = {record.id: len(record.lines) for record in history.matches}
    for match, plies in announced.items():
        length = lengths.get(match, 0)
        if plies != list(range(1, length + 1)):
            wrong = next((n for n, ply in enumerate(plies, 1) if n != ply), min(len(plies), length) + 1)
            yield Violation("feed", match, wrong, f"announced are {len(plies)} events, the log holds {length}")
    for record in history.matches:
        if record.id not in announced:
            yield Violation("feed", record.id, 1, "the match was never announced")
    stands = {(entry.shard, entry.position): (entry.match, entry.first, entry.last) for entry in history.feed}
    for seen in history.witnessed:
        if stands.get((seen.shard, seen.position)) != (seen.match, seen.first, seen.last):
            yield Violation("feed", seen.match, seen.first, "it was read once, and is not there any more")


# -- what follows from the log --------------------------------------------------------------------------------------


def projections(history: History) -> Iterator[Violation]:
    """The lists are what the events fold to, up to the end of every feed."""
    heads = Counter(entry.shard for entry in history.feed)
    for shard, head in heads.items():
        if history.checkpoints.get(shard, 0) != head:
            words = f"shard {shard}: applied up to {history.checkpoints.get(shard, 0)} of {head}"
            yield Violation("projections", "", None, words)
    for record in history.matches:
        if record.row != record.folded:
            yield Violation("projections", record.id, None, "its row is not what its events fold to")
    for key in sorted(history.projected.keys() | history.derived.keys()):
        if history.projected.get(key) != history.derived.get(key):
            yield Violation("projections", "", None, f"{key} is not what the feeds make of it")


def ratings(history: History) -> Iterator[Violation]:
    """Every rated result counts once for each of its players. (The figures are those of the rebuild: `projections`.)"""
    counted: Counter[tuple[str, str, str]] = Counter()
    for record in history.matches:
        row = record.folded
        if not row or not row["rated"] or not row["outcome"] or not row["ended_at"]:
            continue
        for seat, each in enumerate(row["seats"]):
            winners = row["outcome"]["winners"]
            how = "won" if seat in winners else "lost" if winners else "drawn"
            counted[row["game"], each["player"], how] += 1
    told: Counter[tuple[str, str, str]] = Counter()
    for key, value in history.projected.items():
        if key.startswith("{ct:r:") and key.endswith(":standings"):
            game = key.removeprefix("{ct:r:").partition("}")[0]
            for player, raw in value.items():
                standing = msgspec.json.decode(raw)
                told.update({(game, player, how): standing.get(how, 0) for how in ("won", "drawn", "lost")})
    for name in sorted(counted.keys() | told.keys()):
        if counted[name] != told[name]:
            game, player, how = name
            words = f"{player} has {how} {counted[name]} matches of {game}, and the ratings say {told[name]}"
            yield Violation("ratings", "", None, words)


# -- what people are told -------------------------------------------------------------------------------------------


class Delivery(NamedTuple):
    """One notice by one channel to its player."""

    record: MatchRecord
    notice: Notice
    channel: Channel

    @property
    def name(self) -> str:
        """What tells it from the match's other deliveries."""
        return f"{self.channel}:{self.notice.kind}:{self.notice.ply}:{self.notice.player}"

    @property
    def id(self) -> str:
        """The id that its mail, or its call, bears."""
        return hashlib.sha256(f"{self.record.id}:{self.name}".encode()).hexdigest()[:32]

    @property
    def series(self) -> tuple[str, Channel, str, str]:
        """What it shares with those that are counted together, so that they come at a pace."""
        return self.record.id, self.channel, self.notice.kind, self.notice.player


def deliveries(history: History) -> Iterator[Delivery]:
    """All that there was to tell."""
    for record in history.matches:
        yield from deliveries_of_match(record)


def deliveries_of_match(record: MatchRecord) -> Iterator[Delivery]:
    """All that there was to tell of a match."""
    return (Delivery(record, notice, channel) for notice in record.notices for channel in CHANNELS)


def telling(history: History) -> Iterator[Violation]:
    """Whatever was told stood in the log as it was told, was told to whom it concerns, and once."""
    known = {each.id: each for each in deliveries(history)}
    readers = {each.player: each for each in history.readers}
    times: dict[str, list[float]] = defaultdict(list)
    for taken in history.taken:
        delivery = known.get(taken.id)
        if delivery is None:
            yield Violation("telling", "", None, f"a {taken.channel} to {taken.to} tells of nothing that was there")
            continue
        times[taken.id].append(taken.at)
        for words in delivery_faults(taken, delivery, readers.get(delivery.notice.player)):
            yield Violation("telling", delivery.record.id, delivery.notice.ply, f"{delivery.name} {words}")
    for id, each in times.items():
        for before, _ in pairwise(sorted(each)):
            if not any(harm.began < before + RECORDING_SECONDS and harm.ended > before - 1 for harm in history.harms):
                words = f"{known[id].name} was told again, though nothing went wrong"
                yield Violation("telling", known[id].record.id, known[id].notice.ply, words)


def delivery_faults(taken: TakenDelivery, delivery: Delivery, reader: Reader | None) -> Iterator[str]:
    """What is wrong with a mail or a call."""
    notice = delivery.notice
    if reader is None or taken.channel != delivery.channel:
        yield "went to somebody who had not asked for it"
        return
    if taken.to != (reader.address if taken.channel == "mail" else reader.hook):
        yield f"went to {taken.to}"
    if notice.until is not None and taken.at > notice.until + PROMISED_SECONDS:
        yield "had passed long ago"
    if taken.channel == "mail":
        if f"/matches/{delivery.record.id}" not in taken.body:
            yield "leads elsewhere"
        return
    data = msgspec.json.decode(taken.body)["data"]
    if (data["match"], data["player"], data["brought_by"]) != (delivery.record.id, notice.player, notice.ply):
        yield "tells of something else"
    if not notice.first <= data["ply"] < (notice.last or data["ply"] + 1):
        yield f"had passed at ply {data['ply']}, of which the call tells"
    signed = f"{taken.id}.{taken.stamp}.{taken.body}".encode()
    code = hmac.new(b64decode(reader.secret.removeprefix("whsec_")), signed, "sha256").digest()
    if taken.signature != f"v1,{b64encode(code).decode()}":
        yield "is not signed by the service"


def agenda(history: History) -> Iterator[Violation]:
    """At the end the agenda holds what stands and was not told; what is recorded as told was told."""
    taken = {each.id for each in history.taken}
    readers = {each.player: each for each in history.readers}
    for record in history.matches:
        every = {each.name: each for each in deliveries_of_match(record)}
        standing = {name for name, each in every.items() if each.notice.last is None}
        owed = standing - record.told.keys()
        if set(record.owed) != owed:
            names = ", ".join(sorted(owed ^ set(record.owed)))
            yield Violation("agenda", record.id, None, f"the agenda has, or lacks, {names}")
        for name, outcome in record.told.items():
            each = every.get(name)
            if each is None:
                yield Violation("agenda", record.id, None, f"{name} is recorded, and was never to be told")
            elif outcome is None and is_wanted(each, readers) and (each.channel, each.notice.kind) != ("mail", "over"):
                yield Violation("agenda", record.id, None, f"{name} was let go, and somebody wanted to hear it")
            elif outcome in ("sent", "answered 204") and each.id not in taken:
                yield Violation("agenda", record.id, None, f"{name} is recorded as told, and nobody heard it")


def is_wanted(delivery: Delivery, readers: Mapping[str, Reader]) -> bool:
    """Whether its player had asked to be told by this channel when it came up."""
    reader = readers.get(delivery.notice.player)
    return reader is not None and delivery.notice.at >= reader.since[delivery.channel]


def told_in_time(history: History, promised: float) -> Iterator[Violation]:
    """Whoever wants to be told of what stands was told within the promised time of a service that was there."""
    readers = {each.player: each for each in history.readers}
    heard: dict[str, float] = {}
    for taken in sorted(history.taken, key=lambda each: each.at, reverse=True):
        heard[taken.id] = taken.at
    made = Counter(each.series for each in deliveries(history) if each.id in heard)
    for each in deliveries(history):
        notice, recorded = each.notice, each.record.told.get(each.name, "")
        if not is_wanted(each, readers) or recorded is None or recorded.startswith("told with"):
            continue
        freely = HOURLY_ALLOWANCE[each.channel, "turn" if notice.kind == "turn" else "other"]
        done = min(heard.get(each.id, history.ended), notice.until or history.ended)
        if made[each.series] >= freely or may_be_delayed(history.harms, each.channel, notice.since, done):
            continue
        waited = done - notice.since - outage_within(history.harms, notice.since, done)
        if waited > promised:
            yield Violation("told in time", each.record.id, notice.ply, f"{each.name} waited {waited:.1f} s")


def may_be_delayed(harms: Iterable[Fault], channel: Channel, since: float, done: float) -> bool:
    """Whether a delivery may rightly wait longer: its receiver took nothing for a while, or the clock was set back."""
    names = {"clock back", "mail refused" if channel == "mail" else "calls refused"}
    return any(harm.name in names and harm.began < done and harm.ended > since for harm in harms)


def audited(history: History) -> Iterator[Violation]:
    """Every match that is over was audited, and nothing is wrong with it."""
    for record in history.matches:
        if record.over and record.verdict != "ok":
            yield Violation("audited", record.id, len(record.lines), f"its verdict is {record.verdict or 'missing'}")


def kept_in_time(history: History, promised: float) -> Iterator[Violation]:
    """Every bot's turn, deadline and audit came within the promised time of a service that was there."""
    for record in history.matches:
        for wait in record.waits:
            done = history.ended if wait.done is None else wait.done
            waited = done - wait.since - outage_within(history.harms, wait.since, done)
            if waited > promised:
                still = " and still does" if wait.done is None else ""
                words = f"the {wait.kind} behind ply {wait.ply} waited {waited:.1f} s{still}"
                yield Violation("in time", record.id, wait.ply, words)


RULES: tuple[Rule, ...] = (
    *(acknowledged, created, once, repeated, order, fresh, told, answers),
    *(sequence, chain, commands, orders, feed),
    *(projections, ratings, audited),
    *(telling, agenda),
)


# -- small parts ----------------------------------------------------------------------------------------------------


def by_id(history: History) -> dict[str, MatchRecord]:
    """The matches by their ids."""
    return {record.id: record for record in history.matches}


def grouped(ops: Iterable[Request]) -> dict[str, list[Request]]:
    """The requests by their matches."""
    found: dict[str, list[Request]] = defaultdict(list)
    for op in ops:
        found[op.match].append(op)
    return found


def request_times(ops: Iterable[Request], by_head: bool = False) -> list[tuple[float, bool, int]]:
    """When each was asked (False) and answered (True), and about which ply. At one moment questions come first."""
    found = []
    for op in ops:
        ply = op.head_ply if by_head else op.ply
        assert ply is not None
        found += [(op.began, False, ply), (op.ended, True, ply)]
    return sorted(found)


def event_at(record: MatchRecord | None, ply: int | None) -> Any:
    """The event at a ply; None where there is none."""
    if record is None or ply is None or not 1 <= ply <= len(record.lines):
        return None
    return msgspec.json.decode(record.lines[ply - 1])


def moves_of_person(record: MatchRecord, seat: int) -> Iterator[dict[str, Any]]:
    """The moves at a person's seat but those that the service makes there: an expiry's, a stand-in's, ordered ones."""
    own: set[int] = set()
    for name, value in record.commands.items():
        first, last = map(int, value.split(":")[:2])
        behind = first - 1
        if name in (command_id("clock", f"expire-{behind}"), command_id(f"bot:{record.id}:{seat}", f"turn-{behind}")):
            own.update(range(first, last + 1))
    for event in record.events():
        if event["kind"] == "moved" and event["seat"] == seat and event["ply"] not in own and "cause" not in event:
            yield event


def outage_within(harms: Iterable[Fault], since: float, until: float) -> float:
    """How many seconds of this time were outages."""
    spans = sorted((max(harm.began, since), min(harm.ended, until)) for harm in harms if harm.outage)
    total, reached = 0.0, since
    for began, ended in spans:
        if ended > max(began, reached):
            total += ended - max(began, reached)
            reached = ended
    return total


def command_id(author: str, key: str) -> str:
    """Under what id a command is remembered."""
    return hashlib.sha256(canonical([author, key])).hexdigest()


def canonical(value: Any) -> bytes:
    """The value as canonical JSON."""
    return msgspec.json.encode(value, order="sorted")
