"""Colour contrast: every text and background pair in the style sheets meets WCAG 2 AA."""

import re

import pytest

from service.web.assets import assets
from tests.domain.games.colour_contrast import contrast

STYLE = "\n".join(asset.content.decode() for name, asset in assets().items() if name.endswith(".css"))
COLOURS = dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6});", STYLE))

TEXT = [
    ("ink", ("paper", "card", "butter", "butter-pale", "yellow-pale", "blue-pale", "leaf-pale", "rose-pale")),
    ("soft", ("paper", "card", "butter-pale", "line")),
    ("cherry", ("paper", "card", "butter-pale")),
    ("cherry-dark", ("paper", "card", "butter-pale")),
    ("on-cherry", ("cherry", "cherry-dark")),
    ("leaf", ("card", "butter-pale", "leaf-pale")),
    ("rose", ("card", "butter-pale", "rose-pale")),
    ("card", ("ink",)),
]
MARKS = [
    ("focus", ("paper", "card", "butter-pale")),
    ("crust", ("card", "paper")),
    ("cherry", ("card", "butter-pale")),
]
"""Outlines and borders, which need less contrast than text."""


@pytest.mark.parametrize(("colour", "ground"), [(c, g) for c, grounds in TEXT for g in grounds])
def test_text_has_enough_contrast(colour: str, ground: str) -> None:
    assert contrast(COLOURS[colour], COLOURS[ground]) >= 4.5


@pytest.mark.parametrize(("colour", "ground"), [(c, g) for c, grounds in MARKS for g in grounds])
def test_outlines_have_enough_contrast(colour: str, ground: str) -> None:
    assert contrast(COLOURS[colour], COLOURS[ground]) >= 3


def test_every_text_colour_is_checked() -> None:
    used = set(re.findall(r"[^-]color: var\(--([a-z-]+)\)", STYLE))
    assert used - {colour for colour, _ in TEXT} == {"crust"}, "only the large number on error pages may differ"


def test_the_contrast_formula_gives_known_values() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#777777") == 1
