"""Moves that place ingredients and complete Orders."""

from collections.abc import Iterator

from domain.games.bakers_brawl.rules.components import (
    ORDERS,
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
    list_names,
)
from domain.games.bakers_brawl.rules.reducer import Recorder
from domain.games.bakers_brawl.rules.turns import end_turn
from domain.kernel.game import Seat
from domain.kernel.refusals import IllegalMove
from domain.kernel.text import pluralize


def act_moves(state: State, seat: Seat) -> Iterator[Move]:
    """Yield every legal action except `pass`. Depends on how many cards the deck has, never on which."""
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
    """Raise IllegalMove unless the seat has this Basic available (R18)."""
    basics = state.seats[seat].basics
    if ingredient not in basics:
        raise IllegalMove(
            "basic_not_available",
            "R18",
            f"Your {list_names([ingredient])} is not available now. Your available Basics: {list_names(basics)}.",
        )


def check_hand(state: State, seat: Seat, ingredient: Ingredient) -> None:
    """Raise IllegalMove unless the seat has this Special in its hand (M5)."""
    hand = state.seats[seat].hand
    if ingredient not in hand:
        raise IllegalMove(
            "not_in_hand",
            "M5",
            f"You don't have {list_names([ingredient])} in your hand. You have: {list_names(hand)}.",
        )


def check_cell(state: State, seat: Seat, source: Source, cell: str) -> None:
    """Raise IllegalMove unless the seat has the cubes (R20) and the cell is on the board and empty (R16, R17)."""
    cost, cubes = labor_cost(source), state.seats[seat].cubes
    if cubes < cost:
        raise IllegalMove(
            "not_enough_cubes", "R20", f"You need {pluralize(cost, 'free cube')} for this card. You have {cubes}."
        )
    if cell not in cells_of(state.board_size):
        last = cells_of(state.board_size)[-1]
        raise IllegalMove("cell_off_board", "R16", f"{cell} is not on this board. Choose a cell from A1 to {last}.")
    if cell in state.board:
        raise IllegalMove("cell_occupied", "R17", f"There is already a card on {cell}. Choose an empty cell.")


def play_blind(recorder: Recorder, seat: Seat, cell: str) -> None:
    """Reveal the top card and place it on the chosen cell (M6)."""
    check_deck(recorder.state)
    check_cell(recorder.state, seat, "blind", cell)
    place_ingredient(recorder, seat, "blind", reveal_top_card(recorder), cell)


def place_ingredient(recorder: Recorder, seat: Seat, source: Source, ingredient: Ingredient, cell: str) -> None:
    """Place a card (M4 to M6). A single candidate is completed immediately; of several, the seat chooses (R35)."""
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
    """Complete the chosen candidate (M7). Raises IllegalMove if it was not offered."""
    offered = pending_candidates(recorder.state)
    if chosen not in offered:
        sets = "; ".join(f"{ORDERS[found.order_id].name} with {', '.join(found.cells)}" for found in offered)
        raise IllegalMove("not_a_candidate", "C1", f"These cells do not complete this Order. You can choose: {sets}.")
    recorder.emit(*complete_order(recorder.state, seat, chosen))
    end_turn(recorder, seat)


def decline_order(recorder: Recorder, seat: Seat) -> None:
    """Decline to complete an Order (R32). Raises IllegalMove without the option `may_decline`."""
    state = recorder.state
    if not state.options.may_decline or state.pending_cell is None:
        raise IllegalMove("decline_not_allowed", "R32", "You can't decline in this match. Choose an Order to complete.")
    recorder.emit(CompletionDeclined(seat, state.pending_cell))
    end_turn(recorder, seat)


def pass_turn(recorder: Recorder, seat: Seat) -> None:
    """Pass (R6, R60). Raises IllegalMove if another action is legal, unless `voluntary_pass` is on."""
    state = recorder.state
    if not state.options.voluntary_pass and next(act_moves(state, seat), None):
        raise IllegalMove(
            "pass_not_allowed", "R6", "You can pass only when you have no other move. Choose another action."
        )
    recorder.emit(TurnPassed(seat))
    end_turn(recorder, seat)
