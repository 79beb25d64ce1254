"""What a search needs from the game: which moves to consider, how a rollout goes on and stops, and who is ahead."""

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
"""Turns that a command of the way costs, and each of the last two on top: they must fit exactly."""
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
"""Turns that a card costs that is kept instead of drawing a new one, by what it is for; below 0 it is worth keeping.
These figures were fitted to 900 ways of greedy bakers, each alone in a kitchen, and rounded."""
NEXT_COPY_COST = {"forward": 0.6, "backward": 0.0, "left": 0.6, "right": 0.6, "around": 0.1, "jump": 0.0, "if": 0.1}
"""The same for each further card of the kind."""
REPEAT_COST = -0.25
"""The same for each further Repeat, of either kind."""
HAND_CACHE_SIZE = 10_000
"""Hands that are remembered."""


# -- the way in turns -----------------------------------------------------------------------------------------------


class MoveOutcome(NamedTuple):
    """A move by what it leads to: where the baker stands then, and which cards it holds before it draws."""

    place: BakerProgress
    kept: tuple[Card, ...]
    move: RunProgram | SwapCards


def move_outcomes(view: View, seat: Seat, ways: DistanceTable, others: frozenset[Square]) -> Iterator[MoveOutcome]:
    """The programs that differ in where they end or what they keep, and the swaps of three cards.

    Without getting nearer a program must renew as many cards as a swap does: nobody gets stuck on a hand.
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
    """A program, and the same with useless Ifs at its end."""
    yield found
    assert isinstance(found.move, RunProgram)
    steps = found.move.steps
    dead = [card for card in found.kept if not is_live(card, featured)]
    for count in range(1, min(len(dead), HAND_SIZE - len(steps)) + 1):
        for away in combinations(dead, count):
            kept = tuple(card for card in found.kept if card not in away)
            yield MoveOutcome(found.place, kept, RunProgram((*steps, *map(Step, away))))


def card_purpose(card: Card) -> str:
    """What a card is for: its command, its factor, or that it is an If."""
    face = CARDS[card]
    if face.tag:
        return "if"
    return f"x{face.factor}" if face.factor else face.commands[0]


@lru_cache(HAND_CACHE_SIZE)
def card_purposes(kept: tuple[Card, ...]) -> tuple[str, ...]:
    """What cards are for; each If is a kind of its own."""
    return tuple(sorted(card if is_if(card) else card_purpose(card) for card in kept))


@lru_cache(HAND_CACHE_SIZE)
def hand_cost(kept: tuple[Card, ...]) -> float:
    """Turns that these cards cost against new ones."""
    count = Counter(map(card_purpose, kept))
    again = sum(NEXT_COPY_COST.get(what, 0.0) * (copies - 1) for what, copies in count.items())
    repeats = max(0, count["x2"] + count["x3"] - 1)
    return sum(FIRST_COPY_COST[what] for what in count) + again + REPEAT_COST * repeats


def turns_left(ways: DistanceTable, found: MoveOutcome) -> float:
    """How many turns there are still to come, nearly; none after baking."""
    if found.place.baked:
        return -1.0
    way = ways.distance_from(found.place)
    return PER_COMMAND * way + AT_THE_END * min(way, 2) + hand_cost(found.kept)


def rank_moves(view: View, seat: Seat, chance: Chance) -> list[Move]:
    """The moves by the turns that are left after them; none where bakers bar the way, or there is none."""
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
    """Whether only bakers in the way keep every program from bringing this one nearer."""
    hand = view.hands[seat].cards
    assert isinstance(hand, tuple)
    found, start = list(candidates(hand, view.featured, view.options)), progress_of(view, seat, ways)
    return not shortest_programs(ways, others, start, found) and bool(
        shortest_programs(ways, frozenset(), start, found)
    )


TURNS_AHEAD = 2
DISTANCE_SPREAD = 4.0
"""By how many commands the race strays either way."""
COMMANDS_PER_TURN = 1.6
"""Commands that a turn brings a baker nearer (14.1)."""


# -- for the search -------------------------------------------------------------------------------------------------


def policy(view: View, seat: Seat, legal: Iterable[Move], chance: Chance) -> Move:
    """The move after which the fewest turns are left, by the way and by the cards that are kept."""
    moves = rank_moves(view, seat, chance) if view.phase == "turn" else []
    return moves[0] if moves else greedy(view, seat, legal, chance)


def consider(view: View, seat: Seat, legal: Iterable[Move], chance: Chance, most: int) -> list[Move]:
    """The moves after which the fewest turns are left."""
    moves = rank_moves(view, seat, chance) if view.phase == "turn" else []
    return moves[:most] or [greedy(view, seat, legal, chance)]


def enough(state: State, made: int) -> bool:
    """A rollout sees so many turns of the seat that thinks."""
    return made >= TURNS_AHEAD


def hope(state: State, seat: Seat) -> float:
    """From the ways that are left to all, and whose turn it is."""
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
    """Commands that this seat is away from baking."""
    baker = state.bakers[seat]
    assert baker.at is not None
    assert baker.facing is not None
    return ways.distance_from(
        BakerProgress(sum(ways.bit[one] for one in baker.collected), baker.at, baker.facing, baker.baked)
    )


ITERATIONS = 1
"""The policy alone: a search of 24 iterations won no more than it."""
INSIGHT: Insight[State, Move, View] = Insight(
    consider=consider, enough=enough, hope=hope, iterations=ITERATIONS, policy=policy
)
