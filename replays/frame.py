"""The header and the closing line of a replay file, and the check that they match the events.

New files are `replay/v3`, those of matches with luck protocol 1 `replay/v2`. `replay/v1`, whose header has fewer
fields, can still be read.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Literal, get_args

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from domain.kernel.events import (
    AnyEvent,
    Cancelled,
    Created,
    Ended,
    Expired,
    HandedOver,
    SeatLeft,
    SeatTaken,
    SeedRevealed,
    Started,
    final_outcome,
)
from domain.kernel.game import Outcome
from domain.kernel.hash_chain import canonical_json
from replays.report import divergence_error
from replays.signature import Signature

Format = Literal["replay/v1", "replay/v2", "replay/v3"]
FORMATS: tuple[str, ...] = get_args(Format)
"""The formats that can be read. A file of a later one is refused: its new fields may change what the others mean."""
EndState = Literal["open", "playing", "finished", "cancelled"]
"""The state of the match at the end of the file. The last two are final."""


class Header(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The first line: a summary of the match. It contains nothing that is not also in the events.

    `complete` is true once the match is over and nothing in the file is hidden. `seats` are player ids, `bot:` and a
    level, or None for an empty seat. `seed` is None until it is revealed. `replay/v1` has no fields after `complete`.
    """

    crumbtrail: Format
    match: str
    game: str
    rules_version: int
    events: int
    complete: bool
    options: dict[str, Any] | UnsetType = UNSET
    components: str | UnsetType = UNSET
    seats: tuple[str | None, ...] | UnsetType = UNSET
    commitment: str | UnsetType = UNSET
    seed: str | UnsetType | None = UNSET


class Closing(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The last line: the state of the match, the hash of its last event, and its result if it has one.

    `signature` is the server's; files not made by a server have none.
    """

    end: EndState
    head: str
    result: Outcome | None
    signature: Signature | UnsetType = UNSET


class ReplayFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file whose lines are all well-formed and canonical. `check_frame` checks that they match each other."""

    header: Header
    events: tuple[AnyEvent, ...]
    closing: Closing


def check_frame(file: ReplayFile, *, public: bool) -> None:
    """Check that header and closing line match the events, and that a public part has no salts.

    Raises DivergenceError.
    """
    check_header(file)
    check_closing(file)
    if public:
        for event in file.events:
            require_no_salt(event)


def format_of(created: Created[Any, Any]) -> Literal["replay/v2", "replay/v3"]:
    """Return the format of a match's file. A match has luck protocol 2 if and only if its first event has `luck`."""
    return "replay/v2" if created.luck is UNSET else "replay/v3"


def build_header(events: Sequence[AnyEvent], version: str | None = None) -> Header:
    """Return the header of a file with these events."""
    created = events[0]
    assert isinstance(created, Created), "read_event_line ensures it"
    seed = next((event.seed for event in events if isinstance(event, SeedRevealed)), None)
    header = Header(
        crumbtrail="replay/v1",
        match=created.match,
        game=created.game,
        rules_version=created.rules_version,
        events=len(events),
        complete=seed is not None,
    )
    if version == "replay/v1":
        return header
    return replace(
        header,
        crumbtrail=format_of(created),
        options=created.options,
        components=created.components,
        seats=final_occupants(events, len(created.seats)),
        commitment=created.commitment,
        seed=seed,
    )


def final_occupants(events: Iterable[AnyEvent], seats: int) -> tuple[str | None, ...]:
    """Return who holds each seat at the end: a player's id, `bot:` and a level, or None for an empty seat."""
    sitting: dict[int | None, str | None] = {}
    for event in events:
        if isinstance(event, SeatTaken | HandedOver):
            bot = None if event.level is None else f"bot:{event.level}"
            sitting[event.seat] = bot if event.player is None else event.player
        elif isinstance(event, Expired) and event.consequence == "bot_takes_over":
            sitting[event.seat] = f"bot:{event.level}"
        elif isinstance(event, SeatLeft):
            sitting[event.seat] = None
        elif isinstance(event, Started) and event.order is not UNSET:
            sitting = {seat: sitting.get(taken) for seat, taken in enumerate(event.order)}
    return tuple(sitting.get(seat) for seat in range(seats))


def check_header(file: ReplayFile) -> None:
    """Check that the header is the one for these events, byte for byte. Raises DivergenceError."""
    wanted = build_header(file.events, file.header.crumbtrail)
    if canonical_json(wanted) == canonical_json(file.header):
        return
    expected, found = msgspec.to_builtins(wanted), msgspec.to_builtins(file.header)
    for name in Header.__struct_fields__:
        pair = expected.get(name, UNSET), found.get(name, UNSET)
        if UNSET in pair or canonical_json(pair[0]) != canonical_json(pair[1]):
            if pair == (UNSET, UNSET):
                continue
            wants, has = ("nothing" if each is UNSET else each for each in pair)
            raise divergence_error(1, "file.header", wants, has, f"The header's `{name}` does not match the events.")


def check_closing(file: ReplayFile) -> None:
    """Check that `end`, `head` and `result` in the closing line match the events. Raises DivergenceError."""
    closing, events = file.closing, file.events
    for name, expected, found in (
        ("end", end_state(events), closing.end),
        ("head", events[-1].hash, closing.head),
        ("result", final_outcome(events), closing.result),
    ):
        if expected != found:
            raise divergence_error(
                len(events) + 2,
                "file.closing",
                expected,
                found,
                f"The closing line's `{name}` does not match the events.",
            )


def end_state(events: Sequence[AnyEvent]) -> EndState:
    """Return the state of a match with these events."""
    kinds = {type(event) for event in events}
    if Ended in kinds:
        return "finished"
    if Cancelled in kinds:
        return "cancelled"
    return "playing" if Started in kinds else "open"


def require_no_salt(event: AnyEvent) -> None:
    """Raise DivergenceError for a salt in the public part of a running match."""
    if event.salt is not None:
        raise divergence_error(
            event.ply + 1,
            "file.sealed",
            "no salt",
            event.salt,
            "The file says that the match is still running, so it must not contain salts.",
            ply=event.ply,
        )
