"""The table of the Battle of the Bakeries: cards and slots to click, what just happened, and the score sheet."""

import re
from typing import Any

from domain.games.battle_of_the_bakeries.presentation.narration import NO_MEMORY, dollars
from domain.games.battle_of_the_bakeries.presentation.table.choices import asked, chef_words, standing
from domain.games.battle_of_the_bakeries.presentation.table.pictures import cover
from domain.games.battle_of_the_bakeries.presentation.table.recap import just_now
from domain.games.battle_of_the_bakeries.presentation.table.score_sheet import Sheet, score_sheet
from domain.games.battle_of_the_bakeries.rules.components import BAKERIES
from domain.games.battle_of_the_bakeries.rules.model import HIDING, View
from domain.kernel.table import BadForm, Form, Sight, Table

PLAIN = (
    "roll_die",
    "declare_hire",
    "take_bonus",
    "stop_flipping",
    "decline_last_chance",
    "roll_dice",
    "try_catch_up",
    "stop_catch_up",
)
"""The moves without parameters: the button says it all."""
POSITION = re.compile(r"[0-9]{1,2}", re.ASCII)
PLACE = re.compile(r"([0-9])-([0-9]{1,2})", re.ASCII)


def read(form: Form) -> dict[str, Any]:
    """The move of the button that was pressed, with the card or slot that was chosen. Raises BadForm."""
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
        case _ if name in PLAIN:
            return {"type": name}
        case _:
            raise BadForm("Press the button of what you want to do.")


def chosen_card(form: Form) -> int:
    """The position of the card that was chosen. Raises BadForm."""
    position = form.get("position", "")
    if not POSITION.fullmatch(position):
        raise BadForm("Choose a card first.")
    return int(position)


def chosen_slot(form: Form) -> tuple[int, int]:
    """Case and slot that were chosen. Raises BadForm."""
    found = PLACE.fullmatch(form.get("place", ""))
    if not found:
        raise BadForm("Choose a slot first.")
    return int(found[1]), int(found[2])


def show(sight: Sight) -> dict[str, Any]:
    """What the form and all below it need."""
    view: View = sight.view
    owes = sight.seat is not None and sight.seat in sight.match.to_move
    return {
        "asked": asked(sight) if owes else None,
        "standing": list(standing(view)),
        "no_memory": NO_MEMORY if view.options.memory_aid == "off" and view.phase in HIDING else None,
        "happened": just_now(sight),
        "sheet": sheet_of(sight),
        "bakeries": BAKERIES,
        "scores": view.scores,
        "dollars": dollars,
        "chef_words": chef_words,
    }


def sheet_of(sight: Sight) -> Sheet:
    """The score sheet, from all events of the match as the reader may see them."""
    return score_sheet(sight.history())


TABLE = Table(
    call="make your move",
    form="tables/battle_of_the_bakeries/form.html",
    read=read,
    show=show,
    turn=lambda sight: str(sight.match.ply),
    script="tables/battle_of_the_bakeries/table.js",
    recap="tables/battle_of_the_bakeries/recap.html",
    cover=cover,
    style="tables/battle_of_the_bakeries/table.css",
)
