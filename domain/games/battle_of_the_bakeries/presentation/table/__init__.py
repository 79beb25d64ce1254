"""The match page of the Battle of the Bakeries: cards and slots to click, the latest moves and the score sheet."""

import re
from typing import Any

from domain.games.battle_of_the_bakeries.presentation.narration import NO_MEMORY_NOTE, dollars
from domain.games.battle_of_the_bakeries.presentation.outcome_text import ENDINGS, describe_outcome
from domain.games.battle_of_the_bakeries.presentation.table.choices import describe_chef, form_prompt, phase_notes
from domain.games.battle_of_the_bakeries.presentation.table.pictures import cover
from domain.games.battle_of_the_bakeries.presentation.table.recap import recent_events
from domain.games.battle_of_the_bakeries.presentation.table.score_sheet import ScoreSheetTable, build_sheet
from domain.games.battle_of_the_bakeries.rules.components import BAKERIES
from domain.games.battle_of_the_bakeries.rules.model import HIDDEN_PHASES, View
from domain.kernel.table import BadForm, Form, Table, TableContext

PLAIN_MOVES = (
    "roll_die",
    "declare_hire",
    "take_bonus",
    "stop_flipping",
    "decline_last_chance",
    "roll_dice",
    "try_catch_up",
    "stop_catch_up",
)
"""The moves without parameters, each sent by its own button."""
POSITION_PATTERN = re.compile(r"[0-9]{1,2}", re.ASCII)
SLOT_PATTERN = re.compile(r"([0-9])-([0-9]{1,2})", re.ASCII)


def read_move(form: Form) -> dict[str, Any]:
    """Return the move of the button that was pressed, with the chosen card or slot. Raise BadForm if one is missing."""
    name = form.get("move", "")
    match name:
        case "go_first" | "go_second":
            return {"type": "choose_turn_order", "go": name.removeprefix("go_")}
        case "flip_card":
            return {"type": name, "position": chosen_card(form)}
        case "place_cake":
            case, slot = chosen_slot(form)
            return {"type": name, "case": case, "slot": slot}
        case "place_stale":
            return {"type": name, "slot": chosen_slot(form)[1]}
        case _ if name in PLAIN_MOVES:
            return {"type": name}
        case _:
            raise BadForm("Press one of the buttons to make a move.")


def chosen_card(form: Form) -> int:
    """Return the position of the chosen card. Raise BadForm if there is none."""
    position = form.get("position", "")
    if not POSITION_PATTERN.fullmatch(position):
        raise BadForm("Choose a card first.")
    return int(position)


def chosen_slot(form: Form) -> tuple[int, int]:
    """Return the chosen case and slot. Raise BadForm if there is none."""
    found = SLOT_PATTERN.fullmatch(form.get("place", ""))
    if not found:
        raise BadForm("Choose a slot first.")
    return int(found[1]), int(found[2])


def template_data(context: TableContext) -> dict[str, Any]:
    """Return the values that the form and the templates below it need."""
    view: View = context.view
    has_to_move = context.seat is not None and context.seat in context.match.to_move
    return {
        "prompt": form_prompt(context) if has_to_move else None,
        "standing": list(phase_notes(view)),
        "no_memory": NO_MEMORY_NOTE if view.options.memory_aid == "off" and view.phase in HIDDEN_PHASES else None,
        "happened": recent_events(context),
        "sheet": full_score_sheet(context),
        "bakeries": BAKERIES,
        "scores": view.scores,
        "dollars": dollars,
        "chef_words": describe_chef,
    }


def full_score_sheet(context: TableContext) -> ScoreSheetTable:
    """Return the score sheet of the whole match, from the events as the reader sees them."""
    return build_sheet(context.history())


TABLE = Table(
    prompt="make your move",
    form_template="tables/battle_of_the_bakeries/form.html",
    read_move=read_move,
    template_data=template_data,
    turn_key=lambda context: str(context.match.ply),
    script="tables/battle_of_the_bakeries/table.js",
    recap_template="tables/battle_of_the_bakeries/recap.html",
    cover_svg=cover,
    style="tables/battle_of_the_bakeries/table.css",
    outcome_text=describe_outcome,
    endings=ENDINGS,
)
