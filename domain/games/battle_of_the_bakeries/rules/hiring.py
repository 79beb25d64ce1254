"""Phase one, from the choice of the turn order to the closing of the board (rules S5, H1 to H12, L1 to L6)."""

from collections.abc import Iterator, Sequence
from itertools import filterfalse

from domain.games.battle_of_the_bakeries.rules.facts import (
    BonusTaken,
    CardFlipped,
    ChefHired,
    DieRolled,
    HireDeclared,
    HireFailed,
    HiringClosed,
    LastChanceDenied,
    LastChanceFailed,
    LastChanceOpened,
    TurnBegan,
    TurnEnded,
    TurnLost,
    TurnOrderChosen,
)
from domain.games.battle_of_the_bakeries.rules.model import State
from domain.games.battle_of_the_bakeries.rules.moves import ChooseTurnOrder, FlipCard
from domain.games.battle_of_the_bakeries.rules.parts import BONUS_STEP, POSITIONS, SETS, Card, Pair, opponent_of
from domain.games.battle_of_the_bakeries.rules.reducer import Recorder, with_value
from domain.games.battle_of_the_bakeries.rules.refusals import refuse
from domain.games.battle_of_the_bakeries.rules.sets import allowed_sets_after, completed_set, is_chef, is_hopeless
from domain.games.battle_of_the_bakeries.rules.stocking import first_cake
from domain.kernel.game import Seat


def choose_turn_order(recorder: Recorder, seat: Seat, move: ChooseTurnOrder) -> None:
    """S5 The chooser goes first or second; whoever goes first is the starter."""
    starter = seat if move.go == "first" else opponent_of(seat)
    recorder.emit(TurnOrderChosen(seat, starter), TurnBegan(starter, recorder.state.turn + 1))


# -- a turn -------------------------------------------------------------------------------------------------------


def roll_die(recorder: Recorder, seat: Seat) -> None:
    """H2 to H4. The k-th five of the round offers 500 + 250 x (k - 1)."""
    value = recorder.chance.die()  # C3
    offer = BONUS_STEP * (recorder.state.fives + 2) if value == 5 else 0
    recorder.emit(DieRolled(seat, value, offer))


def take_bonus(recorder: Recorder, seat: Seat) -> None:
    """H3 The money, and no card."""
    recorder.emit(BonusTaken(seat, recorder.state.bonus_offer))
    end_turn(recorder, seat)


def stop_flipping(recorder: Recorder, seat: Seat) -> None:
    """H4 Enough seen. Raises IllegalMove `must_flip_more`."""
    if len(recorder.state.face_up) < recorder.state.flips_min:
        raise refuse("must_flip_more", "H2")
    end_turn(recorder, seat)


def may_stop(state: State) -> bool:
    """H4 Whether enough cards are turned over."""
    return len(state.face_up) >= state.flips_min


def flippable_positions(state: State) -> Iterator[int]:
    """H5, H12 The positions that may be turned over, ascending: every card that is not face up."""
    barred = {*state.empty, *state.face_up}
    if must_be_fresh(state):
        barred.update(state.shown)
    return filterfalse(barred.__contains__, POSITIONS)


def must_be_fresh(state: State) -> bool:
    """H12 Whether the next card must be one never turned over this round, and there is one."""
    if not state.options.fresh_first or state.face_up or state.phase != "hire" or state.step == "attempt":
        return False
    return any(position not in state.shown and position not in state.empty for position in POSITIONS)


def check_flip(state: State, position: int) -> None:
    """5.1, rows 5 to 7. Raises IllegalMove `card_gone`, `card_face_up`, `must_flip_fresh`."""
    if position in state.empty:
        raise refuse("card_gone", "H5")
    if position in state.face_up:
        raise refuse("card_face_up", "H5")
    if must_be_fresh(state) and position in state.shown:
        raise refuse("must_flip_fresh", "H12")


def flip_card(recorder: Recorder, seat: Seat, move: FlipCard) -> None:
    """H5, H9, L3 A card is turned over, and what follows from it. Raises IllegalMove as `check_flip`."""
    state = recorder.state
    check_flip(state, move.position)
    recorder.emit(CardFlipped(seat, move.position, card_at(state, move.position)))
    positions = (*state.face_up, move.position)
    if state.phase == "last_chance":
        continue_last_chance(recorder, seat, positions)
    elif state.step == "attempt":
        continue_attempt(recorder, seat, positions)
    elif len(positions) >= state.flips_max:
        end_turn(recorder, seat, positions)  # H6


def card_at(state: State, position: int) -> Card:
    """The card that lies at a position."""
    assert state.layout is not None
    return state.layout[position]


def end_turn(recorder: Recorder, seat: Seat, face_up: Sequence[int] | None = None, failed: bool = False) -> None:
    """5.3 END OF TURN: cards are turned back; then the limit (H11), or lost turns are paid and a turn begins (H10)."""
    state = recorder.state
    turned_back = tuple(state.face_up if face_up is None else face_up)
    if failed:
        recorder.emit(HireFailed(seat))
    recorder.emit(TurnEnded(seat, turned_back))
    if state.turns_done + 1 >= state.options.turn_limit:
        close_hiring(recorder, (1, 1), None)  # T2
        return
    skips = with_value(state.skips, seat, state.skips[seat] + failed)
    following = opponent_of(seat)
    while skips[following] > 0:  # H10, R23
        recorder.emit(TurnLost(following))
        skips = with_value(skips, following, skips[following] - 1)
        following = opponent_of(following)
    recorder.emit(TurnBegan(following, state.turn + 1))


# -- hiring -------------------------------------------------------------------------------------------------------


def declare_hire(recorder: Recorder, seat: Seat) -> None:
    """H1 An attempt instead of a roll."""
    recorder.emit(HireDeclared(seat))


def continue_attempt(recorder: Recorder, seat: Seat, positions: tuple[int, ...]) -> None:
    """H9 The attempt fails, succeeds or goes on."""
    cards = tuple(card_at(recorder.state, position) for position in positions)
    if not is_chef(cards[0]) or is_hopeless(cards, SETS):
        end_turn(recorder, seat, positions, failed=True)
        return
    multiplier = completed_set(cards, SETS)
    if multiplier is not None:
        recorder.emit(ChefHired(seat, multiplier, positions, cards))
        open_last_chance(recorder, seat, multiplier)


def open_last_chance(recorder: Recorder, finder: Seat, multiplier: int) -> None:
    """L1, L2 The other seat's chance, or none."""
    state = recorder.state
    allowed = allowed_sets_after(multiplier, state.options)
    if allowed:
        recorder.emit(LastChanceOpened(opponent_of(finder), allowed))
        return
    recorder.emit(LastChanceDenied(opponent_of(finder)))
    close_hiring(recorder, with_value(state.multipliers, finder, multiplier), finder)


def continue_last_chance(recorder: Recorder, seat: Seat, positions: tuple[int, ...]) -> None:
    """L3 The last chance is used, gone or goes on."""
    state = recorder.state
    cards = tuple(card_at(state, position) for position in positions)
    multiplier = completed_set(cards, state.allowed)
    if multiplier is not None:
        recorder.emit(ChefHired(seat, multiplier, positions, cards))
        close_hiring(recorder, with_value(state.multipliers, seat, multiplier), state.finder)
    elif is_hopeless(cards, state.allowed):
        recorder.emit(LastChanceFailed(seat, False))
        close_hiring(recorder, state.multipliers, state.finder)


def decline_last_chance(recorder: Recorder, seat: Seat) -> None:
    """L4 The seat stays at 1."""
    state = recorder.state
    recorder.emit(LastChanceFailed(seat, True))
    close_hiring(recorder, state.multipliers, state.finder)


def close_hiring(recorder: Recorder, multipliers: Pair[int], finder: int | None) -> None:
    """L6, K1 Phase one is over; the seat that is not the opener draws the first cake."""
    state = recorder.state
    opener = opener_of(finder, state.starter)
    recorder.emit(HiringClosed(state.round, multipliers, finder), first_cake(opponent_of(opener), recorder.chance))


def opener_of(finder: int | None, starter: int | None) -> Seat:
    """L6 The finder, or the starter where nobody found a chef (R37)."""
    if finder is not None:
        return finder
    return starter or 0
