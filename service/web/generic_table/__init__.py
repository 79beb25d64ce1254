"""The table for games without one of their own: a list of the legal moves, and a field for a move as JSON.

If a move has a single field (`{"type": "mark", "cell": 4}`), players can also click the part of the board with the
matching attribute (`data-cell="4"`).
"""

from itertools import islice
from typing import Any

import msgspec

from domain.kernel.game import Seat
from domain.kernel.refusals import Refused
from domain.kernel.table import BadForm, Form, Table, TableContext

MAX_LISTED = 120
"""Maximum number of moves listed. Players can enter any move as JSON."""
MAX_DESCRIBED = 12
"""Maximum number of moves described by their effects. Longer lists name each move instead."""


class MoveChoice(msgspec.Struct, frozen=True):
    """A legal move as JSON and as text, and the field that links it to a part of the board."""

    move: str
    words: str
    field: str | None
    value: str | None


def read_move(form: Form) -> dict[str, Any]:
    """Return the move that was chosen or entered. Raises BadForm."""
    written = form.get("written", "").strip() or form.get("move", "")
    if not written:
        raise BadForm("Choose a move first.")
    try:
        return msgspec.json.decode(written, type=dict[str, Any])
    except (msgspec.DecodeError, msgspec.ValidationError, RecursionError):
        raise BadForm('Enter the move as a JSON object with a type, such as {"type": "resign"}.') from None


def template_data(context: TableContext) -> dict[str, Any]:
    """Return the legal moves and the input of a refused form."""
    assert context.seat is not None, "the form is shown only to seated players"
    found = list(islice(context.game.legal_moves(context.match.state, context.seat), MAX_LISTED + 1))
    told = len(found) <= MAX_DESCRIBED
    return {
        "choices": [make_choice(context, context.seat, move, told) for move in found[:MAX_LISTED]],
        "more": len(found) > MAX_LISTED,
        "chosen": context.form.get("move", ""),
        "written": context.form.get("written", ""),
    }


def make_choice(context: TableContext, seat: Seat, move: Any, told: bool) -> MoveChoice:
    """Return the list entry of a move, described by its effects if `told` is set."""
    document = msgspec.to_builtins(move)
    fields = {name: value for name, value in document.items() if name != "type"}
    name, value = next(iter(fields.items())) if len(fields) == 1 else (None, None)
    words = (told and describe_effect(context, document)) or context.game.describe_move(context.view, seat, move)
    return MoveChoice(msgspec.json.encode(document).decode(), words, name, None if name is None else str(value))


def describe_effect(context: TableContext, move: dict[str, Any]) -> str:
    """Return the certain effects of the move as text; empty if there are none or the position has changed."""
    try:
        return " ".join(context.game.tell(context.foresee(move).facts))
    except Refused:
        return ""


TABLE = Table(
    prompt="make your move",
    form_template="tables/generic/form.html",
    read_move=read_move,
    template_data=template_data,
    turn_key=lambda context: str(context.match.ply),
    script="tables/generic/table.js",
)
