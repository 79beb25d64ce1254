"""The shapes of all pictures, and the symbols made of them.

`solid` draws everything that has a body: its material, a light crescent at the top left, a dark one at the bottom
right, and the outline. Marks (`line`, `area`, `dot`, `ring`) lie on top. A drawing is a tuple of shapes on a grid of 48
units with a padding of 4. `symbol` turns it into an element of a sprite, `flat` into one without crescents for pictures
that hold many small copies.
"""

from collections.abc import Mapping

from domain.kernel.drawing.materials import NIGHT, OUTLINE, WHITE, Material
from domain.kernel.svg import Number, element, group
from domain.kernel.values import Value

GRID = 48
View = tuple[Number, Number, Number]
WHOLE: View = (0, 0, GRID)
EDGE = 1.7
"""The width of the outline, in units of the grid."""


class Solid(Value, frozen=True):
    """A body: its path, material, width of the light crescent, width of the outline, and marks clipped to the body."""

    path: str
    material: Material
    light: Number = 4
    edge: Number = EDGE
    inside: tuple[str, ...] = ()


Shape = Solid | str
"""A body, or a mark that is drawn as it is (SVG)."""
Drawing = tuple[Shape, ...]
PEN: dict[str, Number | str] = {"fill": "none", "stroke_linecap": "round", "stroke_linejoin": "round"}
"""What all shapes of a picture have in common."""


def solid(path: str, material: Material, light: Number = 4, edge: Number = EDGE, inside: tuple[str, ...] = ()) -> Solid:
    """Return a body. `light` is the width of its light crescent: 4 on large bodies, 1.5 on small ones."""
    return Solid(path, material, light, edge, inside)


def oval(x: Number, y: Number, rx: Number, ry: Number | None = None) -> str:
    """Return the path of an ellipse, or of a circle without `ry`."""
    ry = rx if ry is None else ry
    return f"M{x - rx:g} {y:g}a{rx:g} {ry:g} 0 1 1 {2 * rx:g} 0a{rx:g} {ry:g} 0 1 1 {-2 * rx:g} 0z"


def hoop(x: Number, y: Number, rx: Number, ry: Number, inner_x: Number, inner_y: Number) -> str:
    """Return the path of an ellipse with an elliptical hole, such as a doughnut."""
    outer = oval(x, y, rx, ry)
    return (
        f"{outer}M{x - inner_x:g} {y:g}a{inner_x:g} {inner_y:g} 0 1 0 {2 * inner_x:g} 0"
        f"a{inner_x:g} {inner_y:g} 0 1 0 {-2 * inner_x:g} 0z"
    )


def box(x: Number, y: Number, width: Number, height: Number, corner: Number = 2) -> str:
    """Return the path of a rectangle with round corners."""
    c = corner
    return (
        f"M{x + c:g} {y:g}h{width - 2 * c:g}q{c:g} 0 {c:g} {c:g}v{height - 2 * c:g}q0 {c:g} {-c:g} {c:g}"
        f"h{2 * c - width:g}q{-c:g} 0 {-c:g} {-c:g}v{2 * c - height:g}q0 {-c:g} {c:g} {-c:g}z"
    )


def line(path: str, colour: str = OUTLINE, width: Number = EDGE, opacity: Number = 1) -> str:
    """Return a line. Its ends are round, like those of all lines of a picture."""
    return element("path", d=path, stroke=colour, stroke_width=width, **_opacity(opacity))


def rope(path: str, colour: str, width: Number) -> tuple[str, str]:
    """Return a thick line with an outline, such as a stalk or a pretzel."""
    return line(path, OUTLINE, width + 3.3), line(path, colour, width)


def area(path: str, colour: str, opacity: Number = 1) -> str:
    """Return a filled area without an outline."""
    return element("path", d=path, fill=colour, **_opacity(opacity))


def dot(x: Number, y: Number, radius: Number, colour: str = OUTLINE) -> str:
    """Return a disc without an outline."""
    return element("circle", cx=f"{x:g}", cy=f"{y:g}", r=radius, fill=colour)


def dots(places: str, radius: Number, colour: str = OUTLINE) -> str:
    """Return discs at these places, written as `x,y x,y`."""
    pairs = (place.split(",") for place in places.split())
    return "".join(dot(float(x), float(y), radius, colour) for x, y in pairs)


def shine(path: str, width: Number = 2) -> str:
    """Return the one white highlight of a picture."""
    return line(path, WHITE, width, 0.85)


def shadow(x: Number = 27, y: Number = 42, rx: Number = 15, ry: Number = 2.6) -> str:
    """Return the contact shadow of a picture."""
    return element("ellipse", cx=x, cy=y, rx=rx, ry=ry, fill=NIGHT, opacity=0.25)


def symbol(name: str, drawing: Drawing, view: View = WHOLE) -> str:
    """Return a drawing as a symbol of a sprite. Ids inside it begin with its name, which is unique in the sprite.

    `view` is the part that is shown: left, top, and the length of its sides.
    """
    clips = iter(range(1, len(drawing) + 1))
    parts = (shape if isinstance(shape, str) else _shaded(shape, f"{name}-{next(clips)}") for shape in drawing)
    return element("symbol", *parts, id=name, viewBox=f"{view[0]:g} {view[1]:g} {view[2]:g} {view[2]:g}", **PEN)


def symbols(drawings: Mapping[str, Drawing], prefix: str = "") -> str:
    """Return all these drawings as symbols."""
    return "".join(symbol(prefix + name, drawing) for name, drawing in drawings.items())


def flat(drawing: Drawing) -> str:
    """Return a drawing without ids: bodies have no crescents, so that many copies fit on a page."""
    return element("g", *(shape if isinstance(shape, str) else _plain(shape) for shape in drawing), **PEN)


def centred(drawing: Drawing, size: Number) -> str:
    """Return a drawing without ids, `size` units wide and centred on the origin, to be placed in a larger picture."""
    return group(-size / 2, -size / 2, flat(drawing), scale=size / GRID)


def _shaded(shape: Solid, name: str) -> str:
    path, light, dark = shape.path, shape.light, shape.light + 1
    lit, shaded = light / 2, 0.2 - dark / 2
    crescents = (
        element("path", d=path, fill=shape.material.base),
        _crescent(path, shape.material.light, light, lit),
        _crescent(path, shape.material.dark, dark, shaded),
        *shape.inside,
    )
    clip = element("clipPath", element("path", d=path), id=name)
    return clip + element("g", *crescents, clip_path=f"url(#{name})") + _outline(shape)


def _crescent(path: str, colour: str, width: Number, shift: Number) -> str:
    moved = f"translate({shift:g} {shift:g})"
    return element("path", d=path, stroke=colour, stroke_width=width, transform=moved)


def _plain(shape: Solid) -> str:
    edge: dict[str, Number | str] = {"stroke": OUTLINE, "stroke_width": shape.edge} if shape.edge else {}
    if shape.inside:
        return element("path", d=shape.path, fill=shape.material.base) + "".join(shape.inside) + _outline(shape)
    return element("path", d=shape.path, fill=shape.material.base, **edge)


def _outline(shape: Solid) -> str:
    return element("path", d=shape.path, stroke=OUTLINE, stroke_width=shape.edge) if shape.edge else ""


def _opacity(opacity: Number) -> dict[str, Number | str]:
    return {} if opacity == 1 else {"opacity": opacity}
