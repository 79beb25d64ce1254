"""Pages for taking a seat that is open to anyone or offered by an invite link, before or during a match."""

from flask import make_response, redirect, render_template, request, url_for
from werkzeug.exceptions import Forbidden, NotFound
from werkzeug.wrappers import Response

from domain.kernel.game import Seat
from domain.kernel.refusals import Refused
from domain.kernel.table import BadForm
from domain.match.commands import TakeOver
from domain.match.handover import find_offer
from domain.match.state import AnyMatch, SeatState
from service.app_context import services
from service.event_store.errors import CommandReused
from service.web.blueprint import web
from service.web.forms import new_form_key, posted_idempotency_key, posted_seating
from service.web.luck_panel import luck_panel
from service.web.pages.match import Refusal, table_page
from service.web.seating import seat_infos
from service.web.visitor import current_player_id, get_or_create_player

INVALID_INVITATION = (
    "This invite link is incomplete, has been used or withdrawn, or is for another seat. Ask for a new one."
)
SEAT_TAKEN_CODES, SEAT_TAKEN_TEXT = (
    ("seat_taken", "already_started"),
    "Someone else just took this seat. Pick another seat or watch the match.",
)
NO_REFERRER = "no-referrer"
"""Referrer policy for pages whose URL is a capability, which must not leak in a header."""


@web.get("/join/<match>/<int:seat>/<code>")
def join(match: str, seat: Seat, code: str) -> Response:
    """Show an invitation."""
    return invitation_page(match_for_invitation(match, seat, code), seat, code, "")


@web.post("/join/<match>/<int:seat>/<code>")
def accept(match: str, seat: Seat, code: str) -> Response:
    """Take the seat of an invitation."""
    head = match_for_invitation(match, seat, code)
    try:
        return accept_invitation(head, seat, code)
    except BadForm as error:
        return invitation_page(head, seat, code, str(error), 422)
    except Refused as error:
        return invitation_page(services().matches.repository.load(match), seat, code, error.message, 409)


@web.post("/matches/<match>/seats/<int:seat>")
def take_seat(match: str, seat: Seat) -> Response | tuple[str, int]:
    """Take a seat that is open to anyone."""
    head = services().matches.repository.load(match)
    if not 0 <= seat < len(head.seats) or not is_open_to(head.seats[seat], current_player_id()):
        raise NotFound("This seat isn't open to everyone. If you were invited, use your invite link.")
    try:
        return take_open_seat(head, seat)
    except BadForm as error:
        return table_page(head, None, Refusal(str(error))), 422
    except CommandReused:
        message = SEAT_TAKEN_TEXT
    except Refused as error:
        message = SEAT_TAKEN_TEXT if error.code in SEAT_TAKEN_CODES else error.message
    return table_page(services().matches.repository.load(match), None, Refusal(message)), 409


def is_open_to(seat: SeatState, player: str | None) -> bool:
    """Return whether this player may take the seat without an invitation: it is public, or kept for them."""
    return not seat.private or (seat.reserved_for is not None and seat.reserved_for == player)


def match_for_invitation(match: str, seat: Seat, code: str) -> AnyMatch:
    """Return the match of an invitation. Raises NotFound if the code does not belong to the seat."""
    head = services().matches.repository.load(match)
    codes = services().matches.invitations
    known = seat < len(head.seats) and code.isascii()
    if not known or not (codes.is_valid(code, head, seat) or codes.find_offer(code, match, seat)):
        raise NotFound(INVALID_INVITATION)
    return head


@web.post("/matches/<match>/seats/<int:seat>/withdraw")
def withdraw(match: str, seat: Seat) -> Response:
    """Revoke an invite link; the table then shows a new one. Raises Forbidden, NotFound."""
    head = services().matches.repository.load(match)
    if current_player_id() != head.creator:
        raise Forbidden("Only the player who created the match can replace its invite links.")
    if seat not in head.open_seats:
        raise NotFound("This seat is no longer open, so it has no invite link.")
    services().matches.invitations.withdraw(head, seat)
    return redirect(url_for("web.match", match=match), 303)


def take_open_seat(head: AnyMatch, seat: Seat) -> Response:
    """Take the seat and redirect to the table. Raises BadForm, Refused, CommandReused."""
    me = get_or_create_player().id
    services().matches.commands.submit(
        head.id, posted_seating(seat, me), posted_idempotency_key(me), address=request.remote_addr or ""
    )
    return redirect(url_for("web.match", match=head.id), 303)


def accept_invitation(head: AnyMatch, seat: Seat, code: str) -> Response:
    """Take an open seat or one that its player hands over. Raises BadForm, Refused, CommandReused."""
    offer = services().matches.invitations.find_offer(code, head.id, seat)
    if offer is None:
        return take_open_seat(head, seat)
    find_offer(head, seat, offer)  # check first, so that no player is created for an expired offer
    me = get_or_create_player().id
    services().matches.commands.submit(head.id, TakeOver(seat, me, offer), posted_idempotency_key(me))
    return redirect(url_for("web.match", match=head.id), 303)


def invitation_page(head: AnyMatch, seat: Seat, code: str, refusal: str, status: int = 200) -> Response:
    """Return the page of an invitation."""
    me = current_player_id()
    table = seat_infos(head, me)
    offer = services().matches.invitations.find_offer(code, head.id, seat)
    found = [each for each in head.offers if (each.number, each.seat) == (offer, seat) and head.status == "playing"]
    page = render_template(
        "templates/join.html",
        match=head,
        game=head.rules,
        seat=table[seat],
        table=table,
        code=code,
        key=new_form_key(),
        refusal=refusal,
        mine=head.seats_of(me),
        luck=luck_panel(head, me, table),
        sits_now=request.args.get("now") == "1" and not refusal,
        offered=bool(found),
        by_others=any(each.by != seat for each in found),
        gone=offer is not None and not found,
        free=head.status == "open" and head.seats[seat].kind == "open",
    )
    response = make_response(page, status)
    response.headers["Referrer-Policy"] = NO_REFERRER
    response.headers["Cache-Control"] = "private, no-store"
    return response
