"""The start of a round: the shuffled board and the roll-off (rules S3 to S5, T1)."""

from domain.games.battle_of_the_bakeries.rules.facts import ChefsLaidOut, OrderRolledOff, RoundBegan
from domain.games.battle_of_the_bakeries.rules.model import State
from domain.games.battle_of_the_bakeries.rules.parts import CARDS, ROLL_OFF_PAIRS
from domain.games.battle_of_the_bakeries.rules.reducer import Recorder
from domain.kernel.chance import Chance


def begin_round(recorder: Recorder) -> None:
    """Begin the next round (S3, S4): draw the shuffle (C1), then the roll-off (C2)."""
    state, chance = recorder.state, recorder.chance
    number = state.round + 1
    layout = tuple(chance.use("chefs").shuffle(CARDS))
    recorder.emit(RoundBegan(number), ChefsLaidOut(number, layout), roll_off(state, chance))


def roll_off(state: State, chance: Chance) -> OrderRolledOff:
    """Return the roll-off (S4). With `trailing_chooses`, the lower score chooses after round one (R7)."""
    first, second = state.scores
    if state.options.round_order == "trailing_chooses" and state.round and first != second:
        return OrderRolledOff((), 0 if first < second else 1)
    left, right = chance.use("roll_off/0"), chance.use("roll_off/1")
    rolls: list[tuple[int, int]] = []
    while len(rolls) < ROLL_OFF_PAIRS:
        rolls.append((left.die(), right.die()))
        if rolls[-1][0] != rolls[-1][1]:
            return OrderRolledOff(tuple(rolls), 0 if rolls[-1][0] > rolls[-1][1] else 1)
    return OrderRolledOff(tuple(rolls), 0)  # T1
