"""Redaction: what a reader may see of an event while the match is running. Once it is over, nothing is hidden."""

from collections.abc import Iterable
from typing import Any, Final, Literal

from msgspec import UNSET, to_builtins
from msgspec.structs import replace

from domain.kernel.events import AnyEvent, Created, Moved, Started
from domain.kernel.game import Seat
from domain.match.guards import MatchLookup
from domain.match.state import AnyMatch

Everything = Literal["everything"]
EVERYTHING: Final[Everything] = "everything"
"""The reader who sees all of a match; allowed only when the match is over."""

Reader = Seat | None | Everything
"""A seat, a spectator (None), or `EVERYTHING`."""


def redact_event(event: AnyEvent, now: AnyMatch, seat: Seat | None) -> AnyEvent:
    """Return the event as the seat (None: a spectator) may see it when the match is in the state `now`.

    Until the match is over, a move and the standing order that made it are shown only to their own seat. Facts are
    redacted by the game; salts and uses of draws are hidden, and a position document is shown only through its
    `position_set` fact. The hash is always that of the full event.
    """
    if now.status == "over":
        return event
    redact = now.rules.redact
    seen = [redact(now.state, fact, number, seat) for number, fact in enumerate(event.facts, event.first_fact)]
    redacted = replace(
        event,
        move=event.move if event.seat == seat else None,
        facts=tuple([fact for fact in seen if fact is not None]),
        salt=None,
    )
    if isinstance(redacted, Moved | Started) and redacted.draws is not UNSET:
        redacted = replace(redacted, draws=None)
    if isinstance(redacted, Moved) and event.seat != seat:
        return replace(redacted, cause=UNSET, seen=UNSET, fallback=UNSET)
    return replace(redacted, position=None) if isinstance(redacted, Created) else redacted


def is_hidden_again(events: Iterable[AnyEvent], then: AnyMatch, now: AnyMatch, seat: Seat | None) -> bool:
    """Return whether the seat could see something in these events in the state `then` that is hidden in `now`.

    This happens in memory games. If no fact is hidden again, an earlier view of the position reveals nothing either.
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
    """Return whether some value in `before` is changed, null or missing in `after`; both are plain JSON."""
    if isinstance(before, dict) and isinstance(after, dict):
        return any(loses_information(value, after.get(name)) for name, value in before.items())
    if isinstance(before, list | tuple) and isinstance(after, list | tuple) and len(before) == len(after):
        return any(map(loses_information, before, after))
    return before is not None and before != after


def redact_events(events: Iterable[AnyEvent], now: AnyMatch, seat: Seat | None, past: MatchLookup) -> list[AnyEvent]:
    """Return the events as the seat (None: a spectator) may see them now.

    A ply that was taken back is shown as it was last seen before that, because it must not depend on what was played
    instead.
    """
    return [redact_event(event, state_for_redaction(event, now, past), seat) for event in events]


def state_for_redaction(event: AnyEvent, now: AnyMatch, past: MatchLookup) -> AnyMatch:
    """Return the state that decides what is shown of an event: now, or when the event was taken back."""
    if now.status == "over":
        return now
    spans = (span for span in now.retracted_spans if span.first <= event.ply <= span.last)
    span = next(spans, None)
    return now if span is None else past(span.last)
