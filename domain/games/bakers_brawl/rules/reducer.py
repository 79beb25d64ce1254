"""The reducer: folds facts into the state (rules, 5.4). It never raises and never draws.

A fact that doesn't fit the state is applied as far as possible. Anything missing from the state is ignored.
"""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from msgspec.structs import replace

from domain.games.bakers_brawl.rules.components import BASICS, Basic, Special
from domain.games.bakers_brawl.rules.facts import (
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
    ResultDeclared,
    SeatResigned,
    SpecialDeckReshuffled,
    SpecialDiscarded,
    SpecialDrawn,
    SpecialKept,
    TurnStarted,
)
from domain.games.bakers_brawl.rules.model import State
from domain.games.bakers_brawl.rules.parts import (
    CUBES_PER_BAKER,
    Baker,
    Completed,
    Result,
    ShownBaker,
    Tile,
    cell_key,
    sorted_names,
)
from domain.kernel.game import Seat
from domain.kernel.recorder import FactRecorder

T = TypeVar("T")

Recorder = FactRecorder[State, Fact]
"""Collects the facts of a move and folds each one."""


def evolve(state: State, fact: Fact) -> State:
    """Return the state after one fact."""
    row = APPLY_BY_FACT.get(type(fact))
    return row(state, fact) if row else state


def apply_game_set_up(state: State, fact: GameSetUp) -> State:
    """Return the state after set-up (section 3)."""
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
            Baker(hand or (), BASICS, CUBES_PER_BAKER, 0, agenda or "", active=True)
            for hand, agenda in zip(fact.hands, fact.agendas, strict=False)
        ),
        removed_agendas=fact.removed_agendas or (),
    )


def apply_position_set(state: State, fact: PositionSet) -> State:
    """Return the state of a custom position."""
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
        seats=tuple(map(to_baker, fact.seats)),
        removed_agendas=fact.removed_agendas or (),
    )


def to_baker(shown: ShownBaker) -> Baker:
    """Return the baker that a fact shows."""
    return Baker(shown.hand or (), shown.basics, shown.cubes, shown.points, shown.agenda or "", shown.active)


def apply_ingredient_placed(state: State, fact: IngredientPlaced) -> State:
    """Move the card from Basics, hand or deck to the board, with cubes from the supply."""
    tiles = {**state.board, fact.cell: Tile(fact.ingredient, fact.seat, fact.labor)}
    state = replace(state, board={cell: tiles[cell] for cell in sorted(tiles, key=cell_key)})
    baker = baker_at(state, fact.seat)
    if baker is None:
        return state
    if fact.source == "blind":
        state = replace(state, special_deck=state.special_deck[1:])
    elif fact.source == "hand":
        baker = replace(baker, hand=remove_first(baker.hand, fact.ingredient))
    else:
        baker = replace(baker, basics=remove_first(baker.basics, fact.ingredient))
    return replace_baker(state, fact.seat, replace(baker, cubes=baker.cubes - fact.labor))


def apply_ingredients_cleared(state: State, fact: IngredientsCleared) -> State:
    """Clear the used cards (step 5 of COMPLETION)."""
    board = {cell: tile for cell, tile in state.board.items() if cell not in fact.cells}
    state = add_to_discard(replace(state, board=board), *fact.discarded)
    for back in fact.returned:
        state = add_to_baker(state, back.seat, cubes=back.cubes, basics=back.basics)
    return state


def apply_order_claimed(state: State, fact: OrderClaimed) -> State:
    """Put a cube of each contributor on the Order (step 6 of COMPLETION)."""
    order_id, contributors = fact.order_id, fact.contributors
    for seat in contributors:
        state = add_to_baker(state, seat, cubes=-1)
    made = (replace(done, contributors=contributors) if done.order_id == order_id else done for done in state.completed)
    return replace(state, completed=tuple(made))


def apply_seat_resigned(state: State, fact: SeatResigned) -> State:
    """Make the seat inactive and discard its hidden Specials (M8)."""
    seat = fact.seat
    baker = baker_at(state, seat)
    if baker is None:
        return state
    given_up = baker.hand
    if seat == state.turn:
        given_up += state.drawn
        state = replace(state, drawn=())
    return replace_baker(add_to_discard(state, *given_up), seat, replace(baker, hand=(), active=False))


def add_to_hand(state: State, seat: Seat, card: Special | None) -> State:
    """Add the card to the seat's hand."""
    baker = baker_at(state, seat)
    if baker is None or card is None:
        return state
    return replace_baker(state, seat, replace(baker, hand=sorted_names([*baker.hand, card])))


def add_to_discard(state: State, *cards: Special) -> State:
    """Add the cards to the discard pile."""
    return replace(state, discard=sorted_names([*state.discard, *cards])) if cards else state


# -- small parts --------------------------------------------------------------------------------------------------


def baker_at(state: State, seat: Seat) -> Baker | None:
    """Return the baker at this seat, or None if there is no such seat."""
    return state.seats[seat] if 0 <= seat < len(state.seats) else None


def replace_baker(state: State, seat: Seat, baker: Baker) -> State:
    """Return the state with the baker at this seat replaced."""
    return replace(state, seats=(*state.seats[:seat], baker, *state.seats[seat + 1 :]))


def add_to_baker(state: State, seat: Seat, *, points: int = 0, cubes: int = 0, basics: Sequence[Basic] = ()) -> State:
    """Return the state with points, cubes and Basics added to this seat."""
    baker = baker_at(state, seat)
    if baker is None:
        return state
    had = tuple(name for name in BASICS if name in baker.basics or name in basics) if basics else baker.basics
    changed = replace(baker, points=baker.points + points, cubes=baker.cubes + cubes, basics=had)
    return replace_baker(state, seat, changed)


def remove_first(items: tuple[T, ...], item: object) -> tuple[T, ...]:
    """Return the items without the first one equal to `item`."""
    for n, found in enumerate(items):
        if found == item:
            return (*items[:n], *items[n + 1 :])
    return items


# -- the table of 5.4 ---------------------------------------------------------------------------------------------


def apply_special_drawn(state: State, fact: SpecialDrawn) -> State:
    """Move the top card of the deck to the drawn cards."""
    drawn = state.drawn if fact.card is None else (*state.drawn, fact.card)
    return replace(state, phase="keep", special_deck=state.special_deck[1:], drawn=drawn)


def apply_special_kept(state: State, fact: SpecialKept) -> State:
    """Move the drawn card into the hand."""
    return add_to_hand(replace(state, drawn=remove_first(state.drawn, fact.card)), fact.seat, fact.card)


def apply_pantry_stocked(state: State, fact: PantryStocked) -> State:
    """Move the drawn card to the Pantry."""
    return replace(state, drawn=remove_first(state.drawn, fact.card), pantry=(*state.pantry, fact.card))


def apply_pantry_discarded(state: State, fact: PantryDiscarded) -> State:
    """Move the card from the Pantry to the discard pile."""
    return add_to_discard(replace(state, pantry=remove_first(state.pantry, fact.card)), fact.card)


def apply_special_discarded(state: State, fact: SpecialDiscarded) -> State:
    """Move the drawn card to the discard pile."""
    return add_to_discard(replace(state, drawn=remove_first(state.drawn, fact.card)), fact.card)


def apply_pantry_taken(state: State, fact: PantryTaken) -> State:
    """Move the card from the Pantry into the hand."""
    return add_to_hand(replace(state, pantry=remove_first(state.pantry, fact.card)), fact.seat, fact.card)


def apply_order_completed(state: State, fact: OrderCompleted) -> State:
    """Move the Order from the Line to the completed Orders."""
    made = (*state.completed, Completed(fact.order_id, fact.seat, ()))
    return replace(state, order_line=remove_first(state.order_line, fact.order_id), completed=made)


def apply_order_arrived(state: State, fact: OrderArrived) -> State:
    """Move the Order from the deck to the end of the Line."""
    return replace(state, order_deck=state.order_deck[1:], order_line=(*state.order_line, fact.order_id))


def apply_order_taken_by_boss(state: State, fact: OrderTakenByBoss) -> State:
    """Move the Order from the Line to the boss pile."""
    line = remove_first(state.order_line, fact.order_id)
    return replace(state, order_line=line, boss_pile=(*state.boss_pile, fact.order_id))


APPLY_BY_FACT: dict[type, Callable[[State, Any], State]] = {
    TurnStarted: lambda state, fact: replace(state, turn=fact.seat, round=fact.round, phase="act", pending_cell=None),
    IngredientPlaced: apply_ingredient_placed,
    SpecialDrawn: apply_special_drawn,
    SpecialKept: apply_special_kept,
    PantryStocked: apply_pantry_stocked,
    PantryDiscarded: apply_pantry_discarded,
    SpecialDiscarded: apply_special_discarded,
    PantryTaken: apply_pantry_taken,
    SpecialDeckReshuffled: lambda state, fact: replace(state, discard=(), special_deck=fact.order or ()),
    CompletionOpened: lambda state, fact: replace(state, phase="complete", pending_cell=fact.cell),
    OrderCompleted: apply_order_completed,
    PointsScored: lambda state, fact: add_to_baker(state, fact.seat, points=fact.points),
    IngredientsCleared: apply_ingredients_cleared,
    OrderClaimed: apply_order_claimed,
    SeatResigned: apply_seat_resigned,
    OrderArrived: apply_order_arrived,
    OrderTakenByBoss: apply_order_taken_by_boss,
    GameEnded: lambda state, fact: replace(state, phase="over", pending_cell=None),
    ResultDeclared: lambda state, fact: replace(state, result=Result(fact.totals, fact.ranks, fact.winners)),
    GameSetUp: apply_game_set_up,
    PositionSet: apply_position_set,
}
"""The fold of each fact. Facts not listed don't change the state."""
