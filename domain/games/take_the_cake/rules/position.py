"""Position documents (rules, section 3): a start from a given board, bakers, hands and decks instead of a deal."""

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
"""The last round or turn to begin in: counting on stays far from where whole numbers end in JSON."""
FromOne = Annotated[int, msgspec.Meta(ge=1, le=MAX_NUMBER)]
Rotation = Annotated[int, msgspec.Meta(ge=0, le=3)]


class BakerDocument(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a document says of a baker; each field has a default of its own."""

    at: Square | UnsetType | None = UNSET
    facing: Facing | UnsetType | None = UNSET
    collected: tuple[Ingredient, ...] = ()
    last: Annotated[int, msgspec.Meta(ge=0, le=MAX_NUMBER)] = 0


class Document(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The keys of a position document and their defaults."""

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
    """The position of a document, all defaults filled in. Raises BadOptions for every refusal of section 3."""
    document = POSITION.read(raw)
    require(document.seats == seats, f"The position is for {document.seats} seats, the table has {seats}.")
    check_seats(document)
    check_components(document)
    layout = tuple(Laid(quadrant, *laid) for quadrant, laid in zip(QUADRANTS, document.layout, strict=True))
    tokens: dict[str, Square] = dict(document.tokens.items())
    require(
        is_valid_arrangement(tokens, layout, document.recipe),
        f"tokens: needs exactly {', '.join(RECIPES[document.recipe].ingredients)}, on distinct ingredient tiles.",
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
    """Which seats there are, and which of them are still in. Raises BadOptions."""
    seats, out = document.seats, document.out
    named = {"first": [document.first], "acting": [document.acting], "out": out}
    for key, by_seat in (("bakers", document.bakers.values()), ("hands", document.hands.values())):
        named[key] = [seat for seat, thing in enumerate(by_seat) if thing is not UNSET]
    for key, numbers in named.items():
        require(all(seat < seats for seat in numbers), f"{key}: names a seat that the table does not have.")
    require(len(set(out)) == len(out), "out: names a seat twice.")
    require(seats - len(out) >= 2, "out: at least two seats must still be in.")
    require(document.acting not in out, f"acting: seat {document.acting} has resigned.")
    require(all(document.hands.of(seat) is UNSET for seat in out), "hands: a resigned seat has none.")


def check_components(document: Document) -> None:
    """Ids of sections, recipe and featured item. Raises BadOptions."""
    sections = [section for section, _ in document.layout]
    for section in sections:
        require(section in SECTIONS, f"layout: there is no section {section}; there are {', '.join(SECTIONS)}.")
    require(len(set(sections)) == len(sections), "layout: every section can lie there once.")
    require(document.recipe in RECIPES, f"recipe: there is no {document.recipe}; there are {', '.join(RECIPES)}.")


# -- bakers -----------------------------------------------------------------------------------------------------------


def read_bakers(document: Document) -> list[BakerSet]:
    """All bakers, each field by itself at its default where left out."""
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
    """Where bakers may stand, and what they may have collected. Raises BadOptions."""
    recipe = RECIPES[document.recipe].ingredients
    for seat, baker in enumerate(bakers):
        collected = baker.collected
        require(len(set(collected)) == len(collected), f"bakers: seat {seat} has collected an ingredient twice.")
        require(set(collected) <= set(recipe), f"bakers: seat {seat} has collected what the recipe does not need.")
        if seat in document.out:
            require(baker.at is None and baker.facing is None, f"bakers: seat {seat} has resigned and has no place.")
            continue
        require(baker.at is not None and baker.facing is not None, f"bakers: seat {seat} needs a tile and a direction.")
        at = baker.at or (0, 0)
        require(is_on_board(at), f"bakers: seat {seat} stands off the board.")
        require(at not in board.walls, f"bakers: seat {seat} stands on a wall.")
        done = set(collected) == set(recipe) and at in OVEN
        require(not done, f"bakers: seat {seat} has everything and stands on the Oven; it would have won.")
    places = [baker.at for baker in bakers if baker.at is not None]
    require(len(set(places)) == len(places), "bakers: two of them stand on one tile.")


# -- cards ------------------------------------------------------------------------------------------------------------


def deal_cards(document: Document) -> tuple[list[tuple[Card, ...] | UnsetType], tuple[Card, ...], tuple[Card, ...]]:
    """Hands, deck and discard pile, filled up in canonical order. Raises BadOptions."""
    given = [document.hands.of(seat) for seat in range(document.seats)]
    piles = [pile for pile in (*given, document.deck, document.discard) if pile is not UNSET]
    named = [card for pile in piles for card in pile]
    check_card_names(named, CARDS)
    free = [card for card in CARDS if card not in named]
    hands: list[tuple[Card, ...] | UnsetType] = []
    for seat, hand in enumerate(given):
        if hand is not UNSET:
            require(len(hand) == HAND_SIZE, f"hands: seat {seat} needs {HAND_SIZE} cards, it has {len(hand)}.")
            hands.append(hand)
        elif seat in document.out:
            hands.append(UNSET)
        else:
            dealt, free = tuple(free[:HAND_SIZE]), free[HAND_SIZE:]
            require(len(dealt) == HAND_SIZE, f"hands: too few cards are left to deal {HAND_SIZE} to seat {seat}.")
            hands.append(dealt)
    held = [card for hand in hands if hand is not UNSET for card in hand]
    deck, discard = fill_piles(CARDS, held, document.deck, document.discard, "")
    return hands, deck, discard


def check_card_names(named: Sequence[str], known: Collection[str]) -> None:
    """Cards that exist, each once. Raises BadOptions."""
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
    """A deck and its discard pile, what is left out filled in. Raises BadOptions unless every card has one place."""
    named = [*held, *(() if deck is UNSET else deck), *(() if discard is UNSET else discard)]
    check_card_names(named, known)
    free = tuple(card for card in known if card not in named)
    if deck is UNSET:
        deck, free = free, ()
    if discard is UNSET:
        discard, free = free, ()
    require(not free, f"Named nowhere: {', '.join(free)}.")
    require(bool(deck), f"{prefix}deck: needs at least one card.")
    return deck, discard
