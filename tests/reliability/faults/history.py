"""The record of a run: answers to clients, faults, and the final state of the log.

Plain data, so that the checker needs nothing else and anyone can check the figures from a stored record. Times are
seconds of the machine's monotonic clock; `ClockChange` records the service's own clock, which the run may set.
"""

from pathlib import Path
from typing import Any, Literal

import msgspec

RequestKind = Literal["create", "take", "open", "lose", "move", "repeat", "reuse", "look", "order"]
"""`open` opens a share of the luck, and `lose` says that it is lost. `repeat` sends an acknowledged move again with its
key; `reuse` sends a different move with that key."""
Channel = Literal["mail", "webhook"]


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """A client's request with all its retries under one key, and the definite answer.

    `began` is when the first try was sent, `ended` when the answer arrived; `status` is None if none arrived. `ply` and
    `hash` are those of the acknowledged event; `head_ply` and `head` are those of the match in the answer. `strange`
    are unexpected status codes. The `move` of an order has `forced` and `moves`, each with its id once acknowledged.
    The `move` of an opening has `table` and `share`.
    """

    client: str
    author: str
    kind: RequestKind
    match: str
    key: str | None = None
    seat: int | None = None
    move: Any = None
    began: float
    ended: float
    status: int | None
    code: str | None = None
    tries: int = 1
    ply: int | None = None
    hash: str | None = None
    head_ply: int | None = None
    head: str | None = None
    strange: tuple[int, ...] = ()

    @property
    def done(self) -> bool:
        """Whether the request was acknowledged."""
        return self.status is not None and self.status < 300


class Fault(msgspec.Struct, frozen=True):
    """A fault and its period. During an `outage`, the service is not expected to do anything."""

    name: str
    began: float
    ended: float
    outage: bool


class ClockChange(msgspec.Struct, frozen=True):
    """The service's clock was set to `shows` (seconds since 1970) at this time."""

    at: float
    shows: float


class FeedEntry(msgspec.Struct, frozen=True):
    """An append announced in the feed; `seen` is when the observer first read it, if ever."""

    shard: int
    position: int
    match: str
    first: int
    last: int
    seen: float | None = None


class Wait(msgspec.Struct, frozen=True):
    """Work due after a ply: since when, and when it was done (None: not yet)."""

    kind: Literal["bot", "deadline", "audit"]
    ply: int
    since: float
    done: float | None


class Notice(msgspec.Struct, frozen=True, kw_only=True):
    """A notice due to a player, current from ply `first` to before `last`. `at` is a time of the service's clock.

    `since` and `until` are when these plies were seen; None means that it is still current at the end.
    """

    kind: str
    ply: int
    player: str
    at: float
    first: int
    since: float
    last: int | None = None
    until: float | None = None


class Reader(msgspec.Struct, frozen=True, kw_only=True):
    """A player's email address and webhook, and since when each was wanted, by the service's clock."""

    player: str
    address: str
    hook: str
    secret: str
    since: dict[Channel, float]


class TakenDelivery(msgspec.Struct, frozen=True, kw_only=True):
    """An email or webhook call that its receiver accepted, with time and content."""

    channel: Channel
    to: str
    at: float
    id: str
    body: str
    stamp: str = ""
    signature: str = ""


class Orders(msgspec.Struct, frozen=True):
    """The remaining standing orders of a match.

    `looked` is the ply up to which they were checked; `left` and `dropped` have the ids of each seat's moves.
    """

    looked: int
    left: dict[int, tuple[str, ...]]
    dropped: dict[int, tuple[str, ...]]


class MatchRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A match at the end of the run.

    `ids` and `lines` are the entries of its stream, `commands` its command table (`first:last:payload`). `row` is its
    row in the lists, `folded` the row that its events give. `verdict` is that of its audit. `notices` are all notices
    due, `told` the recorded outcomes by name of the delivery, and `owed` the deliveries still in the outbox.
    """

    id: str
    ids: tuple[str, ...]
    lines: tuple[str, ...]
    commands: dict[str, str]
    row: Any
    folded: Any
    bots: tuple[int, ...]
    waits: tuple[Wait, ...]
    over: bool
    verdict: str | None
    notices: tuple[Notice, ...]
    told: dict[str, str | None]
    owed: tuple[str, ...]
    orders: Orders | None
    damaged: bool = False
    """Whether the service has recorded it as damaged, so that it accepts no moves."""

    def events(self) -> list[dict[str, Any]]:
        """Return the events as JSON."""
        return [msgspec.json.decode(line) for line in self.lines]


class History(msgspec.Struct, frozen=True, kw_only=True):
    """A whole run. `projected` are the keys of lists and ratings at the end, `derived` those after a rebuild."""

    seed: int
    began: float
    ended: float
    ops: tuple[Request, ...]
    harms: tuple[Fault, ...]
    clock: tuple[ClockChange, ...]
    matches: tuple[MatchRecord, ...]
    feed: tuple[FeedEntry, ...]
    witnessed: tuple[FeedEntry, ...]
    checkpoints: dict[int, int]
    projected: dict[str, Any]
    derived: dict[str, Any]
    readers: tuple[Reader, ...]
    taken: tuple[TakenDelivery, ...]
    complaints: tuple[str, ...]
    """Output lines of the processes with unexpected errors."""


def write(history: History, path: Path) -> None:
    """Write the record to a file."""
    path.write_bytes(msgspec.json.encode(history))


def read(path: Path) -> History:
    """Return the record in a file."""
    return msgspec.json.decode(path.read_bytes(), type=History)
