"""Re-execute a game event from the seed, record its draws, and tell whether chance explains different facts."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

from domain.kernel.chance import Chance, DrawContext, Luck
from domain.kernel.events import AnyEvent, Moved, Started
from domain.match.commands import Play
from domain.match.play import moved
from domain.match.start import started
from domain.match.state import AnyMatch
from replays.difference import Difference, first_difference

MAX_DRAWS_TRIED = 2_000
"""Maximum number of other draws tried to explain a difference."""
MAX_DRAW_RANGE = 64
"""Draws with more possible values than this are not tried."""
MAX_SHIFTS = 40
"""Number of entirely different sequences of draws that are tried."""


class Draw(NamedTuple):
    """One draw: uniform on 0..below-1."""

    below: int
    value: int


class TracedChance(Chance):
    """Records the draws of another source in `draws`. Draw number `swapped` (from 0) is replaced by `value`."""

    def __init__(self, source: Chance, draws: list[Draw], swapped: int = -1, value: int = 0) -> None:
        self._source = source
        self._swapped = swapped
        self._value = value
        self.draws = draws
        self.used = source.used

    def use(self, purpose: str) -> Chance:  # noqa: D102
        return TracedChance(self._source.use(purpose), self.draws, self._swapped, self._value)

    def below(self, n: int) -> int:  # noqa: D102
        value = self._source.below(n)
        if len(self.draws) == self._swapped and self._value < n:
            value = self._value
        self.draws.append(Draw(n, value))
        return value


class LaterUses(dict[str, int]):
    """Uses of each purpose, all of them raised by `shift`."""

    def __init__(self, uses: Mapping[str, int], shift: int) -> None:
        super().__init__(uses)
        self._shift = shift

    def get(self, purpose: str, default: Any = 0) -> Any:  # noqa: D102
        return super().get(purpose, default) + self._shift


class ShiftedLuck:
    """Luck that uses the draws of later, unused game events: an arbitrary different sequence."""

    def __init__(self, luck: Luck, shift: int) -> None:
        self._luck = luck
        self._shift = shift
        self.given = luck.given
        self.commitment = luck.commitment
        self.salt = luck.salt
        self.reveal = luck.reveal

    def chance(self, context: DrawContext) -> Chance:
        """Return the draws of a game event that is `shift` later."""
        later = LaterUses(context.uses, self._shift)
        return self._luck.chance(context._replace(number=context.number + self._shift, uses=later))


class TracedLuck:
    """A match's luck that records its draws in `traced`; one of them may be replaced."""

    def __init__(self, luck: Luck, swapped: int = -1, value: int = 0) -> None:
        self._luck = luck
        self._swapped = swapped
        self._value = value
        self.given = luck.given
        self.commitment = luck.commitment
        self.salt = luck.salt
        self.reveal = luck.reveal
        self.traced: list[Draw] = []

    def chance(self, context: DrawContext) -> Chance:
        """Return the draws of a game event, recorded."""
        self.traced = []
        return TracedChance(self._luck.chance(context), self.traced, self._swapped, self._value)


class ChangedDraw(NamedTuple):
    """The draw (`number` from 1) for which the file shows a different value from the seed's."""

    number: int
    draw: Draw
    shown: int


def re_execute(match: AnyMatch, event: AnyEvent, luck: Luck) -> Started[Any, Any] | Moved[Any, Any]:
    """Return the event that the same start or move produces now, without hashes. Raises Refused."""
    if isinstance(event, Moved):
        command = Play(event.seat, msgspec.to_builtins(event.move))
        return moved(match, command, event.at, luck)[0]
    return started(match, event.at, luck)[0]


def find_changed_draw(
    match: AnyMatch, event: AnyEvent, luck: Luck, draws: list[Draw], parted: Difference
) -> ChangedDraw | None:
    """Return the one changed draw that explains the difference `parted` exactly, or None.

    None means that no single changed draw explains it, so something other than chance was changed.
    """
    expected = re_execute(match, event, luck).facts
    tries = 0
    for number, draw in enumerate(draws):
        if draw.below > MAX_DRAW_RANGE:
            continue
        for shown in range(draw.below):
            if shown == draw.value:
                continue
            tries += 1
            if tries > MAX_DRAWS_TRIED:
                return None
            facts: Any = re_execute(match, event, TracedLuck(luck, number, shown)).facts
            if first_difference(expected, facts, "facts") == parted:
                return ChangedDraw(number + 1, draw, shown)
    return None


def depends_on_chance(match: AnyMatch, event: AnyEvent, luck: Luck, parted: Difference) -> bool:
    """Return whether other draws also make the facts differ first at this path, which means that chance decides it."""
    expected = re_execute(match, event, luck).facts
    for shift in range(1, MAX_SHIFTS + 1):
        facts: Any = re_execute(match, event, ShiftedLuck(luck, shift << 32)).facts
        difference = first_difference(expected, facts, "facts")
        if difference is not None and difference.path == parted.path:
            return True
    return False
