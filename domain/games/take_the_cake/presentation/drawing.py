"""The table as a picture (rules, section 13), composed of the other drawings. North is up."""

from zlib import crc32

from domain.games.take_the_cake.presentation.board import kitchen
from domain.games.take_the_cake.presentation.layout import CELL, LEFT, TOP, WIDTH
from domain.games.take_the_cake.presentation.narration import card_name, describe_tile
from domain.games.take_the_cake.presentation.panels import (
    card_row,
    card_rows,
    own_hand,
    piles,
    recipe_height,
    recipe_panel,
    seat_panel,
    seat_row,
)
from domain.games.take_the_cake.presentation.pictures import (
    CARD,
    box,
    label,
    pill,
)
from domain.games.take_the_cake.presentation.text import (
    describe_collected,
    describe_place,
    featured_name,
    heading,
    shown_tokens,
    status,
    text_talks,
)
from domain.games.take_the_cake.rules.components import FEATURED, INGREDIENT_NAMES
from domain.games.take_the_cake.rules.model import View
from domain.games.take_the_cake.rules.parts import BOARD_SIZE, COLOURS
from domain.kernel.game import Seat
from domain.kernel.svg import WOOD, element
from domain.kernel.text import pluralize

BELOW = TOP + BOARD_SIZE * CELL + 60
"""The y coordinate of the area below the board."""
HAND_ROW = CARD[1] + 60


def svg(view: View, seat: Seat | None) -> str:
    """Return the table as a picture.

    Attributes for the page: `[data-cell="r,c"]` on every tile, `[data-ingredient]` on tokens, `[data-seat]` on bakers,
    and `[data-card]` on the cards of the viewer's hand and of a running program. Cards have the class `dead` if they
    are Ifs that would do nothing now, otherwise `live`.
    """
    rows = card_rows(view, seat)
    under = BELOW + HAND_ROW * len(rows)
    return frame_picture(
        view,
        seat,
        0,
        under + counts_height(view),
        kitchen_and_bar(view),
        *(card_row(view, *row, BELOW + HAND_ROW * n) for n, row in enumerate(rows)),
        counts(view, seat, under),
    )


def svg_of_board(view: View, seat: Seat | None, over: str = "") -> str:
    """Return only the featured item and the board, with `over` drawn on top.

    The match page shows the other parts next to it.
    """
    return frame_picture(view, seat, 0, BELOW, kitchen_and_bar(view), over)


def svg_of_counts(view: View, seat: Seat | None) -> str:
    """Return only the recipe with everyone's ticks, the decks and the seats."""
    return frame_picture(view, seat, BELOW - 16, BELOW + counts_height(view), counts(view, seat, BELOW))


def frame_picture(view: View, seat: Seat | None, top: float, bottom: float, *content: str) -> str:
    """Return a picture from `top` to `bottom`, with a title and a description for screen readers."""
    words = summary(view, seat)
    name = f"take-the-cake-{crc32(f'{top} {words}'.encode()):08x}"
    return element(
        "svg",
        element("title", f"Take the Cake. {heading(view)}. {status(view)}.", id=f"{name}-title"),
        element("desc", words.replace("&", "&amp;").replace("<", "&lt;"), id=f"{name}-desc"),
        box(0, top, WIDTH, bottom - top, WOOD, 22),
        *content,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 {top} {WIDTH} {bottom - top}",
        role="img",
        aria_labelledby=f"{name}-title {name}-desc",
        class_="board take-the-cake",
        font_family="system-ui, 'Segoe UI', Roboto, sans-serif",
    )


def kitchen_and_bar(view: View) -> str:
    """Return the top bar, the board and the status below it."""
    return "".join(
        (
            top_bar(view),
            kitchen(view),
            label(LEFT, BELOW - 14, f"{status(view)}.", 24, font_weight=700, class_="status"),
            label(WIDTH - 38, BELOW - 14, f"Turn {view.turn}" if view.turn else "", 20, text_anchor="end"),
        )
    )


def counts(view: View, seat: Seat | None, top: float) -> str:
    """Return the recipe, the decks and the seats, starting at `top`."""
    seats_top = top + recipe_height(view) + 14
    seats = (seat_panel(view, seat, n, seats_top + n * seat_row(view)) for n in range(len(view.bakers)))
    return "".join((recipe_panel(view, top), piles(view, top), *seats))


def counts_height(view: View) -> int:
    """Return the height of the recipe, decks and seats."""
    return recipe_height(view) + seat_row(view) * len(view.bakers) + 32


def summary(view: View, seat: Seat | None) -> str:
    """Return a description of the picture for screen readers."""
    tokens = ", ".join(f"{INGREDIENT_NAMES[one]} {describe_tile(at)}" for one, at in shown_tokens(view).items())
    bakers = (
        f"{COLOURS[number].capitalize()} {describe_place(baker)}, has {describe_collected(view, baker)}"
        for number, baker in enumerate(view.bakers)
    )
    hand = own_hand(view, seat)
    cards = [f"Your hand: {', '.join(map(card_name, hand))}"] if hand else []
    return ". ".join((f"Today's special: {featured_name(view)}", f"Ingredients: {tokens}", *bakers, *cards)) + "."


def top_bar(view: View) -> str:
    """Return the featured item with its tags, the round and the number of featured items left."""
    if view.talks is not None:
        return (
            label(24, 34, heading(view), 22, font_weight=600)
            + label(24, 70, f"{status(view)}.", 28, font_weight=700)
            + label(24, 108, f"{text_talks(view)}.".capitalize(), 20)
        )
    parts = [
        label(24, 34, "Today's special", 20),
        label(24, 68, featured_name(view), 30, font_weight=700, class_="featured"),
        label(WIDTH - 24, 34, heading(view), 22, text_anchor="end", font_weight=600),
        label(WIDTH - 24, 108, f"{pluralize(view.featured_deck.count, 'special')} left", 20, text_anchor="end"),
    ]
    x = 24.0
    for tag in FEATURED[view.featured].tags if view.featured in FEATURED else ():
        drawn, width = pill(x, 84, tag)
        parts.append(drawn)
        x += width + 10
    return "".join(parts)
