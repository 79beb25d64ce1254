"""The game's part in tree search: moves to consider, rollout policy, end of a rollout, and evaluation."""

from collections.abc import Iterable
from math import exp

from domain.games.bakers_brawl.bot.evaluation import HELP_WEIGHT, MoveEvaluator, Weights
from domain.games.bakers_brawl.bot.strategy import best_move
from domain.games.bakers_brawl.rules.model import State, View
from domain.games.bakers_brawl.rules.moves import (
    Move,
)
from domain.games.bakers_brawl.rules.scoring import help_points, orders_helped, total_score
from domain.kernel.chance import Chance
from domain.kernel.game import Insight, Seat

COLLECTOR = Weights(unseen=0.1, too_late=0.5, in_hand=1.0)
"""Weights tuned in matches against the greedy player. They expect little from unseen cards, so the player collects a
hand first."""
MOVES_AHEAD = 3
FINAL_MARGIN_SPREAD, MARGIN_SPREAD_PER_ORDER = 2.0, 0.5
"""Spread of the final margin in points: at the end of the game, plus an amount for each Order still to come."""


def policy(view: View, seat: Seat, legal: Iterable[Move], chance: Chance) -> Move:
    """Return the move with the highest value for the collecting player."""
    return best_move(MoveEvaluator(view, seat, COLLECTOR), legal, chance)


def consider(view: View, seat: Seat, legal: Iterable[Move], chance: Chance, most: int) -> list[Move]:
    """Return the moves with the highest values for the collecting player, with ties in random order."""
    outlook = MoveEvaluator(view, seat, COLLECTOR)
    weights = {move: outlook.weigh(move) for move in chance.shuffle(outlook.moves_to_weigh(legal))}
    return sorted(weights, key=weights.__getitem__, reverse=True)[:most]


def enough(state: State, made: int) -> bool:
    """Return whether the searching seat has made enough moves in a rollout."""
    return made >= MOVES_AHEAD


def hope(state: State, seat: Seat) -> float:
    """Estimate the chance of winning from the current margins and the number of Orders still to come."""
    worth = [prospective_total(state, one) if baker.active else -100.0 for one, baker in enumerate(state.seats)]
    mine = worth.pop(seat)
    stray = FINAL_MARGIN_SPREAD + MARGIN_SPREAD_PER_ORDER * (len(state.order_deck) + len(state.order_line))
    return 1 / (1 + sum(exp(min(50.0, (rival - mine) / stray)) for rival in worth))


def prospective_total(state: State, seat: Seat) -> float:
    """Return the seat's total if the game ended now, counting half a help bonus for every Order helped."""
    orders = len(orders_helped(state.completed, seat))
    return total_score(state, seat) - help_points(orders) + HELP_WEIGHT * orders


INSIGHT: Insight[State, Move, View] = Insight(consider=consider, enough=enough, hope=hope, iterations=24, policy=policy)
