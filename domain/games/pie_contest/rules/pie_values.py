"""The worth of Ingredients in a Kitchen (rules, 8.1). All terms are added, so their order never matters."""

from collections.abc import Iterator, Sequence
from functools import cache

from domain.games.pie_contest.rules.card_language import Call
from domain.games.pie_contest.rules.components import INGREDIENTS, SALT, matches_filter
from domain.games.pie_contest.rules.parts import MIN_TO_BAKE, Cards

PRINTED = "printed"


def value_terms(card: int, *, baked: bool) -> tuple[Call, ...]:
    """Return the terms of a card: `always` for the shown worth, and `baked` as well for the baked worth."""
    face = INGREDIENTS[card]
    return (*face.always, *face.baked) if baked else face.always


def term_points(term: Call, others: Cards, kitchen: Cards) -> int:
    """Return the points that a term adds to its own card."""
    match term.name, term.args:
        case "per", (str(filter_name), int(k)):
            return k * count_matching(others, filter_name)
        case "if_any", (str(filter_name), int(k)):
            return k if count_matching(others, filter_name) else 0
        case "if_none", (str(filter_name), int(k)):
            return 0 if count_matching(others, filter_name) else k
        case "if_size", (int(least), int(k)):
            return k if len(kitchen) >= least else 0
        case "per_flavour", (int(k),):
            return k * count_flavours(kitchen)
        case _:  # `each` adds only to other cards, see `each_term_parts`
            return 0


def value_parts(kitchen: Cards, *, baked: bool) -> Iterator[tuple[int, str, int]]:
    """Yield all parts of a Kitchen's worths as (index of the card, `printed` or the name of a term, points)."""
    for place, card in enumerate(kitchen):
        yield place, PRINTED, INGREDIENTS[card].worth
        others = kitchen[:place] + kitchen[place + 1 :]
        for term in value_terms(card, baked=baked):
            if points := term_points(term, others, kitchen):
                yield place, term.name, points
            if term.name == "each":
                yield from each_term_parts(term, place, kitchen)


def each_term_parts(term: Call, giver: int, kitchen: Cards) -> Iterator[tuple[int, str, int]]:
    """Yield the points that an `each` term gives to every other matching card."""
    filter_name, k = str(term.args[0]), int(term.args[1])
    yield from ((n, "each", k) for n, card in enumerate(kitchen) if n != giver and matches_filter(card, filter_name))


@cache
def ingredient_worths(kitchen: Cards, *, baked: bool) -> tuple[int, ...]:
    """Return the worth of each card in a Kitchen, in the same order."""
    found = [0] * len(kitchen)
    for place, _, points in value_parts(kitchen, baked=baked):
        found[place] += points
    return tuple(found)


def kitchen_worth(kitchen: Cards) -> int:
    """Return the sum of the shown worths."""
    return sum(ingredient_worths(kitchen, baked=False))


def pie_value(kitchen: Cards) -> int:
    """Return the value of a Kitchen as a Pie (B2)."""
    return sum(ingredient_worths(kitchen, baked=True))


def count_matching(cards: Sequence[int], filter_name: str) -> int:
    """Return how many cards match a filter."""
    return sum(matches_filter(card, filter_name) for card in cards)


def count_flavours(cards: Sequence[int]) -> int:
    """Return the number of different flavours, `salt` included."""
    return len({INGREDIENTS[card].flavour for card in cards})


def count_salts(kitchen: Cards) -> int:
    """Return the number of Salts in a Kitchen."""
    return count_matching(kitchen, SALT)


def can_bake(kitchen: Cards) -> bool:
    """Return whether a Kitchen has at least three Ingredients, exactly one of them Salt (B1)."""
    return len(kitchen) >= MIN_TO_BAKE and count_salts(kitchen) == 1


def freshness(kitchen: Cards) -> int:
    """Return how much less the Pies of this Kitchen's owner lose when they go stale (B4)."""
    return sum(INGREDIENTS[card].fresh for card in kitchen)
