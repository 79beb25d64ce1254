"""The greedy player: plays the move with the highest value."""

from collections.abc import Iterable

from domain.games.bakers_brawl.bot.evaluation import MoveEvaluator, Weights
from domain.games.bakers_brawl.rules.model import View
from domain.games.bakers_brawl.rules.moves import (
    Move,
)
from domain.kernel.chance import Chance
from domain.kernel.game import Seat

GREEDY = Weights()


def greedy(view: View, seat: Seat, legal: Iterable[Move], chance: Chance) -> Move:
    """Return the move with the highest value. Ties are broken at random."""
    return best_move(MoveEvaluator(view, seat, GREEDY), legal, chance)


def best_move(outlook: "MoveEvaluator", legal: Iterable[Move], chance: Chance) -> Move:
    """Return the move with the highest value for this player. Ties are broken at random."""
    weighed = [(outlook.weigh(move), move) for move in outlook.moves_to_weigh(legal)]
    best = max(weight for weight, _ in weighed)
    return chance.pick([move for weight, move in weighed if weight == best])
