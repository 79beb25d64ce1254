"""The last round in a few lines: who rolled what in each column, and what came of it."""

from collections.abc import Sequence

import msgspec

from domain.games.mice_cake.presentation.narration import tell
from domain.games.mice_cake.presentation.table.choices import describe_mice
from domain.games.mice_cake.rules.components import PIPS
from domain.games.mice_cake.rules.facts import AssignmentsRevealed, AttemptDecided, DiceRolled, Fact, RoundEnded
from domain.games.mice_cake.rules.parts import SEATS
from domain.kernel.table import TableContext


class Line(msgspec.Struct, frozen=True):
    """A group's attempt: its dice, a description of the result, the pips won, and whether mice were exhausted."""

    column: str
    dice: tuple[int, ...]
    words: str
    gain: int
    is_tired: bool


class RoundRecap(msgspec.Struct, frozen=True):
    """A resolved round: the ply that completed it, its attempts, and notes about its end."""

    ply: int
    number: int
    lines: tuple[Line, ...]
    after: tuple[str, ...]


def build_recap(context: TableContext) -> RoundRecap | None:
    """Return the last resolved round, or None if the events at hand contain none."""
    for event in reversed(context.moves):
        opening = next((n for n, fact in enumerate(event.facts) if isinstance(fact, AssignmentsRevealed)), None)
        if opening is not None:
            return make_round(event.ply, event.facts[opening:], context.names)
    return None


def make_round(ply: int, facts: Sequence[Fact], names: Sequence[str] = ()) -> RoundRecap:
    """Return the recap of a round from its facts, which start with `assignments_revealed`."""
    revealed = facts[0]
    assert isinstance(revealed, AssignmentsRevealed), "the first fact must be assignments_revealed"
    closing = next((n for n, fact in enumerate(facts) if isinstance(fact, RoundEnded)), len(facts))
    rolls = {(fact.column, fact.seat, fact.wave): fact for fact in facts[:closing] if isinstance(fact, DiceRolled)}
    decided = [fact for fact in facts[:closing] if isinstance(fact, AttemptDecided)]
    lines = [make_line(fact, rolls.get((fact.column, fact.seat, fact.wave)), names) for fact in decided]
    after = [line for line in tell(facts[closing:]) if "rounds in a row" in line]
    return RoundRecap(ply, revealed.round, tuple(lines), tuple(after))


def make_line(decided: AttemptDecided, roll: DiceRolled | None, names: Sequence[str]) -> Line:
    """Return a group's attempt as a line."""
    who = names[SEATS.index(decided.seat)] if names else decided.seat.capitalize()
    if roll is None:
        return Line(decided.column, (), f"{who} found the crumb", 0, False)
    won = {"taken": roll.piece, "stolen": roll.target, "swapped": roll.target}.get(decided.result)
    return Line(
        decided.column,
        roll.dice,
        f"{who} rolled {roll.total}{describe_result(decided, roll)}",
        PIPS[won] if won else 0,
        decided.result == "exhausted",
    )


def describe_result(decided: AttemptDecided, roll: DiceRolled) -> str:
    """Return what came of a roll, to be read after "rolled 7"."""
    match decided.result:
        case "taken":
            return f" and took {roll.piece}"
        case "stolen" | "swapped":
            return f" and stole {roll.target}"
        case "exhausted":
            return f" on {roll.target or roll.piece}, which tired {describe_mice(roll.matched)}"
        case "outrolled":
            return ", but the other roll was higher"
        case "level":
            return ": both the same, so it stays"
        case _:
            return f", needed {roll.needed}"
