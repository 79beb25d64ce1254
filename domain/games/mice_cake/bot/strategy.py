"""The greedy bot (rules, section 14), which sends its mice where their expected gain is highest."""

from collections.abc import Iterable, Sequence
from math import exp

from domain.games.mice_cake.bot.column_weights import (
    POINT,
    Weights,
    contest_weights,
    front_weights,
    hidden_weights,
    steal_weights,
)
from domain.games.mice_cake.rules.attempts import is_face_up_blank, nearest_cell
from domain.games.mice_cake.rules.decider import enumerate_splits
from domain.games.mice_cake.rules.model import View
from domain.games.mice_cake.rules.moves import AssignMice, Move
from domain.games.mice_cake.rules.odds import Matches
from domain.games.mice_cake.rules.parts import (
    BLANK,
    COLUMNS,
    MICE_PER_SEAT,
    SEATS,
    Cell,
    Column,
    Columns,
    Piece,
    SeatName,
    opponent_of,
)
from domain.kernel.chance import Chance
from domain.kernel.game import Seat
from domain.kernel.values import Value

SOFTMAX_TEMPERATURE = 0.3
"""Temperature for sampling assignments (item 8). It is low because the search assumes greedy opponents."""


class AssignmentWeights(Value, frozen=True):
    """The weights of a seat's mice in each column. At the 0-0 (column `blank`) they depend on the steal target."""

    columns: tuple[Weights, ...]
    blank: int | None
    matches: Matches

    def weight_of(self, move: AssignMice) -> int:
        """Return the weight of an assignment."""
        mice = move.columns.counts()
        weight = sum(weights[count] for weights, count in zip(self.columns, mice, strict=True))
        if self.blank is None or move.steal_target is None:
            return weight
        return weight + steal_weights(move.steal_target, self.matches)[mice[self.blank]]


def weigh_columns(view: View, name: SeatName, rivals: Columns) -> AssignmentWeights:
    """Return a seat's weights if the other seat sends these mice."""
    fronts = [nearest_cell(cells, name) for cells in view.cake.values()]
    blank = next((n for n, cell in enumerate(fronts) if is_face_up_blank(cell)), None)
    columns = tuple(
        column_weights(view, column, cell, rivals.of(column)) for column, cell in zip(COLUMNS, fronts, strict=True)
    )
    return AssignmentWeights(columns, blank, view.options.matches)


def column_weights(view: View, column: Column, cell: Cell | None, rivals: int) -> Weights:
    """Return the weights of 0 to 4 mice in this column."""
    if cell is None or is_face_up_blank(cell):
        return (0,) * (MICE_PER_SEAT + 1)
    if not cell.up:
        return hidden_weights(view.unseen, view.options.matches)
    if rivals and len(view.cake.of(column)) == 1:
        return contest_weights(cell.visible_piece, rivals, view.options)
    return front_weights(cell.visible_piece, view.options.matches)


def best_assignment(weighing: AssignmentWeights, moves: Sequence[AssignMice], chance: Chance) -> AssignMice:
    """Return the assignment with the highest weight; ties are broken at random."""
    weights = [weighing.weight_of(move) for move in moves]
    most = max(weights)
    return chance.pick([move for move, weight in zip(moves, weights, strict=True) if weight == most])


def greedy(view: View, seat: Seat, legal: Iterable[Move], chance: Chance) -> Move:
    """Return the best assignment against the other seat's expected one, which ignores contests."""
    name = SEATS[seat]
    moves = [move for move in legal if isinstance(move, AssignMice)]
    return best_assignment(weigh_columns(view, name, feared_assignment(view, name, chance)), moves, chance)


def feared_assignment(view: View, name: SeatName, chance: Chance) -> Columns:
    """Return the other seat's expected mice, or no mice if there is no contest to consider."""
    return expected_assignment(view, opponent_of(name), chance) if has_contest(view) else Columns()


def has_contest(view: View) -> bool:
    """Return whether a column is down to one domino other than the 0-0 (T9)."""
    return any(len(cells) == 1 and cells[0].piece != BLANK for cells in view.cake.values())


def expected_assignment(view: View, name: SeatName, chance: Chance) -> Columns:
    """Return a seat's greedy assignment without contests, or no mice if it owes none."""
    found = foresee_assignment(view, name, Columns(), chance)
    return found.columns if found else Columns()


def foresee_assignment(view: View, name: SeatName, rivals: Columns, chance: Chance) -> AssignMice | None:
    """Return a seat's greedy assignment against these rival mice, or None if it owes none."""
    if name not in view.to_assign:
        return None
    weighing = weigh_columns(view, name, rivals)
    targets = view.stash.of(opponent_of(name))
    moves = [
        AssignMice(columns, best_steal_target(weighing, columns, targets))
        for columns in enumerate_splits(view.ready.of(name), view.open.of(name))
    ]
    return best_assignment(weighing, moves, chance)


def best_steal_target(weighing: AssignmentWeights, columns: Columns, targets: Sequence[Piece]) -> Piece | None:
    """Return the best steal target for the mice on the 0-0, or None without mice there."""
    mice = 0 if weighing.blank is None else columns.counts()[weighing.blank]
    if not mice:
        return None
    return max(targets, key=lambda target: steal_weights(target, weighing.matches)[mice])


def sample_assignment(view: View, name: SeatName, moves: Sequence[AssignMice], chance: Chance) -> AssignMice:
    """Return a random assignment, drawn with weight exp(score / SOFTMAX_TEMPERATURE) (section 14, item 8)."""
    weighing = weigh_columns(view, name, Columns())
    scores = [weighing.weight_of(move) / POINT for move in moves]
    top = max(scores)
    tickets = [1 + int(1_000_000 * exp((score - top) / SOFTMAX_TEMPERATURE)) for score in scores]
    drawn = chance.below(sum(tickets))
    for move, count in zip(moves, tickets, strict=True):
        if drawn < count:
            return move
        drawn -= count
    raise AssertionError("the draw must be below the number of tickets")
