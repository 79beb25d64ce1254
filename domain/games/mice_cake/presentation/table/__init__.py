"""The Mice Cake table: mice for four columns, a domino to steal, and the last round played back."""

from typing import Any

from domain.games.mice_cake.presentation.narration import assigned
from domain.games.mice_cake.presentation.table.choices import columns, seat_name, targets
from domain.games.mice_cake.presentation.table.pictures import cover, picture, sprite
from domain.games.mice_cake.presentation.table.recap import last_round
from domain.games.mice_cake.rules.model import COLUMNS
from domain.kernel.table import BadForm, Form, Sight, Table


def read(form: Form) -> dict[str, Any]:
    """The assignment in the form. Raises BadForm."""
    mice = {column: form.get(column, "0") for column in COLUMNS}
    if not all(count.isascii() and count.isdigit() and len(count) == 1 for count in mice.values()):
        raise BadForm("The number of mice at a column is 0 to 4.")
    return {
        "type": "assign_mice",
        "columns": {column: int(count) for column, count in mice.items()},
        "steal_target": form.get("steal") or None,
    }


def show(sight: Sight) -> dict[str, Any]:
    """What the form and the recap need."""
    name = seat_name(sight.seat)
    return {
        "name": name,
        "ready": sight.view.ready.of(name),
        "sent": assigned(sight.view.own_assignment) if sight.view.own_assignment else "",
        "columns": columns(sight, name),
        "targets": targets(sight, name),
        "round": last_round(sight),
        "picture": picture,
        "sprite": sprite,
    }


TABLE = Table(
    call="send your mice",
    form="tables/mice_cake/form.html",
    read=read,
    show=show,
    turn=lambda sight: f"round {sight.view.round}",
    script="tables/mice_cake/table.js",
    recap="tables/mice_cake/recap.html",
    cover=cover,
)
