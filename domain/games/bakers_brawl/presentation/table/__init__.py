"""The Baker's Brawl table: the move form, the recap and the progress of the Orders."""

from functools import partial
from typing import Any

from domain.games.bakers_brawl.presentation.drawing import id_prefix
from domain.games.bakers_brawl.presentation.outcome_text import ENDINGS, describe_outcome
from domain.games.bakers_brawl.presentation.table.choices import (
    choice_groups,
    empty_cells,
    pantry_discards,
    pending_completions,
    possible_completions,
    unavailable_reasons,
)
from domain.games.bakers_brawl.presentation.table.pictures import cover, picture
from domain.games.bakers_brawl.presentation.table.progress import order_progress
from domain.games.bakers_brawl.presentation.table.recap import build_recap
from domain.games.bakers_brawl.presentation.text import describe_pile
from domain.games.bakers_brawl.rules.parts import CUBES_PER_BAKER
from domain.kernel.table import BadForm, Form, Table, TableContext

PLAIN_MOVES = {"draw": "draw_special", "decline": "decline_order", "pass": "pass"}
"""Moves without fields, by their name in the form."""


def read_move(form: Form) -> dict[str, Any]:
    """Return the move in the form. Raises BadForm."""
    kind, _, which = form.get("choice", "").partition(":")
    match kind:
        case "draw" | "decline" | "pass":
            return {"type": PLAIN_MOVES[kind]}
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
            raise BadForm("Choose what you want to do, then submit again.")


def chosen_cell(form: Form) -> str:
    """Return the chosen cell. Raises BadForm if there is none."""
    if not form.get("cell"):
        raise BadForm("Choose an empty cell for the card, then submit again.")
    return form["cell"]


def template_data(context: TableContext) -> dict[str, Any]:
    """Return the template variables of the form and the recap."""
    view = context.view
    own = None if context.seat is None else view.seats[context.seat]
    return {
        "phase": view.phase,
        "own": own,
        "all_cubes": CUBES_PER_BAKER,
        "groups": choice_groups(context),
        "reasons": unavailable_reasons(context),
        "cells": empty_cells(context),
        "completions": possible_completions(context),
        "discards": pantry_discards(context),
        "sets": pending_completions(context),
        "progress": order_progress(context),
        "discard": describe_pile(view.discard),
        "recap": build_recap(context),
        "picture": partial(picture, table=id_prefix(view, context.seat)),
    }


def turn_key(context: TableContext) -> str:
    """Return a key for one step of one seat: its action, the card it keeps or the Order it completes."""
    return f"round {context.view.round}, seat {context.view.turn}, {context.view.phase}"


TABLE = Table(
    prompt="make your move",
    form_template="tables/bakers_brawl/form.html",
    read_move=read_move,
    template_data=template_data,
    turn_key=turn_key,
    script="tables/bakers_brawl/table.js",
    recap_template="tables/bakers_brawl/recap.html",
    cover_svg=cover,
    style="tables/bakers_brawl/table.css",
    outcome_text=describe_outcome,
    endings=ENDINGS,
)
