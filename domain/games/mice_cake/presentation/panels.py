"""The drawings of mice, stashes and seat panels."""

from collections.abc import Iterator
from typing import Any

from domain.games.mice_cake.presentation.board import column_x, describe_domino
from domain.games.mice_cake.presentation.layout import CELL, FLOOR, HEADER, STASH, WIDTH, Orientation
from domain.games.mice_cake.presentation.pictures import (
    FUR,
    RING,
    biscuit,
    label,
    mouse,
    sleeping_mouse,
)
from domain.games.mice_cake.presentation.text import rest_note, seat_summary, sort_by_pips
from domain.games.mice_cake.rules.model import View
from domain.games.mice_cake.rules.parts import (
    DOUBLE_SIX,
    MICE_PER_SEAT,
    SeatName,
    opponent_of,
)
from domain.kernel.svg import CREAM, element, group, tooltip

POOL_ROW = 34


def lane(view: View, side: Orientation, name: SeatName, y: int) -> Iterator[str]:
    """Draw the mice of a seat at the columns: those it sent, if the viewer may see them, and those resting."""
    sent = view.own_assignment if name == side.viewer else None
    for column in side.columns:
        tired = sum(group.count for group in view.resting.of(name) if group.column == column)
        standing = sent.columns.of(column) if sent else 0
        mice = [mouse(name)] * standing + [sleeping_mouse(name)] * (tired if view.result is None else 0)
        step = min(54, 150 / max(1, len(mice)))
        first = column_x(side, column) + CELL[0] / 2 - step * (len(mice) - 1) / 2
        for n, drawn in enumerate(mice):
            kind = "mouse sent" if n < standing else "mouse resting"
            yield group(first + n * step, y, drawn, class_=kind, data_seat=name, data_column=column)


def seat_panel(view: View, side: Orientation, name: SeatName, top: int, stash_top: int) -> str:
    """Draw a seat's panel: name, totals, mice at home and stash."""
    title = f"{name.capitalize()} (you)" if name == side.viewer else name.capitalize()
    note = ", ".join(filter(None, (seat_summary(view, name), rest_note(view, name))))
    fur, pale, _ = FUR[name]
    return "".join(
        (
            element(
                "rect",
                x=12,
                y=top,
                width=WIDTH - 24,
                height=HEADER + STASH - 8,
                rx=16,
                fill=CREAM,
                stroke=fur,
                stroke_width=3,
            ),
            element("path", d=panel_band(top), fill=pale, opacity=0.75),
            label(38, top + 34, title, 27, font_weight=700),
            label(38, top + 63, note, 21),
            waiting_mice(view, side, name, top + HEADER - 8),
            *stash(view, side, name, stash_top),
        )
    )


def panel_band(top: int) -> str:
    """Return the path of the tinted upper part of a panel."""
    low = top + HEADER - 6
    corner = "a14.5 14.5 0 0 1 14.5"
    return f"M13.5 {low}V{top + 16}{corner}-14.5H{WIDTH - 28}{corner} 14.5V{low}z"


def waiting_mice(view: View, side: Orientation, name: SeatName, y: int) -> str:
    """Draw the ready mice at home, or a tick once they are sent. After the end, draw all mice and the crown."""
    if view.result is not None:
        crowned = crown(WIDTH - 262, y - 26) if view.result.winner == name else ""
        return crowned + mice_at_home(name, MICE_PER_SEAT, y)
    return sent_mark(y) if view.assigned.of(name) else mice_at_home(name, view.ready.of(name), y)


def mice_at_home(name: SeatName, count: int, y: int) -> str:
    """Draw this many mice side by side."""
    return "".join(
        group(WIDTH - 46 - 50 * n, y, mouse(name), class_="mouse ready", data_seat=name) for n in range(count)
    )


def crown(x: int, y: int) -> str:
    """Draw the winner's crown."""
    points = "M-22 14L-26-14l14 12L0-20l12 18 14-12-4 28z"
    return group(x, y, element("path", d=points, fill="#f5c93f", stroke=RING, stroke_width=3, stroke_linejoin="round"))


def sent_mark(y: int) -> str:
    """Draw the tick of a seat that has sent its mice."""
    return group(
        WIDTH - 150,
        y - 50,
        element("rect", width=122, height=38, rx=19, fill="#2f6b3a"),
        element(
            "path",
            d="M18 20l7 7 13-15",
            fill="none",
            stroke="#ffffff",
            stroke_width=4.5,
            stroke_linecap="round",
            stroke_linejoin="round",
        ),
        label(50, 26, "sent", 21, fill="#ffffff", font_weight=700),
        class_="sent-sign",
    )


def stash(view: View, side: Orientation, name: SeatName, y: int) -> Iterator[str]:
    """Draw a seat's dominoes, sorted by pips. The opponent's are marked as possible steal targets."""
    pieces = sort_by_pips(view.stash.of(name))
    width, height, gap = (60, 32, 5) if len(pieces) <= 20 else (44, 22, 4)
    a_row = (WIDTH - 70) // (width + gap)
    if not pieces:
        yield label(38, y + 24, "no pieces yet", 20, font_style="italic")
    target = view.own_assignment.steal_target if view.own_assignment else None
    for n, piece in enumerate(pieces):
        place_x, place_y = 36 + n % a_row * (width + gap), y + n // a_row * (height + gap)
        rings = [ring(width, height, RING)] if piece == DOUBLE_SIX else []  # the last tie-breaker (E3)
        if piece == target and side.viewer == opponent_of(name):
            rings.append(ring(width, height, "#b3261e", class_="wanted"))
        attributes: dict[str, Any] = {"data_target": piece} if side.viewer == opponent_of(name) else {}
        drawn = (tooltip(describe_domino(piece)), biscuit(piece, width, height), *rings)
        yield group(place_x, place_y, *drawn, class_="stash-piece", data_piece=piece, **attributes)


def ring(width: int, height: int, colour: str, **attributes: str) -> str:
    """Draw a ring around a small domino."""
    return element(
        "rect",
        x=-2,
        y=-2,
        width=width + 4,
        height=height + 4,
        rx=8,
        fill="none",
        stroke=colour,
        stroke_width=3.5,
        **attributes,
    )


def pool(view: View) -> str:
    """Draw the face-down dominoes in table order, and a note if the crumb has left the game."""
    if not pool_height(view):
        return ""
    lost = "The crumb (0-0) has left the game." if view.removed else ""
    hidden = "Face down:" if view.unseen else ""
    parts = [label(24, FLOOR + 24, " ".join(filter(None, (lost, hidden))), 20, font_weight=600)]
    for n, piece in enumerate(view.unseen):
        x, y = 24 + n % 14 * 48, FLOOR + 36 + n // 14 * POOL_ROW
        parts.append(
            group(x, y, tooltip(describe_domino(piece)), biscuit(piece, 44, 24), class_="unseen", data_piece=piece)
        )
    return "".join(parts)


def pool_height(view: View) -> int:
    """Return the height of the pool below the table."""
    rows = -(-len(view.unseen) // 14)
    return 36 + rows * POOL_ROW + 6 if rows or view.removed else 0
