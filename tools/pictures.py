"""Writes the contact sheets of all pictures, and the page that shows them: `python -m tools.pictures`.

A sheet shows each picture at 48 and at 28 pixels. A picture of a card has the name of the card, all others the name of
their symbol. The sheets are made from the sprites that pages use, so a picture without a sheet fails a test.
"""

import re
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

from domain.kernel import drawing
from domain.kernel.drawing.materials import CREAM, OUTLINE, TOKENS
from domain.kernel.registry import games
from domain.kernel.svg import element, group
from domain.kernel.text import wrap_words

FOLDER = Path(__file__).parents[1] / "docs" / "pictures"
PAGE = FOLDER.with_suffix(".md")
COLUMNS, WIDTH, HEIGHT = 7, 130, 96
LARGE, SMALL = 48, 28
MARGIN, TITLE = 16, 40
LINE = 15
SYMBOL = re.compile(r'<symbol[^>]*?\bid="([^"]+)"')
KERNEL = "kernel"


def pictures_of(slug: str) -> ModuleType | None:
    """Return the module of a game that has its sprite, or None if the game has no pictures."""
    name = f"domain.games.{slug}.presentation.pictures"
    return import_module(name) if find_spec(name) else None


def sprites() -> dict[str, str]:
    """Return the symbols of every sprite of the project, by its name."""
    modules = {slug: pictures_of(slug) for slug in games() if find_spec(f"domain.games.{slug}")}
    return {KERNEL: drawing.sprite(), **{slug: module.sprite() for slug, module in modules.items() if module}}


def card_names(slug: str) -> dict[str, str]:
    """Return the name of the card that each symbol belongs to, for games that have cards."""
    name = f"domain.games.{slug}.presentation.card_pictures"
    if slug == KERNEL or not find_spec(name):
        return {}
    return {symbol: card for card, symbol in import_module(name).card_pictures().items()}


def sheet(slug: str, symbols: str) -> str:
    """Return the contact sheet of one sprite."""
    ids, names = SYMBOL.findall(symbols), card_names(slug)
    rows = -(-len(ids) // COLUMNS)
    width, height = 2 * MARGIN + COLUMNS * WIDTH, TITLE + rows * HEIGHT + MARGIN
    cells = (
        group(MARGIN + n % COLUMNS * WIDTH, TITLE + n // COLUMNS * HEIGHT, *cell(one, names.get(one, one)))
        for n, one in enumerate(ids)
    )
    return element(
        "svg",
        element("rect", width=width, height=height, fill=CREAM.base),
        element("defs", symbols),
        element("text", f"{title(slug)}: {len(ids)} pictures", x=MARGIN, y=26, font_size=17, font_weight=700),
        *cells,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {width} {height}",
        width=width,
        height=height,
        fill=OUTLINE,
        color=OUTLINE,
        font_family="sans-serif",
        font_size=11,
    )


def cell(symbol: str, label: str) -> Iterator[str]:
    """Yield one picture at both sizes, and its label."""
    yield element("use", href=f"#{symbol}", width=LARGE, height=LARGE)
    yield element("use", href=f"#{symbol}", x=LARGE + 10, y=LARGE - SMALL, width=SMALL, height=SMALL)
    for n, words in enumerate(wrap_words(label, 19)):
        yield element("text", words.replace("&", "&amp;"), y=LARGE + LINE + n * LINE)


def title(slug: str) -> str:
    """Return the heading of a sheet."""
    return "All tables" if slug == KERNEL else games()[slug].title


def page(drawn: dict[str, str]) -> str:
    """Return the page that shows all sheets."""
    total = sum(len(SYMBOL.findall(symbols)) for symbols in drawn.values())
    materials = ", ".join(TOKENS)
    head = f"""# Pictures

This page shows all {total} pictures of the tables, at 48 and at 28 pixels. `python -m tools.pictures` writes it.

A picture is Python data: a tuple of shapes on a grid of 48 units, with a padding of 4. `solid` draws a body from one
path and one material: the colour, a light crescent at the top left, a dark one at the bottom right, and the outline.
Lines and dots lie on top. Materials and colours come from one palette, `domain/kernel/drawing/materials.py`. These
materials have the colours of the design tokens: {materials}.

To add a picture, write its drawing next to the others of its game and run `python -m tools.pictures`. Look at it at
28 pixels. [Decision 0046](decisions/0046-pictures.md) has the reasons.
"""
    sections = (f"\n## {title(slug)}\n\n![Pictures: {title(slug)}](pictures/{slug}.svg)\n" for slug in drawn)
    return head + "".join(sections)


def files() -> dict[Path, str]:
    """Return all files and their content."""
    drawn = sprites()
    sheets = {FOLDER / f"{slug}.svg": sheet(slug, symbols) + "\n" for slug, symbols in drawn.items()}
    return {**sheets, PAGE: page(drawn)}


def main() -> None:
    """Write all files."""
    FOLDER.mkdir(exist_ok=True)
    for path, content in files().items():
        path.write_text(content, encoding="utf-8")


if __name__ == "__main__":
    main()
