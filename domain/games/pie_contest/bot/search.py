"""What a search needs from the game: which moves to consider, how a rollout goes on and stops, and who is ahead."""

from collections.abc import Iterable
from math import exp

from domain.games.pie_contest.bot.evaluation import MoveEvaluator, Weights
from domain.games.pie_contest.bot.strategy import best_move
from domain.games.pie_contest.rules.model import Baker, State, View
from domain.games.pie_contest.rules.moves import Move
from domain.games.pie_contest.rules.pie_values import pie_value
from domain.kernel.chance import Chance
from domain.kernel.game import Insight, Seat

PATIENT = Weights(
    good=(14, 13, 13),
    full=(9, 13, 11),
    bake=1.71,
    bake_card=9.59,
    spare_bake=3.23,
    first_salt=4.34,
    ready_salt=1.96,
    second_salt=-9.62,
    last_slot=-42.73,
    achieved=1.77,
    rival=0.18,
    more_plays=0.59,
    stolen=1.38,
    salvaged=0.73,
    in_hand=0.46,
    drawn=0.9,
)
"""Found by playing against the greedy player: above all it waits for better Pies, since every later Bake of a rival
costs an early one four points."""
MOVES_AHEAD = 2
BEST_PIE_WEIGHT, PIE_COUNT_WEIGHT, KITCHEN_WEIGHT = 0.11, -0.57, 0.055
"""What a point of the best Pie, a Pie, and a point of what the Kitchen would be as a Pie add to the logarithm of the
odds. Of equal bests the one with fewer Pies behind it can still be topped. Fitted to 250 matches."""


def policy(view: View, seat: Seat, legal: Iterable[Move], chance: Chance) -> Move:
    """The best-weighed move of a patient player."""
    return best_move(MoveEvaluator(view, seat, PATIENT), legal, chance)


def consider(view: View, seat: Seat, legal: Iterable[Move], chance: Chance, most: int) -> list[Move]:
    """The best-weighed moves of a patient player; answers and trims as its weights have them."""
    outlook = MoveEvaluator(view, seat, PATIENT)
    if view.question(seat) is not None or view.phase == "trim":
        return [best_move(outlook, legal, chance)]
    weights = {move: outlook.weigh(move) for move in chance.shuffle(outlook.moves_to_weigh(legal, chance))}
    return sorted(weights, key=weights.__getitem__, reverse=True)[:most]


def enough(state: State, made: int) -> bool:
    """A rollout sees so many moves of the seat that thinks."""
    return made >= MOVES_AHEAD


def hope(state: State, seat: Seat) -> float:
    """From the best Pies, how many there are, and what lies in the Kitchens; little of the end can be seen early."""
    prospects = [-50.0 if one in state.out else win_log_odds(baker) for one, baker in enumerate(state.seats)]
    most = max(prospects)
    odds = [exp(one - most) for one in prospects]
    return odds[seat] / sum(odds)


def win_log_odds(baker: Baker) -> float:
    """A baker's odds of winning, as a logarithm."""
    best = max((pie.value for pie in baker.pies), default=0)
    return BEST_PIE_WEIGHT * best + PIE_COUNT_WEIGHT * len(baker.pies) + KITCHEN_WEIGHT * pie_value(baker.kitchen)


ITERATIONS = 1
"""The policy alone: so little of the end can be seen early that a search of 24 short rollouts made it weaker."""
INSIGHT: Insight[State, Move, View] = Insight(
    consider=consider, enough=enough, hope=hope, iterations=ITERATIONS, policy=policy
)
