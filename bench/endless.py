"""A game that ends only by resignation, for matches of any length, with seven small facts per move and a small state.

Its facts are typical of card games: a card drawn, a card played, points, the end of a turn.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace as having
from typing import Any

from msgspec.structs import replace

from domain.kernel import registry
from domain.kernel.chance import Chance
from domain.kernel.game import AnyGame, Outcome, Seat
from domain.kernel.values import Value

CARDS, CELLS, SEATS = 52, 36, 2


class Turn(Value, frozen=True, tag_field="type", tag="turn"):
    """A move: draw and play two cards."""


class Resign(Value, frozen=True, tag_field="type", tag="resign"):
    """A move: end the match."""


class Drew(Value, frozen=True, tag_field="type", tag="drew"):
    """A card was drawn into a hand."""

    seat: Seat
    card: int


class Laid(Value, frozen=True, tag_field="type", tag="laid"):
    """The last card of a hand was played on a cell."""

    seat: Seat
    card: int
    cell: int


class Scored(Value, frozen=True, tag_field="type", tag="scored"):
    """A seat scored points."""

    seat: Seat
    points: int


class TurnEnded(Value, frozen=True, tag_field="type", tag="turn_ended"):
    """The turn passed to the other seat."""

    seat: Seat
    next: Seat


class Resigned(Value, frozen=True, tag_field="type", tag="resigned"):
    """The match is over."""

    seat: Seat


Fact = Drew | Laid | Scored | TurnEnded | Resigned


class State(Value, frozen=True):
    """Hands, cells and points."""

    turn: int = 0
    active: Seat = 0
    drawn: int = 0
    hands: tuple[tuple[int, ...], ...] = ((),) * SEATS
    cells: tuple[int | None, ...] = (None,) * CELLS
    scores: tuple[int, ...] = (0,) * SEATS
    resigned: Seat | None = None


def decide(state: State, seat: Seat, move: Turn | Resign, chance: Chance) -> list[Fact]:
    """Draw and play two cards, whichever seat asks."""
    if isinstance(move, Resign):
        return [Resigned(seat)]
    facts: list[Fact] = []
    for n in range(2):
        card, cell = chance.below(CARDS), (state.turn * 2 + n) % CELLS
        facts += [Drew(seat, card), Laid(seat, card, cell), Scored(seat, card % 5)]
    return [*facts, TurnEnded(seat, 1 - seat)]


def put(row: tuple[Any, ...], at: int, value: Any) -> tuple[Any, ...]:
    """Return the row with a new value at one place."""
    changed = list(row)
    changed[at] = value
    return tuple(changed)


def drew(state: State, fact: Drew) -> State:
    """Move a card from the deck to a hand."""
    hand = (*state.hands[fact.seat], fact.card)
    return replace(state, drawn=state.drawn + 1, hands=put(state.hands, fact.seat, hand))


def laid(state: State, fact: Laid) -> State:
    """Move a card from a hand to a cell."""
    hands = put(state.hands, fact.seat, state.hands[fact.seat][:-1])
    return replace(state, hands=hands, cells=put(state.cells, fact.cell, fact.card))


def scored(state: State, fact: Scored) -> State:
    """Add points."""
    return replace(state, scores=put(state.scores, fact.seat, state.scores[fact.seat] + fact.points))


ROWS: dict[type, Callable[[State, Any], State]] = {
    Drew: drew,
    Laid: laid,
    Scored: scored,
    TurnEnded: lambda state, fact: replace(state, turn=state.turn + 1, active=fact.next),
    Resigned: lambda state, fact: replace(state, resigned=fact.seat),
}


def evolve(state: State, fact: Fact) -> State:
    """Return the state after one fact."""
    return ROWS[type(fact)](state, fact)


def fold_in_place(facts: Iterable[Fact]) -> State:
    """Fold into lists that change in place: as fast as Python can."""
    hands: list[list[int]] = [[] for _ in range(SEATS)]
    cells: list[int | None] = [None] * CELLS
    scores, turn, active, drawn = [0] * SEATS, 0, 0, 0
    resigned: Seat | None = None
    for fact in facts:
        kind = type(fact)
        if kind is Drew:
            drawn += 1
            hands[fact.seat].append(fact.card)
        elif kind is Laid:
            hands[fact.seat].pop()
            cells[fact.cell] = fact.card
        elif kind is Scored:
            scores[fact.seat] += fact.points
        elif kind is TurnEnded:
            turn, active = turn + 1, fact.next
        else:
            resigned = fact.seat
    return State(turn, active, drawn, tuple(map(tuple, hands)), tuple(cells), tuple(scores), resigned)


def to_move(state: State) -> frozenset[Seat]:
    """Return the active seat."""
    return frozenset() if state.resigned is not None else frozenset((state.active,))


def legal_moves(state: State, seat: Seat) -> Iterator[Turn]:
    """Yield the only legal move."""
    return iter((Turn(),) if seat in to_move(state) else ())


def outcome(state: State) -> Outcome | None:
    """Nobody wins."""
    return None if state.resigned is None else Outcome("resigned", (), state.scores, (1, 1))


@contextmanager
def registered() -> Iterator[AnyGame]:
    """Register the game for this process."""
    known = registry.find_game("tic_tac_toe")
    game: AnyGame = having(
        known,
        slug="endless",
        title="Endless",
        state_type=State,
        move_type=Turn | Resign,
        fact_type=Fact,
        initial=State(),
        setup=lambda seats, options, chance: [TurnEnded(1, 0)],
        to_move=to_move,
        legal_moves=legal_moves,
        decide=decide,
        evolve=evolve,
        outcome=outcome,
        view=lambda state, seat: state,
        view_type=State,
        redact=lambda state, fact, index, seat: fact,
    )
    versions = registry._versions()
    versions[game.slug, game.rules_version] = game
    try:
        yield game
    finally:
        del versions[game.slug, game.rules_version]
