"""Faults in replay files with luck protocol 2: what is changed, the rule that it breaks, and the line that breaks it.

`FAULTS` names each fault. Salts, chain, header and closing line are recomputed after the change, so that only the luck
is wrong. `moved_events` drops, doubles and swaps each event in turn.
"""

from collections.abc import Callable, Iterator
from copy import deepcopy
from functools import cache
from typing import Any, NamedTuple

from tests.replays.forge import Entries, Entry
from tests.replays.luck2_files import CLOCK, MATCHES, OPENING_SECONDS, SALTS, as_file, sha256, share

Change = Callable[[Entries], Any]


class Fault(NamedTuple):
    """A change to the events of a match, the rule that it breaks, and the place of the event that is then wrong.

    `at` counts the events of the changed file from 0; -1 is the header.
    """

    match: str
    change: Change
    rule: str
    at: int

    @property
    def raw(self) -> bytes:
        """The file with the fault."""
        events = deepcopy(list(built(self.match)))
        return as_numbered_file(self.change(events) or events)

    @property
    def line(self) -> int:
        """The line of the fault in the file."""
        return self.at + 2


@cache
def built(match: str) -> tuple[Entry, ...]:
    """Return the events of a match."""
    return tuple(MATCHES[match]().events)


def as_numbered_file(events: Entries) -> bytes:
    """Return the file of these events with new plies."""
    for ply, event in enumerate(events, 1):
        event["ply"] = ply
    return as_file(events)


def setting(at: int, **fields: Any) -> Change:
    """Return the change that sets these fields of an event."""

    def change(events: Entries) -> None:
        events[at] |= fields

    return change


def within(at: int, outer: str, **fields: Any) -> Change:
    """Return the change that sets fields inside a field of an event."""

    def change(events: Entries) -> None:
        events[at][outer] = events[at][outer] | fields

    return change


def without(at: int, *names: str) -> Change:
    """Return the change that removes fields of an event."""

    def change(events: Entries) -> None:
        for name in names:
            del events[at][name]

    return change


def without_inner(at: int, outer: str, name: str) -> Change:
    """Return the change that removes a field inside a field of an event."""

    def change(events: Entries) -> None:
        events[at][outer] = {key: value for key, value in events[at][outer].items() if key != name}

    return change


def more(at: int, name: str, **counts: int) -> Change:
    """Return the change that adds uses to the draws of an event."""
    return within(at, name, **{purpose.replace("__", "/"): count for purpose, count in counts.items()})


def dropped(at: int) -> Change:
    """Return the change that removes an event."""

    def change(events: Entries) -> None:
        del events[at]

    return change


def doubled(at: int) -> Change:
    """Return the change that repeats an event."""

    def change(events: Entries) -> None:
        events.insert(at, deepcopy(events[at]))

    return change


def swapped(at: int) -> Change:
    """Return the change that swaps an event with the next one, and their times."""

    def change(events: Entries) -> None:
        one, other = events[at], events[at + 1]
        one["at"], other["at"] = other["at"], one["at"]
        events[at], events[at + 1] = other, one

    return change


def inserted(at: int, match: str, source: int) -> Change:
    """Return the change that inserts an event of a match."""

    def change(events: Entries) -> None:
        extra = deepcopy(built(match)[source])
        extra["at"] = events[at - 1]["at"]
        events.insert(at, extra)

    return change


def another_die(events: Entries) -> None:
    """Change a die."""
    fact = next(fact for event in events for fact in event["facts"] if fact["type"] == "dice_rolled")
    fact["dice"] = [fact["dice"][0] % 6 + 1, *fact["dice"][1:]]


def first_roll(match: str) -> int:
    """Return the place of the first event that rolls dice."""
    return next(n for n, event in enumerate(built(match)) for fact in event["facts"] if fact["type"] == "dice_rolled")


def another_order(events: Entries) -> None:
    """Swap the seats that were drawn."""
    started = next(event for event in events if event["kind"] == "started")
    started["order"] = started["order"][::-1]


def another_share_throughout(events: Entries) -> None:
    """Give one share a different value, with its seal and the start, but not the draws."""
    other, created = share(77), events[0]
    text = f"crumbtrail/share/2|{created['match']}|1|{created['commitment']}|{other}"
    events[2]["seal"], events[3]["share"], events[4]["shares"][1] = sha256(text), other, other
    seals = "-," + sha256(text)
    events[3]["table"] = sha256(f"crumbtrail/table/2|{created['match']}|{created['commitment']}|{seals}")


def zero_share(events: Entries) -> None:
    """Open a share of zeros that fits its seal."""
    zeros, created = 64 * "0", events[0]
    seal = sha256(f"crumbtrail/share/2|{created['match']}|1|{created['commitment']}|{zeros}")
    events[2]["seal"], events[3]["share"] = seal, zeros
    events[3]["table"] = sha256(f"crumbtrail/table/2|{created['match']}|{created['commitment']}|-,{seal}")


def as_protocol_1(events: Entries) -> None:
    """Claim that the match has luck protocol 1."""
    del events[0]["luck"]


def a_day_early(events: Entries) -> None:
    """Cancel because of unopened shares, a second before the deadline."""
    events[-2]["at"] = events[-1]["at"] = "2026-03-04T12:01:29Z"


def too_late(events: Entries) -> None:
    """Open exactly at the deadline, and move all later events after it."""
    for event in events[4:]:
        event["at"] = "2026-03-02T12:01:00Z"


def lost_at(time: str) -> Change:
    """Return the change that loses the share at a different time."""

    def change(events: Entries) -> None:
        events[-2]["at"] = events[-1]["at"] = time

    return change


def with_clock(seconds: int) -> Change:
    """Return the change that gives the match this time per move, and for opening."""

    def change(events: Entries) -> None:
        events[0]["clock"] = CLOCK | {"seconds": seconds}
        if events[0]["luck"]["level"] == "sealed":
            events[0]["luck"] = events[0]["luck"] | {"opening_seconds": seconds}

    return change


S, OTHER = "sealed_level", 64 * "a"
# sealed_level: created, seat_taken, seat_taken, share_opened, share_opened, started, moved ..., ended, seed_revealed
FAULTS: dict[str, Fault] = {
    # luck.protocol
    "no luck in created": Fault("open_level", as_protocol_1, "luck.protocol", 0),
    "the rules version of protocol 1": Fault(S, setting(0, rules_version=1), "luck.protocol", 0),
    "a malformed id": Fault(S, setting(0, match="a|b"), "luck.protocol", 0),
    "a client seed": Fault(S, setting(2, client_seed="none"), "luck.protocol", 2),
    "client seeds at the start": Fault(S, setting(5, client_seeds=["none", "none"]), "luck.protocol", 5),
    "no share": Fault(S, without(1, "share"), "luck.protocol", 1),
    "no seal": Fault(S, without(1, "seal"), "luck.protocol", 1),
    "no shares": Fault(S, without(5, "shares"), "luck.protocol", 5),
    "no draws": Fault(S, without(6, "draws"), "luck.protocol", 6),
    "hidden draws after the end": Fault(S, setting(6, draws=None), "luck.protocol", 6),
    "no salts": Fault(S, without(-1, "salts"), "luck.protocol", 12),
    "a fork with the draws of protocol 1": Fault("fork_with_same_luck", within(0, "fork", draws=3), "luck.protocol", 0),
    "a fork without the uses": Fault("fork_with_same_luck", without_inner(0, "fork", "uses"), "luck.protocol", 0),
    "a fork with too few shares": Fault("fork_with_same_luck", within(0, "fork", shares=[None]), "luck.protocol", 0),
    "a fork with no uses of a purpose": Fault(
        "fork_with_same_luck", within(0, "fork", uses={"cake": 0}), "luck.protocol", 0
    ),
    "a fork with a negative number of uses": Fault(
        "fork_with_same_luck", within(0, "fork", uses={"cake": -1}), "luck.protocol", 0
    ),
    "a fork with more uses than can be counted": Fault(
        "fork_with_same_luck", within(0, "fork", uses={"cake": 1_000_000_001}), "luck.protocol", 0
    ),
    "a fork with new luck and old shares": Fault(
        "fork_with_new_luck", within(0, "fork", shares=[None, None]), "luck.protocol", 0
    ),
    # luck.level
    "rated but open": Fault("open_level", setting(0, rated=True), "luck.level", 0),
    "given at a different level": Fault("open_level", setting(0, given=True), "luck.level", 0),
    "called given": Fault("without_seals", within(0, "luck", level="given", opening_seconds=None), "luck.level", 0),
    "a different time for opening": Fault(S, within(0, "luck", opening_seconds=86_401), "luck.level", 0),
    "not the default time without a clock": Fault(
        "half_sealed", within(0, "luck", opening_seconds=OPENING_SECONDS + 1), "luck.level", 0
    ),
    "more time for opening than any clock has": Fault(S, with_clock(5_184_001), "luck.level", 0),
    "time for opening beyond the last year": Fault(S, with_clock(10**12), "luck.level", 0),
    "more time for opening than a number can hold": Fault(S, with_clock(2**53 - 1), "luck.level", 0),
    "a clock beyond the last year in an open match": Fault("open_level", with_clock(10**12), "luck.level", 0),
    "a time for opening in an open match": Fault("open_level", within(0, "luck", opening_seconds=1), "luck.level", 0),
    "a share in a sealed match": Fault(S, setting(1, share=share(0)), "luck.level", 1),
    "a seal in an open match": Fault("open_level", setting(3, seal=OTHER), "luck.level", 3),
    "a share with a given seed": Fault("given_level", setting(1, share=share(0)), "luck.level", 1),
    "a bot's share": Fault("against_a_bot", setting(1, share=share(0)), "luck.level", 1),
    "a share in a fork with the same luck": Fault("fork_with_same_luck", setting(1, share=share(0)), "luck.level", 1),
    "a share of zeros": Fault("open_level", setting(3, share=64 * "0"), "luck.level", 3),
    "a share in capitals": Fault("open_level", setting(3, share=64 * "A"), "luck.level", 3),
    "a short seal": Fault(S, setting(1, seal="abc"), "luck.level", 1),
    "two seals in one": Fault(S, setting(1, seal=f"{OTHER},{OTHER}"), "luck.level", 1),
    "an empty seal": Fault(S, setting(1, seal=""), "luck.level", 1),
    "a seal that no hash can have": Fault(S, setting(1, seal="-"), "luck.level", 1),
    # luck.commitment
    "another commitment": Fault("open_level", setting(0, commitment=OTHER), "luck.commitment", 12),
    "a malformed commitment": Fault(S, setting(0, commitment="x"), "luck.commitment", 0),
    "another seed": Fault(S, setting(-1, seed=SALTS.hex()), "luck.commitment", 12),
    "a malformed seed": Fault(S, setting(-1, seed="0g"), "luck.commitment", 12),
    "another origin": Fault("fork_with_same_luck", within(0, "fork", origin="m9"), "luck.commitment", 10),
    "a fork with another commitment": Fault(
        "fork_with_same_luck", within(0, "fork", commitment=OTHER), "luck.commitment", 0
    ),
    # luck.order
    "started before the openings": Fault(S, dropped(4), "luck.order", 4),
    "the last opening after the start": Fault(S, swapped(4), "luck.order", 4),
    "an opening before the last seat": Fault(S, swapped(2), "luck.order", 2),
    "a move before the start": Fault(S, swapped(5), "luck.order", 5),
    "no start": Fault(S, dropped(5), "luck.order", 5),
    "two starts": Fault(S, doubled(5), "luck.order", 6),
    "somebody leaves while shares are opened": Fault(S, inserted(4, "open_level", 2), "luck.order", 4),
    "somebody else sits down while shares are opened": Fault(S, doubled(2), "luck.order", 3),
    "cancelled by the creator while shares are opened": Fault(S, inserted(4, "cancelled_early", 2), "luck.order", 4),
    "an opening where nothing is sealed": Fault("open_level", inserted(5, S, 3), "luck.order", 5),
    "a seat taken twice": Fault("open_level", doubled(3), "luck.order", 4),
    "a free seat left": Fault("open_level", doubled(2), "luck.order", 3),
    "not opened in an open table": Fault(
        "cancelled_early", setting(2, reason="not_opened", seats=[0]), "luck.order", 2
    ),
    "seats of a match cancelled early": Fault("cancelled_early", setting(2, seats=[0]), "luck.order", 2),
    "abandoned while shares are opened": Fault("cancelled_lost", setting(4, reason="abandoned"), "luck.order", 4),
    "lost by nobody": Fault("cancelled_lost", setting(4, seats=[]), "luck.order", 4),
    "lost by a player who opened": Fault("cancelled_lost", setting(4, seats=[0]), "luck.order", 4),
    "lost, without seats": Fault("cancelled_lost", without(4, "seats"), "luck.order", 4),
    "cancelled twice": Fault("cancelled_lost", doubled(4), "luck.order", 5),
    "revealed twice": Fault(S, doubled(12), "luck.order", 13),
    "aborted before the start": Fault("cancelled_early", setting(2, reason="aborted"), "luck.order", 2),
    "cancelled by the creator during the match": Fault("aborted_early", without(6, "reason"), "luck.order", 6),
    "abandoned during the match": Fault("aborted_early", setting(6, reason="abandoned"), "luck.order", 6),
    "aborted, with seats": Fault("aborted_early", setting(6, seats=[0]), "luck.order", 6),
    "aborted although rated": Fault("aborted_early", setting(0, rated=True), "luck.order", 6),
    "absent, without seats": Fault("ended_absent", without(4, "seats"), "luck.order", 4),
    "absent, but nobody": Fault("ended_absent", setting(4, seats=[]), "luck.order", 4),
    "absent while shares are opened": Fault("cancelled_lost", setting(4, reason="absent"), "luck.order", 4),
    "revealed before the end": Fault(S, swapped(11), "luck.order", 11),
    # luck.table, luck.seal, luck.shares
    "another table": Fault(S, setting(4, table=OTHER), "luck.table", 4),
    "another seal": Fault(S, setting(1, seal=OTHER), "luck.table", 3),
    "another share": Fault(S, setting(3, share=share(0)), "luck.seal", 3),
    "a share of zeros behind a seal": Fault("half_sealed", zero_share, "luck.seal", 3),
    "a seat that opens twice": Fault(S, doubled(3), "luck.seal", 4),
    "an opening of a seat without a seal": Fault("half_sealed", setting(3, seat=0), "luck.order", 4),
    "another share at the start": Fault(S, setting(5, shares=[share(1), share(1)]), "luck.shares", 5),
    "no share at the start": Fault("open_level", setting(5, shares=[None, share(1)]), "luck.shares", 5),
    "the share of a player who left": Fault("open_level", setting(5, shares=[share(0), share(9)]), "luck.shares", 5),
    # luck.deadline
    "opened at the deadline": Fault(S, too_late, "luck.deadline", 4),
    "lost at the deadline": Fault("cancelled_lost", lost_at("2026-03-04T12:01:00Z"), "luck.deadline", 4),
    "lost after the deadline": Fault("cancelled_lost", lost_at("2026-03-05T12:00:00Z"), "luck.deadline", 4),
    "cancelled before the deadline": Fault("cancelled_not_opened", a_day_early, "luck.deadline", 5),
    "not opened by a player who opened": Fault("cancelled_not_opened", setting(5, seats=[0, 1, 2]), "luck.deadline", 5),
    "too few seats named as not opened": Fault("cancelled_not_opened", setting(5, seats=[0]), "luck.deadline", 5),
    # luck.seats, luck.salt
    "another order of seats": Fault("seats_by_chance", another_order, "luck.seats", 5),
    "no order of seats": Fault("seats_by_chance", without(5, "order"), "luck.seats", 5),
    "an order that nobody asked for": Fault(S, setting(5, order=[1, 0]), "luck.seats", 5),
    # luck.draws
    "another die": Fault(S, another_die, "luck.draws", first_roll(S)),
    "another share throughout": Fault("half_sealed", another_share_throughout, "luck.draws", 4),
    "a use too many": Fault(S, more(first_roll(S), "draws", dice__0=9), "luck.draws", first_roll(S)),
    "a use of something else": Fault(S, more(6, "draws", cake=1), "luck.draws", 6),
    "a use that is missing": Fault(S, setting(5, draws={}), "luck.draws", 5),
    "seats that do not count": Fault("seats_by_chance", without_inner(5, "draws", "seats"), "luck.draws", 5),
    "more uses before the fork": Fault("fork_with_same_luck", within(0, "fork", uses={}), "luck.draws", 4),
    "the first number of a fork": Fault("fork_with_same_luck", setting(4, draw=0), "fold.draws", 4),
}


def moved_events() -> Iterator[tuple[str, bytes]]:
    """Yield files in which one event was dropped, doubled or swapped with the next one, with a name."""
    for name in MATCHES:
        for at in range(1, len(built(name))):
            for change in (dropped, doubled, swapped):
                if change is swapped and at + 1 == len(built(name)):
                    continue
                events = deepcopy(list(built(name)))
                change(at)(events)
                yield f"{name}: {change.__name__} {at}", as_numbered_file(events)
