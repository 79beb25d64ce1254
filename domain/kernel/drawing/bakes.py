"""Parts of bakes that many pictures share: plates, tins, tiers, icing, cases and loaves."""

from domain.kernel.drawing.materials import CRUST, PORCELAIN, STEEL, TOFFEE, Material
from domain.kernel.drawing.shapes import Shape, line, oval, solid
from domain.kernel.svg import Number


def plate() -> Shape:
    """Return a flat plate."""
    return solid(oval(24, 41, 19, 3), PORCELAIN, 1.5, 1.4)


def tier(x: Number, y: Number, width: Number, height: Number) -> str:
    """Return the path of a round tier of a cake, seen from the side. (x, y) is its top left."""
    return f"M{x:g} {y:g}h{width:g}v{height:g}q{-width / 2:g} 4 {-width:g} 0z"


def drips(y: Number = 26) -> str:
    """Return the path of icing that runs down a tier of 34 units. `y` is where the tier begins."""
    return f"M7 {y:g}q1-9 17-9t17 9q-1 5-5 2q-3 4-6 0q-3 4-6 0q-4 4-6 0q-3 4-6 0q-4 2-5-2z"


def dollops(y: Number = 24) -> str:
    """Return the path of whipped cream on a tier of 34 units."""
    return f"M7 {y:g}q0-8 17-8t17 8q-2 4-5 1q-3 3-6 0q-3 3-6 0q-3 3-6 0q-3 3-6 0q-3 3-5-1z"


def case(material: Material) -> tuple[Shape, ...]:
    """Return a paper case."""
    return (
        solid("M10 28h28l-4 12q-10 3-20 0z", material, 3),
        line("M16 29l2 11M24 30v11M32 29l-2 11", material.dark, 1.4),
    )


def ring_tin(material: Material) -> tuple[Shape, ...]:
    """Return a fluted tart case."""
    return (
        solid("M5 25h38l-5 12q-14 4-28 0z", material, 3),
        line("M11 28l3 10M18 30l1 10M24 30v10M30 30l-1 10M37 28l-3 10", material.dark, 1.5),
    )


def tin() -> Shape:
    """Return a pie tin."""
    return solid("M8 29h32l-5 10q-11 4-22 0z", STEEL, 3)


def open_pie(filling: Material, crust: Material = CRUST) -> tuple[Shape, ...]:
    """Return a pie without a lid."""
    return (
        tin(),
        solid(oval(24, 27, 20, 7.5), crust, 3),
        solid(oval(24, 26, 15.5, 5), filling, 2, 1.4),
        line("M7 30q17 8 34 0", crust.dark, 1.4),
    )


def domed_pie(crust: Material = CRUST) -> tuple[Shape, ...]:
    """Return a pie with a lid."""
    return (tin(), solid("M4 29q1-17 20-17t20 17q-20 7-40 0z", crust))


LOAF = "M6 25q-3-11 7-12h22q10 1 7 12v13q0 3-3 3H9q-3 0-3-3z"
"""The path of a loaf."""
BALL = "M9 28q0-15 15-15t15 15q0 11-15 11T9 28z"
"""The path of a bun or a scoop."""


def wedge(side: Material, top: Material) -> tuple[Shape, ...]:
    """Return a slice of cake, its point to the left."""
    return (
        solid("M4 28L34 12q9 5 10 16z", top, 3),
        solid("M4 28h40v11q-20 4-40 1z", side, 3),
    )


def jar(x: Number, y: Number, content: Material, lid: Material = STEEL) -> tuple[Shape, ...]:
    """Return a small jar, 10 units wide and 14 high. (x, y) is its top left."""
    return (
        solid(f"M{x:g} {y + 4:g}h10v8q0 2-2 2h-6q-2 0-2-2z", content, 2, 1.4),
        solid(f"M{x:g} {y:g}h10v4h-10z", lid, 1, 1.4),
    )


def basket(y: Number = 26) -> tuple[Shape, ...]:
    """Return the front of a wicker basket."""
    low = 41 - y
    return (
        solid(f"M6 {y:g}h36l-4 {low - 2:g}q-.5 2-3 2H13q-2.5 0-3-2z", TOFFEE, 3),
        line(f"M8 {y + low / 3:g}h32M10 {y + 2 * low / 3:g}h28", TOFFEE.dark, 1.5),
        line(f"M16 {y:g}l1 {low:g}M24 {y:g}v{low:g}M32 {y:g}l-1 {low:g}", TOFFEE.dark, 1.5),
    )


def pan(batter: Material, body: Material = STEEL) -> tuple[Shape, ...]:
    """Return a cake tin filled with batter."""
    return (
        solid("M5 26h38l-4 12q-15 4-30 0z", body, 3),
        solid(oval(24, 26, 19, 6.5), body, 2),
        solid(oval(24, 26, 15, 4.5), batter, 2, 1.4),
    )
