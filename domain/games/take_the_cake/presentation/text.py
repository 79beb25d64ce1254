"""The table as text (rules, section 13), and the wording that text and picture share."""

from collections import Counter
from functools import lru_cache

from msgspec import UNSET

from domain.games.take_the_cake.presentation.layout import TILES
from domain.games.take_the_cake.presentation.narration import DIRECTIONS, card_name, describe_tile
from domain.games.take_the_cake.rules.board import BOARDS, OVEN, Board, board_of
from domain.games.take_the_cake.rules.components import CARD_ORDER, FEATURED, INGREDIENT_NAMES, RECIPES
from domain.games.take_the_cake.rules.model import Baker, View
from domain.games.take_the_cake.rules.parts import BOARD_SIZE, COLOURS, Card, Facing, Ingredient, Laid, Square, Tokens
from domain.kernel.game import Seat
from domain.kernel.text import join_and, pluralize

ARROWS: dict[Facing, str] = {"N": "^", "E": ">", "S": "v", "W": "<"}


# -- shared by text and picture -------------------------------------------------------------------------------------


def heading(view: View) -> str:
    """Return the round or phase of the match."""
    if view.phase == "placement":
        return "Placing the ingredients"
    return f"Round {view.round} of {view.options.round_limit}" if view.round else "Setting up"


def status(view: View) -> str:
    """Return whose turn it is, or who won."""
    if view.result is None:
        return f"Waiting for {COLOURS[view.to_move[0]]}" if view.to_move else "Setting up"
    if not view.result.winners:
        return "Nobody wins"
    verb = "wins" if len(view.result.winners) == 1 else "win"
    return f"{join_and([COLOURS[seat] for seat in view.result.winners])} {verb}".capitalize()


def featured_name(view: View) -> str:
    """Return the name of the featured item."""
    return FEATURED[view.featured].name if view.featured in FEATURED else "none yet"


def needed_ingredients(view: View) -> tuple[Ingredient, ...]:
    """Return the ingredients of the recipe."""
    return RECIPES[view.recipe].ingredients if view.recipe in RECIPES else ()


def shown_tokens(view: View) -> Tokens:
    """Return the tokens as placed, or as currently proposed."""
    return view.tokens if view.talks is None else view.talks.standing


def describe_place(baker: Baker) -> str:
    """Describe a baker's tile and facing."""
    if baker.at is None or baker.facing is None:
        return "off the board"
    return f"at {describe_tile(baker.at)} facing {DIRECTIONS[baker.facing]}"


def describe_collected(view: View, baker: Baker) -> str:
    """Return how many ingredients a baker has, and whether it has the pastry."""
    return f"{len(baker.collected)} of {len(needed_ingredients(view))}" + (" and the pastry" if baker.baked else "")


def count_cards(cards: tuple[Card, ...]) -> list[str]:
    """Return card names with their counts, in canonical order."""
    names = Counter(card_name(one) for one in sorted(cards, key=CARD_ORDER.__getitem__))
    return [f"{count} {name}" if count > 1 else name for name, count in names.items()]


def board(view: View) -> Board:
    """Return the board, which is empty before set-up."""
    return board_of(view.layout)


def baker_on(view: View, square: Square) -> Seat | None:
    """Return the seat whose baker is on a tile, or None."""
    return next((seat for seat, baker in enumerate(view.bakers) if baker.at == square), None)


# -- text -----------------------------------------------------------------------------------------------------------


def text(view: View, seat: Seat | None) -> str:
    """Return the table for a terminal.

    `##` is a wall, `oo` the Oven, `i.` an empty ingredient tile, `eg` a token (eggs), `R>` the red baker facing east. A
    baker hides the token on its tile.
    """
    tokens = {at: name for name, at in shown_tokens(view).items()}
    lines = [
        f"{heading(view)}. {status(view)}.",
        f"Today's special: {featured_name(view)}{text_tags(view)}. Recipe: {text_recipe(view)}.",
        "",
        "     " + " ".join(f"{col:>2}" for col in range(BOARD_SIZE)),
        *(
            f"{row:>3}  " + " ".join(text_tile(view, tokens, (row, col)) for col in range(BOARD_SIZE))
            for row in range(BOARD_SIZE)
        ),
        "",
        *(text_seat(view, number, seat) for number in range(len(view.bakers))),
        f"deck {view.deck.count}, discard pile {len(view.discard)}, specials left {view.featured_deck.count}",
    ]
    if view.talks is not None:
        lines.append(text_talks(view))
    if view.laid:
        lines.append(f"laid: {', '.join(map(card_name, view.laid))}")
    return "\n".join(line.rstrip() for line in lines) + "\n"


def text_tags(view: View) -> str:
    """Return the tags of the featured item."""
    return f" ({', '.join(FEATURED[view.featured].tags)})" if view.featured in FEATURED else ""


def text_recipe(view: View) -> str:
    """Return the recipe with its ingredients."""
    if view.recipe not in RECIPES:
        return "none yet"
    return f"{RECIPES[view.recipe].name} ({', '.join(INGREDIENT_NAMES[one] for one in needed_ingredients(view))})"


def text_tile(view: View, tokens: dict[Square, Ingredient], square: Square) -> str:
    """Return one tile, two characters wide."""
    seat = baker_on(view, square)
    if seat is not None:
        return letter(seat) + ARROWS[view.bakers[seat].facing or "N"]
    return tokens[square][:2] if square in tokens else text_floor(view.layout)[square]


@lru_cache(BOARDS)
def text_floor(layout: tuple[Laid, ...]) -> dict[Square, str]:
    """Return the tiles of a board without tokens and bakers."""
    printed = board_of(layout)
    marks = dict.fromkeys(TILES, " .") | dict.fromkeys(printed.walls, "##") | dict.fromkeys(printed.all_items, "i.")
    return marks | dict.fromkeys(OVEN, "oo") if layout else marks


def text_seat(view: View, number: Seat, seat: Seat | None) -> str:
    """Return the line of a seat: ingredients, tile and hand."""
    baker, hand = view.bakers[number], view.hands[number]
    ticked = ", ".join(INGREDIENT_NAMES[one] for one in baker.collected)
    cards = pluralize(hand.count, "card") if hand.cards is UNSET else " ".join(hand.cards) or "no cards"
    you = " (you)" if number == seat else ""
    gone = ", resigned" if number in view.out else ""
    has_it = f"{describe_collected(view, baker)}{f' ({ticked})' if ticked else ''}"
    return f"{COLOURS[number]}{you}: {has_it}, {describe_place(baker)}{gone}; {cards}"


def text_talks(view: View) -> str:
    """Return the origin of the current arrangement and who has accepted it."""
    assert view.talks is not None
    by = "dealt at random" if view.talks.by is None else f"proposed by {COLOURS[view.talks.by]}"
    accepted = join_and([COLOURS[one] for one in view.talks.accepted]) or "no one yet"
    return f"arrangement {by}, accepted by {accepted}"


def letter(seat: Seat) -> str:
    """Return the letter of a seat, shown on its robot for people who can't tell the colours apart."""
    return COLOURS[seat][0].upper()
