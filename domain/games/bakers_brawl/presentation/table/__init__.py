"""The Baker's Brawl table: a card and a cell, two cards to choose from, or an Order; and how far the Orders are."""

from functools import partial
from typing import Any

from domain.games.bakers_brawl.presentation.drawing import heap, table_id
from domain.games.bakers_brawl.presentation.table.choices import cells, completions, groups, reasons, sets, throws
from domain.games.bakers_brawl.presentation.table.pictures import cover, picture
from domain.games.bakers_brawl.presentation.table.progress import progress
from domain.games.bakers_brawl.presentation.table.recap import recap
from domain.games.bakers_brawl.rules.model import CUBES
from domain.kernel.table import BadForm, Form, Sight, Table

PLAIN = {"draw": "draw_special", "decline": "decline_order", "pass": "pass"}
"""What needs nothing else, by its name in the form."""


def read(form: Form) -> dict[str, Any]:
    """The move in the form. Raises BadForm."""
    kind, _, which = form.get("choice", "").partition(":")
    match kind:
        case "draw" | "decline" | "pass":
            return {"type": PLAIN[kind]}
        case "pantry":
            return {"type": "take_from_pantry", "card": which}
        case "basic":
            return {"type": "play_basic", "ingredient": which, "cell": chosen_cell(form)}
        case "hand":
            return {"type": "play_special", "ingredient": which, "cell": chosen_cell(form)}
        case "blind":
            return {"type": "play_blind", "cell": chosen_cell(form)}
        case "keep":
            return {"type": "keep_special", "keep": which, "pantry_discard": form.get("out") or None}
        case "complete":
            order_id, _, used = which.partition(":")
            return {"type": "complete_order", "order_id": order_id, "cells": used.split()}
        case _:
            raise BadForm("Choose first what you want to do.")


def chosen_cell(form: Form) -> str:
    """Where a card goes. Raises BadForm."""
    if not form.get("cell"):
        raise BadForm("Choose the cell on which the card shall lie.")
    return form["cell"]


def show(sight: Sight) -> dict[str, Any]:
    """What the form and the recap need."""
    view = sight.view
    own = None if sight.seat is None else view.seats[sight.seat]
    return {
        "phase": view.phase,
        "own": own,
        "all_cubes": CUBES,
        "groups": groups(sight),
        "reasons": reasons(sight),
        "cells": cells(sight),
        "completions": completions(sight),
        "throws": throws(sight),
        "sets": sets(sight),
        "progress": progress(sight),
        "discard": heap(view.discard),
        "recap": recap(sight),
        "picture": partial(picture, table=table_id(view, sight.seat)),
    }


def turn(sight: Sight) -> str:
    """One step of one seat: its action, its choice of a card, or its choice of an Order."""
    return f"round {sight.view.round}, seat {sight.view.turn}, {sight.view.phase}"


TABLE = Table(
    call="make your move",
    form="tables/bakers_brawl/form.html",
    read=read,
    show=show,
    turn=turn,
    script="tables/bakers_brawl/table.js",
    recap="tables/bakers_brawl/recap.html",
    cover=cover,
    style="tables/bakers_brawl/table.css",
)
