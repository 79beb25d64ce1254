"""A service that grinds its seed, its bots' luck or its ally's share wins no more often than an honest one.

Two hundred matches of Mice Cake are played with each cheat (24 in the quick suite), and the favourite's wins are
compared with those in honest play. Where the specification names a hole, the cheat must win: otherwise these tests
would prove nothing.
"""

from math import sqrt
from typing import Any

import pytest

from domain.kernel.events import LuckLevel
from tests.luck.client import HonestClient
from tests.luck.operators import GUEST, GrindingOperator, Operator

FULL = 200
SAMPLE = 24
STANDARD_ERRORS = 3
counts = pytest.mark.parametrize("matches", [SAMPLE, pytest.param(FULL, marks=pytest.mark.full)])


pytestmark = pytest.mark.slow


def play(operator: Operator, match: str, level: LuckLevel, *, guest_is_last: bool) -> bool:
    """Play a match between an honest guest and the favourite, and return whether the favourite has won.

    The guest must have no reason to complain, and the file must verify. Raises Discarded.
    """
    guest = HonestClient("guest")
    operator.create(match, level)
    if operator.bot is None and guest_is_last:
        operator.ally_sits(match)
    guest.sit(operator, match, [GUEST])
    if operator.bot is None and not guest_is_last:
        operator.ally_sits(match)
    if level == "sealed":
        guest.open(operator, match)
        operator.ally_opens(match)
    won = operator.finish(match)
    if match.endswith("0"):  # one in ten: the rest are of the same kind
        assert guest.check(match, operator.file(match)) == []
    return won


def wins(operator: Operator, matches: int, level: LuckLevel, *, guest_is_last: bool, name: str) -> int:
    """Return how many of these matches the favourite wins."""
    return sum(play(operator, f"{name}{n}", level, guest_is_last=guest_is_last) for n in range(matches))


def standard_errors(won: int, honest: int, matches: int) -> float:
    """Return by how many standard errors two numbers of wins differ."""
    rate = (won + honest) / (2 * matches)
    return (won - honest) / matches / sqrt(2 * rate * (1 - rate) / matches)


@counts
@pytest.mark.parametrize(
    ("level", "guest_is_last", "bot"),
    [("open", True, None), ("open", True, "easy"), ("sealed", True, None), ("sealed", False, None)],
    ids=["open, guest last", "open, against a bot", "sealed, guest last", "sealed, ally last"],
)
def test_grinding_gains_nothing(level: LuckLevel, guest_is_last: bool, bot: Any, matches: int) -> None:
    honest = wins(Operator(bot=bot), matches, level, guest_is_last=guest_is_last, name="honest")
    ground = wins(GrindingOperator(bot=bot), matches, level, guest_is_last=guest_is_last, name="ground")
    assert abs(standard_errors(ground, honest, matches)) <= STANDARD_ERRORS, (ground, honest)


@counts
def test_with_the_help_of_the_last_player_an_open_match_is_won(matches: int) -> None:
    """The hole in the level `open` that the specification names."""
    honest = wins(Operator(), matches, "open", guest_is_last=False, name="honest")
    won = wins(GrindingOperator(), matches, "open", guest_is_last=False, name="ground")
    assert won == matches
    assert standard_errors(won, honest, matches) > STANDARD_ERRORS
