"""The Pie Contest table: a card to play, a dive, cards to trim, or the answer to whatever a card asks."""

from functools import partial
from typing import Any

from domain.games.pie_contest.presentation.table.choices import (
    card_choices,
    dive_obstacle,
    dive_takes,
    form_heading,
    open_question,
    trash_list,
    trim_count,
)
from domain.games.pie_contest.presentation.table.pictures import cover, picture
from domain.games.pie_contest.presentation.table.recap import build_recap
from domain.kernel.table import BadForm, Form, Table, TableContext

DROP_PREFIX = "drop:"
"""What the fields for cards of the hand begin with that are to be trashed."""


def read_move(form: Form) -> dict[str, Any]:
    """The move in the form. Raises BadForm."""
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
            raise BadForm("Choose first what you want to do.")


def read_dive(form: Form) -> dict[str, Any]:
    """A dive: two cards of the hand, one of the Trash. Raises BadForm."""
    cards = read_dropped(form)
    if len(cards) != 2:
        raise BadForm("A dive is paid with two cards of your hand: choose exactly two.")
    if not form.get("take"):
        raise BadForm("Choose the card that you take out of the Trash.")
    return {"type": "dive", "trash": cards, "take": read_card_number(form["take"])}


def read_picks(form: Form) -> list[str]:
    """The answer to a question: one option, the two halves of one, or several. Raises BadForm."""
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
    """The cards of the hand that are to be trashed. Raises BadForm."""
    return [read_card_number(name.removeprefix(DROP_PREFIX)) for name in form if name.startswith(DROP_PREFIX)]


def read_card_number(text: str) -> int:
    """A card's number. Raises BadForm."""
    if not text.isdecimal():
        raise BadForm("Choose first what you want to do.")
    return int(text)


def template_data(context: TableContext) -> dict[str, Any]:
    """What the form and the recap need."""
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
        "picture": partial(picture),
    }


def turn_key(context: TableContext) -> str:
    """One act of the seats that owe a move: nothing that was prepared for another one is still good."""
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
)
