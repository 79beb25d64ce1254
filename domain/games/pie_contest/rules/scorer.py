"""The independent scorer. It counts from what the seats did and ignores all worths, values and results in the facts.

Its input: which cards entered or left a Kitchen, who Baked, the targets of effects on Pies, completed Achievements and
resignations. It tracks the Kitchens, computes their worth from the card data and applies staleness itself (rules, 4.5
and section 8).
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from domain.games.pie_contest.rules.facts import (
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
    PieBaked,
    PiesChanged,
    PositionSet,
    SeatResigned,
    StepStarted,
)
from domain.games.pie_contest.rules.moves import Options
from domain.kernel.game import ScoreLine, ScoreSheet

COMPONENT_DATA: dict[str, Any] = msgspec.json.decode(Path(__file__).with_name("components.json").read_bytes())
LINES = [*COMPONENT_DATA["ingredients"], *COMPONENT_DATA["actions"], *COMPONENT_DATA["achievements"]]
CARDS: dict[int, dict[str, Any]] = {line["id"] + n: line for line in LINES for n in range(line.get("copies", 1))}


@dataclass
class ScoredPie:
    """A Pie with its current value and the changes that led to it: (rule, item, points, fact number)."""

    value: int
    history: list[tuple[str, str, int, int]]


@dataclass
class Account:
    """The Kitchen and the Pies of one seat."""

    kitchen: list[int] = field(default_factory=list)
    pies: list[ScoredPie] = field(default_factory=list)
    gone: bool = False

    def pies_by_value(self) -> list[int]:
        """Return the indexes of the Pies, best first. Equal Pies are in order of baking."""
        return sorted(range(len(self.pies)), key=lambda place: -self.pies[place].value)


@dataclass
class Ledger:
    """The state of the count. `pending_effect` is an effect (points, card) on a Pie that a later fact names."""

    options: Options = field(default_factory=Options)
    cooks: list[Account] = field(default_factory=list)
    pending_effect: tuple[int, int] | None = None
    over: bool = False


def audit(facts: Iterable[Fact]) -> ScoreSheet:
    """Return the score sheet, counted from the facts independently of the engine."""
    book = Ledger()
    for number, fact in enumerate(facts):
        read_fact(book, number, fact)
    lines = [line for seat in range(len(book.cooks)) for line in seat_lines(book, seat)]
    totals = tuple(total(book, cook) for cook in book.cooks)
    return ScoreSheet(tuple(lines), totals, find_winners(book))


# -- reading ------------------------------------------------------------------------------------------------------


def read_fact(book: Ledger, number: int, fact: Fact) -> None:  # noqa: PLR0912 -- one case per kind of fact
    """Update the ledger for one fact."""
    match fact:
        case GameStarted(seats, options):
            book.options, book.cooks = options, [Account() for _ in range(seats)]
        case PositionSet():
            start_from_position(book, number, fact)
        case IngredientPlayed(seat, card) | IngredientStocked(seat, card) | IngredientGiven(_, seat, card):
            add_to_kitchen(book, seat, card)
        case CardForaged(seat, card, "kitchen") | AchievementTurned(seat, card, "kitchen"):
            add_to_kitchen(book, seat, card)
        case IngredientStolen(seat, _, card):
            add_to_kitchen(book, seat, card)
        case IngredientTrashed(_, _, card) | IngredientTakenBack(_, card):
            remove_from_kitchen(book, card)
        case IngredientsSwapped(seat, other, gave, got):
            add_to_kitchen(book, seat, got)
            add_to_kitchen(book, other, gave)
        case PieBaked(seat):
            bake_pie(book, number, seat)
        case StepStarted(seat, op, args, src):
            book.pending_effect = None
            if op == "pie":
                apply_pie_effect(book, number, seat, str(args[0]), int(args[1]), src)
        case PiesChanged(_, _, changes) if book.pending_effect and changes:
            points, src = book.pending_effect
            book.pending_effect = None
            apply_card_effect(book, book.cooks[changes[0].seat].pies[changes[0].pie - 1], points, src, number)
        case AchievementCompleted(seat, card):
            add_grand_bonus(book, number, seat, card)
        case SeatResigned(seat):
            book.cooks[seat] = Account(gone=True)
        case GameEnded():
            book.over = True
        case _:
            pass


def start_from_position(book: Ledger, number: int, fact: PositionSet) -> None:
    """Take over a position. The Pies of resigned seats don't count (V3)."""
    book.options = fact.options
    book.cooks = [Account(gone=seat in fact.out) for seat in range(fact.seats)]
    for key, kitchen in fact.kitchens.items():
        book.cooks[int(key)].kitchen = list(kitchen)
    for key, values in fact.pies.items():
        if int(key) not in fact.out:
            book.cooks[int(key)].pies = [ScoredPie(value, [("15", "given", value, number)]) for value in values]


def add_to_kitchen(book: Ledger, seat: int, card: int) -> None:
    """Move an Ingredient into a Kitchen, out of any other one."""
    remove_from_kitchen(book, card)
    book.cooks[seat].kitchen.append(card)


def remove_from_kitchen(book: Ledger, card: int) -> None:
    """Remove an Ingredient from the Kitchen that holds it."""
    for cook in book.cooks:
        if card in cook.kitchen:
            cook.kitchen.remove(card)


def bake_pie(book: Ledger, number: int, seat: int) -> None:
    """Bake a Kitchen into a Pie, then reduce all rivals' Pies by four, less their freshness."""
    baker = book.cooks[seat]
    points: dict[str, int] = {"printed": 0}
    for what, worth in worths(baker.kitchen):
        points[what] = points.get(what, 0) + worth
    order = ["printed", *sorted(what for what in points if what != "printed")]
    baker.pies.append(ScoredPie(sum(points.values()), [("8.1", what, points[what], number) for what in order]))
    baker.kitchen = []
    for cook in book.cooks:
        if cook is baker or cook.gone:
            continue
        loss = max(0, 4 - sum(freshness_of(card) for card in cook.kitchen))
        for pie in cook.pies:
            add_points(book, pie, -loss, "B4", f"stale, seat {seat} Baked", number)


def apply_pie_effect(book: Ledger, number: int, seat: int, whose: str, points: int, src: int) -> None:
    """Apply an effect to the Pies of all other seats, or keep it for the Pie that a later fact names."""
    if whose != "all_others":
        book.pending_effect = (points, src)
        return
    for other, cook in enumerate(book.cooks):
        if other != seat and not cook.gone:
            for pie in cook.pies:
                apply_card_effect(book, pie, points, src, number)


def add_grand_bonus(book: Ledger, number: int, seat: int, card: int) -> None:
    """In the Grand Contest, add 3 to every Pie of a seat that completes an Achievement."""
    book.pending_effect = None
    if book.options.variant == "grand":
        for pie in book.cooks[seat].pies:
            apply_card_effect(book, pie, 3, card, number)


def apply_card_effect(book: Ledger, pie: ScoredPie, points: int, src: int, number: int) -> None:
    """Apply a card's effect to a Pie."""
    add_points(book, pie, points, "12.1", CARDS[src]["name"], number)


def add_points(book: Ledger, pie: ScoredPie, points: int, rule: str, what: str, number: int) -> None:
    """Add points to a Pie. With `pie_floor` zero, losses stop at zero."""
    if points < 0 and book.options.pie_floor == "zero":
        points = -min(-points, max(pie.value, 0))
    if points:
        pie.value += points
        pie.history.append((rule, what, points, number))


# -- worths -------------------------------------------------------------------------------------------------------


def card_data(card: int) -> dict[str, Any]:
    """Return a card's data. For an Achievement, what it turns into."""
    line = CARDS[card]
    found: dict[str, Any] = line.get("becomes", line)
    return found


def freshness_of(card: int) -> int:
    """Return how much less Pies lose because of this Ingredient."""
    return sum(int(flag.split(":")[1]) for flag in card_data(card).get("flags", ()) if flag.startswith("fresh:"))


def matches_filter(card: int, filter_name: str) -> bool:
    """Return whether an Ingredient matches a filter."""
    line = card_data(card)
    if filter_name.startswith("!"):
        return not matches_filter(card, filter_name[1:])
    return filter_name in ("any", "ingredient", line["flavour"], line.get("sub"))


def worths(kitchen: list[int]) -> Iterator[tuple[str, int]]:
    """Yield all parts of this Kitchen's value as a Pie: (`printed` or the name of a term, points)."""
    flavours = {card_data(card)["flavour"] for card in kitchen}
    for card in kitchen:
        line = card_data(card)
        yield "printed", line["worth"]
        others = [other for other in kitchen if other != card]
        for text in (*line.get("always", ()), *line.get("baked", ())):
            term, *args = re.findall(r"!?[a-z_]+|-?\d+", text)
            points = int(args[-1]) * count_applications(term, args, others, len(kitchen), len(flavours))
            if points:
                yield term, points


def count_applications(term: str, args: list[str], others: list[int], size: int, flavours: int) -> int:
    """Return how often a term applies."""
    found = sum(matches_filter(card, args[0]) for card in others) if len(args) > 1 else 0
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
            raise ValueError(f"unknown term: {term}")


# -- the end ------------------------------------------------------------------------------------------------------


def counted_pies(book: Ledger, cook: Account) -> list[int]:
    """Return the indexes of the Pies that count."""
    return cook.pies_by_value()[: 3 if book.options.variant == "grand" else 1]


def total(book: Ledger, cook: Account) -> int | None:
    """Return the score of a seat, or None without a Pie."""
    places = counted_pies(book, cook)
    return sum(cook.pies[place].value for place in places) if places else None


def seat_lines(book: Ledger, seat: int) -> Iterator[ScoreLine]:
    """Yield the score lines of each Pie that counts."""
    cook = book.cooks[seat]
    for place in counted_pies(book, cook):
        for rule, what, points, number in cook.pies[place].history:
            yield ScoreLine(seat, rule, f"Pie {place + 1}: {what}", points, (number,))


def find_winners(book: Ledger) -> tuple[int, ...]:
    """Return the seats with the highest score. With `next_best`, their other Pies break ties."""
    live = [seat for seat, cook in enumerate(book.cooks) if not cook.gone]
    if not book.over or len(live) == 1:
        return tuple(live) if book.over else ()
    scores = {seat: score for seat in live if (score := total(book, book.cooks[seat])) is not None}
    best = [seat for seat, score in scores.items() if score == max(scores.values())]
    if book.options.tie_break == "shared":
        return tuple(best)
    others = {seat: uncounted_values(book, book.cooks[seat]) for seat in best}
    return tuple(seat for seat in best if others[seat] == max(others.values()))


def uncounted_values(book: Ledger, cook: Account) -> list[int]:
    """Return the values of the Pies that don't count, best first. A longer list beats its own beginning."""
    return [cook.pies[place].value for place in cook.pies_by_value()[len(counted_pies(book, cook)) :]]
