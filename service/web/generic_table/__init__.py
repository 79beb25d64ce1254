"""The table for any game: the legal moves as a list, or a move written as JSON.

Where a move has a single field (`{"type": "mark", "cell": 4}`), the part of the board with the attribute of that name
(`data-cell="4"`) can be clicked instead.
"""

from itertools import islice
from typing import Any

import msgspec

from domain.kernel.refusals import Refused
from domain.kernel.table import BadForm, Form, Table, TableContext
from domain.kernel.text import capital

MAX_LISTED = 120
"""The most moves that are listed; any move can be written."""
MAX_DESCRIBED = 12
"""Up to how many moves are told by what they would do; more are told by their fields."""


class MoveChoice(msgspec.Struct, frozen=True):
    """A legal move: as JSON, in words, and the field by which it can be clicked on the board."""

    move: str
    words: str
    field: str | None
    value: str | None


def read_move(form: Form) -> dict[str, Any]:
    """The move that was chosen or written. Raises BadForm."""
    written = form.get("written", "").strip() or form.get("move", "")
    if not written:
        raise BadForm("Choose one of the moves first.")
    try:
        return msgspec.json.decode(written, type=dict[str, Any])
    except (msgspec.DecodeError, msgspec.ValidationError, RecursionError):
        raise BadForm('A written move is a JSON object with a type, such as {"type": "resign"}.') from None


def template_data(context: TableContext) -> dict[str, Any]:
    """The legal moves."""
    assert context.seat is not None, "only who sits is shown a form"
    found = [
        msgspec.to_builtins(m)
        for m in islice(context.game.legal_moves(context.match.state, context.seat), MAX_LISTED + 1)
    ]
    told = len(found) <= MAX_DESCRIBED
    return {
        "choices": [make_choice(context, move, told) for move in found[:MAX_LISTED]],
        "more": len(found) > MAX_LISTED,
        "chosen": context.form.get("move", ""),
        "written": context.form.get("written", ""),
    }


def make_choice(context: TableContext, move: dict[str, Any], told: bool) -> MoveChoice:
    """One line of the list."""
    fields = {name: value for name, value in move.items() if name != "type"}
    name, value = next(iter(fields.items())) if len(fields) == 1 else (None, None)
    words = (told and describe_effect(context, move)) or describe_fields(move["type"], fields)
    return MoveChoice(msgspec.json.encode(move).decode(), words, name, None if name is None else str(value))


def describe_effect(context: TableContext, move: dict[str, Any]) -> str:
    """The move told by what it would surely do; empty where that is nothing, or the position has moved on."""
    try:
        return " ".join(context.game.tell(context.foresee(move).facts))
    except Refused:
        return ""


def describe_fields(kind: str, fields: dict[str, Any]) -> str:
    """The move told by its name and fields."""
    given = ((name, value) for name, value in fields.items() if value not in (None, {}, []))
    parts = [kind.replace("_", " "), *(f"{name.replace('_', ' ')} {format_value(value)}" for name, value in given)]
    return capital(", ".join(parts))


def format_value(value: Any) -> str:
    """A value without JSON's signs."""
    if isinstance(value, dict):
        return " ".join(f"{name} {format_value(part)}" for name, part in value.items())
    if isinstance(value, list):
        return " ".join(map(format_value, value))
    return str(value)


TABLE = Table(
    prompt="make your move",
    form_template="tables/generic/form.html",
    read_move=read_move,
    template_data=template_data,
    turn_key=lambda context: str(context.match.ply),
    script="tables/generic/table.js",
)
