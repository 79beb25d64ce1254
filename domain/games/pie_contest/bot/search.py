"""Game-specific parts of the search: candidate moves, rollout policy, rollout length, and evaluation."""

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
"""Weights tuned by playing against the greedy player. Above all they wait for better Pies, because every later Bake by
a rival costs an early Pie four points."""
MOVES_AHEAD = 2
BEST_PIE_WEIGHT, PIE_COUNT_WEIGHT, KITCHEN_WEIGHT = 0.11, -0.57, 0.055
"""Contributions to the log odds of winning: per point of the best Pie, per Pie, and per point of the Kitchen as a Pie.
The number of Pies counts against a baker. Fitted to 250 matches."""


def policy(view: View, seat: Seat, legal: Iterable[Move], chance: Chance) -> Move:
    """Return the best move by the weights of the patient player."""
    return best_move(MoveEvaluator(view, seat, PATIENT), legal, chance)


def consider(view: View, seat: Seat, legal: Iterable[Move], chance: Chance, most: int) -> list[Move]:
    """Return up to `most` moves, best first by the patient weights. Choices and trims get a single move."""
    outlook = MoveEvaluator(view, seat, PATIENT)
    if view.question(seat) is not None or view.phase == "trim":
        return [best_move(outlook, legal, chance)]
    weights = {move: outlook.weigh(move) for move in chance.shuffle(outlook.moves_to_weigh(legal, chance))}
    return sorted(weights, key=weights.__getitem__, reverse=True)[:most]


def enough(state: State, made: int) -> bool:
    """Return whether a rollout has reached its number of moves by the searching seat."""
    return made >= MOVES_AHEAD


def hope(state: State, seat: Seat) -> float:
    """Return the estimated probability that a seat wins, from Pies and Kitchens. It is rough early in a match."""
    prospects = [-50.0 if one in state.out else win_log_odds(baker) for one, baker in enumerate(state.seats)]
    most = max(prospects)
    odds = [exp(one - most) for one in prospects]
    return odds[seat] / sum(odds)


def win_log_odds(baker: Baker) -> float:
    """Return the log odds of a baker winning, up to a common constant."""
    best = max((pie.value for pie in baker.pies), default=0)
    return BEST_PIE_WEIGHT * best + PIE_COUNT_WEIGHT * len(baker.pies) + KITCHEN_WEIGHT * pie_value(baker.kitchen)


ITERATIONS = 1
"""1 means the policy alone. A search with 24 short rollouts was weaker, since the estimate is rough early on."""
INSIGHT: Insight[State, Move, View] = Insight(
    consider=consider, enough=enough, hope=hope, iterations=ITERATIONS, policy=policy
)
