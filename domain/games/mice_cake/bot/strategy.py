"""The greedy player (rules, section 14): weighs the columns and sends its mice where they gain most."""

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
"""How far a guessed player strays from the best spread (item 8): a little, for the search takes others to be greedy."""


class AssignmentWeights(Value, frozen=True):
    """What mice are worth in each column for a seat; on the 0-0 it depends on the domino to steal."""

    columns: tuple[Weights, ...]
    blank: int | None
    matches: Matches

    def weight_of(self, move: AssignMice) -> int:
        """The weight of an assignment."""
        mice = move.columns.counts()
        weight = sum(weights[count] for weights, count in zip(self.columns, mice, strict=True))
        if self.blank is None or move.steal_target is None:
            return weight
        return weight + steal_weights(move.steal_target, self.matches)[mice[self.blank]]


def weigh_columns(view: View, name: SeatName, rivals: Columns) -> AssignmentWeights:
    """What mice are worth to a seat if the other seat assigns like this."""
    fronts = [nearest_cell(cells, name) for cells in view.cake.values()]
    blank = next((n for n, cell in enumerate(fronts) if is_face_up_blank(cell)), None)
    columns = tuple(
        column_weights(view, column, cell, rivals.of(column)) for column, cell in zip(COLUMNS, fronts, strict=True)
    )
    return AssignmentWeights(columns, blank, view.options.matches)


def column_weights(view: View, column: Column, cell: Cell | None, rivals: int) -> Weights:
    """What 0 to 4 mice are worth in this column."""
    if cell is None or is_face_up_blank(cell):
        return (0,) * (MICE_PER_SEAT + 1)
    if not cell.up:
        return hidden_weights(view.unseen, view.options.matches)
    if rivals and len(view.cake.of(column)) == 1:
        return contest_weights(cell.visible_piece, rivals, view.options)
    return front_weights(cell.visible_piece, view.options.matches)


def best_assignment(weighing: AssignmentWeights, moves: Sequence[AssignMice], chance: Chance) -> AssignMice:
    """The assignment of most weight; chance breaks ties."""
    weights = [weighing.weight_of(move) for move in moves]
    most = max(weights)
    return chance.pick([move for move, weight in zip(moves, weights, strict=True) if weight == most])


def greedy(view: View, seat: Seat, legal: Iterable[Move], chance: Chance) -> Move:
    """The best-weighed assignment, against what the same rule without contests suggests to the other seat."""
    name = SEATS[seat]
    moves = [move for move in legal if isinstance(move, AssignMice)]
    return best_assignment(weigh_columns(view, name, feared_assignment(view, name, chance)), moves, chance)


def feared_assignment(view: View, name: SeatName, chance: Chance) -> Columns:
    """Where a greedy player fears the other seat's mice: only contests matter to it."""
    return expected_assignment(view, opponent_of(name), chance) if has_contest(view) else Columns()


def has_contest(view: View) -> bool:
    """Whether a column is down to one domino that both seats may want (T9)."""
    return any(len(cells) == 1 and cells[0].piece != BLANK for cells in view.cake.values())


def expected_assignment(view: View, name: SeatName, chance: Chance) -> Columns:
    """The assignment that the greedy rule without contests makes for a seat; none if it owes none."""
    found = foresee_assignment(view, name, Columns(), chance)
    return found.columns if found else Columns()


def foresee_assignment(view: View, name: SeatName, rivals: Columns, chance: Chance) -> AssignMice | None:
    """What a greedy player does at a seat that fears these mice of the other one; None if it owes nothing."""
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
    """The domino most worth stealing with the mice on the 0-0; None without mice there."""
    mice = 0 if weighing.blank is None else columns.counts()[weighing.blank]
    if not mice:
        return None
    return max(targets, key=lambda target: steal_weights(target, weighing.matches)[mice])


def sample_assignment(view: View, name: SeatName, moves: Sequence[AssignMice], chance: Chance) -> AssignMice:
    """A likely assignment of a seat, each drawn with weight exp(score / SOFTNESS) (section 14, sampling)."""
    weighing = weigh_columns(view, name, Columns())
    scores = [weighing.weight_of(move) / POINT for move in moves]
    top = max(scores)
    tickets = [1 + int(1_000_000 * exp((score - top) / SOFTMAX_TEMPERATURE)) for score in scores]
    drawn = chance.below(sum(tickets))
    for move, count in zip(moves, tickets, strict=True):
        if drawn < count:
            return move
        drawn -= count
    raise AssertionError("a draw lies below the number of tickets")
