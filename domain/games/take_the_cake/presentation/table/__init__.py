"""The match page of Take the Cake: the program builder with a preview, swaps, and the placement of tokens."""

from typing import Any

from domain.games.take_the_cake.presentation.drawing import svg_of_board, svg_of_counts
from domain.games.take_the_cake.presentation.outcome_text import ENDINGS, describe_outcome
from domain.games.take_the_cake.presentation.table.choices import held_cards, placement_talks, program_rows
from domain.games.take_the_cake.presentation.table.path_preview import draw_path
from domain.games.take_the_cake.presentation.table.pictures import card_picture, cover
from domain.games.take_the_cake.presentation.table.recap import build_recap
from domain.games.take_the_cake.presentation.table.trial_run import describe_trial
from domain.games.take_the_cake.presentation.text import count_cards
from domain.games.take_the_cake.rules.model import View
from domain.games.take_the_cake.rules.parts import HAND_SIZE
from domain.kernel.table import BadForm, Form, Table, TableContext
from domain.kernel.text import pluralize


def read_move(form: Form) -> dict[str, Any]:
    """Return the move in the form, by default a program. Raise BadForm if it is invalid."""
    match form.get("act", "run"):
        case "run":
            return {"type": "run_program", "steps": read_steps(form)}
        case "swap":
            return {"type": "swap_cards", "cards": read_marked(form)}
        case "keep":
            return {"type": "swap_cards", "cards": []}
        case "accept" | "reject" as answer:
            return {"type": f"{answer}_placement"}
        case "propose":
            return {"type": "propose_placement", "tokens": read_tokens(form)}
        case _:
            raise BadForm("Press one of the buttons to make a move.")


def read_steps(form: Form) -> list[dict[str, Any]]:
    """Return the steps of the program, without empty rows. Raise BadForm for an invalid span."""
    steps = []
    for n in range(1, HAND_SIZE + 1):
        card = form.get(f"step{n}")
        if not card:
            continue
        span = form.get(f"span{n}") or None
        if span is not None and not (span.isascii() and span.isdigit() and len(span) == 1):
            raise BadForm("A Repeat can repeat 1 to 4 cards. Choose one of these numbers.")
        steps.append({"card": card, "span": span and int(span), "decline": f"decline{n}" in form})
    return steps


def read_marked(form: Form) -> list[str]:
    """Return the cards marked for a swap."""
    return [name.removeprefix("swap_") for name in form if name.startswith("swap_")]


def read_tokens(form: Form) -> dict[str, list[int]]:
    """Return the chosen tile of each ingredient. Raise BadForm for an invalid tile."""
    tokens = {}
    for name, tile in form.items():
        ingredient = name.removeprefix("token_")
        if ingredient == name:
            continue
        row, _, col = tile.partition(",")
        if not (row.isascii() and row.isdigit() and col.isascii() and col.isdigit() and len(tile) == len("0,0")):
            raise BadForm("Write each tile as row and column, for example 2,7.")
        tokens[ingredient] = [int(row), int(col)]
    return tokens


def board_with_path(context: TableContext) -> str:
    """Return the featured item and the board, with the path of the program that is being tried."""
    path = (
        draw_path(context.view, context.seat, context.preview.facts)
        if context.preview and context.seat is not None
        else ""
    )
    return svg_of_board(context.view, context.seat, path)


def template_data(context: TableContext) -> dict[str, Any]:
    """Return the values that the form and the templates next to it need."""
    view: View = context.view
    return {
        "hand": held_cards(view, context.seat),
        "rows": program_rows(context.form),
        "marked": read_marked(context.form),
        "options": view.options,
        "can_run": view.legal_moves.run_program is True,
        "talks": placement_talks(context),
        "trial": describe_trial(context),
        "counts": svg_of_counts(view, context.seat),
        "discarded": pluralize(len(view.discard), "card"),
        "discard": count_cards(view.discard),
        "turns": build_recap(context),
        "picture": card_picture,
    }


def turn_key(context: TableContext) -> str:
    """Return a key that changes with every turn, or with every answer during the placement."""
    return f"turn {context.view.turn}" if context.view.talks is None else f"answer {context.match.ply}"


TABLE = Table(
    prompt="make your move",
    form_template="tables/take_the_cake/form.html",
    read_move=read_move,
    template_data=template_data,
    turn_key=turn_key,
    script="tables/take_the_cake/table.js",
    recap_template="tables/take_the_cake/recap.html",
    cover_svg=cover,
    style="tables/take_the_cake/table.css",
    board_svg=board_with_path,
    outcome_text=describe_outcome,
    endings=ENDINGS,
)
