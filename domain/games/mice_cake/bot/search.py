"""Game knowledge for the search: candidate moves, rollouts, rollout length and evaluation."""

from collections.abc import Iterable, Sequence
from math import exp

from domain.games.mice_cake.bot.evaluation import ColumnEvaluator, margin_spread
from domain.games.mice_cake.bot.lookahead import Allocation, Lookahead, best_steal_value, to_block
from domain.games.mice_cake.bot.rollout import ALL_PIPS, Rollout
from domain.games.mice_cake.bot.strategy import feared_assignment, foresee_assignment, weigh_columns
from domain.games.mice_cake.rules.components import PIPS
from domain.games.mice_cake.rules.model import State, View
from domain.games.mice_cake.rules.moves import AssignMice, Move, Options
from domain.games.mice_cake.rules.parts import (
    SEATS,
    Cell,
    SeatName,
    opponent_of,
)
from domain.kernel.chance import Chance
from domain.kernel.game import Insight, Seat

ENDGAME_DOMINOES = 14
"""With at most this many dominoes left, rollouts play to the end."""
LOOKAHEAD_ROUNDS = 2
"""Number of rounds of a rollout in which the searching seat uses the lookahead."""
ITERATIONS, MOVE_BY_MOVE_ITERATIONS = 4500, 600
"""Number of rollouts per move, with fast rounds and without them: at most two seconds' worth on a busy core."""
ROUNDS_AHEAD = 4
"""Number of moves in a rollout with other than the default options, before the endgame."""


def consider(view: View, seat: Seat, legal: Iterable[Move], chance: Chance, most: int) -> list[Move]:
    """Return the best assignments by the lookahead, at most `most`, with ties in random order.

    With options that the lookahead doesn't support, they are ordered by the greedy weights, and only the best one is
    returned before the endgame, because rollouts that early are too noisy to compare moves.
    """
    name = SEATS[seat]
    moves = chance.shuffle(move for move in legal if isinstance(move, AssignMice))
    if not is_plain(view.options):
        weighing = weigh_columns(view, name, feared_assignment(view, name, chance))
        return [*sorted(moves, key=weighing.weight_of, reverse=True)[: most if is_endgame(view.cake.values()) else 1]]
    ahead = look_ahead(view, name, chance)
    return [*sorted(moves, key=lambda move: ahead.lead_after(to_allocation(move)), reverse=True)[:most]]


def to_allocation(move: AssignMice) -> Allocation:
    """Return an assignment as an allocation."""
    return Allocation(move.columns.counts(), move.steal_target)


def look_ahead(view: View, name: SeatName, chance: Chance) -> Lookahead:
    """Return the lookahead of a seat for this view."""
    rival = opponent_of(name)
    near = slice(None) if name == "yellow" else slice(None, None, -1)
    foe = foresee_assignment(view, rival, feared_assignment(view, rival, chance), chance)
    promise = ColumnEvaluator(
        view.unseen, best_steal_value(view.stash.of(rival)), best_steal_value(view.stash.of(name))
    )
    mine, theirs = view.pips.of(name), view.pips.of(rival)
    return Lookahead(
        [to_block(cells[near]) for cells in view.cake.values()],
        to_allocation(foe) if foe else Allocation(),
        promise,
        mine - theirs,
        ALL_PIPS - mine - theirs,
    )


def playout(state: State, seat: Seat, chance: Chance) -> float | None:
    """Return the result of a rollout: lookahead rounds, then greedy play to the end or an estimate before the endgame.

    None if the match is over, or with options that the fast rounds don't support.
    """
    if state.result is not None or not is_plain(state.options):
        return None
    rounds = Rollout(state, seat)
    rounds.finish_round(chance)
    for _ in range(LOOKAHEAD_ROUNDS):
        rounds.play_lookahead_round(chance)
    if not is_endgame(state.cake.values()):
        return rounds.estimate_win(chance)
    rounds.play_to_end(chance)
    return rounds.win_share()


def is_endgame(cake: Sequence[Sequence[Cell]]) -> bool:
    """Return whether few enough dominoes are left to play rollouts to the end."""
    return sum(map(len, cake)) <= ENDGAME_DOMINOES


def is_plain(options: Options) -> bool:
    """Return whether attempts follow the default options and every front is face up."""
    return options.matches == "exhaust" and options.contest_floor == "pips" and options.start_face != "down"


def iterations_at(view: View) -> int | None:
    """Return the number of rollouts with options that the fast rounds don't support, None with any others."""
    return None if is_plain(view.options) else MOVE_BY_MOVE_ITERATIONS


def enough(state: State, made: int) -> bool:
    """Return whether a rollout can stop: enough moves were made, and it is not the endgame."""
    return made >= ROUNDS_AHEAD and not is_endgame(state.cake.values())


def hope(state: State, seat: Seat) -> float:
    """Return the estimated chance of winning, from the margin and the pips left on the cake."""
    name = SEATS[seat]
    margin = sum(map(PIPS.__getitem__, state.stash.of(name))) - sum(
        map(PIPS.__getitem__, state.stash.of(opponent_of(name)))
    )
    left = sum(PIPS[cell.visible_piece] for cells in state.cake.values() for cell in cells)
    return 1 / (1 + exp(-margin / margin_spread(left)))


INSIGHT: Insight[State, Move, View] = Insight(
    consider=consider,
    enough=enough,
    hope=hope,
    iterations=ITERATIONS,
    iterations_at=iterations_at,
    playout=playout,
    proof=0.5,
)
