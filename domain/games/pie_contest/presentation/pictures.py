"""The pieces of the picture: cards with their pictures, lamps and badges, each as SVG around its own origin."""

from functools import partial

from domain.games.pie_contest.presentation.card_pictures import PICTURES, picture_name
from domain.games.pie_contest.presentation.card_text import card_name, face_text, flavour_text
from domain.games.pie_contest.presentation.narration import format_number
from domain.games.pie_contest.rules.components import FACES, PILE_CARDS, Action
from domain.games.pie_contest.rules.parts import BAKERS
from domain.kernel.drawing.shapes import centred, symbols
from domain.kernel.game import Seat
from domain.kernel.svg import CREAM, INK, SOFT_INK, Number, element, group, label, tooltip
from domain.kernel.text import wrap_words

BAR = "#5a3320"
BAR_INK = "#fff3dc"
GOLD = "#8a5a00"
SEAT_COLOURS = ("#ad1f4b", "#2a5aa3", "#3f6d28", "#8f5600", "#6b3fa0", "#0f6b6b", "#8c3a16", "#4a5568")
"""The colour of each seat, dark enough for white letters."""
SEAT_TINTS = ("#f9dce4", "#dbe7f8", "#e1efd3", "#fbe7bd", "#eadff6", "#d7efee", "#f8dfd3", "#e4e7ec")
LETTERS = tuple(baker[0] for baker in BAKERS)
BANDS = {
    "salt": "#5f7286",
    "fruit": "#b3283f",
    "cream": "#8a6d00",
    "sweet": "#a83a7c",
    "nut": "#7a4f2b",
    "spice": "#b4480f",
    "savory": "#3f6f2f",
    "crust": "#8f6220",
    "action": "#2f5d87",
}
"""The colours of flavours and of Actions, dark enough for white letters."""
TINTS = {
    "salt": "#eef2f6",
    "fruit": "#fde3e4",
    "cream": "#fff6d6",
    "sweet": "#fbe3f1",
    "nut": "#f1e2d2",
    "spice": "#fde6d4",
    "savory": "#e4f0dc",
    "crust": "#f7e8c8",
    "action": "#e1ecf6",
}
UNKNOWN_FLAVOUR = "crust"
ICON_SIZE = 36
"""The width of a card's picture at scale 1."""

words = partial(label, fill=INK)


def flavour_of(card: int) -> str:
    """Return the flavour of an Ingredient, or `action` for an Action."""
    face = FACES[card]
    return "action" if isinstance(face, Action) else face.flavour


def band(card: int) -> str:
    """Return the colour of a card."""
    return BANDS.get(flavour_of(card), BANDS[UNKNOWN_FLAVOUR])


def tint(card: int) -> str:
    """Return the background colour of a card."""
    return TINTS.get(flavour_of(card), TINTS[UNKNOWN_FLAVOUR])


def icon(card: int, x: Number, y: Number, scale: Number = 1) -> str:
    """Draw the picture of a card, centred on a point."""
    return group(x, y, centred(PICTURES[picture_name(card)], ICON_SIZE), scale=scale)


def badge(seat: Seat, x: Number, y: Number, radius: Number = 15) -> str:
    """Draw a seat's letter on its colour."""
    return element("circle", cx=x, cy=y, r=radius, fill=SEAT_COLOURS[seat]) + label(
        x, y + radius * 0.38, LETTERS[seat], round(radius * 1.15), fill="#fff", text_anchor="middle", font_weight=700
    )


def lamp(count: int, x: Number, y: Number) -> str:
    """Draw the Salt lamp of a Kitchen with its number of Salts: grey for none, green for one, red for more."""
    colour = ("#6b7280", "#2f6b2a")[count] if count < 2 else "#a61b1b"
    description = ("No Salt", "One Salt, as a Pie needs")[count] if count < 2 else f"{count} Salts, too many to Bake"
    return element(
        "g",
        tooltip(description),
        element("circle", cx=x, cy=y, r=13, fill=colour, stroke=CREAM, stroke_width=2),
        label(x, y + 6, str(count), 18, fill="#fff", text_anchor="middle", font_weight=700),
    )


def wrap_text(text: str, width: int, most: int) -> list[str]:
    """Return the words in at most `most` lines of about `width` characters; a longer text ends in an ellipsis."""
    lines = wrap_words(text, width)
    if len(lines) > most:
        lines = [*lines[: most - 1], f"{lines[most - 1][: width - 2]} …"]
    return lines


def small_card(card: int, worth: int, width: Number, height: Number) -> str:
    """Draw an Ingredient in a Kitchen: flavour, shown worth and name."""
    lines = wrap_text(card_name(card), 10, 2)
    first, size = height - 8 - 18 * (len(lines) - 1), 16 if max(map(len, lines)) < 10 else 14
    star = words(width - 16, height - 30, "★", 16, fill=GOLD) if card in PILE_CARDS and len(lines) == 1 else ""
    return "".join(
        (
            element("rect", width=width, height=height, rx=9, fill=tint(card), stroke=band(card), stroke_width=3),
            icon(card, 27, 28, 1.35),
            label(width - 12, 32, format_number(worth), 27, fill=band(card), text_anchor="end", font_weight=700),
            star,
            *(words(width / 2, first + 18 * n, line, size, text_anchor="middle") for n, line in enumerate(lines)),
        )
    )


def hand_card(card: int, width: Number, height: Number, *, dim: bool = False) -> str:
    """Draw a card in the hand: name, flavour, printed worth and text."""
    face = FACES[card]
    kind = "Action" if isinstance(face, Action) else flavour_text(face)
    worth = "" if isinstance(face, Action) else format_number(face.worth)
    text = face_text(card)
    size, per_line = (17, 15) if len(text) < 46 else (15, 18)
    lines = wrap_text(text, per_line, 6)
    title = card_name(card) + (" ★" if card in PILE_CARDS else "")
    return element(
        "g",
        element("rect", width=width, height=height, rx=10, fill=tint(card), stroke=band(card), stroke_width=3),
        element("path", d=f"M0 32V10A10 10 0 0 1 10 0H{width - 10}a10 10 0 0 1 10 10V32z", fill=band(card)),
        label(8, 22, title, title_size(title), fill="#fff", font_weight=700),
        label(width - 8, 25, worth, 24, fill="#fff", text_anchor="end", font_weight=700) if worth else "",
        icon(card, 20, 52, 0.9),
        words(38, 58, kind, 16 if len(kind) < 15 else 14, fill=SOFT_INK),
        *(words(9, 84 + n * (size + 2), line, size) for n, line in enumerate(lines)),
        opacity=0.55 if dim else 1,
    )


def title_size(title: str) -> int:
    """Return the font size at which a name fits next to a worth."""
    return 19 if len(title) < 11 else 16 if len(title) < 13 else 14 if len(title) < 15 else 12


def card_back(width: Number, height: Number, colour: str) -> str:
    """Draw the back of a card."""
    pie = (
        '<path d="M-20 0h40l-7 14h-26z" fill="#e8b46a" stroke="#fff3dc" stroke-width="2"/>'
        '<path d="M-20 0q5-9 10 0q5-9 10 0q5-9 10 0q5-9 10 0" fill="#f5d8a2" stroke="#fff3dc" stroke-width="2"/>'
        '<path d="M-9-12q-4-4 0-8M0-12q-4-4 0-8M9-12q-4-4 0-8" fill="none" stroke="#fff3dc" stroke-width="2.4" '
        'stroke-linecap="round"/>'
    )
    return element("rect", width=width, height=height, rx=10, fill=colour, stroke=CREAM, stroke_width=3) + group(
        width / 2, height * 0.34, pie, scale=0.9
    )


def sprite() -> str:
    """Return the pictures of all cards as SVG symbols, for pages."""
    return symbols(PICTURES)
