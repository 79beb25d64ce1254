"""What Ingredients are worth in a Kitchen (rules, 8.1). All terms only add, so their order never matters."""

from collections.abc import Iterator, Sequence
from functools import cache

from domain.games.pie_contest.rules.card_language import Call
from domain.games.pie_contest.rules.components import INGREDIENTS, SALT, matches
from domain.games.pie_contest.rules.model import LEAST_TO_BAKE, Cards

PRINTED = "printed"


def terms(card: int, *, baked: bool) -> tuple[Call, ...]:
    """The terms of a card: a shown worth uses `always`, a baked one `baked` too."""
    face = INGREDIENTS[card]
    return (*face.always, *face.baked) if baked else face.always


def own_points(term: Call, others: Cards, kitchen: Cards) -> int:
    """What a term adds to its own card."""
    match term.name, term.args:
        case "per", (str(wanted), int(k)):
            return k * count(others, wanted)
        case "if_any", (str(wanted), int(k)):
            return k if count(others, wanted) else 0
        case "if_none", (str(wanted), int(k)):
            return 0 if count(others, wanted) else k
        case "if_size", (int(least), int(k)):
            return k if len(kitchen) >= least else 0
        case "per_flavour", (int(k),):
            return k * flavours(kitchen)
        case _:  # `each` adds to the others
            return 0


def parts(kitchen: Cards, *, baked: bool) -> Iterator[tuple[int, str, int]]:
    """Everything that a Kitchen's worths are made of: (place of the card, printed or the term's name, points)."""
    for place, card in enumerate(kitchen):
        yield place, PRINTED, INGREDIENTS[card].worth
        others = kitchen[:place] + kitchen[place + 1 :]
        for term in terms(card, baked=baked):
            if points := own_points(term, others, kitchen):
                yield place, term.name, points
            if term.name == "each":
                yield from each(term, place, kitchen)


def each(term: Call, giver: int, kitchen: Cards) -> Iterator[tuple[int, str, int]]:
    """What `each` gives to every other matching card."""
    wanted, k = str(term.args[0]), int(term.args[1])
    yield from ((n, "each", k) for n, card in enumerate(kitchen) if n != giver and matches(card, wanted))


@cache
def worths(kitchen: Cards, *, baked: bool) -> tuple[int, ...]:
    """The worth of each card of a Kitchen, in its order."""
    found = [0] * len(kitchen)
    for place, _, points in parts(kitchen, baked=baked):
        found[place] += points
    return tuple(found)


def kitchen_worth(kitchen: Cards) -> int:
    """The sum of the shown worths."""
    return sum(worths(kitchen, baked=False))


def pie_value(kitchen: Cards) -> int:
    """B2 What a Kitchen would be worth as a Pie."""
    return sum(worths(kitchen, baked=True))


def count(cards: Sequence[int], wanted: str) -> int:
    """How many cards match a filter."""
    return sum(matches(card, wanted) for card in cards)


def flavours(cards: Sequence[int]) -> int:
    """How many different flavours there are; `salt` is one."""
    return len({INGREDIENTS[card].flavour for card in cards})


def salts(kitchen: Cards) -> int:
    """How many Salts lie in a Kitchen."""
    return count(kitchen, SALT)


def can_bake(kitchen: Cards) -> bool:
    """B1 At least three Ingredients, exactly one of them Salt."""
    return len(kitchen) >= LEAST_TO_BAKE and salts(kitchen) == 1


def freshness(kitchen: Cards) -> int:
    """B4 By how much less the Pies of this Kitchen's owner go stale."""
    return sum(INGREDIENTS[card].fresh for card in kitchen)
