"""Where random draws appear in the facts (rules, section 6), for verifiers that don't implement the rules."""

from domain.games.mice_cake.rules.parts import PIECES
from domain.kernel.game import DrawTable

DRAWS = DrawTable(
    lists={"dominoes": PIECES},
    facts={
        "cake_laid": (("shuffle", "=dominoes", "cake", "cells.*.piece"),),  # D1
        "dice_rolled": (("dice", "dice"),),  # D2
    },
)
