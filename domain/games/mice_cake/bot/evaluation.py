"""Evaluation of the dominoes in a column, in pips of the final margin, read from `evaluation.txt`.

The values are a logistic regression of wins on all positions of matches between the lookahead and a greedy rival,
played by the model in tools/models/mice_cake.cpp (`mice_cake fit` prints the file). A row is a domino, or `?` for a
face-down one. A column combines a place with the number of dominoes left in the cake's column: the seat's own front,
the rival's front, the domino after each of these, or the last one. Deeper in the column, only the 0-0 has a value:
`deep6.4` is for the fourth of six, counted from the seat.
"""

from functools import lru_cache
from math import sqrt
from pathlib import Path

from domain.games.mice_cake.rules.parts import BLANK, PIECES, Piece
from domain.kernel.values import Value

VALUES_FILE = Path(__file__).with_name("evaluation.txt")
UNKNOWN = "?"
Block = tuple[Piece | None, ...]
"""The dominoes of a column, starting at the seat's own front, with None for face-down ones."""
CACHE_SIZE = 20_000
"""Size of the caches by column; a search evaluates the same columns many times."""
SPREAD_FACTOR = 1.2
"""Spread of the final margin, per square root of the pips left on the cake."""


def read_table(text: str) -> tuple[dict[str, float], dict[str, dict[str, float]]]:
    """Return the constants by name, and the table by place and domino. Raise ValueError for an incomplete table."""
    lines = [line.split() for line in text.splitlines()]
    start = next(n for n, words in enumerate(lines) if words[0] == "domino")
    stakes = {name: float(value) for name, value in lines[:start]}
    places = lines[start][1:]
    rows = {piece: [float(value) for value in values] for piece, *values in lines[start + 1 :]}
    for row in (*PIECES, UNKNOWN):
        if len(rows.get(row, ())) != len(places):
            raise ValueError(
                f"{VALUES_FILE.name}: row {row}: expected {len(places)} values, found {len(rows.get(row, ()))}"
            )
    return stakes, {place: {piece: row[n] for piece, row in rows.items()} for n, place in enumerate(places)}


CONSTANTS, VALUES = read_table(VALUES_FILE.read_text(encoding="ascii"))
TIRED_MOUSE_COST = CONSTANTS["tired"]
"""Cost of a resting mouse, in pips."""


class ColumnEvaluator(Value, frozen=True):
    """Evaluates columns for a seat, given the unseen dominoes and the best steal from each stash."""

    unseen: tuple[Piece, ...] = ()
    rich: float = 0.0
    their_rich: float = 0.0

    def value_of(self, block: Block) -> float:
        """Return the value of a column for the seat."""
        left = len(block)
        if left < 2:
            return self._front_value("last", "", block[0]) if left else 0.0
        worth = self._front_value("front", str(left), block[0]) + self._front_value("theirs", str(left), block[-1])
        if left == 2:
            return worth
        worth += VALUES[f"behind{left}"][block[1] or UNKNOWN] + VALUES[f"their_behind{left}"][block[-2] or UNKNOWN]
        return worth + sum(CONSTANTS[f"deep{left}.{n}"] for n, piece in enumerate(block[2:-2], 3) if piece == BLANK)

    def _front_value(self, place: str, left: str, piece: Piece | None) -> float:
        return self.face_up_value(place, left, piece) if piece else mean_face_down_value(self, place, left)

    def face_up_value(self, place: str, left: str, piece: Piece) -> float:
        """Return the value of a face-up front."""
        worth = VALUES[place + left][piece]
        if piece != BLANK:
            return worth
        steal = {"front": self.rich * CONSTANTS["rich"], "theirs": self.their_rich * CONSTANTS["their_rich"]}
        return worth + steal.get(place, 0.0)


@lru_cache(maxsize=CACHE_SIZE)
def mean_face_down_value(promise: ColumnEvaluator, place: str, left: str) -> float:
    """Return the value of a face-down front: the mean over the unseen dominoes."""
    pool = [promise.face_up_value(place, left, piece) for piece in promise.unseen]
    return sum(pool) / max(1, len(pool))


def margin_spread(pips: float) -> float:
    """Return the spread of the final margin with this many pips on the cake."""
    return 1 + SPREAD_FACTOR * sqrt(max(0.0, pips))
