"""Which mouse is which, and where every won slice lay: worked out from the moves that the reader may see.

Mice look alike. Each keeps its number for a whole match, so that a playback moves the mouse that went to a column
and puts to sleep the one that was exhausted there.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from msgspec.structs import replace

from domain.games.mice_cake.rules.facts import (
    AssignmentsRevealed,
    AttemptDecided,
    DiceRolled,
    Fact,
    MiceExhausted,
    PieceTaken,
    PositionSet,
    RoundEnded,
)
from domain.games.mice_cake.rules.model import View
from domain.games.mice_cake.rules.parts import (
    COLUMNS,
    MICE_PER_SEAT,
    SEATS,
    Assignment,
    AttemptResult,
    Column,
    Piece,
    SeatName,
)
from domain.kernel.events import AnyEvent, without_retracted
from domain.kernel.values import Value


class Mouse(Value, frozen=True):
    """One mouse: its number, its column (None: not there yet), and whether it sleeps or has just been exhausted."""

    number: int
    column: Column | None = None
    asleep: bool = False
    tired: bool = False
    hidden: bool = False
    """Sent, but its column is unknown to the reader."""


Family = tuple[Mouse, ...]


class Throw(Value, frozen=True):
    """The latest roll of a group in the round that is being shown, and its result once it is decided."""

    roll: DiceRolled
    result: AttemptResult | None


class Story(Value, frozen=True):
    """What the moves tell about the pieces: the mice, the places of won slices, and the rolls of an unfinished round.

    `open_round` is true while a playback shows a round that has been revealed and has not ended.
    """

    mice: dict[SeatName, Family]
    origins: dict[Piece, str]
    throws: tuple[Throw, ...]
    open_round: bool


def tell_story(events: Iterable[AnyEvent], view: View, viewer: SeatName | None) -> Story:
    """Return the story of the match up to these events as the viewer sees it. The view has the last word."""
    facts: Sequence[Fact] = [
        fact for event in without_retracted(tuple(events)) for fact in getattr(event, "facts", ()) if fact is not None
    ]
    origins = {fact.piece: fact.at for fact in facts if isinstance(fact, PieceTaken)}
    unfinished = list(latest_round(facts))
    mice = {name: follow_mice(facts, name) for name in SEATS}
    shown = {name: place_mice(mice[name], view, name, viewer, revealed=bool(unfinished)) for name in SEATS}
    return Story(shown, origins, tuple(find_throws(unfinished)), bool(unfinished))


def latest_round(facts: Sequence[Fact]) -> Iterator[Fact]:
    """Yield the facts since the latest assignments were revealed, or nothing if that round has ended."""
    for start in range(len(facts) - 1, -1, -1):
        if isinstance(facts[start], RoundEnded):
            return
        if isinstance(facts[start], AssignmentsRevealed):
            yield from facts[start:]
            return


def find_throws(facts: Sequence[Fact]) -> Iterator[Throw]:
    """Yield the last roll of each group in these facts."""
    rolls = {(fact.column, fact.seat): fact for fact in facts if isinstance(fact, DiceRolled)}
    results = {(fact.column, fact.seat, fact.wave): fact.result for fact in facts if isinstance(fact, AttemptDecided)}
    for (column, seat), roll in rolls.items():
        yield Throw(roll, results.get((column, seat, roll.wave)))


# -- mice -----------------------------------------------------------------------------------------------------------


def follow_mice(facts: Iterable[Fact], name: SeatName) -> Family:
    """Return a family's mice after these facts."""
    family: Family = tuple(Mouse(number) for number in range(1, MICE_PER_SEAT + 1))
    for fact in facts:
        match fact:
            case PositionSet(resting=resting):
                family = put_to_sleep(family, sum(group.count for group in resting.of(name)))
            case AssignmentsRevealed(assignments=made):
                family = send_out(family, made.of(name))
            case MiceExhausted(seat=seat, column=column, count=count) if seat == name:
                family = exhaust(family, column, count)
            case RoundEnded():
                family = tuple(Mouse(mouse.number, asleep=mouse.tired) for mouse in family)
    return family


def send_out(family: Family, sent: Assignment) -> Family:
    """Return the family with its mice in their columns: those awake go in the order of their numbers."""
    places = chain.from_iterable([column] * sent.columns.of(column) for column in COLUMNS)
    return tuple(mouse if mouse.asleep else replace(mouse, column=next(places, None)) for mouse in family)


def exhaust(family: Family, column: Column, count: int) -> Family:
    """Return the family with this many mice of a column exhausted."""
    there = [mouse.number for mouse in family if mouse.column == column and not mouse.tired][:count]
    return tuple(replace(mouse, tired=mouse.tired or mouse.number in there) for mouse in family)


def put_to_sleep(family: Family, count: int) -> Family:
    """Return the family with this many mice asleep: those with the highest numbers."""
    return tuple(Mouse(mouse.number, asleep=mouse.number > len(family) - count) for mouse in family)


def place_mice(family: Family, view: View, name: SeatName, viewer: SeatName | None, *, revealed: bool) -> Family:
    """Return the mice as the reader sees them now: at home, in their columns, or hidden if they have been sent."""
    if view.result is not None:
        return tuple(Mouse(mouse.number) for mouse in family)
    resting = MICE_PER_SEAT - view.ready.of(name)
    if sum(mouse.asleep for mouse in family) != resting:
        family = put_to_sleep(family, resting)
    if revealed or not view.assigned.of(name):
        return family
    if viewer == name and view.own_assignment:
        return send_out(family, view.own_assignment)
    return tuple(mouse if mouse.asleep else replace(mouse, hidden=True) for mouse in family)
