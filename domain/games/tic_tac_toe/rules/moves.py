"""The options of a match and the moves of a seat, as in JSON."""

from domain.games.tic_tac_toe.rules.parts import Cell
from domain.kernel.values import Value


class Options(Value, frozen=True, forbid_unknown_fields=True):
    """Tic-tac-toe has no options."""


class Mark(Value, frozen=True, tag_field="type", tag="mark", forbid_unknown_fields=True):
    """Put your mark on an empty cell."""

    cell: Cell


class Resign(Value, frozen=True, tag_field="type", tag="resign", forbid_unknown_fields=True):
    """Resign the match."""


Move = Mark | Resign
MARK_MOVES = tuple(map(Mark, range(9)))
