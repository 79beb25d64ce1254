"""Match search: all matches that are not private, by game, status, open seats, clock, bots and rating."""

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
    """A search field: name, label, and answers as title by value. The first answer accepts any match."""

    name: str
    label: str
    answers: Mapping[str, str]


STATUS_FILTER = Filter(
    "status",
    "Status",
    {
        "": "Any",
        "open": "Waiting for players",
        "opening": "Opening shares",
        "playing": "In progress",
        "over": "Finished",
    },
)
SEATS_FILTER = Filter("seats", "Seats", {"": "Any", "free": "Open seats", "full": "No open seats"})
RATED_FILTER = Filter("rated", "Rated", {"": "Any", "yes": "Rated", "no": "Unrated"})
CLOCK_FILTER = Filter(
    "clock",
    "Time limit",
    {"": "Any", "none": "No time limit", "per_move": "Time per move", "bank": "Total time"},
)
FILTER_VALUES = {"": None, "yes": True, "free": True, "no": False, "full": False}
BOTS_FILTER = Filter("bots", "Bots", {"": "Any", "no": "People only", "yes": "With bots"})


@web.get("/matches")
def find() -> str:
    """Show a page of matching matches. Raises BadRequest for an invalid filter or cursor."""
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
    except InvalidCursor:
        raise BadRequest("This page of the list doesn't exist. Start from the first page.") from None
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
    """Return the chosen answer. Raises BadRequest if it is not one of those offered."""
    chosen = request.args.get(question.name, "")
    if chosen not in question.answers:
        raise BadRequest("This search isn't possible. Go to Find a match and choose the filters again.")
    return chosen


def status_or_none(chosen: str) -> Any:
    """Return the chosen status, or None for any."""
    return chosen or None


def match_filter(chosen: Mapping[str, str]) -> MatchFilter:
    """Return the other chosen filters."""
    clock: Any = chosen["clock"] or None
    return MatchFilter(
        has_free_seat=FILTER_VALUES[chosen["seats"]],
        rated=FILTER_VALUES[chosen["rated"]],
        clock=clock,
        has_bots=FILTER_VALUES[chosen["bots"]],
    )
