"""The greedy player: plays the move with the greatest value."""

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
    """The best-weighed move; ties are broken by chance."""
    return best_move(MoveEvaluator(view, seat, GREEDY), legal, chance)


def best_move(outlook: "MoveEvaluator", legal: Iterable[Move], chance: Chance) -> Move:
    """The move that is worth most to this player."""
    weighed = [(outlook.weigh(move), move) for move in outlook.moves_to_weigh(legal)]
    best = max(weight for weight, _ in weighed)
    return chance.pick([move for weight, move in weighed if weight == best])
