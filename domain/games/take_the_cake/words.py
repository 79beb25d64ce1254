"""The log in words (rules, section 13)."""

from collections.abc import Sequence
from domain.games.take_the_cake.model import Fact


def tell(facts: Sequence[Fact]) -> list[str]:
    return [type(f).__name__ for f in facts]
