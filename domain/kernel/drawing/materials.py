"""The palette of all pictures: materials with three flat shades, and the few colours that lines and marks use.

Materials whose name is a design token (`--dough`, `--choc`) have the colours of its light theme: pieces keep their
colours when the theme changes. The others are food that no token names.
"""

from typing import NamedTuple


class Material(NamedTuple):
    """A material: its colour, the one of its lit top left and the one of its shaded bottom right (hex)."""

    base: str
    light: str
    dark: str


OUTLINE = "#3b2316"
WHITE = "#ffffff"
NIGHT = "#4a2c1c"

# design tokens
DOUGH = Material("#f2cf96", "#fbe6bd", "#c98f4a")
CRUMB = Material("#b97a43", "#d9a468", "#7f4c22")
CHOC = Material("#6b3f27", "#8f5d3d", "#432414")
CREAM = Material("#fff6e3", "#ffffff", "#e2c99b")
ICING = Material("#fbd9dc", "#fff0f0", "#dc9aa5")
STEEL = Material("#b9c0c4", "#e3e8ea", "#76818a")
CAST = Material("#5a5450", "#7b746e", "#37322f")
WOOD = Material("#d9ab72", "#e6bf8c", "#b98a52")
VANILLA = Material("#f4dcae", "#fdf0d2", "#d6b47a")
HONEY = Material("#efaf38", "#fbd37c", "#bd7c12")
CARROT = Material("#ec8747", "#f8b886", "#b95a22")
WALNUT = Material("#c6976d", "#e0bd9a", "#946440")
CHERRY = Material("#e27d8a", "#f5b4bb", "#b04f5f")
COCOA = Material("#70432f", "#97654c", "#45251a")

# food and things that no token names
APPLE = Material("#d8402f", "#ef7a5c", "#a3241d")
BERRY = Material("#c23b66", "#e57d99", "#8a1f45")
BLUE = Material("#4d6fb8", "#7f9cd8", "#2f4a86")
CARAMEL = Material("#d98a35", "#f1b76c", "#a55c16")
CINNAMON = Material("#b5652b", "#d58f54", "#7c3d13")
CRUST = Material("#e9b66d", "#f6d59d", "#b9803c")
CUSTARD = Material("#fbe9a4", "#fff6d0", "#d9b75a")
FLAME = Material("#f3a53d", "#ffd27a", "#c2541a")
FUDGE = Material("#432414", "#6b3f27", "#2c150a")
FOIL = Material("#c6a3a0", "#e6cfca", "#94716d")
GLASS = Material("#d6ebf3", "#ffffff", "#a4c8d6")
LEAF = Material("#6ea644", "#9cc96c", "#467a2b")
LEMON = Material("#f6cf3e", "#fbe78a", "#cf9a1c")
LIME = Material("#a8cf4c", "#d2e88a", "#739a28")
MEAT = Material("#c4473f", "#e07d6e", "#8e2a27")
MOULD = Material("#dfe6cf", "#f4f7ea", "#a8b389")
NUT = Material("#c98a4a", "#e4b27b", "#905621")
PEACH = Material("#f7a55f", "#fdd09a", "#dd6a46")
PINK = Material("#f4a9b4", "#fbd5da", "#cf7484")
PLUM = Material("#7d3f92", "#a56cb9", "#552564")
PUMPKIN = Material("#ec8a2e", "#f8b469", "#b95f14")
PORCELAIN = Material("#f3f1ec", "#ffffff", "#cfc9be")
SHELL = Material("#8f5b2a", "#b58250", "#5f3812")
SKIN = Material("#f0c49a", "#fbe0c4", "#c68c57")
SKY = Material("#8fc3d8", "#c4e3ee", "#5b95ad")
TOFFEE = Material("#d3a25f", "#ebc994", "#9c6c2c")

TOKENS = {
    "dough": DOUGH,
    "crumb": CRUMB,
    "choc": CHOC,
    "cream": CREAM,
    "icing": ICING,
    "steel": STEEL,
    "cast": CAST,
    "flav-0": VANILLA,
    "flav-2": HONEY,
    "flav-3": CARROT,
    "flav-4": WALNUT,
    "flav-5": CHERRY,
    "flav-6": COCOA,
}
"""The materials that are design tokens, by the name of the token."""
SEAT_FILLS = ("#f6b21f", "#174a9c", "#b81c22", "#bddc84", "#6a4a80", "#2fa07a", "#fcc4dc", "#43241a")
"""The token `--seat-n` of each seat: honey, blueberry, cherry, pistachio, plum, mint, strawberry and cocoa."""
SEAT_INKS = ("#3b2316", "#ffffff", "#ffffff", "#3b2316", "#ffffff", "#2a170d", "#3b2316", "#ffffff")
"""The token `--seat-n-on` of each seat: what is drawn on its colour."""
KINDS = {
    "move": "#1f5573",
    "loop": "#59296f",
    "if": "#6b3a07",
    "food": "#7a3b12",
    "rule": "#3d4a1c",
    "gold": "#75500a",
    "dead": "#5f554c",
}
"""The token `--kind-...` of each kind of card."""
MATERIALS = tuple(value for value in list(globals().values()) if isinstance(value, Material))
PALETTE = frozenset(
    (OUTLINE, WHITE, NIGHT, *(shade for one in MATERIALS for shade in one), *SEAT_FILLS, *SEAT_INKS, *KINDS.values())
)
"""Every colour that a picture may use."""
