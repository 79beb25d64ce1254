"""Small pictures for the form, the rules page and the lobby, drawn with the parts of the board."""

from domain.games.mice_cake.presentation.pictures import biscuit, iced_slice, mouse, sleeping_mouse, slice_of_cake
from domain.games.mice_cake.rules.parts import SEATS, Piece, SeatName
from domain.kernel.svg import decoration, element, group

BISCUIT = (76, 38)


def picture(what: str, which: str = "") -> str:
    """Return a picture by name: `piece 3-4`, `icing`, `mouse yellow` (needs `sprite`), `sleeper blue`."""
    width, height = BISCUIT
    match what:
        case "piece":
            piece: Piece = which  # type: ignore[assignment]
            return decoration(width + 2, height + 2, group(1, 1, biscuit(piece, width, height)), class_="biscuit")
        case "icing":
            return decoration(146, 72, group(1, 1, iced_slice()), class_="biscuit")
        case "mouse":
            return decoration(46, 66, element("use", href=f"#mouse-{which}"), class_="mouse-picture")
        case "sleeper":
            name: SeatName = "yellow" if which == "yellow" else "blue"
            return decoration(66, 52, group(30, 48, sleeping_mouse(name)), class_="mouse-picture")
    raise ValueError(f"unknown picture: {what}")


def sprite() -> str:
    """Return the mice used by `mouse` pictures. Pages with such pictures must contain this once."""
    mice = (element("symbol", group(23, 64, mouse(name)), id=f"mouse-{name}", viewBox="0 0 46 66") for name in SEATS)
    return decoration(0, 0, *mice, class_="sprite")


def cover() -> str:
    """Return the cover for the lobby: two mice and a cake."""
    return decoration(
        420,
        190,
        element("ellipse", cx=210, cy=172, rx=200, ry=14, fill="#000", opacity=0.08),
        element("ellipse", cx=210, cy=164, rx=150, ry=16, fill="#fffdf8", stroke="#dcc9a6", stroke_width=2),
        group(64, 92, slice_of_cake("3-5")),
        group(210, 92, slice_of_cake("1-4")),
        group(138, 30, iced_slice()),
        element("g", mouse("yellow"), transform="translate(40 170) scale(1.25)"),
        element("g", mouse("blue"), transform="translate(382 170) scale(1.25)"),
        class_="cover",
    )
