"""Drawings of the piles, the Trash and the face-up Achievements."""

from collections.abc import Iterator

from domain.games.pie_contest.presentation.card_text import card_name, condition_text, reward_text
from domain.games.pie_contest.presentation.layout import INNER, ROW
from domain.games.pie_contest.presentation.pictures import (
    GOLD,
    badge,
    card_back,
    words,
    wrap_text,
)
from domain.games.pie_contest.presentation.text import achievement_progress
from domain.games.pie_contest.rules.model import View
from domain.games.pie_contest.rules.parts import ROW_SIZE
from domain.kernel.game import Seat
from domain.kernel.svg import CREAM, CRUST, GLOW, SOFT_INK, Number, element, group, label, tooltip
from domain.kernel.text import pluralize


def glow(width: Number, height: Number, rx: Number = 11) -> str:
    """Draw a frame around something that can be chosen."""
    return element(
        "rect", x=-2, y=-2, width=width + 4, height=height + 4, rx=rx, fill="none", stroke=GLOW, stroke_width=5
    )


def stacks(view: View) -> str:
    """Draw Pantry, Trash and Achievement pile."""
    arrow = element("path", d="M0-18v44m-9-12l9 13l9-13", fill="none", stroke=SOFT_INK, stroke_width=4,
                    stroke_linecap="round")  # fmt: skip
    way = words(26, 4, "turns go right,", 16, fill=SOFT_INK) + words(26, 24, "down this page", 16, fill=SOFT_INK)
    return "".join(
        (
            group(0, 6, stack("Pantry", view.pantry_count, "#9a4a2b")),
            group(124, 6, trash(view)),
            group(INNER - 118, 6, stack("Achievements", view.pile_count, "#5a6b2c")),
            group(408, 52, tooltip("Turns go to the right, which is down on this page."), arrow,
                  way),
        )
    )  # fmt: skip


def stack(what: str, count: int, colour: str) -> str:
    """Draw a face-down pile with its count."""
    return "".join(
        (
            tooltip(f"{what}: {pluralize(count, 'card')}, face down"),
            card_back(114, 108, colour),
            label(57, 76, str(count), 28, fill="#fff", text_anchor="middle", font_weight=700),
            label(57, 98, what, 16 if len(what) < 10 else 14, fill="#fff", text_anchor="middle"),
        )
    )


def trash(view: View) -> str:
    """Draw the Trash with its count and its newest cards."""
    count = f"Trash, {pluralize(len(view.trash), 'card')}"
    if not view.trash:
        frame = element(
            "rect", width=260, height=108, rx=10, fill="none", stroke=CRUST, stroke_width=3, stroke_dasharray="8 8"
        )
        return frame + words(130, 60, "Trash: empty", 18, fill=SOFT_INK, text_anchor="middle")
    newest = [card_name(card) for card in reversed(view.trash[-3:])]
    lines = [f"{n + 1}. {title}" for n, title in enumerate(newest)]
    return element(
        "g",
        tooltip(f"{count}, all face up. Newest: {', '.join(newest)}."),
        element("rect", width=260, height=108, rx=10, fill="#e9e2d6", stroke="#6d5a48", stroke_width=3),
        words(12, 24, count, 18, font_weight=700),
        *(words(12, 50 + n * 22, line, 18) for n, line in enumerate(lines)),
        data_zone="trash",
        class_="trash",
    )


def row(view: View, highlighted: frozenset[str]) -> str:
    """Draw the row of face-up Achievements."""
    width = (INNER - 16) / ROW_SIZE
    return "".join(group(n * (width + 8), 4, slot_picture(view, n, width, highlighted)) for n in range(ROW_SIZE))


def slot_picture(view: View, slot: int, width: float, highlighted: frozenset[str]) -> str:
    """Draw an Achievement: condition, reward and everyone's progress."""
    card, height = view.row[slot].card, ROW - 16
    frame: dict[str, Number | str] = {"width": f"{width:g}", "height": height, "rx": 12}
    if card is None:
        return element("rect", **frame, fill="none", stroke=CRUST, stroke_width=3, stroke_dasharray="8 8")
    asks, gives = wrap_text(condition_text(card), 20, 3), wrap_text(f"> {reward_text(card)}", 22, 5)
    size = 17 if len(gives) + len(asks) < 6 else 15
    locked = "Completed this turn, so it can't be completed again until the next turn. " if card in view.locked else ""
    found = list(achievement_progress(view, slot))
    return element(
        "g",
        tooltip(f"{card_name(card)}: {condition_text(card)} > {reward_text(card)}. {locked}"),
        element("rect", **frame, fill=CREAM, stroke="#a8862a", stroke_width=3),
        element("path", d=f"M0 32V12A12 12 0 0 1 12 0H{width - 12:g}a12 12 0 0 1 12 12V32z", fill=GOLD),
        label(10, 23, card_name(card), 19 if len(card_name(card)) < 19 else 16, fill="#fff", font_weight=700),
        *(words(10, 54 + n * 19, line, 17, font_weight=700) for n, line in enumerate(asks)),
        *(words(10, 60 + 19 * len(asks) + n * (size + 2), line, size) for n, line in enumerate(gives)),
        *progress_marks(found, height - 14),
        glow(width, height) if f"card:{card}" in highlighted else "",
        data_zone="row",
        data_card=card,
        class_="card",
    )


def progress_marks(found: list[tuple[Seat, int, int]], y: Number) -> Iterator[str]:
    """Draw each seat's letter and count, in bold once it is enough."""
    top = y - 24 * ((len(found) - 1) // 4)
    for n, (seat, has, needs) in enumerate(found):
        x, line = 18 + n % 4 * 52, top + n // 4 * 24
        yield badge(seat, x, line - 5, 10)
        yield words(x + 13, line, str(has), 16, font_weight=700 if has >= needs else 400)
