"""The history of a match: its state after any ply, folded once however often takebacks go back."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from domain.kernel.events import AnyEvent, Created
from domain.match.evolve import evolve_many, from_created
from domain.match.guards import MatchLookup
from domain.match.state import AnyMatch, RetractedSpan


def fold(events: Iterable[AnyEvent], match: AnyMatch | None = None, past: MatchLookup | None = None) -> AnyMatch:
    """The match after these events, from `match` or from its first event. Raises ValueError without any.

    Events that begin in the middle of a match need its `past` to be rolled back; all of them together do not.
    """
    if match is None:
        known = list(events)
        if not known:
            raise ValueError("a match begins with its `created` event")
        return History(known).at(len(known))
    return evolve_many(match, events, past)


class History:
    """All events of a match, and how it stood behind each ply: folded once, however often it goes back.

    Kept is what the events themselves name: the plies that they go back to, and the last of those that are undone.
    `events` may still grow if `all_events` says which plies will be named.

    What was taken back is kept beside the matches, once for all of them: each of many takebacks adds a span to all that
    follow, and with every match holding its own a small file would fill the memory.
    """

    def __init__(self, events: Sequence[AnyEvent], all_events: Sequence[AnyEvent] | None = None) -> None:
        self._events = events
        self._named_plies = frozenset(ply for event in all_events or events for ply in named_plies(event))
        self._sorted_named_plies = sorted(self._named_plies)
        self._matches_by_ply: dict[int, AnyMatch] = {}
        self._last: AnyMatch | None = None
        self._retracted_spans: list[RetractedSpan] = []
        self._retraction_plies: list[int] = []

    def at(self, ply: int) -> AnyMatch:
        """The match behind a ply of it. Raises ValueError where there is none."""
        if ply not in self._matches_by_ply and self._last is not None and 1 <= ply < self._last.ply:
            return History(self._events[:ply]).at(ply)
        match = self._at_without_spans(ply)
        spans = bisect_right(self._retraction_plies, match.ply)
        return replace(match, retracted_spans=tuple(self._retracted_spans[:spans])) if spans else match

    def _at_without_spans(self, ply: int) -> AnyMatch:
        """The same without what was taken back, which nothing asks of a match that another goes back to."""
        if ply in self._matches_by_ply:
            return self._matches_by_ply[ply]
        if not 1 <= ply <= len(self._events):
            raise ValueError(f"the match has no ply {ply}")
        if self._last is not None and ply < self._last.ply:
            return History(self._events[:ply])._at_without_spans(ply)
        while self._last is None or self._last.ply < ply:
            after = self._advance_from(self._last, ply)
            self._retracted_spans += after.retracted_spans
            self._retraction_plies += [span.last + 1 for span in after.retracted_spans]
            self._last = replace(after, retracted_spans=()) if after.retracted_spans else after
            if self._last.ply in self._named_plies:
                self._matches_by_ply[self._last.ply] = self._last
        return self._last

    def _advance_from(self, match: AnyMatch | None, ply: int) -> AnyMatch:
        """The match at the next ply to keep, or at `ply`."""
        if match is not None:
            further = bisect_right(self._sorted_named_plies, match.ply)
            stop = min([ply, *self._sorted_named_plies[further : further + 1]])
            after = evolve_many(match, self._events[match.ply : stop], self._at_without_spans)
            if after.ply <= match.ply:
                raise ValueError(f"behind ply {match.ply} comes ply {after.ply}")
            return after
        event = self._events[0]
        if not isinstance(event, Created):
            raise ValueError("a match begins with its `created` event")
        return from_created(event)


def named_plies(event: AnyEvent) -> tuple[int, ...]:
    """The plies whose matches are asked for because of an event."""
    to_ply: int | None = getattr(event, "to_ply", None)
    return () if to_ply is None else (to_ply, to_ply + 1, event.ply - 1)
