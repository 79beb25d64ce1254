"""What a good player weighs (rules, section 14): the way that is left, exactly, and which program shortens it most."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import combinations, permutations
from math import exp
from typing import NamedTuple

from domain.games.take_the_cake.rules.board import CLOCKWISE, OVEN, board_of, facing_after, find_entry
from domain.games.take_the_cake.rules.components import CARD_ORDER, CARDS, RECIPES
from domain.games.take_the_cake.rules.model import (
    BOARD_SIZE,
    HAND_SIZE,
    MAX_SWAPPED,
    AcceptPlacement,
    Card,
    Command,
    Facing,
    Laid,
    Move,
    Options,
    RunProgram,
    Square,
    State,
    Step,
    SwapCards,
    Tokens,
    View,
)
from domain.games.take_the_cake.rules.programs import (
    activations,
    all_spans,
    is_if,
    is_live,
    is_repeat,
    step_variants,
    touched,
)
from domain.kernel.chance import Chance
from domain.kernel.game import Insight, Seat

COMMANDS: tuple[Command, ...] = ("forward", "backward", "left", "right", "around", "jump")
KEEP_ORDER: tuple[Command, ...] = ("around", "backward", "left", "right", "forward", "jump")
"""The commands of plain cards, least worth keeping first (12.4: how often cards are used)."""
UNREACHABLE = 1_000_000
"""More commands than any way has."""
TABLE_CACHE_SIZE = 64
"""Ways to the Oven that are remembered; a match needs one, and another when bakers bar a lane."""

Pose = tuple[Square, Facing]
TouchedMarks = tuple[tuple[int, bool], ...]
"""What a command touches, tile by tile: the bit of the ingredient there (0 if none), and whether it is the Oven."""


class Task(NamedTuple):
    """What has to be done in a match: enough to compute how far every pose is from baking."""

    layout: tuple[Laid, ...]
    recipe: str
    tokens: Tokens
    jump_touches: bool
    barred: frozenset[Square] = frozenset()
    """Tiles to be treated as walls, beside the walls."""


class BakerProgress(NamedTuple):
    """Where a baker is in its task: the ingredients it has as bits, tile, facing; and whether it has baked."""

    ticked: int
    at: Square
    facing: Facing
    baked: bool = False


class DistanceTable:
    """How many single commands every place is from baking, ignoring hands and moving bakers (14.1)."""

    def __init__(self, task: Task) -> None:
        self.task = task
        ingredients = RECIPES[task.recipe].ingredients
        self.bit = {name: 1 << n for n, name in enumerate(ingredients)}
        self.full = (1 << len(ingredients)) - 1
        self.walls = board_of(task.layout).walls | task.barred
        self.bits = {at: self.bit[name] for name, at in task.tokens.items()}
        tiles = [(r, c) for r in range(BOARD_SIZE) for c in range(BOARD_SIZE) if (r, c) not in self.walls]
        self.poses: list[Pose] = [(tile, facing) for tile in tiles for facing in CLOCKWISE]
        self.left: list[dict[Pose, int]] = [{} for _ in range(self.full + 1)]
        self._compute()

    def distance_from(self, place: BakerProgress) -> int:
        """Commands left from a place; more than any way is long where there is none."""
        if place.baked:
            return 0
        return self.left[place.ticked].get((place.at, place.facing), UNREACHABLE)

    def touched_marks(self, to: Square, over: Square | None) -> TouchedMarks:
        """What matters of the tiles that are touched."""
        tiles = touched(to, over, self.task.jump_touches)
        return tuple((self.bits.get(tile, 0), tile in OVEN) for tile in tiles if tile in self.bits or tile in OVEN)

    def ticked_after(self, ticked: int, marks: TouchedMarks) -> tuple[int, bool]:
        """K1 The ingredients after touching these tiles, and whether the pastry is baked."""
        for bit, oven in marks:
            ticked |= bit
            if oven and ticked == self.full:
                return ticked, True
        return ticked, False

    def step(self, pose: Pose, command: Command, others: frozenset[Square]) -> tuple[Pose, TouchedMarks]:
        """Where a command leads from a pose, and what it touches; nowhere and nothing if it is blocked."""
        at, facing = pose
        match command:
            case "left" | "right" | "around":
                return (at, facing_after(facing, command)), ()
            case _:
                to, over, barred = find_entry(self.walls, others, at, facing, command)
                return (pose, ()) if barred else ((to, facing), self.touched_marks(to, over))

    def _compute(self) -> None:
        """Fill `left`, the layers with more ingredients first; in each layer a search backwards by distance."""
        behind: dict[Pose, list[tuple[Pose, TouchedMarks]]] = {pose: [] for pose in self.poses}
        marked: list[tuple[Pose, Pose, TouchedMarks]] = []
        for pose in self.poses:
            for command in COMMANDS:
                to, marks = self.step(pose, command, frozenset())
                if to != pose:
                    behind[to].append((pose, marks))
                if marks:
                    marked.append((pose, to, marks))
        for ticked in range(self.full, -1, -1):
            self._fill_layer(ticked, behind, marked)

    def _fill_layer(
        self,
        ticked: int,
        behind: dict[Pose, list[tuple[Pose, TouchedMarks]]],
        marked: list[tuple[Pose, Pose, TouchedMarks]],
    ) -> None:
        """One layer: every pose with these ingredients."""
        left = self.left[ticked]
        rings: dict[int, list[Pose]] = {}
        for pose, to, marks in marked:
            then, baked = self.ticked_after(ticked, marks)
            if baked:
                rings.setdefault(1, []).append(pose)
            elif then != ticked and to in self.left[then]:
                rings.setdefault(1 + self.left[then][to], []).append(pose)
        while rings:
            distance = min(rings)
            for pose in rings.pop(distance):
                if pose in left:
                    continue
                left[pose] = distance
                near = rings.setdefault(distance + 1, [])
                near += [
                    one
                    for one, marks in behind[pose]
                    if one not in left and (not marks or self.ticked_after(ticked, marks) == (ticked, False))
                ]


@lru_cache(TABLE_CACHE_SIZE)
def distance_table(task: Task) -> DistanceTable:
    """The ways of a task, computed once."""
    return DistanceTable(task)


# -- programs that differ in effect -----------------------------------------------------------------------------------


def candidates(hand: Sequence[Card], featured: str | None, options: Options) -> Iterator[tuple[Step, ...]]:
    """Programs of cards that do something now, one for each effect: copies of a card are the same to us."""
    live = sorted((card for card in hand if is_live(card, featured)), key=CARD_ORDER.__getitem__)
    seen: set[tuple[object, ...]] = set()
    for length in range(1, len(live) + 1):
        for cards in permutations(live, length):
            effect = tuple((CARDS[card].commands, CARDS[card].factor) for card in cards)
            if effect in seen:
                continue
            seen.add(effect)
            for spans in all_spans(tuple(map(is_repeat, cards)), options.nested_repeats):
                yield tuple(step_variants(card, span, False)[0] for card, span in zip(cards, spans, strict=True))


class ProgramSimulator:
    """Runs programs from one place, remembering what every command did."""

    def __init__(self, ways: DistanceTable, others: frozenset[Square]) -> None:
        self._ways = ways
        self._others = others
        self._done: dict[tuple[BakerProgress, Command], BakerProgress] = {}

    def run(self, place: BakerProgress, steps: Sequence[Step]) -> BakerProgress:
        """Where a program ends; the Ifs among the steps are met."""
        for index in activations(steps):
            for command in CARDS[steps[index].card].commands:
                place = self.carry_out(place, command)
                if place.baked:
                    return place
        return place

    def carry_out(self, place: BakerProgress, command: Command) -> BakerProgress:
        """Where one command leads."""
        known = self._done.get((place, command))
        if known is None:
            (at, facing), marks = self._ways.step((place.at, place.facing), command, self._others)
            ticked, baked = self._ways.ticked_after(place.ticked, marks)
            known = BakerProgress(ticked, at, facing, baked)
            self._done[place, command] = known
        return known


# -- the choice -------------------------------------------------------------------------------------------------------


def greedy(view: View, seat: Seat, legal: Iterable[Move], chance: Chance) -> Move:
    """The program after which the way left is shortest, with few cards; otherwise three new cards.

    An arrangement of tokens is accepted as it stands. Ties are broken by chance. The list of legal moves is not looked
    at: it spells every program in many ways.
    """
    if view.phase == "placement":
        return AcceptPlacement()
    hand = view.hands[seat].cards
    assert isinstance(hand, tuple)
    best = best_programs(view, seat, hand)
    if best:
        return RunProgram(with_dead_ifs(chance.pick(best), hand, view.featured))
    return choose_swap(hand, view.featured, chance)


def best_programs(view: View, seat: Seat, hand: Sequence[Card]) -> list[tuple[Step, ...]]:
    """The programs that shorten the way most, with the fewest cards.

    When bakers bar all of them, they are taken for walls and the way around them counts (14.1, the flaw).
    """
    others = frozenset(one.at for n, one in enumerate(view.bakers) if n != seat and one.at is not None)
    found = list(candidates(hand, view.featured, view.options))
    ways = distance_table(Task(view.layout, view.recipe or "", view.tokens, view.options.jump_touches))
    best = shortest_programs(ways, others, progress_of(view, seat, ways), found)
    if best or not shortest_programs(ways, frozenset(), progress_of(view, seat, ways), found):
        return best
    around = distance_table(ways.task._replace(barred=others))
    return shortest_programs(around, others, progress_of(view, seat, around), found)


def progress_of(view: View, seat: Seat, ways: DistanceTable) -> BakerProgress:
    """Where the seat's baker is in its task."""
    baker = view.bakers[seat]
    assert baker.at is not None
    assert baker.facing is not None
    return BakerProgress(sum(ways.bit[one] for one in baker.collected), baker.at, baker.facing)


def shortest_programs(
    ways: DistanceTable, others: frozenset[Square], start: BakerProgress, found: Iterable[tuple[Step, ...]]
) -> list[tuple[Step, ...]]:
    """Of these programs the best ones, if any brings the baker nearer."""
    runner = ProgramSimulator(ways, others)
    best: list[tuple[Step, ...]] = []
    record = (ways.distance_from(start), 0)
    for steps in found:
        value = (ways.distance_from(runner.run(start, steps)), len(steps))
        if value < record:
            best, record = [steps], value
        elif value == record and best:
            best.append(steps)
    return best


def with_dead_ifs(steps: tuple[Step, ...], hand: Sequence[Card], featured: str | None) -> tuple[Step, ...]:
    """The program with useless Ifs at its end: they are replaced by new cards."""
    dead = [card for card in hand if not is_live(card, featured)]
    return (*steps, *(Step(card) for card in dead))[:HAND_SIZE]


def choose_swap(hand: Sequence[Card], featured: str | None, chance: Chance) -> SwapCards:
    """Three cards away: dead Ifs first, then Repeats, then what is needed least."""

    def worth(card: Card) -> int:
        if not is_live(card, featured):
            return 0
        if is_repeat(card):
            return 1
        return 2 + (len(KEEP_ORDER) if is_if(card) else KEEP_ORDER.index(CARDS[card].commands[0]))

    return SwapCards(tuple(sorted(chance.shuffle(hand), key=worth)[:MAX_SWAPPED]))


# -- the way in turns -------------------------------------------------------------------------------------------------

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


# -- for the search -----------------------------------------------------------------------------------------------

TURNS_AHEAD = 2
DISTANCE_SPREAD = 4.0
"""By how many commands the race strays either way."""
COMMANDS_PER_TURN = 1.6
"""Commands that a turn brings a baker nearer (14.1)."""


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
