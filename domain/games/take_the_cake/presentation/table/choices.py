"""The choices of a seat: the cards of its hand, the rows of a program, the tiles for the tokens."""

from typing import Literal

import msgspec
from msgspec import UNSET

from domain.games.take_the_cake.rules.board import board_of
from domain.games.take_the_cake.rules.components import CARDS, INGREDIENT_NAMES, RECIPES
from domain.games.take_the_cake.rules.model import View
from domain.games.take_the_cake.rules.parts import COLOURS, HAND_SIZE, Card, Ingredient, Square
from domain.games.take_the_cake.rules.programs import is_if, is_live, is_repeat
from domain.kernel.game import Seat
from domain.kernel.table import Form, TableContext

Kind = Literal["plain", "repeat", "if"]


class HeldCard(msgspec.Struct, frozen=True):
    """A card of the hand. It is not `live` if it would do nothing now."""

    card: Card
    name: str
    kind: Kind
    live: bool


class ProgramRow(msgspec.Struct, frozen=True):
    """A row of the program form, empty at first."""

    number: int
    card: str = ""
    span: str = ""
    decline: bool = False


class TokenPlace(msgspec.Struct, frozen=True):
    """An ingredient and its current or chosen tile, as `row,column`."""

    ingredient: Ingredient
    name: str
    tile: str


class PlacementTalks(msgspec.Struct, frozen=True):
    """The negotiation of the placement as the seat that is asked sees it."""

    by: str
    accepted: tuple[str, ...]
    spots: tuple[TokenPlace, ...]
    tiles: tuple[str, ...]
    may_propose: bool


def held_cards(view: View, seat: Seat | None) -> list[HeldCard]:
    """Return the cards of this seat in the order of its hand."""
    if seat is None or seat >= len(view.hands):
        return []
    cards = view.hands[seat].cards
    return [] if cards is UNSET else [held_card(card, view.featured) for card in cards]


def held_card(card: Card, featured: str | None) -> HeldCard:
    """Return a card of the hand."""
    kind: Kind = "repeat" if is_repeat(card) else "if" if is_if(card) else "plain"
    return HeldCard(card, CARDS[card].name, kind, is_live(card, featured))


def program_rows(form: Form) -> list[ProgramRow]:
    """Return the five rows, filled from a submitted form."""
    return [
        ProgramRow(n, form.get(f"step{n}", ""), form.get(f"span{n}", ""), f"decline{n}" in form)
        for n in range(1, HAND_SIZE + 1)
    ]


def placement_talks(context: TableContext) -> PlacementTalks | None:
    """Return the current proposal and the possible answers, or None outside the placement."""
    view: View = context.view
    if view.talks is None or view.recipe is None:
        return None
    standing = dict(view.talks.standing.items())
    return PlacementTalks(
        by="" if view.talks.by is None else COLOURS[view.talks.by],
        accepted=tuple(COLOURS[seat] for seat in view.talks.accepted),
        spots=tuple(
            TokenPlace(name, INGREDIENT_NAMES[name], context.form.get(f"token_{name}") or tile_key(standing[name]))
            for name in RECIPES[view.recipe].ingredients
        ),
        tiles=tuple(map(tile_key, board_of(view.layout).all_items)),
        may_propose=view.legal_moves.propose_placement is True,
    )


def tile_key(square: Square) -> str:
    """Return a tile as written in the form."""
    return f"{square[0]},{square[1]}"
