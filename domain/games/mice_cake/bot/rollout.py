"""Fast rounds on plain lists of dominoes, without facts, used only in rollouts (default options only)."""

from functools import cache, lru_cache

from domain.games.mice_cake.bot.column_weights import Weights, contest_weights, front_weights, steal_weights, tires
from domain.games.mice_cake.bot.evaluation import CACHE_SIZE, Block, ColumnEvaluator
from domain.games.mice_cake.bot.lookahead import (
    NO_MICE,
    Allocation,
    Counts,
    Lookahead,
    Targets,
    best_steal_value,
    steal_order,
    usable_splits,
    win_probability,
)
from domain.games.mice_cake.rules.components import PIPS, TABLE_ORDER
from domain.games.mice_cake.rules.model import State
from domain.games.mice_cake.rules.moves import Options
from domain.games.mice_cake.rules.odds import OUTCOMES, odds
from domain.games.mice_cake.rules.parts import (
    BLANK,
    COLUMNS,
    DOUBLE_SIX,
    MICE_PER_SEAT,
    QUIET_ROUND_LIMIT,
    SEATS,
    Piece,
)
from domain.kernel.chance import Chance
from domain.kernel.game import Seat

TIE_BREAK_LOTS = OUTCOMES ** len(SEATS)
"""Number of outcomes of the random tie-breaks, one for each seat."""
ROUND_OUTCOMES = OUTCOMES ** (2 * len(COLUMNS)) * TIE_BREAK_LOTS
"""Number of outcomes of a round, which is one draw: a roll for every possible group, and the tie-breaks.

Two candidates that send the same group to the same domino therefore get the same roll.
"""
ALL_PIPS = sum(PIPS.values())


@cache
def roll_totals(piece: Piece, mice: int) -> tuple[int, ...]:
    """Return the totals of all rolls of a group against this domino, ascending, with -1 for exhausted."""
    totals = odds(piece, mice, "exhaust").totals
    sound = [total for total, chances in enumerate(totals) for _ in range(chances)]
    return (*[-1] * (OUTCOMES - len(sound)), *sound)


@lru_cache(maxsize=CACHE_SIZE)
def greedy_splits(fronts: Block, mice: int, targets: Targets, rivals: Counts) -> tuple[Counts, ...]:
    """Return the splits with the highest greedy weight. `rivals` counts the rival's mice in contests."""
    a, b, c, d = (
        split_weights(piece, targets, theirs) if piece else (0,) * (MICE_PER_SEAT + 1)
        for piece, theirs in zip(fronts, rivals, strict=True)
    )
    usable = tuple(piece is not None and (piece != BLANK or bool(targets)) for piece in fronts)
    choices = usable_splits(mice, usable)
    weighed = [a[i] + b[j] + c[k] + d[n] for i, j, k, n in choices]
    most = max(weighed)
    return tuple(counts for counts, weight in zip(choices, weighed, strict=True) if weight == most)


def split_weights(piece: Piece, targets: Targets, theirs: int) -> Weights:
    """Return the greedy weights of 0 to 4 mice on this front."""
    if piece == BLANK:
        return (0, *(steal_weights(target, "exhaust")[mice] for mice, target in enumerate(targets, 1)))
    return contest_weights(piece, theirs, Options()) if theirs else front_weights(piece, "exhaust")


class Rollout:
    """Plays rounds by the rules. Both seats play greedily, except that the searching seat can use the lookahead."""

    def __init__(self, state: State, seat: Seat) -> None:
        cake = state.cake.values()
        self._seat = seat
        self._cake = [[cell.visible_piece for cell in cells] for cells in cake]
        self._down = {cell.visible_piece for cells in cake for cell in cells if not cell.up}
        self._unseen = tuple(sorted(self._down, key=TABLE_ORDER.__getitem__))
        self._stashes = [set(state.stash.yellow), set(state.stash.blue)]
        self._resting = [sum(group.count for group in state.resting.of(name)) for name in SEATS]
        self._quiet = state.quiet
        self._fronts: list[Block] = []
        self._targets: list[Targets] = []
        self._sent = [
            None if made is None else Allocation(made.columns.counts(), made.steal_target)
            for made in map(state.pending.of, SEATS)
        ]

    @property
    def is_over(self) -> bool:
        """Whether the match has ended."""
        return self._quiet >= QUIET_ROUND_LIMIT or not any(self._cake)

    def finish_round(self, chance: Chance) -> None:
        """Play the rest of the round in which the searching seat has assigned. Does nothing if that round is over."""
        if self._sent[self._seat]:
            self._play_round(chance, lookahead=False)

    def play_lookahead_round(self, chance: Chance) -> None:
        """Play a round in which the searching seat uses the lookahead."""
        if not self.is_over:
            self._play_round(chance, lookahead=True)

    def play_to_end(self, chance: Chance) -> None:
        """Play greedy rounds until the match ends."""
        while not self.is_over:
            self._play_round(chance, lookahead=False)

    def win_share(self) -> float:
        """Return the result for the searching seat: 1, 0, or 0.5 for a draw (E3)."""
        mine, theirs = self._rank_key(self._seat), self._rank_key(1 - self._seat)
        return 0.5 if mine == theirs else float(mine > theirs)

    def estimate_win(self, chance: Chance) -> float:
        """Return the result if the match is over, otherwise the chance of winning by the lookahead."""
        if self.is_over:
            return self.win_share()
        self._find_fronts()
        rival = self._greedy_allocations(divmod(chance.below(TIE_BREAK_LOTS), OUTCOMES))[1 - self._seat]
        return win_probability(self._best_against(rival)[0])

    def _rank_key(self, side: Seat) -> tuple[int, int, bool]:
        stash = self._stashes[side]
        return self._pips(side), len(stash), DOUBLE_SIX in stash

    def _pips(self, side: Seat) -> int:
        return sum(map(PIPS.__getitem__, self._stashes[side]))

    # -- assignments --------------------------------------------------------------------------------------------

    def _find_fronts(self) -> None:
        """Update the fronts and steal targets of both seats."""
        self._fronts = [tuple([cells[-side] if cells else None for cells in self._cake]) for side in (0, 1)]
        self._targets = [self._steal_order(side) for side in (0, 1)]

    def _steal_order(self, side: Seat) -> Targets:
        stash = self._stashes[1 - side]
        if BLANK not in self._fronts[side] or not stash:
            return ()
        return tuple(
            next(piece for piece in steal_order(mice) if piece in stash) for mice in range(1, MICE_PER_SEAT + 1)
        )

    def _allocations(self, lots: tuple[int, int], lookahead: bool) -> list[Allocation]:
        """Return the assignments of both seats: pending ones, or else by the lookahead or the greedy rule."""
        self._find_fronts()
        sent = [given or greedy for given, greedy in zip(self._sent, self._greedy_allocations(lots), strict=True)]
        self._sent = [None, None]
        if lookahead:
            sent[self._seat] = self._best_against(sent[1 - self._seat])[1]
        return sent

    def _greedy_allocations(self, lots: tuple[int, int]) -> list[Allocation]:
        """Return the greedy assignments of both seats, which consider the rival only in contests."""
        first = [self._best_weighed(side, NO_MICE, lots[side]) for side in (0, 1)]
        contested = [len(cells) == 1 and cells[0] != BLANK for cells in self._cake]
        if not any(contested):
            return first
        feared = [
            tuple([mice if on else 0 for mice, on in zip(sent.counts, contested, strict=True)])
            for sent in reversed(first)
        ]
        return [self._best_weighed(side, feared[side], lots[side]) for side in (0, 1)]

    def _best_weighed(self, side: Seat, rivals: Counts, lot: int) -> Allocation:
        """Return the best greedy assignment against these rivals; `lot` breaks ties."""
        fronts, targets = self._fronts[side], self._targets[side]
        choices = greedy_splits(fronts, MICE_PER_SEAT - self._resting[side], targets, rivals)
        return make_allocation(fronts, choices[lot % len(choices)], targets)

    def _best_against(self, rival: Allocation) -> tuple[float, Allocation]:
        """Return the best lead and assignment of the searching seat by the lookahead."""
        seat, down = self._seat, self._down
        near = slice(None, None, -1) if seat else slice(None)
        blocks = [tuple([None if piece in down else piece for piece in cells[near]]) for cells in self._cake]
        promise = ColumnEvaluator(
            self._unseen, best_steal_value(self._stashes[1 - seat]), best_steal_value(self._stashes[seat])
        )
        mine, theirs = self._pips(seat), self._pips(1 - seat)
        ahead = Lookahead(blocks, rival, promise, mine - theirs, ALL_PIPS - mine - theirs)
        lead, counts = ahead.best_split(MICE_PER_SEAT - self._resting[seat], self._targets[seat])
        return lead, make_allocation(self._fronts[seat], counts, self._targets[seat])

    # -- resolution ---------------------------------------------------------------------------------------------

    def _play_round(self, chance: Chance, lookahead: bool) -> None:
        """Play one round (P6 to P8)."""
        luck, lots = divmod(chance.below(ROUND_OUTCOMES), TIE_BREAK_LOTS)
        sent = self._allocations(divmod(lots, OUTCOMES), lookahead)
        left = sum(map(len, self._cake))
        self._resting = [0, 0]
        for column, cells in enumerate(self._cake):
            luck, roll = divmod(luck, OUTCOMES * OUTCOMES)
            groups = [each.counts[column] for each in sent]
            if groups != [0, 0]:
                targets = [each.target for each in sent]
                self._play_attempts(cells, groups, targets, divmod(roll, OUTCOMES))
        self._quiet = self._quiet + 1 if sum(map(len, self._cake)) == left else 0

    def _play_attempts(
        self, cells: list[Piece], groups: list[int], targets: list[Piece | None], luck: tuple[int, int]
    ) -> None:
        """Resolve the attempts in a column (T3 to T10)."""
        goals, totals = [BLANK, BLANK], [-1, -1]
        for side, mice in enumerate(groups):
            if not mice:
                continue
            front = cells[-side]
            goal = goals[side] = targets[side] or front if front == BLANK else front
            total = roll_totals(goal, mice)[luck[side]]
            if total < 0:
                self._resting[side] += tires(goal)
            elif total >= PIPS[goal]:
                totals[side] = total
        if len(cells) == 1 and min(totals) >= 0:
            self._resolve_contest(cells, goals, totals)
            return
        for side, total in enumerate(totals):
            if total >= 0:
                self._take_front(cells, side, goals[side])

    def _take_front(self, cells: list[Piece], side: Seat, goal: Piece) -> None:
        """Let a seat take its front, and the stolen domino if the front is the 0-0 (T7, T8, T10)."""
        front = cells.pop(-side)
        if cells:
            self._down.discard(cells[-side])
        self._stashes[side].add(front)
        if front != goal:
            self._stashes[1 - side].remove(goal)
            self._stashes[side].add(goal)

    def _resolve_contest(self, cells: list[Piece], goals: list[Piece], totals: list[int]) -> None:
        """Resolve two sufficient rolls at a last domino: a contest (T9), or a swap at the 0-0 (T10)."""
        if cells[0] == BLANK:
            cells.clear()
            for side, goal in enumerate(goals):
                self._stashes[1 - side].remove(goal)
            for side, goal in enumerate(goals):
                self._stashes[side].add(goal)
        elif totals[0] != totals[1]:
            winner = 0 if totals[0] > totals[1] else 1
            self._take_front(cells, winner, cells[0])


def make_allocation(fronts: Block, counts: Counts, targets: Targets) -> Allocation:
    """Return the allocation with the steal target for its mice on the 0-0, if any."""
    mice = counts[fronts.index(BLANK)] if targets else 0
    return Allocation(counts, targets[mice - 1] if mice else None)
