"""The log in words (rules, section 13): one line for each move, from facts as any reader may see them."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from domain.games.take_the_cake.rules.components import CARDS, FEATURED, INGREDIENT_NAMES, RECIPES
from domain.games.take_the_cake.rules.facts import (
    BakerBlocked,
    BakerMoved,
    BakersPlaced,
    BakerTurned,
    BakeryClosed,
    BoardLaid,
    CardsDealt,
    CardsDrawn,
    CardsSwapped,
    DeckReplenished,
    Fact,
    FeaturedDeckReplenished,
    FeaturedItemDrawn,
    FirstPlayerChosen,
    GameEnded,
    IfChecked,
    IngredientCollected,
    MotionFact,
    PastryBaked,
    PlacementAccepted,
    PlacementProposed,
    PlacementRejected,
    PositionSet,
    ProgramLaid,
    RecipeDrawn,
    RoundEnded,
    SeatResigned,
    TokensPlaced,
    TurnStarted,
)
from domain.games.take_the_cake.rules.moves import Step
from domain.games.take_the_cake.rules.parts import COLOURS, QUADRANTS, Facing, Obstacle, Square, Tokens
from domain.kernel.game import Seat
from domain.kernel.text import join_and, pluralize

DIRECTIONS: dict[Facing, str] = {"N": "north", "E": "east", "S": "south", "W": "west"}
OBSTACLE_NAMES: dict[Obstacle, str] = {"edge": "the edge", "wall": "a wall", "baker": "another baker"}
PLACEMENT_SENTENCES = {
    "dealt": "The ingredients lie as dealt",
    "agreed": "All agree; the ingredients lie as proposed",
    "fallback": "No agreement; the ingredients lie as dealt",
}


def tell(facts: Sequence[Fact]) -> list[str]:
    """The facts of one event in words."""
    lines: list[str] = []
    run: list[Fact] = []
    for fact in facts:
        if isinstance(fact, ProgramLaid) or (run and isinstance(fact, MotionFact)):
            run.append(fact)
            continue
        if isinstance(fact, CardsDrawn):
            continue
        lines += tell_run(run, facts)
        run = []
        lines += tell_fact(fact, facts)
    return lines + list(tell_run(run, facts))


def seat_name(seat: Seat) -> str:
    """A seat at the beginning of a sentence."""
    return COLOURS[seat].capitalize()


def describe_tile(square: Square) -> str:
    """A tile as row and column."""
    return f"({square[0]},{square[1]})"


def describe_item(card: str) -> str:
    """A featured item with its tags."""
    featured = FEATURED.get(card)
    return card if featured is None else f"{featured.name} ({', '.join(featured.tags)})"


def tell_fact(fact: Fact, facts: Sequence[Fact]) -> Iterator[str]:  # noqa: PLR0912 -- one row for each fact
    """A fact outside a running program."""
    match fact:
        case FirstPlayerChosen(seat):
            yield f"{seat_name(seat)} begins."
        case BoardLaid(layout):
            yield f"The kitchen: {', '.join(f'{one.section} {one.quadrant}' for one in layout)}."
        case BakersPlaced(bakers):
            yield f"{join_and([COLOURS[one.seat] for one in bakers]).capitalize()} take their corners."
        case RecipeDrawn(recipe, ingredients):
            names = ", ".join(INGREDIENT_NAMES[one] for one in ingredients)
            yield f"The recipe: {RECIPES[recipe].name if recipe in RECIPES else recipe} ({names})."
        case PlacementProposed(seat, tokens):
            yield f"{'The deal' if seat is None else seat_name(seat)} proposes {describe_tokens(tokens)}."
        case PlacementAccepted(seat):
            yield f"{seat_name(seat)} accepts the arrangement."
        case PlacementRejected(seat):
            yield f"{seat_name(seat)} rejects the arrangement."
        case TokensPlaced(tokens, how):
            yield f"{PLACEMENT_SENTENCES[how]}: {describe_tokens(tokens)}."
        case FeaturedItemDrawn(card, _):
            yield f"Today's special: {describe_item(card)}."
        case FeaturedDeckReplenished(count):
            yield f"All specials have been on; {count} were reshuffled."
        case DeckReplenished(count):
            yield f"The deck ran out; {pluralize(count, 'card')} were reshuffled."
        case CardsDealt(seat, count):
            yield f"{seat_name(seat)} gets {pluralize(count, 'card')}."
        case PositionSet():
            yield from tell_position(fact)
        case TurnStarted(seat, turn, number) if turn == 1 or begins_match(facts):
            yield f"Round {number}: {COLOURS[seat]} acts."
        case CardsSwapped(seat, cards):
            yield (
                f"{seat_name(seat)} swaps {pluralize(len(cards), 'card')}."
                if cards
                else f"{seat_name(seat)} keeps its hand."
            )
        case RoundEnded(number):
            yield f"Round {number} is over."
        case BakeryClosed():
            yield "The bakery closes and nobody has baked."
        case SeatResigned(seat):
            yield f"{seat_name(seat)} resigns."
        case GameEnded():
            yield describe_winner(fact)


def begins_match(facts: Sequence[Fact]) -> bool:
    """Whether these facts begin a match."""
    return isinstance(facts[0], FirstPlayerChosen | PositionSet)


def describe_tokens(tokens: Tokens) -> str:
    """Which ingredient lies where."""
    return ", ".join(f"{INGREDIENT_NAMES[one]} {describe_tile(at)}" for one, at in tokens.items())


def tell_position(fact: PositionSet) -> Iterator[str]:
    """A start from a position."""
    recipe = RECIPES[fact.recipe].name if fact.recipe in RECIPES else fact.recipe
    kitchen = ", ".join(f"{section} {place}" for (section, _), place in zip(fact.layout, QUADRANTS, strict=False))
    yield f"The match starts from a set position: {recipe}, {describe_tokens(fact.tokens)}."
    yield f"The kitchen: {kitchen}. Today's special: {describe_item(fact.featured)}."


# -- programs ---------------------------------------------------------------------------------------------------------


def tell_run(run: Sequence[Fact], facts: Sequence[Fact]) -> Iterator[str]:
    """A program: what was laid, what became of it, how many cards were drawn; then the pastry, if it was baked."""
    if not run or not isinstance(run[0], ProgramLaid):
        return
    seat = run[0].seat
    deeds = ", ".join(merge_repeats(describe_deeds(run[1:])))
    drawn = sum(fact.count for fact in facts if isinstance(fact, CardsDrawn))
    draws = f" Draws {drawn}." if drawn else ""
    yield f"{seat_name(seat)} runs {describe_program(run[0].steps)}: {deeds or 'nothing happens'}.{draws}"
    if any(isinstance(fact, PastryBaked) for fact in run):
        yield f"{seat_name(seat)} bakes the pastry and takes the cake!"


def merge_repeats(deeds: Iterable[str]) -> Iterator[str]:
    """Deeds, equal ones in a row told once."""
    for words, group in groupby(deeds):
        times = sum(1 for _ in group)
        yield words if times == 1 else f"{words} {times} times"


def describe_program(steps: Sequence[Step]) -> str:
    """A program as a phrase; the cards that a Repeat repeats stand in brackets."""
    return ", ".join(step_phrases(steps, 0, len(steps)))


def step_phrases(steps: Sequence[Step], low: int, high: int) -> Iterator[str]:
    """The steps low .. high - 1."""
    i = low
    while i < high:
        step = steps[i]
        words = card_name(step.card)
        if step.span is None:
            yield f"{words} left unused" if step.decline else words
            i += 1
            continue
        end = min(i + 1 + step.span, len(steps))
        yield f"{words} [{', '.join(step_phrases(steps, i + 1, end))}]"
        i = end


def card_name(card: str) -> str:
    """A card in words."""
    return CARDS[card].name if card in CARDS else card


def describe_condition(card: str) -> str:
    """An If card without what it does."""
    return card_name(card).partition(" (")[0]


def describe_deeds(run: Sequence[Fact]) -> Iterator[str]:
    """What happened, motions in a row drawn together."""
    path: list[Square] = []
    facing: Facing | None = None
    for fact in run:
        if isinstance(fact, BakerMoved):
            if facing:
                yield from describe_facing_end(facing)
                facing = None
            if fact.over is not None:
                yield from describe_path_end(path)
                path = []
                yield f"jumps over {describe_tile(fact.over)} to {describe_tile(fact.to)}"
            else:
                path.append(fact.to)
            continue
        yield from describe_path_end(path)
        path = []
        if isinstance(fact, BakerTurned):
            facing = fact.facing
            continue
        if facing:
            yield from describe_facing_end(facing)
            facing = None
        yield from describe_deed(fact)
    yield from describe_path_end(path)
    if facing:
        yield from describe_facing_end(facing)


def describe_path_end(path: Sequence[Square]) -> Iterator[str]:
    """Where some steps in a row led."""
    if path:
        steps = f" in {len(path)} steps" if len(path) > 1 else ""
        yield f"moves to {describe_tile(path[-1])}{steps}"


def describe_facing_end(facing: Facing) -> Iterator[str]:
    """Where the baker looks after some turns in a row."""
    yield f"turns {DIRECTIONS[facing]}"


def describe_deed(fact: Fact) -> Iterator[str]:
    """Anything but moving and turning."""
    match fact:
        case BakerBlocked(obstacle=obstacle):
            yield f"bumps into {OBSTACLE_NAMES[obstacle]}"
        case IfChecked(card=card, result="unmet"):
            yield f"{describe_condition(card)} does nothing today"
        case IfChecked(card=card, result="declined"):
            yield f"{describe_condition(card)} is left unused"
        case IngredientCollected(_, ingredient, at, how):
            where = f" in passing over {describe_tile(at)}" if how == "jumped" else ""
            yield f"collects {INGREDIENT_NAMES[ingredient]}{where}"
        case PastryBaked(_, at):
            yield f"reaches the Oven on {describe_tile(at)}"


# -- the end ----------------------------------------------------------------------------------------------------------


def describe_winner(fact: GameEnded) -> str:
    """Who won, and why."""
    scores = ", ".join(f"{COLOURS[seat]} {score}" for seat, score in enumerate(fact.scores))
    winners = join_and([COLOURS[seat] for seat in fact.winners]).capitalize()
    match fact.reason:
        case "baked":
            return f"{winners} wins: {scores}."
        case "last_baker":
            return f"{winners} wins as the last baker."
        case "closed" if not fact.winners:
            return f"Nobody wins: {scores}."
        case "closed":
            return f"{winners} {'win' if len(fact.winners) > 1 else 'wins'}, ahead when the bakery closed: {scores}."
