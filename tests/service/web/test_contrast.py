"""Colour contrast: every text and background pair of the design tokens meets WCAG 2 AA, in both themes."""

import re

import pytest

from service.web.assets import assets
from tests.domain.games.colour_contrast import contrast

TOKENS = assets()["tokens.css"].content.decode()
STYLE = "\n".join(asset.content.decode() for name, asset in assets().items() if name.endswith(".css"))


def colours_in(block: str) -> dict[str, str]:
    """Return the colours that a block of rules defines."""
    return dict(re.findall(r"--([a-z0-9-]+): (#[0-9a-f]{6});", block))


LIGHT_BLOCK, DARK_BLOCK, SYSTEM_BLOCK = (
    re.search(pattern, TOKENS, re.DOTALL)
    for pattern in (
        r":root \{(.*?)\n\}",
        r':root\[data-theme="dark"\] \{(.*?)\n\}',
        r"@media \(prefers-color-scheme: dark\) \{ :root:not\(\[data-theme\]\) \{(.*?)\n\} \}",
    )
)
assert LIGHT_BLOCK is not None
assert DARK_BLOCK is not None
LIGHT = colours_in(LIGHT_BLOCK[1])
THEMES = {"light": LIGHT, "dark": LIGHT | colours_in(DARK_BLOCK[1])}
SEATS = range(1, 9)
PALE = tuple(f"seat-{n}-pale" for n in SEATS)
PANELS = ("paper", "card", "card-2", "cloth", "butter-pale")

TEXT = [
    ("ink", (*PANELS, *PALE, "wood", "butter", "leaf-pale", "rose-pale", "field", "yellow-pale", "blue-pale")),
    ("soft", (*PANELS, *PALE, "line")),
    ("on-night", ("night", *(f"kind-{kind}" for kind in ("move", "loop", "if", "food", "rule", "gold", "dead")))),
    ("on-cherry", ("cherry", "cherry-dark")),
    ("link", ("paper", "card", "butter-pale")),
    ("leaf", ("paper", "card", "leaf-pale")),
    ("rose", ("paper", "card", "rose-pale")),
    ("on-off", ("off",)),
    ("card", ("ink",)),
    *((f"seat-{n}-on", (f"seat-{n}",)) for n in SEATS),
    *((f"seat-{n}-deep", (f"seat-{n}-pale", "card")) for n in SEATS),
]
LINES = [
    ("edge", ("paper", "card", "card-2", "cloth", "wood")),
    ("focus", ("paper", "card", "card-2", "cloth", "wood")),
    ("crust", ("card", "paper")),
]
"""Outlines and borders, which need less contrast than text."""


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize(("colour", "ground"), [(c, g) for c, grounds in TEXT for g in grounds])
def test_text_has_enough_contrast(theme: str, colour: str, ground: str) -> None:
    assert contrast(THEMES[theme][colour], THEMES[theme][ground]) >= 4.5


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize(("colour", "ground"), [(c, g) for c, grounds in LINES for g in grounds])
def test_outlines_have_enough_contrast(theme: str, colour: str, ground: str) -> None:
    assert contrast(THEMES[theme][colour], THEMES[theme][ground]) >= 3


def test_the_dark_theme_is_the_same_by_choice_and_by_the_system() -> None:
    assert DARK_BLOCK is not None
    assert SYSTEM_BLOCK is not None
    assert DARK_BLOCK[1].split() == SYSTEM_BLOCK[1].split()


def test_every_text_colour_is_checked() -> None:
    used = set(re.findall(r"[^-a-z]color: ?var\(--([a-z0-9-]+)\)", STYLE))
    local = {"on", "mark", "deep"}  # the same tokens by the names that a seat gives them
    others = {"crust", "leaf-pale"}  # large numbers and bars
    assert used - local - {colour for colour, _ in TEXT} <= others


def test_the_contrast_formula_gives_known_values() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#777777") == 1
