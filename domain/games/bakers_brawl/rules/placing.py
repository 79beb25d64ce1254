"""Placing Ingredients and completing Orders."""

from collections.abc import Iterator

from domain.games.bakers_brawl.rules.components import (
    SPECIALS,
    Ingredient,
)
from domain.games.bakers_brawl.rules.facts import (
    CompletionDeclined,
    CompletionOpened,
    IngredientPlaced,
    TurnPassed,
)
from domain.games.bakers_brawl.rules.model import State
from domain.games.bakers_brawl.rules.moves import (
    DrawSpecial,
    Move,
    PlayBasic,
    PlayBlind,
    PlaySpecial,
    TakeFromPantry,
)
from domain.games.bakers_brawl.rules.orders import Candidate, complete_order, find_candidates_at, pending_candidates
from domain.games.bakers_brawl.rules.pantry import cards_to_draw, check_deck, reveal_top_card
from domain.games.bakers_brawl.rules.parts import (
    HAND_LIMIT,
    Source,
    cells_of,
    labor_cost,
)
from domain.games.bakers_brawl.rules.reducer import Recorder
from domain.games.bakers_brawl.rules.turns import end_turn
from domain.kernel.game import Seat
from domain.kernel.refusals import IllegalMove


def act_moves(state: State, seat: Seat) -> Iterator[Move]:
    """Every action but `pass`. It depends on the number of cards in the deck, never on what they are."""
    baker = state.seats[seat]
    if len(baker.hand) < HAND_LIMIT:
        if cards_to_draw(state):
            yield DrawSpecial()
        yield from (TakeFromPantry(name) for name in SPECIALS if name in state.pantry)
    free = [cell for cell in cells_of(state.board_size) if cell not in state.board]
    if baker.cubes >= labor_cost("basic"):
        yield from (PlayBasic(name, cell) for name in baker.basics for cell in free)
    if baker.cubes >= labor_cost("hand"):
        yield from (PlaySpecial(name, cell) for name in SPECIALS if name in baker.hand for cell in free)
    if baker.cubes >= labor_cost("blind") and cards_to_draw(state):
        yield from (PlayBlind(cell) for cell in free)


def check_basic(state: State, seat: Seat, ingredient: Ingredient) -> None:
    """R18"""
    basics = state.seats[seat].basics
    if ingredient not in basics:
        has = ", ".join(basics) or "none"
        raise IllegalMove(
            "basic_not_available",
            "R18",
            f"Your {ingredient} is not available until an Order has used it; you have {has}.",
        )


def check_hand(state: State, seat: Seat, ingredient: Ingredient) -> None:
    """M5"""
    hand = state.seats[seat].hand
    if ingredient not in hand:
        raise IllegalMove("not_in_hand", "M5", f"You have no {ingredient}; you hold {', '.join(hand) or 'no Special'}.")


def check_cell(state: State, seat: Seat, source: Source, cell: str) -> None:
    """R20 the cubes, then R16 and R17 the cell."""
    cost, cubes = labor_cost(source), state.seats[seat].cubes
    if cubes < cost:
        raise IllegalMove("not_enough_cubes", "R20", f"This costs {cost} of your cubes; you have {cubes} to spend.")
    if cell not in cells_of(state.board_size):
        last = cells_of(state.board_size)[-1]
        raise IllegalMove("cell_off_board", "R16", f"{cell} is not on this board, which goes from A1 to {last}.")
    if cell in state.board:
        there = state.board[cell].ingredient
        raise IllegalMove("cell_occupied", "R17", f"{there.capitalize()} lies on {cell}; choose an empty cell.")


def play_blind(recorder: Recorder, seat: Seat, cell: str) -> None:
    """M6 The cell is fixed; only then is the top card revealed."""
    check_deck(recorder.state)
    check_cell(recorder.state, seat, "blind", cell)
    place_ingredient(recorder, seat, "blind", reveal_top_card(recorder), cell)


def place_ingredient(recorder: Recorder, seat: Seat, source: Source, ingredient: Ingredient, cell: str) -> None:
    """M4 to M6, then AFTER-PLACEMENT: the only candidate is completed at once, of several the seat chooses (R35)."""
    recorder.emit(IngredientPlaced(seat, source, ingredient, cell, labor_cost(source)))
    found = find_candidates_at(recorder.state, cell)
    if not found:
        end_turn(recorder, seat)
    elif len(found) == 1 and not recorder.state.options.may_decline:
        recorder.emit(*complete_order(recorder.state, seat, found[0]))
        end_turn(recorder, seat)
    else:
        order_ids = tuple(dict.fromkeys(candidate.order_id for candidate in found))
        recorder.emit(CompletionOpened(seat, cell, order_ids))


def complete_chosen(recorder: Recorder, seat: Seat, chosen: Candidate) -> None:
    """M7"""
    offered = pending_candidates(recorder.state)
    if chosen not in offered:
        sets = "; ".join(f"{found.order_id} on {', '.join(found.cells)}" for found in offered)
        raise IllegalMove("not_a_candidate", "C1", f"These cells do not complete this Order; you may choose: {sets}.")
    recorder.emit(*complete_order(recorder.state, seat, chosen))
    end_turn(recorder, seat)


def decline_order(recorder: Recorder, seat: Seat) -> None:
    """R32 Complete nothing, with the option."""
    state = recorder.state
    if not state.options.may_decline or state.pending_cell is None:
        raise IllegalMove("decline_not_allowed", "R32", "In this game a completed Order may not be declined.")
    recorder.emit(CompletionDeclined(seat, state.pending_cell))
    end_turn(recorder, seat)


def pass_turn(recorder: Recorder, seat: Seat) -> None:
    """R6, R60"""
    state = recorder.state
    if not state.options.voluntary_pass and next(act_moves(state, seat), None):
        raise IllegalMove("pass_not_allowed", "R6", "You may pass only when nothing else is legal.")
    recorder.emit(TurnPassed(seat))
    end_turn(recorder, seat)
