"""How chance shows in the facts (rules, section 6), for verifiers that do not know the rules."""

from domain.games.mice_cake.rules.parts import PIECES
from domain.kernel.game import DrawTable

DRAWS = DrawTable(
    lists={"dominoes": PIECES},
    facts={
        "cake_laid": (("shuffle", "=dominoes", "cake", "cells.*.piece"),),  # D1
        "dice_rolled": (("dice", "dice"),),  # D2
    },
)
