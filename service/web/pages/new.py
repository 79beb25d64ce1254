"""A new match: which game, by which options, against whom."""

from collections.abc import Mapping
from typing import Any

import msgspec
from flask import redirect, render_template, request, url_for
from msgspec import UNSET
from msgspec.structs import replace
from werkzeug.exceptions import NotFound
from werkzeug.wrappers import Response

from domain.kernel.events import TimeControl
from domain.kernel.game import AnyGame, OptionHelp, OptionValue, format_option_value
from domain.kernel.refusals import BadOptions, MatchRefused
from domain.kernel.registry import games
from domain.kernel.table import BadForm, Form
from domain.match.commands import SeatSpec
from domain.match.durations import DAY, HOUR
from service.app_context import services
from service.bots.levels import LEVELS
from service.web.blueprint import web
from service.web.forms import new_form_key, parse_number, posted_client_seed, posted_form_key, posted_seed
from service.web.game_files import find_table
from service.web.visitor import get_or_create_player


class FormChoice(msgspec.Struct, frozen=True):
    """Who may be given a seat: the value in the form, and what it means."""

    value: str
    title: str
    meaning: str


PERSON_CHOICES = (
    FormChoice("me", "Me", "You sit here."),
    FormChoice("friend", "A friend", "Only who has the link that you send."),
    FormChoice("anyone", "Anyone", "The seat is offered in the lobby."),
)


class ClockChoice(msgspec.Struct, frozen=True):
    """How long a seat may take: the value in the form, and what it means."""

    value: str
    title: str
    plan: TimeControl | None


CLOCK_CHOICES = (
    ClockChoice("none", "As long as they like", None),
    ClockChoice("12h", "12 hours for each move", TimeControl(kind="per_move", seconds=12 * HOUR)),
    ClockChoice("1d", "1 day for each move", TimeControl(kind="per_move", seconds=DAY)),
    ClockChoice("3d", "3 days for each move", TimeControl(kind="per_move", seconds=3 * DAY)),
    ClockChoice("7d", "7 days for each move", TimeControl(kind="per_move", seconds=7 * DAY)),
    ClockChoice("14d", "14 days for each move", TimeControl(kind="per_move", seconds=14 * DAY)),
    ClockChoice(
        "3d+12h", "3 days in all, and 12 hours more with each move",
        TimeControl(kind="bank", seconds=3 * DAY, increment=12 * HOUR),
    ),
    ClockChoice(
        "10d+1d", "10 days in all, and a day more with each move",
        TimeControl(kind="bank", seconds=10 * DAY, increment=DAY),
    ),
)  # fmt: skip
VACATION_DAYS = (0, 3, 7, 14, 30)
"""Days of vacation that the page offers."""
EXPIRY_CHOICES = (
    FormChoice(
        "usual", "What is usual", "A bot makes that move, and whoever was late goes on. If rated, the seat resigns."
    ),
    FormChoice("bot_moves", "A bot makes that move", "In every case, so the match cannot be rated."),
    FormChoice("bot_takes_over", "A bot takes the seat over", "For the rest of the match, which cannot be rated then."),
    FormChoice("resigns", "The seat resigns", "As the rules of the game say."),
)


def seat_choices() -> list[FormChoice]:
    """Everybody who may be given a seat."""
    bots = (FormChoice(f"bot:{level}", f"{level.capitalize()} bot", meaning) for level, meaning in LEVELS.items())
    return [*PERSON_CHOICES, *bots]


@web.get("/new")
def new() -> str:
    """Choose a game."""
    offered = sorted(games().values(), key=lambda game: game.title)
    return render_template("templates/new.html", games=[(game, find_table(game.slug).cover_svg) for game in offered])


@web.get("/new/<slug>")
def new_match(slug: str) -> str:
    """Choose options and seats."""
    return new_match_page(require_game(slug), {}, "")


@web.post("/new/<slug>")
def create_match(slug: str) -> Response | tuple[str, int]:
    """Set the match up and go to its table."""
    game, form = require_game(slug), request.form.to_dict()
    key = posted_form_key()
    try:
        options = read_options(game, form)
        seed = posted_seed()
        wishes = [read_seat(form.get(f"seat{seat}", "")) for seat in range(seat_count(game, form))]
        done = services().matches.creation.create(
            get_or_create_player().id,
            game.slug,
            wishes,
            options,
            seed=seed,
            clock=read_clock(form),
            rated=is_rated(form),
            private=form.get("private") == "yes",
            by_chance=read_by_chance(form),
            key=key,
        )
    except BadForm as error:
        return new_match_page(game, form, str(error)), 422
    except (BadOptions, MatchRefused) as error:
        return new_match_page(game, form, error.message), 422
    return redirect(url_for("web.match", match=done.match.id), 303)


def require_game(slug: str) -> AnyGame:
    """The game of that name. Raises NotFound."""
    game = games().get(slug)
    if game is None:
        raise NotFound("There is no such game here.")
    return game


def new_match_page(game: AnyGame, form: Form, refusal: str) -> str:
    """The form, with what was sent before if it was refused."""
    number = seat_count(game, form)
    default = ["me", *["bot:greedy"] * (number - 1)]
    return render_template(
        "templates/new_match.html",
        game=game,
        number=number,
        seat_names=game.seat_names(number),
        choices=seat_choices(),
        chosen=[form.get(f"seat{seat}", default[seat]) for seat in range(number)],
        form=form,
        changed=any(form.get(o.name) not in (None, option_text(o.values[0])) for o in game.option_help),
        option_text=option_text,
        clocks=CLOCK_CHOICES,
        expiries=EXPIRY_CHOICES,
        vacations=VACATION_DAYS,
        refusal=refusal,
        key=form.get("key") or new_form_key(),
    )


def seat_count(game: AnyGame, form: Mapping[str, str]) -> int:
    """How many seats were asked for; the fewest that the game allows if nothing sensible was."""
    asked = form.get("seats") or request.args.get("seats", "")
    return next((count for count in game.seat_counts if str(count) == asked), game.seat_counts[0])


def read_options(game: AnyGame, form: Form) -> dict[str, Any]:
    """The options by name, as the values that the game knows; those without a value left out. Raises BadForm."""
    chosen = {option.name: read_option(option, form[option.name]) for option in game.option_help if option.name in form}
    return {name: value for name, value in chosen.items() if value is not None}


def read_clock(form: Form) -> TimeControl | None:
    """The clock that was chosen. Raises BadForm."""
    chosen = next((clock for clock in CLOCK_CHOICES if clock.value == form.get("clock", "none")), None)
    if chosen is None:
        raise BadForm("Choose how long a seat may take from the list.")
    if chosen.plan is None:
        return None
    expiry = form.get("expiry", EXPIRY_CHOICES[0].value)
    if expiry not in {each.value for each in EXPIRY_CHOICES}:
        raise BadForm("Choose what happens when the time is up from the list.")
    if expiry == "usual":
        expiry = "resigns" if is_rated(form) else "bot_moves"
    days = parse_number(form.get("vacation", "0"))
    if days not in VACATION_DAYS:
        raise BadForm("Choose how much vacation a seat has from the list.")
    return replace(chosen.plan, expiry=expiry, vacation=days or UNSET)


def is_rated(form: Form) -> bool:
    """Whether the result shall count."""
    return form.get("rated") == "yes"


def read_by_chance(form: Form) -> bool:
    """Whether chance decides who sits where. Raises BadForm."""
    chosen = form.get("seating", "chosen")
    if chosen not in ("chosen", "chance"):
        raise BadForm("Choose from the list how it is decided who sits where.")
    return chosen == "chance"


def read_option(option: OptionHelp, text: str) -> OptionValue:
    """The value that this text stands for. Raises BadForm."""
    for value in option.values:
        if option_text(value) == text:
            return value
    raise BadForm(f"{option.title}: choose one of {', '.join(map(format_option_value, option.values))}.")


def option_text(value: OptionValue) -> str:
    """How a form holds a value; no value is an empty text."""
    return "" if value is None else str(value)


@web.app_template_filter("option_title")
def option_title(value: OptionValue) -> str:
    """A value as a heading."""
    if isinstance(value, bool):
        return "Yes" if value else "No"
    return "As usual" if value is None else str(value).replace("_", " ").capitalize()


def read_seat(choice: str) -> SeatSpec:
    """What was chosen for a seat. Raises BadForm."""
    kind, _, level = choice.partition(":")
    match kind:
        case "me":
            return SeatSpec("human", get_or_create_player().id, client_seed=posted_client_seed())
        case "friend":
            return SeatSpec("open", private=True)
        case "anyone":
            return SeatSpec("open")
        case "bot" if level in LEVELS:
            return SeatSpec("bot", level=level)
        case _:
            raise BadForm("Say for every seat who sits there.")
