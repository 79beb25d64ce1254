"""Helpers for drawings: an element, a line of text, a group, a tooltip, a decoration, and the common colours."""

from html import escape

Number = int | float
Attribute = Number | str

INK = "#43281a"
SOFT_INK = "#6d4a33"
CREAM = "#fff8ea"
PAPER = "#fbeed3"
CRUST = "#b9814b"
WOOD = "#efd8b1"
GLOW = "#c2410c"
"""Marks a piece that can be chosen now."""
ROUND: dict[str, Attribute] = {"stroke_linecap": "round", "stroke_linejoin": "round"}
"""Attributes of lines with soft ends."""


def element(tag: str, *content: str, **attributes: Attribute) -> str:
    """An SVG element: `class_` and `data_cell` become `class` and `data-cell`; values are escaped, content is not."""
    written = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{escape(str(value))}"' for name, value in attributes.items()
    )
    return f"<{tag}{written}>{''.join(content)}</{tag}>" if content else f"<{tag}{written}/>"


def label(x: Number, y: Number, words: str, size: Number = 22, **attributes: Attribute) -> str:
    """A line of text; a game fixes its own ink with `partial(label, fill=INK)`."""
    return element("text", escape(words), x=x, y=y, font_size=size, **attributes)


def group(x: Number, y: Number, *content: str, scale: Number = 1, **attributes: Attribute) -> str:
    """Content moved to a place, and scaled."""
    moved = f"translate({x:g} {y:g})" if scale == 1 else f"translate({x:g} {y:g}) scale({scale:g})"
    return element("g", *content, transform=moved, **attributes)


def planks(width: int, joints: range, colour: str = "#e8cfa4", thickness: int = 3) -> str:
    """Return the grain of a wooden table: a line across it at each of the joints."""
    return element("path", d="".join(f"M0 {y}H{width}" for y in joints), stroke=colour, stroke_width=thickness)


def tooltip(words: str) -> str:
    """What is shown on hovering, and read aloud."""
    return element("title", escape(words))


def decoration(width: Number, height: Number, *content: str, **attributes: Attribute) -> str:
    """A picture of its own that nobody has to hear of: what it shows is written beside it."""
    return element(
        "svg",
        *content,
        viewBox=f"0 0 {width} {height}",
        width=width,
        height=height,
        aria_hidden="true",
        focusable="false",
        **attributes,
    )
