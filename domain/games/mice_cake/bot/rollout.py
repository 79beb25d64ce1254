"""Rounds played quickly on bare lists of dominoes, without a log: for rollouts alone (plain rules only)."""

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
"""A lot for each seat's ties."""
ROUND_OUTCOMES = OUTCOMES ** (2 * len(COLUMNS)) * TIE_BREAK_LOTS
"""One draw for a round: a roll for each group that there may be, and the lots.

Where two candidates send the same group to the same domino, it rolls the same.
"""
ALL_PIPS = sum(PIPS.values())


@cache
def roll_totals(piece: Piece, mice: int) -> tuple[int, ...]:
    """All rolls of a group against this domino, in ascending order: the total, or -1 where it is exhausted."""
    totals = odds(piece, mice, "exhaust").totals
    sound = [total for total, chances in enumerate(totals) for _ in range(chances)]
    return (*[-1] * (OUTCOMES - len(sound)), *sound)


@lru_cache(maxsize=CACHE_SIZE)
def greedy_splits(fronts: Block, mice: int, targets: Targets, rivals: Counts) -> tuple[Counts, ...]:
    """The ways to send mice that greedy weighs most; `rivals` where a contest is on."""
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
    """What 0 to 4 mice are worth on this front."""
    if piece == BLANK:
        return (0, *(steal_weights(target, "exhaust")[mice] for mice, target in enumerate(targets, 1)))
    return contest_weights(piece, theirs, Options()) if theirs else front_weights(piece, "exhaust")


class Rollout:
    """Rounds of two families, as the rules have them: all greedy, except where the seat that thinks looks ahead."""

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
        """The round in which the seat has assigned its mice; nothing where that round is over."""
        if self._sent[self._seat]:
            self._play_round(chance, looks=False)

    def play_lookahead_round(self, chance: Chance) -> None:
        """A round in which the seat looks ahead."""
        if not self.is_over:
            self._play_round(chance, looks=True)

    def play_to_end(self, chance: Chance) -> None:
        """Round after round to the end, all greedy."""
        while not self.is_over:
            self._play_round(chance, looks=False)

    def win_share(self) -> float:
        """What share of a win this is for the seat (E3)."""
        mine, theirs = self._rank_key(self._seat), self._rank_key(1 - self._seat)
        return 0.5 if mine == theirs else float(mine > theirs)

    def estimate_win(self, chance: Chance) -> float:
        """The same before the end: how likely a win seems by a look ahead."""
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

    # -- who sends whom where -----------------------------------------------------------------------------------

    def _find_fronts(self) -> None:
        """What both seats find in front of them, and would steal."""
        self._fronts = [tuple([cells[-side] if cells else None for cells in self._cake]) for side in (0, 1)]
        self._targets = [self._steal_order(side) for side in (0, 1)]

    def _steal_order(self, side: Seat) -> Targets:
        stash = self._stashes[1 - side]
        if BLANK not in self._fronts[side] or not stash:
            return ()
        return tuple(
            next(piece for piece in steal_order(mice) if piece in stash) for mice in range(1, MICE_PER_SEAT + 1)
        )

    def _allocations(self, lots: tuple[int, int], looks: bool) -> list[Allocation]:
        """Whom both seats send where: as they have assigned, as a look ahead has it, or as greedy does."""
        self._find_fronts()
        sent = [given or greedy for given, greedy in zip(self._sent, self._greedy_allocations(lots), strict=True)]
        self._sent = [None, None]
        if looks:
            sent[self._seat] = self._best_against(sent[1 - self._seat])[1]
        return sent

    def _greedy_allocations(self, lots: tuple[int, int]) -> list[Allocation]:
        """What greedy sends at both seats; it fears the other one only where a contest is on."""
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
        """What weighs most against this; the lot decides between equals."""
        fronts, targets = self._fronts[side], self._targets[side]
        choices = greedy_splits(fronts, MICE_PER_SEAT - self._resting[side], targets, rivals)
        return make_allocation(fronts, choices[lot % len(choices)], targets)

    def _best_against(self, rival: Allocation) -> tuple[float, Allocation]:
        """What looks best one round ahead to the seat that thinks, and by how many spreads it will lead."""
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

    # -- what comes of it ---------------------------------------------------------------------------------------

    def _play_round(self, chance: Chance, looks: bool) -> None:
        """One round (P6 to P8)."""
        luck, lots = divmod(chance.below(ROUND_OUTCOMES), TIE_BREAK_LOTS)
        sent = self._allocations(divmod(lots, OUTCOMES), looks)
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
        """The groups of a column roll (T3 to T10)."""
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
        """A seat takes its front, and with the 0-0 what it steals (T7, T8, T10)."""
        front = cells.pop(-side)
        if cells:
            self._down.discard(cells[-side])
        self._stashes[side].add(front)
        if front != goal:
            self._stashes[1 - side].remove(goal)
            self._stashes[side].add(goal)

    def _resolve_contest(self, cells: list[Piece], goals: list[Piece], totals: list[int]) -> None:
        """Both suffice at a last domino: the higher total takes it, equal ones leave it; two thieves swap (T9, T10)."""
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
    """Mice with the domino that those on the 0-0 are to steal."""
    mice = counts[fronts.index(BLANK)] if targets else 0
    return Allocation(counts, targets[mice - 1] if mice else None)
