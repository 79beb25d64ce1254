"""Narration of the log (rules, section 13), from the facts as a reader sees them."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from domain.games.take_the_cake.rules.components import CARDS, FEATURED, INGREDIENT_NAMES, RECIPES, SECTIONS
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
from domain.games.take_the_cake.rules.parts import COLOURS, QUADRANTS, Facing, Obstacle, Quadrant, Square, Tokens
from domain.kernel.game import Seat
from domain.kernel.text import join_and, pluralize

DIRECTIONS: dict[Facing, str] = {"N": "north", "E": "east", "S": "south", "W": "west"}
OBSTACLE_NAMES: dict[Obstacle, str] = {"edge": "the edge", "wall": "a wall", "baker": "another baker"}
PLACEMENT_SENTENCES = {
    "dealt": "The ingredients are placed at random",
    "agreed": "Everyone agrees on the arrangement",
    "fallback": "No agreement, so the dealt arrangement is used",
}


def tell(facts: Sequence[Fact]) -> list[str]:
    """Return the sentences for the facts of one event."""
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
    """Return the capitalised name of a seat."""
    return COLOURS[seat].capitalize()


def describe_tile(square: Square) -> str:
    """Return a tile as (row,column)."""
    return f"({square[0]},{square[1]})"


def describe_item(card: str) -> str:
    """Return a featured item with its tags."""
    featured = FEATURED.get(card)
    return card if featured is None else f"{featured.name} ({', '.join(featured.tags)})"


def tell_fact(fact: Fact, facts: Sequence[Fact]) -> Iterator[str]:  # noqa: PLR0912 -- one row for each fact
    """Narrate a fact outside a running program."""
    match fact:
        case FirstPlayerChosen(seat):
            yield f"{seat_name(seat)} goes first."
        case BoardLaid(layout):
            yield f"Board sections: {', '.join(describe_section(one.section, one.quadrant) for one in layout)}."
        case BakersPlaced(bakers):
            yield f"{join_and([COLOURS[one.seat] for one in bakers]).capitalize()} start in their corners."
        case RecipeDrawn(recipe, ingredients):
            names = ", ".join(INGREDIENT_NAMES[one] for one in ingredients)
            yield f"Recipe: {RECIPES[recipe].name if recipe in RECIPES else recipe} ({names})."
        case PlacementProposed(seat, tokens):
            opening = "Dealt arrangement:" if seat is None else f"{seat_name(seat)} proposes"
            yield f"{opening} {describe_tokens(tokens)}."
        case PlacementAccepted(seat):
            yield f"{seat_name(seat)} accepts the arrangement."
        case PlacementRejected(seat):
            yield f"{seat_name(seat)} rejects the arrangement."
        case TokensPlaced(tokens, how):
            yield f"{PLACEMENT_SENTENCES[how]}: {describe_tokens(tokens)}."
        case FeaturedItemDrawn(card, _):
            yield f"Today's special: {describe_item(card)}."
        case FeaturedDeckReplenished(count):
            yield f"The deck of specials runs out, so {describe_reshuffle(count, 'special')}."
        case DeckReplenished(count):
            yield f"The deck runs out, so {describe_reshuffle(count, 'card')}."
        case CardsDealt(seat, count):
            yield f"{seat_name(seat)} is dealt {pluralize(count, 'card')}."
        case PositionSet():
            yield from tell_position(fact)
        case TurnStarted(seat, turn, number) if turn == 1 or begins_match(facts):
            yield f"Round {number}: {COLOURS[seat]} to move."
        case CardsSwapped(seat, cards):
            yield (
                f"{seat_name(seat)} swaps {pluralize(len(cards), 'card')}."
                if cards
                else f"{seat_name(seat)} keeps its hand."
            )
        case RoundEnded(number):
            yield f"Round {number} is over."
        case BakeryClosed():
            yield "The bakery closes before anyone bakes the pastry."
        case SeatResigned(seat):
            yield f"{seat_name(seat)} resigns."
        case GameEnded():
            yield describe_winner(fact)


def describe_reshuffle(count: int, word: str) -> str:
    """Return a phrase for cards that are shuffled into a new deck."""
    return f"{pluralize(count, word)} {'is' if count == 1 else 'are'} reshuffled"


def describe_section(section: str, quadrant: Quadrant) -> str:
    """Return a board section with its quadrant."""
    return f"{SECTIONS[section].name if section in SECTIONS else section} ({quadrant})"


def begins_match(facts: Sequence[Fact]) -> bool:
    """Return whether these facts start a match."""
    return isinstance(facts[0], FirstPlayerChosen | PositionSet)


def describe_tokens(tokens: Tokens) -> str:
    """Return every ingredient with its tile."""
    return ", ".join(f"{INGREDIENT_NAMES[one]} {describe_tile(at)}" for one, at in tokens.items())


def tell_position(fact: PositionSet) -> Iterator[str]:
    """Narrate a start from a custom position."""
    recipe = RECIPES[fact.recipe].name if fact.recipe in RECIPES else fact.recipe
    sections = ", ".join(
        describe_section(section, place) for (section, _), place in zip(fact.layout, QUADRANTS, strict=False)
    )
    yield f"The match starts from a custom position. Recipe: {recipe}. Ingredients: {describe_tokens(fact.tokens)}."
    yield f"Board sections: {sections}. Today's special: {describe_item(fact.featured)}."


# -- programs ---------------------------------------------------------------------------------------------------------


def tell_run(run: Sequence[Fact], facts: Sequence[Fact]) -> Iterator[str]:
    """Narrate a program: its cards, its effects, the number of cards drawn, and the pastry if it is baked."""
    if not run or not isinstance(run[0], ProgramLaid):
        return
    seat = run[0].seat
    deeds = ", ".join(merge_repeats(describe_deeds(run[1:])))
    drawn = sum(fact.count for fact in facts if isinstance(fact, CardsDrawn))
    draws = f" Draws {pluralize(drawn, 'card')}." if drawn else ""
    yield f"{seat_name(seat)} runs {describe_program(run[0].steps)}: {deeds or 'nothing happens'}.{draws}"
    if any(isinstance(fact, PastryBaked) for fact in run):
        yield f"{seat_name(seat)} bakes the pastry and takes the cake!"


def merge_repeats(deeds: Iterable[str]) -> Iterator[str]:
    """Yield the phrases, with equal ones in a row combined."""
    for words, group in groupby(deeds):
        times = sum(1 for _ in group)
        yield words if times == 1 else f"{words} {times} times"


def describe_program(steps: Sequence[Step]) -> str:
    """Return a program as a phrase, with the cards of a Repeat in brackets."""
    return ", ".join(step_phrases(steps, 0, len(steps)))


def step_phrases(steps: Sequence[Step], low: int, high: int) -> Iterator[str]:
    """Yield phrases for the steps low to high - 1."""
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
    """Return the name of a card."""
    return CARDS[card].name if card in CARDS else card


def describe_condition(card: str) -> str:
    """Return the name of an If card without its commands."""
    return card_name(card).partition(" (")[0]


def describe_deeds(run: Sequence[Fact]) -> Iterator[str]:
    """Yield phrases for what a program does, with steps or turns in a row combined."""
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
    """Yield a phrase for steps in a row."""
    if path:
        steps = f" in {len(path)} steps" if len(path) > 1 else ""
        yield f"moves to {describe_tile(path[-1])}{steps}"


def describe_facing_end(facing: Facing) -> Iterator[str]:
    """Yield a phrase for the facing after turns in a row."""
    yield f"turns {DIRECTIONS[facing]}"


def describe_deed(fact: Fact) -> Iterator[str]:
    """Yield a phrase for anything except moving and turning."""
    match fact:
        case BakerBlocked(obstacle=obstacle):
            yield f"bumps into {OBSTACLE_NAMES[obstacle]}"
        case IfChecked(card=card, result="unmet"):
            yield f"{describe_condition(card)} does nothing today"
        case IfChecked(card=card, result="declined"):
            yield f"{describe_condition(card)} is left unused"
        case IngredientCollected(_, ingredient, at, how):
            where = f" while passing over {describe_tile(at)}" if how == "jumped" else ""
            yield f"collects {INGREDIENT_NAMES[ingredient]}{where}"
        case PastryBaked(_, at):
            yield f"reaches the Oven at {describe_tile(at)}"


# -- the end ----------------------------------------------------------------------------------------------------------


def describe_winner(fact: GameEnded) -> str:
    """Return who wins and how."""
    scores = ", ".join(f"{COLOURS[seat]} {score}" for seat, score in enumerate(fact.scores))
    winners = join_and([COLOURS[seat] for seat in fact.winners]).capitalize()
    match fact.reason:
        case "baked":
            return f"{winners} wins. Score: {scores}."
        case "last_baker":
            return f"{winners} wins as the last remaining baker."
        case "closed" if not fact.winners:
            return f"Nobody wins. Score: {scores}."
        case "closed":
            verb = "share the win" if len(fact.winners) > 1 else "wins"
            return f"{winners} {verb} with the best result at closing time. Score: {scores}."
