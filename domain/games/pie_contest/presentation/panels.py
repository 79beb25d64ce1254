"""Drawings of the seats and of the viewer's own cards."""

from collections.abc import Iterator

from domain.games.pie_contest.presentation.board import glow
from domain.games.pie_contest.presentation.card_text import card_name, face_text
from domain.games.pie_contest.presentation.hints import kitchen_status, play_hint
from domain.games.pie_contest.presentation.layout import INNER
from domain.games.pie_contest.presentation.narration import (
    baker_name,
    card_names,
    format_number,
)
from domain.games.pie_contest.presentation.pictures import (
    SEAT_COLOURS,
    SEAT_TINTS,
    badge,
    hand_card,
    lamp,
    small_card,
    words,
)
from domain.games.pie_contest.presentation.text import seat_summary, visible_hand
from domain.games.pie_contest.rules.card_language import KITCHEN_SIZE
from domain.games.pie_contest.rules.components import ACTIONS
from domain.games.pie_contest.rules.model import Pie, SeenBaker, View
from domain.games.pie_contest.rules.parts import Cards, visible_cards
from domain.games.pie_contest.rules.pie_values import count_salts
from domain.kernel.game import Seat
from domain.kernel.svg import CRUST, PAPER, SOFT_INK, element, group, tooltip
from domain.kernel.text import pluralize

MIN_SEAT_HEIGHT = 158
PIE_ROW = 26
PIES_SHOWN = 4
"""The number of Pies that fit next to a Kitchen."""
SLOT = (100, 100)
CARD = (168, 176)
PER_ROW = 4


# -- seats ----------------------------------------------------------------------------------------------------------


def seat_height(seen: SeenBaker) -> int:
    """Return the height of a seat, which grows with its Pies."""
    return MIN_SEAT_HEIGHT + PIE_ROW * max(0, len(seen.pies) - PIES_SHOWN)


def seat_panel(view: View, seat: Seat, viewer: Seat | None, highlighted: frozenset[str]) -> str:
    """Draw a seat: name, hand size, Salt lamp, worth, Kitchen and Pies."""
    seen, height = view.seats[seat], seat_height(view.seats[seat]) - 8
    owes = seat in view.to_move
    frame = element("rect", width=INNER, height=height, rx=14, fill=SEAT_TINTS[seat], stroke=SEAT_COLOURS[seat],
                    stroke_width=6 if owes else 2)  # fmt: skip
    kitchen = [group(8 + n * (SLOT[0] + 5), 42, place(seen, n, highlighted)) for n in range(KITCHEN_SIZE)]
    return element(
        "g",
        tooltip(f"{baker_name(seat)}: {seat_summary(seen)}"),
        frame,
        badge(seat, 24, 21, 14),
        words(46, 28, f"{baker_name(seat)}{' (you)' if seat == viewer else ''}", 21, font_weight=700),
        seat_line(view, seat),
        *kitchen,
        group(8 + KITCHEN_SIZE * (SLOT[0] + 5) + 2, 42, pies(seen, seat, highlighted)),
        glow(INNER, height, 14) if f"seat:{seat}" in highlighted else "",
        data_seat=seat,
        class_="seat",
    )


def seat_line(view: View, seat: Seat) -> str:
    """Draw the hand size, Salt lamp, worth and what the Kitchen still needs in a seat's heading."""
    seen = view.seats[seat]
    if seen.out:
        return words(INNER - 12, 28, "resigned", 18, text_anchor="end", fill=SOFT_INK)
    known = f" ({card_names(seen.turned_in_hand)})" if seen.turned_in_hand and visible_hand(seen) is None else ""
    in_hand = f"{seen.hand_count} in hand{known}"
    lines = [f"worth {format_number(seen.worth)}"] if seen.kitchen else []
    lines.append(kitchen_status(seen.kitchen))
    picked = "  ✓ chosen" if any(commit.seat == seat for commit in view.commits) else ""
    return "".join(
        (
            words(178, 27, f"{in_hand}{picked}", 17 if len(in_hand) < 26 else 14, fill=SOFT_INK),
            lamp(count_salts(seen.kitchen), 424, 21),
            *(words(INNER - 12, 18 + 18 * n, line, 15, text_anchor="end") for n, line in enumerate(lines)),
        )
    )


def place(seen: SeenBaker, n: int, highlighted: frozenset[str]) -> str:
    """Draw a place in a Kitchen: an Ingredient with its shown worth, or an empty place."""
    width, height = SLOT
    if n >= len(seen.kitchen):
        return element("rect", width=width, height=height, rx=9, fill="none", stroke=CRUST, stroke_width=2,
                       stroke_dasharray="6 7")  # fmt: skip
    card, worth = seen.kitchen[n], seen.worths[n]
    return element(
        "g",
        tooltip(f"{card_name(card)}, worth {format_number(worth)} here. {face_text(card)}."),
        small_card(card, worth, width, height),
        glow(width, height) if f"card:{card}" in highlighted else "",
        data_zone="kitchen",
        data_card=card,
        class_="card",
    )


def pies(seen: SeenBaker, seat: Seat, highlighted: frozenset[str]) -> str:
    """Draw the Pies with earlier values struck out and the current one in bold."""
    if not seen.pies:
        return words(4, 56, "No Pie yet", 17, fill=SOFT_INK)
    return "".join(group(0, n * PIE_ROW, pie_row(pie, seat, n + 1, highlighted)) for n, pie in enumerate(seen.pies))


def pie_row(pie: Pie, seat: Seat, n: int, highlighted: frozenset[str]) -> str:
    """Draw a Pie: its number, its last values and its current value."""
    key = f"{seat}.{n}"
    now = format_number(pie.value)
    struck, x = [], 128 - 13 * len(now)
    for value in map(format_number, reversed(pie.values[:-1])):  # latest first, as many as fit
        if x - 10 * len(value) < 28:
            break
        struck.append(words(x, 18, value, 15, fill=SOFT_INK, text_decoration="line-through", text_anchor="end"))
        x -= 10 + 10 * len(value)
    made_of = f" ({card_names(pie.cards)})" if pie.cards else ""
    return element(
        "g",
        tooltip(f"{baker_name(seat)}'s Pie {n}{made_of}: {', then '.join(map(format_number, pie.values))}"),
        element("rect", width=148, height=PIE_ROW - 3, rx=6, fill=PAPER, stroke=CRUST, stroke_width=1.5),
        words(6, 18, f"{n}.", 15, fill=SOFT_INK),
        *struck,
        words(142, 19, now, 20, text_anchor="end", font_weight=700),
        glow(148, PIE_ROW - 3, 7) if f"pie:{key}" in highlighted else "",
        data_pie=key,
        class_="pie",
    )


# -- the viewer's own cards -----------------------------------------------------------------------------------------


def visible_card_groups(view: View, viewer: Seat | None) -> Iterator[tuple[str, str, Cards]]:
    """Yield the cards looked at and the viewer's hand: (heading, zone, cards)."""
    if viewer is None or viewer >= len(view.seats):
        return
    if aside := visible_cards(view.aside):
        yield "Cards from the top of the Pantry", "aside", aside
    hand = visible_hand(view.seats[viewer])
    if hand is not None and not view.seats[viewer].out:
        in_order = tuple(sorted(hand, key=lambda card: (card in ACTIONS, card)))
        yield f"Your hand, {pluralize(len(hand), 'card')}" if hand else "Your hand is empty", "hand", in_order


def cards_height(held: Cards) -> int:
    """Return the height of cards in rows of four, with their heading."""
    return 42 + -(-len(held) // PER_ROW) * (CARD[1] + 8)


def cards_section(
    view: View, viewer: Seat | None, head: str, zone: str, held: Cards, highlighted: frozenset[str]
) -> str:
    """Draw a heading with full cards under it."""
    width, height = CARD[0] + 6, CARD[1] + 8
    places = (
        group(n % PER_ROW * width, 36 + n // PER_ROW * height, full_card(view, viewer, zone, card, highlighted))
        for n, card in enumerate(held)
    )
    return words(4, 24, head, 22, font_weight=700) + "".join(places)


def full_card(view: View, viewer: Seat | None, zone: str, card: int, highlighted: frozenset[str]) -> str:
    """Draw a full card with a tooltip. In the hand this says what playing it does, and unplayable cards are dimmed."""
    mine = viewer is not None and zone == "hand"
    description = play_hint(view, viewer, card) if viewer is not None and mine else f"{face_text(card)}."
    no_room = viewer is not None and len(view.seats[viewer].kitchen) == KITCHEN_SIZE and card not in ACTIONS
    return element(
        "g",
        tooltip(f"{card_name(card)}. {description}"),
        hand_card(card, *CARD, dim=mine and no_room and view.phase == "main" and viewer == view.active),
        glow(*CARD) if f"card:{card}" in highlighted else "",
        data_zone=zone,
        data_card=card,
        class_="card",
    )
