"""The greedy player (rules, section 14): runs the program that shortens the way left most."""

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
"""The commands of plain cards, least worth keeping first (12.4: how often cards are used)."""


# -- programs that differ in effect ---------------------------------------------------------------------------------


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


# -- the choice -----------------------------------------------------------------------------------------------------


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
