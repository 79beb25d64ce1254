"""The decider: set-up, whose turn it is, legal moves and the effects of moves."""

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

from domain.games.bakers_brawl.rules.components import (
    SPECIALS,
    Special,
    agendas_in_play,
    orders_in_play,
    special_cards,
)
from domain.games.bakers_brawl.rules.facts import (
    Fact,
    GameSetUp,
    SeatResigned,
    TurnStarted,
)
from domain.games.bakers_brawl.rules.model import State
from domain.games.bakers_brawl.rules.moves import (
    CompleteOrder,
    DeclineOrder,
    DrawSpecial,
    KeepSpecial,
    Move,
    Options,
    Pass,
    PlayBasic,
    PlayBlind,
    PlaySpecial,
    Resign,
    TakeFromPantry,
)
from domain.games.bakers_brawl.rules.orders import Candidate, complete_order, pending_candidates
from domain.games.bakers_brawl.rules.pantry import draw_specials, keep_card, take_from_pantry
from domain.games.bakers_brawl.rules.parts import (
    COLOURS,
    FIRST_ORDERS,
    PANTRY_LIMIT,
    Phase,
    cell_key,
    sorted_names,
)
from domain.games.bakers_brawl.rules.placing import (
    act_moves,
    check_basic,
    check_cell,
    check_hand,
    complete_chosen,
    decline_order,
    pass_turn,
    place_ingredient,
    play_blind,
)
from domain.games.bakers_brawl.rules.position import board_side, check_options, read_position
from domain.games.bakers_brawl.rules.reducer import Recorder, evolve
from domain.games.bakers_brawl.rules.turns import end, end_game, end_reason, end_turn
from domain.kernel.chance import Chance, Scripted
from domain.kernel.game import Outcome, Seat
from domain.kernel.recorder import Decision, FactRecorder
from domain.kernel.refusals import BadOptions, IllegalMove

# -- set-up ---------------------------------------------------------------------------------------------------------


def setup(seats: int, options: Options, chance: Chance) -> Decision[State, Fact]:
    """Set up the game: shuffle, deal, turn up the first Orders (S1 to S12). Raises BadOptions."""
    check_options(seats, options)
    start = chance.use("start_seat").below(seats) if options.start_seat == "random" else options.start_seat  # S3
    orders = chance.use("orders").shuffle(orders_in_play(seats))  # S4
    specials = chance.use("specials").shuffle(special_cards())  # S5
    agendas = chance.use("agendas").shuffle(agendas_in_play(seats))  # S6
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
    """Start from a custom position (15.1). Raises BadOptions."""
    position = read_position(seats, options, document)
    recorder: Recorder = FactRecorder(State(), evolve, Scripted(()))  # nothing is drawn
    recorder.emit(position)
    if position.phase == "complete" and not pending_candidates(recorder.state):
        raise BadOptions("15.1", f"Nothing can be completed at pending_cell {position.pending_cell}.")
    return recorder.decision()


# -- turn and legal moves --------------------------------------------------------------------------------------------


def to_move(state: State) -> frozenset[Seat]:
    """Return the seat whose turn it is, or none before set-up and after the end."""
    return frozenset() if state.phase == "over" or not state.players else frozenset((state.turn,))


def legal_moves(state: State, seat: Seat) -> Iterator[Move]:
    """Yield every legal move of the seat to act, in full and in the order of 5.6."""
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
    """Yield a move for each drawn type and each way to handle a full Pantry."""
    full = len(state.pantry) == PANTRY_LIMIT
    discards: list[Special | None] = [None, *(name for name in SPECIALS if full and name in state.pantry)]
    for keep in (name for name in SPECIALS if name in state.drawn):
        yield from (KeepSpecial(keep, out) for out in discards)


# -- effects of moves -----------------------------------------------------------------------------------------------


def decide(state: State, seat: Seat, move: Move, chance: Chance) -> Decision[State, Fact]:
    """Return the effects of a move. Raises IllegalMove with the first code in 5.1 that applies."""
    if state.phase == "over":
        raise IllegalMove("game_over", "T6", "The match is over. You can't make any more moves.")
    recorder: Recorder = FactRecorder(state, evolve, chance)
    if isinstance(move, Resign):
        resign(recorder, seat)
        return recorder.decision()
    if seat != state.turn:
        raise IllegalMove("not_your_turn", "T2", f"It is {COLOURS[state.turn].capitalize()}'s turn. Wait for yours.")
    check_phase(state, move)
    play(recorder, seat, move)
    return recorder.decision()


def play(recorder: Recorder, seat: Seat, move: Move) -> None:
    """Carry out a move that fits the phase. Raises IllegalMove."""
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
    """Raise IllegalMove unless the move fits the phase (4.1; general check 4 in 5.1)."""
    belongs = phase_of(move)
    if belongs == state.phase:
        return
    expected = {
        "act": "Take an action",
        "keep": "First choose which drawn card to keep",
        "complete": "First choose which Order to complete",
    }
    raise IllegalMove("wrong_phase", "T2", f"You can't make this move now. {expected[state.phase]}.")


def phase_of(move: Move) -> Phase:
    """Return the phase that a move belongs to."""
    match move:
        case KeepSpecial():
            return "keep"
        case CompleteOrder() | DeclineOrder():
            return "complete"
        case _:
            return "act"


# -- resigning ------------------------------------------------------------------------------------------------------


def resign(recorder: Recorder, seat: Seat) -> None:
    """Resign (M8). Raises IllegalMove if the seat has already resigned."""
    state = recorder.state
    if not state.seats[seat].active:
        raise IllegalMove("already_out", "M8", "You have already resigned. You can't make any more moves.")
    on_turn = seat == state.turn
    hidden = (*state.seats[seat].hand, *(state.drawn if on_turn else ()))
    recorder.emit(SeatResigned(seat, sorted_names(hidden)))
    if sum(baker.active for baker in recorder.state.seats) == 1:
        end(recorder, "last_baker")  # R63
    elif on_turn:
        if state.phase == "complete":
            recorder.emit(*complete_order(recorder.state, seat, pending_candidates(recorder.state)[0]))
        end_turn(recorder, seat)


# -- the end --------------------------------------------------------------------------------------------------------


def close(state: State) -> list[Fact]:
    """Return the facts that score and rank all seats now (8.2, 8.3)."""
    return end_game(state, "boss_limit")


def outcome(state: State) -> Outcome | None:
    """Return the outcome, or None while the game continues."""
    if state.result is None:
        return None
    return Outcome(end_reason(state), state.result.winners, state.result.totals, state.result.ranks)
