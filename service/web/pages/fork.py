"""Forks: new matches that continue from a ply of another match."""

from flask import redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from domain.kernel.refusals import BadOptions, MatchRefused
from domain.kernel.table import BadForm, Form
from domain.match.state import AnyMatch
from service.app_context import services
from service.event_store.errors import CommandReused
from service.web.blueprint import web
from service.web.forms import new_form_key, parse_number, posted_form_key, posted_luck_level, posted_ply
from service.web.pages.new import read_seat, seat_choices
from service.web.seating import seat_infos
from service.web.visitor import get_or_create_player


@web.get("/matches/<match>/fork")
def fork(match: str) -> str:
    """Show the form to choose a ply, the seed and the players."""
    return fork_page(services().matches.repository.load(match), request.args.to_dict(), "")


@web.post("/matches/<match>/fork")
def make_fork(match: str) -> Response | tuple[str, int]:
    """Create the new match and redirect to its table."""
    head, form = services().matches.repository.load(match), request.form.to_dict()
    key = posted_form_key()
    try:
        seats = [read_seat(form.get(f"seat{seat}", "")) for seat in range(len(head.seats))]
        ply = posted_ply()
        player, same_luck = get_or_create_player().id, form.get("luck") == "same"
        level = posted_luck_level(head.rules)
        done = services().matches.creation.fork(match, ply, player, seats, same_luck, level, key=key)
    except BadForm as error:
        return fork_page(head, form, str(error)), 422
    except (MatchRefused, BadOptions) as error:
        return fork_page(head, form, error.message), 422
    except CommandReused:
        return fork_page(head, form, "This form was already sent. You can send it again from here."), 409
    return redirect(url_for("web.match", match=done.match.id), 303)


def fork_page(head: AnyMatch, form: Form, refusal: str) -> str:
    """Return the page with the form."""
    count = len(head.seats)
    default = ["me", *["bot:greedy"] * (count - 1)]
    return render_template(
        "templates/fork.html",
        match=head,
        game=head.rules,
        table=seat_infos(head, None),
        seat_names=head.rules.seat_names(count),
        choices=seat_choices(),
        chosen=[form.get(f"seat{seat}", default[seat]) for seat in range(count)],
        ply=parse_number(form.get("ply")) or head.ply,
        luck=form.get("luck", "new"),
        may_repeat_luck=head.status == "over" or head.luck is None,
        refusal=refusal,
        key=new_form_key(),
    )
