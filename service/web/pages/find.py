"""Find a table: all matches that are not private, by game, status, open seats, clock, bots, rated or not."""

from collections.abc import Mapping
from typing import Any

import msgspec
from flask import render_template, request
from werkzeug.exceptions import BadRequest

from domain.kernel.registry import games
from service.app_context import services
from service.read_models.match_lists import InvalidCursor, MatchFilter
from service.web.blueprint import web
from service.web.pages.lobby import match_card

PAGE_SIZE = 20


class Filter(msgspec.Struct, frozen=True):
    """One question of the form: its name, its label, and the answers by their value; the first one leaves it open."""

    name: str
    label: str
    answers: Mapping[str, str]


STATUS_FILTER = Filter(
    "status", "Stage", {"": "Any", "open": "Waiting for players", "playing": "Being played", "over": "Over"}
)
SEATS_FILTER = Filter("seats", "Seats", {"": "Any", "free": "One that I may take", "full": "None to take"})
RATED_FILTER = Filter("rated", "Rated", {"": "Either", "yes": "Rated", "no": "Not rated"})
CLOCK_FILTER = Filter(
    "clock",
    "Time",
    {"": "Any", "none": "As long as they like", "per_move": "So much for each move", "bank": "So much in all"},
)
FILTER_VALUES = {"": None, "yes": True, "free": True, "no": False, "full": False}
BOTS_FILTER = Filter("bots", "Bots", {"": "Either", "no": "People only", "yes": "With bots"})


@web.get("/matches")
def find() -> str:
    """The matches that are wanted, a page of them. Raises BadRequest for a filter or a cursor that cannot be."""
    game = Filter("game", "Game", {"": "Any", **{slug: each.title for slug, each in games().items()}})
    filters = (game, STATUS_FILTER, SEATS_FILTER, RATED_FILTER, CLOCK_FILTER, BOTS_FILTER)
    chosen = {each.name: chosen_answer(each) for each in filters}
    try:
        page = services().read_models.lists.list_matches(
            chosen["game"] or None,
            status_or_none(chosen["status"]),
            request.args.get("cursor") or None,
            PAGE_SIZE,
            match_filter(chosen),
        )
    except InvalidCursor as error:
        raise BadRequest(str(error)) from None
    return render_template(
        "templates/find.html",
        filters=filters,
        chosen=chosen,
        kept={name: value for name, value in chosen.items() if value},
        cards=[match_card(row) for row in page.rows],
        cursor=page.cursor,
        first=not request.args.get("cursor"),
    )


def chosen_answer(question: Filter) -> str:
    """What was chosen. Raises BadRequest for what was not offered."""
    chosen = request.args.get(question.name, "")
    if chosen not in question.answers:
        offered = ", ".join(value for value in question.answers if value)
        raise BadRequest(f"`{question.name}` is one of {offered}, or left out.")
    return chosen


def status_or_none(chosen: str) -> Any:
    """The status that was chosen, None for any."""
    return chosen or None


def match_filter(chosen: Mapping[str, str]) -> MatchFilter:
    """What else was chosen."""
    clock: Any = chosen["clock"] or None
    return MatchFilter(
        has_free_seat=FILTER_VALUES[chosen["seats"]],
        rated=FILTER_VALUES[chosen["rated"]],
        clock=clock,
        has_bots=FILTER_VALUES[chosen["bots"]],
    )
