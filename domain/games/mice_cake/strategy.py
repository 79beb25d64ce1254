"""What a good player weighs (rules, section 14): exact chances, contests, steals.

All weights are whole numbers: a point is worth `POINT`, the square of the 1296 outcomes of four dice, so that every
chance of a group, and every product of two of them, is exact and ties are true ties.
"""

from collections.abc import Iterable, Sequence
from functools import cache
from itertools import combinations_with_replacement
from math import exp, factorial, prod, sqrt
from typing import Literal, NamedTuple

from domain.chance import Chance
from domain.game import Insight, Seat
from domain.games.mice_cake.attempts import matched, nearest, on_blank
from domain.games.mice_cake.components import DOMINOES, PIPS
from domain.games.mice_cake.model import (
    BLANK,
    COLUMNS,
    DOUBLE_SIX,
    MICE,
    QUIET_END,
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
from domain.games.mice_cake.rules import spreads
from domain.games.mice_cake.worths import TIRED, Promise, spread
from domain.value import Value

OUTCOMES: int = 6**MICE
POINT = OUTCOMES * OUTCOMES
TEMPO = 2
"""What a domino is worth beyond its pips: it uncovers the next one and shortens the game (item 1)."""
MOUSE = 2
"""What a mouse is worth that must rest."""
SOFTNESS = 0.3
"""How far a guessed player strays from the best spread (item 8): a little, for the search takes others to be greedy."""

Matches = Literal["exhaust", "boost"]
Weights = tuple[int, ...]
"""What 0, 1, 2, 3, 4 mice are worth in a column."""


class Odds(Value, frozen=True):
    """The chances of a group against a domino, in outcomes of 1296.

    `take`: it is sufficient. `tire`: it is exhausted. `totals[t]`: it is not exhausted and rolls t in all.
    """

    take: int
    tire: int
    totals: tuple[int, ...]


@cache
def odds(piece: Piece, mice: int, matches: Matches) -> Odds:
    """The exact odds, from all rolls of this many dice (T3 to T7)."""
    totals = [0] * (6 * MICE + 1)
    tire = 0
    for dice in combinations_with_replacement(range(1, 7), mice):
        ways = factorial(mice) // prod(factorial(dice.count(face)) for face in set(dice)) * 6 ** (MICE - mice)
        if matched(piece, dice) and matches == "exhaust":
            tire += ways
        else:
            totals[sum(dice)] += ways
    return Odds(sum(totals[PIPS[piece] :]), tire, tuple(totals))


def tires(piece: Piece) -> int:
    """How many mice this domino exhausts (T4)."""
    return 1 if DOMINOES[piece].kind == "half" else 2


# -- one column ---------------------------------------------------------------------------------------------------


@cache
def attempt_weights(piece: Piece, worth: int, matches: Matches) -> Weights:
    """Items 1 and 6: what success is worth, less the mice that may be exhausted."""
    return (0, *(attempt_weight(piece, worth, odds(piece, mice, matches)) for mice in range(1, MICE + 1)))


def attempt_weight(piece: Piece, worth: int, chances: Odds) -> int:
    """The weight of one attempt."""
    return (chances.take * worth - chances.tire * tires(piece) * MOUSE) * OUTCOMES


def front_weights(piece: Piece, matches: Matches) -> Weights:
    """An ordinary attempt on this front; the 0-0, found face down, gives nothing (R54)."""
    return (0,) * (MICE + 1) if piece == BLANK else attempt_weights(piece, PIPS[piece] + TEMPO, matches)


def steal_weights(target: Piece, matches: Matches) -> Weights:
    """Item 6: a steal moves the margin by twice the target's pips, and the 0-0 leaves the cake as well."""
    return attempt_weights(target, 2 * PIPS[target] + TEMPO, matches)


def hidden_weights(unseen: Sequence[Piece], matches: Matches) -> Weights:
    """A front that lies face down: the mean over the dominoes that it may be (item 7)."""
    pool = [front_weights(piece, matches) for piece in unseen]
    return tuple(sum(column) // len(pool) for column in zip(*pool, strict=True))


@cache
def contest_weights(piece: Piece, theirs: int, options: Options) -> Weights:
    """Item 4: a last domino that the other seat attempts with so many mice."""
    return tuple(contest_weight(piece, mine, theirs, options) for mine in range(MICE + 1))


def contest_weight(piece: Piece, mine: int, theirs: int, options: Options) -> int:
    """(P(I take) - P(they take)) x worth, less my mice that may be exhausted."""
    worth = PIPS[piece] + TEMPO
    against = odds(piece, theirs, options.matches)
    if not mine:
        return -against.take * worth * OUTCOMES
    own = odds(piece, mine, options.matches)
    floor = PIPS[piece] if options.contest_floor == "pips" else 0
    margin = wins(own, against, floor) - wins(against, own, floor)
    return margin * worth - own.tire * tires(piece) * MOUSE * OUTCOMES


def wins(group: Odds, rival: Odds, floor: int) -> int:
    """Outcomes, of 1296 x 1296, in which the group takes the domino from its rival (T9)."""
    beaten = OUTCOMES - sum(rival.totals[floor:])
    won = 0
    for total in range(floor, len(group.totals)):
        won += group.totals[total] * beaten
        beaten += rival.totals[total]
    return won


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


# -- one round ahead ----------------------------------------------------------------------------------------------

STRAY = 0.35
"""How much the spread of a round's margin counts beside the spread of all that comes after it."""
ROUND_PIPS = 12
"""How many pips leave the cake in a round."""


class Moments(NamedTuple):
    """A margin in pips that is not known yet."""

    mean: float
    variance: float


NOTHING = Moments(0.0, 0.0)


def moments(results: Iterable[tuple[float, float]], cost: float) -> Moments:
    """Of results and how likely each is; the cost goes off the mean."""
    mean = squares = 0.0
    for likely, value in results:
        mean += likely * value
        squares += likely * value * value
    return Moments(mean - cost, squares - mean * mean)


class Ahead:
    """How good an assignment looks: the margin in pips that it leads to, over how far that may still stray.

    A greedy rival is foreseeable, and columns do not touch each other, so one round ahead the odds are exact (of the
    plain rules); worths (worths.py) stand for the rounds after it. Who lies behind likes a margin that strays.
    """

    def __init__(self, view: View, name: Name, chance: Chance) -> None:
        rival = other(name)
        near = slice(None) if name == "yellow" else slice(None, None, -1)
        self._blocks = [cells[near] for cells in view.cake.each()]
        self._rival = foreseen(view, rival, feared(view, rival, chance), chance)
        self._worths = Promise(view.unseen, richest(view.stash.of(rival)), richest(view.stash.of(name)))
        self._margin = view.pips.of(name) - view.pips.of(rival)
        self._rest = spread(pips_left(view) - ROUND_PIPS) ** 2
        self._known: dict[tuple[int, int, Piece | None], Moments] = {}

    def of(self, move: AssignMice) -> float:
        """By how many spreads the seat will lead, as far as can be seen."""
        found = [self.column(n, mice, move.steal_target) for n, mice in enumerate(move.columns.each())]
        strays = self._rest + STRAY * sum(moments.variance for moments in found)
        return (self._margin + sum(moments.mean for moments in found)) / sqrt(strays)

    def column(self, column: int, mice: int, target: Piece | None) -> Moments:
        """What so many mice bring in a column, in pips, with what is left there."""
        block = self._blocks[column]
        if not block:
            return NOTHING
        goal = target if mice and block[0].piece == BLANK else None
        key = column, mice, goal
        if key not in self._known:
            self._known[key] = self._expected(block, mice, goal, *self._against(column))
        return self._known[key]

    def _against(self, column: int) -> tuple[int, Piece | None]:
        """How many mice the rival sends there, and what for."""
        if self._rival is None:
            return 0, None
        front = self._blocks[column][-1].piece
        return self._rival.columns.each()[column], self._rival.steal_target if front == BLANK else front

    def _expected(
        self, block: Sequence[Cell], mice: int, target: Piece | None, against: int, their_goal: Piece | None
    ) -> Moments:
        """The margin that a round brings in this column, the rival's attempt considered."""
        front = block[0].known
        goal = target or front
        take, tired = chances(goal, mice)
        cost = TIRED * tired * tires(goal)
        if len(block) == 1 and front != BLANK:
            won, lost = outrolls(front, mice, against), outrolls(front, against, mice)
            kept = self._worths.of(block)
            return moments(((won, PIPS[front]), (lost, -PIPS[front]), (1 - won - lost, kept)), cost)
        theirs, _ = chances(their_goal, against) if their_goal else (0.0, 0.0)
        gain = stake(goal, front)
        loss = stake(their_goal, block[-1].known) if their_goal and against else 0
        end = len(block)
        results = (
            ((1 - take) * (1 - theirs), self._worths.of(block)),
            ((1 - take) * theirs, self._worths.of(block[: end - 1]) - loss),
            (take * (1 - theirs), self._worths.of(block[1:]) + gain),
            (take * theirs, self._worths.of(block[1 : max(1, end - 1)]) + gain - loss),
        )
        return moments(results, cost)


def stake(goal: Piece, front: Piece) -> int:
    """By how much the margin moves when this is taken, or stolen from the 0-0."""
    return 2 * PIPS[goal] if front == BLANK else PIPS[goal]


def richest(stash: Iterable[Piece]) -> float:
    """What four mice on the 0-0 could win here, by greedy's weights."""
    return max((steal_weights(piece, "exhaust")[MICE] / POINT for piece in stash if piece != BLANK), default=0.0)


def pips_left(view: View) -> int:
    """The pips in the cake."""
    return sum(PIPS.values()) - view.pips.yellow - view.pips.blue


def chances(goal: Piece, mice: int) -> tuple[float, float]:
    """How likely a group is to take a domino, and to be exhausted by it."""
    if not mice:
        return 0.0, 0.0
    found = odds(goal, mice, "exhaust")
    return found.take / OUTCOMES, found.tire / OUTCOMES


@cache
def outrolls(piece: Piece, mice: int, against: int) -> float:
    """How likely a group is to take a last domino from its rivals (T9)."""
    if not mice or not against:
        return chances(piece, mice)[0]
    return wins(odds(piece, mice, "exhaust"), odds(piece, against, "exhaust"), PIPS[piece]) / POINT


def consider(view: View, seat: Seat, legal: Iterable[Move], chance: Chance, most: int) -> list[Move]:
    """The best assignments by a look one round ahead; of equal ones in an order that chance decides.

    Before the last rounds the best one alone: so early a thought sees less than its noise hides. By rules that the
    look ahead does not know they are ordered as a greedy player weighs them.
    """
    name = SEATS[seat]
    moves = chance.shuffle(move for move in legal if isinstance(move, AssignMice))
    ahead = Ahead(view, name, chance) if is_plain(view.options) else weigh(view, name, feared(view, name, chance))
    count = most if is_endgame(view.cake.each()) else 1
    return [*sorted(moves, key=ahead.of, reverse=True)[:count]]


# -- the last rounds, quickly -------------------------------------------------------------------------------------

ENDGAME = 14
"""So many dominoes are left when a rollout can go to the end, and a thought begins to pay."""
LUCK = OUTCOMES ** (2 * len(COLUMNS) + len(SEATS))
"""One draw for a round: a roll for each group that there may be, and a lot for each seat's ties.

Where two candidates send the same group to the same domino, it rolls the same.
"""

Fronts = tuple[Piece | None, ...]
Counts = tuple[int, ...]
NOBODY: Counts = (0,) * len(COLUMNS)


@cache
def rolls(piece: Piece, mice: int) -> tuple[int, ...]:
    """All rolls of a group against this domino, in ascending order: the total, or -1 where it is exhausted."""
    totals = odds(piece, mice, "exhaust").totals
    sound = [total for total, ways in enumerate(totals) for _ in range(ways)]
    return (*[-1] * (OUTCOMES - len(sound)), *sound)


@cache
def juiciest_first(mice: int) -> tuple[Piece, ...]:
    """The dominoes in the order in which so many mice would steal them."""
    return tuple(sorted(PIPS, key=lambda piece: -steal_weights(piece, "exhaust")[mice] if piece != BLANK else 1))


@cache
def sendings(fronts: Fronts, mice: int, targets: tuple[Piece, ...], rivals: Counts) -> tuple[Counts, ...]:
    """The spreads that greedy weighs most; `targets` for 1 to 4 mice on the 0-0, `rivals` where a contest is on."""
    weights = [
        sending_weights(piece, targets, theirs) if piece else (0,) * (MICE + 1)
        for piece, theirs in zip(fronts, rivals, strict=True)
    ]
    usable = tuple(
        column for column, piece in zip(COLUMNS, fronts, strict=True) if piece and (piece != BLANK or targets)
    )
    spread = [columns.each() for columns in spreads(mice, usable)]
    weighed = [sum(weights[n][count] for n, count in enumerate(counts)) for counts in spread]
    most = max(weighed, default=0)
    return tuple(counts for counts, weight in zip(spread, weighed, strict=True) if weight == most)


def sending_weights(piece: Piece, targets: tuple[Piece, ...], theirs: int) -> Weights:
    """What 0 to 4 mice are worth on this front."""
    if piece == BLANK:
        return (0, *(steal_weights(target, "exhaust")[mice] for mice, target in enumerate(targets, 1)))
    return contest_weights(piece, theirs, Options()) if theirs else front_weights(piece, "exhaust")


class Endgame:
    """The last rounds between two greedy families, as the rules have them, without a log: for rollouts alone."""

    def __init__(self, state: State) -> None:
        self._cake = [[cell.known for cell in cells] for cells in state.cake.each()]
        self._stashes = [set(state.stash.yellow), set(state.stash.blue)]
        self._resting = [sum(group.count for group in state.resting.of(name)) for name in SEATS]
        self._quiet = state.quiet
        self._sent = [state.pending.of(name) for name in SEATS]

    def play(self, chance: Chance) -> None:
        """Round after round to the end."""
        while self._quiet < QUIET_END and any(self._cake):
            self._round(chance.below(LUCK))

    def share(self, seat: Seat) -> float:
        """What share of a win this is for a seat (E3)."""
        mine, theirs = (self._merit(side) for side in (seat, 1 - seat))
        return 0.5 if mine == theirs else float(mine > theirs)

    def _merit(self, side: Seat) -> tuple[int, int, bool]:
        stash = self._stashes[side]
        return sum(PIPS[piece] for piece in stash), len(stash), DOUBLE_SIX in stash

    def _round(self, luck: int) -> None:
        """One round with this luck (P6 to P8)."""
        luck, lots = divmod(luck, OUTCOMES * OUTCOMES)
        sent = self._sendings(divmod(lots, OUTCOMES))
        left = sum(map(len, self._cake))
        self._resting = [0, 0]
        for column, cells in enumerate(self._cake):
            luck, roll = divmod(luck, OUTCOMES * OUTCOMES)
            goals = [self._goal(cells, side, sent[side], column) for side in (0, 1)]
            if goals != [None, None]:
                self._attempt(cells, goals, sent, column, divmod(roll, OUTCOMES))
        self._quiet = self._quiet + 1 if sum(map(len, self._cake)) == left else 0

    def _sendings(self, lots: tuple[int, int]) -> list[tuple[Counts, Piece | None]]:
        """Whom both seats send where: as they have assigned, or as greedy does."""
        fronts = [tuple(cells[-side] if cells else None for cells in self._cake) for side in (0, 1)]
        targets = [self._targets(fronts[side], side) for side in (0, 1)]
        contested = [len(cells) == 1 and cells[0] != BLANK for cells in self._cake]
        first = [self._first_thought(fronts[side], side, targets[side], lots[side]) for side in (0, 1)]
        made: list[tuple[Counts, Piece | None]] = []
        for side in (0, 1):
            if given := self._sent[side]:
                made.append((given.columns.each(), given.steal_target))
                continue
            counts = first[side]
            if any(contested) and counts != NOBODY:
                rivals = tuple(n if on else 0 for n, on in zip(first[1 - side], contested, strict=True))
                choices = sendings(fronts[side], MICE - self._resting[side], targets[side], rivals)
                counts = choices[lots[side] % len(choices)]
            made.append((counts, stolen(fronts[side], counts, targets[side])))
        self._sent = [None, None]
        return made

    def _first_thought(self, fronts: Fronts, side: Seat, targets: tuple[Piece, ...], lot: int) -> Counts:
        """What greedy does where it fears no contest; nobody where no mouse is ready or no column open."""
        choices = sendings(fronts, MICE - self._resting[side], targets, NOBODY) or (NOBODY,)
        return choices[lot % len(choices)]

    def _targets(self, fronts: Fronts, side: Seat) -> tuple[Piece, ...]:
        """What 1, 2, 3, 4 mice would steal, if the 0-0 lies in front of this seat."""
        stash = self._stashes[1 - side]
        if BLANK not in fronts or not stash:
            return ()
        return tuple(next(p for p in juiciest_first(mice) if p in stash) for mice in range(1, MICE + 1))

    def _goal(
        self, cells: list[Piece], side: Seat, sent: tuple[Counts, Piece | None], column: int
    ) -> tuple[Piece, int] | None:
        """What a seat's group in a column goes for, and how many mice it has; None without a group."""
        counts, target = sent
        if not cells or not counts[column]:
            return None
        piece = cells[-side]
        return (target if piece == BLANK and target else piece), counts[column]

    def _attempt(
        self,
        cells: list[Piece],
        goals: list[tuple[Piece, int] | None],
        sent: list[tuple[Counts, Piece | None]],
        column: int,
        luck: tuple[int, int],
    ) -> None:
        """The groups of a column roll (T3 to T10)."""
        totals = [-1, -1]
        for side, goal in enumerate(goals):
            if goal is None:
                continue
            total = rolls(*goal)[luck[side]]
            if total < 0:
                self._resting[side] += tires(goal[0])
            totals[side] = total if total >= PIPS[goal[0]] else -1
        winners = [side for side in (0, 1) if totals[side] >= 0]
        if len(cells) == 1 and len(winners) == 2:
            self._both(cells, goals, totals)
            return
        for side in winners:
            goal = goals[side]
            assert goal is not None
            self._take(cells, side, goal[0])

    def _take(self, cells: list[Piece], side: Seat, goal: Piece) -> None:
        """A seat takes its front, and with the 0-0 what it steals (T7, T10)."""
        front = cells.pop(-side)
        self._stashes[side].add(front)
        if front != goal:
            self._stashes[1 - side].remove(goal)
            self._stashes[side].add(goal)

    def _both(self, cells: list[Piece], goals: list[tuple[Piece, int] | None], totals: list[int]) -> None:
        """Both suffice at a last domino: the higher total takes it, equal ones leave it; two thieves swap (T9, T10)."""
        if cells[0] == BLANK:
            cells.clear()
            for side, goal in enumerate(goals):
                assert goal is not None
                self._stashes[1 - side].remove(goal[0])
            for side, goal in enumerate(goals):
                assert goal is not None
                self._stashes[side].add(goal[0])
        elif totals[0] != totals[1]:
            winner = 0 if totals[0] > totals[1] else 1
            self._take(cells, winner, cells[0])


def stolen(fronts: Fronts, counts: Counts, targets: tuple[Piece, ...]) -> Piece | None:
    """The domino that the mice on the 0-0 are to steal."""
    if not targets:
        return None
    mice = counts[fronts.index(BLANK)]
    return targets[mice - 1] if mice else None


def playout(state: State, seat: Seat, chance: Chance) -> float | None:
    """The share of a win to which greedy families come from here; None far from the end, or by rules not known here."""
    if state.result is not None or not is_plain(state.options) or not is_endgame(state.cake.each()):
        return None
    rest = Endgame(state)
    rest.play(chance)
    return rest.share(seat)


def is_endgame(cake: Sequence[Sequence[Cell]]) -> bool:
    """Whether few dominoes are left."""
    return sum(map(len, cake)) <= ENDGAME


def is_plain(options: Options) -> bool:
    """Whether no option changes what an attempt does, and every front lies face up."""
    return options.matches == "exhaust" and options.contest_floor == "pips" and options.start_face != "down"


# -- for the search -----------------------------------------------------------------------------------------------

ROUNDS_AHEAD = 4


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
    consider=consider, enough=enough, hope=hope, iterations=10000, playout=playout, proof=0.5
)
