"""Position documents (rules, section 3), which start a match from a custom position: defaults and validation."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, UnsetType

from domain.games.take_the_cake.rules.board import OVEN, Board, board_of, is_on_board, start_places
from domain.games.take_the_cake.rules.components import CARDS, FEATURED, RECIPES, SECTIONS
from domain.games.take_the_cake.rules.facts import PositionSet
from domain.games.take_the_cake.rules.moves import Options
from domain.games.take_the_cake.rules.parts import (
    HAND_SIZE,
    MAX_SEATS,
    QUADRANTS,
    BakerSet,
    BySeat,
    Card,
    Facing,
    Ingredient,
    Laid,
    Square,
    Tokens,
)
from domain.games.take_the_cake.rules.placement import is_valid_arrangement
from domain.kernel.position import PositionReader

SeatNumber = Annotated[int, msgspec.Meta(ge=0, lt=MAX_SEATS)]
MAX_NUMBER = 1_000_000
"""Maximum starting round or turn, far below the largest safe integer in JSON."""
FromOne = Annotated[int, msgspec.Meta(ge=1, le=MAX_NUMBER)]
Rotation = Annotated[int, msgspec.Meta(ge=0, le=3)]


class BakerDocument(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A baker in a document. Each field has its own default."""

    at: Square | UnsetType | None = UNSET
    facing: Facing | UnsetType | None = UNSET
    collected: tuple[Ingredient, ...] = ()
    last: Annotated[int, msgspec.Meta(ge=0, le=MAX_NUMBER)] = 0


class Document(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The fields of a position document and their defaults."""

    layout: tuple[tuple[str, Rotation], tuple[str, Rotation], tuple[str, Rotation], tuple[str, Rotation]]
    recipe: str
    tokens: Tokens
    featured: str
    seats: int = 2
    first: SeatNumber = 0
    acting: SeatNumber = 0
    round: FromOne = 1
    turn: FromOne = 1
    bakers: BySeat[BakerDocument] = BySeat()
    out: tuple[SeatNumber, ...] = ()
    hands: BySeat[tuple[Card, ...]] = BySeat()
    deck: tuple[Card, ...] | UnsetType = UNSET
    discard: tuple[Card, ...] | UnsetType = UNSET
    featured_deck: tuple[str, ...] | UnsetType = UNSET
    featured_discard: tuple[str, ...] | UnsetType = UNSET


POSITION = PositionReader(Document, "Take the Cake", rule="S9")
require = POSITION.require


def read_position(seats: int, options: Options, raw: Mapping[str, Any]) -> PositionSet:
    """Return the position of a document with all defaults. Raise BadOptions for an invalid one (section 3)."""
    document = POSITION.read(raw)
    require(document.seats == seats, f"The position is for {document.seats} seats, but the match has {seats}.")
    check_seats(document)
    check_components(document)
    layout = tuple(Laid(quadrant, *laid) for quadrant, laid in zip(QUADRANTS, document.layout, strict=True))
    tokens: dict[str, Square] = dict(document.tokens.items())
    require(
        is_valid_arrangement(tokens, layout, document.recipe),
        f"tokens: must place exactly {', '.join(RECIPES[document.recipe].ingredients)} on distinct ingredient tiles.",
    )
    bakers = read_bakers(document)
    check_bakers(document, bakers, board_of(layout))
    hands, deck, discard = deal_cards(document)
    ahead, behind = fill_piles(
        FEATURED, [document.featured], document.featured_deck, document.featured_discard, "featured_"
    )
    return PositionSet(
        seats=seats,
        layout=document.layout,
        recipe=document.recipe,
        tokens=document.tokens,
        first=document.first,
        acting=document.acting,
        round=document.round,
        turn=document.turn,
        bakers=BySeat.from_list(bakers),
        out=document.out,
        hands=BySeat.from_list(hands),
        deck=deck,
        discard=discard,
        featured=document.featured,
        featured_deck=ahead,
        featured_discard=behind,
        options=UNSET if options == Options() else options,
    )


def check_seats(document: Document) -> None:
    """Check the seat numbers and the resigned seats. Raise BadOptions."""
    seats, out = document.seats, document.out
    named = {"first": [document.first], "acting": [document.acting], "out": out}
    for key, by_seat in (("bakers", document.bakers.values()), ("hands", document.hands.values())):
        named[key] = [seat for seat, thing in enumerate(by_seat) if thing is not UNSET]
    for key, numbers in named.items():
        require(all(seat < seats for seat in numbers), f"{key}: names a seat that is not in the match.")
    require(len(set(out)) == len(out), "out: names a seat twice.")
    require(seats - len(out) >= 2, "out: at least two seats must not have resigned.")
    require(document.acting not in out, f"acting: seat {document.acting} has resigned.")
    require(all(document.hands.of(seat) is UNSET for seat in out), "hands: a resigned seat has no hand.")


def check_components(document: Document) -> None:
    """Check the ids of sections and recipe. Raise BadOptions."""
    sections = [section for section, _ in document.layout]
    for section in sections:
        require(section in SECTIONS, f"layout: there is no section {section}. Use {', '.join(SECTIONS)}.")
    require(len(set(sections)) == len(sections), "layout: each section can be used only once.")
    require(document.recipe in RECIPES, f"recipe: there is no {document.recipe}. Use one of {', '.join(RECIPES)}.")


# -- bakers -----------------------------------------------------------------------------------------------------------


def read_bakers(document: Document) -> list[BakerSet]:
    """Return all bakers, with defaults for missing fields."""
    bakers = []
    for place in start_places(document.seats):
        given = document.bakers.of(place.seat)
        given = BakerDocument() if given is UNSET else given
        gone = place.seat in document.out
        at = (None if gone else place.at) if given.at is UNSET else given.at
        facing = (None if gone else place.facing) if given.facing is UNSET else given.facing
        bakers.append(BakerSet(at, facing, given.collected, given.last))
    return bakers


def check_bakers(document: Document, bakers: Sequence[BakerSet], board: Board) -> None:
    """Check the bakers' tiles, facings and ingredients. Raise BadOptions."""
    recipe = RECIPES[document.recipe].ingredients
    for seat, baker in enumerate(bakers):
        collected = baker.collected
        require(len(set(collected)) == len(collected), f"bakers: seat {seat} has collected an ingredient twice.")
        require(
            set(collected) <= set(recipe), f"bakers: seat {seat} has collected an ingredient that is not in the recipe."
        )
        if seat in document.out:
            require(
                baker.at is None and baker.facing is None,
                f"bakers: seat {seat} has resigned, so `at` and `facing` must be null.",
            )
            continue
        require(baker.at is not None and baker.facing is not None, f"bakers: seat {seat} needs a tile and a direction.")
        at = baker.at or (0, 0)
        require(is_on_board(at), f"bakers: seat {seat} is off the board.")
        require(at not in board.walls, f"bakers: seat {seat} is on a wall.")
        done = set(collected) == set(recipe) and at in OVEN
        require(not done, f"bakers: seat {seat} is on the Oven with all ingredients and would already have won.")
    places = [baker.at for baker in bakers if baker.at is not None]
    require(len(set(places)) == len(places), "bakers: two of them are on the same tile.")


# -- cards ------------------------------------------------------------------------------------------------------------


def deal_cards(document: Document) -> tuple[list[tuple[Card, ...] | UnsetType], tuple[Card, ...], tuple[Card, ...]]:
    """Return hands, deck and discard pile, completed in canonical order. Raise BadOptions."""
    given = [document.hands.of(seat) for seat in range(document.seats)]
    piles = [pile for pile in (*given, document.deck, document.discard) if pile is not UNSET]
    named = [card for pile in piles for card in pile]
    check_card_names(named, CARDS)
    free = [card for card in CARDS if card not in named]
    hands: list[tuple[Card, ...] | UnsetType] = []
    for seat, hand in enumerate(given):
        if hand is not UNSET:
            require(len(hand) == HAND_SIZE, f"hands: seat {seat} needs {HAND_SIZE} cards, but has {len(hand)}.")
            hands.append(hand)
        elif seat in document.out:
            hands.append(UNSET)
        else:
            dealt, free = tuple(free[:HAND_SIZE]), free[HAND_SIZE:]
            require(len(dealt) == HAND_SIZE, f"hands: not enough cards are left to deal {HAND_SIZE} to seat {seat}.")
            hands.append(dealt)
    held = [card for hand in hands if hand is not UNSET for card in hand]
    deck, discard = fill_piles(CARDS, held, document.deck, document.discard, "")
    return hands, deck, discard


def check_card_names(named: Sequence[str], known: Collection[str]) -> None:
    """Check that each card exists and is named once. Raise BadOptions."""
    for card in named:
        require(card in known, f"There is no card {card}.")
    twice = sorted(card for card, times in Counter(named).items() if times > 1)
    require(not twice, f"Named twice: {', '.join(twice)}.")


def fill_piles(
    known: Collection[str],
    held: Sequence[str],
    deck: tuple[str, ...] | UnsetType,
    discard: tuple[str, ...] | UnsetType,
    prefix: str,
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return a deck and its discard pile, completed. Raise BadOptions unless every card has exactly one place."""
    named = [*held, *(() if deck is UNSET else deck), *(() if discard is UNSET else discard)]
    check_card_names(named, known)
    free = tuple(card for card in known if card not in named)
    if deck is UNSET:
        deck, free = free, ()
    if discard is UNSET:
        discard, free = free, ()
    require(not free, f"Cards without a place: {', '.join(free)}.")
    require(bool(deck), f"{prefix}deck: must have at least one card.")
    return deck, discard
