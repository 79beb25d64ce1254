"""The mice of the table, awake and asleep, and the winner's hat."""

from domain.kernel.svg import Number, element

OUTLINE = "#3b2316"
NIGHT = "#4a2c1c"
CREAM = "#fff6e3"
PINK, PINK_LIGHT, PINK_DARK = "#fbd9dc", "#fff0f0", "#dc9aa5"
FURS = {"honey": ("#f6b21f", "#7a5200"), "blueberry": ("#174a9c", "#174a9c")}
"""The fur of each family and the colour of the symbol on its belly."""
BOX = (-24, -71, 54, 75)
"""The box of a mouse. Its feet are at the origin."""
LINE = 1.5
FIXED: dict[str, Number | str] = {"vector_effect": "non-scaling-stroke"}


def mouse_symbols() -> list[str]:
    """Return the symbols `mouse-honey-awake`, `mouse-honey-asleep`, `mouse-honey-hat`, and the same for blueberry."""
    return [
        element("symbol", draw(name, state), id=f"mouse-{name}-{state}", viewBox=" ".join(map(str, BOX)))
        for name in FURS
        for state in ("awake", "asleep", "hat")
    ]


def draw(name: str, state: str) -> str:
    """Draw a sitting mouse of this family."""
    fur, mark = FURS[name]
    return "".join(
        (
            element("ellipse", cx=4, cy=-1, rx=17, ry=3.6, fill=NIGHT, opacity=0.3),
            tail(),
            body(fur),
            belly(name, mark),
            ear(fur, -12.5),
            ear(fur, 12.5),
            head(fur),
            open_eyes() if state != "asleep" else closed_eyes(),
            element(
                "path",
                d="M-5-24.500L-15-26.500M-5-23L-14-21.500M5-24.500L15-26.500M5-23L14-21.500",
                stroke=OUTLINE,
                stroke_linecap="round",
                opacity=0.75,
            ),
            element("ellipse", cx=0, cy=-20.8, rx=2.9, ry=2.2, fill="#fcc4dc", stroke=OUTLINE, stroke_width=1.2),
            hat() if state == "hat" else "",
        )
    )


def shape(path: str, fill: str) -> str:
    """Draw a part of a mouse with the common outline."""
    return element("path", d=path, fill=fill, stroke=OUTLINE, stroke_width=LINE, stroke_linejoin="round", **FIXED)


def shade(path: str) -> str:
    """Draw the shadow at the lower right of a part."""
    return element("path", d=path, fill="#000000", opacity=0.16)


def tail() -> str:
    """Draw the tail."""
    path = "M10-4C24-1 27-10 22-17"
    thick = element("path", d=path, fill="none", stroke=OUTLINE, stroke_width=4.8, stroke_linecap="round")
    return thick + element("path", d=path, fill="none", stroke=PINK_DARK, stroke_width=2, stroke_linecap="round")


def body(fur: str) -> str:
    """Draw the body."""
    outer = "M-13.500-2C-16-16-9-27 0-27C9-27 16-16 13.500-2Q13 0 10 0H-10Q-13 0-13.500-2z"
    return shape(outer, fur) + shade("M13-3C14.500-16 10-23 4.500-26C8.500-17 8.500-8 5-.8H10Q12.500-.8 13-3z")


def belly(name: str, mark: str) -> str:
    """Draw the belly with the seat's symbol: a circle for honey, a square for blueberry."""
    sign = (
        element("circle", cx=-1, cy=-8.6, r=3.7, fill=mark)
        if name == "honey"
        else element("rect", x=-4.2, y=-11.8, width=6.4, height=6.4, rx=0.7, fill=mark)
    )
    return element("ellipse", cx=-1, cy=-8.6, rx=7, ry=7.6, fill=CREAM) + sign


def ear(fur: str, x: Number) -> str:
    """Draw one ear."""
    return "".join(
        (
            element("circle", cx=x, cy=-43.5, r=9.8, fill=fur, stroke=OUTLINE, stroke_width=LINE, **FIXED),
            element("circle", cx=x, cy=-43, r=6, fill=PINK),
            element(
                "path",
                d=f"M{x - 3.6:g}-46q1.500-2.600 4.500-2.600",
                stroke=PINK_LIGHT,
                stroke_width=1.6,
                fill="none",
                stroke_linecap="round",
            ),
        )
    )


def head(fur: str) -> str:
    """Draw the head with its snout."""
    outer = "M-13.200-36C-13.500-46.500 13.500-46.500 13.200-36C13-28 6-20 0-18.400C-6-20-13-28-13.200-36z"
    return "".join(
        (
            shape(outer, fur),
            shade("M12.500-36C12.700-41 8-43.600 4-43.800C8.500-38 6-27 .5-19.200C6.500-21 12.300-29 12.500-36z"),
            element(
                "path",
                d="M-9.500-39.500Q-6.500-42.400-2-42.600",
                stroke="#ffffff",
                stroke_width=2,
                stroke_linecap="round",
                fill="none",
                opacity=0.6,
            ),
            element(
                "path", d="M-5.500-26.500Q0-29.500 5.500-26.500Q3-20.500 0-19.200Q-3-20.500-5.500-26.500z", fill=CREAM
            ),
        )
    )


def open_eyes() -> str:
    """Draw the eyes of a mouse that is awake."""
    return "".join(
        element("circle", cx=x, cy=-33.5, r=3, fill="#ffffff", stroke=OUTLINE, stroke_width=0.9)
        + element("circle", cx=x + (0.2 if x < 0 else -0.2), cy=-33, r=1.9, fill=NIGHT)
        for x in (-5.8, 5.8)
    )


def closed_eyes() -> str:
    """Draw the eyes of a sleeping mouse, and its Zs."""
    lids = "M-8.600-33.500q2.700 2.700 5.400 0M3.200-33.500q2.700 2.700 5.400 0"
    pen: dict[str, Number | str] = {"fill": "none", "stroke_width": 2, "stroke_linecap": "round"}
    closed = element("path", d=lids, stroke="#ffffff", **{**pen, "stroke_width": 4}) + element(
        "path", d=lids, stroke=OUTLINE, **pen
    )
    return closed + element(
        "path", d="M17-58h6l-6 7h6M26-66h4l-4 5h4", stroke="currentColor", stroke_linejoin="round", **pen
    )


def hat() -> str:
    """Draw the hat of the winner."""
    return "".join(
        (
            shape("M-9-45V-55C-17-55-16-66-8-64C-6-71 6-71 8-64C16-66 17-55 9-55V-45Q0-42-9-45z", "#ffffff"),
            element("path", d="M-9-48.500Q0-45.500 9-48.500V-45.500Q0-42.500-9-45.500z", fill="#b81c22"),
            element("path", d="M-3-60v6M3-60v6", stroke="#e2c99b", stroke_width=1.4, stroke_linecap="round"),
        )
    )
