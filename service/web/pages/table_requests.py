"""Requests during a match: proposals to other players, vacation, and handing over a seat."""

from flask import redirect, request, url_for
from werkzeug.exceptions import BadRequest
from werkzeug.wrappers import Response

from domain.kernel.game import Seat
from domain.kernel.refusals import Refused
from domain.match.commands import (
    Abort,
    AnswerProposal,
    ClaimLoss,
    Command,
    HandOver,
    OfferSeat,
    Propose,
    Resume,
    TakeVacation,
    WithdrawOffer,
)
from service.app_context import services
from service.bots.levels import LEVELS
from service.event_store.errors import CommandReused
from service.matches.command_handler import TO_LAST_MOVE
from service.matches.errors import StalePly
from service.web.blueprint import web
from service.web.forms import parse_number, posted_idempotency_key, posted_seat
from service.web.pages.match import refused_page
from service.web.proposals import EXTENSIONS
from service.web.visitor import require_seated_player


@web.post("/matches/<match>/ask")
def ask(match: str) -> Response | tuple[str, int]:
    """Submit a request, an answer or another command."""
    command = read_command(posted_seat())
    try:
        services().matches.commands.submit(
            match, command, posted_idempotency_key(require_seated_player().id), address=request.remote_addr or ""
        )
    except (Refused, CommandReused, StalePly) as error:
        return refused_page(match, {}, error)
    return redirect(url_for("web.match", match=match), 303)


def read_command(seat: Seat) -> Command:
    """Return the command in the posted form. Raises BadRequest."""
    kind, proposal = request.form.get("what"), parse_number(request.form.get("proposal"))
    days, of = parse_number(request.form.get("days")), parse_number(request.form.get("of"))
    match kind:
        case "takeback":
            return Propose(seat=seat, what="takeback", to_ply=TO_LAST_MOVE)
        case "pause":
            return Propose(seat=seat, what="pause")
        case "resume":
            return Resume(seat)
        case "extend" if (seconds := parse_number(request.form.get("seconds"))) in EXTENSIONS:
            return Propose(seat=seat, what="extend", seconds=seconds)
        case "vacation" if days is not None:
            return TakeVacation(seat, days)
        case "offer":
            return OfferSeat(seat)
        case "keep" if (offer := parse_number(request.form.get("offer"))) is not None:
            return WithdrawOffer(seat, offer)
        case "hand_over" if (level := request.form.get("level", "")) in LEVELS:
            return HandOver(seat, level)
        case "replace" if of is not None and (level := request.form.get("level", "")) in ("", *LEVELS):
            return Propose(seat=seat, what="hand_over", of=of, level=level or None)
        case "agree" | "decline" if proposal is not None:
            return AnswerProposal(seat, proposal, kind == "agree")
        case _:
            return read_early_end(seat, kind, of)


def read_early_end(seat: Seat, kind: str | None, of: Seat | None) -> Command:
    """Return the command that ends a match early or claims the loss of an absent player. Raises BadRequest."""
    if kind == "abort":
        return Abort(seat)
    if kind == "claim" and of is not None:
        return ClaimLoss(seat, of)
    raise BadRequest("This form is incomplete. Reload the page and try again.")
