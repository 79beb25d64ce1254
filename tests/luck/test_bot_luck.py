"""Repeating the decisions exposes a service that lets its house bot choose among several random numbers.

A bot's luck is derived from the seed and the shares. So a service can't grind it before the match
(`test_grinding`), and afterwards anyone can repeat each decision from the file.
"""

import pytest

from replays.bot_check import check_bots
from replays.replay import Replay
from replays.report import Layer
from tests.luck.operators import BotGrindingOperator, Operator
from tests.luck.test_grinding import counts, play

pytestmark = pytest.mark.slow


def bots_layer(operator: Operator, match: str) -> Layer:
    """Play a match against the house bot, and return what `verify --bots` finds."""
    play(operator, match, "open", guest_is_last=True)
    return check_bots(Replay(tuple(operator.tables[match].events)), everything=True)


@counts
def test_an_honest_bot_repeats_every_move(matches: int) -> None:
    operator = Operator(bot="easy")
    for n in range(matches // 4):
        assert bots_layer(operator, f"bot{n}").status == "ok"


@counts
def test_a_bot_with_chosen_luck_is_found(matches: int) -> None:
    """An easy bot errs in one move out of three. If it never errs, some of its moves don't follow from its own luck."""
    operator = BotGrindingOperator(bot="easy")
    for n in range(matches // 4):
        layer = bots_layer(operator, f"bot{n}")
        assert layer.divergence is not None
        assert layer.divergence.rule == "bots.move"
