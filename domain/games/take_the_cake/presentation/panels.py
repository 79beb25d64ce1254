"""Drawings of cards, recipe, piles and seats."""

from msgspec import UNSET

from domain.games.take_the_cake.presentation.layout import WIDTH
from domain.games.take_the_cake.presentation.narration import card_name
from domain.games.take_the_cake.presentation.pictures import (
    CARD,
    PAINT,
    PAPER,
    box,
    card,
    card_back,
    ingredient,
    label,
    robot,
)
from domain.games.take_the_cake.presentation.text import (
    count_cards,
    describe_collected,
    describe_place,
    letter,
    needed_ingredients,
)
from domain.games.take_the_cake.rules.components import INGREDIENT_NAMES, RECIPES
from domain.games.take_the_cake.rules.model import View
from domain.games.take_the_cake.rules.parts import COLOURS, Card, Ingredient
from domain.games.take_the_cake.rules.programs import is_live
from domain.kernel.game import Seat
from domain.kernel.svg import element, group, tooltip
from domain.kernel.text import pluralize

RECIPE_ROW = 44
SEAT_ROW = 66


def own_hand(view: View, seat: Seat | None) -> tuple[Card, ...]:
    """Return the viewer's hand."""
    if seat is None or seat >= len(view.hands):
        return ()
    cards = view.hands[seat].cards
    return () if cards is UNSET else cards


def card_rows(view: View, seat: Seat | None) -> list[tuple[str, tuple[Card, ...]]]:
    """Return the titled rows of cards below the board: a running program and the viewer's hand."""
    rows = []
    if view.laid and view.acting is not None:
        rows.append((f"{COLOURS[view.acting].capitalize()}'s program", view.laid))
    hand = own_hand(view, seat)
    return [*rows, ("Your hand", hand)] if hand else rows


def card_row(view: View, title: str, cards: tuple[Card, ...], top: float) -> str:
    """Return a row of cards. Ifs that would run now are highlighted, others are grey."""
    gap = (WIDTH - 40) / len(cards)
    drawn = [label(24, top + 26, title, 22, font_weight=600)]
    for n, one in enumerate(cards):
        live = is_live(one, view.featured)
        x = 20 + gap * n + (gap - CARD[0]) / 2
        words = card_name(one) if live else f"{card_name(one)}: does nothing today"
        drawn.append(
            group(
                x, top + 40, tooltip(words), card(one, live), class_=f"card {'live' if live else 'dead'}", data_card=one
            )
        )
    return "".join(drawn)


def recipe_height(view: View) -> int:
    """Return the height of the recipe panel."""
    return 66 + RECIPE_ROW * max(len(needed_ingredients(view)), 3)


def recipe_panel(view: View, top: float) -> str:
    """Return the recipe panel, with a row for each ingredient and a column for each seat."""
    title = RECIPES[view.recipe].name if view.recipe in RECIPES else "No recipe yet"
    parts = [
        box(16, top, 440, recipe_height(view), PAPER, 16, stroke="#c8a26a", stroke_width=2),
        label(34, top + 34, title, 26, font_weight=700),
    ]
    parts += [
        label(check_x(view, seat) + 15, top + 57, letter(seat), 20, text_anchor="middle", font_weight=700)
        for seat in range(len(view.bakers))
    ]
    for n, name in enumerate(needed_ingredients(view)):
        y = top + 78 + n * RECIPE_ROW
        parts += [
            element("g", ingredient(name), transform=f"translate(54 {y:g}) scale(.9)"),
            label(84, y + 8, INGREDIENT_NAMES[name], 23),
        ]
        parts += [check_box(view, seat, name, y) for seat in range(len(view.bakers))]
    return "".join(parts)


def check_x(view: View, seat: Seat) -> float:
    """Return the x coordinate of a seat's column."""
    return 440 - 46 * (len(view.bakers) - seat)


def check_box(view: View, seat: Seat, name: Ingredient, y: float) -> str:
    """Return the check box of one seat for one ingredient."""
    x = check_x(view, seat)
    _, pale, edge = PAINT[COLOURS[seat]]
    frame = box(x, y - 15, 30, 30, pale, 8, stroke=edge, stroke_width=2)
    if name not in view.bakers[seat].collected:
        return frame
    mark = element(
        "path", d=f"M{x + 7} {y}l6 7l11 -13", fill="none", stroke=edge, stroke_width=4.5, stroke_linecap="round"
    )
    return frame + mark


def piles(view: View, top: float) -> str:
    """Return deck and discard pile with their counts. A tooltip lists the discarded cards."""
    top_card = card_name(view.discard[-1]) if view.discard else "empty"
    return "".join(
        (
            box(468, top, WIDTH - 484, recipe_height(view), PAPER, 16, stroke="#c8a26a", stroke_width=2),
            group(492, top + 18, tooltip(f"Deck: {pluralize(view.deck.count, 'card')}"), card_back(), class_="deck"),
            label(562, top + 52, "Deck", 20),
            label(562, top + 80, str(view.deck.count), 26, font_weight=700),
            group(
                492,
                top + 108,
                tooltip(f"Discard pile: {', '.join(count_cards(view.discard)) or 'empty'}"),
                box(0, 0, 56, 76, "#f5ecdb", 9, stroke="#b59a78", stroke_width=2.5),
                label(28, 48, str(len(view.discard)), 24, text_anchor="middle", font_weight=700),
                class_="discard",
            ),
            label(562, top + 142, "Discard", 20),
            label(562, top + 170, shorten_name(top_card), 20),
        )
    )


def shorten_name(words: str) -> str:
    """Return a card's name, shortened to fit the panel."""
    return words.partition(" (")[0]


def seat_panel(view: View, viewer: Seat | None, number: Seat, top: float) -> str:
    """Return a seat: its robot, name, ingredients and tile, and another player's hand if it is visible."""
    colour, baker, hand = COLOURS[number], view.bakers[number], view.hands[number]
    body, pale, edge = PAINT[colour]
    acting = number in view.to_move
    title = colour.capitalize() + (" (you)" if number == viewer else "") + (", resigned" if number in view.out else "")
    held = () if hand.cards is UNSET or number == viewer else hand.cards
    frame = {"stroke": edge if acting else body, "stroke_width": 4 if acting else 2}
    return group(
        0,
        top,
        element("rect", x=16, y=0, width=WIDTH - 32, height=seat_row(view) - 8, rx=14, fill=pale, **frame),
        element("g", robot(colour, baker.facing or "N"), transform="translate(52 31) scale(.8)"),
        label(86, 26, f"{title}: {describe_collected(view, baker)}", 22, font_weight=700),
        label(86, 50, f"{describe_place(baker)}, {pluralize(hand.count, 'card')}".capitalize(), 20),
        label(86, 76, ", ".join(shorten_name(card_name(one)) for one in held), 19) if held else "",
        class_="seat acting" if acting else "seat",
    )


def seat_row(view: View) -> int:
    """Return the height of a seat, which is larger when hands are open."""
    return SEAT_ROW + (26 if view.options.open_hands or view.result else 0)
