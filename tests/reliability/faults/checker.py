"""What is wrong with a run: pure functions over its history. None of them asks the service's own code.

Each rule is a promise. Since every answer tells its ply and every event stands at one, checking for linearizability
needs no search: within a match the plies must agree with the order of the requests.
"""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from typing import Any, NamedTuple

import msgspec

from tests.reliability.faults.history import FeedEntry, Harm, History, MatchRecord, Op

PROMISED_SECONDS = 30.0
"""How long a bot's turn, a deadline that has passed or an audit may take, not counting the time of outages."""
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
    return found + list(kept_in_time(history, promised))


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
    asked: dict[tuple[str, int], list[Op]] = defaultdict(list)
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
        for _, is_answer, ply in moments(ops):
            if is_answer:
                newest = max(newest, ply)
            elif ply <= newest:
                yield Violation("order", match, ply, f"it was asked for after event {newest} had been acknowledged")


def fresh(history: History) -> Iterator[Violation]:
    """Nobody is shown less of a match than somebody had been told before he asked."""
    for match, ops in grouped(op for op in history.ops if op.done and op.head_ply is not None).items():
        newest = 0
        for _, is_answer, ply in moments(ops, by_head=True):
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
    for record in history.matches:
        owners: Counter[int] = Counter()
        for value in record.commands.values():
            first, last = map(int, value.split(":")[:2])
            owners.update(range(first, last + 1))
        for ply in range(1, max([len(record.lines), *owners], default=0) + 1):
            if owners[ply] != 1 or ply > len(record.lines):
                yield Violation("commands", record.id, ply, f"an event of {owners[ply]} commands")
        yield from by_nobody(record, keys[record.id])


def by_nobody(record: MatchRecord, keys: set[str]) -> Iterator[Violation]:
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
        }
        if name not in own:
            yield Violation("commands", record.id, first, f"{event['kind']} by a command that nobody should have sent")


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
    *(sequence, chain, commands, feed),
    *(projections, audited),
)


# -- small parts ----------------------------------------------------------------------------------------------------


def by_id(history: History) -> dict[str, MatchRecord]:
    """The matches by their ids."""
    return {record.id: record for record in history.matches}


def grouped(ops: Iterable[Op]) -> dict[str, list[Op]]:
    """The requests by their matches."""
    found: dict[str, list[Op]] = defaultdict(list)
    for op in ops:
        found[op.match].append(op)
    return found


def moments(ops: Iterable[Op], by_head: bool = False) -> list[tuple[float, bool, int]]:
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
    """The moves at a person's seat without those that the service makes there: an expiry's, and a stand-in's."""
    own: set[int] = set()
    for name, value in record.commands.items():
        first, last = map(int, value.split(":")[:2])
        behind = first - 1
        if name in (command_id("clock", f"expire-{behind}"), command_id(f"bot:{record.id}:{seat}", f"turn-{behind}")):
            own.update(range(first, last + 1))
    for event in record.events():
        if event["kind"] == "moved" and event["seat"] == seat and event["ply"] not in own:
            yield event


def outage_within(harms: Iterable[Harm], since: float, until: float) -> float:
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
