"""Helpers for drawing SVG: elements, text, groups, tooltips, decorations and the shared colours."""

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
"""Marks a piece that the player can choose now."""
ROUND: dict[str, Attribute] = {"stroke_linecap": "round", "stroke_linejoin": "round"}
"""Attributes for lines with rounded ends."""


def element(tag: str, *content: str, **attributes: Attribute) -> str:
    """Return an SVG element. `class_` and `data_cell` become `class` and `data-cell`; only values are escaped."""
    written = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{escape(str(value))}"' for name, value in attributes.items()
    )
    return f"<{tag}{written}>{''.join(content)}</{tag}>" if content else f"<{tag}{written}/>"


def label(x: Number, y: Number, words: str, size: Number = 22, **attributes: Attribute) -> str:
    """Return a line of text. A game can fix its own colour with `partial(label, fill=INK)`."""
    return element("text", escape(words), x=x, y=y, font_size=size, **attributes)


def group(x: Number, y: Number, *content: str, scale: Number = 1, **attributes: Attribute) -> str:
    """Return the content moved to (x, y) and scaled."""
    moved = f"translate({x:g} {y:g})" if scale == 1 else f"translate({x:g} {y:g}) scale({scale:g})"
    return element("g", *content, transform=moved, **attributes)


def planks(width: int, joints: range, colour: str = "#e8cfa4", thickness: int = 3) -> str:
    """Return the grain of a wooden table: a horizontal line at each of the joints."""
    return element("path", d="".join(f"M0 {y}H{width}" for y in joints), stroke=colour, stroke_width=thickness)


def tooltip(words: str) -> str:
    """Return a title element: browsers show it on hover, screen readers read it aloud."""
    return element("title", escape(words))


def decoration(width: Number, height: Number, *content: str, **attributes: Attribute) -> str:
    """Return a standalone SVG that screen readers skip, because text next to it says the same."""
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
