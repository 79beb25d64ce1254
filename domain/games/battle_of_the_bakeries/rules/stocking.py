"""Phase two: drawing cakes from the store and placing them in the cases (rules K1 to K6)."""

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
    """Return the draw of the first cake from the full store (K1)."""
    return draw_cake(FULL_STORE, seat, chance)


def draw_cake(store: Sequence[int], seat: Seat, chance: Chance) -> CakeDrawn:
    """Return a draw, uniform over the cakes left, for this seat to place (K2, C4)."""
    left = sum(store)
    rest = chance.use(f"cake/{seat}").below(left)
    for cake, copies in zip(CAKES, store, strict=True):
        if rest < copies:
            return CakeDrawn(seat, cake, left - 1)
        rest -= copies
    raise AssertionError("the draw exceeds the number of cakes left")


def placements(state: State) -> Iterator[PlaceCake]:
    """Yield a placement for every empty slot of both cases (K3, K5)."""
    for case in SEATS:
        for slot, cake in zip(SLOTS, state.cases[case], strict=True):
            if cake is None:
                yield PlaceCake(case, slot)


def place_cake(recorder: Recorder, seat: Seat, move: PlaceCake) -> None:
    """Place the drawn cake, then draw the next or open the sale (K3 to K6). Raise IllegalMove `slot_filled`."""
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
    """Return the seat that places the next cake, or None if both cases are full (K4, K5)."""
    roomy = [owner for owner in SEATS if None in cases[owner]]
    if len(roomy) == len(SEATS):
        return opponent_of(seat)
    return roomy[0] if roomy else None
