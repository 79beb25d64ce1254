"""The drawings that all games share, and the tools to draw more.

Pictures are Python data: a tuple of shapes (`shapes.py`) in materials (`materials.py`). `sprite` returns those that
every page may use; each game has its own sprite in `presentation/pictures.py`.
"""

from functools import cache

from domain.kernel.drawing.avatars import avatar_of, avatar_symbols
from domain.kernel.drawing.dice import DICE
from domain.kernel.drawing.icons import icon_symbols
from domain.kernel.drawing.ornaments import ORNAMENTS
from domain.kernel.drawing.seats import seat_symbols
from domain.kernel.drawing.shapes import symbols

__all__ = ["avatar_of", "sprite"]


@cache
def sprite() -> str:
    """Return the shared symbols: icons, seats, dice, avatars and ornaments."""
    return "".join((icon_symbols(), seat_symbols(), symbols(DICE), symbols(ORNAMENTS), avatar_symbols()))
