"""The levels by name, as `service.bots.levels` offers them: each a way to choose a move from what one seat may see."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import msgspec

from domain.kernel.chance import Chance, Fast
from domain.kernel.game import AnyGame, Seat
from service.bots.levels import LEVELS as OFFERED
from workers.bots.search import ENGINE, VERSION, Budget, SearchResult, run_search

MAX_MOVES_SAMPLED = 20_000
"""How many legal moves a random bot looks at, for positions that have more than anybody could count."""
EASY_ERRS_ONE_IN = 3
"""An easy bot plays any move once in so many."""
STRONG_BUDGET = Budget(iterations=240, seconds=1.8)
"""For games that do not say how many iterations suit them."""


@dataclass(frozen=True)
class BotInput:
    """All that a bot is shown: what its seat sees, what it was told so far, its legal moves, and its own luck.

    `legal` holds at least one move, in canonical order; it can be gone through once. `facts` is a function, since few
    bots ask.
    """

    game: AnyGame
    view: Any
    seat: Seat
    legal: Iterable[Any]
    facts: Callable[[], Sequence[Any]]
    seed: str

    @property
    def chance(self) -> Chance:
        """The bot's luck, from its beginning."""
        return Fast(self.seed)


class BotChoice(msgspec.Struct, frozen=True):
    """A move, and the thought behind it where there was one. `instead`: it is none of the level's own, which failed."""

    move: Any
    thought: SearchResult | None = None
    is_fallback: bool = False


class Level(msgspec.Struct, frozen=True):
    """How well a bot plays, and how it chooses; `engine`, `version` and `budget` name what must be known to run it
    again."""

    name: str
    description: str
    choose: Callable[[BotInput, Budget | None, int | None], BotChoice]
    engine: str
    version: int = 1
    budget: Budget | None = None


def budget_of(level: Level, game: AnyGame) -> Budget | None:
    """The budget of a level in a game: the level's, with as many iterations as suit the game; None if it needs none."""
    if level.budget is None or game.insight is None or level.budget != STRONG_BUDGET:
        return level.budget
    return Budget(game.insight.iterations, level.budget.seconds)


def random_move(sight: BotInput, budget: Budget | None = None, stop_after: int | None = None) -> BotChoice:
    """Any legal move, each as likely as the other."""
    return BotChoice(sight.chance.pick(list(islice(sight.legal, MAX_MOVES_SAMPLED))))


def easy_move(sight: BotInput, budget: Budget | None = None, stop_after: int | None = None) -> BotChoice:
    """The greedy move, or once in a while any other."""
    chance = sight.chance
    if chance.below(EASY_ERRS_ONE_IN) == 0:
        return BotChoice(chance.pick(list(islice(sight.legal, MAX_MOVES_SAMPLED))))
    return BotChoice(sight.game.greedy(sight.view, sight.seat, sight.legal, chance))


def greedy_move(sight: BotInput, budget: Budget | None = None, stop_after: int | None = None) -> BotChoice:
    """What the game itself says that a greedy player does."""
    return BotChoice(sight.game.greedy(sight.view, sight.seat, sight.legal, sight.chance))


def strong_move(sight: BotInput, budget: Budget | None = None, stop_after: int | None = None) -> BotChoice:
    """What the search finds; with `stop_after` it ends there, whatever the time."""
    assert budget is not None
    thought = run_search(sight.game, sight.view, sight.facts(), sight.seat, sight.legal, sight.seed, budget, stop_after)
    return BotChoice(thought.move, thought)


LEVELS: dict[str, Level] = {
    level.name: level
    for level in (
        Level("random", OFFERED["random"], random_move, "random"),
        Level("easy", OFFERED["easy"], easy_move, "greedy that errs"),
        Level("greedy", OFFERED["greedy"], greedy_move, "greedy"),
        Level("strong", OFFERED["strong"], strong_move, ENGINE, VERSION, STRONG_BUDGET),
    )
}
