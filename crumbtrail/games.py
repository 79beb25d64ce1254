"""Everything that a game package imports: the contract, chance, values and the registry. See `docs/add-a-game.md`."""

from domain.kernel.chance import Chance, Fast
from domain.kernel.game import (
    AnyGame,
    Beyond,
    Branch,
    DrawTable,
    Game,
    Insight,
    MoveGrammar,
    OptionHelp,
    Outcome,
    Part,
    ScoreLine,
    ScoreSheet,
    Seat,
    Step,
)
from domain.kernel.recorder import Decision, FactRecorder
from domain.kernel.refusals import BadOptions, IllegalMove, Refused
from domain.kernel.registry import UnknownGame, all_versions, find_game, games
from domain.kernel.values import Value

__all__ = [
    "AnyGame",
    "BadOptions",
    "Beyond",
    "Branch",
    "Chance",
    "Decision",
    "DrawTable",
    "FactRecorder",
    "Fast",
    "Game",
    "IllegalMove",
    "Insight",
    "MoveGrammar",
    "OptionHelp",
    "Outcome",
    "Part",
    "Refused",
    "ScoreLine",
    "ScoreSheet",
    "Seat",
    "Step",
    "UnknownGame",
    "Value",
    "all_versions",
    "find_game",
    "games",
]
