"""Folding facts into state (rules, 5.2). Accepts any fact in any state, and makes no draws."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from msgspec.structs import replace

from domain.games.battle_of_the_bakeries.rules.components import CAKE_INDEX, FULL_STORE, STALE_CARDS
from domain.games.battle_of_the_bakeries.rules.facts import (
    BonusTaken,
    CakeDrawn,
    CakePlaced,
    CakeSold,
    CardFlipped,
    CatchUpOpened,
    CatchUpTried,
    ChefHired,
    ChefsLaidOut,
    DiceRolled,
    DieRolled,
    Fact,
    GameCreated,
    GameEnded,
    HireDeclared,
    HireFailed,
    HiringClosed,
    LastChanceFailed,
    LastChanceOpened,
    OrderRolledOff,
    PositionSet,
    RoundBegan,
    RoundScored,
    SaleClosed,
    SaleOpened,
    StaleDue,
    StalePlaced,
    StaleWaived,
    TurnBegan,
    TurnEnded,
    TurnLost,
    TurnOrderChosen,
)
from domain.games.battle_of_the_bakeries.rules.model import NO_CAKES, NO_STALE, State
from domain.games.battle_of_the_bakeries.rules.parts import SEATS, SLOT_KEYS, SLOTS, Cake, Pair, SlotKey, opponent_of
from domain.games.battle_of_the_bakeries.rules.scoring import score_lines
from domain.kernel.game import Seat
from domain.kernel.recorder import FactRecorder

T = TypeVar("T")

Recorder = FactRecorder[State, Fact]
"""Collects the facts of a move and folds each of them."""


def evolve(state: State, fact: Fact) -> State:
    """Return the state after one fact."""
    lines = score_lines(state, fact)
    ledger = state.ledger + lines if lines else state.ledger
    counted = replace(state, folded=state.folded + 1, ledger=ledger)
    row = APPLY_BY_FACT.get(type(fact))
    return row(counted, fact) if row else counted


def fold(state: State, facts: Sequence[Fact]) -> State:
    """Return the state after these facts."""
    for fact in facts:
        state = evolve(state, fact)
    return state


# -- phase one ----------------------------------------------------------------------------------------------------


def apply_bonus_taken(state: State, fact: BonusTaken) -> State:
    """Add the money for a 5 to the score (H3)."""
    return replace(state, scores=with_value(state.scores, fact.seat, for_seat(state.scores, fact.seat) + fact.amount))


def add_turns_owed(state: State, seat: Seat, turns: int) -> State:
    """Change the number of turns that a seat has to miss."""
    return replace(state, skips=with_value(state.skips, seat, for_seat(state.skips, seat) + turns))


def apply_die_rolled(state: State, fact: DieRolled) -> State:
    """Set what the roll allows (H2 to H4) and move the roller's horizon (7.1)."""
    moved = move_horizon(state, fact.seat)
    if fact.value == 5:
        return replace(
            moved, step="five", flips_min=2, flips_max=2, fives=state.fives + 1, bonus_offer=fact.bonus_offer
        )
    least, most = (1, 4) if fact.value == 6 else (fact.value, fact.value)
    return replace(moved, step="flip", flips_min=least, flips_max=most, bonus_offer=0)


def apply_card_flipped(state: State, fact: CardFlipped) -> State:
    """Turn a card face up for both seats. The first one of a last chance also moves the horizon (7.1)."""
    if state.phase == "last_chance" and not state.face_up:
        state = move_horizon(state, fact.seat)
    first, second = state.open_faces
    return replace(
        state,
        step="flip" if state.step == "five" else state.step,
        face_up=(*state.face_up, fact.position),
        shown=with_position(state.shown, fact.position),
        open_faces=(with_position(first, fact.position), with_position(second, fact.position)),
    )


def move_horizon(state: State, seat: Seat) -> State:
    """Set a seat's horizon to the current fact, the last one counted (7.1)."""
    return replace(
        state,
        open_faces=with_value(state.open_faces, seat, ()),
        horizons=with_value(state.horizons, seat, state.folded - 1),
    )


def apply_chef_hired(state: State, fact: ChefHired) -> State:
    """Set the multiplier and remove the five cards from the board (H9, L3)."""
    first, second = (tuple(kept for kept in faces if kept not in fact.positions) for faces in state.open_faces)
    return replace(
        state,
        multipliers=with_value(state.multipliers, fact.seat, fact.multiplier),
        finder=fact.seat if state.phase == "hire" else state.finder,
        empty=tuple(sorted({*state.empty, *fact.positions})),
        open_faces=(first, second),
        face_up=(),
    )


def apply_hiring_closed(state: State, fact: HiringClosed) -> State:
    """Begin phase two with the full store and empty cases (L6, S6)."""
    return replace(
        state,
        phase="stock",
        step=None,
        multipliers=fact.multipliers,
        finder=fact.finder,
        store=FULL_STORE,
        drawn=None,
        cases=(NO_CAKES, NO_CAKES),
    )


def apply_sale_opened(state: State, fact: SaleOpened) -> State:
    """Begin phase three with nothing sold and no stale cakes (S7)."""
    return replace(
        state,
        phase="sale",
        step="roll",
        actor=fact.seat,
        stale=(NO_STALE, NO_STALE),
        stale_left=STALE_CARDS.copies,
        sold=((), ()),
        tabs=(0, 0),
        rolls=0,
    )


# -- phase two ----------------------------------------------------------------------------------------------------


def apply_cake_drawn(state: State, fact: CakeDrawn) -> State:
    """Take the drawn cake out of the store."""
    return replace(state, store=remove_cake(state.store, fact.cake), drawn=fact.cake, actor=fact.seat)


def apply_cake_placed(state: State, fact: CakePlaced) -> State:
    """Put the drawn cake in a slot."""
    filled = with_slot(for_seat(state.cases, fact.case), fact.slot, fact.cake)
    return replace(state, cases=with_value(state.cases, fact.case, filled), drawn=None)


def apply_cake_sold(state: State, fact: CakeSold) -> State:
    """Mark the slot as sold and set the tab; the other seat is next."""
    seat = fact.seat
    sold = with_value(state.sold, seat, (*for_seat(state.sold, seat), fact.slot))
    return replace(state, sold=sold, tabs=with_value(state.tabs, seat, fact.tab), actor=opponent_of(seat))


def apply_stale_placed(state: State, fact: StalePlaced) -> State:
    """Put a stale card on a slot; the same seat rolls next."""
    marked = with_slot(for_seat(state.stale, fact.case), fact.slot, fact.stale)
    stale = with_value(state.stale, fact.case, marked)
    return replace(state, stale=stale, stale_left=fact.left, step="roll", actor=fact.seat)


def apply_sale_closed(state: State, fact: SaleClosed) -> State:
    """Count the round for its winner, if there is one."""
    if fact.seat is None:
        return replace(state, actor=None)
    won = with_value(state.rounds_won, fact.seat, for_seat(state.rounds_won, fact.seat) + 1)
    return replace(state, actor=None, rounds_won=won)


# -- starts -------------------------------------------------------------------------------------------------------


def apply_round_began(state: State, fact: RoundBegan) -> State:
    """Reset everything except options, scores, rounds won and the score sheet (S3, S8)."""
    return State(
        options=state.options,
        round=fact.round,
        scores=state.scores,
        rounds_won=state.rounds_won,
        ledger=state.ledger,
        folded=state.folded,
        round_at=state.folded - 1,
    )


def apply_position_set(state: State, fact: PositionSet) -> State:
    """Return the state of a position document; the store holds the cakes that are not placed or drawn."""
    cases = (NO_CAKES, NO_CAKES) if fact.cases is None else to_rows(fact.cases, None)
    store = FULL_STORE
    for cake in (*cases[0], *cases[1], fact.drawn):
        store = store if cake is None else remove_cake(store, cake)
    return State(
        options=fact.options,
        round=fact.round,
        phase=fact.phase,
        step=fact.step,
        actor=fact.actor,
        scores=fact.scores,
        rounds_won=fact.rounds_won,
        starter=fact.starter,
        finder=fact.finder,
        multipliers=fact.multipliers,
        layout=fact.layout,
        empty=fact.empty,
        face_up=fact.face_up,
        shown=fact.shown,
        open_faces=fact.open_faces,
        turn=fact.turn,
        turns_done=fact.turns_done,
        fives=fact.fives,
        skips=fact.skips,
        bonus_offer=fact.bonus_offer or 0,
        flips_min=fact.flips_min or 0,
        flips_max=fact.flips_max or 0,
        allowed=fact.allowed or (),
        store=store,
        drawn=fact.drawn,
        cases=cases,
        stale=(NO_STALE, NO_STALE) if fact.stale is None else to_rows(fact.stale, 0),
        stale_left=fact.stale_left or 0,
        sold=fact.sold or ((), ()),
        tabs=fact.tabs or (0, 0),
        rolls=fact.rolls or 0,
        percent=fact.percent or 0,
        tries=fact.tries or 0,
        ledger=state.ledger,
        folded=state.folded,
        round_at=state.folded - 1,
    )


# -- helpers that accept any argument ----------------------------------------------------------------------------


def for_seat(pair: Pair[T], seat: Seat) -> T:
    """Return the value of a seat."""
    return pair[0] if seat == SEATS[0] else pair[1]


def with_value(pair: Pair[T], seat: Seat, value: T) -> Pair[T]:
    """Return the pair with a new value for a seat."""
    return (value, pair[1]) if seat == SEATS[0] else (pair[0], value)


def with_position(positions: tuple[int, ...], position: int) -> tuple[int, ...]:
    """Return the positions with one added, in ascending order."""
    return positions if position in positions else tuple(sorted((*positions, position)))


def with_slot(row: tuple[T, ...], slot: int, value: T) -> tuple[T, ...]:
    """Return a row of eleven slots with a new value in one of them."""
    return tuple(value if number == slot else old for number, old in zip(SLOTS, row, strict=True))


def to_rows(maps: Pair[Mapping[SlotKey, T]], missing: T) -> Pair[tuple[T, ...]]:
    """Return two maps by slot as two rows of eleven."""
    first, second = (tuple(by_slot.get(key, missing) for key in SLOT_KEYS) for by_slot in maps)
    return first, second


def remove_cake(store: tuple[int, ...], cake: Cake) -> tuple[int, ...]:
    """Return the store with one fewer of this cake."""
    drawn = CAKE_INDEX[cake]
    return tuple(count - (n == drawn) for n, count in enumerate(store))


APPLY_BY_FACT: dict[type, Callable[[State, Any], State]] = {
    # turns of phase one
    CardFlipped: apply_card_flipped,
    DieRolled: apply_die_rolled,
    TurnBegan: lambda state, fact: replace(state, actor=fact.seat, turn=fact.turn, step="start", face_up=()),
    TurnEnded: lambda state, fact: replace(state, face_up=(), turns_done=state.turns_done + 1),
    BonusTaken: apply_bonus_taken,
    TurnLost: lambda state, fact: add_turns_owed(state, fact.seat, -1),
    # attempts and the last chance
    HireDeclared: lambda state, fact: move_horizon(replace(state, step="attempt"), fact.seat),
    HireFailed: lambda state, fact: add_turns_owed(state, fact.seat, 1),
    ChefHired: apply_chef_hired,
    LastChanceOpened: lambda state, fact: replace(
        state, phase="last_chance", step=None, actor=fact.seat, allowed=fact.allowed
    ),
    LastChanceFailed: lambda state, fact: replace(state, face_up=()),
    HiringClosed: apply_hiring_closed,
    # cakes drawn and placed
    CakeDrawn: apply_cake_drawn,
    CakePlaced: apply_cake_placed,
    SaleOpened: apply_sale_opened,
    # rolls, sales, stale cards and the catch-up round
    DiceRolled: lambda state, fact: replace(state, rolls=state.rolls + 1),
    CakeSold: apply_cake_sold,
    StaleDue: lambda state, fact: replace(state, step="stale", actor=fact.seat),
    StaleWaived: lambda state, fact: replace(state, actor=opponent_of(fact.seat)),
    StalePlaced: apply_stale_placed,
    SaleClosed: apply_sale_closed,
    CatchUpOpened: lambda state, fact: replace(
        state, phase="catch_up", step=None, actor=fact.seat, percent=40, tries=0
    ),
    CatchUpTried: lambda state, fact: replace(state, tries=state.tries + 1, percent=fact.percent),
    # starts and ends of rounds and matches
    RoundScored: lambda state, fact: replace(state, scores=fact.scores, actor=None),
    RoundBegan: apply_round_began,
    ChefsLaidOut: lambda state, fact: replace(state, layout=fact.layout, shown=(), open_faces=((), ())),
    OrderRolledOff: lambda state, fact: replace(state, phase="order", step=None, actor=fact.chooser),
    TurnOrderChosen: lambda state, fact: replace(state, phase="hire", step=None, starter=fact.starter),
    GameCreated: lambda state, fact: replace(state, options=fact.options, scores=(0, 0), rounds_won=(0, 0)),
    PositionSet: apply_position_set,
    GameEnded: lambda state, fact: replace(
        state, phase="over", step=None, actor=None, winner=fact.winner, reason=fact.reason
    ),
}
"""The effect of each fact on the state. Facts not listed change only `folded` and `ledger` (rules, 5.2)."""
