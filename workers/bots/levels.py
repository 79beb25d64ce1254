"""The levels by name, as `service.levels` offers them: each a way to choose a move from what one seat may see."""

from collections.abc import Callable, Iterable
from itertools import islice
from typing import Any

import msgspec

from domain.chance import Chance
from domain.game import AnyGame, Seat
from service.levels import LEVELS as OFFERED

Choose = Callable[[AnyGame, Any, Seat, Iterable[Any], Chance], Any]
"""(game, view, seat, its legal moves in canonical order, chance): the move. There is at least one legal move."""

LOOKED_AT = 20_000
"""How many legal moves a random bot looks at, for positions that have more than anybody could count."""


class Level(msgspec.Struct, frozen=True):
    """How well a bot plays, and how it chooses."""

    name: str
    description: str
    choose: Choose


def random_move(game: AnyGame, view: Any, seat: Seat, legal: Iterable[Any], chance: Chance) -> Any:
    """Any legal move, each as likely as the other."""
    return chance.pick(list(islice(legal, LOOKED_AT)))


def greedy_move(game: AnyGame, view: Any, seat: Seat, legal: Iterable[Any], chance: Chance) -> Any:
    """What the game itself says that a greedy player does."""
    return game.greedy(view, seat, legal, chance)


CHOICES: dict[str, Choose] = {"random": random_move, "greedy": greedy_move}
LEVELS: dict[str, Level] = {name: Level(name, OFFERED[name], choose) for name, choose in CHOICES.items()}
