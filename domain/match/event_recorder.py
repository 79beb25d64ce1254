"""Records the events of one command and folds each of them once."""

from typing import Any, NamedTuple

from msgspec.structs import replace

from domain.kernel.chance import Luck
from domain.kernel.events import AnyEvent
from domain.kernel.hash_chain import seal_events
from domain.kernel.recorder import Decision
from domain.match.evolve import evolve
from domain.match.guards import MatchLookup
from domain.match.state import AnyMatch


class Decided(NamedTuple):
    """The events of a command, and the match they fold to."""

    events: list[AnyEvent]
    match: AnyMatch


class EventRecorder:
    """Collects the events of a command. Each event is folded when it is emitted, so `match` is always current."""

    def __init__(self, match: AnyMatch, past: MatchLookup | None = None) -> None:
        self.match = match
        self._past = past
        self._events: list[AnyEvent] = []

    def emit(self, event: AnyEvent, decision: Decision[Any, Any] | None = None) -> None:
        """Add an event and fold it. The facts of a game's `decision` are already folded."""
        self._events.append(event)
        self.match = evolve(self.match, event, self._past, decision)

    def decided(self, prev: str, luck: Luck, first: tuple[AnyEvent, ...] = ()) -> Decided:
        """Return the events, sealed and chained to the hash `prev`, with the match. `first` come before them."""
        sealed = seal_events([*first, *self._events], prev, luck)
        return Decided(sealed, replace(self.match, head_hash=sealed[-1].hash))
