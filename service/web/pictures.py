"""Pictures on pages. Each points at a symbol of a sprite, so a browser fetches and stores each sprite once."""

import logging

from markupsafe import Markup

from service.web.assets import asset
from service.web.sprites import sprite_ids

logger = logging.getLogger("crumbtrail.web")

PICTURE = Markup('<svg class="{}" {}>{}</svg>')
"""An SVG element whose size comes from the style sheet."""
USE = Markup('<use href="{}#{}"/>')


def picture(name: str, class_: str = "pic", label: str | None = None) -> Markup:
    """Return a picture such as `kernel#icon-undo` or `mice_cake#slice-3-4`. Without a label, it is decoration.

    A picture that doesn't exist stays empty and is logged.
    """
    slug, _, symbol = name.partition("#")
    spoken = Markup('role="img" aria-label="{}"').format(label) if label else Markup('aria-hidden="true"')
    if symbol in sprite_ids(slug):
        return PICTURE.format(class_, spoken, USE.format(asset(f"sprites/{slug}.svg"), symbol))
    logger.error("There is no picture %s.", name)
    return PICTURE.format(class_, spoken, "")
