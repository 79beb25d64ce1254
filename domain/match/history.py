"""The history of a match: its state after any ply, folded only once regardless of takebacks."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from domain.kernel.events import AnyEvent, Created
from domain.match.evolve import evolve_many, from_created
from domain.match.guards import MatchLookup
from domain.match.state import AnyMatch, RetractedSpan


def fold(events: Iterable[AnyEvent], match: AnyMatch | None = None, past: MatchLookup | None = None) -> AnyMatch:
    """Return the match after these events, from `match` or from its first event. Raise ValueError if there are none.

    Events that begin in the middle of a match need `past` to be rolled back; a complete list of events does not.
    """
    if match is None:
        known = list(events)
        if not known:
            raise ValueError("a match begins with its `created` event")
        return History(known).at(len(known))
    return evolve_many(match, events, past)


def fold_without_game(events: Sequence[AnyEvent]) -> AnyMatch:
    """Return the match after these events, which were read with a placeholder instead of their game.

    Its players, status and result are those of the log. It has no position. Raise ValueError if there are no events.
    """
    if not events:
        raise ValueError("a match begins with its `created` event")
    return History(events, without_game=True).at(len(events))


class History:
    """All events of a match, and the match at each ply, folded only once regardless of takebacks.

    It keeps the matches at the plies that events name: those they go back to, and the last of those they undo.
    `events` may still grow if `all_events` says which plies will be named.

    Retracted spans are stored once, not with each match. Every takeback adds a span to all later matches, so copies
    could exhaust the memory even for a small file.
    """

    def __init__(
        self,
        events: Sequence[AnyEvent],
        all_events: Sequence[AnyEvent] | None = None,
        *,
        without_game: bool = False,
    ) -> None:
        self._without_game = without_game
        self._events = events
        self._named_plies = frozenset(ply for event in all_events or events for ply in named_plies(event))
        self._sorted_named_plies = sorted(self._named_plies)
        self._matches_by_ply: dict[int, AnyMatch] = {}
        self._last: AnyMatch | None = None
        self._retracted_spans: list[RetractedSpan] = []
        self._retraction_plies: list[int] = []

    def at(self, ply: int) -> AnyMatch:
        """Return the match at a ply. Raise ValueError if there is none."""
        if ply not in self._matches_by_ply and self._last is not None and 1 <= ply < self._last.ply:
            return History(self._events[:ply], without_game=self._without_game).at(ply)
        match = self._at_without_spans(ply)
        spans = bisect_right(self._retraction_plies, match.ply)
        return replace(match, retracted_spans=tuple(self._retracted_spans[:spans])) if spans else match

    def _at_without_spans(self, ply: int) -> AnyMatch:
        """Return the match without its retracted spans, which rolling back does not need."""
        if ply in self._matches_by_ply:
            return self._matches_by_ply[ply]
        if not 1 <= ply <= len(self._events):
            raise ValueError(f"the match has no ply {ply}")
        if self._last is not None and ply < self._last.ply:
            return History(self._events[:ply], without_game=self._without_game)._at_without_spans(ply)
        while self._last is None or self._last.ply < ply:
            after = self._advance_from(self._last, ply)
            self._retracted_spans += after.retracted_spans
            self._retraction_plies += [span.last + 1 for span in after.retracted_spans]
            self._last = replace(after, retracted_spans=()) if after.retracted_spans else after
            if self._last.ply in self._named_plies:
                self._matches_by_ply[self._last.ply] = self._last
        return self._last

    def _advance_from(self, match: AnyMatch | None, ply: int) -> AnyMatch:
        """Return the match at the next ply to keep, or at `ply`."""
        if match is not None:
            further = bisect_right(self._sorted_named_plies, match.ply)
            stop = min([ply, *self._sorted_named_plies[further : further + 1]])
            after = evolve_many(match, self._events[match.ply : stop], self._at_without_spans)
            if after.ply <= match.ply:
                raise ValueError(f"ply {match.ply} is followed by ply {after.ply}")
            return after
        event = self._events[0]
        if not isinstance(event, Created):
            raise ValueError("a match begins with its `created` event")
        return from_created(event, without_game=self._without_game)


def named_plies(event: AnyEvent) -> tuple[int, ...]:
    """Return the plies whose matches are needed to fold an event."""
    to_ply: int | None = getattr(event, "to_ply", None)
    return () if to_ply is None else (to_ply, to_ply + 1, event.ply - 1)
