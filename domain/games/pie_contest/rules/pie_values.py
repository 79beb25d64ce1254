"""What Ingredients are worth in a Kitchen (rules, 8.1). All terms only add, so their order never matters."""

from collections.abc import Iterator, Sequence
from functools import cache

from domain.games.pie_contest.rules.card_language import Call
from domain.games.pie_contest.rules.components import INGREDIENTS, SALT, matches_filter
from domain.games.pie_contest.rules.parts import MIN_TO_BAKE, Cards

PRINTED = "printed"


def value_terms(card: int, *, baked: bool) -> tuple[Call, ...]:
    """The terms of a card: a shown worth uses `always`, a baked one `baked` too."""
    face = INGREDIENTS[card]
    return (*face.always, *face.baked) if baked else face.always


def term_points(term: Call, others: Cards, kitchen: Cards) -> int:
    """What a term adds to its own card."""
    match term.name, term.args:
        case "per", (str(wanted), int(k)):
            return k * count_matching(others, wanted)
        case "if_any", (str(wanted), int(k)):
            return k if count_matching(others, wanted) else 0
        case "if_none", (str(wanted), int(k)):
            return 0 if count_matching(others, wanted) else k
        case "if_size", (int(least), int(k)):
            return k if len(kitchen) >= least else 0
        case "per_flavour", (int(k),):
            return k * count_flavours(kitchen)
        case _:  # `each_term_parts` adds to the others
            return 0


def value_parts(kitchen: Cards, *, baked: bool) -> Iterator[tuple[int, str, int]]:
    """Everything that a Kitchen's worths are made of: (place of the card, printed or the term's name, points)."""
    for place, card in enumerate(kitchen):
        yield place, PRINTED, INGREDIENTS[card].worth
        others = kitchen[:place] + kitchen[place + 1 :]
        for term in value_terms(card, baked=baked):
            if points := term_points(term, others, kitchen):
                yield place, term.name, points
            if term.name == "each":
                yield from each_term_parts(term, place, kitchen)


def each_term_parts(term: Call, giver: int, kitchen: Cards) -> Iterator[tuple[int, str, int]]:
    """What `each_term_parts` gives to every other matching card."""
    wanted, k = str(term.args[0]), int(term.args[1])
    yield from ((n, "each", k) for n, card in enumerate(kitchen) if n != giver and matches_filter(card, wanted))


@cache
def ingredient_worths(kitchen: Cards, *, baked: bool) -> tuple[int, ...]:
    """The worth of each card of a Kitchen, in its order."""
    found = [0] * len(kitchen)
    for place, _, points in value_parts(kitchen, baked=baked):
        found[place] += points
    return tuple(found)


def kitchen_worth(kitchen: Cards) -> int:
    """The sum of the shown worths."""
    return sum(ingredient_worths(kitchen, baked=False))


def pie_value(kitchen: Cards) -> int:
    """B2 What a Kitchen would be worth as a Pie."""
    return sum(ingredient_worths(kitchen, baked=True))


def count_matching(cards: Sequence[int], wanted: str) -> int:
    """How many cards match a filter."""
    return sum(matches_filter(card, wanted) for card in cards)


def count_flavours(cards: Sequence[int]) -> int:
    """How many different flavours there are; `salt` is one."""
    return len({INGREDIENTS[card].flavour for card in cards})


def count_salts(kitchen: Cards) -> int:
    """How many Salts lie in a Kitchen."""
    return count_matching(kitchen, SALT)


def can_bake(kitchen: Cards) -> bool:
    """B1 At least three Ingredients, exactly one of them Salt."""
    return len(kitchen) >= MIN_TO_BAKE and count_salts(kitchen) == 1


def freshness(kitchen: Cards) -> int:
    """B4 By how much less the Pies of this Kitchen's owner go stale."""
    return sum(INGREDIENTS[card].fresh for card in kitchen)
