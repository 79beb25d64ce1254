"""Sprites: the pictures of one game, or of all games, as the symbols of one SVG file.

The shared sprite is called `kernel` and comes from `domain.kernel.drawing`; a game's comes from its
`presentation/pictures.py`. Both have a function `sprite` that returns `<symbol>` elements.
"""

import logging
import re
from collections.abc import Iterator
from functools import cache

from domain.kernel.drawing import sprite as kernel_sprite
from domain.kernel.registry import games
from service.web.game_files import find_pictures

KERNEL = "kernel"
SVG_NAMESPACE = "http://www.w3.org/2000/svg"
SYMBOL_ID = re.compile(r'<symbol[^>]*?\bid="([^"]+)"')

logger = logging.getLogger("crumbtrail.web")


def sprite_files() -> Iterator[tuple[str, bytes]]:
    """Yield the name and content of every sprite that isn't empty: `sprites/<slug>.svg`."""
    for slug in (KERNEL, *games()):
        if symbols := sprite_symbols(slug):
            yield f"sprites/{slug}.svg", f'<svg xmlns="{SVG_NAMESPACE}">{symbols}</svg>'.encode()


@cache
def sprite_symbols(slug: str) -> str:
    """Return the symbols of a sprite, or an empty string if it has none or can't be drawn, which is logged."""
    if slug == KERNEL:
        return kernel_sprite()
    draw = getattr(find_pictures(slug), "sprite", None)
    if draw is None:
        return ""
    try:
        return str(draw())
    except Exception as error:  # a package of somebody else must not break the other pages
        logger.error("The pictures of %s can't be drawn (%s).", slug, type(error).__name__)
        return ""


@cache
def sprite_ids(slug: str) -> frozenset[str]:
    """Return the names of all symbols in a sprite."""
    return frozenset(SYMBOL_ID.findall(sprite_symbols(slug)))
