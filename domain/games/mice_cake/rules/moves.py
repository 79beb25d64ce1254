"""The options of a match and the moves of a seat, as in JSON."""

from typing import Literal

from domain.games.mice_cake.rules.parts import Columns, Piece
from domain.kernel.values import Value


class Options(Value, frozen=True, forbid_unknown_fields=True):
    """The options of section 11, which can be combined freely."""

    start_face: Literal["alternate", "up", "down"] = "alternate"
    matches: Literal["exhaust", "boost"] = "exhaust"
    contest_floor: Literal["pips", "none"] = "pips"


class AssignMice(Value, frozen=True, tag_field="type", tag="assign_mice", forbid_unknown_fields=True):
    """Send all ready mice to columns. `steal_target` is required if some go to the face-up 0-0 (M1)."""

    columns: Columns
    steal_target: Piece | None = None


class Resign(Value, frozen=True, tag_field="type", tag="resign", forbid_unknown_fields=True):
    """Resign the match."""


Move = AssignMice | Resign
