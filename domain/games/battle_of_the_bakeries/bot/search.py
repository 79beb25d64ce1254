"""Game knowledge for the search: candidate moves, rollout policy, rollout length and evaluation."""

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
"""Average money earned per point of chef multiplier."""
ROUND_MARGIN_SPREAD = 3500
"""Spread of the score margin per round still to play, in dollars."""
MIN_FREE_ATTEMPT_CHANCE = 1 / 8
"""Minimum chance at which an attempt with unknown cards is considered."""
CHEF_VALUES = {2: 2500, 3: 3600, 4: 4600, 5: 5400, 6: 5300}
"""Value of hiring each chef, on the scale of the money for a 5. Lower than what the chef earns (3000 to 13000),
because a bigger win is worth no more. The 6x is valued below the 5x because it leaves the 5x to the other seat."""


def policy(view: View, seat: Seat, legal: Iterable[Move], chance: Chance) -> Move:
    """Return the greedy move, except that this player goes first and still gets the last turn before the board closes.

    An attempt in that turn is free. Careful players wait for each other in nine rounds out of ten, so it is often the
    only attempt of a round. Without a chef, the starter rolls first in the sale. The attempt goes for the most valuable
    set rather than the likeliest: three wilds serve the 2x and 3x, two the 4x and 5x, none the 6x.
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
    """Return whether failing in the first turn, at the cost of the next one, would give this seat the last turn."""
    first = not view.turns_done and not (view.skips and any(view.skips))
    return first and view.options.turn_limit % 2 == 0 and not view.options.fresh_first


def is_last_turn(view: View) -> bool:
    """Return whether the board closes after this turn (T2)."""
    return (view.turns_done or 0) + 1 >= view.options.turn_limit


def most_promising(view: View) -> Plan | None:
    """Return the plan with the highest value of chef times chance."""
    return max(possible_plans(view), key=plan_value, default=None)


def plan_value(choice: Plan) -> float:
    """Return the expected value of a plan."""
    return choice.chance * CHEF_VALUES[choice.multiplier]


def beats_a_roll(view: View) -> bool:
    """Return whether a free attempt is worth more than a roll, which offers money one time in six."""
    found = most_promising(view)
    offer = BONUS_STEP * ((view.fives or 0) + 2)
    return found is not None and plan_value(found) > offer / DIE_SIDES


def consider(view: View, seat: Seat, legal: Iterable[Move], chance: Chance, most: int) -> list[Move]:
    """Return the policy's move, and alternatives when an attempt with unknown cards is worth considering."""
    moves = list(legal)
    first = policy(view, seat, moves, chance)
    if view.phase != "hire" or view.step != "start" or gains_last_turn(view) or is_last_turn(view):
        return [first]
    uncertain = any(choice.missing and choice.chance >= MIN_FREE_ATTEMPT_CHANCE for choice in possible_plans(view))
    return [first, *(move for move in moves if move != first)] if uncertain else [first]


def enough(state: State, made: int) -> bool:
    """Return whether a rollout can stop: hiring is over, or enough moves were made."""
    return state.phase not in HIDDEN_PHASES or made >= MOVES_AHEAD


def hope(state: State, seat: Seat) -> float:
    """Return the estimated chance of winning, from the money, the chefs and the rounds left."""
    rival = opponent_of(seat)
    margin = state.scores[seat] - state.scores[rival] + state.tabs[seat] - state.tabs[rival]
    margin += MULTIPLIER * (state.multipliers[seat] - state.multipliers[rival])
    return 1 / (1 + exp(-margin / (ROUND_MARGIN_SPREAD * sqrt(1 + state.options.rounds - state.round))))


INSIGHT: Insight[State, Move, View] = Insight(consider=consider, enough=enough, hope=hope, iterations=1, policy=policy)
