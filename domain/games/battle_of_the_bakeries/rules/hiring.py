"""Phase one, from the choice of the turn order to the end of hiring (rules S5, H1 to H12, L1 to L6)."""

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
    """Record which seat goes first and begin its turn (S5)."""
    starter = seat if move.go == "first" else opponent_of(seat)
    recorder.emit(TurnOrderChosen(seat, starter), TurnBegan(starter, recorder.state.turn + 1))


# -- a turn -------------------------------------------------------------------------------------------------------


def roll_die(recorder: Recorder, seat: Seat) -> None:
    """Roll the die (H2 to H4). The k-th 5 of the round offers 500 + 250 x (k - 1) dollars (H3)."""
    value = recorder.chance.use(f"die/{seat}").die()  # C3
    offer = BONUS_STEP * (recorder.state.fives + 2) if value == 5 else 0
    recorder.emit(DieRolled(seat, value, offer))


def take_bonus(recorder: Recorder, seat: Seat) -> None:
    """Take the money for a 5 and end the turn (H3)."""
    recorder.emit(BonusTaken(seat, recorder.state.bonus_offer))
    end_turn(recorder, seat)


def stop_flipping(recorder: Recorder, seat: Seat) -> None:
    """End the turn early (H4). Raise IllegalMove `must_flip_more`."""
    if len(recorder.state.face_up) < recorder.state.flips_min:
        raise refuse("must_flip_more", "H2")
    end_turn(recorder, seat)


def may_stop(state: State) -> bool:
    """Return whether enough cards are turned over to stop (H4)."""
    return len(state.face_up) >= state.flips_min


def flippable_positions(state: State) -> Iterator[int]:
    """Return the positions that may be turned over, ascending (H5, H12)."""
    barred = {*state.empty, *state.face_up}
    if must_be_fresh(state):
        barred.update(state.shown)
    return filterfalse(barred.__contains__, POSITIONS)


def must_be_fresh(state: State) -> bool:
    """Return whether the next card must be one never turned over this round, and such a card is left (H12)."""
    if not state.options.fresh_first or state.face_up or state.phase != "hire" or state.step == "attempt":
        return False
    return any(position not in state.shown and position not in state.empty for position in POSITIONS)


def check_flip(state: State, position: int) -> None:
    """Raise IllegalMove `card_gone`, `card_face_up` or `must_flip_fresh` (5.1, rows 5 to 7)."""
    if position in state.empty:
        raise refuse("card_gone", "H5")
    if position in state.face_up:
        raise refuse("card_face_up", "H5")
    if must_be_fresh(state) and position in state.shown:
        raise refuse("must_flip_fresh", "H12")


def flip_card(recorder: Recorder, seat: Seat, move: FlipCard) -> None:
    """Turn over a card and apply the consequences (H5, H9, L3). Raise IllegalMove like `check_flip`."""
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
    """Return the card at a position."""
    assert state.layout is not None
    return state.layout[position]


def end_turn(recorder: Recorder, seat: Seat, face_up: Sequence[int] | None = None, failed: bool = False) -> None:
    """Turn the cards back, then close the board at the limit (H11) or begin the next turn (H10). See 5.3."""
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
    """Start an attempt instead of rolling (H1)."""
    recorder.emit(HireDeclared(seat))


def continue_attempt(recorder: Recorder, seat: Seat, positions: tuple[int, ...]) -> None:
    """End the attempt if it failed or succeeded (H9)."""
    cards = tuple(card_at(recorder.state, position) for position in positions)
    if not is_chef(cards[0]) or is_hopeless(cards, SETS):
        end_turn(recorder, seat, positions, failed=True)
        return
    multiplier = completed_set(cards, SETS)
    if multiplier is not None:
        recorder.emit(ChefHired(seat, multiplier, positions, cards))
        open_last_chance(recorder, seat, multiplier)


def open_last_chance(recorder: Recorder, finder: Seat, multiplier: int) -> None:
    """Open the other seat's last chance (L1), or close hiring if it has none (L2)."""
    state = recorder.state
    allowed = allowed_sets_after(multiplier, state.options)
    if allowed:
        recorder.emit(LastChanceOpened(opponent_of(finder), allowed))
        return
    recorder.emit(LastChanceDenied(opponent_of(finder)))
    close_hiring(recorder, with_value(state.multipliers, finder, multiplier), finder)


def continue_last_chance(recorder: Recorder, seat: Seat, positions: tuple[int, ...]) -> None:
    """Close hiring if the last chance succeeded or failed (L3)."""
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
    """Decline the last chance: the seat's multiplier stays 1 (L4)."""
    state = recorder.state
    recorder.emit(LastChanceFailed(seat, True))
    close_hiring(recorder, state.multipliers, state.finder)


def close_hiring(recorder: Recorder, multipliers: Pair[int], finder: int | None) -> None:
    """End phase one; the seat that is not the opener draws the first cake (L6, K1)."""
    state = recorder.state
    opener = opener_of(finder, state.starter)
    recorder.emit(HiringClosed(state.round, multipliers, finder), first_cake(opponent_of(opener), recorder.chance))


def opener_of(finder: int | None, starter: int | None) -> Seat:
    """Return the finder, or the starter if nobody hired a chef (L6, R37)."""
    if finder is not None:
        return finder
    return starter or 0
