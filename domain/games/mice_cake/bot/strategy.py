"""What a good player does (rules, section 14), and what helps a search: which moves to try, and how a rollout goes."""

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
from domain.games.mice_cake.bot.evaluation import Promise, spread
from domain.games.mice_cake.bot.lookahead import Ahead, Sending, richest, seen
from domain.games.mice_cake.bot.rollout import ALL_PIPS, Rounds
from domain.games.mice_cake.rules.attempts import nearest, on_blank
from domain.games.mice_cake.rules.components import PIPS
from domain.games.mice_cake.rules.decider import spreads
from domain.games.mice_cake.rules.model import (
    BLANK,
    COLUMNS,
    MICE,
    SEATS,
    AssignMice,
    Cell,
    Column,
    Columns,
    Move,
    Name,
    Options,
    Piece,
    State,
    View,
    other,
)
from domain.games.mice_cake.rules.odds import Matches
from domain.kernel.chance import Chance
from domain.kernel.game import Insight, Seat
from domain.kernel.values import Value

SOFTNESS = 0.3
"""How far a guessed player strays from the best spread (item 8): a little, for the search takes others to be greedy."""


# -- a whole assignment -------------------------------------------------------------------------------------------


class Weighing(Value, frozen=True):
    """What mice are worth in each column for a seat; on the 0-0 it depends on the domino to steal."""

    columns: tuple[Weights, ...]
    blank: int | None
    matches: Matches

    def of(self, move: AssignMice) -> int:
        """The weight of an assignment."""
        mice = move.columns.each()
        weight = sum(weights[count] for weights, count in zip(self.columns, mice, strict=True))
        if self.blank is None or move.steal_target is None:
            return weight
        return weight + steal_weights(move.steal_target, self.matches)[mice[self.blank]]


def weigh(view: View, name: Name, rivals: Columns) -> Weighing:
    """What mice are worth to a seat if the other seat assigns like this."""
    fronts = [nearest(cells, name) for cells in view.cake.each()]
    blank = next((n for n, cell in enumerate(fronts) if on_blank(cell)), None)
    columns = tuple(
        column_weights(view, column, cell, rivals.of(column)) for column, cell in zip(COLUMNS, fronts, strict=True)
    )
    return Weighing(columns, blank, view.options.matches)


def column_weights(view: View, column: Column, cell: Cell | None, rivals: int) -> Weights:
    """What 0 to 4 mice are worth in this column."""
    if cell is None or on_blank(cell):
        return (0,) * (MICE + 1)
    if not cell.up:
        return hidden_weights(view.unseen, view.options.matches)
    if rivals and len(view.cake.of(column)) == 1:
        return contest_weights(cell.known, rivals, view.options)
    return front_weights(cell.known, view.options.matches)


def best(weighing: Weighing, moves: Sequence[AssignMice], chance: Chance) -> AssignMice:
    """The assignment of most weight; chance breaks ties."""
    weights = [weighing.of(move) for move in moves]
    most = max(weights)
    return chance.pick([move for move, weight in zip(moves, weights, strict=True) if weight == most])


def greedy(view: View, seat: Seat, legal: Iterable[Move], chance: Chance) -> Move:
    """The best-weighed assignment, against what the same rule without contests suggests to the other seat."""
    name = SEATS[seat]
    moves = [move for move in legal if isinstance(move, AssignMice)]
    return best(weigh(view, name, feared(view, name, chance)), moves, chance)


def feared(view: View, name: Name, chance: Chance) -> Columns:
    """Where a greedy player fears the other seat's mice: only contests matter to it."""
    return expected(view, other(name), chance) if has_contest(view) else Columns()


def has_contest(view: View) -> bool:
    """Whether a column is down to one domino that both seats may want (T9)."""
    return any(len(cells) == 1 and cells[0].piece != BLANK for cells in view.cake.each())


def expected(view: View, name: Name, chance: Chance) -> Columns:
    """The assignment that the greedy rule without contests makes for a seat; none if it owes none."""
    found = foreseen(view, name, Columns(), chance)
    return found.columns if found else Columns()


def foreseen(view: View, name: Name, rivals: Columns, chance: Chance) -> AssignMice | None:
    """What a greedy player does at a seat that fears these mice of the other one; None if it owes nothing."""
    if name not in view.to_assign:
        return None
    weighing = weigh(view, name, rivals)
    targets = view.stash.of(other(name))
    moves = [
        AssignMice(columns, juiciest(weighing, columns, targets))
        for columns in spreads(view.ready.of(name), view.open.of(name))
    ]
    return best(weighing, moves, chance)


def juiciest(weighing: Weighing, columns: Columns, targets: Sequence[Piece]) -> Piece | None:
    """The domino most worth stealing with the mice on the 0-0; None without mice there."""
    mice = 0 if weighing.blank is None else columns.each()[weighing.blank]
    if not mice:
        return None
    return max(targets, key=lambda target: steal_weights(target, weighing.matches)[mice])


def guess(view: View, name: Name, moves: Sequence[AssignMice], chance: Chance) -> AssignMice:
    """A likely assignment of a seat, each drawn with weight exp(score / SOFTNESS) (section 14, sampling)."""
    weighing = weigh(view, name, Columns())
    scores = [weighing.of(move) / POINT for move in moves]
    top = max(scores)
    tickets = [1 + int(1_000_000 * exp((score - top) / SOFTNESS)) for score in scores]
    drawn = chance.below(sum(tickets))
    for move, count in zip(moves, tickets, strict=True):
        if drawn < count:
            return move
        drawn -= count
    raise AssertionError("a draw lies below the number of tickets")


# -- for the search -----------------------------------------------------------------------------------------------

ENDGAME = 14
"""So many dominoes are left when a rollout can go to the end."""
LOOKS = 2
"""In so many rounds of a rollout the seat looks ahead."""
ROUNDS_AHEAD = 4
"""So many it sees by other rules than the plain ones, before the end can be seen."""


def consider(view: View, seat: Seat, legal: Iterable[Move], chance: Chance, most: int) -> list[Move]:
    """The best assignments by a look one round ahead; of equal ones in an order that chance decides.

    By rules that the look ahead does not know they are ordered as a greedy player weighs them, and before the last
    rounds the best one stands alone: so early a thought, move by move, sees less than its noise hides.
    """
    name = SEATS[seat]
    moves = chance.shuffle(move for move in legal if isinstance(move, AssignMice))
    if not is_plain(view.options):
        weighing = weigh(view, name, feared(view, name, chance))
        return [*sorted(moves, key=weighing.of, reverse=True)[: most if is_endgame(view.cake.each()) else 1]]
    ahead = look_ahead(view, name, chance)
    return [*sorted(moves, key=lambda move: ahead.of(sent(move)), reverse=True)[:most]]


def sent(move: AssignMice) -> Sending:
    """An assignment as a look ahead takes it."""
    return Sending(move.columns.each(), move.steal_target)


def look_ahead(view: View, name: Name, chance: Chance) -> Ahead:
    """What a seat sees when it looks one round ahead."""
    rival = other(name)
    near = slice(None) if name == "yellow" else slice(None, None, -1)
    foe = foreseen(view, rival, feared(view, rival, chance), chance)
    promise = Promise(view.unseen, richest(view.stash.of(rival)), richest(view.stash.of(name)))
    mine, theirs = view.pips.of(name), view.pips.of(rival)
    return Ahead(
        [seen(cells[near]) for cells in view.cake.each()],
        sent(foe) if foe else Sending(),
        promise,
        mine - theirs,
        ALL_PIPS - mine - theirs,
    )


def playout(state: State, seat: Seat, chance: Chance) -> float | None:
    """Rounds in which the seat looks ahead; then, when few dominoes are left, greedy to the end, else what it hopes.

    None at the end, or by rules that the quick rounds do not know.
    """
    if state.result is not None or not is_plain(state.options):
        return None
    rounds = Rounds(state, seat)
    rounds.finish(chance)
    for _ in range(LOOKS):
        rounds.look(chance)
    if not is_endgame(state.cake.each()):
        return rounds.hope(chance)
    rounds.play(chance)
    return rounds.share()


def is_endgame(cake: Sequence[Sequence[Cell]]) -> bool:
    """Whether few dominoes are left."""
    return sum(map(len, cake)) <= ENDGAME


def is_plain(options: Options) -> bool:
    """Whether no option changes what an attempt does, and every front lies face up."""
    return options.matches == "exhaust" and options.contest_floor == "pips" and options.start_face != "down"


def enough(state: State, made: int) -> bool:
    """A rollout sees so many rounds; from the last ones it goes to the end."""
    return made >= ROUNDS_AHEAD and not is_endgame(state.cake.each())


def hope(state: State, seat: Seat) -> float:
    """From the margin in pips, and how many are still to be had."""
    name = SEATS[seat]
    margin = sum(map(PIPS.__getitem__, state.stash.of(name))) - sum(map(PIPS.__getitem__, state.stash.of(other(name))))
    left = sum(PIPS[cell.known] for cells in state.cake.each() for cell in cells)
    return 1 / (1 + exp(-margin / spread(left)))


INSIGHT: Insight[State, Move, View] = Insight(
    consider=consider, enough=enough, hope=hope, iterations=6000, playout=playout, proof=0.5
)
