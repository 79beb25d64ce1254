"""The pictures and data of the Mice Cake rules page. The results of the examples are computed by the rules code."""

from typing import Any

import msgspec

from domain.games.mice_cake import GAME
from domain.games.mice_cake.presentation.table.choices import describe_mice, to_percent
from domain.games.mice_cake.presentation.table.pictures import cover, picture, sprite
from domain.games.mice_cake.rules.attempts import count_matching_dice
from domain.games.mice_cake.rules.components import DOMINOES, FLAVOURS, PIPS
from domain.games.mice_cake.rules.moves import Options
from domain.games.mice_cake.rules.odds import odds
from domain.games.mice_cake.rules.parts import MICE_PER_SEAT, PIECES, QUIET_ROUND_LIMIT, Piece, SeatName

POSITION = {
    "round": 9,
    "cake": ["A3: 2-6 (2-2) 0-4 (1-2) 3-6", "B4: 5-6 4-4", "C2: 0-0 (1-4) 5-5 (0-3) 3-4", "D5: 1-5"],
    "yellow": ["6-6", "1-3", "2-5", "0-2", "3-5", "1-6", "0-1"],
    "rest": "blue",
    "resting": {"yellow": [{"column": "B", "count": 1}]},
}
"""A position with face-down pieces, a race, a contest, the crumb and a resting mouse."""

ROLLS: tuple[tuple[SeatName, Piece, tuple[int, ...]], ...] = (
    ("yellow", "2-5", (3, 4)),
    ("blue", "4-4", (2, 4)),
    ("yellow", "5-6", (6, 6, 5)),
    ("blue", "0-3", (3, 3)),
    ("yellow", "4-4", (4,)),
)
ODDS: tuple[Piece, ...] = ("0-1", "0-6", "1-2", "3-4", "4-4", "4-6", "5-6", "6-6")


class Example(msgspec.Struct, frozen=True):
    """A roll against a piece, with its result."""

    seat: SeatName
    piece: Piece
    name: str
    needed: int
    dice: tuple[int, ...]
    total: int
    stamp: str
    gain: bool
    tired: str


class Chances(msgspec.Struct, frozen=True):
    """The chances of 1, 2, 3 and 4 mice to take a piece, in percent, and the best number of mice."""

    piece: Piece
    take: tuple[int, ...]
    best: int


def pictures() -> dict[str, str]:
    """Return the drawings by name."""
    drawn = {piece: picture("piece", piece) for piece in PIECES}
    animals = {f"{what} {name}": picture(what, name) for what in ("mouse", "sleeper") for name in ("yellow", "blue")}
    return {**drawn, **animals, "cover": cover(), "board": example_board(), "sprite": sprite()}


def example_board() -> str:
    """Draw the example position as yellow sees it."""
    state = GAME.fold(GAME.from_position(2, Options(), POSITION))
    return GAME.svg(GAME.view(state, 0), 0)


def extras() -> dict[str, Any]:
    """Return the other data of the page."""
    return {
        "examples": [make_example(*rolled) for rolled in ROLLS],
        "odds": [attempt_chances(piece) for piece in ODDS],
        "flavours": [(f"{number}-{number}", number, name) for number, name in enumerate(FLAVOURS)],
        "all_pips": sum(PIPS.values()),
        "quiet_rounds": QUIET_ROUND_LIMIT,
    }


def make_example(seat: SeatName, piece: Piece, dice: tuple[int, ...]) -> Example:
    """Return an example with the result of this roll (T3 to T7)."""
    tired, needed = count_matching_dice(piece, dice), PIPS[piece]
    gain = not tired and sum(dice) >= needed
    stamp = "exhausted" if tired else "taken" if gain else "not enough"
    return Example(
        seat, piece, DOMINOES[piece].words, needed, dice, sum(dice), stamp, gain, describe_mice(tired) if tired else ""
    )


def attempt_chances(piece: Piece) -> Chances:
    """Return the chances against a piece without a contest."""
    take = [odds(piece, count, "exhaust").take for count in range(1, MICE_PER_SEAT + 1)]
    return Chances(piece, tuple(map(to_percent, take)), take.index(max(take)) + 1)
