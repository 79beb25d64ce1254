"""Phase one, from the choice of the turn order to the closing of the board (rules S5, H1 to H12, L1 to L6)."""

from collections.abc import Iterator, Sequence
from itertools import filterfalse

from domain.games.battle_of_the_bakeries.rules.model import (
    BONUS_STEP,
    POSITIONS,
    SETS,
    BonusTaken,
    Card,
    CardFlipped,
    ChefHired,
    ChooseTurnOrder,
    DieRolled,
    Fact,
    FlipCard,
    HireDeclared,
    HireFailed,
    HiringClosed,
    LastChanceDenied,
    LastChanceFailed,
    LastChanceOpened,
    Pair,
    State,
    TurnBegan,
    TurnEnded,
    TurnLost,
    TurnOrderChosen,
    other,
)
from domain.games.battle_of_the_bakeries.rules.reducer import having
from domain.games.battle_of_the_bakeries.rules.refusals import refuse
from domain.games.battle_of_the_bakeries.rules.sets import allowed_after, completed, hopeless, is_chef
from domain.games.battle_of_the_bakeries.rules.stocking import first_cake
from domain.kernel.chance import Chance
from domain.kernel.game import Seat


def choose_turn_order(state: State, seat: Seat, move: ChooseTurnOrder) -> list[Fact]:
    """S5 The chooser goes first or second; whoever goes first is the starter."""
    starter = seat if move.go == "first" else other(seat)
    return [TurnOrderChosen(seat, starter), TurnBegan(starter, state.turn + 1)]


# -- a turn -------------------------------------------------------------------------------------------------------


def roll_die(state: State, seat: Seat, chance: Chance) -> list[Fact]:
    """H2 to H4. The k-th five of the round offers 500 + 250 x (k - 1)."""
    value = chance.die()  # C3
    offer = BONUS_STEP * (state.fives + 2) if value == 5 else 0
    return [DieRolled(seat, value, offer)]


def take_bonus(state: State, seat: Seat, chance: Chance) -> list[Fact]:
    """H3 The money, and no card."""
    return [BonusTaken(seat, state.bonus_offer), *end_of_turn(state, seat, chance)]


def stop_flipping(state: State, seat: Seat, chance: Chance) -> list[Fact]:
    """H4 Enough seen. Raises IllegalMove `must_flip_more`."""
    if len(state.face_up) < state.flips_min:
        raise refuse("must_flip_more", "H2")
    return end_of_turn(state, seat, chance)


def may_stop(state: State) -> bool:
    """H4 Whether enough cards are turned over."""
    return len(state.face_up) >= state.flips_min


def flippable(state: State) -> Iterator[int]:
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


def flip_card(state: State, seat: Seat, move: FlipCard, chance: Chance) -> list[Fact]:
    """H5, H9, L3 A card is turned over, and what follows from it. Raises IllegalMove as `check_flip`."""
    check_flip(state, move.position)
    fact = CardFlipped(seat, move.position, card_at(state, move.position))
    positions = (*state.face_up, move.position)
    if state.phase == "last_chance":
        return [fact, *after_chance_flip(state, seat, positions, chance)]
    if state.step == "attempt":
        return [fact, *after_attempt_flip(state, seat, positions, chance)]
    if len(positions) < state.flips_max:
        return [fact]
    return [fact, *end_of_turn(state, seat, chance, positions)]  # H6


def card_at(state: State, position: int) -> Card:
    """The card that lies at a position."""
    assert state.layout is not None
    return state.layout[position]


def end_of_turn(
    state: State, seat: Seat, chance: Chance, face_up: Sequence[int] | None = None, failed: bool = False
) -> list[Fact]:
    """5.3 END OF TURN: cards are turned back; then the limit (H11), or lost turns are paid and a turn begins (H10)."""
    turned_back = tuple(state.face_up if face_up is None else face_up)
    facts: list[Fact] = [HireFailed(seat)] if failed else []
    facts.append(TurnEnded(seat, turned_back))
    if state.turns_done + 1 >= state.options.turn_limit:
        return facts + close_hiring(state, (1, 1), None, chance)  # T2
    skips = having(state.skips, seat, state.skips[seat] + failed)
    following = other(seat)
    while skips[following] > 0:  # H10, R23
        facts.append(TurnLost(following))
        skips = having(skips, following, skips[following] - 1)
        following = other(following)
    return [*facts, TurnBegan(following, state.turn + 1)]


# -- hiring -------------------------------------------------------------------------------------------------------


def declare_hire(seat: Seat) -> list[Fact]:
    """H1 An attempt instead of a roll."""
    return [HireDeclared(seat)]


def after_attempt_flip(state: State, seat: Seat, positions: tuple[int, ...], chance: Chance) -> list[Fact]:
    """H9 The attempt fails, succeeds or goes on."""
    cards = tuple(card_at(state, position) for position in positions)
    if not is_chef(cards[0]) or hopeless(cards, SETS):
        return end_of_turn(state, seat, chance, positions, failed=True)
    multiplier = completed(cards, SETS)
    if multiplier is None:
        return []
    hired = ChefHired(seat, multiplier, positions, cards)
    return [hired, *open_last_chance(state, seat, multiplier, chance)]


def open_last_chance(state: State, finder: Seat, multiplier: int, chance: Chance) -> list[Fact]:
    """L1, L2 The other seat's chance, or none."""
    allowed = allowed_after(multiplier, state.options)
    if allowed:
        return [LastChanceOpened(other(finder), allowed)]
    multipliers = having(state.multipliers, finder, multiplier)
    return [LastChanceDenied(other(finder)), *close_hiring(state, multipliers, finder, chance)]


def after_chance_flip(state: State, seat: Seat, positions: tuple[int, ...], chance: Chance) -> list[Fact]:
    """L3 The last chance is used, gone or goes on."""
    cards = tuple(card_at(state, position) for position in positions)
    multiplier = completed(cards, state.allowed)
    if multiplier is not None:
        hired = ChefHired(seat, multiplier, positions, cards)
        multipliers = having(state.multipliers, seat, multiplier)
        return [hired, *close_hiring(state, multipliers, state.finder, chance)]
    if hopeless(cards, state.allowed):
        return [LastChanceFailed(seat, False), *close_hiring(state, state.multipliers, state.finder, chance)]
    return []


def decline_last_chance(state: State, seat: Seat, chance: Chance) -> list[Fact]:
    """L4 The seat stays at 1."""
    return [LastChanceFailed(seat, True), *close_hiring(state, state.multipliers, state.finder, chance)]


def close_hiring(state: State, multipliers: Pair[int], finder: int | None, chance: Chance) -> list[Fact]:
    """L6, K1 Phase one is over; the seat that is not the opener draws the first cake."""
    opener = opener_of(finder, state.starter)
    return [HiringClosed(state.round, multipliers, finder), first_cake(other(opener), chance)]


def opener_of(finder: int | None, starter: int | None) -> Seat:
    """L6 The finder, or the starter where nobody found a chef (R37)."""
    if finder is not None:
        return finder
    return starter or 0
