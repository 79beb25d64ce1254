"""Moves in plain words, for standing orders and hints."""

from domain.games.mice_cake.rules.model import View
from domain.games.mice_cake.rules.moves import AssignMice, Move
from domain.games.mice_cake.rules.parts import COLUMNS, Column
from domain.kernel.game import Seat
from domain.kernel.text import join_and


def describe_move(view: View, seat: Seat, move: Move) -> str:
    """Return a move of this seat in plain words."""
    if not isinstance(move, AssignMice):
        return "Resign"
    groups = [describe_group(column, move.columns.of(column)) for column in COLUMNS if move.columns.of(column)]
    target = f", to steal {move.steal_target}" if move.steal_target else ""
    return f"Send {join_and(groups) or 'no mice'}{target}"


def describe_group(column: Column, count: int) -> str:
    """Return the mice for one column."""
    return f"{count} {'mouse' if count == 1 else 'mice'} to column {column}"
