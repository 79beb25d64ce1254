"""Programs: which are legal, all of them in order, and what happens when one runs (rules, 5.1 and 5.2)."""

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

NOT_A_CARD = CardFace("", "", ())
REPEATS = frozenset(card for card, face in CARDS.items() if face.factor > 0)
Spans = tuple[int | None, ...]


def is_repeat(card: Card) -> bool:
    """Whether this is a Repeat."""
    return card in REPEATS


def is_if(card: Card) -> bool:
    """Whether this is an If card."""
    return CARDS.get(card, NOT_A_CARD).tag is not None


def is_live(card: Card, featured: str | None) -> bool:
    """Whether the condition of an If card is met by the featured item (12.4); plain cards always are live."""
    tag = CARDS[card].tag
    return tag is None or (featured is not None and tag in FEATURED[featured].tags)


# -- which programs are legal -----------------------------------------------------------------------------------------


def check_program(hand: Sequence[Card], steps: Sequence[Step], options: Options) -> None:
    """P1 to P3, checks 6 to 11 of section 5.5 in their order. Raises IllegalMove."""
    if not 1 <= len(steps) <= HAND_SIZE:
        raise IllegalMove("program_size", "P1", f"A program has 1 to {HAND_SIZE} cards; this one has {len(steps)}.")
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
                f"{describe_card(j, steps[j].card)} lies in what card {i + 1} repeats, "
                "so its own span must end there too.",
            )
    if not options.nested_repeats and any(True for _ in nested_pairs(steps)):
        raise IllegalMove("nesting_forbidden", "P3", "At this table no Repeat may lie inside another Repeat's span.")


def check_cards(hand: Sequence[Card], cards: Sequence[Card], rule: str) -> None:
    """Check 7: all from the own hand, each once. Raises IllegalMove, the same for any card that is not there."""
    for n, card in enumerate(cards):
        if card not in hand:
            raise IllegalMove("card_not_in_hand", rule, f"Card {n + 1} is not in your hand; use cards that you hold.")
        if card in cards[:n]:
            raise IllegalMove(
                "card_used_twice", rule, f"{describe_card(n, card)} is named twice; every card can be used once."
            )


def describe_card(n: int, card: Card) -> str:
    """A card of the own hand in a refusal: its place in the list, and its name."""
    return f"Card {n + 1} ({CARDS[card].name})"


def check_marks(i: int, step: Step, options: Options) -> None:
    """Check 8: spans on Repeats alone, declining on Ifs alone. Raises IllegalMove."""
    card = describe_card(i, step.card)
    if is_repeat(step.card) and step.span is None:
        raise IllegalMove("span_required", "P2", f"{card} needs a span: how many of the next cards it repeats.")
    if not is_repeat(step.card) and step.span is not None:
        raise IllegalMove("span_forbidden", "P2", f"{card} is no Repeat and takes no span; leave it out.")
    if not step.decline:
        return
    if not is_if(step.card):
        raise IllegalMove("decline_forbidden", "P6", f"{card} is no If card and cannot be declined.")
    if not options.may_decline_if:
        raise IllegalMove("decline_forbidden", "P6", "At this table an If card that is met always runs.")


def check_span(i: int, step: Step, length: int) -> None:
    """Check 9. Raises IllegalMove."""
    if step.span is None:
        return
    most = length - 1 - i
    if not 1 <= step.span <= most:
        allowed = f"1 to {most}" if most else "none: a Repeat cannot be the last card"
        raise IllegalMove(
            "span_out_of_range",
            "P2",
            f"{describe_card(i, step.card)} cannot repeat {step.span} cards here; possible: {allowed}.",
        )


def last_body_step(steps: Sequence[Step], i: int) -> int:
    """P2 The last step in the body of the Repeat at i."""
    return i + (steps[i].span or 0)


def nested_pairs(steps: Sequence[Step]) -> Iterator[tuple[int, int]]:
    """Pairs of Repeats of which the second lies in the body of the first."""
    repeats = [i for i, step in enumerate(steps) if step.span is not None]
    return ((i, j) for i in repeats for j in repeats if i < j <= last_body_step(steps, i))


# -- all programs -----------------------------------------------------------------------------------------------------


def programs(hand: Sequence[Card], options: Options) -> Iterator[RunProgram]:
    """Every legal program: short ones first, cards in canonical order, then spans ascending, declined Ifs last."""
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
    """The ways to lay a card with this span: an If may also be declined (P6)."""
    step = Step(card, span)
    return (step, Step(card, span, True)) if may_decline and is_if(card) else (step,)


@cache
def all_spans(repeats: tuple[bool, ...], nested: bool) -> tuple[Spans, ...]:
    """P2, P3 The spans that Repeats at these places may have, in ascending order."""
    found: list[tuple[Spans, tuple[int, ...]]] = [((), ())]
    for i, is_one in enumerate(repeats):
        found = [
            ((*spans, span), (*ends, i + (span or 0)))
            for spans, ends in found
            for span in (span_choices(i, len(repeats), ends, nested) if is_one else (None,))
        ]
    return tuple(spans for spans, _ in found)


def span_choices(i: int, length: int, ends: tuple[int, ...], nested: bool) -> range:
    """The spans of a Repeat at i, given where the bodies of earlier ones end."""
    around = [end for end in ends if end >= i]
    if around and not nested:
        return range(0)
    return range(1, min([length - 1, *around]) - i + 1)


# -- programs, part by part -------------------------------------------------------------------------------------------


def program_branches(hand: Sequence[Card], options: Options, laid: tuple[Step, ...] = ()) -> list[Branch]:
    """The next card of a program, after which a Repeat's span or whether an If is declined; null ends the program."""
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
    """The ways to lay a card, then what follows; at once if the card can be laid in one way alone."""
    if is_if(ways[0].card) and options.may_decline_if:
        return [(step.decline, partial(program_branches, hand, options, (*laid, step))) for step in ways]
    if is_repeat(ways[0].card):
        return [(step.span, partial(program_branches, hand, options, (*laid, step))) for step in ways]
    return program_branches(hand, options, (*laid, *ways))


def next_steps(card: Card, laid: tuple[Step, ...], most: int, options: Options) -> list[Step]:
    """The ways to lay a card behind others in a program of at most so many cards, whether or not it can be ended."""
    ends = tuple(last_body_step(laid, i) for i, step in enumerate(laid) if step.span is not None)
    spans: Sequence[int | None] = span_choices(len(laid), most, ends, options.nested_repeats)
    return [
        step
        for span in (spans if is_repeat(card) else (None,))
        for step in step_variants(card, span, options.may_decline_if)
    ]


def open_ends(steps: Sequence[Step]) -> set[int]:
    """P2 The places yet to be filled at which the body of some Repeat ends."""
    ends = (last_body_step(steps, i) for i, step in enumerate(steps) if step.span is not None)
    return {end for end in ends if end >= len(steps)}


def can_end(steps: Sequence[Step], left: Sequence[Card], options: Options) -> bool:
    """Whether these cards suffice to fill the bodies that are open: at each of their ends lies a card but a Repeat."""
    ends = open_ends(steps)
    if not ends:
        return True
    needed = max(ends) + 1 - len(steps)
    plain = sum(not is_repeat(card) for card in left)
    return needed <= len(left) and plain >= (len(ends) if options.nested_repeats else needed)


# -- running ----------------------------------------------------------------------------------------------------------


def activations(steps: Sequence[Step]) -> Iterator[int]:
    """P5 The indices of the cards that are activated, in running order; the n-th has tick n + 1."""
    return activations_between(steps, 0, len(steps))


def activations_between(steps: Sequence[Step], low: int, high: int) -> Iterator[int]:
    """The same for steps low .. high - 1."""
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
    """P11 The tiles that a motion touches, in order (R12)."""
    return (to,) if over is None or not jump_touches else (over, to)


def others_at(state: State, seat: Seat) -> frozenset[Square]:
    """The tiles where other bakers stand."""
    return frozenset(one.at for n, one in enumerate(state.bakers) if n != seat and one.at is not None)


@dataclass
class ProgramRun:
    """A baker on its way through one program, and the facts that it leaves behind."""

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
        """P6 Carry out one card."""
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
        """P7 to P11 One command."""
        match command:
            case "left" | "right" | "around":
                self.facing = facing_after(self.facing, command)
                self.facts.append(BakerTurned(self.seat, index, tick, command, self.facing))
            case _:
                self.move(index, tick, command)

    def move(self, index: int, tick: int, command: Motion) -> None:
        """P8 to P11 One motion, and the tiles that it touches."""
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
        """K1 Tick the token of this tile, then bake if this is the Oven."""
        ingredient = self.tokens.get(tile)
        if ingredient is not None and ingredient not in self.collected:
            self.collected.add(ingredient)
            self.facts.append(IngredientCollected(self.seat, ingredient, tile, "jumped" if jumped else "entered"))
        if tile in OVEN and self.recipe <= self.collected:
            self.baked = True
            self.facts.append(PastryBaked(self.seat, tile))


def if_result(step: Step, featured: str | None) -> IfResult:
    """P6 Whether an If card runs."""
    if not is_live(step.card, featured):
        return "unmet"
    return "declined" if step.decline else "met"


def execute_program(state: State, seat: Seat, steps: Sequence[Step]) -> list[MotionFact]:
    """P5 What happens when the seat's baker runs this program; it stops at once when the pastry is baked."""
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
