"""What a search needs from the game: which moves to consider, how a rollout goes on and stops, and who is ahead."""

from collections.abc import Iterable
from math import exp, sqrt

from domain.games.battle_of_the_bakeries.bot.strategy import Plan, flip_for_plan, greedy, possible_plans
from domain.games.battle_of_the_bakeries.rules.model import HIDDEN_PHASES, State, View
from domain.games.battle_of_the_bakeries.rules.moves import (
    ChooseTurnOrder,
    DeclareHire,
    FlipCard,
    Move,
    RollDie,
)
from domain.games.battle_of_the_bakeries.rules.parts import (
    BONUS_STEP,
    opponent_of,
)
from domain.kernel.chance import Chance
from domain.kernel.game import Insight, Seat

DIE_SIDES = 6
MOVES_AHEAD = 10
MULTIPLIER = 900
"""What one more in the multiplier of a chef brings on average, in money."""
ROUND_MARGIN_SPREAD = 3500
"""How far the margin strays in a round still to be played."""
MIN_FREE_ATTEMPT_CHANCE = 1 / 8
"""From which chance on an attempt with unknown cards is worth a thought."""
CHEF_VALUES = {2: 2500, 3: 3600, 4: 4600, 5: 5400, 6: 5300}
"""What hiring this chef is worth beside the money for fives: less than it earns (3000 to 13000), since what goes beyond
winning the match is worth nothing; the 6x leaves the other seat the 5x."""


def policy(view: View, seat: Seat, legal: Iterable[Move], chance: Chance) -> Move:
    """Greedy, but it goes first and yet has the last turn before the board closes, where an attempt costs nothing.

    Careful players wait for each other in nine rounds of ten, so that this turn is often the only attempt of a round,
    and without a chef the seat that went first rolls first in the sale. It tries for what is worth the most, not for
    the likeliest: three wilds serve the lesser sets, two the 4x and 5x, and none the 6x.
    """
    moves = list(legal)
    if view.phase == "order" and not view.options.fresh_first:
        return ChooseTurnOrder("first")
    if view.phase == "hire" and view.step == "start":
        if gains_last_turn(view) or (is_last_turn(view) and beats_a_roll(view)):
            return DeclareHire()
        return RollDie() if is_last_turn(view) else greedy(view, seat, moves, chance)
    flips = {move.position: move for move in moves if isinstance(move, FlipCard)}
    if view.phase == "last_chance" or view.step == "attempt":
        return flip_for_plan(view, most_promising(view), flips, chance)
    return greedy(view, seat, moves, chance)


def gains_last_turn(view: View) -> bool:
    """Whether a failure in the very first turn, at the price of the next one, gives this seat the last turn."""
    first = not view.turns_done and not (view.skips and any(view.skips))
    return first and view.options.turn_limit % 2 == 0 and not view.options.fresh_first


def is_last_turn(view: View) -> bool:
    """Whether the board closes after this turn (T2)."""
    return (view.turns_done or 0) + 1 >= view.options.turn_limit


def most_promising(view: View) -> Plan | None:
    """The plan whose chef, times the chance to find it, is worth the most."""
    return max(possible_plans(view), key=plan_value, default=None)


def plan_value(choice: Plan) -> float:
    """What a plan is worth before it is tried."""
    return choice.chance * CHEF_VALUES[choice.multiplier]


def beats_a_roll(view: View) -> bool:
    """Whether an attempt that costs nothing else is worth more than a die, which brings money once in six times."""
    found = most_promising(view)
    offer = BONUS_STEP * ((view.fives or 0) + 2)
    return found is not None and plan_value(found) > offer / DIE_SIDES


def consider(view: View, seat: Seat, legal: Iterable[Move], chance: Chance, most: int) -> list[Move]:
    """Worth a thought: to roll or to try for a set of which not all is known. For the rest the policy knows enough."""
    moves = list(legal)
    first = policy(view, seat, moves, chance)
    if view.phase != "hire" or view.step != "start" or gains_last_turn(view) or is_last_turn(view):
        return [first]
    uncertain = any(choice.missing and choice.chance >= MIN_FREE_ATTEMPT_CHANCE for choice in possible_plans(view))
    return [first, *(move for move in moves if move != first)] if uncertain else [first]


def enough(state: State, made: int) -> bool:
    """A rollout sees who hires which chef in the next few turns."""
    return state.phase not in HIDDEN_PHASES or made >= MOVES_AHEAD


def hope(state: State, seat: Seat) -> float:
    """From the money, what the chefs will bring, and the rounds still to come."""
    rival = opponent_of(seat)
    margin = state.scores[seat] - state.scores[rival] + state.tabs[seat] - state.tabs[rival]
    margin += MULTIPLIER * (state.multipliers[seat] - state.multipliers[rival])
    return 1 / (1 + exp(-margin / (ROUND_MARGIN_SPREAD * sqrt(1 + state.options.rounds - state.round))))


INSIGHT: Insight[State, Move, View] = Insight(consider=consider, enough=enough, hope=hope, iterations=1, policy=policy)
