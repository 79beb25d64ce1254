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
    labor_of,
    sorted_names,
)
from domain.games.bakers_brawl.rules.orders import Candidate, candidates, complete, pending
from domain.games.bakers_brawl.rules.position import board_side, check_options, read_position
from domain.games.bakers_brawl.rules.reducer import evolve, fold, without
from domain.games.bakers_brawl.rules.scoring import declare, score_agenda, score_help
from domain.kernel.chance import Chance
from domain.kernel.game import BadOptions, IllegalMove, Outcome, Seat

# -- set-up -------------------------------------------------------------------------------------------------------


def setup(seats: int, options: Options, chance: Chance) -> list[Fact]:
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
    return [dealt, TurnStarted(start, 1)]


def from_position(seats: int, options: Options, document: Mapping[str, Any]) -> list[Fact]:
    """A start from a position document (15.1). Raises BadOptions."""
    position = read_position(seats, options, document)
    state = evolve(State(), position)
    if position.phase == "complete" and not pending(state):
        raise BadOptions("15.1", f"Nothing can be completed at pending_cell {position.pending_cell}.")
    return [position]


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
        yield from (CompleteOrder(found.order_id, found.cells) for found in pending(state))
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
    if baker.cubes >= labor_of("basic"):
        yield from (PlayBasic(name, cell) for name in baker.basics for cell in free)
    if baker.cubes >= labor_of("hand"):
        yield from (PlaySpecial(name, cell) for name in SPECIALS if name in baker.hand for cell in free)
    if baker.cubes >= labor_of("blind") and cards_to_draw(state):
        yield from (PlayBlind(cell) for cell in free)


def cards_to_draw(state: State) -> int:
    """R13 The cards that can still come from the deck."""
    return len(state.special_deck) + len(state.discard)


# -- what a move does ---------------------------------------------------------------------------------------------


def decide(state: State, seat: Seat, move: Move, chance: Chance) -> list[Fact]:
    """What the move does. Raises IllegalMove with the first code of 5.1 that applies."""
    if state.phase == "over":
        raise IllegalMove("game_over", "T6", "The game is over; nothing can be moved any more.")
    if isinstance(move, Resign):
        return resign(state, seat)
    if seat != state.turn:
        raise IllegalMove("not_your_turn", "T2", f"It is {COLOURS[state.turn].capitalize()}'s turn.")
    check_phase(state, move)
    match move:
        case DrawSpecial():
            return draw(state, seat, chance)
        case KeepSpecial(keep, out):
            return keep_card(state, seat, keep, out)
        case TakeFromPantry(card):
            return take(state, seat, card)
        case PlayBasic(ingredient, cell):
            check_basic(state, seat, ingredient)
            check_cell(state, seat, "basic", cell)
            return place(state, seat, "basic", ingredient, cell)
        case PlaySpecial(ingredient, cell):
            check_hand(state, seat, ingredient)
            check_cell(state, seat, "hand", cell)
            return place(state, seat, "hand", ingredient, cell)
        case PlayBlind(cell):
            return play_blind(state, seat, cell, chance)
        case CompleteOrder(order_id, cells):
            chosen = Candidate(order_id, tuple(sorted(cells, key=cell_key)))
            return complete_chosen(state, seat, chosen)
        case DeclineOrder():
            return decline(state, seat)
        case Pass():
            return skip(state, seat)


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


def draw(state: State, seat: Seat, chance: Chance) -> list[Fact]:
    """M1 Two cards to choose from; the last card of all goes straight to the hand (R12)."""
    check_room(state.seats[seat])
    check_deck(state)
    facts = draw_card(state, seat, chance)
    after = fold(state, facts)
    if cards_to_draw(after):
        return facts + draw_card(after, seat, chance)
    facts.append(SpecialKept(seat, after.drawn[0]))
    return end_turn(state, seat, facts)


def draw_card(state: State, seat: Seat, chance: Chance) -> list[Fact]:
    """The top card, behind a reshuffle if the deck is empty."""
    facts, top = reveal(state, chance)
    return [*facts, SpecialDrawn(seat, top)]


def reveal(state: State, chance: Chance) -> tuple[list[Fact], Special]:
    """The top card of the deck; if there is none, the discard pile is shuffled into a new deck first (section 6)."""
    if state.special_deck:
        return [], state.special_deck[0]
    order = tuple(chance.shuffle(sorted_names(state.discard)))
    return [SpecialDeckReshuffled(len(order), order)], order[0]


def check_room(baker: Baker) -> None:
    """R7"""
    if len(baker.hand) >= HAND_LIMIT:
        raise IllegalMove("hand_full", "R7", f"You hold {HAND_LIMIT} Specials already; play one before you take more.")


def check_deck(state: State) -> None:
    """R12, R13"""
    if not cards_to_draw(state):
        raise IllegalMove("nothing_to_draw", "R13", "The Special deck and the discard pile are both empty.")


def keep_card(state: State, seat: Seat, keep: Special, out: Special | None) -> list[Fact]:
    """M2 One card to the hand; the other to the Pantry, or to the discard pile when the Pantry is full."""
    if keep not in state.drawn:
        raise IllegalMove("not_drawn", "M2", f"You drew {' and '.join(state.drawn)}; keep one of these, not {keep}.")
    if out is not None:
        check_pantry_discard(state, out)
    (other,) = without(state.drawn, keep)
    facts: list[Fact] = [SpecialKept(seat, keep)]
    if len(state.pantry) < PANTRY_LIMIT:
        facts.append(PantryStocked(seat, other))
    elif out is None:
        facts.append(SpecialDiscarded(seat, other))
    else:
        facts += [PantryDiscarded(seat, out), PantryStocked(seat, other)]
    return end_turn(state, seat, facts)


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


def take(state: State, seat: Seat, card: Special) -> list[Fact]:
    """M3 A card from the Pantry to the hand."""
    check_room(state.seats[seat])
    check_pantry(state, card)
    return end_turn(state, seat, [PantryTaken(seat, card)])


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
    cost, cubes = labor_of(source), state.seats[seat].cubes
    if cubes < cost:
        raise IllegalMove("not_enough_cubes", "R20", f"This costs {cost} of your cubes; you have {cubes} to spend.")
    if cell not in cells_of(state.board_size):
        last = cells_of(state.board_size)[-1]
        raise IllegalMove("cell_off_board", "R16", f"{cell} is not on this board, which goes from A1 to {last}.")
    if cell in state.board:
        there = state.board[cell].ingredient
        raise IllegalMove("cell_occupied", "R17", f"{there.capitalize()} lies on {cell}; choose an empty cell.")


def play_blind(state: State, seat: Seat, cell: str, chance: Chance) -> list[Fact]:
    """M6 The cell is fixed; only then is the top card revealed."""
    check_deck(state)
    check_cell(state, seat, "blind", cell)
    facts, top = reveal(state, chance)
    return facts + place(fold(state, facts), seat, "blind", top, cell)


def place(state: State, seat: Seat, source: Source, ingredient: Ingredient, cell: str) -> list[Fact]:
    """M4 to M6, then AFTER-PLACEMENT: the only candidate is completed at once, of several the seat chooses (R35)."""
    facts: list[Fact] = [IngredientPlaced(seat, source, ingredient, cell, labor_of(source))]
    after = fold(state, facts)
    found = candidates(after, cell)
    if not found:
        return facts + turn_end(after, seat)
    if len(found) == 1 and not state.options.may_decline:
        facts += complete(after, seat, found[0])
        return end_turn(state, seat, facts)
    order_ids = tuple(dict.fromkeys(candidate.order_id for candidate in found))
    return [*facts, CompletionOpened(seat, cell, order_ids)]


def complete_chosen(state: State, seat: Seat, chosen: Candidate) -> list[Fact]:
    """M7"""
    offered = pending(state)
    if chosen not in offered:
        sets = "; ".join(f"{found.order_id} on {', '.join(found.cells)}" for found in offered)
        raise IllegalMove("not_a_candidate", "C1", f"These cells do not complete this Order; you may choose: {sets}.")
    return end_turn(state, seat, complete(state, seat, chosen))


def decline(state: State, seat: Seat) -> list[Fact]:
    """R32 Complete nothing, with the option."""
    if not state.options.may_decline or state.pending_cell is None:
        raise IllegalMove("decline_not_allowed", "R32", "In this game a completed Order may not be declined.")
    return end_turn(state, seat, [CompletionDeclined(seat, state.pending_cell)])


def skip(state: State, seat: Seat) -> list[Fact]:
    """R6, R60"""
    if not state.options.voluntary_pass and next(act_moves(state, seat), None):
        raise IllegalMove("pass_not_allowed", "R6", "You may pass only when nothing else is legal.")
    return end_turn(state, seat, [TurnPassed(seat)])


# -- resigning ----------------------------------------------------------------------------------------------------


def resign(state: State, seat: Seat) -> list[Fact]:
    """M8"""
    if not state.seats[seat].active:
        raise IllegalMove("already_out", "M8", "You have resigned already.")
    on_turn = seat == state.turn
    hidden = (*state.seats[seat].hand, *(state.drawn if on_turn else ()))
    facts: list[Fact] = [SeatResigned(seat, sorted_names(hidden))]
    after = fold(state, facts)
    if sum(baker.active for baker in after.seats) == 1:
        return facts + ending(after, "last_baker")  # R63
    if not on_turn:
        return facts
    if state.phase == "complete":
        facts += complete(after, seat, pending(after)[0])
    return end_turn(state, seat, facts)


# -- turns and rounds ---------------------------------------------------------------------------------------------


def end_turn(state: State, seat: Seat, facts: list[Fact]) -> list[Fact]:
    """These facts of a turn, and what follows from its end."""
    return facts + turn_end(fold(state, facts), seat)


def turn_end(state: State, seat: Seat) -> list[Fact]:
    """T4 The next active seat of the round, or the end of the round."""
    for later in range(place_in_round(state, seat) + 1, state.players):
        following = (state.start_seat + later) % state.players
        if state.seats[following].active:
            return [TurnStarted(following, state.round)]
    return round_end(state)


def place_in_round(state: State, seat: Seat) -> int:
    """T1 A seat's place in the round order, from 0."""
    return (seat - state.start_seat) % state.players


def round_end(state: State) -> list[Fact]:
    """T5"""
    facts: list[Fact] = [RoundEnded(state.round)]
    if not state.order_deck:
        return facts + ending(state, "orders_exhausted")  # R52
    facts.append(OrderArrived(state.order_deck[0]))
    if len(state.order_line) == LINE_LIMIT:
        boss_total = len(state.boss_pile) + 1
        facts.append(OrderTakenByBoss(state.order_line[0], boss_total))
        if boss_total >= state.options.boss_limit:
            return facts + ending(fold(state, facts), "boss_limit")  # R51
    active = (seat for seat, baker in enumerate(state.seats) if baker.active)
    opener = min(active, key=lambda seat: place_in_round(state, seat))
    return [*facts, TurnStarted(opener, state.round + 1)]


def ending(state: State, reason: Reason) -> list[Fact]:
    """8.3"""
    facts: list[Fact] = [GameEnded(reason)]
    for seat in range(state.players):
        facts += [score_agenda(state, seat), score_help(state, seat)]
    return [*facts, declare(state)]


# -- the end ------------------------------------------------------------------------------------------------------


def close(state: State) -> list[Fact]:
    """8.2, 8.3 Agendas and help bonus are scored, then seats are ranked with the tie-breaks of the options."""
    return ending(state, "boss_limit")


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
