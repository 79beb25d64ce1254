"""What a search needs from the game: which moves to consider, how a rollout goes on and stops, and who is ahead."""

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
"""So many dominoes are left when a rollout can go to the end."""
LOOKAHEAD_ROUNDS = 2
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
        weighing = weigh_columns(view, name, feared_assignment(view, name, chance))
        return [*sorted(moves, key=weighing.weight_of, reverse=True)[: most if is_endgame(view.cake.values()) else 1]]
    ahead = look_ahead(view, name, chance)
    return [*sorted(moves, key=lambda move: ahead.lead_after(to_allocation(move)), reverse=True)[:most]]


def to_allocation(move: AssignMice) -> Allocation:
    """An assignment as a look ahead takes it."""
    return Allocation(move.columns.counts(), move.steal_target)


def look_ahead(view: View, name: SeatName, chance: Chance) -> Lookahead:
    """What a seat sees when it looks one round ahead."""
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
    """Rounds in which the seat looks ahead; then, when few dominoes are left, greedy to the end, else what it hopes.

    None at the end, or by rules that the quick rounds do not know.
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
    """Whether few dominoes are left."""
    return sum(map(len, cake)) <= ENDGAME_DOMINOES


def is_plain(options: Options) -> bool:
    """Whether no option changes what an attempt does, and every front lies face up."""
    return options.matches == "exhaust" and options.contest_floor == "pips" and options.start_face != "down"


def enough(state: State, made: int) -> bool:
    """A rollout sees so many rounds; from the last ones it goes to the end."""
    return made >= ROUNDS_AHEAD and not is_endgame(state.cake.values())


def hope(state: State, seat: Seat) -> float:
    """From the margin in pips, and how many are still to be had."""
    name = SEATS[seat]
    margin = sum(map(PIPS.__getitem__, state.stash.of(name))) - sum(
        map(PIPS.__getitem__, state.stash.of(opponent_of(name)))
    )
    left = sum(PIPS[cell.visible_piece] for cells in state.cake.values() for cell in cells)
    return 1 / (1 + exp(-margin / margin_spread(left)))


INSIGHT: Insight[State, Move, View] = Insight(
    consider=consider, enough=enough, hope=hope, iterations=6000, playout=playout, proof=0.5
)
