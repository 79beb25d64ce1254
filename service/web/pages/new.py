"""Pages to create a match: choose a game, its options and the players."""

from collections.abc import Mapping
from typing import Any

import msgspec
from flask import redirect, render_template, request, url_for
from msgspec import UNSET
from msgspec.structs import replace
from werkzeug.exceptions import NotFound
from werkzeug.wrappers import Response

from domain.kernel.events import TimeControl
from domain.kernel.game import AnyGame, OptionHelp, OptionValue
from domain.kernel.refusals import BadOptions, MatchRefused
from domain.kernel.registry import games
from domain.kernel.table import BadForm, Form
from domain.match.commands import SeatSpec
from domain.match.durations import DAY, HOUR
from service.app_context import services
from service.bots.levels import LEVELS
from service.web.blueprint import web
from service.web.forms import new_form_key, parse_number, posted_form_key, posted_luck_level, posted_seed
from service.web.game_files import find_cover
from service.web.visitor import get_or_create_player


class FormChoice(msgspec.Struct, frozen=True):
    """A choice in the form: its value, title and explanation."""

    value: str
    title: str
    meaning: str


PERSON_CHOICES = (
    FormChoice("me", "Me", "You play this seat."),
    FormChoice("friend", "A friend", "Only someone with the invite link you send."),
    FormChoice("anyone", "Anyone", "The seat is listed in the lobby."),
)


class ClockChoice(msgspec.Struct, frozen=True):
    """A time control in the form: its value, title and settings."""

    value: str
    title: str
    plan: TimeControl | None


CLOCK_CHOICES = (
    ClockChoice("none", "No time limit", None),
    ClockChoice("12h", "12 hours per move", TimeControl(kind="per_move", seconds=12 * HOUR)),
    ClockChoice("1d", "1 day per move", TimeControl(kind="per_move", seconds=DAY)),
    ClockChoice("3d", "3 days per move", TimeControl(kind="per_move", seconds=3 * DAY)),
    ClockChoice("7d", "7 days per move", TimeControl(kind="per_move", seconds=7 * DAY)),
    ClockChoice("14d", "14 days per move", TimeControl(kind="per_move", seconds=14 * DAY)),
    ClockChoice(
        "3d+12h", "3 days in total, plus 12 hours per move",
        TimeControl(kind="bank", seconds=3 * DAY, increment=12 * HOUR),
    ),
    ClockChoice(
        "10d+1d", "10 days in total, plus 1 day per move",
        TimeControl(kind="bank", seconds=10 * DAY, increment=DAY),
    ),
)  # fmt: skip
VACATION_DAYS = (0, 3, 7, 14, 30)
"""Days of vacation offered in the form."""
EXPIRY_CHOICES = (
    FormChoice(
        "usual", "Default", "A bot makes the move and the player continues. In a rated match, the player resigns."
    ),
    FormChoice("bot_moves", "A bot makes the move", "The player continues afterwards. The match can't be rated."),
    FormChoice(
        "bot_takes_over", "A bot takes over the seat", "It plays for the rest of the match. The match can't be rated."
    ),
    FormChoice("resigns", "The player resigns", "The rules of the game say what happens then."),
)


SHARE_CHOICES = (
    ("default", "Default", "Sealed in a rated match, otherwise open."),
    ("open", "Open", "As they sit down. Protects the player who sits down last. Enough if you play only against bots."),
    (
        "sealed",
        "Sealed",
        "Once all seats are taken. Protects every player who adds a share. Players open their shares before the "
        "match starts, within the time for a move or three days.",
    ),
)
"""When players can show their shares: value, title and explanation."""


def seat_choices() -> list[FormChoice]:
    """Return the people and bots that can be given a seat."""
    bots = (FormChoice(f"bot:{level}", f"{level.capitalize()} bot", meaning) for level, meaning in LEVELS.items())
    return [*PERSON_CHOICES, *bots]


@web.get("/new")
def new() -> str:
    """Show the games to choose from."""
    offered = sorted(games().values(), key=lambda game: game.title)
    return render_template("templates/new.html", games=[(game, find_cover(game.slug)) for game in offered])


@web.get("/new/<slug>")
def new_match(slug: str) -> str:
    """Show the form with options and seats."""
    return new_match_page(require_game(slug), {}, "")


@web.post("/new/<slug>")
def create_match(slug: str) -> Response | tuple[str, int]:
    """Create the match and redirect to its table."""
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
            level=posted_luck_level(game, rated=is_rated(form)) if seed is None else UNSET,
            key=key,
        )
    except BadForm as error:
        return new_match_page(game, form, str(error)), 422
    except (BadOptions, MatchRefused) as error:
        return new_match_page(game, form, error.message), 422
    return redirect(url_for("web.match", match=done.match.id), 303)


def require_game(slug: str) -> AnyGame:
    """Return the game with this slug. Raises NotFound."""
    game = games().get(slug)
    if game is None:
        raise NotFound("There is no such game on this server.")
    return game


def new_match_page(game: AnyGame, form: Form, refusal: str) -> str:
    """Return the page with the form, keeping the input of a refused one."""
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
        changed=any(chosen_text(o, form) not in (None, option_text(o.values[0])) for o in game.option_help),
        option_field=option_field,
        option_text=option_text,
        clocks=CLOCK_CHOICES,
        expiries=EXPIRY_CHOICES,
        vacations=VACATION_DAYS,
        share_choices=SHARE_CHOICES,
        refusal=refusal,
        key=form.get("key") or new_form_key(),
    )


def seat_count(game: AnyGame, form: Mapping[str, str]) -> int:
    """Return the requested number of seats, or the smallest that the game allows if that is invalid."""
    asked = form.get("seats") or request.args.get("seats", "")
    return next((count for count in game.seat_counts if str(count) == asked), game.seat_counts[0])


def read_options(game: AnyGame, form: Form) -> dict[str, Any]:
    """Return the chosen option values by name, without those that are None. Raises BadForm."""
    texts = {option.name: (option, chosen_text(option, form)) for option in game.option_help}
    chosen = {name: read_option(option, text) for name, (option, text) in texts.items() if text is not None}
    return {name: value for name, value in chosen.items() if value is not None}


def option_field(option: OptionHelp) -> str:
    """Return the name of an option's field. A bare name could hide a property of the form, such as `form.matches`."""
    return f"option-{option.name}"


def chosen_text(option: OptionHelp, form: Form) -> str | None:
    """Return the text that was sent for an option, or None. Pages of earlier releases sent it under the bare name."""
    return form.get(option_field(option), form.get(option.name))


def read_clock(form: Form) -> TimeControl | None:
    """Return the chosen time control, or None. Raises BadForm."""
    chosen = next((clock for clock in CLOCK_CHOICES if clock.value == form.get("clock", "none")), None)
    if chosen is None:
        raise BadForm("Choose a time limit from the list.")
    if chosen.plan is None:
        return None
    expiry = form.get("expiry", EXPIRY_CHOICES[0].value)
    if expiry not in {each.value for each in EXPIRY_CHOICES}:
        raise BadForm("Choose from the list what happens when a player runs out of time.")
    if expiry == "usual":
        expiry = "resigns" if is_rated(form) else "bot_moves"
    days = parse_number(form.get("vacation", "0"))
    if days not in VACATION_DAYS:
        raise BadForm("Choose from the list how much vacation each player has.")
    return replace(chosen.plan, expiry=expiry, vacation=days or UNSET)


def is_rated(form: Form) -> bool:
    """Return whether the match is to be rated."""
    return form.get("rated") == "yes"


def read_by_chance(form: Form) -> bool:
    """Return whether the seats are drawn at random. Raises BadForm."""
    chosen = form.get("seating", "chosen")
    if chosen not in ("chosen", "chance"):
        raise BadForm("Choose from the list how seats are assigned.")
    return chosen == "chance"


def read_option(option: OptionHelp, text: str) -> OptionValue:
    """Return the option value for the text in the form. Raises BadForm."""
    for value in option.values:
        if option_text(value) == text:
            return value
    raise BadForm(f"{option.title}: choose one of {', '.join(map(option.label, option.values))}.")


def option_text(value: OptionValue) -> str:
    """Return an option value as it appears in the form, or an empty string for None."""
    return "" if value is None else str(value)


def read_seat(choice: str) -> SeatSpec:
    """Return the choice made for a seat. Raises BadForm."""
    kind, _, level = choice.partition(":")
    match kind:
        case "me":
            return SeatSpec("human", get_or_create_player().id)
        case "friend":
            return SeatSpec("open", private=True)
        case "anyone":
            return SeatSpec("open")
        case "bot" if level in LEVELS:
            return SeatSpec("bot", level=level)
        case _:
            raise BadForm("Choose a player for every seat.")
