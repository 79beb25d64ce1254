"""The Mice Cake match page: a cake of slices, mice for four columns, a table of odds, and a slice to steal."""

from typing import Any

from domain.games.mice_cake.presentation.narration import describe_assignment
from domain.games.mice_cake.presentation.outcome_text import ENDINGS, describe_outcome
from domain.games.mice_cake.presentation.table.beats import beats, chapter
from domain.games.mice_cake.presentation.table.board import FAMILIES, board_data
from domain.games.mice_cake.presentation.table.choices import column_choices, seat_name, steal_targets
from domain.games.mice_cake.presentation.table.pictures import cover
from domain.games.mice_cake.presentation.table.recap import build_recap
from domain.games.mice_cake.rules.parts import COLUMNS, MICE_PER_SEAT
from domain.kernel.table import BadForm, Form, Table, TableContext

LONGEST_ROUND = 2600
"""How long a round may play, in milliseconds at normal speed, if all its beats are of average length.

With the longest motions in every beat, a round of seven beats then takes less than four seconds.
"""


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
    view = context.view
    return {
        "name": name,
        "family": FAMILIES[name],
        "tires": view.options.matches == "exhaust",
        "ready": view.ready.of(name),
        "asleep": MICE_PER_SEAT - view.ready.of(name),
        "round_number": view.round,
        "sent": describe_assignment(view.own_assignment) if view.own_assignment else "",
        "columns": column_choices(context, name),
        "targets": steal_targets(context, name),
        "round": build_recap(context),
    }


TABLE = Table(
    prompt="send your mice",
    form_template="tables/mice_cake/form.html",
    action_template="tables/mice_cake/action.html",
    read_move=read_move,
    template_data=template_data,
    turn_key=lambda context: f"round {context.view.round}",
    where=lambda context: f"round {context.view.round}",
    script="tables/mice_cake/table.js",
    recap_template="tables/mice_cake/recap.html",
    cover_svg=cover,
    style="tables/mice_cake/table.css",
    is_featured=True,
    board_template="tables/mice_cake/board.html",
    board_data=board_data,
    seat_colours=(1, 2),
    beats=beats,
    longest=LONGEST_ROUND,
    chapter=chapter,
    effects="tables/mice_cake/effects.js",
    outcome_text=describe_outcome,
    endings=ENDINGS,
)
