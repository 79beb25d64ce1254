"""The Mice Cake match page: mice for four columns, a piece to steal, and playback of the last round."""

from typing import Any

from domain.games.mice_cake.presentation.narration import describe_assignment
from domain.games.mice_cake.presentation.table.choices import column_choices, seat_name, steal_targets
from domain.games.mice_cake.presentation.table.pictures import cover, picture, sprite
from domain.games.mice_cake.presentation.table.recap import build_recap
from domain.games.mice_cake.rules.parts import COLUMNS
from domain.kernel.table import BadForm, Form, Table, TableContext


def read_move(form: Form) -> dict[str, Any]:
    """Return the assignment in the form. Raise BadForm if a number of mice is invalid."""
    mice = {column: form.get(column, "0") for column in COLUMNS}
    if not all(count.isascii() and count.isdigit() and len(count) == 1 for count in mice.values()):
        raise BadForm("Choose 0 to 4 mice for each column.")
    return {
        "type": "assign_mice",
        "columns": {column: int(count) for column, count in mice.items()},
        "steal_target": form.get("steal") or None,
    }


def template_data(context: TableContext) -> dict[str, Any]:
    """Return the values that the form and the recap need."""
    name = seat_name(context.seat)
    return {
        "name": name,
        "ready": context.view.ready.of(name),
        "sent": describe_assignment(context.view.own_assignment) if context.view.own_assignment else "",
        "columns": column_choices(context, name),
        "targets": steal_targets(context, name),
        "round": build_recap(context),
        "picture": picture,
        "sprite": sprite,
    }


TABLE = Table(
    prompt="send your mice",
    form_template="tables/mice_cake/form.html",
    read_move=read_move,
    template_data=template_data,
    turn_key=lambda context: f"round {context.view.round}",
    script="tables/mice_cake/table.js",
    recap_template="tables/mice_cake/recap.html",
    cover_svg=cover,
    style="tables/mice_cake/table.css",
    is_featured=True,
)
