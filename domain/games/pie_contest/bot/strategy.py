"""The greedy player, which plays the move with the highest value."""

from collections.abc import Iterable

from domain.games.pie_contest.bot.evaluation import MoveEvaluator, Weights
from domain.games.pie_contest.rules.model import View
from domain.games.pie_contest.rules.moves import Choose, Move, TrimHand
from domain.kernel.chance import Chance
from domain.kernel.game import Seat

GREEDY = Weights()


def greedy(view: View, seat: Seat, legal: Iterable[Move], chance: Chance) -> Move:
    """Return the move with the highest value. Ties are broken at random."""
    return best_move(MoveEvaluator(view, seat, GREEDY), legal, chance)


def best_move(outlook: "MoveEvaluator", legal: Iterable[Move], chance: Chance) -> Move:
    """Return the move with the highest value for this evaluator. Ties are broken at random."""
    view = outlook.view
    question = view.question(outlook.seat)
    if question is not None:
        return Choose(outlook.picks(question, chance))
    if view.phase == "trim":
        return TrimHand(tuple(sorted(outlook.least_useful(view.to_trim, chance))))
    weighed = [(outlook.weigh(move), move) for move in outlook.moves_to_weigh(legal, chance)]
    best = max(weight for weight, _ in weighed)
    return chance.pick([move for weight, move in weighed if weight == best])
