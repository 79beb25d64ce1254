"""The pieces of the picture: flavour icons, cards, lamps and badges, each as SVG around its own origin."""

from functools import partial

from domain.games.pie_contest.presentation.card_text import card_name, face_text, flavour_text
from domain.games.pie_contest.presentation.narration import format_number
from domain.games.pie_contest.rules.components import FACES, PILE_CARDS, Action
from domain.games.pie_contest.rules.parts import BAKERS
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
ICONS = {
    "salt": '<path d="M-7 12L-9-3H9L7 12z" fill="#fff" stroke="#41525f" stroke-width="2"/><path d="M-9-3q9-13 18 0z" '
    'fill="#9fb2c2" stroke="#41525f" stroke-width="2"/><path d="M-3-7v1M3-7v1M0-9v1" stroke="#41525f" '
    'stroke-width="2.4" stroke-linecap="round"/>',
    "fruit": '<path d="M-5 3Q-3-8 7-12M5 4Q6-6 7-12" fill="none" stroke="#4c6b2c" stroke-width="2"/>'
    '<circle cx="-6" cy="7" r="6" fill="#cf2f45" stroke="#7c1526" stroke-width="2"/>'
    '<circle cx="6" cy="8" r="6" fill="#e04a58" stroke="#7c1526" stroke-width="2"/>',
    "cream": '<path d="M-11 12q-4-8 4-10q-5-6 3-9q1-6 6-7q-1 4 2 6q6 2 3 9q8 2 4 11z" fill="#fffdf2" '
    'stroke="#8a6d00" stroke-width="2"/>',
    "sweet": '<rect x="-9" y="-8" width="18" height="18" rx="3" fill="#f7a8d3" stroke="#7a2158" stroke-width="2"/>'
    '<path d="M-9-2h18M-3-8v18M4-8v18" stroke="#7a2158" stroke-width="1.5"/>',
    "nut": '<path d="M-9-2q0 13 9 15q9-2 9-15z" fill="#c58a4c" stroke="#5e3716" stroke-width="2"/>'
    '<path d="M-11-2q0-10 11-10t11 10z" fill="#8f5b2a" stroke="#5e3716" stroke-width="2"/>',
    "spice": '<path d="M0-13l3 9l9-3l-7 7l7 7l-9-2l-3 9l-3-9l-9 2l7-7l-7-7l9 3z" fill="#e07b35" stroke="#7d3206" '
    'stroke-width="1.8" stroke-linejoin="round"/>',
    "savory": '<path d="M-12 0q2-12 12-12t12 12z" fill="#b06a48" stroke="#5c2e17" stroke-width="2"/>'
    '<path d="M-4 0h8l2 12h-12z" fill="#f3e3cd" stroke="#5c2e17" stroke-width="2"/>',
    "crust": '<path d="M-13 0h26l-5 11H-8z" fill="#d99f52" stroke="#6d430f" stroke-width="2"/>'
    '<path d="M-13 0q3-5 6 0q3-5 6 0q3-5 6 0q3-5 8 0" fill="#f0cd92" stroke="#6d430f" stroke-width="2"/>',
    "action": '<path d="M2-13L-9 3h7l-3 11L9-4H2z" fill="#ffd35c" stroke="#20435f" stroke-width="2" '
    'stroke-linejoin="round"/>',
}
"""The icons of flavours and of Actions, each about 26 units wide and high."""

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
    """Draw the icon of a card's flavour."""
    return group(x, y, ICONS.get(flavour_of(card), ICONS[UNKNOWN_FLAVOUR]), scale=scale)


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
            icon(card, 22, 24, 1.05),
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
