"""Programs: validation, enumeration and execution (rules, 5.1 and 5.2)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import chain, permutations, product, repeat

from domain.games.take_the_cake.rules.board import OVEN, board_of, facing_after, find_entry
from domain.games.take_the_cake.rules.components import CARD_ORDER, CARDS, FEATURED, RECIPES, CardFace
from domain.games.take_the_cake.rules.facts import (
    BakerBlocked,
    BakerMoved,
    BakerTurned,
    IfChecked,
    IngredientCollected,
    MotionFact,
    PastryBaked,
)
from domain.games.take_the_cake.rules.model import State
from domain.games.take_the_cake.rules.moves import Options, RunProgram, Step
from domain.games.take_the_cake.rules.parts import (
    HAND_SIZE,
    Card,
    Command,
    Facing,
    IfResult,
    Ingredient,
    Motion,
    Square,
)
from domain.kernel.game import Branch, Seat
from domain.kernel.refusals import IllegalMove
from domain.kernel.text import pluralize

NOT_A_CARD = CardFace("", "", ())
REPEATS = frozenset(card for card, face in CARDS.items() if face.factor > 0)
Spans = tuple[int | None, ...]


def is_repeat(card: Card) -> bool:
    """Return whether the card is a Repeat."""
    return card in REPEATS


def is_if(card: Card) -> bool:
    """Return whether the card is an If card."""
    return CARDS.get(card, NOT_A_CARD).tag is not None


def is_live(card: Card, featured: str | None) -> bool:
    """Return whether the featured item meets the condition of a card (12.4). Cards without a condition are live."""
    tag = CARDS[card].tag
    return tag is None or (featured is not None and tag in FEATURED[featured].tags)


# -- validation -------------------------------------------------------------------------------------------------------


def check_program(hand: Sequence[Card], steps: Sequence[Step], options: Options) -> None:
    """Run checks 6 to 11 of section 5.5 in order (P1 to P3). Raise IllegalMove if one fails."""
    if not 1 <= len(steps) <= HAND_SIZE:
        raise IllegalMove("program_size", "P1", f"This program has {len(steps)} cards. Use 1 to {HAND_SIZE}.")
    check_cards(hand, [step.card for step in steps], "P1")
    for i, step in enumerate(steps):
        check_marks(i, step, options)
    for i, step in enumerate(steps):
        check_span(i, step, len(steps))
    for i, j in nested_pairs(steps):
        if last_body_step(steps, j) > last_body_step(steps, i):
            raise IllegalMove(
                "spans_cross",
                "P3",
                f"{describe_card(j, steps[j].card)} repeats cards beyond the end of the Repeat around it. "
                f"Shorten its span, or extend the span of card {i + 1}.",
            )
    if not options.nested_repeats and any(True for _ in nested_pairs(steps)):
        raise IllegalMove(
            "nesting_forbidden", "P3", "In this match, a Repeat can't be inside another Repeat. Move one of them."
        )


def check_cards(hand: Sequence[Card], cards: Sequence[Card], rule: str) -> None:
    """Check that all cards are in the hand and used once (check 7). Raise IllegalMove if not.

    The refusal is the same for unknown cards and for cards held by others.
    """
    for n, card in enumerate(cards):
        if card not in hand:
            raise IllegalMove(
                "card_not_in_hand", rule, f"Card {n + 1} is not in your hand. Use only cards from your hand."
            )
        if card in cards[:n]:
            raise IllegalMove(
                "card_used_twice", rule, f"{describe_card(n, card)} is used twice. Use each card only once."
            )


def describe_card(n: int, card: Card) -> str:
    """Return a card's number in the list and its name."""
    return f"Card {n + 1} ({CARDS[card].name})"


def check_marks(i: int, step: Step, options: Options) -> None:
    """Check that only Repeats have a span and only Ifs are declined (check 8). Raise IllegalMove if not."""
    card = describe_card(i, step.card)
    if is_repeat(step.card) and step.span is None:
        raise IllegalMove("span_required", "P2", f"{card} has no span. Set how many of the next cards it repeats.")
    if not is_repeat(step.card) and step.span is not None:
        raise IllegalMove("span_forbidden", "P2", f"{card} is not a Repeat. Remove its span.")
    if not step.decline:
        return
    if not is_if(step.card):
        raise IllegalMove("decline_forbidden", "P6", f"{card} can't be left unused. Only If cards can.")
    if not options.may_decline_if:
        raise IllegalMove(
            "decline_forbidden", "P6", "In this match, you can't leave If cards unused. Use the card or take it out."
        )


def check_span(i: int, step: Step, length: int) -> None:
    """Check the range of a span (check 9). Raise IllegalMove if it is too short or too long."""
    if step.span is None:
        return
    most = length - 1 - i
    if not 1 <= step.span <= most:
        choices = f"Choose 1 to {most}." if most > 1 else "It can repeat only the next card."
        hint = choices if most else "A Repeat can't be the last card, so add a card after it."
        raise IllegalMove(
            "span_out_of_range",
            "P2",
            f"{describe_card(i, step.card)} can't repeat {pluralize(step.span, 'card')} here. {hint}",
        )


def last_body_step(steps: Sequence[Step], i: int) -> int:
    """Return the last step in the body of the Repeat at i (P2)."""
    return i + (steps[i].span or 0)


def nested_pairs(steps: Sequence[Step]) -> Iterator[tuple[int, int]]:
    """Return the pairs of Repeats where the second is in the body of the first."""
    repeats = [i for i, step in enumerate(steps) if step.span is not None]
    return ((i, j) for i in repeats for j in repeats if i < j <= last_body_step(steps, i))


# -- enumeration ------------------------------------------------------------------------------------------------------


def programs(hand: Sequence[Card], options: Options) -> Iterator[RunProgram]:
    """Yield every legal program: by length, then cards in canonical order, spans ascending and declined Ifs last."""
    cards = sorted(hand, key=CARD_ORDER.__getitem__)
    may_decline = repeat(options.may_decline_if)
    return chain.from_iterable(
        map(RunProgram, product(*map(step_variants, laid, spans, may_decline)))
        for length in range(1, len(cards) + 1)
        for laid in permutations(cards, length)
        for spans in all_spans(tuple(map(REPEATS.__contains__, laid)), options.nested_repeats)
    )


@cache
def step_variants(card: Card, span: int | None, may_decline: bool) -> tuple[Step, ...]:
    """Return the steps for a card with this span: two for an If that can be declined (P6)."""
    step = Step(card, span)
    return (step, Step(card, span, True)) if may_decline and is_if(card) else (step,)


@cache
def all_spans(repeats: tuple[bool, ...], nested: bool) -> tuple[Spans, ...]:
    """Return all legal combinations of spans for Repeats at these places, ascending (P2, P3)."""
    found: list[tuple[Spans, tuple[int, ...]]] = [((), ())]
    for i, is_one in enumerate(repeats):
        found = [
            ((*spans, span), (*ends, i + (span or 0)))
            for spans, ends in found
            for span in (span_choices(i, len(repeats), ends, nested) if is_one else (None,))
        ]
    return tuple(spans for spans, _ in found)


def span_choices(i: int, length: int, ends: tuple[int, ...], nested: bool) -> range:
    """Return the spans of a Repeat at i, given the ends of the bodies of earlier Repeats."""
    around = [end for end in ends if end >= i]
    if around and not nested:
        return range(0)
    return range(1, min([length - 1, *around]) - i + 1)


# -- enumeration as a tree of choices ---------------------------------------------------------------------------------


def program_branches(hand: Sequence[Card], options: Options, laid: tuple[Step, ...] = ()) -> list[Branch]:
    """Return the choices for the next card, each leading to its span or decline choices. None ends the program."""
    used = {step.card for step in laid}
    rest = [card for card in sorted(hand, key=CARD_ORDER.__getitem__) if card not in used]
    found: list[Branch] = [(None, lambda: RunProgram(laid))] if laid and not open_ends(laid) else []
    for card in rest:
        left = [other for other in rest if other != card]
        ways = [step for step in next_steps(card, laid, len(hand), options) if can_end((*laid, step), left, options)]
        if ways:
            found.append((card, partial(mark_branches, hand, options, laid, ways)))
    return found


def mark_branches(hand: Sequence[Card], options: Options, laid: tuple[Step, ...], ways: Sequence[Step]) -> list[Branch]:
    """Return the ways to lay a card, or directly the next choices if there is only one way."""
    if is_if(ways[0].card) and options.may_decline_if:
        return [(step.decline, partial(program_branches, hand, options, (*laid, step))) for step in ways]
    if is_repeat(ways[0].card):
        return [(step.span, partial(program_branches, hand, options, (*laid, step))) for step in ways]
    return program_branches(hand, options, (*laid, *ways))


def next_steps(card: Card, laid: tuple[Step, ...], most: int, options: Options) -> list[Step]:
    """Return the ways to lay a card after others in a program of at most `most` cards, completable or not."""
    ends = tuple(last_body_step(laid, i) for i, step in enumerate(laid) if step.span is not None)
    spans: Sequence[int | None] = span_choices(len(laid), most, ends, options.nested_repeats)
    return [
        step
        for span in (spans if is_repeat(card) else (None,))
        for step in step_variants(card, span, options.may_decline_if)
    ]


def open_ends(steps: Sequence[Step]) -> set[int]:
    """Return the empty places at which the body of a Repeat ends (P2)."""
    ends = (last_body_step(steps, i) for i, step in enumerate(steps) if step.span is not None)
    return {end for end in ends if end >= len(steps)}


def can_end(steps: Sequence[Step], left: Sequence[Card], options: Options) -> bool:
    """Return whether these cards can complete all open bodies. The last card of a body can't be a Repeat."""
    ends = open_ends(steps)
    if not ends:
        return True
    needed = max(ends) + 1 - len(steps)
    plain = sum(not is_repeat(card) for card in left)
    return needed <= len(left) and plain >= (len(ends) if options.nested_repeats else needed)


# -- execution --------------------------------------------------------------------------------------------------------


def activations(steps: Sequence[Step]) -> Iterator[int]:
    """Return the indices of the activated cards in running order; the first has tick 1 (P5)."""
    return activations_between(steps, 0, len(steps))


def activations_between(steps: Sequence[Step], low: int, high: int) -> Iterator[int]:
    """Yield the same for steps low to high - 1."""
    i = low
    while i < high:
        span = steps[i].span
        if span is None:
            yield i
            i += 1
            continue
        for _ in range(CARDS[steps[i].card].factor):
            yield from activations_between(steps, i + 1, i + 1 + span)
        i += 1 + span


def touched(to: Square, over: Square | None, jump_touches: bool) -> tuple[Square, ...]:
    """Return the tiles that a motion touches, in order (P11, R12)."""
    return (to,) if over is None or not jump_touches else (over, to)


def others_at(state: State, seat: Seat) -> frozenset[Square]:
    """Return the tiles of the other bakers."""
    return frozenset(one.at for n, one in enumerate(state.bakers) if n != seat and one.at is not None)


@dataclass
class ProgramRun:
    """A baker running one program, and the resulting facts."""

    seat: Seat
    at: Square
    facing: Facing
    collected: set[Ingredient]
    recipe: frozenset[Ingredient]
    tokens: dict[Square, Ingredient]
    walls: frozenset[Square]
    others: frozenset[Square]
    featured: str | None
    jump_touches: bool
    baked: bool = False
    facts: list[MotionFact] = field(default_factory=list)

    def activate(self, index: int, tick: int, step: Step) -> None:
        """Activate one card (P6)."""
        if is_if(step.card):
            result = if_result(step, self.featured)
            self.facts.append(IfChecked(self.seat, index, tick, step.card, result))
            if result != "met":
                return
        for command in CARDS[step.card].commands:
            self.carry_out(index, tick, command)
            if self.baked:
                return  # K4

    def carry_out(self, index: int, tick: int, command: Command) -> None:
        """Carry out one command (P7 to P11)."""
        match command:
            case "left" | "right" | "around":
                self.facing = facing_after(self.facing, command)
                self.facts.append(BakerTurned(self.seat, index, tick, command, self.facing))
            case _:
                self.move(index, tick, command)

    def move(self, index: int, tick: int, command: Motion) -> None:
        """Make one motion and touch its tiles (P8 to P11)."""
        to, over, barred = find_entry(self.walls, self.others, self.at, self.facing, command)
        if barred:
            self.facts.append(BakerBlocked(self.seat, index, tick, command, self.at, barred))
            return
        self.facts.append(BakerMoved(self.seat, index, tick, command, self.at, over, to))
        self.at = to
        for tile in touched(to, over, self.jump_touches):
            self.touch(tile, jumped=tile == over)
            if self.baked:
                return  # K4

    def touch(self, tile: Square, jumped: bool) -> None:
        """Tick the token on this tile, then bake if it is an Oven square (K1)."""
        ingredient = self.tokens.get(tile)
        if ingredient is not None and ingredient not in self.collected:
            self.collected.add(ingredient)
            self.facts.append(IngredientCollected(self.seat, ingredient, tile, "jumped" if jumped else "entered"))
        if tile in OVEN and self.recipe <= self.collected:
            self.baked = True
            self.facts.append(PastryBaked(self.seat, tile))


def if_result(step: Step, featured: str | None) -> IfResult:
    """Return whether an If card is met, unmet or declined (P6)."""
    if not is_live(step.card, featured):
        return "unmet"
    return "declined" if step.decline else "met"


def execute_program(state: State, seat: Seat, steps: Sequence[Step]) -> list[MotionFact]:
    """Return the facts of running this program, which stops as soon as the pastry is baked (P5)."""
    baker = state.bakers[seat]
    assert baker.at is not None
    assert baker.facing is not None
    assert state.recipe is not None
    walk = ProgramRun(
        seat=seat,
        at=baker.at,
        facing=baker.facing,
        collected=set(baker.collected),
        recipe=frozenset(RECIPES[state.recipe].ingredients),
        tokens={at: ingredient for ingredient, at in state.tokens.items()},
        walls=board_of(state.layout).walls,
        others=others_at(state, seat),
        featured=state.featured,
        jump_touches=state.options.jump_touches,
    )
    for tick, index in enumerate(activations(steps), 1):
        walk.activate(index, tick, steps[index])
        if walk.baked:
            break
    return walk.facts
