"""Mutants that the checker must catch, with the rules that must catch each: otherwise the checker proves nothing.

`PLANTED` are bugs planted in the running service (see `planted`), each with the faults that trigger it. `RECORDED` are
changes to the record of a correct run.
"""

import hashlib
from collections.abc import Callable, Iterable, Mapping
from random import Random
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from tests.reliability.faults.checker import (
    FAILOVER_SECONDS,
    GENESIS,
    LOSSES,
    RENEWAL,
    canonical,
    check,
    command_id,
    deliveries,
    event_at,
)
from tests.reliability.faults.history import (
    Fault,
    FeedEntry,
    History,
    MatchRecord,
    Orders,
    Request,
    TakenDelivery,
    Wait,
)


class PlantExpectation(NamedTuple):
    """The faults that trigger a plant, the duration of the run, and the rules, at least one of which must catch it."""

    harms: tuple[str, ...]
    rules: frozenset[str]
    seconds: float
    promised: float


def expect(*rules: str, harms: tuple[str, ...] = (), seconds: float = 10.0, promised: float = 10.0) -> PlantExpectation:
    """Return the expectation that one of these rules catches a plant."""
    return PlantExpectation(harms, frozenset(rules), seconds, promised)


PLANTED: dict[str, PlantExpectation] = {
    "duplicate_on_retry": expect("once", harms=("lose replies",)),
    "payload_not_compared": expect("repeated", seconds=14),
    "no_equality_check": expect("sequence", "chain", "acknowledged"),
    "lost_announcement": expect("feed"),
    "half_a_command": expect("commands", "feed", seconds=14),
    "everysec_called_durable": expect("acknowledged", "created", "shown", "feed", harms=("power cut",)),
    "acknowledged_before_appended": expect("fresh", "order", "acknowledged"),
    "unknown_called_done": expect("acknowledged", "created", harms=("memory full", "kill log")),
    "wrong_link": expect("chain", "whole"),
    "stale_cache": expect("fresh"),
    "time_runs_backwards": expect("sequence", harms=("clock back",)),
    "skipped_position": expect("projections"),
    "lost_bot_turns": expect("in time"),
    "no_reconciler": expect("in time", harms=("pause bot worker", "flush queue"), seconds=20, promised=20),
    "dropped_deadlines": expect("in time", harms=("clock forward",)),
    "deadline_lost_with_its_worker": expect("in time", harms=("kill deadline worker",), seconds=4, promised=20),
    "dropped_audits": expect("audited", seconds=14),
    "job_that_acts_twice": expect("commands"),
    "lost_deliveries": expect("notified in time", "agenda", promised=10),
    "delivered_but_not_recorded": expect("notified", "agenda"),
    "recorded_but_not_delivered": expect("notified in time", "agenda"),
    "orders_not_followed": expect("orders", seconds=14),
    "order_under_a_new_key": expect("commands", seconds=14),
    "lost_result": expect("ratings", seconds=14),
}


# -- mutants of the record -------------------------------------------------------------------------------------------


def any_move(history: History) -> Request:
    """Return an acknowledged move."""
    return next(op for op in history.ops if op.kind == "move" and op.done)


def last_move(history: History) -> Request:
    """Return an acknowledged move in the last append of its match."""
    ends = {entry.match: entry.first for entry in history.feed}
    return next(op for op in history.ops if op.kind == "move" and op.done and op.ply == ends[op.match])


def with_record(history: History, match: str, change: Callable[[MatchRecord], MatchRecord]) -> History:
    """Return the history with the record of one match changed."""
    return replace(
        history, matches=tuple(change(record) if record.id == match else record for record in history.matches)
    )


def with_request(history: History, op: Request, other: Request) -> History:
    """Return the history with one request replaced."""
    return replace(history, ops=tuple(other if each is op else each for each in history.ops))


def with_line(record: MatchRecord, ply: int, changes: Mapping[str, Any]) -> MatchRecord:
    """Return the record with a changed event at a ply; its hash stays the same."""
    event = {**msgspec.json.decode(record.lines[ply - 1]), **changes}
    lines = list(record.lines)
    lines[ply - 1] = canonical(event).decode()
    return replace(record, lines=tuple(lines))


def with_event(record: MatchRecord, changes: Mapping[str, Any]) -> MatchRecord:
    """Return the record with one more event, a changed copy of the last one, correctly chained."""
    last = msgspec.json.decode(record.lines[-1])
    body = {**last, "ply": len(record.lines) + 1, **changes}
    body = {name: value for name, value in body.items() if name not in ("prev", "hash")}
    sealed = hashlib.sha256(str(last["hash"]).encode() + canonical(body)).hexdigest()
    line = canonical({**body, "prev": last["hash"], "hash": sealed}).decode()
    return replace(record, ids=(*record.ids, f"{len(record.lines) + 1}-0"), lines=(*record.lines, line))


def retry_doubled(history: History) -> History:
    """A retry appended the move again, and the feed announces both."""
    op = last_move(history)

    def change(record: MatchRecord) -> MatchRecord:
        more = with_event(record, {**event_at(record, op.ply), "ply": len(record.lines) + 1})
        return replace(more, commands={**record.commands, "again": f"{len(more.lines)}:{len(more.lines)}:x"})

    length = next(len(record.lines) for record in history.matches if record.id == op.match)
    longer = (replace(e, last=e.last + 1) if (e.match, e.last) == (op.match, length) else e for e in history.feed)
    return with_record(replace(history, feed=tuple(longer), witnessed=()), op.match, change)


def two_at_one_ply(history: History) -> History:
    """Two writers that had read the same ply both appended."""
    op = any_move(history)
    assert op.ply is not None
    before = event_at(next(r for r in history.matches if r.id == op.match), op.ply - 1)
    return with_record(
        history, op.match, lambda r: with_line(r, op.ply or 0, {"ply": before["ply"], "prev": before["prev"]})
    )


def end_lost(history: History) -> History:
    """The last, acknowledged move of a match is lost, together with its announcement and command."""
    op = last_move(history)
    assert op.ply is not None
    left = op.ply - 1

    def change(record: MatchRecord) -> MatchRecord:
        kept = {name: value for name, value in record.commands.items() if not value.startswith(f"{op.ply}:")}
        return replace(record, ids=record.ids[:left], lines=record.lines[:left], commands=kept)

    feed = renumbered(entry for entry in history.feed if (entry.match, entry.first) != (op.match, op.ply))
    return with_record(replace(history, feed=feed, witnessed=()), op.match, change)


def renumbered(feed: Iterable[FeedEntry]) -> tuple[FeedEntry, ...]:
    """Return the feed with consecutive positions."""
    counts: dict[int, int] = {}
    found = []
    for entry in feed:
        counts[entry.shard] = counts.get(entry.shard, 0) + 1
        found.append(replace(entry, position=counts[entry.shard]))
    return tuple(found)


def any_opening(history: History) -> Request:
    """Return an acknowledged opening of a share."""
    return next(op for op in history.ops if op.kind == "open" and op.done)


def opening_lost(history: History) -> History:
    """An opening was acknowledged and then never appended."""
    op = any_opening(history)
    return replace(history, ops=(*history.ops, replace(op, ply=100_000, head_ply=None)))


def share_swapped(history: History) -> History:
    """The log has a different share from the one that was opened."""
    op = any_opening(history)
    return with_record(history, op.match, lambda record: with_line(record, op.ply or 0, {"share": "ab" * 32}))


def started_without_shares(history: History) -> History:
    """A sealed match started without the shares of its players."""
    ids = {op.match for op in history.ops if op.kind == "open" and op.done}
    match, ply, shares = next(
        (record.id, event["ply"], event["shares"])
        for record in history.matches
        for event in record.events()
        if record.id in ids and event["kind"] == "started"
    )
    return with_record(history, match, lambda record: with_line(record, ply, {"shares": [None] * len(shares)}))


def cancelled_too_early(history: History) -> History:
    """A sealed match was cancelled although its players could still open their shares."""
    match, ply, at = next(
        (record.id, event["ply"], record.events()[event["ply"] - 2]["at"])
        for record in history.matches
        for event in record.events()
        if event["kind"] == "cancelled" and event.get("reason") == "not_opened"
    )
    return with_record(history, match, lambda record: with_line(record, ply, {"at": at}))


def match_lost(history: History) -> History:
    """A whole match is lost."""
    gone = next(op.match for op in history.ops if op.kind == "create" and op.done)
    return replace(
        history,
        matches=tuple(record for record in history.matches if record.id != gone),
        feed=renumbered(entry for entry in history.feed if entry.match != gone),
        witnessed=(),
    )


def announcement_lost(history: History) -> History:
    """An append was never announced, though the positions have no gap."""
    gone = history.feed[len(history.feed) // 2]
    return replace(history, feed=renumbered(entry for entry in history.feed if entry is not gone), witnessed=())


def announced_twice(history: History) -> History:
    """An append was announced twice."""
    again = history.feed[len(history.feed) // 2]
    twice = [each for entry in history.feed for each in ((entry, entry) if entry is again else (entry,))]
    return replace(history, feed=renumbered(twice), witnessed=())


def position_skipped(history: History) -> History:
    """The feed has a gap."""
    last = history.feed[-1]
    return replace(history, feed=(*history.feed[:-1], replace(last, position=last.position + 1)), witnessed=())


def announcement_forgotten(history: History) -> History:
    """An announcement that was read in the feed has been replaced by another."""
    seen = history.witnessed[-1]
    return replace(history, witnessed=(*history.witnessed[:-1], replace(seen, last=seen.last + 1)))


def wrong_prev(history: History) -> History:
    """An event has the wrong hash of the event before it."""
    op = any_move(history)
    return with_record(history, op.match, lambda record: with_line(record, op.ply or 0, {"prev": GENESIS}))


def rotten_bit(history: History) -> History:
    """A fact was silently changed on the disk."""
    op = any_move(history)
    return with_record(history, op.match, lambda record: with_line(record, op.ply or 0, {"facts": []}))


def event_missing(history: History) -> History:
    """An event in the middle is lost."""
    op = any_move(history)
    assert op.ply is not None
    at = op.ply - 1

    def change(record: MatchRecord) -> MatchRecord:
        return replace(
            record, ids=record.ids[:at] + record.ids[at + 1 :], lines=record.lines[:at] + record.lines[at + 1 :]
        )

    return with_record(history, op.match, change)


def time_back(history: History) -> History:
    """An event is older than the one before it."""
    op = any_move(history)
    return with_record(
        history, op.match, lambda record: with_line(record, op.ply or 0, {"at": "2000-01-01T00:00:00.000000Z"})
    )


def time_is_none(history: History) -> History:
    """Bit rot made the time of an event invalid."""
    op = any_move(history)
    return with_record(
        history, op.match, lambda record: with_line(record, op.ply or 0, {"at": "2026-13-01T00:00:00.000000Z"})
    )


def other_move(history: History) -> History:
    """The log has a different move from the acknowledged one."""
    op = any_move(history)
    return with_request(history, op, replace(op, move={"type": "something else"}))


def replaced_by_torn_append(history: History) -> History:
    """A torn append took effect later, and took the place of an acknowledged move."""
    op = any_move(history)
    assert op.ply is not None
    ply = op.ply

    def change(record: MatchRecord) -> MatchRecord:
        before = replace(record, ids=record.ids[: ply - 1], lines=record.lines[: ply - 1])
        torn = with_event(before, {**event_at(record, ply), "move": {"type": "torn"}})
        return replace(
            torn,
            ids=(*torn.ids, *record.ids[ply:]),
            lines=(*torn.lines, *record.lines[ply:]),
        )

    return with_record(history, op.match, change)


def match_damaged(history: History) -> History:
    """A match that a player has moved in accepts no moves anymore."""
    return with_record(history, any_move(history).match, lambda record: replace(record, damaged=True))


def damage_reported(history: History) -> History:
    """A match is reported to a player as damaged."""
    op = next(op for op in history.ops if op.kind == "look" and op.done)
    return with_request(history, op, replace(op, status=503, code="log_damaged", head_ply=None, head=None))


def quiet_move(history: History) -> Request:
    """Return a move that was answered on the first attempt, while there were no faults."""
    return next(
        op
        for op in history.ops
        if op.kind == "move"
        and op.status is not None
        and op.tries == 1
        and not any(harm.began < op.ended and harm.ended > op.began for harm in history.harms)
    )


def in_a_renewal(history: History, change: Callable[[Request], Request]) -> History:
    """Return the history with one changed move, and a renewal at that time."""
    op = quiet_move(history)
    harms = (*history.harms, Fault(RENEWAL, op.began, op.ended, False))
    return with_request(replace(history, harms=harms), op, change(op))


def failed_in_a_renewal(history: History) -> History:
    """A move got an error during a renewal, and succeeded when it was sent again."""
    return in_a_renewal(history, lambda op: replace(op, tries=2))


def unanswered_in_a_renewal(history: History) -> History:
    """A move got no answer during a renewal."""
    return in_a_renewal(history, lambda op: replace(op, status=None))


def waited_for_a_failover(history: History) -> History:
    """A move got its answer too late after one of three log servers was lost."""
    op = quiet_move(history)
    harms = (*history.harms, Fault(LOSSES[0], op.began, op.began + FAILOVER_SECONDS, True))
    later = replace(op, ended=op.began + FAILOVER_SECONDS + 0.5)
    return with_request(replace(history, harms=harms), op, later)


def unanswered_after_a_loss(history: History) -> History:
    """A move got no answer at all after one of three log servers was lost."""
    op = quiet_move(history)
    harms = (*history.harms, Fault(LOSSES[1], op.began - 1, op.ended, True))
    unanswered = replace(op, status=None, ended=op.began + FAILOVER_SECONDS + 1)
    return with_request(replace(history, harms=harms), op, unanswered)


def acknowledged_and_dropped(history: History) -> History:
    """A move was acknowledged and then never appended."""
    op = any_move(history)
    return replace(history, ops=(*history.ops, replace(op, ply=100_000, head_ply=None)))


def accepted_after_expiry(history: History) -> History:
    """A late move was appended again, right after the timeout that had answered it."""
    op = last_move(history)
    length = next(len(record.lines) for record in history.matches if record.id == op.match)

    def change(record: MatchRecord) -> MatchRecord:
        up = with_event(record, {"kind": "expired", "seat": op.seat})
        more = with_event(up, {**event_at(record, op.ply), "ply": length + 2})
        clock = command_id("clock", f"expire-{length}")
        late = {clock: f"{length + 1}:{length + 1}:x", "late": f"{length + 2}:{length + 2}:x"}
        return replace(more, commands={**record.commands, **late})

    longer = (replace(e, last=e.last + 2) if (e.match, e.last) == (op.match, length) else e for e in history.feed)
    return with_record(replace(history, feed=tuple(longer), witnessed=()), op.match, change)


def refused_and_done(history: History) -> History:
    """A move was refused but carried out."""
    op = any_move(history)
    return with_request(history, op, replace(op, status=409, ply=None, head_ply=None))


def same_event_twice(history: History) -> History:
    """Two requests were acknowledged with the same event."""
    op = any_move(history)
    return replace(history, ops=(*history.ops, replace(op, key="another")))


def repeated_elsewhere(history: History) -> History:
    """A repeated request was acknowledged with a different event."""
    op = any_move(history)
    return replace(history, ops=(*history.ops, replace(op, kind="repeat", ply=(op.ply or 0) + 1, head_ply=None)))


def key_reused(history: History) -> History:
    """A different request with a used key was accepted."""
    op = any_move(history)
    return replace(history, ops=(*history.ops, replace(op, kind="reuse", head_ply=None)))


def answered_too_early(history: History) -> History:
    """A move comes before one that had been acknowledged when it was requested."""
    op = any_move(history)
    later = next(
        each for each in history.ops if each.match == op.match and each.done and (each.ply or 0) > (op.ply or 0)
    )
    return with_request(history, op, replace(op, began=later.ended + 1, ended=later.ended + 2, head_ply=None))


def old_position_shown(history: History) -> History:
    """A match was shown from a stale cache."""
    op = any_move(history)
    looks = (e for e in history.ops if e.kind == "look" and e.match == op.match and e.done and e.began > op.ended)
    look = next(looks)
    record = next(record for record in history.matches if record.id == op.match)
    before = (op.ply or 0) - 1
    return with_request(history, look, replace(look, head_ply=before, head=event_at(record, before)["hash"]))


def wrong_position_shown(history: History) -> History:
    """A position was shown that the match never had."""
    look = next(op for op in history.ops if op.kind == "look" and op.done)
    return with_request(history, look, replace(look, head=GENESIS))


def job_ran_twice(history: History) -> History:
    """A job acted again with a new command."""
    match, ply = next(
        (record, ply)
        for record in history.matches
        for ply, line in enumerate(record.lines, 1)
        if is_move_of(line, record.bots)
    )

    def change(record: MatchRecord) -> MatchRecord:
        owner = next(name for name, value in record.commands.items() if value.startswith(f"{ply}:"))
        others = {("f" * 64 if name == owner else name): value for name, value in record.commands.items()}
        return replace(record, commands=others)

    return with_record(history, match.id, change)


def is_move_of(line: str, seats: tuple[int, ...]) -> bool:
    """Return whether the line is a move of one of these seats."""
    event = msgspec.json.decode(line)
    return event["kind"] == "moved" and event["seat"] in seats


def event_without_command(history: History) -> History:
    """An event belongs to no command, so a retry would append another."""
    op = any_move(history)

    def change(record: MatchRecord) -> MatchRecord:
        kept = {name: value for name, value in record.commands.items() if not value.startswith(f"{op.ply}:")}
        return replace(record, commands=kept)

    return with_record(history, op.match, change)


def ply_skipped_in_lists(history: History) -> History:
    """The lists missed the last ply of a match."""
    record = history.matches[0]
    return with_record(history, record.id, lambda r: replace(r, row={**r.row, "ply": r.row["ply"] - 1}))


def list_differs(history: History) -> History:
    """A list does not match the feeds."""
    key = next(iter(history.projected))
    return replace(history, projected={**history.projected, key: None})


def checkpoint_ahead(history: History) -> History:
    """The checkpoint of the lists is ahead of the feed."""
    shard = history.feed[0].shard
    return replace(history, checkpoints={**history.checkpoints, shard: history.checkpoints[shard] + 1})


def with_wait(history: History, wait: Wait) -> History:
    """Return the history with one more wait."""
    record = history.matches[0]
    return with_record(history, record.id, lambda r: replace(r, waits=(*r.waits, wait)))


def bot_turn_lost(history: History) -> History:
    """A bot never moved."""
    return with_wait(history, Wait("bot", 5, history.began - 1000, None))


def deadline_dropped(history: History) -> History:
    """A deadline passed, but nothing happened until much later."""
    return with_wait(history, Wait("deadline", 5, history.began - 1000, history.ended))


def audit_late(history: History) -> History:
    """An audit came much too late."""
    return with_wait(history, Wait("audit", 5, history.began - 1000, history.ended))


def any_call(history: History) -> TakenDelivery:
    """Return a webhook call about a turn that is over."""
    passed = {each.id for each in deliveries(history) if each.notice.kind == "turn" and each.notice.last is not None}
    return next(each for each in history.taken if each.channel == "webhook" and each.id in passed)


def with_call(history: History, before: TakenDelivery, after: TakenDelivery) -> History:
    """Return the history with one call replaced."""
    return replace(history, taken=tuple(after if each is before else each for each in history.taken))


def called_twice(history: History) -> History:
    """A call was made twice, although there were no faults."""
    call = any_call(history)
    return replace(history, harms=(), taken=(*history.taken, replace(call, at=call.at + 1)))


def call_about_nothing(history: History) -> History:
    """A call is about something that never happened."""
    call = any_call(history)
    return with_call(history, call, replace(call, id="f" * 32))


def call_to_another_player(history: History) -> History:
    """A call went to another player's webhook."""
    call = any_call(history)
    return with_call(history, call, replace(call, to=f"{call.to}-and-another"))


def call_about_the_past(history: History) -> History:
    """A call announces a turn but shows a ply at which it was already over."""
    call = any_call(history)
    of = next(each for each in deliveries(history) if each.id == call.id)
    document = msgspec.json.decode(call.body)
    body = canonical({**document, "data": {**document["data"], "ply": of.notice.last}}).decode()
    return with_call(history, call, replace(call, body=body))


def call_much_too_late(history: History) -> History:
    """A call was made long after its turn was over."""
    call = any_call(history)
    return with_call(history, call, replace(call, at=call.at + 10_000))


def forged(history: History) -> History:
    """A call is not signed with its player's secret."""
    call = any_call(history)
    return with_call(history, call, replace(call, signature=call.signature[:-6] + "AAAAA="))


def never_notified(history: History) -> History:
    """A turn waited for a long time, and its player was never notified."""
    call = any_call(history)
    of = next(each for each in deliveries(history) if each.id == call.id)

    def change(record: MatchRecord) -> MatchRecord:
        long_ago = replace(of.notice, since=history.began - 1000)
        notices = tuple(long_ago if each is of.notice else each for each in record.notices)
        return replace(record, notices=notices, told={n: each for n, each in record.told.items() if n != of.name})

    left = tuple(each for each in history.taken if each.id != call.id)
    return with_record(replace(history, harms=(), taken=left), of.record.id, change)


def notice_lost(history: History) -> History:
    """A current notice was neither delivered nor in the outbox."""
    of = next(each for each in deliveries(history) if each.notice.last is None)

    def change(record: MatchRecord) -> MatchRecord:
        told = {name: each for name, each in record.told.items() if name != of.name}
        return replace(record, told=told, owed=tuple(name for name in record.owed if name != of.name))

    return with_record(history, of.record.id, change)


def obsolete_delivery_kept(history: History) -> History:
    """The outbox has a delivery that is no longer needed."""
    of = next(each for each in deliveries(history) if each.notice.last is not None)
    return with_record(history, of.record.id, lambda record: replace(record, owed=(*record.owed, of.name)))


def recorded_but_not_called(history: History) -> History:
    """A webhook call is recorded but was never made."""
    gone = next(each.id for each in deliveries(history) if each.record.told.get(each.name) == "answered 204")
    return replace(history, taken=tuple(each for each in history.taken if each.id != gone))


# -- orders and ratings ---------------------------------------------------------------------------------------------


def ordered_move(history: History) -> tuple[MatchRecord, dict[str, Any]]:
    """Return a move made by a standing order, with its match."""
    return next(
        (record, event)
        for record in history.matches
        for event in record.events()
        if event.get("cause", {}).get("kind") == "move"
    )


def order_done_twice(history: History) -> History:
    """An order was carried out twice."""
    match, event = ordered_move(history)
    return with_record(history, match.id, lambda record: with_event(record, {**event, "ply": len(record.lines) + 1}))


def move_not_ordered(history: History) -> History:
    """The server made a move that nobody had ordered."""
    match, _ = ordered_move(history)
    return replace(history, ops=tuple(op for op in history.ops if op.kind != "order" or op.match != match.id))


def order_changed(history: History) -> History:
    """The server made a different move from the ordered one."""
    match, event = ordered_move(history)
    return with_record(history, match.id, lambda record: with_line(record, event["ply"], {"move": {"type": "another"}}))


def last_order(history: History) -> tuple[MatchRecord, Request]:
    """Return the last order for a seat of a running match, with the match."""
    last = {(op.match, op.seat): op for op in history.ops if op.kind == "order"}
    playing = {record.id: record for record in history.matches if not record.over}
    return next(
        (playing[op.match], op)
        for op in last.values()
        if op.match in playing and op.done and op.tries == 1 and op.move["moves"]
    )


def order_forgotten(history: History) -> History:
    """An order disappeared without being carried out or dropped."""
    _, op = last_order(history)
    moves = [{**each, "id": "f" * 12} for each in op.move["moves"]]
    return with_request(history, op, replace(op, move={**op.move, "moves": moves}))


def order_not_checked(history: History) -> History:
    """A match moved on, and its orders were not checked."""
    match, _ = last_order(history)
    orders = Orders(len(match.lines) - 1, {}, {})
    return with_record(history, match.id, lambda record: replace(record, orders=orders))


def standings(history: History) -> tuple[str, dict[str, str]]:
    """Return the standings of a game that has any."""
    return next((key, value) for key, value in history.projected.items() if key.endswith(":standings:2"))


def result_lost(history: History) -> History:
    """A rated result does not count towards one player's rating, not even in the rebuild."""
    key, value = standings(history)
    without = {key: dict(list(value.items())[1:])}
    return replace(history, projected={**history.projected, **without}, derived={**history.derived, **without})


def rating_off(history: History) -> History:
    """A rating does not match the results."""
    key, value = standings(history)
    player, raw = next(iter(value.items()))
    off = {**value, player: canonical({**msgspec.json.decode(raw), "mu": 1234.5}).decode()}
    return replace(history, projected={**history.projected, key: off})


def with_verdict(history: History, found: str | None) -> History:
    """Return the history with a changed verdict on a finished match."""
    match = next(record.id for record in history.matches if record.over)
    return with_record(history, match, lambda record: replace(record, verdict=found))


def audit_dropped(history: History) -> History:
    """A finished match has no verdict."""
    return with_verdict(history, None)


def audit_failed(history: History) -> History:
    """An audit failed."""
    return with_verdict(history, "failed")


def answered_500(history: History) -> History:
    """A request was answered with status 500."""
    op = history.ops[-1]
    return with_request(history, op, replace(op, strange=(500,)))


def traceback(history: History) -> History:
    """A process logged a traceback."""
    return replace(history, complaints=("Traceback (most recent call last):",))


RECORDED: dict[str, tuple[Callable[[History], History], str]] = {
    make.__name__: (make, rule)
    for rule, makes in {
        "acknowledged": (end_lost, other_move, replaced_by_torn_append, acknowledged_and_dropped),
        "created": (match_lost,),
        "opened": (opening_lost, share_swapped, started_without_shares, cancelled_too_early),
        "once": (retry_doubled, accepted_after_expiry, refused_and_done, same_event_twice),
        "repeated": (repeated_elsewhere, key_reused),
        "order": (answered_too_early,),
        "fresh": (old_position_shown,),
        "shown": (wrong_position_shown,),
        "answers": (answered_500, traceback),
        "renewed": (failed_in_a_renewal, unanswered_in_a_renewal),
        "went on": (waited_for_a_failover, unanswered_after_a_loss),
        "whole": (match_damaged, damage_reported),
        "sequence": (two_at_one_ply, event_missing, time_back, time_is_none),
        "chain": (wrong_prev, rotten_bit),
        "commands": (job_ran_twice, event_without_command),
        "orders": (order_done_twice, move_not_ordered, order_changed, order_forgotten, order_not_checked),
        "feed": (announcement_lost, announced_twice, position_skipped, announcement_forgotten),
        "projections": (ply_skipped_in_lists, list_differs, checkpoint_ahead, rating_off),
        "ratings": (result_lost,),
        "in time": (bot_turn_lost, deadline_dropped, audit_late),
        "audited": (audit_dropped, audit_failed),
        "notified": (
            *(called_twice, call_about_nothing, call_to_another_player),
            *(call_about_the_past, call_much_too_late, forged),
        ),
        "agenda": (notice_lost, obsolete_delivery_kept, recorded_but_not_called),
        "notified in time": (never_notified,),
    }.items()
    for make in makes
}


def corrupt_line(history: History, luck: Random) -> tuple[str, History]:
    """Return a description and the history with one log line lost, duplicated, swapped with the next, or altered."""
    record = luck.choice([record for record in history.matches if len(record.lines) > 1])
    at, how = luck.randrange(len(record.lines) - 1), luck.choice(["lost", "duplicated", "swapped", "altered"])
    lines, ids = list(record.lines), list(record.ids)
    if how == "lost":
        del lines[at], ids[at]
    elif how == "duplicated":
        lines.insert(at, lines[at])
        ids.append(f"{len(lines)}-0")
    elif how == "swapped":
        lines[at], lines[at + 1] = lines[at + 1], lines[at]
    else:
        place = luck.randrange(len(lines[at]))
        while not lines[at][place].isdigit():
            place = luck.randrange(len(lines[at]))
        other = str(int(lines[at][place]) % 9 + 1)  # never 0, as no number starts with it
        lines[at] = lines[at][:place] + other + lines[at][place + 1 :]
    altered_record = replace(record, lines=tuple(lines), ids=tuple(ids))
    return f"line {at + 1} of {record.id} {how}", with_record(history, record.id, lambda _: altered_record)


def rules_that_catch(history: History) -> dict[str, list[str]]:
    """Return the rules that caught each recorded mutant that can be made from this history, by name.

    A history may lack what a mutant needs, such as an executed order or a rated result; then run once more.
    """
    found = {}
    for name, (make, _) in RECORDED.items():
        try:
            mutant = make(history)
        except StopIteration:
            continue
        found[name] = sorted({each.rule for each in check(mutant)})
    return found
