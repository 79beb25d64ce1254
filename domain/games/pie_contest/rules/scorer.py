"""The independent scorer: counts from deeds, trusts no worth, no value and no result that the engine wrote.

Deeds are: which card went into or out of which Kitchen, who Baked, which Pie an effect was aimed at, which Achievement
was completed, who resigned. It keeps the Kitchens itself, works out what a Kitchen is worth from the cards' data, and
makes Pies stale itself (rules, 4.5 and section 8).
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from domain.games.pie_contest.rules.model import (
    AchievementCompleted,
    AchievementTurned,
    CardForaged,
    Fact,
    GameEnded,
    GameStarted,
    IngredientGiven,
    IngredientPlayed,
    IngredientsSwapped,
    IngredientStocked,
    IngredientStolen,
    IngredientTakenBack,
    IngredientTrashed,
    Options,
    PieBaked,
    PiesChanged,
    PositionSet,
    SeatResigned,
    StepStarted,
)
from domain.kernel.game import ScoreLine, ScoreSheet

BOX: dict[str, Any] = msgspec.json.decode(Path(__file__).with_name("components.json").read_bytes())
LINES = [*BOX["ingredients"], *BOX["actions"], *BOX["achievements"]]
CARDS: dict[int, dict[str, Any]] = {line["id"] + n: line for line in LINES for n in range(line.get("copies", 1))}


@dataclass
class Recipe:
    """A Pie: its value now, and how it came about: (rule, what, points, fact)."""

    value: int
    story: list[tuple[str, str, int, int]]


@dataclass
class Cook:
    """One seat."""

    kitchen: list[int] = field(default_factory=list)
    pies: list[Recipe] = field(default_factory=list)
    gone: bool = False

    def best(self) -> list[int]:
        """The places of its Pies, best first, earlier ones first among equals."""
        return sorted(range(len(self.pies)), key=lambda place: -self.pies[place].value)


@dataclass
class Book:
    """What has been read so far. `aimed` is the effect on a Pie whose target is still to come: (amount, card)."""

    options: Options = field(default_factory=Options)
    cooks: list[Cook] = field(default_factory=list)
    aimed: tuple[int, int] | None = None
    over: bool = False


def audit(facts: Iterable[Fact]) -> ScoreSheet:
    """The score counted again from the deeds."""
    book = Book()
    for number, fact in enumerate(facts):
        read(book, number, fact)
    lines = [line for seat in range(len(book.cooks)) for line in lines_for(book, seat)]
    totals = tuple(total(book, cook) for cook in book.cooks)
    return ScoreSheet(tuple(lines), totals, find_winners(book))


# -- reading ------------------------------------------------------------------------------------------------------


def read(book: Book, number: int, fact: Fact) -> None:  # noqa: PLR0912 -- a row for each deed
    """Note one fact."""
    match fact:
        case GameStarted(seats, options):
            book.options, book.cooks = options, [Cook() for _ in range(seats)]
        case PositionSet():
            begin_at(book, number, fact)
        case IngredientPlayed(seat, card) | IngredientStocked(seat, card) | IngredientGiven(_, seat, card):
            put(book, seat, card)
        case CardForaged(seat, card, "kitchen") | AchievementTurned(seat, card, "kitchen"):
            put(book, seat, card)
        case IngredientStolen(seat, _, card):
            put(book, seat, card)
        case IngredientTrashed(_, _, card) | IngredientTakenBack(_, card):
            take(book, card)
        case IngredientsSwapped(seat, other, gave, got):
            put(book, seat, got)
            put(book, other, gave)
        case PieBaked(seat):
            bake(book, number, seat)
        case StepStarted(seat, op, args, src):
            book.aimed = None
            if op == "pie":
                aim(book, number, seat, str(args[0]), int(args[1]), src)
        case PiesChanged(_, _, changes) if book.aimed and changes:
            points, src = book.aimed
            book.aimed = None
            change(book, book.cooks[changes[0].seat].pies[changes[0].pie - 1], points, src, number)
        case AchievementCompleted(seat, card):
            praise(book, number, seat, card)
        case SeatResigned(seat):
            book.cooks[seat] = Cook(gone=True)
        case GameEnded():
            book.over = True
        case _:
            pass


def begin_at(book: Book, number: int, fact: PositionSet) -> None:
    """Take a set position as it is given. The Pies of who has resigned have left the contest (V3)."""
    book.options = fact.options
    book.cooks = [Cook(gone=seat in fact.out) for seat in range(fact.seats)]
    for key, kitchen in fact.kitchens.items():
        book.cooks[int(key)].kitchen = list(kitchen)
    for key, values in fact.pies.items():
        if int(key) not in fact.out:
            book.cooks[int(key)].pies = [Recipe(value, [("15", "given", value, number)]) for value in values]


def put(book: Book, seat: int, card: int) -> None:
    """An Ingredient arrives in a Kitchen, and leaves the one where it was."""
    take(book, card)
    book.cooks[seat].kitchen.append(card)


def take(book: Book, card: int) -> None:
    """An Ingredient leaves the Kitchen where it is."""
    for cook in book.cooks:
        if card in cook.kitchen:
            cook.kitchen.remove(card)


def bake(book: Book, number: int, seat: int) -> None:
    """A Pie out of everything in the Kitchen; then all rivals' Pies go stale by four, less what keeps them fresh."""
    baker = book.cooks[seat]
    points: dict[str, int] = {"printed": 0}
    for what, worth in worths(baker.kitchen):
        points[what] = points.get(what, 0) + worth
    order = ["printed", *sorted(what for what in points if what != "printed")]
    baker.pies.append(Recipe(sum(points.values()), [("8.1", what, points[what], number) for what in order]))
    baker.kitchen = []
    for cook in book.cooks:
        if cook is baker or cook.gone:
            continue
        loss = max(0, 4 - sum(fresh(card) for card in cook.kitchen))
        for pie in cook.pies:
            shift(book, pie, -loss, "B4", f"stale, seat {seat} Baked", number)


def aim(book: Book, number: int, seat: int, whose: str, points: int, src: int) -> None:
    """An effect on Pies: on all of the others' at once, or on one that the next fact names."""
    if whose != "all_others":
        book.aimed = (points, src)
        return
    for other, cook in enumerate(book.cooks):
        if other != seat and not cook.gone:
            for pie in cook.pies:
                change(book, pie, points, src, number)


def praise(book: Book, number: int, seat: int, card: int) -> None:
    """In the Grand Contest every Pie of who completes an Achievement is worth 3 more."""
    book.aimed = None
    if book.options.variant == "grand":
        for pie in book.cooks[seat].pies:
            change(book, pie, 3, card, number)


def change(book: Book, pie: Recipe, points: int, src: int, number: int) -> None:
    """A card changes a Pie."""
    shift(book, pie, points, "12.1", CARDS[src]["name"], number)


def shift(book: Book, pie: Recipe, points: int, rule: str, what: str, number: int) -> None:
    """Add points to a Pie; with the floor, what lowers stops at zero."""
    if points < 0 and book.options.pie_floor == "zero":
        points = -min(-points, max(pie.value, 0))
    if points:
        pie.value += points
        pie.story.append((rule, what, points, number))


# -- worths -------------------------------------------------------------------------------------------------------


def data(card: int) -> dict[str, Any]:
    """The card's line; of a turned Achievement what it has become."""
    line = CARDS[card]
    found: dict[str, Any] = line.get("becomes", line)
    return found


def fresh(card: int) -> int:
    """By how much less Pies go stale for this Ingredient."""
    return sum(int(flag.split(":")[1]) for flag in data(card).get("flags", ()) if flag.startswith("fresh:"))


def fits(card: int, wanted: str) -> bool:
    """Whether an Ingredient is what a term speaks of."""
    line = data(card)
    if wanted.startswith("!"):
        return not fits(card, wanted[1:])
    return wanted in ("any", "ingredient", line["flavour"], line.get("sub"))


def worths(kitchen: list[int]) -> Iterator[tuple[str, int]]:
    """Each part of the value of a Pie made of this Kitchen: the word of the term, and its points."""
    flavours = {data(card)["flavour"] for card in kitchen}
    for card in kitchen:
        line = data(card)
        yield "printed", line["worth"]
        others = [other for other in kitchen if other != card]
        for text in (*line.get("always", ()), *line.get("baked", ())):
            term, *args = re.findall(r"!?[a-z_]+|-?\d+", text)
            points = int(args[-1]) * times(term, args, others, len(kitchen), len(flavours))
            if points:
                yield term, points


def times(term: str, args: list[str], others: list[int], size: int, flavours: int) -> int:
    """How many times a term counts."""
    found = sum(fits(card, args[0]) for card in others) if len(args) > 1 else 0
    match term:
        case "per" | "each":
            return found
        case "if_any":
            return min(found, 1)
        case "if_none":
            return int(found == 0)
        case "if_size":
            return int(size >= int(args[0]))
        case "per_flavour":
            return flavours
        case _:
            raise ValueError(f"the scorer does not know the term {term}")


# -- the end ------------------------------------------------------------------------------------------------------


def counted(book: Book, cook: Cook) -> list[int]:
    """The places of the Pies that count."""
    return cook.best()[: 3 if book.options.variant == "grand" else 1]


def total(book: Book, cook: Cook) -> int | None:
    """The score of a seat."""
    places = counted(book, cook)
    return sum(cook.pies[place].value for place in places) if places else None


def lines_for(book: Book, seat: int) -> Iterator[ScoreLine]:
    """The story of each Pie that counts."""
    cook = book.cooks[seat]
    for place in counted(book, cook):
        for rule, what, points, number in cook.pies[place].story:
            yield ScoreLine(seat, rule, f"Pie {place + 1}: {what}", points, (number,))


def find_winners(book: Book) -> tuple[int, ...]:
    """The seats with the highest score; with `next_best` of these the ones with the best of the other Pies."""
    live = [seat for seat, cook in enumerate(book.cooks) if not cook.gone]
    if not book.over or len(live) == 1:
        return tuple(live) if book.over else ()
    scores = {seat: score for seat in live if (score := total(book, book.cooks[seat])) is not None}
    best = [seat for seat, score in scores.items() if score == max(scores.values())]
    if book.options.tie_break == "shared":
        return tuple(best)
    others = {seat: values_left(book, book.cooks[seat]) for seat in best}
    return tuple(seat for seat in best if others[seat] == max(others.values()))


def values_left(book: Book, cook: Cook) -> list[int]:
    """The values of the Pies that do not count, best first; one more is better than none."""
    return [cook.pies[place].value for place in cook.best()[len(counted(book, cook)) :]]
