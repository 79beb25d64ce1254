"""The pictures of the table as the symbols of one sprite: slices, biscuits, napkins and icons.

Colours are those of the design tokens. Pieces keep them in the dark theme. Outlines don't grow with the picture.
"""

from domain.games.mice_cake.presentation.animals import mouse_symbols
from domain.games.mice_cake.presentation.pictures import SPOTS, TASTES
from domain.games.mice_cake.rules.components import DOMINOES
from domain.games.mice_cake.rules.parts import PIECES, Piece
from domain.kernel.svg import Number, element

OUTLINE = "#3b2316"
NIGHT = "#4a2c1c"
CREAM = "#fff6e3"
CRUMB, CRUMB_DARK = "#b97a43", "#7f4c22"
CHOC_DARK = "#432414"
ICING, ICING_DARK = "#fbd9dc", "#dc9aa5"
LIGHTS = ("#fdf0d2", "#fff3ac", "#fbd37c", "#f8b886", "#e0bd9a", "#f5b4bb", "#97654c")
FLAVOURS = ("#f4dcae", "#f7df62", "#efaf38", "#ec8747", "#c6976d", "#e27d8a", "#70432f")
DARKS = ("#d6b47a", "#d0ac24", "#bd7c12", "#b95a22", "#946440", "#b04f5f", "#45251a")
SPRINKLES = ("#174a9c", "#b81c22", "#2fa07a", "#f6b21f", "#6a4a80", "#174a9c", "#b81c22")
NAPKINS = {"honey": ("#fdf0c4", "#7a5200"), "blueberry": ("#e1ecf9", "#1f4a8f")}
"""The cloth and the seam of each family's napkin."""

WIDTH, HEIGHT, CORNER = 152, 66, 14
"""The size of a slice. The page stretches it a little to the size of a place."""
TOP = 46
"""How far down the icing of a slice reaches, without its drips."""

assert len(TASTES) == len(FLAVOURS), "each flavour needs a colour"


def sprite() -> str:
    """Return all pictures of the table as SVG symbols."""
    return "".join(
        (
            *(symbol(f"slice-{piece}", (-3, -3, 160, 78), slice_of_cake(piece), stretched=True) for piece in PIECES),
            symbol("slice-iced", (-3, -3, 160, 78), iced_slice(), stretched=True),
            *(symbol(f"biscuit-{piece}", (-1, -1, 37, 22), biscuit(piece)) for piece in PIECES),
            *(symbol(f"napkin-{name}", (0, 0, 300, 32), napkin(*NAPKINS[name]), stretched=True) for name in NAPKINS),
            *mouse_symbols(),
            *icons(),
        )
    )


def symbol(name: str, box: tuple[Number, Number, Number, Number], drawn: str, *, stretched: bool = False) -> str:
    """Return a symbol. A stretched one fills its element and doesn't keep its proportions."""
    ratio: dict[str, Number | str] = {"preserveAspectRatio": "none"} if stretched else {}
    return element("symbol", drawn, id=name, viewBox=" ".join(map(str, box)), **ratio)


def outline(path: str, width: Number = 1.5) -> str:
    """Draw the outline of a piece. Its width is in pixels of the page."""
    return element("path", d=path, fill="none", stroke=OUTLINE, stroke_width=width, stroke_linejoin="round", **FIXED)


FIXED: dict[str, Number | str] = {"vector_effect": "non-scaling-stroke"}


# -- slices ---------------------------------------------------------------------------------------------------------


def slice_of_cake(piece: Piece) -> str:
    """Draw a face-up slice: two halves with their flavours and pips, seen slightly from above."""
    low, high = DOMINOES[piece].low, DOMINOES[piece].high
    half = WIDTH / 2
    left = f"M{CORNER} 0H{half}V{TOP}{drips(half, 3)}V{CORNER}Q0 0 {CORNER} 0z"
    right = f"M{half} 0H{WIDTH - CORNER}Q{WIDTH} 0 {WIDTH} {CORNER}V{TOP}{drips(half, 3)}z"
    return "".join(
        (
            sponge(),
            *(
                element("path", d=path, transform="translate(0 4)", fill=DARKS[pips])
                for path, pips in ((left, low), (right, high))
            ),
            *(element("path", d=path, fill=FLAVOURS[pips]) for path, pips in ((left, low), (right, high))),
            shine(f"M15 8H{half - 9}", LIGHTS[low]),
            shine(f"M{half + 8} 8H{WIDTH - 15}", LIGHTS[high]),
            element("path", d=f"M{half} 5V{TOP + 1}", stroke=CREAM, stroke_width=4.4),
            spots(low, half / 2 - 1, TOP / 2 + 2),
            spots(high, half * 1.5 + 1, TOP / 2 + 2),
            outline(rounded(WIDTH, HEIGHT, CORNER)),
        )
    )


def iced_slice() -> str:
    """Draw a face-down slice. All of them look the same, sprinkles included."""
    path = f"M{CORNER} 0H{WIDTH - CORNER}Q{WIDTH} 0 {WIDTH} {CORNER}V{TOP}{drips(WIDTH, 7)}V{CORNER}Q0 0 {CORNER} 0z"
    places = ((18, 18, 20), (38, 29, -40), (56, 16, 60), (76, 28, 10), (94, 17, -30), (114, 29, 45), (132, 17, -60))
    return "".join(
        (
            sponge(),
            element("path", d=path, transform="translate(0 4)", fill=ICING_DARK),
            element("path", d=path, fill=ICING),
            shine(f"M18 9H{WIDTH - 18}", "#ffffff"),
            *(
                element(
                    "rect",
                    x=-8,
                    y=-2.6,
                    width=16,
                    height=5.2,
                    rx=2.6,
                    transform=f"translate({x} {y}) rotate({turn})",
                    fill=colour,
                )
                for (x, y, turn), colour in zip(places, SPRINKLES, strict=True)
            ),
            outline(rounded(WIDTH, HEIGHT, CORNER)),
        )
    )


def sponge() -> str:
    """Draw the shadow of a slice and the layers below its icing."""
    side = f"M{WIDTH - CORNER} {HEIGHT}H{CORNER}Q0 {HEIGHT} 0 52V47Q0 55 14 55H{WIDTH - 14}Q{WIDTH} 55 {WIDTH} 47V52"
    return "".join(
        (
            element("rect", x=3, y=7, width=WIDTH, height=HEIGHT, rx=CORNER, fill=NIGHT, opacity=0.22),
            element("rect", y=20, width=WIDTH, height=HEIGHT - 20, rx=CORNER, fill=CRUMB),
            element("path", d=f"{side}Q{WIDTH} {HEIGHT} {WIDTH - CORNER} {HEIGHT}z", fill=CRUMB_DARK),
            element("rect", x=2, y=55, width=WIDTH - 4, height=4, fill=CREAM),
        )
    )


def drips(width: Number, count: int) -> str:
    """Return the lower edge of the icing from right to left: long and short drips in turn."""
    step = width / count
    return "".join(f"q{-step / 2:.4g} {3 if n % 2 else 9} {-step:.4g} 0" for n in range(count))


def shine(path: str, colour: str) -> str:
    """Draw the light on the upper edge of the icing."""
    return element("path", d=path, stroke=colour, stroke_width=6, stroke_linecap="round", fill="none")


def spots(number: int, x: Number, y: Number, spacing: tuple[Number, Number, Number] = (20.6, 12.4, 5.2)) -> str:
    """Draw the pips of a half around its middle: across, down and radius are given by `spacing`."""
    across, down, radius = spacing
    drawn = []
    for dx, dy in SPOTS[number]:
        at = {"cx": f"{x + dx * across:.4g}", "cy": f"{y + dy * down:.4g}"}
        drawn.append(element("circle", **at, r=radius, fill=CREAM if number == 6 else CHOC_DARK))
        if number != 6:
            lit = {"cx": f"{x + dx * across - radius / 3:.4g}", "cy": f"{y + dy * down - radius / 3:.4g}"}
            drawn.append(element("circle", **lit, r=f"{radius / 3:.2g}", fill="#ffffff", opacity=0.55))
    return "".join(drawn)


def biscuit(piece: Piece) -> str:
    """Draw a small slice, for players' bars and the heads of columns."""
    low, high = DOMINOES[piece].low, DOMINOES[piece].high
    small = (4.4, 5, 1.7)
    return "".join(
        (
            element("rect", x=1, y=2, width=34, height=18, rx=4, fill=NIGHT, opacity=0.25),
            element("path", d="M4 0h13v18h-13q-4 0-4-4v-10q0-4 4-4z", fill=FLAVOURS[low]),
            element("path", d="M17 0h13q4 0 4 4v10q0 4-4 4h-13z", fill=FLAVOURS[high]),
            element("path", d="M17 1v16", stroke=CREAM, stroke_width=1.5),
            spots(low, 8.5, 9, small),
            spots(high, 25.5, 9, small),
            outline(rounded(34, 18, 4), 1.25),
        )
    )


def rounded(width: Number, height: Number, corner: Number) -> str:
    """Return the path of a rectangle with round corners."""
    return (
        f"M{corner} 0H{width - corner}Q{width} 0 {width} {corner}V{height - corner}Q{width} {height} "
        f"{width - corner} {height}H{corner}Q0 {height} 0 {height - corner}V{corner}Q0 0 {corner} 0z"
    )


# -- table ----------------------------------------------------------------------------------------------------------


def napkin(cloth: str, seam: str) -> str:
    """Draw the napkin that hides the mice of a seat until everyone has sent theirs."""
    hem = "".join(f"q-8.3 {-2 if n % 2 else 6} -16.6 0" for n in range(18))
    path = f"M.6 7q149-7 298.8 0v19{hem}z"
    return "".join(
        (
            element("path", d=path, transform="translate(0 3)", fill=NIGHT, opacity=0.2),
            element("path", d=path, fill=cloth, stroke=seam, stroke_width=1.5, **FIXED),
            element("path", d="M6 10q144-6.500 288 0", fill="none", stroke=seam, stroke_dasharray="4 3", **FIXED),
        )
    )


def icons() -> tuple[str, ...]:
    """Return the icons of this game, in the colour of the text: sleep, mouse and lock."""
    line: dict[str, Number | str] = {
        "fill": "none",
        "stroke": "currentColor",
        "stroke_width": 2,
        "stroke_linecap": "round",
        "stroke_linejoin": "round",
    }
    box = (0, 0, 24, 24)
    mouse = element("path", d="M5 19c-1-7 2-11 7-11s8 4 7 11z") + element(
        "path", d="M10.500 7a3 3 0 1 1-6 0a3 3 0 0 1 6 0zM19.500 7a3 3 0 1 1-6 0a3 3 0 0 1 6 0z"
    )
    lock = element("path", d="M6 11h12v9H6zM8.500 11V8a3.500 3.500 0 0 1 7 0v3")
    return (
        symbol("icon-sleep", box, element("g", element("path", d="M5 6h6l-6 7h6M14 12h5l-5 6h5"), **line)),
        symbol("icon-mouse", box, element("g", mouse, **line)),
        symbol("icon-lock", box, element("g", lock, **line)),
    )
