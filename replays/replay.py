"""A replay: the events of a match, and the position after each ply and each fact."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from msgspec.structs import replace

from domain.kernel.events import AnyEvent, Created
from domain.kernel.game import AnyGame
from domain.kernel.registry import find_game
from domain.match.evolve import evolve
from domain.match.guards import MatchLookup
from domain.match.history import History, fold
from domain.match.state import AnyMatch
from replays.redaction import EVERYTHING, Reader, redact_event


class NoSuchPly(LookupError):
    """Raised for a ply that the replay does not have, or a fact that its event does not have."""


class NotVisible(ValueError):
    """Raised for something that cannot be shown while the match is running."""


@dataclass(frozen=True)
class Replay:
    """The events of a match. `is_redacted` marks the public part of a running match.

    A redacted replay has narration (for spectators) but no positions, since facts are missing. Every reader except
    `EVERYTHING` sees a ply as it was at the time: a seat sees what it knew when the ply was played.
    """

    events: tuple[AnyEvent, ...]
    is_redacted: bool = False

    @cached_property
    def created(self) -> Created[Any, Any]:
        """The first event. Raises ValueError if it is not `created`."""
        first = self.events[0] if self.events else None
        if not isinstance(first, Created):
            raise ValueError("a replay must start with its `created` event")
        return first

    @cached_property
    def game(self) -> AnyGame:
        """The game at the match's rules version. Raises UnknownGame."""
        return find_game(self.created.game, self.created.rules_version)

    @property
    def plies(self) -> range:
        """The plies of the replay, from 1."""
        return range(1, len(self.events) + 1)

    def event(self, ply: int) -> AnyEvent:
        """Return the event at a ply. Raises NoSuchPly."""
        if ply not in self.plies:
            raise NoSuchPly(f"there is no ply {ply}: this replay has plies 1 to {len(self.events)}")
        return self.events[ply - 1]

    def at(self, ply: int, fact: int | None = None) -> AnyMatch:
        """Return the match after a ply or, with `fact`, after that number of its event's facts.

        Raises NoSuchPly, and NotVisible for a redacted replay.
        """
        self._require_complete()
        if fact is None:
            self.event(ply)
            return self._state_at(ply)
        part = self.partial_event(ply, fact)
        return evolve(self._state_at(ply - 1), part, self._state_at) if ply > 1 else fold([part])

    def partial_event(self, ply: int, fact: int) -> AnyEvent:
        """Return the event at a ply with only its first `fact` facts. Raises NoSuchPly."""
        event = self.event(ply)
        if not 0 <= fact <= len(event.facts):
            raise NoSuchPly(f"there is no fact {fact} in ply {ply}: it has {len(event.facts)}")
        return replace(event, facts=event.facts[:fact])

    def matches(self) -> Iterator[AnyMatch]:
        """Yield the match after each ply, in one fold. Raises NotVisible for a redacted replay."""
        self._require_complete()
        match = fold([self.created])
        yield match
        for event in self.events[1:]:
            match = evolve(match, event, self._state_at)
            yield match

    @cached_property
    def last(self) -> AnyMatch:
        """The match after its last ply. Raises NotVisible for a redacted replay."""
        return self.at(len(self.events))

    def position(self, ply: int, reader: Reader, fact: int | None = None) -> Any:
        """Return the reader's view of the game at a ply, or the full state for `EVERYTHING`.

        Raises NoSuchPly, NotVisible.
        """
        self._require_reader(reader)
        match = self.at(ply, fact)
        return match.state if reader == EVERYTHING else self.game.view(match.state, reader)

    def text(self, ply: int, reader: Reader, fact: int | None = None) -> str:
        """Return the table at a ply as text; for `EVERYTHING`, as every seat sees it. Raises NoSuchPly, NotVisible."""
        self._require_reader(reader)
        state = self.at(ply, fact).state
        if reader != EVERYTHING:
            return self.game.text(self.game.view(state, reader), reader)
        names = self.game.seat_names(len(self.created.seats))
        return "\n".join(
            f"{name} sees:\n{self.game.text(self.game.view(state, seat), seat)}" for seat, name in enumerate(names)
        )

    def visible_event(self, ply: int, reader: Reader) -> AnyEvent:
        """Return the event at a ply as the reader saw it at the time. Raises NoSuchPly, NotVisible."""
        self._require_reader(reader)
        event = self.event(ply)
        return event if self.is_redacted or reader == EVERYTHING else redact_event(event, self.at(ply), reader)

    def narration(self, ply: int, reader: Reader) -> list[str]:
        """Return the narration of a ply. Raises NoSuchPly, NotVisible."""
        return self.game.tell(self.visible_event(ply, reader).facts)

    def narrations(self, reader: Reader) -> Iterator[tuple[int, list[str]]]:
        """Yield every ply with its narration, in one pass. Raises NotVisible."""
        self._require_reader(reader)
        if self.is_redacted or reader == EVERYTHING:
            yield from ((event.ply, self.game.tell(event.facts)) for event in self.events)
            return
        for event, match in zip(self.events, self.matches(), strict=True):
            yield event.ply, self.game.tell(redact_event(event, match, reader).facts)

    @cached_property
    def _state_at(self) -> MatchLookup:
        return History(self.events).at

    def _require_complete(self) -> None:
        if self.is_redacted:
            raise NotVisible("the match is still running: this replay is its public part, which has no positions")

    def _require_reader(self, reader: Reader) -> None:
        seats = range(len(self.created.seats))
        if reader is None:
            return
        if reader == EVERYTHING:
            if self.is_redacted or self.last.status != "over":
                raise NotVisible("everything can be seen only when the match is over")
        elif self.is_redacted:
            raise NotVisible("this replay is the public part of a running match: only a spectator can read it")
        elif reader not in seats:
            raise NotVisible(f"this match has seats 0 to {seats[-1]}")
