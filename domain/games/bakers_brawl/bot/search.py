"""What a search needs from the game: which moves to consider, how a rollout goes on and stops, and who is ahead."""

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
"""Found by playing against the greedy player: it hopes for nothing that nobody has seen, and so gathers cards in its
hand first."""
MOVES_AHEAD = 3
FINAL_MARGIN_SPREAD, MARGIN_SPREAD_PER_ORDER = 2.0, 0.5
"""How far the margin in points still strays: at the end, and for each Order still to come."""


def policy(view: View, seat: Seat, legal: Iterable[Move], chance: Chance) -> Move:
    """The best-weighed move of a player who collects."""
    return best_move(MoveEvaluator(view, seat, COLLECTOR), legal, chance)


def consider(view: View, seat: Seat, legal: Iterable[Move], chance: Chance, most: int) -> list[Move]:
    """The best-weighed moves of a player who collects; of equal weight in an order that chance decides."""
    outlook = MoveEvaluator(view, seat, COLLECTOR)
    weights = {move: outlook.weigh(move) for move in chance.shuffle(outlook.moves_to_weigh(legal))}
    return sorted(weights, key=weights.__getitem__, reverse=True)[:most]


def enough(state: State, made: int) -> bool:
    """A rollout sees so many moves of the seat that thinks."""
    return made >= MOVES_AHEAD


def hope(state: State, seat: Seat) -> float:
    """From the margin over the best rival, were the game scored now, and the Orders still to come."""
    worth = [prospective_total(state, one) if baker.active else -100.0 for one, baker in enumerate(state.seats)]
    mine = worth.pop(seat)
    stray = FINAL_MARGIN_SPREAD + MARGIN_SPREAD_PER_ORDER * (len(state.order_deck) + len(state.order_line))
    return 1 / (1 + sum(exp(min(50.0, (rival - mine) / stray)) for rival in worth))


def prospective_total(state: State, seat: Seat) -> float:
    """The seat's points were the game scored now; every Order helped counts half a help bonus."""
    orders = len(orders_helped(state.completed, seat))
    return total_score(state, seat) - help_points(orders) + HELP_WEIGHT * orders


INSIGHT: Insight[State, Move, View] = Insight(consider=consider, enough=enough, hope=hope, iterations=24, policy=policy)
