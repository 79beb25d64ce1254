"""What one reader may see of an event: everything at the end, before it what the game shows to the reader's seat."""

from collections.abc import Iterable
from typing import Any, Final, Literal

from msgspec import UNSET, to_builtins
from msgspec.structs import replace

from domain.kernel.events import AnyEvent, Created, Moved
from domain.kernel.game import Seat
from domain.match.guards import MatchLookup
from domain.match.state import AnyMatch

Everything = Literal["everything"]
EVERYTHING: Final[Everything] = "everything"
"""The reader who sees all of a match; there is one only when the match is over."""

Reader = Seat | None | Everything
"""Who reads: a seat, a spectator (None), or `EVERYTHING`."""


def redact_event(event: AnyEvent, now: AnyMatch, seat: Seat | None) -> AnyEvent:
    """The event as the seat (None: a spectator) may see it while the match stands as in `now`.

    Until the end a move, and the order that it comes from, is shown to its own seat alone, facts as the game redacts
    them, no salt, and a position document only as its `position_set` fact shows it. The hash is always the full
    event's: a seal.
    """
    if now.status == "over":
        return event
    redact = now.rules.redact
    seen = (redact(now.state, fact, event.first_fact + n, seat) for n, fact in enumerate(event.facts))
    redacted = replace(
        event,
        move=event.move if event.seat == seat else None,
        facts=tuple(fact for fact in seen if fact is not None),
        salt=None,
    )
    if isinstance(redacted, Moved) and event.seat != seat:
        return replace(redacted, cause=UNSET)
    return replace(redacted, position=None) if isinstance(redacted, Created) else redacted


def is_hidden_again(events: Iterable[AnyEvent], then: AnyMatch, now: AnyMatch, seat: Seat | None) -> bool:
    """Whether these events hold something that the seat was shown when the match stood as in `then`, but is not now.

    So it is in games of memory. What a seat may know of a position is what it may know of the facts behind it: if none
    of them is hidden again, an earlier view gives nothing back.
    """
    if now.status == "over":
        return False
    return any(
        loses_information(
            *(to_builtins(match.rules.redact(match.state, fact, event.first_fact + n, seat)) for match in (then, now))
        )
        for event in events
        for n, fact in enumerate(event.facts)
    )


def loses_information(before: Any, after: Any) -> bool:
    """Whether some part of `before` is null or missing in `after`; both are plain JSON."""
    if isinstance(before, dict) and isinstance(after, dict):
        return any(loses_information(value, after.get(name)) for name, value in before.items())
    if isinstance(before, list | tuple) and isinstance(after, list | tuple) and len(before) == len(after):
        return any(map(loses_information, before, after))
    return before is not None and before != after


def redact_events(events: Iterable[AnyEvent], now: AnyMatch, seat: Seat | None, past: MatchLookup) -> list[AnyEvent]:
    """The events as the seat (None: a spectator) may see them now.

    A ply that a ruling has taken back is seen as it was seen last before that: what is told of it must not depend on
    what was played in its place.
    """
    return [redact_event(event, state_for_redaction(event, now, past), seat) for event in events]


def state_for_redaction(event: AnyEvent, now: AnyMatch, past: MatchLookup) -> AnyMatch:
    """The match as which an event is told: as it is now, or as it was when the event was taken back."""
    if now.status == "over":
        return now
    spans = (span for span in now.retracted_spans if span.first <= event.ply <= span.last)
    span = next(spans, None)
    return now if span is None else past(span.last)
