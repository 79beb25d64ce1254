"""Game knowledge for the search: candidate moves, rollout policy, rollout length and evaluation."""

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import combinations
from math import exp
from typing import NamedTuple

from domain.games.take_the_cake.bot.distances import UNREACHABLE, BakerProgress, DistanceTable, Task, distance_table
from domain.games.take_the_cake.bot.strategy import ProgramSimulator, candidates, greedy, progress_of, shortest_programs
from domain.games.take_the_cake.rules.components import CARDS
from domain.games.take_the_cake.rules.model import State, View
from domain.games.take_the_cake.rules.moves import Move, RunProgram, Step, SwapCards
from domain.games.take_the_cake.rules.parts import (
    HAND_SIZE,
    MAX_SWAPPED,
    Card,
    Square,
)
from domain.games.take_the_cake.rules.programs import (
    is_if,
    is_live,
)
from domain.kernel.chance import Chance
from domain.kernel.game import Insight, Seat

PER_COMMAND, AT_THE_END = 0.8, 0.4
"""Cost in turns of a command of the path, and the extra cost of each of the last two, which must fit exactly."""
FIRST_COPY_COST = {
    "forward": 0.5,
    "backward": 0.1,
    "left": 0.15,
    "right": 0.15,
    "around": 0.2,
    "jump": -0.2,
    "x2": 0.25,
    "x3": -0.2,
    "if": 0.15,
}
"""Cost in turns of keeping a card instead of drawing a new one, by purpose. Cards below 0 are worth keeping.
Fitted to 900 paths of greedy bakers, each alone on a board, and rounded."""
NEXT_COPY_COST = {"forward": 0.6, "backward": 0.0, "left": 0.6, "right": 0.6, "around": 0.1, "jump": 0.0, "if": 0.1}
"""The same for each further card with that purpose."""
REPEAT_COST = -0.25
"""The same for each further Repeat of either kind."""
HAND_CACHE_SIZE = 10_000
"""Number of hands kept in the cache."""


# -- estimated turns ------------------------------------------------------------------------------------------------


class MoveOutcome(NamedTuple):
    """A move with its result: the baker's progress, and the cards kept before drawing."""

    place: BakerProgress
    kept: tuple[Card, ...]
    move: RunProgram | SwapCards


def move_outcomes(view: View, seat: Seat, ways: DistanceTable, others: frozenset[Square]) -> Iterator[MoveOutcome]:
    """Yield the programs that differ in where they end or which cards they keep, and the swaps of three cards.

    A program that doesn't shorten the path must renew as many cards as a swap, so that no hand gets stuck.
    """
    hand = view.hands[seat].cards
    assert isinstance(hand, tuple)
    start, runner = progress_of(view, seat, ways), ProgramSimulator(ways, others)
    now, seen = ways.distance_from(start), set()
    for steps in candidates(hand, view.featured, view.options):
        end, laid = runner.run(start, steps), {step.card for step in steps}
        found = MoveOutcome(end, tuple(card for card in hand if card not in laid), RunProgram(steps))
        if (end, card_purposes(found.kept)) in seen:
            continue
        seen.add((end, card_purposes(found.kept)))
        for one in append_dead_ifs(found, view.featured):
            if len(one.kept) <= HAND_SIZE - MAX_SWAPPED or ways.distance_from(end) < now:
                yield one
    for away in combinations(hand, MAX_SWAPPED):
        yield MoveOutcome(start, tuple(card for card in hand if card not in away), SwapCards(away))


def append_dead_ifs(found: MoveOutcome, featured: str | None) -> Iterator[MoveOutcome]:
    """Yield a program, and the same program with dead Ifs added at its end."""
    yield found
    assert isinstance(found.move, RunProgram)
    steps = found.move.steps
    dead = [card for card in found.kept if not is_live(card, featured)]
    for count in range(1, min(len(dead), HAND_SIZE - len(steps)) + 1):
        for away in combinations(dead, count):
            kept = tuple(card for card in found.kept if card not in away)
            yield MoveOutcome(found.place, kept, RunProgram((*steps, *map(Step, away))))


def card_purpose(card: Card) -> str:
    """Return the purpose of a card: its command, its factor or `if`."""
    face = CARDS[card]
    if face.tag:
        return "if"
    return f"x{face.factor}" if face.factor else face.commands[0]


@lru_cache(HAND_CACHE_SIZE)
def card_purposes(kept: tuple[Card, ...]) -> tuple[str, ...]:
    """Return the sorted purposes of cards, with each If counted separately."""
    return tuple(sorted(card if is_if(card) else card_purpose(card) for card in kept))


@lru_cache(HAND_CACHE_SIZE)
def hand_cost(kept: tuple[Card, ...]) -> float:
    """Return the cost in turns of keeping these cards instead of drawing new ones."""
    count = Counter(map(card_purpose, kept))
    again = sum(NEXT_COPY_COST.get(what, 0.0) * (copies - 1) for what, copies in count.items())
    repeats = max(0, count["x2"] + count["x3"] - 1)
    return sum(FIRST_COPY_COST[what] for what in count) + again + REPEAT_COST * repeats


def turns_left(ways: DistanceTable, found: MoveOutcome) -> float:
    """Return the estimated number of turns left, below 0 after baking."""
    if found.place.baked:
        return -1.0
    way = ways.distance_from(found.place)
    return PER_COMMAND * way + AT_THE_END * min(way, 2) + hand_cost(found.kept)


def rank_moves(view: View, seat: Seat, chance: Chance) -> list[Move]:
    """Return the moves, fewest turns left first; an empty list if there is no path or bakers block it."""
    others = frozenset(one.at for n, one in enumerate(view.bakers) if n != seat and one.at is not None)
    ways = distance_table(Task(view.layout, view.recipe or "", view.tokens, view.options.jump_touches))
    start = progress_of(view, seat, ways)
    if ways.distance_from(start) >= UNREACHABLE:
        return []
    found = chance.shuffle(move_outcomes(view, seat, ways, others))
    best = min(found, key=lambda one: turns_left(ways, one))
    if ways.distance_from(best.place) >= ways.distance_from(start) and is_barred(view, seat, ways, others):
        return []
    return [one.move for one in sorted(found, key=lambda one: turns_left(ways, one))]


def is_barred(view: View, seat: Seat, ways: DistanceTable, others: frozenset[Square]) -> bool:
    """Return whether other bakers are the only reason why no program shortens the path."""
    hand = view.hands[seat].cards
    assert isinstance(hand, tuple)
    found, start = list(candidates(hand, view.featured, view.options)), progress_of(view, seat, ways)
    return not shortest_programs(ways, others, start, found) and bool(
        shortest_programs(ways, frozenset(), start, found)
    )


TURNS_AHEAD = 2
DISTANCE_SPREAD = 4.0
"""Spread of the lead in the race, in commands."""
COMMANDS_PER_TURN = 1.6
"""Average number of commands that a turn shortens the path by (14.1)."""


# -- for the search -------------------------------------------------------------------------------------------------


def policy(view: View, seat: Seat, legal: Iterable[Move], chance: Chance) -> Move:
    """Return the move with the fewest estimated turns left, from the path and the cards kept."""
    moves = rank_moves(view, seat, chance) if view.phase == "turn" else []
    return moves[0] if moves else greedy(view, seat, legal, chance)


def consider(view: View, seat: Seat, legal: Iterable[Move], chance: Chance, most: int) -> list[Move]:
    """Return the moves with the fewest estimated turns left."""
    moves = rank_moves(view, seat, chance) if view.phase == "turn" else []
    return moves[:most] or [greedy(view, seat, legal, chance)]


def enough(state: State, made: int) -> bool:
    """Return whether a rollout can stop after this many moves."""
    return made >= TURNS_AHEAD


def hope(state: State, seat: Seat) -> float:
    """Return the estimated chance of winning, from all distances left and the turn order."""
    if state.phase == "placement":
        return 1 / state.seats
    ways = distance_table(Task(state.layout, state.recipe or "", state.tokens, state.options.jump_touches))
    left = []
    for one in range(state.seats):
        turns = (one - state.turn) % state.seats / state.seats
        left.append(10_000.0 if one in state.out else distance_left(state, one, ways) + COMMANDS_PER_TURN * turns)
    mine = left.pop(seat)
    return 1 / (1 + sum(exp(min(50.0, (mine - rival) / DISTANCE_SPREAD)) for rival in left))


def distance_left(state: State, seat: Seat, ways: DistanceTable) -> int:
    """Return the number of commands that this seat is away from baking."""
    baker = state.bakers[seat]
    assert baker.at is not None
    assert baker.facing is not None
    return ways.distance_from(
        BakerProgress(sum(ways.bit[one] for one in baker.collected), baker.at, baker.facing, baker.baked)
    )


ITERATIONS = 1
"""Only the policy, because a search of 24 iterations did not win more."""
INSIGHT: Insight[State, Move, View] = Insight(
    consider=consider, enough=enough, hope=hope, iterations=ITERATIONS, policy=policy
)
