"""What lies in a column is worth to a seat that looks ahead, in pips of the margin: read from `worths.txt`.

The worths are a logistic regression of who won, on all positions of matches that the look ahead played against a greedy
rival in the model of tools/models/mice_cake.cpp (`mice_cake fit` prints the file anew). A row is a domino, or
`?` for one that lies face down; a column says where it lies and how many dominoes the cake's column has: the seat's own
front, the rival's, the ones behind these, or the last of all. Still deeper only the 0-0 counts: `deep6.4` is what it is
worth as the fourth of six, seen from the seat.
"""

from functools import lru_cache
from math import sqrt
from pathlib import Path

from domain.games.mice_cake.rules.parts import BLANK, PIECES, Piece
from domain.kernel.values import Value

VALUES_FILE = Path(__file__).with_name("evaluation.txt")
UNKNOWN = "?"
Block = tuple[Piece | None, ...]
"""A column from the seat's own front on, None for what lies face down."""
CACHE_SIZE = 20_000
"""So many columns are kept in mind: a search meets the same ones again and again."""
SPREAD_FACTOR = 1.2
"""How far the margin strays until the end, times the square root of the pips in the cake."""


def read_table(text: str) -> tuple[dict[str, float], dict[str, dict[str, float]]]:
    """The single worths by name, and the table: by place, then by domino. Raises ValueError where a row is missing."""
    lines = [line.split() for line in text.splitlines()]
    start = next(n for n, words in enumerate(lines) if words[0] == "domino")
    stakes = {name: float(value) for name, value in lines[:start]}
    places = lines[start][1:]
    rows = {piece: [float(value) for value in values] for piece, *values in lines[start + 1 :]}
    for row in (*PIECES, UNKNOWN):
        if len(rows.get(row, ())) != len(places):
            raise ValueError(f"{VALUES_FILE.name}: row {row}: needs {len(places)} worths, has {len(rows.get(row, ()))}")
    return stakes, {place: {piece: row[n] for piece, row in rows.items()} for n, place in enumerate(places)}


CONSTANTS, VALUES = read_table(VALUES_FILE.read_text(encoding="ascii"))
TIRED_MOUSE_COST = CONSTANTS["tired"]
"""What a mouse that must rest costs."""


class ColumnEvaluator(Value, frozen=True):
    """What columns promise a seat, given what still lies face down and how rich the stashes are to steal from."""

    unseen: tuple[Piece, ...] = ()
    rich: float = 0.0
    their_rich: float = 0.0

    def value_of(self, block: Block) -> float:
        """A column, seen from the seat's own front on."""
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
        """A front that lies face up."""
        worth = VALUES[place + left][piece]
        if piece != BLANK:
            return worth
        steal = {"front": self.rich * CONSTANTS["rich"], "theirs": self.their_rich * CONSTANTS["their_rich"]}
        return worth + steal.get(place, 0.0)


@lru_cache(maxsize=CACHE_SIZE)
def mean_face_down_value(promise: ColumnEvaluator, place: str, left: str) -> float:
    """A front that lies face down yet: the mean of what it may be."""
    pool = [promise.face_up_value(place, left, piece) for piece in promise.unseen]
    return sum(pool) / max(1, len(pool))


def margin_spread(pips: float) -> float:
    """How far the margin may still stray when so many pips are in the cake."""
    return 1 + SPREAD_FACTOR * sqrt(max(0.0, pips))
