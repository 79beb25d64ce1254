"""The match page of Pie Contest: forms to play a card, dive, trim the hand or make a choice."""

from typing import Any

from domain.games.pie_contest.presentation.card_pictures import picture_name
from domain.games.pie_contest.presentation.outcome_text import ENDINGS, describe_outcome
from domain.games.pie_contest.presentation.table.choices import (
    card_choices,
    dive_obstacle,
    dive_takes,
    form_heading,
    open_question,
    trash_list,
    trim_count,
)
from domain.games.pie_contest.presentation.table.pictures import cover
from domain.games.pie_contest.presentation.table.recap import build_recap
from domain.kernel.table import BadForm, Form, Table, TableContext

DROP_PREFIX = "drop:"
"""The prefix of the form fields for cards to trash from the hand."""


def read_move(form: Form) -> dict[str, Any]:
    """Return the move in the form. Raises BadForm."""
    kind, _, which = form.get("choice", "").partition(":")
    match kind:
        case "play":
            return {"type": "play_card", "card": read_card_number(which)}
        case "pass":
            return {"type": "pass"}
        case "dive":
            return read_dive(form)
        case "trim":
            return {"type": "trim_hand", "cards": read_dropped(form)}
        case "choose":
            return {"type": "choose", "picks": read_picks(form)}
        case _:
            raise BadForm("Choose a move first.")


def read_dive(form: Form) -> dict[str, Any]:
    """Return a dive: two cards from the hand and one from the Trash. Raises BadForm."""
    cards = read_dropped(form)
    if len(cards) != 2:
        raise BadForm("To dive, choose exactly two cards from your hand to trash.")
    if not form.get("take"):
        raise BadForm("Choose a card to take from the Trash.")
    return {"type": "dive", "trash": cards, "take": read_card_number(form["take"])}


def read_picks(form: Form) -> list[str]:
    """Return the picks: one option, the two halves of one, or several. Raises BadForm."""
    if form.get("pick"):
        return [form["pick"]]
    if form.get("give") and form.get("get"):
        return [f"pair:{form['give']}/{form['get']}"]
    if form.get("give") and form.get("to"):
        return [f"gift:{form['give']}/{form['to']}"]
    several = [name.removeprefix("pick:") for name in form if name.startswith("pick:")]
    if not several:
        raise BadForm("Choose one of the options first.")
    return several


def read_dropped(form: Form) -> list[int]:
    """Return the cards to trash from the hand. Raises BadForm."""
    return [read_card_number(name.removeprefix(DROP_PREFIX)) for name in form if name.startswith(DROP_PREFIX)]


def read_card_number(text: str) -> int:
    """Return the number of a card. Raises BadForm."""
    if not text.isdecimal():
        raise BadForm("Choose a move first.")
    return int(text)


def template_data(context: TableContext) -> dict[str, Any]:
    """Return the template variables of the form and the recap."""
    return {
        "phase": context.view.phase,
        "heading": form_heading(context),
        "cards": card_choices(context),
        "dive": dive_obstacle(context),
        "takes": dive_takes(context),
        "trim": trim_count(context),
        "question": open_question(context),
        "trash": trash_list(context),
        "recap": build_recap(context),
        "picture_name": picture_name,
    }


def turn_key(context: TableContext) -> str:
    """Return a key that changes with every decision, so that an outdated form is not restored."""
    view = context.view
    return f"turn {view.turn}, {view.phase}, {view.acts_made} acts, {len(view.agenda)} steps, {view.to_move}"


TABLE = Table(
    prompt="play or choose",
    form_template="tables/pie_contest/form.html",
    read_move=read_move,
    template_data=template_data,
    turn_key=turn_key,
    script="tables/pie_contest/table.js",
    recap_template="tables/pie_contest/recap.html",
    cover_svg=cover,
    style="tables/pie_contest/table.css",
    outcome_text=describe_outcome,
    endings=ENDINGS,
)
