"""The greedy bot (rules, section 14): runs the program that shortens the remaining path most."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import permutations

from domain.games.take_the_cake.bot.distances import BakerProgress, DistanceTable, Task, distance_table
from domain.games.take_the_cake.rules.components import CARD_ORDER, CARDS
from domain.games.take_the_cake.rules.model import View
from domain.games.take_the_cake.rules.moves import AcceptPlacement, Move, Options, RunProgram, Step, SwapCards
from domain.games.take_the_cake.rules.parts import (
    HAND_SIZE,
    MAX_SWAPPED,
    Card,
    Command,
    Square,
)
from domain.games.take_the_cake.rules.programs import (
    activations,
    all_spans,
    is_if,
    is_live,
    is_repeat,
    step_variants,
)
from domain.kernel.chance import Chance
from domain.kernel.game import Seat

KEEP_ORDER: tuple[Command, ...] = ("around", "backward", "left", "right", "forward", "jump")
"""The commands of plain cards, least valuable first, by how often cards are used (12.4)."""


# -- candidate programs ---------------------------------------------------------------------------------------------


def candidates(hand: Sequence[Card], featured: str | None, options: Options) -> Iterator[tuple[Step, ...]]:
    """Yield programs of live cards, one for each effect: copies of a card are interchangeable."""
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
    """Runs programs on the distance table and caches the result of every command."""

    def __init__(self, ways: DistanceTable, others: frozenset[Square]) -> None:
        self._ways = ways
        self._others = others
        self._done: dict[tuple[BakerProgress, Command], BakerProgress] = {}

    def run(self, place: BakerProgress, steps: Sequence[Step]) -> BakerProgress:
        """Return the progress after a program whose Ifs are all met."""
        for index in activations(steps):
            for command in CARDS[steps[index].card].commands:
                place = self.carry_out(place, command)
                if place.baked:
                    return place
        return place

    def carry_out(self, place: BakerProgress, command: Command) -> BakerProgress:
        """Return the progress after one command."""
        known = self._done.get((place, command))
        if known is None:
            (at, facing), marks = self._ways.step((place.at, place.facing), command, self._others)
            ticked, baked = self._ways.ticked_after(place.ticked, marks)
            known = BakerProgress(ticked, at, facing, baked)
            self._done[place, command] = known
        return known


# -- the choice -----------------------------------------------------------------------------------------------------


def greedy(view: View, seat: Seat, legal: Iterable[Move], chance: Chance) -> Move:
    """Return the program that leaves the shortest path, with the fewest cards; if none helps, swap three cards.

    Arrangements of tokens are always accepted. Ties are broken at random. The list of legal moves is ignored because
    it contains many equivalent programs.
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
    """Return the programs that shorten the path most, with the fewest cards.

    If other bakers block all of them, those bakers count as walls and the path leads around them (14.1).
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
    """Return the progress of the seat's baker."""
    baker = view.bakers[seat]
    assert baker.at is not None
    assert baker.facing is not None
    return BakerProgress(sum(ways.bit[one] for one in baker.collected), baker.at, baker.facing)


def shortest_programs(
    ways: DistanceTable, others: frozenset[Square], start: BakerProgress, found: Iterable[tuple[Step, ...]]
) -> list[tuple[Step, ...]]:
    """Return the best of these programs, or none if no program shortens the path."""
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
    """Return the program with dead Ifs added at its end, to replace them with new cards."""
    dead = [card for card in hand if not is_live(card, featured)]
    return (*steps, *(Step(card) for card in dead))[:HAND_SIZE]


def choose_swap(hand: Sequence[Card], featured: str | None, chance: Chance) -> SwapCards:
    """Return a swap of three cards: dead Ifs first, then Repeats, then the least useful cards."""

    def worth(card: Card) -> int:
        if not is_live(card, featured):
            return 0
        if is_repeat(card):
            return 1
        return 2 + (len(KEEP_ORDER) if is_if(card) else KEEP_ORDER.index(CARDS[card].commands[0]))

    return SwapCards(tuple(sorted(chance.shuffle(hand), key=worth)[:MAX_SWAPPED]))
