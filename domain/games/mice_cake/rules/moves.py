"""The options of a match and the moves of a seat, as they are written in JSON."""

from typing import Literal

from domain.games.mice_cake.rules.parts import Columns, Piece
from domain.kernel.values import Value


class Options(Value, frozen=True, forbid_unknown_fields=True):
    """Section 11. The three combine freely."""

    start_face: Literal["alternate", "up", "down"] = "alternate"
    matches: Literal["exhaust", "boost"] = "exhaust"
    contest_floor: Literal["pips", "none"] = "pips"


class AssignMice(Value, frozen=True, tag_field="type", tag="assign_mice", forbid_unknown_fields=True):
    """Send all ready mice to columns; name the domino to steal if some go to the face-up 0-0."""

    columns: Columns
    steal_target: Piece | None = None


class Resign(Value, frozen=True, tag_field="type", tag="resign", forbid_unknown_fields=True):
    """Give the game up."""


Move = AssignMice | Resign
