"""How facts fold into state (rules, 5.4). Total: it never refuses, never draws.

A fact that does not fit the state folds as far as it can: what it names and the state does not hold is left alone.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from msgspec.structs import replace

from domain.games.bakers_brawl.rules.components import BASICS, Basic, Special
from domain.games.bakers_brawl.rules.model import (
    CUBES,
    Baker,
    Completed,
    CompletionOpened,
    Fact,
    GameEnded,
    GameSetUp,
    IngredientPlaced,
    IngredientsCleared,
    OrderArrived,
    OrderClaimed,
    OrderCompleted,
    OrderTakenByBoss,
    PantryDiscarded,
    PantryStocked,
    PantryTaken,
    PointsScored,
    PositionSet,
    Result,
    ResultDeclared,
    SeatResigned,
    ShownBaker,
    SpecialDeckReshuffled,
    SpecialDiscarded,
    SpecialDrawn,
    SpecialKept,
    State,
    Tile,
    TurnStarted,
    cell_key,
    sorted_names,
)
from domain.kernel.game import Seat

T = TypeVar("T")


def fold(state: State, facts: Iterable[Fact]) -> State:
    """The state after these facts."""
    for fact in facts:
        state = evolve(state, fact)
    return state


def evolve(state: State, fact: Fact) -> State:
    """The state after one fact."""
    row = ROWS.get(type(fact))
    return row(state, fact) if row else state


def set_up(state: State, fact: GameSetUp) -> State:
    """The state of section 3."""
    return State(
        players=fact.players,
        options=fact.options,
        board_size=fact.board_size,
        start_seat=fact.start_seat,
        turn=fact.start_seat,
        order_line=fact.order_line,
        order_deck=fact.order_deck or (),
        special_deck=fact.special_deck or (),
        seats=tuple(
            Baker(hand or (), BASICS, CUBES, 0, agenda or "", active=True)
            for hand, agenda in zip(fact.hands, fact.agendas, strict=False)
        ),
        removed_agendas=fact.removed_agendas or (),
    )


def set_position(state: State, fact: PositionSet) -> State:
    """The state that the document describes."""
    return State(
        players=fact.players,
        options=fact.options,
        board_size=fact.board_size,
        start_seat=fact.start_seat,
        round=fact.round,
        turn=fact.turn,
        phase=fact.phase,
        pending_cell=fact.pending_cell,
        order_line=fact.order_line,
        order_deck=fact.order_deck or (),
        boss_pile=fact.boss_pile,
        completed=fact.completed,
        special_deck=fact.special_deck or (),
        discard=fact.discard,
        pantry=fact.pantry,
        drawn=fact.drawn or (),
        board=fact.board,
        seats=tuple(map(as_baker, fact.seats)),
        removed_agendas=fact.removed_agendas or (),
    )


def as_baker(shown: ShownBaker) -> Baker:
    """The baker that a fact shows."""
    return Baker(shown.hand or (), shown.basics, shown.cubes, shown.points, shown.agenda or "", shown.active)


def placed(state: State, fact: IngredientPlaced) -> State:
    """The card leaves Basics, hand or deck, the cubes leave the supply; both lie on the board."""
    laid = {**state.board, fact.cell: Tile(fact.ingredient, fact.seat, fact.labor)}
    state = replace(state, board={cell: laid[cell] for cell in sorted(laid, key=cell_key)})
    baker = baker_at(state, fact.seat)
    if baker is None:
        return state
    if fact.source == "blind":
        state = replace(state, special_deck=state.special_deck[1:])
    elif fact.source == "hand":
        baker = replace(baker, hand=without(baker.hand, fact.ingredient))
    else:
        baker = replace(baker, basics=without(baker.basics, fact.ingredient))
    return put_baker(state, fact.seat, replace(baker, cubes=baker.cubes - fact.labor))


def cleared(state: State, fact: IngredientsCleared) -> State:
    """Step 5 of COMPLETION."""
    board = {cell: tile for cell, tile in state.board.items() if cell not in fact.cells}
    state = discard(replace(state, board=board), *fact.discarded)
    for back in fact.returned:
        state = with_baker(state, back.seat, cubes=back.cubes, basics=back.basics)
    return state


def claimed(state: State, fact: OrderClaimed) -> State:
    """Step 6 of COMPLETION: a cube of each contributor on the Order."""
    order_id, contributors = fact.order_id, fact.contributors
    for seat in contributors:
        state = with_baker(state, seat, cubes=-1)
    made = (replace(done, contributors=contributors) if done.order_id == order_id else done for done in state.completed)
    return replace(state, completed=tuple(made))


def resigned(state: State, fact: SeatResigned) -> State:
    """M8 The seat is out, and its hidden Specials are on the discard pile."""
    seat = fact.seat
    baker = baker_at(state, seat)
    if baker is None:
        return state
    given_up = baker.hand
    if seat == state.turn:
        given_up += state.drawn
        state = replace(state, drawn=())
    return put_baker(discard(state, *given_up), seat, replace(baker, hand=(), active=False))


def gain(state: State, seat: Seat, card: Special | None) -> State:
    """The card joins the seat's hand."""
    baker = baker_at(state, seat)
    if baker is None or card is None:
        return state
    return put_baker(state, seat, replace(baker, hand=sorted_names([*baker.hand, card])))


def discard(state: State, *cards: Special) -> State:
    """The cards join the discard pile."""
    return replace(state, discard=sorted_names([*state.discard, *cards])) if cards else state


# -- small parts --------------------------------------------------------------------------------------------------


def baker_at(state: State, seat: Seat) -> Baker | None:
    """The baker at that seat, None if the game has no such seat."""
    return state.seats[seat] if 0 <= seat < len(state.seats) else None


def put_baker(state: State, seat: Seat, baker: Baker) -> State:
    """The state with another baker at that seat."""
    return replace(state, seats=(*state.seats[:seat], baker, *state.seats[seat + 1 :]))


def with_baker(state: State, seat: Seat, *, points: int = 0, cubes: int = 0, basics: Sequence[Basic] = ()) -> State:
    """The state with these points, cubes and Basics added to that seat's."""
    baker = baker_at(state, seat)
    if baker is None:
        return state
    had = tuple(name for name in BASICS if name in baker.basics or name in basics) if basics else baker.basics
    changed = replace(baker, points=baker.points + points, cubes=baker.cubes + cubes, basics=had)
    return put_baker(state, seat, changed)


def without(items: tuple[T, ...], item: object) -> tuple[T, ...]:
    """The items without the first one like this."""
    for n, found in enumerate(items):
        if found == item:
            return (*items[:n], *items[n + 1 :])
    return items


# -- the table of 5.4 ---------------------------------------------------------------------------------------------


def special_drawn(state: State, fact: SpecialDrawn) -> State:
    """From the deck, to be kept or stocked."""
    drawn = state.drawn if fact.card is None else (*state.drawn, fact.card)
    return replace(state, phase="keep", special_deck=state.special_deck[1:], drawn=drawn)


def special_kept(state: State, fact: SpecialKept) -> State:
    """Into the hand."""
    return gain(replace(state, drawn=without(state.drawn, fact.card)), fact.seat, fact.card)


def pantry_stocked(state: State, fact: PantryStocked) -> State:
    """What was drawn lies open in the pantry."""
    return replace(state, drawn=without(state.drawn, fact.card), pantry=(*state.pantry, fact.card))


def pantry_discarded(state: State, fact: PantryDiscarded) -> State:
    """From the pantry to the discard pile."""
    return discard(replace(state, pantry=without(state.pantry, fact.card)), fact.card)


def special_discarded(state: State, fact: SpecialDiscarded) -> State:
    """What was drawn goes to the discard pile."""
    return discard(replace(state, drawn=without(state.drawn, fact.card)), fact.card)


def pantry_taken(state: State, fact: PantryTaken) -> State:
    """From the pantry into the hand."""
    return gain(replace(state, pantry=without(state.pantry, fact.card)), fact.seat, fact.card)


def order_completed(state: State, fact: OrderCompleted) -> State:
    """From the line to those that are made."""
    made = (*state.completed, Completed(fact.order_id, fact.seat, ()))
    return replace(state, order_line=without(state.order_line, fact.order_id), completed=made)


def order_arrived(state: State, fact: OrderArrived) -> State:
    """From the deck to the end of the line."""
    return replace(state, order_deck=state.order_deck[1:], order_line=(*state.order_line, fact.order_id))


def order_taken_by_boss(state: State, fact: OrderTakenByBoss) -> State:
    """From the line to the Boss."""
    line = without(state.order_line, fact.order_id)
    return replace(state, order_line=line, boss_pile=(*state.boss_pile, fact.order_id))


ROWS: dict[type, Callable[[State, Any], State]] = {
    TurnStarted: lambda state, fact: replace(state, turn=fact.seat, round=fact.round, phase="act", pending_cell=None),
    IngredientPlaced: placed,
    SpecialDrawn: special_drawn,
    SpecialKept: special_kept,
    PantryStocked: pantry_stocked,
    PantryDiscarded: pantry_discarded,
    SpecialDiscarded: special_discarded,
    PantryTaken: pantry_taken,
    SpecialDeckReshuffled: lambda state, fact: replace(state, discard=(), special_deck=fact.order or ()),
    CompletionOpened: lambda state, fact: replace(state, phase="complete", pending_cell=fact.cell),
    OrderCompleted: order_completed,
    PointsScored: lambda state, fact: with_baker(state, fact.seat, points=fact.points),
    IngredientsCleared: cleared,
    OrderClaimed: claimed,
    SeatResigned: resigned,
    OrderArrived: order_arrived,
    OrderTakenByBoss: order_taken_by_boss,
    GameEnded: lambda state, fact: replace(state, phase="over", pending_cell=None),
    ResultDeclared: lambda state, fact: replace(state, result=Result(fact.totals, fact.ranks, fact.winners)),
    GameSetUp: set_up,
    PositionSet: set_position,
}
"""What each fact does; those that are missing tell only."""
