"""A replay: the events of a match, and every position they fold to, by ply and inside a ply by fact."""

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
    """The replay has no such ply, or its event no such fact."""


class NotVisible(ValueError):
    """The match still runs, so this cannot be shown."""


@dataclass(frozen=True)
class Replay:
    """The events of a match from the first. `sealed` marks the public part of a match that still runs.

    A sealed replay has words (a spectator's) but no positions: facts that are hidden do not fold. Every reader but
    `EVERYTHING` is shown a ply as it was then: a seat sees what it knew when the ply was played.
    """

    events: tuple[AnyEvent, ...]
    is_redacted: bool = False

    @cached_property
    def created(self) -> Created[Any, Any]:
        """The first event. Raises ValueError when the events do not begin with `created`."""
        first = self.events[0] if self.events else None
        if not isinstance(first, Created):
            raise ValueError("a replay begins with its `created` event")
        return first

    @cached_property
    def game(self) -> AnyGame:
        """The game at the rules version that the match is pinned to. Raises UnknownGame."""
        return find_game(self.created.game, self.created.rules_version)

    @property
    def plies(self) -> range:
        """The plies there are."""
        return range(1, len(self.events) + 1)

    def event(self, ply: int) -> AnyEvent:
        """The event at a ply. Raises NoSuchPly."""
        if ply not in self.plies:
            raise NoSuchPly(f"there is no ply {ply}: this replay has the plies 1 to {len(self.events)}")
        return self.events[ply - 1]

    def at(self, ply: int, fact: int | None = None) -> AnyMatch:
        """The match after a ply or, with `fact`, inside it: after so many of its event's facts.

        Raises NoSuchPly, and Hidden for a sealed replay.
        """
        self._require_complete()
        if fact is None:
            self.event(ply)
            return self._state_at(ply)
        part = self.partial_event(ply, fact)
        return evolve(self._state_at(ply - 1), part, self._state_at) if ply > 1 else fold([part])

    def partial_event(self, ply: int, fact: int) -> AnyEvent:
        """The event at a ply with its first `fact` facts only. Raises NoSuchPly."""
        event = self.event(ply)
        if not 0 <= fact <= len(event.facts):
            raise NoSuchPly(f"there is no fact {fact} in ply {ply}: it has {len(event.facts)}")
        return replace(event, facts=event.facts[:fact])

    def matches(self) -> Iterator[AnyMatch]:
        """The match after each ply in turn, folded once. Raises Hidden for a sealed replay."""
        self._require_complete()
        match = fold([self.created])
        yield match
        for event in self.events[1:]:
            match = evolve(match, event, self._state_at)
            yield match

    @cached_property
    def last(self) -> AnyMatch:
        """The match after its last ply. Raises Hidden for a sealed replay."""
        return self.at(len(self.events))

    def position(self, ply: int, reader: Reader, fact: int | None = None) -> Any:
        """What the reader sees of the game at a ply: a view, or the state itself for `EVERYTHING`.

        Raises NoSuchPly, Hidden.
        """
        self._require_reader(reader)
        match = self.at(ply, fact)
        return match.state if reader == EVERYTHING else self.game.view(match.state, reader)

    def text(self, ply: int, reader: Reader, fact: int | None = None) -> str:
        """The table at a ply as text; for `EVERYTHING` as each seat in turn sees it. Raises NoSuchPly, Hidden."""
        self._require_reader(reader)
        state = self.at(ply, fact).state
        if reader != EVERYTHING:
            return self.game.text(self.game.view(state, reader), reader)
        names = self.game.seat_names(len(self.created.seats))
        return "\n".join(
            f"{name} sees:\n{self.game.text(self.game.view(state, seat), seat)}" for seat, name in enumerate(names)
        )

    def visible_event(self, ply: int, reader: Reader) -> AnyEvent:
        """The event at a ply as the reader saw it then. Raises NoSuchPly, Hidden."""
        self._require_reader(reader)
        event = self.event(ply)
        return event if self.is_redacted or reader == EVERYTHING else redact_event(event, self.at(ply), reader)

    def narration(self, ply: int, reader: Reader) -> list[str]:
        """What happened in the game at a ply, in words. Raises NoSuchPly, Hidden."""
        return self.game.tell(self.visible_event(ply, reader).facts)

    def narrations(self, reader: Reader) -> Iterator[tuple[int, list[str]]]:
        """Every ply with its words, in one pass. Raises Hidden."""
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
            raise NotVisible("the match still runs: this replay holds its public part, which has no positions")

    def _require_reader(self, reader: Reader) -> None:
        seats = range(len(self.created.seats))
        if reader is None:
            return
        if reader == EVERYTHING:
            if self.is_redacted or self.last.status != "over":
                raise NotVisible("everything is shown when the match is over")
        elif self.is_redacted:
            raise NotVisible("this replay holds the public part of a running match: only a spectator can read it")
        elif reader not in seats:
            raise NotVisible(f"this match has the seats 0 to {seats[-1]}")
