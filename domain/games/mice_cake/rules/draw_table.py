"""Where random draws appear in the facts (rules, section 6), for verifiers that don't implement the rules."""

from domain.games.mice_cake.rules.parts import PIECES, SEATS
from domain.kernel.draw_tables import without_purposes
from domain.kernel.game import DrawTable

DRAWS = DrawTable(
    protocol=2,
    lists={"dominoes": PIECES},
    facts={
        "cake_laid": (("shuffle", "cake", "=dominoes", "cake", "cells.*.piece"),),  # D1
        "dice_rolled": tuple(  # D2
            ("when", "seat", f"'{name}", (("dice", f"dice/{seat}", "dice"),)) for seat, name in enumerate(SEATS)
        ),
    },
)

DRAWS_OF_VERSION_1 = without_purposes(DRAWS, dice_rolled=(("dice", "dice"),))
"""The table of rules version 1, which draws by luck protocol 1. Both seats had the same dice then."""
