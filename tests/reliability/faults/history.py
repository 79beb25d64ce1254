"""The record of a run: what clients were told, what was done to the service, and what stands in the log at the end.

Plain data, so that a checker needs nothing else, and whoever doubts a figure can check the record himself. Times are
seconds of the machine's monotonic clock; the service's own clock, which the run may set, is told by `ClockChange`.
"""

from pathlib import Path
from typing import Any, Literal

import msgspec

RequestKind = Literal["create", "take", "move", "repeat", "reuse", "look", "order"]
"""To `repeat` is to ask for an acknowledged move once more under its key, to `reuse` is to ask for another under it."""
Channel = Literal["mail", "webhook"]


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """What a client asked for, with all its repetitions under one key, and the definite answer.

    `began` is when the first try was sent, `ended` when the answer was there; a `status` of None: none ever came.
    `ply` and `hash` are those of the event that a move was told to be; `head_ply` and `head` are the match's
    as the answer showed it. `strange` are statuses that nobody should ever see. The `move` of an order is what was
    given: `forced`, and `moves`, each with its id once it was answered.
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
        """Whether it was acknowledged."""
        return self.status is not None and self.status < 300


class Fault(msgspec.Struct, frozen=True):
    """A fault: what was done, from when to when. While an `outage` lasts, nobody can be expected to do anything."""

    name: str
    began: float
    ended: float
    outage: bool


class ClockChange(msgspec.Struct, frozen=True):
    """From this time on the service's clock shows `shows` (seconds since 1970), and goes on as all clocks do."""

    at: float
    shows: float


class FeedEntry(msgspec.Struct, frozen=True):
    """An append as the feed announces it; `seen` is when somebody who watches had read it, if ever."""

    shard: int
    position: int
    match: str
    first: int
    last: int
    seen: float | None = None


class Wait(msgspec.Struct, frozen=True):
    """Something that the service owes behind a ply, since when, and when it was done; None: not yet."""

    kind: Literal["bot", "deadline", "audit"]
    ply: int
    since: float
    done: float | None


class Notice(msgspec.Struct, frozen=True, kw_only=True):
    """What a player is to be told: `at` by the service's clock. It stood from ply `first` to before ply `last`.

    `since` and `until` say when that was seen to be so; None: it stands at the end.
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
    """Where a player wants to be told, by both channels, and since when by the service's clock."""

    player: str
    address: str
    hook: str
    secret: str
    since: dict[Channel, float]


class TakenDelivery(msgspec.Struct, frozen=True, kw_only=True):
    """A mail, or the call of a webhook, that its receiver took: when, and what it was."""

    channel: Channel
    to: str
    at: float
    id: str
    body: str
    stamp: str = ""
    signature: str = ""


class Orders(msgspec.Struct, frozen=True):
    """What is left of the standing orders of a match: the ply up to which they were looked at, the ids of each seat's
    moves, and of those that were dropped."""

    looked: int
    left: dict[int, tuple[str, ...]]
    dropped: dict[int, tuple[str, ...]]


class MatchRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A match as it stands at the end.

    `ids` and `lines` are the entries of its stream, `commands` its command table (`first:last:payload`). `row` is what
    the lists know of it, `folded` what they should. `verdict` is that of its audit. `notices` are what its people were
    to be told, `told` what is recorded of that, by the name of the delivery, and `owed` what the agenda still has.
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

    def events(self) -> list[dict[str, Any]]:
        """The events as JSON."""
        return [msgspec.json.decode(line) for line in self.lines]


class History(msgspec.Struct, frozen=True, kw_only=True):
    """All of a run. `projected` are the keys of lists and ratings as they were, `derived` as a rebuild makes them."""

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
    """Lines of the processes' output that tell of an error that nobody had foreseen."""


def write(history: History, path: Path) -> None:
    """Keep the record in a file."""
    path.write_bytes(msgspec.json.encode(history))


def read(path: Path) -> History:
    """The record of a file."""
    return msgspec.json.decode(path.read_bytes(), type=History)
