"""Checks the history of a run for broken promises. Pure functions that do not use the service's code.

Each rule is one promise of the service. Every answer and every event has a ply, so checking linearizability needs no
search: within a match, the plies must agree with the order of the requests.
"""

import hashlib
import hmac
from base64 import b64decode, b64encode
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime, timedelta
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
"""Maximum delay of a bot's turn, an expired deadline or an audit, without outages."""
LEASED_SECONDS = 45.0
"""Additional delay of an email or a call: a killed worker holds its lease for a while."""
CHANNELS: tuple[Channel, ...] = ("mail", "webhook")
HOURLY_ALLOWANCE = {("mail", "turn"): 12, ("webhook", "turn"): 200, ("mail", "other"): 3, ("webhook", "other"): 10}
"""Emails or calls about one match that are sent without delay; further ones are rate limited."""
RECORDING_SECONDS = 3.0
"""Seconds within which a delivery is recorded unless a fault prevents it."""
GENESIS = "0" * 64
RENEWAL = "renewal"
LOSSES = ("lose primary", "lose replica")
"""Faults after which moves must continue, although the server is still away."""
FAILOVER_SECONDS = 10.0
"""Maximum time without an answer after the loss of one of three log servers."""


class Violation(NamedTuple):
    """A broken promise, and where it was broken."""

    rule: str
    match: str
    ply: int | None
    words: str


Rule = Callable[[History], Iterator[Violation]]


def check(history: History, promised: float = PROMISED_SECONDS) -> list[Violation]:
    """Return all violations; none if all promises were kept."""
    found = [violation for rule in RULES for violation in rule(history)]
    return [*found, *done_in_time(history, promised), *notified_in_time(history, promised + LEASED_SECONDS)]


# -- answers to clients ---------------------------------------------------------------------------------------------


def acknowledged(history: History) -> Iterator[Violation]:
    """Every acknowledged move is in the log at the acknowledged ply, as requested and as answered."""
    matches = by_id(history)
    for op in history.ops:
        if op.kind != "move" or not op.done:
            continue
        event = event_at(matches.get(op.match), op.ply)
        if event is None:
            yield Violation("acknowledged", op.match, op.ply, f"{op.client}'s acknowledged move is not in the log")
        elif (event["seat"], event["move"]) != (op.seat, op.move) or event["hash"] != op.hash:
            yield Violation("acknowledged", op.match, op.ply, "the log has a different event at the acknowledged ply")


def created(history: History) -> Iterator[Violation]:
    """Every match whose creation was acknowledged exists."""
    matches = by_id(history)
    for op in history.ops:
        if op.kind == "create" and op.done and op.match not in matches:
            yield Violation("created", op.match, 1, "an acknowledged match is not in the log")


def opened(history: History) -> Iterator[Violation]:
    """Every acknowledged opening is in the log. A sealed match starts with all its shares, or is cancelled for some."""
    matches = by_id(history)
    for op in history.ops:
        if op.kind not in ("open", "lose") or not op.done:
            continue
        event = event_at(matches.get(op.match), op.ply)
        if event is None or event["hash"] != op.hash:
            yield Violation("opened", op.match, op.ply, "an acknowledged opening is not in the log")
        elif op.kind == "open" and (event["kind"], event["seat"], event.get("share"), event.get("table")) != (
            *("share_opened", op.seat),
            *(op.move["share"], op.move["table"]),
        ):
            yield Violation("opened", op.match, op.ply, "the log has a different event at the acknowledged ply")
        elif op.kind == "lose" and (event.get("reason"), event.get("seats")) != ("lost", [op.seat]):
            yield Violation("opened", op.match, op.ply, "a lost share did not cancel the match for its seat")
    for record in history.matches:
        for ply, words in opening_faults(record):
            yield Violation("opened", record.id, ply, words)


def opening_faults(record: MatchRecord) -> Iterator[tuple[int, str]]:
    """Yield what is wrong between the first seat and the start of a match with luck protocol 2."""
    events = record.events()
    terms = events[0].get("luck") if events else None
    if terms is None:
        return
    seals: dict[int, str | None] = {}
    shares: dict[int, str | None] = {}
    full_at: datetime | None = None
    for event in events:
        ply, seat = event["ply"], event["seat"]
        unopened = [each for each, seal in sorted(seals.items()) if seal is not None and shares[each] is None]
        match event["kind"]:
            case "seat_taken":
                seals[seat], shares[seat], full_at = event.get("seal"), event.get("share"), time_of(event)
            case "seat_left":
                seals[seat] = shares[seat] = None
            case "share_opened":
                right = sha256(f"crumbtrail/share/2|{record.id}|{seat}|{events[0]['commitment']}|{event['share']}")
                if seat not in unopened or right != seals[seat]:
                    yield ply, "a share that doesn't match the seal of its seat was opened, or a share was opened twice"
                elif is_late(event, full_at, terms):
                    yield ply, "a share was opened too late"
                shares[seat] = event["share"]
            case "started" if unopened or event["shares"] != [each for _, each in sorted(shares.items())]:
                yield ply, "the match started without all shares, or with others"
            case "cancelled" if event.get("reason") == "not_opened":
                if event["seats"] != unopened or not is_late(event, full_at, terms):
                    yield ply, "the match was cancelled too early, or for the wrong seats"


def is_late(event: dict[str, Any], full_at: datetime | None, terms: dict[str, Any]) -> bool:
    """Return whether an event is at the deadline for opening shares, or later."""
    now = time_of(event)
    return now is not None and full_at is not None and now >= full_at + timedelta(seconds=terms["opening_seconds"])


def once(history: History) -> Iterator[Violation]:
    """The log has each acknowledged move once, each unanswered move at most once, and no other moves by people."""
    matches = by_id(history)
    asked: dict[tuple[str, int], list[Request]] = defaultdict(list)
    for op in history.ops:
        if op.kind == "move" and op.seat is not None:
            asked[op.match, op.seat].append(op)
    for (match, seat), ops in asked.items():
        record = matches.get(match)
        events = [] if record is None else list(moves_of_person(record, seat))
        acknowledged_plies = {op.ply for op in ops if op.done}
        unknown = Counter(canonical(op.move) for op in ops if op.status is None)
        for event in events:
            if event["ply"] in acknowledged_plies:
                continue
            if unknown[canonical(event["move"])] > 0:
                unknown[canonical(event["move"])] -= 1
                continue
            refused = any(op.status is not None and not op.done and op.move == event["move"] for op in ops)
            words = "was refused or duplicated" if refused else "was never acknowledged: it was duplicated"
            yield Violation("once", match, event["ply"], f"the move {words}")
        for ply, count in Counter(op.ply for op in ops if op.done).items():
            if count > 1:
                yield Violation("once", match, ply, f"{count} requests were acknowledged with this event")


def repeated(history: History) -> Iterator[Violation]:
    """A used key is valid only for its own request, and always gets the same answer."""
    first = {(op.author, op.match, op.key): op for op in history.ops if op.kind == "move"}
    for op in history.ops:
        before = first.get((op.author, op.match, op.key))
        if before is None or op.status is None:
            continue
        if op.kind == "reuse" and op.done:
            yield Violation("repeated", op.match, op.ply, "a different request with a used key was accepted")
        if op.kind == "repeat" and (op.ply, op.hash) != (before.ply, before.hash):
            yield Violation("repeated", op.match, before.ply, "the same request got a different answer")


def order(history: History) -> Iterator[Violation]:
    """A move acknowledged before another was requested comes before it in the log."""
    for match, ops in grouped(op for op in history.ops if op.kind == "move" and op.done).items():
        newest = 0
        for _, is_answer, ply in request_times(ops):
            if is_answer:
                newest = max(newest, ply)
            elif ply <= newest:
                yield Violation("order", match, ply, f"it was requested after event {newest} had been acknowledged")


def fresh(history: History) -> Iterator[Violation]:
    """No answer shows an older state of a match than an answer received before its request was sent."""
    for match, ops in grouped(op for op in history.ops if op.done and op.head_ply is not None).items():
        newest = 0
        for _, is_answer, ply in request_times(ops, by_head=True):
            if is_answer:
                newest = max(newest, ply)
            elif ply < newest:
                yield Violation("fresh", match, ply, f"shown in answer to a request sent when event {newest} was known")


def shown(history: History) -> Iterator[Violation]:
    """Every position that was shown is the one in the log at that ply."""
    hashes = {record.id: [event["hash"] for event in record.events()] for record in history.matches}
    for op in history.ops:
        if not op.done or op.head_ply is None:
            continue
        known = hashes.get(op.match, [])
        if op.head_ply > len(known):
            yield Violation("shown", op.match, op.head_ply, "it was shown but is not in the log")
        elif known[op.head_ply - 1] != op.head:
            yield Violation("shown", op.match, op.head_ply, "the position shown differs from the log")


def renewed(history: History) -> Iterator[Violation]:
    """During a renewal, every move is answered on the first attempt."""
    others = [harm for harm in history.harms if harm.name != RENEWAL]
    for harm in history.harms:
        if harm.name != RENEWAL:
            continue
        for op in history.ops:
            if op.kind != "move" or not harm.began <= op.began < harm.ended:
                continue
            if any(other.began < op.ended and other.ended > op.began for other in others):
                continue
            if op.status is None or op.tries > 1 or op.strange:
                how = "has no answer" if op.status is None else f"needed {op.tries} attempts"
                yield Violation("renewed", op.match, op.ply, f"{op.client}'s move during a renewal {how}")


def went_on(history: History) -> Iterator[Violation]:
    """After the loss of one of three log servers, no move waits longer than promised for its answer."""
    for harm in history.harms:
        if harm.name not in LOSSES:
            continue
        for op in history.ops:
            waited = op.ended - max(op.began, harm.began)
            if op.kind == "move" and op.began < harm.ended and waited > FAILOVER_SECONDS:
                yield Violation("went on", op.match, op.ply, f"a move waited {waited:.1f} s after a server was lost")


def whole(history: History) -> Iterator[Violation]:
    """No match is damaged, and none is reported as damaged."""
    for record in history.matches:
        if record.damaged:
            yield Violation("whole", record.id, None, "the service has recorded it as damaged")
    for op in history.ops:
        if op.code == "log_damaged":
            yield Violation("whole", op.match, op.ply, f"the answer to {op.kind} was that the match is damaged")


def answers(history: History) -> Iterator[Violation]:
    """Every answer is a success, an error with a message, or 503; no process logs an unexpected error."""
    for op in history.ops:
        for status in op.strange:
            yield Violation("answers", op.match, op.ply, f"{op.kind} was answered {status}")
    for complaint in history.complaints:
        yield Violation("answers", "", None, complaint)


# -- the log --------------------------------------------------------------------------------------------------------


def sequence(history: History) -> Iterator[Violation]:
    """The plies of a match are 1 to n, each once, and times never decrease."""
    for record in history.matches:
        events = record.events()
        for ply, (entry, event) in enumerate(zip(record.ids, events, strict=True), 1):
            if entry != f"{ply}-0" or event["ply"] != ply:
                yield Violation("sequence", record.id, ply, f"entry {entry} holds ply {event['ply']}")
        times = [time_of(event) for event in events]
        for event, before, time in zip(events, [None, *times], times, strict=False):
            if time is None:
                yield Violation("sequence", record.id, event["ply"], f"{event['at']} is not a valid time")
            elif before and time < before:
                yield Violation("sequence", record.id, event["ply"], f"{event['at']} comes after {before.isoformat()}")


def time_of(event: dict[str, Any]) -> datetime | None:
    """Return the time of an event, or None if it is invalid."""
    try:
        return datetime.fromisoformat(event["at"])
    except ValueError:
        return None


def chain(history: History) -> Iterator[Violation]:
    """Each event has the hash of the one before it, and a correct hash of its own."""
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
    """Every event belongs to one command of a known author, so no job can act twice."""
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
                yield Violation("commands", record.id, ply, f"an event that belongs to {owners[ply]} commands")
        yield from unknown_commands(record, keys[record.id], orders.get(record.id, []))


def unknown_commands(record: MatchRecord, keys: set[str], orders: Iterable[Request]) -> Iterator[Violation]:
    """Yield commands that were not sent by a client and cannot come from the service's workers."""
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
            yield Violation("commands", record.id, first, f"{event['kind']} by an unknown command")


def by_order(event: dict[str, Any], ply: int) -> str:
    """Return the key with which the server makes a move by standing order; empty for any other move."""
    cause = event.get("cause")
    if cause is None:
        return ""
    return f"order {cause['order']}" if cause["kind"] == "move" else f"forced {ply}"


def orders(history: History) -> Iterator[Violation]:
    """An order is carried out once, as given and for its seat; none is forgotten or left unchecked."""
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
                yield Violation("orders", record.id, event["ply"], "nobody ordered this move")
        if record.orders is not None and (record.over or record.orders.looked < len(record.lines)):
            words = f"orders of a match {'that is over' if record.over else 'that were not checked'}"
            yield Violation("orders", record.id, record.orders.looked, words)
        for seat, op in {op.seat: op for op in asked if op.seat is not None}.items():
            if not op.done or op.tries > 1 or record.over:
                continue  # after several tries it is not known which came last
            left, dropped = ({}, {}) if record.orders is None else (record.orders.left, record.orders.dropped)
            known = {*done, *left.get(seat, ()), *dropped.get(seat, ())}
            for order in op.move["moves"]:
                if order["id"] not in known:
                    yield Violation("orders", record.id, None, f"order {order['id']} of seat {seat} is forgotten")


def was_ordered(event: dict[str, Any], asked: Iterable[Request]) -> bool:
    """Return whether this move was ordered for its seat. The id is unknown if the answer was lost."""
    ops = [op for op in asked if op.seat == event["seat"]]
    if event["cause"]["kind"] == "forced":
        return any(op.move["forced"] for op in ops)
    known = {order["id"]: order["move"] for op in ops if op.done for order in op.move["moves"]}
    if event["cause"]["order"] in known:
        return bool(known[event["cause"]["order"]] == event["move"])
    return any(op.tries > 1 or not op.done for op in ops)


def feed(history: History) -> Iterator[Violation]:
    """The feed has no gaps, announces every event once and in order, and loses nothing."""
    shards: dict[int, list[FeedEntry]] = defaultdict(list)
    for entry in history.feed:
        shards[entry.shard].append(entry)
    for shard, entries in shards.items():
        for position, entry in enumerate(entries, 1):
            if entry.position != position:
                yield Violation(
                    "feed", entry.match, None, f"shard {shard}: there is another entry at position {position}"
                )
                break
    announced: dict[str, list[int]] = defaultdict(list)
    for entry in history.feed:
        announced[entry.match] += range(entry.first, entry.last + 1)
    lengths = {record.id: len(record.lines) for record in history.matches}
    for match, plies in announced.items():
        length = lengths.get(match, 0)
        if plies != list(range(1, length + 1)):
            wrong = next((n for n, ply in enumerate(plies, 1) if n != ply), min(len(plies), length) + 1)
            yield Violation("feed", match, wrong, f"{len(plies)} events are announced, but the log has {length}")
    for record in history.matches:
        if record.id not in announced:
            yield Violation("feed", record.id, 1, "the match was never announced")
    current = {(entry.shard, entry.position): (entry.match, entry.first, entry.last) for entry in history.feed}
    for seen in history.witnessed:
        if current.get((seen.shard, seen.position)) != (seen.match, seen.first, seen.last):
            yield Violation("feed", seen.match, seen.first, "it was read once and is now missing")


# -- projections ----------------------------------------------------------------------------------------------------


def projections(history: History) -> Iterator[Violation]:
    """The lists match the events, up to the end of every feed."""
    heads = Counter(entry.shard for entry in history.feed)
    for shard, head in heads.items():
        if history.checkpoints.get(shard, 0) != head:
            words = f"shard {shard}: applied up to {history.checkpoints.get(shard, 0)} of {head}"
            yield Violation("projections", "", None, words)
    for record in history.matches:
        if record.row != record.folded:
            yield Violation("projections", record.id, None, "its row does not match its events")
    for key in sorted(history.projected.keys() | history.derived.keys()):
        if history.projected.get(key) != history.derived.get(key):
            yield Violation("projections", "", None, f"{key} does not match the feeds")


def ratings(history: History) -> Iterator[Violation]:
    """Every rated result counts once for each player. (`projections` checks the ratings themselves.)"""
    counted: Counter[tuple[str, str, str]] = Counter()
    for record in history.matches:
        row = record.folded
        if not row or not row["rated"] or not row["outcome"] or not row["ended_at"]:
            continue
        for seat, each in enumerate(row["seats"]):
            winners = row["outcome"]["winners"]
            how = "won" if seat in winners else "lost" if winners else "drawn"
            counted[row["game"], each["player"], how] += 1
    in_ratings: Counter[tuple[str, str, str]] = Counter()
    for key, value in history.projected.items():
        if key.startswith("{ct:r:") and key.endswith(":standings:2"):
            game = key.removeprefix("{ct:r:").partition("}")[0]
            for player, raw in value.items():
                standing = msgspec.json.decode(raw)
                in_ratings.update({(game, player, how): standing.get(how, 0) for how in ("won", "drawn", "lost")})
    for name in sorted(counted.keys() | in_ratings.keys()):
        if counted[name] != in_ratings[name]:
            game, player, how = name
            words = f"{player} has {how} {counted[name]} matches of {game}, but the ratings say {in_ratings[name]}"
            yield Violation("ratings", "", None, words)


# -- notifications --------------------------------------------------------------------------------------------------


class Delivery(NamedTuple):
    """One notice to its player on one channel."""

    record: MatchRecord
    notice: Notice
    channel: Channel

    @property
    def name(self) -> str:
        """The name, unique among the match's deliveries."""
        return f"{self.channel}:{self.notice.kind}:{self.notice.ply}:{self.notice.player}"

    @property
    def id(self) -> str:
        """The id in its email or call."""
        return hashlib.sha256(f"{self.record.id}:{self.name}".encode()).hexdigest()[:32]

    @property
    def series(self) -> tuple[str, Channel, str, str]:
        """The key of the deliveries that share a rate limit."""
        return self.record.id, self.channel, self.notice.kind, self.notice.player


def deliveries(history: History) -> Iterator[Delivery]:
    """Yield all deliveries that were due."""
    for record in history.matches:
        yield from deliveries_of_match(record)


def deliveries_of_match(record: MatchRecord) -> Iterator[Delivery]:
    """Return all deliveries that were due for a match."""
    return (Delivery(record, notice, channel) for notice in record.notices for channel in CHANNELS)


def notified(history: History) -> Iterator[Violation]:
    """Every delivery matches the log, goes to the right player, and is made once."""
    known = {each.id: each for each in deliveries(history)}
    readers = {each.player: each for each in history.readers}
    times: dict[str, list[float]] = defaultdict(list)
    for taken in history.taken:
        delivery = known.get(taken.id)
        if delivery is None:
            yield Violation("notified", "", None, f"a {taken.channel} to {taken.to} is about nothing that happened")
            continue
        times[taken.id].append(taken.at)
        for words in delivery_faults(taken, delivery, readers.get(delivery.notice.player)):
            yield Violation("notified", delivery.record.id, delivery.notice.ply, f"{delivery.name} {words}")
    for id, each in times.items():
        for before, _ in pairwise(sorted(each)):
            if not any(harm.began < before + RECORDING_SECONDS and harm.ended > before - 1 for harm in history.harms):
                words = f"{known[id].name} was delivered twice without a fault"
                yield Violation("notified", known[id].record.id, known[id].notice.ply, words)


def delivery_faults(taken: TakenDelivery, delivery: Delivery, reader: Reader | None) -> Iterator[str]:
    """Yield what is wrong with an email or a call."""
    notice = delivery.notice
    if reader is None or taken.channel != delivery.channel:
        yield "went to a player who had not asked for it"
        return
    if taken.to != (reader.address if taken.channel == "mail" else reader.hook):
        yield f"went to {taken.to}"
    if notice.until is not None and taken.at > notice.until + PROMISED_SECONDS:
        yield "was sent long after it had passed"
    if taken.channel == "mail":
        if f"/matches/{delivery.record.id}" not in taken.body:
            yield "does not link to the match"
        return
    data = msgspec.json.decode(taken.body)["data"]
    if (data["match"], data["player"], data["brought_by"]) != (delivery.record.id, notice.player, notice.ply):
        yield "has the wrong content"
    if not notice.first <= data["ply"] < (notice.last or data["ply"] + 1):
        yield f"had already passed at ply {data['ply']}, which the call shows"
    signed = f"{taken.id}.{taken.stamp}.{taken.body}".encode()
    code = hmac.new(b64decode(reader.secret.removeprefix("whsec_")), signed, "sha256").digest()
    if taken.signature != f"v1,{b64encode(code).decode()}":
        yield "is not signed by the service"


def agenda(history: History) -> Iterator[Violation]:
    """At the end the outbox has what is current and not delivered, and all recorded deliveries were made."""
    taken = {each.id for each in history.taken}
    readers = {each.player: each for each in history.readers}
    for record in history.matches:
        every = {each.name: each for each in deliveries_of_match(record)}
        standing = {name for name, each in every.items() if each.notice.last is None}
        owed = standing - record.told.keys()
        if set(record.owed) != owed:
            names = ", ".join(sorted(owed ^ set(record.owed)))
            yield Violation("agenda", record.id, None, f"the outbox wrongly has or lacks {names}")
        for name, outcome in record.told.items():
            each = every.get(name)
            if each is None:
                yield Violation("agenda", record.id, None, f"{name} is recorded but was never due")
            elif outcome is None and is_wanted(each, readers) and (each.channel, each.notice.kind) != ("mail", "over"):
                yield Violation("agenda", record.id, None, f"{name} was dropped although its player wanted it")
            elif outcome in ("sent", "answered 204") and each.id not in taken:
                yield Violation("agenda", record.id, None, f"{name} is recorded as delivered but was not received")


def is_wanted(delivery: Delivery, readers: Mapping[str, Reader]) -> bool:
    """Return whether the player had asked for this channel when the notice came up."""
    reader = readers.get(delivery.notice.player)
    return reader is not None and delivery.notice.at >= reader.since[delivery.channel]


def notified_in_time(history: History, promised: float) -> Iterator[Violation]:
    """Every wanted notice was delivered within the promised time, not counting outages, nor the time in which its
    worker delivered older notices."""
    readers = {each.player: each for each in history.readers}
    heard: dict[str, float] = {}
    for taken in sorted(history.taken, key=lambda each: each.at, reverse=True):
        heard[taken.id] = taken.at
    older = {channel: backlog(history, heard, channel) for channel in CHANNELS}
    made = Counter(each.series for each in deliveries(history) if each.id in heard)
    for each in deliveries(history):
        notice, recorded = each.notice, each.record.told.get(each.name, "")
        if not is_wanted(each, readers) or recorded is None or recorded.startswith("told with"):
            continue
        freely = HOURLY_ALLOWANCE[each.channel, "turn" if notice.kind == "turn" else "other"]
        done = min(heard.get(each.id, history.ended), notice.until or history.ended)
        if made[each.series] >= freely or may_be_delayed(history.harms, each.channel, notice.since, done):
            continue
        since = max(notice.since, worked_off(older[each.channel], notice.since, done))
        waited = done - since - outage_within(history.harms, since, done)
        if waited > promised:
            yield Violation("notified in time", each.record.id, notice.ply, f"{each.name} waited {waited:.1f} s")


def backlog(history: History, heard: Mapping[str, float], channel: Channel) -> list[tuple[float, float]]:
    """Return when each notice delivered through a channel came up, and when it was delivered, in order."""
    made = (each for each in deliveries(history) if each.channel == channel and each.id in heard)
    return sorted((each.notice.since, heard[each.id]) for each in made)


def worked_off(made: Iterable[tuple[float, float]], since: float, done: float) -> float:
    """Return when the last delivery of an older notice was made before `done`, or 0 if there is none.

    A worker makes deliveries one after another, so a busy machine delays a notice by the older ones. A notice that is
    overtaken by newer ones has no such excuse.
    """
    return max((at for began, at in made if began < since and at < done), default=0.0)


def may_be_delayed(harms: Iterable[Fault], channel: Channel, since: float, done: float) -> bool:
    """Return whether a delay is excused: the receiver refused deliveries, or the clock was set back."""
    names = {"clock back", "mail refused" if channel == "mail" else "calls refused"}
    return any(harm.name in names and harm.began < done and harm.ended > since for harm in harms)


def audited(history: History) -> Iterator[Violation]:
    """Every finished match was audited without errors."""
    for record in history.matches:
        if record.over and record.verdict != "ok":
            yield Violation("audited", record.id, len(record.lines), f"its verdict is {record.verdict or 'missing'}")


def done_in_time(history: History, promised: float) -> Iterator[Violation]:
    """Every bot's turn, deadline and audit was handled within the promised time, not counting outages."""
    for record in history.matches:
        for wait in record.waits:
            done = history.ended if wait.done is None else wait.done
            waited = done - wait.since - outage_within(history.harms, wait.since, done)
            if waited > promised:
                still = " and is still waiting" if wait.done is None else ""
                words = f"the {wait.kind} after ply {wait.ply} waited {waited:.1f} s{still}"
                yield Violation("in time", record.id, wait.ply, words)


RULES: tuple[Rule, ...] = (
    *(acknowledged, created, opened, once, repeated, order, fresh, shown, answers),
    *(renewed, went_on, whole),
    *(sequence, chain, commands, orders, feed),
    *(projections, ratings, audited),
    *(notified, agenda),
)


# -- helpers --------------------------------------------------------------------------------------------------------


def by_id(history: History) -> dict[str, MatchRecord]:
    """Return the matches by id."""
    return {record.id: record for record in history.matches}


def grouped(ops: Iterable[Request]) -> dict[str, list[Request]]:
    """Return the requests by match."""
    found: dict[str, list[Request]] = defaultdict(list)
    for op in ops:
        found[op.match].append(op)
    return found


def request_times(ops: Iterable[Request], by_head: bool = False) -> list[tuple[float, bool, int]]:
    """Return the sorted times of requests (False) and answers (True) with their plies; requests first at a tie."""
    found = []
    for op in ops:
        ply = op.head_ply if by_head else op.ply
        assert ply is not None
        found += [(op.began, False, ply), (op.ended, True, ply)]
    return sorted(found)


def event_at(record: MatchRecord | None, ply: int | None) -> Any:
    """Return the event at a ply, or None."""
    if record is None or ply is None or not 1 <= ply <= len(record.lines):
        return None
    return msgspec.json.decode(record.lines[ply - 1])


def moves_of_person(record: MatchRecord, seat: int) -> Iterator[dict[str, Any]]:
    """Yield the moves at a person's seat, without those made by the service: timeouts, substitute bots, orders."""
    own: set[int] = set()
    for name, value in record.commands.items():
        first, last = map(int, value.split(":")[:2])
        before = first - 1
        if name in (command_id("clock", f"expire-{before}"), command_id(f"bot:{record.id}:{seat}", f"turn-{before}")):
            own.update(range(first, last + 1))
    for event in record.events():
        if event["kind"] == "moved" and event["seat"] == seat and event["ply"] not in own and "cause" not in event:
            yield event


def outage_within(harms: Iterable[Fault], since: float, until: float) -> float:
    """Return how many seconds of this period were outages."""
    spans = sorted((max(harm.began, since), min(harm.ended, until)) for harm in harms if harm.outage)
    total, reached = 0.0, since
    for began, ended in spans:
        if ended > max(began, reached):
            total += ended - max(began, reached)
            reached = ended
    return total


def command_id(author: str, key: str) -> str:
    """Return the id under which a command is stored."""
    return hashlib.sha256(canonical([author, key])).hexdigest()


def sha256(text: str) -> str:
    """Return the SHA-256 of a text in hex."""
    return hashlib.sha256(text.encode()).hexdigest()


def canonical(value: Any) -> bytes:
    """Return the value as canonical JSON."""
    return msgspec.json.encode(value, order="sorted")
