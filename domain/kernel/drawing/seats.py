"""The symbol and the pattern of each of the eight seats, so that colour is never their only mark."""

from domain.kernel.drawing.materials import SEAT_FILLS, SEAT_INKS
from domain.kernel.drawing.shapes import PEN, line
from domain.kernel.svg import element

SYMBOLS = (
    "M4 12a8 8 0 1 1 16 0a8 8 0 1 1-16 0z",
    "M6 4.5h12q1.5 0 1.5 1.5v12q0 1.5-1.5 1.5H6q-1.5 0-1.5-1.5V6q0-1.5 1.5-1.5z",
    "M12 3.5l9.5 16.5h-19z",
    "M12 2.5l9.5 9.5-9.5 9.5L2.5 12z",
    "M12 2l3 6.7 7.2.8-5.4 4.9 1.5 7.2L12 18l-6.3 3.6 1.5-7.2L1.8 9.5 9 8.7z",
    "M9 3h6v6h6v6h-6v6H9v-6H3V9h6z",
    "M12 21Q1.5 13.5 2.5 8q1-4.5 5-4.5 3 0 4.5 3 1.5-3 4.5-3 4 0 5 4.5 1 5.5-9.5 13z",
    "M15 2.5a9.7 9.7 0 1 0 0 19a11 11 0 0 1 0-19z",
)
"""Circle, square, triangle, diamond, star, cross, heart and crescent, on a grid of 24."""
PATTERNS = (
    "",
    "M3 0v24M9 0v24M15 0v24M21 0v24",
    "M-2 8L8-2M-2 16L16-2M-2 24L24-2M2 28L28 2M10 28l18-18M18 28l10-10",
    "M3 3h.01M9 9h.01M9 3h.01M3 9h.01M15 3h.01M21 9h.01M21 3h.01M15 9h.01"
    "M3 15h.01M9 21h.01M9 15h.01M3 21h.01M15 15h.01M21 21h.01M21 15h.01M15 21h.01",
    "M0 0h6v6H0zM12 0h6v6h-6zM6 6h6v6H6zM18 6h6v6h-6zM0 12h6v6H0zM12 12h6v6h-6zM6 18h6v6H6zM18 18h6v6h-6z",
    "M0 3h24M0 9h24M0 15h24M0 21h24",
    "M6 2.5a3.5 3.5 0 1 0 .01 0zM18 2.5a3.5 3.5 0 1 0 .01 0zM6 14.5a3.5 3.5 0 1 0 .01 0zM18 14.5a3.5 3.5 0 1 0 .01 0z",
    "M0 8L8 0M0 16L16 0M0 24L24 0M8 24L24 8M16 24l8-8M16 0l8 8M8 0l16 16M0 0l24 24M0 8l16 16M0 16l8 8",
)
"""Plain, vertical, diagonal, dots, check, horizontal, rings and crosshatch, on a grid of 24."""
CHECK, DOTS = 4, 3


def seat_symbols() -> str:
    """Return the symbols `seat-1` to `seat-8`, in the colour of the text, and patches `pattern-1` to `pattern-8`."""
    marks = (
        element("symbol", element("path", d=path, fill="currentColor"), id=f"seat-{n}", viewBox="0 0 24 24")
        for n, path in enumerate(SYMBOLS, 1)
    )
    return "".join((*marks, *map(_patch, range(len(PATTERNS)))))


def _patch(seat: int) -> str:
    """Return a patch of a seat's pattern on its colour."""
    ground = element("rect", width=24, height=24, fill=SEAT_FILLS[seat])
    marks = _marks(seat) if PATTERNS[seat] else ""
    return element("symbol", ground, marks, id=f"pattern-{seat + 1}", viewBox="0 0 24 24", **PEN)


def _marks(seat: int) -> str:
    path = PATTERNS[seat]
    if seat == CHECK:
        return element("path", d=path, fill=SEAT_INKS[seat], opacity=0.4)
    if seat == DOTS:
        return line(path, SEAT_INKS[seat], 3.4, 0.5)
    return element("path", d=path, fill="none", stroke=SEAT_INKS[seat], stroke_width=1.8, opacity=0.5)
