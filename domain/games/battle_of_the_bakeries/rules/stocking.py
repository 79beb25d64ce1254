"""Phase two: cakes are drawn from the store and put into both cases (rules K1 to K6)."""

from collections.abc import Iterator, Sequence

from domain.games.battle_of_the_bakeries.rules.components import FULL_STORE
from domain.games.battle_of_the_bakeries.rules.facts import CakeDrawn, CakePlaced, SaleOpened
from domain.games.battle_of_the_bakeries.rules.model import Case, State
from domain.games.battle_of_the_bakeries.rules.moves import PlaceCake
from domain.games.battle_of_the_bakeries.rules.parts import CAKES, SEATS, SLOTS, opponent_of
from domain.games.battle_of_the_bakeries.rules.reducer import Recorder, with_slot, with_value
from domain.games.battle_of_the_bakeries.rules.refusals import refuse
from domain.kernel.chance import Chance
from domain.kernel.game import Seat


def first_cake(seat: Seat, chance: Chance) -> CakeDrawn:
    """K1 The first cake out of the full store."""
    return draw_cake(FULL_STORE, seat, chance)


def draw_cake(store: Sequence[int], seat: Seat, chance: Chance) -> CakeDrawn:
    """K2, C4 A cake uniformly at random from those left, for this seat to place."""
    left = sum(store)
    rest = chance.below(left)
    for cake, copies in zip(CAKES, store, strict=True):
        if rest < copies:
            return CakeDrawn(seat, cake, left - 1)
        rest -= copies
    raise AssertionError("a draw below the number of cakes falls on one of them")


def placements(state: State) -> Iterator[PlaceCake]:
    """K3 Every empty slot of both cases; a full case has none (K5)."""
    for case in SEATS:
        for slot, cake in zip(SLOTS, state.cases[case], strict=True):
            if cake is None:
                yield PlaceCake(case, slot)


def place_cake(recorder: Recorder, seat: Seat, move: PlaceCake) -> None:
    """K3 to K6 The drawn cake goes into a slot, and the next one is drawn. Raises IllegalMove `slot_filled`."""
    state = recorder.state
    if state.cases[move.case][move.slot - 2] is not None:
        raise refuse("slot_filled", "K3")
    assert state.drawn is not None
    recorder.emit(CakePlaced(seat, move.case, move.slot, state.drawn))
    filled = with_value(state.cases, move.case, with_slot(state.cases[move.case], move.slot, state.drawn))
    following = next_to_place(filled, seat)
    if following is None:
        opener = state.finder if state.finder is not None else state.starter
        recorder.emit(SaleOpened(opener or 0))  # K6, M1
    else:
        recorder.emit(draw_cake(state.store, following, recorder.chance))


def next_to_place(cases: tuple[Case, Case], seat: Seat) -> Seat | None:
    """K4, K5 The other seat while both cases have room, then the owner of the one that has; None after the last."""
    roomy = [owner for owner in SEATS if None in cases[owner]]
    if len(roomy) == len(SEATS):
        return opponent_of(seat)
    return roomy[0] if roomy else None
