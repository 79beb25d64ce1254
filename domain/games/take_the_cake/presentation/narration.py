"""The log in words (rules, section 13): one line for each move, from facts as any reader may see them."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from domain.games.take_the_cake.rules.components import CARDS, FEATURED, INGREDIENT_NAMES, RECIPES
from domain.games.take_the_cake.rules.model import (
    COLOURS,
    QUADRANTS,
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
    Facing,
    Fact,
    FeaturedDeckReplenished,
    FeaturedItemDrawn,
    FirstPlayerChosen,
    GameEnded,
    IfChecked,
    IngredientCollected,
    MotionFact,
    Obstacle,
    PastryBaked,
    PlacementAccepted,
    PlacementProposed,
    PlacementRejected,
    PositionSet,
    ProgramLaid,
    RecipeDrawn,
    RoundEnded,
    SeatResigned,
    Square,
    Step,
    Tokens,
    TokensPlaced,
    TurnStarted,
)
from domain.kernel.game import Seat

DIRECTIONS: dict[Facing, str] = {"N": "north", "E": "east", "S": "south", "W": "west"}
BARS: dict[Obstacle, str] = {"edge": "the edge", "wall": "a wall", "baker": "another baker"}
PLACEMENTS = {
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
        lines += tell_one(fact, facts)
    return lines + list(tell_run(run, facts))


def name(seat: Seat) -> str:
    """A seat at the beginning of a sentence."""
    return COLOURS[seat].capitalize()


def tile(square: Square) -> str:
    """A tile as row and column."""
    return f"({square[0]},{square[1]})"


def amount(count: int, noun: str) -> str:
    """So many things."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def listed(words: Sequence[str]) -> str:
    """`red, blue and green`."""
    return " and ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


def item(card: str) -> str:
    """A featured item with its tags."""
    featured = FEATURED.get(card)
    return card if featured is None else f"{featured.name} ({', '.join(featured.tags)})"


def tell_one(fact: Fact, facts: Sequence[Fact]) -> Iterator[str]:  # noqa: PLR0912 -- one row for each fact
    """A fact outside a running program."""
    match fact:
        case FirstPlayerChosen(seat):
            yield f"{name(seat)} begins."
        case BoardLaid(layout):
            yield f"The kitchen: {', '.join(f'{one.section} {one.quadrant}' for one in layout)}."
        case BakersPlaced(bakers):
            yield f"{listed([COLOURS[one.seat] for one in bakers]).capitalize()} take their corners."
        case RecipeDrawn(recipe, ingredients):
            names = ", ".join(INGREDIENT_NAMES[one] for one in ingredients)
            yield f"The recipe: {RECIPES[recipe].name if recipe in RECIPES else recipe} ({names})."
        case PlacementProposed(seat, tokens):
            yield f"{'The deal' if seat is None else name(seat)} proposes {spread(tokens)}."
        case PlacementAccepted(seat):
            yield f"{name(seat)} accepts the arrangement."
        case PlacementRejected(seat):
            yield f"{name(seat)} rejects the arrangement."
        case TokensPlaced(tokens, how):
            yield f"{PLACEMENTS[how]}: {spread(tokens)}."
        case FeaturedItemDrawn(card, _):
            yield f"Today's special: {item(card)}."
        case FeaturedDeckReplenished(count):
            yield f"All specials have been on; {count} were reshuffled."
        case DeckReplenished(count):
            yield f"The deck ran out; {amount(count, 'card')} were reshuffled."
        case CardsDealt(seat, count):
            yield f"{name(seat)} gets {amount(count, 'card')}."
        case PositionSet():
            yield from tell_position(fact)
        case TurnStarted(seat, turn, number) if turn == 1 or is_first(facts):
            yield f"Round {number}: {COLOURS[seat]} acts."
        case CardsSwapped(seat, cards):
            yield f"{name(seat)} swaps {amount(len(cards), 'card')}." if cards else f"{name(seat)} keeps its hand."
        case RoundEnded(number):
            yield f"Round {number} is over."
        case BakeryClosed():
            yield "The bakery closes and nobody has baked."
        case SeatResigned(seat):
            yield f"{name(seat)} resigns."
        case GameEnded():
            yield verdict(fact)


def is_first(facts: Sequence[Fact]) -> bool:
    """Whether these facts begin a match."""
    return isinstance(facts[0], FirstPlayerChosen | PositionSet)


def spread(tokens: Tokens) -> str:
    """Which ingredient lies where."""
    return ", ".join(f"{INGREDIENT_NAMES[one]} {tile(at)}" for one, at in tokens.items())


def tell_position(fact: PositionSet) -> Iterator[str]:
    """A start from a position."""
    recipe = RECIPES[fact.recipe].name if fact.recipe in RECIPES else fact.recipe
    kitchen = ", ".join(f"{section} {place}" for (section, _), place in zip(fact.layout, QUADRANTS, strict=False))
    yield f"The match starts from a set position: {recipe}, {spread(fact.tokens)}."
    yield f"The kitchen: {kitchen}. Today's special: {item(fact.featured)}."


# -- programs ---------------------------------------------------------------------------------------------------------


def tell_run(run: Sequence[Fact], facts: Sequence[Fact]) -> Iterator[str]:
    """A program: what was laid, what became of it, how many cards were drawn; then the pastry, if it was baked."""
    if not run or not isinstance(run[0], ProgramLaid):
        return
    seat = run[0].seat
    deeds = ", ".join(counted(deeds_of(run[1:])))
    drawn = sum(fact.count for fact in facts if isinstance(fact, CardsDrawn))
    draws = f" Draws {drawn}." if drawn else ""
    yield f"{name(seat)} runs {program(run[0].steps)}: {deeds or 'nothing happens'}.{draws}"
    if any(isinstance(fact, PastryBaked) for fact in run):
        yield f"{name(seat)} bakes the pastry and takes the cake!"


def counted(deeds: Iterable[str]) -> Iterator[str]:
    """Deeds, equal ones in a row told once."""
    for words, group in groupby(deeds):
        times = sum(1 for _ in group)
        yield words if times == 1 else f"{words} {times} times"


def program(steps: Sequence[Step]) -> str:
    """A program as a phrase; the cards that a Repeat repeats stand in brackets."""
    return ", ".join(phrases(steps, 0, len(steps)))


def phrases(steps: Sequence[Step], low: int, high: int) -> Iterator[str]:
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
        yield f"{words} [{', '.join(phrases(steps, i + 1, end))}]"
        i = end


def card_name(card: str) -> str:
    """A card in words."""
    return CARDS[card].name if card in CARDS else card


def condition(card: str) -> str:
    """An If card without what it does."""
    return card_name(card).partition(" (")[0]


def deeds_of(run: Sequence[Fact]) -> Iterator[str]:
    """What happened, motions in a row drawn together."""
    path: list[Square] = []
    facing: Facing | None = None
    for fact in run:
        if isinstance(fact, BakerMoved):
            if facing:
                yield from end_of_turn(facing)
                facing = None
            if fact.over is not None:
                yield from end_of_path(path)
                path = []
                yield f"jumps over {tile(fact.over)} to {tile(fact.to)}"
            else:
                path.append(fact.to)
            continue
        yield from end_of_path(path)
        path = []
        if isinstance(fact, BakerTurned):
            facing = fact.facing
            continue
        if facing:
            yield from end_of_turn(facing)
            facing = None
        yield from deed(fact)
    yield from end_of_path(path)
    if facing:
        yield from end_of_turn(facing)


def end_of_path(path: Sequence[Square]) -> Iterator[str]:
    """Where some steps in a row led."""
    if path:
        steps = f" in {len(path)} steps" if len(path) > 1 else ""
        yield f"moves to {tile(path[-1])}{steps}"


def end_of_turn(facing: Facing) -> Iterator[str]:
    """Where the baker looks after some turns in a row."""
    yield f"turns {DIRECTIONS[facing]}"


def deed(fact: Fact) -> Iterator[str]:
    """Anything but moving and turning."""
    match fact:
        case BakerBlocked(obstacle=obstacle):
            yield f"bumps into {BARS[obstacle]}"
        case IfChecked(card=card, result="unmet"):
            yield f"{condition(card)} does nothing today"
        case IfChecked(card=card, result="declined"):
            yield f"{condition(card)} is left unused"
        case IngredientCollected(_, ingredient, at, how):
            yield f"collects {INGREDIENT_NAMES[ingredient]}{f' in passing over {tile(at)}' if how == 'jumped' else ''}"
        case PastryBaked(_, at):
            yield f"reaches the Oven on {tile(at)}"


# -- the end ----------------------------------------------------------------------------------------------------------


def verdict(fact: GameEnded) -> str:
    """Who won, and why."""
    scores = ", ".join(f"{COLOURS[seat]} {score}" for seat, score in enumerate(fact.scores))
    winners = listed([COLOURS[seat] for seat in fact.winners]).capitalize()
    match fact.reason:
        case "baked":
            return f"{winners} wins: {scores}."
        case "last_baker":
            return f"{winners} wins as the last baker."
        case "closed" if not fact.winners:
            return f"Nobody wins: {scores}."
        case "closed":
            return f"{winners} {'win' if len(fact.winners) > 1 else 'wins'}, ahead when the bakery closed: {scores}."
