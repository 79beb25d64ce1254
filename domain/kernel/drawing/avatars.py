"""Avatars: a bakery picture for every player, chosen by the words of the name."""

import re
from zlib import crc32

from domain.kernel.drawing.avatars_bakers import ROBOT, TOOLS
from domain.kernel.drawing.avatars_bread import BREAD
from domain.kernel.drawing.avatars_cakes import CAKES
from domain.kernel.drawing.avatars_sweets import SWEETS
from domain.kernel.drawing.shapes import Drawing, symbol

BAKES: dict[str, Drawing] = {**BREAD, **CAKES, **SWEETS}
AVATARS: dict[str, Drawing] = {**BAKES, **TOOLS, "robot": ROBOT}
"""All avatars by name."""
SAME_FOOD = {"loaf": "bread", "pastry": "danish"}
"""Words for which another word already has a picture of the same food."""
VIEW = (3, 3, 42)
"""Avatars are shown without most of their padding: 42 units from (3, 3)."""
TOOL_NAMES = tuple(TOOLS)
WORD = re.compile(r"[a-z]+")


def avatar_of(name: str) -> str:
    """Return the avatar of a player with this name, as the name of its symbol.

    The last word that names a bake decides. Bots get the robot baker, all others a tool, always the same for a name.
    """
    words = WORD.findall(name.lower())
    for word in reversed(words):
        if (bake := SAME_FOOD.get(word, word)) in BAKES:
            return f"avatar-{bake}"
    if {"bot", "robot"} & set(words):
        return "avatar-robot"
    return f"avatar-{TOOL_NAMES[crc32(name.encode()) % len(TOOL_NAMES)]}"


def avatar_symbols() -> str:
    """Return all avatars as symbols named `avatar-<name>`."""
    return "".join(symbol(f"avatar-{name}", drawing, VIEW) for name, drawing in AVATARS.items())
