"""The rules: set-up, whose turn, legal moves, what a move does, rounds and the end."""

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

from domain.games.bakers_brawl.rules.components import (
    SPECIALS,
    Ingredient,
    Special,
    agendas_in_play,
    orders_in_play,
    special_cards,
)
from domain.games.bakers_brawl.rules.model import (
    COLOURS,
    FIRST_ORDERS,
    HAND_LIMIT,
    LINE_LIMIT,
    PANTRY_LIMIT,
    Baker,
    CompleteOrder,
    CompletionDeclined,
    CompletionOpened,
    DeclineOrder,
    DrawSpecial,
    Fact,
    GameEnded,
    GameSetUp,
    IngredientPlaced,
    KeepSpecial,
    Move,
    Options,
    OrderArrived,
    OrderTakenByBoss,
    PantryDiscarded,
    PantryStocked,
    PantryTaken,
    Pass,
    Phase,
    PlayBasic,
    PlayBlind,
    PlaySpecial,
    Reason,
    Resign,
    RoundEnded,
    SeatResigned,
    Source,
    SpecialDeckReshuffled,
    SpecialDiscarded,
    SpecialDrawn,
    SpecialKept,
    State,
    TakeFromPantry,
    TurnPassed,
    TurnStarted,
    View,
    cell_key,
    cells_of,
    labor_cost,
    sorted_names,
)
from domain.games.bakers_brawl.rules.orders import Candidate, complete_order, find_candidates_at, pending_candidates
from domain.games.bakers_brawl.rules.position import board_side, check_options, read_position
from domain.games.bakers_brawl.rules.reducer import Recorder, evolve, remove_first
from domain.games.bakers_brawl.rules.scoring import declare_result, score_agenda, score_help
from domain.kernel.chance import Chance, Scripted
from domain.kernel.game import Outcome, Seat
from domain.kernel.recorder import Decision, FactRecorder
from domain.kernel.refusals import BadOptions, IllegalMove

# -- set-up -------------------------------------------------------------------------------------------------------


def setup(seats: int, options: Options, chance: Chance) -> Decision[State, Fact]:
    """S1 to S12: shuffled decks, the first Orders, a Special and an agenda for each. Raises BadOptions."""
    check_options(seats, options)
    start = chance.below(seats) if options.start_seat == "random" else options.start_seat  # S3
    orders = chance.shuffle(orders_in_play(seats))  # S4
    specials = chance.shuffle(special_cards())  # S5
    agendas = chance.shuffle(agendas_in_play(seats))  # S6
    place = [(seat - start) % seats for seat in range(seats)]
    dealt = GameSetUp(
        players=seats,
        options=options,
        board_size=board_side(seats, options),
        start_seat=start,
        order_line=tuple(orders[:FIRST_ORDERS]),  # S7
        order_deck=tuple(orders[FIRST_ORDERS:]),
        special_deck=tuple(specials[seats:]),
        hands=tuple((specials[n],) for n in place),  # S9
        agendas=tuple(agendas[n] for n in place),  # S10
        removed_agendas=tuple(agendas[seats:]),
    )
    recorder: Recorder = FactRecorder(State(), evolve, chance)
    recorder.emit(dealt, TurnStarted(start, 1))
    return recorder.decision()


def from_position(seats: int, options: Options, document: Mapping[str, Any]) -> Decision[State, Fact]:
    """A start from a position document (15.1). Raises BadOptions."""
    position = read_position(seats, options, document)
    recorder: Recorder = FactRecorder(State(), evolve, Scripted(()))  # nothing is drawn
    recorder.emit(position)
    if position.phase == "complete" and not pending_candidates(recorder.state):
        raise BadOptions("15.1", f"Nothing can be completed at pending_cell {position.pending_cell}.")
    return recorder.decision()


# -- whose turn, and what may be done -----------------------------------------------------------------------------


def to_move(state: State) -> frozenset[Seat]:
    """The seat whose turn it is; nobody before set-up and at the end."""
    return frozenset() if state.phase == "over" or not state.players else frozenset((state.turn,))


def legal_moves(state: State, seat: Seat) -> Iterator[Move]:
    """5.6 Every move of the seat to act, in the order in which they are offered, written out in full."""
    if seat not in to_move(state):
        return
    if state.phase == "keep":
        yield from keep_moves(state)
    elif state.phase == "complete":
        yield from (CompleteOrder(found.order_id, found.cells) for found in pending_candidates(state))
        if state.options.may_decline:
            yield DeclineOrder()
    else:
        actions = act_moves(state, seat)
        first = next(actions, None)
        if first:
            yield from chain((first,), actions)
        if first is None or state.options.voluntary_pass:
            yield Pass()


def keep_moves(state: State) -> Iterator[Move]:
    """Each drawn type, with each way to deal with a full Pantry."""
    full = len(state.pantry) == PANTRY_LIMIT
    discards: list[Special | None] = [None, *(name for name in SPECIALS if full and name in state.pantry)]
    for keep in (name for name in SPECIALS if name in state.drawn):
        yield from (KeepSpecial(keep, out) for out in discards)


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


def cards_to_draw(state: State) -> int:
    """R13 The cards that can still come from the deck."""
    return len(state.special_deck) + len(state.discard)


# -- what a move does ---------------------------------------------------------------------------------------------


def decide(state: State, seat: Seat, move: Move, chance: Chance) -> Decision[State, Fact]:
    """What the move does. Raises IllegalMove with the first code of 5.1 that applies."""
    if state.phase == "over":
        raise IllegalMove("game_over", "T6", "The game is over; nothing can be moved any more.")
    recorder: Recorder = FactRecorder(state, evolve, chance)
    if isinstance(move, Resign):
        resign(recorder, seat)
        return recorder.decision()
    if seat != state.turn:
        raise IllegalMove("not_your_turn", "T2", f"It is {COLOURS[state.turn].capitalize()}'s turn.")
    check_phase(state, move)
    play(recorder, seat, move)
    return recorder.decision()


def play(recorder: Recorder, seat: Seat, move: Move) -> None:
    """A move that belongs to the phase. Raises IllegalMove."""
    state = recorder.state
    match move:
        case DrawSpecial():
            draw_specials(recorder, seat)
        case KeepSpecial(keep, out):
            keep_card(recorder, seat, keep, out)
        case TakeFromPantry(card):
            take_from_pantry(recorder, seat, card)
        case PlayBasic(ingredient, cell):
            check_basic(state, seat, ingredient)
            check_cell(state, seat, "basic", cell)
            place_ingredient(recorder, seat, "basic", ingredient, cell)
        case PlaySpecial(ingredient, cell):
            check_hand(state, seat, ingredient)
            check_cell(state, seat, "hand", cell)
            place_ingredient(recorder, seat, "hand", ingredient, cell)
        case PlayBlind(cell):
            play_blind(recorder, seat, cell)
        case CompleteOrder(order_id, cells):
            chosen = Candidate(order_id, tuple(sorted(cells, key=cell_key)))
            complete_chosen(recorder, seat, chosen)
        case DeclineOrder():
            decline_order(recorder, seat)
        case Pass():
            pass_turn(recorder, seat)


def check_phase(state: State, move: Move) -> None:
    """General check 4: the move belongs to the phase (4.1)."""
    belongs = phase_of(move)
    if belongs == state.phase:
        return
    wanted = {
        "act": "it is time for an action: draw, take, play or pass",
        "keep": "first choose which of the two drawn cards to keep (keep_special)",
        "complete": "first choose which Order to complete (complete_order)",
    }
    raise IllegalMove("wrong_phase", "T2", f"This move is not for now; {wanted[state.phase]}.")


def phase_of(move: Move) -> Phase:
    """The phase that a move belongs to."""
    match move:
        case KeepSpecial():
            return "keep"
        case CompleteOrder() | DeclineOrder():
            return "complete"
        case _:
            return "act"


# -- drawing and the Pantry ---------------------------------------------------------------------------------------


def draw_specials(recorder: Recorder, seat: Seat) -> None:
    """M1 Two cards to choose from; the last card of all goes straight to the hand (R12)."""
    check_hand_room(recorder.state.seats[seat])
    check_deck(recorder.state)
    recorder.emit(SpecialDrawn(seat, reveal_top_card(recorder)))
    if cards_to_draw(recorder.state):
        recorder.emit(SpecialDrawn(seat, reveal_top_card(recorder)))
        return
    recorder.emit(SpecialKept(seat, recorder.state.drawn[0]))
    end_turn(recorder, seat)


def reveal_top_card(recorder: Recorder) -> Special:
    """The top card of the deck; if there is none, the discard pile is shuffled into a new deck first (section 6)."""
    state = recorder.state
    if state.special_deck:
        return state.special_deck[0]
    order = tuple(recorder.chance.shuffle(sorted_names(state.discard)))
    recorder.emit(SpecialDeckReshuffled(len(order), order))
    return order[0]


def check_hand_room(baker: Baker) -> None:
    """R7"""
    if len(baker.hand) >= HAND_LIMIT:
        raise IllegalMove("hand_full", "R7", f"You hold {HAND_LIMIT} Specials already; play one before you take more.")


def check_deck(state: State) -> None:
    """R12, R13"""
    if not cards_to_draw(state):
        raise IllegalMove("nothing_to_draw", "R13", "The Special deck and the discard pile are both empty.")


def keep_card(recorder: Recorder, seat: Seat, keep: Special, out: Special | None) -> None:
    """M2 One card to the hand; the other to the Pantry, or to the discard pile when the Pantry is full."""
    state = recorder.state
    if keep not in state.drawn:
        raise IllegalMove("not_drawn", "M2", f"You drew {' and '.join(state.drawn)}; keep one of these, not {keep}.")
    if out is not None:
        check_pantry_discard(state, out)
    (other,) = remove_first(state.drawn, keep)
    recorder.emit(SpecialKept(seat, keep))
    if len(state.pantry) < PANTRY_LIMIT:
        recorder.emit(PantryStocked(seat, other))
    elif out is None:
        recorder.emit(SpecialDiscarded(seat, other))
    else:
        recorder.emit(PantryDiscarded(seat, out), PantryStocked(seat, other))
    end_turn(recorder, seat)


def check_pantry_discard(state: State, out: Special) -> None:
    """R10"""
    if len(state.pantry) < PANTRY_LIMIT:
        raise IllegalMove(
            "pantry_not_full", "R10", f"The Pantry has room: discard nothing from it before it holds {PANTRY_LIMIT}."
        )
    check_pantry(state, out)


def check_pantry(state: State, card: Special) -> None:
    """The Pantry has a card of this type."""
    if card not in state.pantry:
        has = ", ".join(sorted_names(state.pantry)) or "nothing"
        raise IllegalMove("not_in_pantry", "M3", f"There is no {card} in the Pantry; it holds {has}.")


def take_from_pantry(recorder: Recorder, seat: Seat, card: Special) -> None:
    """M3 A card from the Pantry to the hand."""
    check_hand_room(recorder.state.seats[seat])
    check_pantry(recorder.state, card)
    recorder.emit(PantryTaken(seat, card))
    end_turn(recorder, seat)


# -- placing ------------------------------------------------------------------------------------------------------


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


# -- resigning ----------------------------------------------------------------------------------------------------


def resign(recorder: Recorder, seat: Seat) -> None:
    """M8"""
    state = recorder.state
    if not state.seats[seat].active:
        raise IllegalMove("already_out", "M8", "You have resigned already.")
    on_turn = seat == state.turn
    hidden = (*state.seats[seat].hand, *(state.drawn if on_turn else ()))
    recorder.emit(SeatResigned(seat, sorted_names(hidden)))
    if sum(baker.active for baker in recorder.state.seats) == 1:
        end(recorder, "last_baker")  # R63
    elif on_turn:
        if state.phase == "complete":
            recorder.emit(*complete_order(recorder.state, seat, pending_candidates(recorder.state)[0]))
        end_turn(recorder, seat)


# -- turns and rounds ---------------------------------------------------------------------------------------------


def end_turn(recorder: Recorder, seat: Seat) -> None:
    """T4 The next active seat of the round, or the end of the round."""
    state = recorder.state
    for later in range(place_in_round(state, seat) + 1, state.players):
        following = (state.start_seat + later) % state.players
        if state.seats[following].active:
            recorder.emit(TurnStarted(following, state.round))
            return
    end_round(recorder)


def place_in_round(state: State, seat: Seat) -> int:
    """T1 A seat's place in the round order, from 0."""
    return (seat - state.start_seat) % state.players


def end_round(recorder: Recorder) -> None:
    """T5"""
    state = recorder.state
    recorder.emit(RoundEnded(state.round))
    if not state.order_deck:
        end(recorder, "orders_exhausted")  # R52
        return
    recorder.emit(OrderArrived(state.order_deck[0]))
    if len(state.order_line) == LINE_LIMIT:
        boss_total = len(state.boss_pile) + 1
        recorder.emit(OrderTakenByBoss(state.order_line[0], boss_total))
        if boss_total >= state.options.boss_limit:
            end(recorder, "boss_limit")  # R51
            return
    active = (seat for seat, baker in enumerate(state.seats) if baker.active)
    opener = min(active, key=lambda seat: place_in_round(state, seat))
    recorder.emit(TurnStarted(opener, state.round + 1))


def end(recorder: Recorder, reason: Reason) -> None:
    """The end of the game."""
    recorder.emit(*end_game(recorder.state, reason))


def end_game(state: State, reason: Reason) -> list[Fact]:
    """8.3"""
    facts: list[Fact] = [GameEnded(reason)]
    for seat in range(state.players):
        facts += [score_agenda(state, seat), score_help(state, seat)]
    return [*facts, declare_result(state)]


# -- the end ------------------------------------------------------------------------------------------------------


def close(state: State) -> list[Fact]:
    """8.2, 8.3 Agendas and help bonus are scored, then seats are ranked with the tie-breaks of the options."""
    return end_game(state, "boss_limit")


def outcome(state: State) -> Outcome | None:
    """How the match ended; the scores are the totals."""
    if state.result is None:
        return None
    return Outcome(end_reason(state), state.result.winners, state.result.totals, state.result.ranks)


def end_reason(table: State | View) -> Reason:
    """Why a finished game ended: one baker is left only by `last_baker`, the boss pile full only by `boss_limit`."""
    if sum(baker.active for baker in table.seats) == 1:
        return "last_baker"
    return "boss_limit" if len(table.boss_pile) >= table.options.boss_limit else "orders_exhausted"
