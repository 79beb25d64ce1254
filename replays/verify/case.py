"""The replay file being checked, with helpers that all layers share."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from domain.kernel.chance import SEED_BYTES, Luck
from domain.kernel.events import AnyEvent, Created, SeedRevealed
from domain.kernel.game import AnyGame
from domain.kernel.registry import find_game
from domain.match.evolve import from_created
from domain.match.guards import MatchLookup
from domain.match.history import History
from domain.match.luck import load_secrets, revealed_secrets
from domain.match.state import AnyMatch
from replays.frame import ReplayFile
from replays.report import DivergenceError, divergence_error
from replays.signature import SignaturePolicy

SEALED = "the rest is sealed until the match is over"
LIFECYCLE_FAILED = "The layer `lifecycle` failed."
"""Why a layer that folds the match is not checked."""


@dataclass
class Case:
    """A replay file being checked, with results of earlier layers that later ones use."""

    file: ReplayFile
    trust: SignaturePolicy | None = None
    known_secrets: bytes | None = None
    """The stored secrets of a running match, in the server's own audits. The events are then those of the log."""
    to_move: dict[int, frozenset[int]] = field(default_factory=dict)
    """The seats to move before each `moved` event, by ply; set by the layer `fold`."""
    current: AnyEvent = field(init=False)
    """The event being checked; the report names it if the rules raise an error."""
    failed: set[str] = field(default_factory=set)
    """The layers that have failed so far."""

    def __post_init__(self) -> None:
        self.current = self.file.events[0]

    @property
    def complete(self) -> bool:
        """Whether nothing is hidden: the match is over, or the log itself is being audited."""
        return self.file.header.complete or self.known_secrets is not None

    @property
    def events(self) -> tuple[AnyEvent, ...]:
        """The events in the order of the file."""
        return self.file.events

    @cached_property
    def created(self) -> Created[Any, Any]:
        """The first event."""
        first = self.events[0]
        assert isinstance(first, Created), "reading the file ensures it"
        return first

    @cached_property
    def game(self) -> AnyGame:
        """The game at its rules version."""
        return find_game(self.file.header.game, self.file.header.rules_version)

    @cached_property
    def secrets(self) -> Luck | None:
        """The secrets that were committed to, if the file reveals them."""
        revealed = next((event for event in self.events if isinstance(event, SeedRevealed)), None)
        match, found = self.new_lifecycle(), None
        try:
            if self.known_secrets is not None:
                found = load_secrets(match, self.known_secrets)
            elif revealed is not None and has_canonical_secrets(revealed):
                found = revealed_secrets(match, revealed)
        except ValueError:
            return None
        return found if found is not None and found.commitment() == self.created.commitment else None

    @cached_property
    def match_after(self) -> MatchLookup:
        """Look up the match as it was after a ply."""
        return History(self.events).at

    @cached_property
    def lifecycle_after(self) -> MatchLookup:
        """Look up the match as it was after a ply, folded without the game."""
        return History([without_game(event) for event in self.events]).at

    def new_lifecycle(self) -> AnyMatch:
        """Return the match that the first event creates, without the game."""
        return from_created(replace(self.created, facts=(), clock=UNSET))

    def each_event(self) -> Iterator[AnyEvent]:
        """Yield the events in order, and store each in `current`."""
        for event in self.events:
            self.current = event
            yield event

    def diverged(self, event: AnyEvent, rule: str, expected: Any, found: Any, sentence: str) -> DivergenceError:
        """Return the exception for a divergence at an event."""
        # Plies may be wrong in a damaged file, so count the lines.
        line = next(n for n, other in enumerate(self.events, 2) if other is event)
        return divergence_error(line, rule, expected, found, sentence, ply=line - 1)

    def require(self, event: AnyEvent, rule: str, expected: Any, found: Any, sentence: str) -> None:
        """Raise DivergenceError if the two values differ."""
        if expected != found:
            raise self.diverged(event, rule, expected, found, sentence)


def without_game(event: AnyEvent) -> AnyEvent:
    """Return the event without facts; `created` also loses its clock, which needs to know whose turn it is."""
    if isinstance(event, Created):
        return replace(event, facts=(), clock=UNSET)
    return replace(event, facts=())


def has_canonical_secrets(event: SeedRevealed[Any, Any]) -> bool:
    """Return whether the secrets that an event reveals are written in lower-case hex."""
    return seed_bytes(event.seed) is not None and (event.salts is UNSET or seed_bytes(event.salts) is not None)


def seed_bytes(text: str) -> bytes | None:
    """Return the bytes of a revealed seed, or None if the text is not a valid seed."""
    try:
        raw = bytes.fromhex(text)
    except ValueError:
        return None
    return raw if raw.hex() == text and 1 <= len(raw) <= 2 * SEED_BYTES else None


def points_text(points: Sequence[int | None]) -> str:
    """Return the points of all seats, in the order of the seats: "97, 71"."""
    return ", ".join("none" if each is None else str(each) for each in points)


def number(count: int, what: str) -> str:
    """Return a count with its noun: "1 move", "2 moves"."""
    return f"{count} {what}{'' if count == 1 else 's'}"
