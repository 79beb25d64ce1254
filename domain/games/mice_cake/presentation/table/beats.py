"""How a playback groups the facts of a round, so that all columns together take less than four seconds.

The dice of a column fall while the column before it is decided. The columns still play in order.
"""

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from domain.games.mice_cake.rules.facts import (
    AssignmentsRevealed,
    AttemptDecided,
    DiceRolled,
    Fact,
    MiceBoosted,
    PieceTurnedUp,
    RoundEnded,
    RoundStarted,
)

Beat = list[Fact]


def beats(facts: Sequence[Fact]) -> list[Beat]:
    """Return the facts of one event in groups that play together."""
    start = next((n + 1 for n, fact in enumerate(facts) if isinstance(fact, AssignmentsRevealed)), None)
    if start is None:
        return [list(facts)]
    end = next((n for n, fact in enumerate(facts) if isinstance(fact, RoundEnded)), len(facts))
    return [list(facts[:start]), *overlap(split_columns(facts[start:end])), *split_end(facts[end:])]


def split_columns(facts: Sequence[Fact]) -> list[list[Fact]]:
    """Return the facts of a round by column, in the order of the log."""
    columns: dict[str, list[Fact]] = {}
    column = ""
    for fact in facts:
        column = getattr(fact, "column", None) or getattr(fact, "at", column)[:1] or column
        columns.setdefault(column, []).append(fact)
    return list(columns.values())


def overlap(columns: Sequence[list[Fact]]) -> Iterator[Beat]:
    """Yield the beats of all columns. Each column begins when the one before it plays its second beat."""
    lines: list[list[Beat]] = [[*([] for _ in range(n)), *split_column(column)] for n, column in enumerate(columns)]
    for together in zip_longest(*lines, fillvalue=[]):
        if beat := [fact for part in together for fact in part]:
            yield beat


def split_column(facts: Sequence[Fact]) -> Iterator[Beat]:
    """Yield the beats of one column: slices turned up and dice, then the results. Boosted mice repeat both."""
    beat: Beat = []
    for fact in facts:
        starts_results = isinstance(fact, AttemptDecided) and not any(isinstance(old, AttemptDecided) for old in beat)
        starts_wave = begins_wave(fact) and any(isinstance(old, AttemptDecided) for old in beat)
        if beat and (starts_wave or (starts_results and any(isinstance(old, DiceRolled) for old in beat))):
            yield beat
            beat = []
        beat.append(fact)
    if beat:
        yield beat


def begins_wave(fact: Fact) -> bool:
    """Return whether a fact begins another attempt in its column."""
    return isinstance(fact, DiceRolled | MiceBoosted) or (isinstance(fact, PieceTurnedUp) and fact.cause == "attempted")


def split_end(facts: Sequence[Fact]) -> Iterator[Beat]:
    """Yield the end of the round with the start of the next one, then the end of the match."""
    round_over: Beat = [fact for fact in facts if isinstance(fact, RoundEnded | RoundStarted)]
    rest: Beat = [fact for fact in facts if not isinstance(fact, RoundEnded | RoundStarted)]
    yield from (beat for beat in (round_over, rest) if beat)


def chapter(fact: Fact) -> str | None:
    """Return the title of the round that a fact begins, or None."""
    return f"Round {fact.round}" if isinstance(fact, RoundStarted) else None
