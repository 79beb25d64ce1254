"""The levels of the house bots. Each chooses a move only from what one seat may see and from its 32 random bytes.

So anyone can repeat a choice, as `replays.bot_check` does. The version of a strategy is `Game.bot_version`.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import msgspec

from domain.bots.search import ENGINE, VERSION, Budget, SearchResult, run_search
from domain.kernel.chance import Chance, Fast
from domain.kernel.game import AnyGame, Seat

MAX_MOVES_SAMPLED = 20_000
"""Maximum number of legal moves that a random bot considers, for positions with a huge number of moves."""
EASY_ERRS_ONE_IN = 3
"""One in this many moves of an easy bot is random, on average."""
STRONG_BUDGET = Budget(iterations=240)
"""For games that don't set a number of iterations."""


@dataclass(frozen=True)
class BotInput:
    """Everything a bot may use: its seat's view, the facts so far, its legal moves and a seed.

    `legal` yields at least one move, in canonical order, and can be iterated only once. `facts` is a function because
    few bots need them. `seed` is 32 bytes in hex, all the luck that the bot has in this turn.
    """

    game: AnyGame
    view: Any
    seat: Seat
    legal: Iterable[Any]
    facts: Callable[[], Sequence[Any]]
    seed: str

    @property
    def chance(self) -> Chance:
        """Return the bot's random numbers, from the start."""
        return Fast(self.seed)


class BotChoice(msgspec.Struct, frozen=True):
    """A move and, if there was a search, its result. `is_fallback`: the level failed and this move replaces its own."""

    move: Any
    search: SearchResult | None = None
    is_fallback: bool = False


class Level(msgspec.Struct, frozen=True):
    """A level and how it chooses. `engine`, `version` and `budget` identify the algorithm, so that its choices can be
    repeated."""

    name: str
    description: str
    choose: Callable[[BotInput, Budget | None, int | None], BotChoice]
    engine: str
    version: int = 1
    budget: Budget | None = None


def budget_of(level: Level, game: AnyGame, view: Any) -> Budget | None:
    """Return a level's budget, with the iterations that suit the game and the position. None: it needs no budget."""
    insight = game.insight
    if level.budget is None or insight is None or level.budget != STRONG_BUDGET:
        return level.budget
    slow = None if insight.iterations_at is None else insight.iterations_at(view)
    return Budget(insight.iterations if slow is None else slow)


def random_move(bot_input: BotInput, budget: Budget | None = None, stop_after: int | None = None) -> BotChoice:
    """Return a random legal move."""
    return BotChoice(bot_input.chance.pick(list(islice(bot_input.legal, MAX_MOVES_SAMPLED))))


def easy_move(bot_input: BotInput, budget: Budget | None = None, stop_after: int | None = None) -> BotChoice:
    """Return the greedy move, or sometimes a random one."""
    chance = bot_input.chance
    if chance.below(EASY_ERRS_ONE_IN) == 0:
        return BotChoice(chance.pick(list(islice(bot_input.legal, MAX_MOVES_SAMPLED))))
    return BotChoice(bot_input.game.greedy(bot_input.view, bot_input.seat, bot_input.legal, chance))


def greedy_move(bot_input: BotInput, budget: Budget | None = None, stop_after: int | None = None) -> BotChoice:
    """Return the move of the game's greedy player."""
    return BotChoice(bot_input.game.greedy(bot_input.view, bot_input.seat, bot_input.legal, bot_input.chance))


def strong_move(bot_input: BotInput, budget: Budget | None = None, stop_after: int | None = None) -> BotChoice:
    """Return the result of the search. `stop_after` ends it after this many iterations."""
    assert budget is not None
    search = run_search(
        bot_input.game,
        bot_input.view,
        bot_input.facts(),
        bot_input.seat,
        bot_input.legal,
        bot_input.seed,
        budget,
        stop_after,
    )
    return BotChoice(search.move, search)


LEVELS: dict[str, Level] = {
    level.name: level
    for level in (
        Level("random", "Plays random legal moves.", random_move, "random"),
        Level(
            "easy", "Plays like the greedy bot, but makes one move in three at random.", easy_move, "greedy that errs"
        ),
        Level("greedy", "Medium: takes what looks best now, without looking ahead.", greedy_move, "greedy"),
        Level(
            "strong",
            "Hard: knows the game better than the greedy bot, and looks ahead where that helps.",
            strong_move,
            ENGINE,
            VERSION,
            STRONG_BUDGET,
        ),
    )
}
"""The levels by name, weakest first."""
