"""The recap of the last round, column by column, built from its facts."""

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from domain.games.mice_cake.presentation.narration import tell
from domain.games.mice_cake.rules.facts import (
    AssignmentsRevealed,
    AttemptDecided,
    DiceRolled,
    Fact,
    PieceTurnedUp,
    RoundEnded,
)
from domain.games.mice_cake.rules.parts import AttemptResult, Piece, SeatName
from domain.kernel.table import TableContext

STAMPS: dict[AttemptResult, str] = {
    "taken": "taken",
    "stolen": "stolen",
    "swapped": "swapped",
    "low": "not enough",
    "exhausted": "exhausted",
    "outrolled": "outrolled",
    "level": "tied",
    "blank_found": "the crumb",
}
GAINS: frozenset[AttemptResult] = frozenset(("taken", "stolen", "swapped"))


class Roll(msgspec.Struct, frozen=True):
    """A group's dice and result. There are no dice if the group found a hidden crumb."""

    seat: SeatName
    piece: Piece | None
    needed: int
    dice: tuple[int, ...]
    total: int
    stamp: str
    gain: bool


class Scene(msgspec.Struct, frozen=True):
    """The events in one column."""

    column: str
    rolls: tuple[Roll, ...]
    lines: tuple[str, ...]
    turned: tuple[str, ...]
    """The lines about pieces turned up, which the pictures of the rolls don't show."""


class RoundRecap(msgspec.Struct, frozen=True):
    """A resolved round: the ply that completed it, its scenes, and the lines before and after them."""

    ply: int
    number: int
    before: tuple[str, ...]
    scenes: tuple[Scene, ...]
    after: tuple[str, ...]


def build_recap(context: TableContext) -> RoundRecap | None:
    """Return the last resolved round, or None if the events at hand contain none."""
    for event in reversed(context.moves):
        opening = next((n for n, fact in enumerate(event.facts) if isinstance(fact, AssignmentsRevealed)), None)
        if opening is not None:
            return make_round(event.ply, event.facts[opening:])
    return None


def make_round(ply: int, facts: Sequence[Fact]) -> RoundRecap:
    """Return the recap of a round from its facts, which start with `assignments_revealed`."""
    revealed = facts[0]
    assert isinstance(revealed, AssignmentsRevealed), "the first fact must be assignments_revealed"
    closing = next(n for n, fact in enumerate(facts) if isinstance(fact, RoundEnded))
    scenes = (make_scene(column, group) for column, group in group_by_column(facts[1:closing]))
    return RoundRecap(ply, revealed.round, tuple(tell([revealed])), tuple(scenes), tuple(tell(facts[closing:])))


def group_by_column(facts: Iterable[Fact]) -> Iterator[tuple[str, list[Fact]]]:
    """Yield each column with its facts. Facts without a place belong to the current column."""
    column = ""
    group: list[Fact] = []
    for fact in facts:
        place = getattr(fact, "column", None) or getattr(fact, "at", column)[:1]
        if place != column and group:
            yield column, group
            group = []
        column = place
        group.append(fact)
    if group:
        yield column, group


def make_scene(column: str, facts: list[Fact]) -> Scene:
    """Return the scene of one column."""
    results = [fact for fact in facts if isinstance(fact, AttemptDecided)]
    turned = tell([fact for fact in facts if isinstance(fact, PieceTurnedUp)])
    return Scene(column, tuple(make_roll(facts, result) for result in results), tuple(tell(facts)), tuple(turned))


def make_roll(facts: list[Fact], decided: AttemptDecided) -> Roll:
    """Return a group's roll with its result."""
    dice = [fact for fact in facts if isinstance(fact, DiceRolled)]
    roll = next((r for r in dice if (r.seat, r.wave) == (decided.seat, decided.wave)), None)
    stamp, gain = STAMPS[decided.result], decided.result in GAINS
    if roll is None:
        return Roll(decided.seat, None, 0, (), 0, stamp, gain)
    return Roll(roll.seat, roll.target or roll.piece, roll.needed, roll.dice, roll.total, stamp, gain)
