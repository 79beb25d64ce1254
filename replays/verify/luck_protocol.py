"""Rule `luck.protocol` of the layer `seed`: format, rules version and fields are those of one luck protocol."""

import re
from typing import Any

from msgspec import UNSET

from domain.kernel.events import (
    AnyEvent,
    Cancelled,
    Created,
    Expired,
    Fork,
    HandedOver,
    Moved,
    SeatTaken,
    SeedRevealed,
    ShareOpened,
    Started,
)
from domain.kernel.luck import PURPOSE, is_share
from replays.file import kind_of
from replays.frame import format_of
from replays.report import divergence_error
from replays.verify.case import Case

MATCH_ID = re.compile(r"[a-z0-9]+", re.ASCII)
FORK_FIELDS = ("origin", "commitment", "shares", "uses")
FORK_FIELDS_1 = ("draws", "origin", "client_seeds")
MAX_USES = 10**9
"""The most uses of a purpose before a fork, so that every reader counts them in the same way."""


def check_luck_protocol(case: Case) -> None:
    """Check that format, rules version and fields are those of the match's luck protocol."""
    created, rule = case.created, "luck.protocol"
    protocol = 1 if created.luck is UNSET else 2
    found = case.file.header.crumbtrail
    if found != format_of(created) and not (protocol == 1 and found == "replay/v1"):
        sentence = f"Matches of luck protocol {protocol} do not have this format."
        raise divergence_error(1, rule, format_of(created), found, sentence)
    sentence = f"This rules version does not belong to luck protocol {protocol}."
    case.require(created, rule, case.game.luck_protocol, protocol, sentence)
    if protocol == 2 and not MATCH_ID.fullmatch(created.match):
        raise case.diverged(created, rule, "characters a-z and 0-9", created.match, "This is not a match id.")
    check_fork_fields(case, protocol)
    for event in case.each_event():
        check_protocol_fields(case, event, protocol)


def check_fork_fields(case: Case, protocol: int) -> None:
    """Check that a fork has the well-formed fields of its luck protocol."""
    created, rule = case.created, "luck.protocol"
    if created.fork is UNSET:
        return
    fork = created.fork
    wanted = FORK_FIELDS_1 if protocol == 1 else FORK_FIELDS if fork.luck == "same" else ()
    present = [name for name in (*FORK_FIELDS, "draws", "client_seeds") if getattr(fork, name) is not UNSET]
    if sorted(present) != sorted(wanted) or (protocol == 2 and wanted and not has_valid_origin(created, fork)):
        sentence = f"The fork does not have the fields of luck protocol {protocol}, or not in their form."
        raise case.diverged(created, rule, ", ".join(sorted(wanted)), ", ".join(sorted(present)), sentence)


def has_valid_origin(created: Created[Any, Any], fork: Fork) -> bool:
    """Return whether the fields that say whose luck a fork has are well-formed."""
    shares, uses = fork.shares or (), fork.uses or {}
    return (
        MATCH_ID.fullmatch(str(fork.origin)) is not None
        and len(shares) == len(created.seats)
        and all(share is None or is_share(share) for share in shares)
        and all(PURPOSE.match(purpose) and 1 <= count <= MAX_USES for purpose, count in uses.items())
    )


def check_protocol_fields(case: Case, event: AnyEvent, protocol: int) -> None:
    """Check that an event has the fields of its luck protocol, and none of the other one."""
    rule = "luck.protocol"
    ours, theirs, optional = fields_by_protocol(event)
    if protocol == 2:
        ours, theirs = theirs, ours
    else:
        theirs = (*theirs, *optional)
    for name in ours:
        if getattr(event, name) is UNSET:
            sentence = f"The event lacks `{name}`, as luck protocol {protocol} needs it."
            raise case.diverged(event, rule, f"`{name}`", "nothing", sentence)
    for name in theirs:
        if getattr(event, name) is not UNSET:
            sentence = f"The event's `{name}` belongs to luck protocol {3 - protocol}."
            raise case.diverged(event, rule, f"no `{name}`", getattr(event, name), sentence)
    reason = event.reason if isinstance(event, Cancelled) else UNSET
    if protocol == 1 and (isinstance(event, ShareOpened) or reason in ("lost", "not_opened")):
        raise case.diverged(event, rule, "luck protocol 1", kind_of(event), "This event belongs to luck protocol 2.")
    if protocol == 2 and isinstance(event, Started | Moved) and (event.draws is None) is case.complete:
        wanted = "an object" if case.complete else "null while the match is running"
        raise case.diverged(event, rule, wanted, event.draws, f"The event's `draws` must be {wanted}.")


def fields_by_protocol(event: AnyEvent) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Return an event's fields under protocol 1 and under protocol 2, and its optional fields under protocol 2."""
    match event:
        case SeatTaken():
            return ("client_seed",), ("share", "seal"), ("bot",)
        case Started():
            return ("client_seeds",), ("shares", "draws"), ()
        case Moved():
            return (), ("draws",), ("seen", "fallback")
        case SeedRevealed():
            return (), ("salts",), ()
        case Expired() | HandedOver():
            return (), (), ("bot",)
        case Cancelled() if event.reason != "absent":
            return (), (), ("seats",)
        case _:
            return (), (), ()
