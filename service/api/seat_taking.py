"""Taking seats, and invitations to seats."""

import secrets
from typing import Any

from flask import Response, request
from marshmallow import fields, validate
from msgspec import UNSET, Struct, UnsetType

from domain.kernel.game import Seat
from domain.kernel.refusals import MatchRefused
from domain.match.commands import NO_CLIENT_SEED, TakeOver, TakeSeat
from domain.match.guards import require_open
from domain.match.handover import find_offer
from domain.match.lobby import require_not_reserved
from domain.match.state import AnyMatch
from service.api.authentication import current_player_id, current_token, require_player
from service.api.blueprint import TOKEN_OPTIONAL, TOKEN_REQUIRED
from service.api.command_headers import IdempotencyHeaders, result_headers
from service.api.links import MATCH_LINKS
from service.api.matches import blp
from service.api.problems import Problem
from service.api.responses import json_response, match_document_for
from service.api.schemas import InputSchema
from service.api.seat_input import ClientSeed, ShareText
from service.api.seats import require_seat_exists, viewing_seat
from service.app_context import services
from service.matches.match_document import MatchDocument
from service.matches.results import IdempotencyKey


class SitDown(InputSchema):
    """Options for taking a seat."""

    invitation = fields.String(
        validate=validate.Length(1, 100), metadata={"description": "Required for a private seat or an offered seat."}
    )
    client_seed = ClientSeed(
        load_default=NO_CLIENT_SEED,
        metadata={"description": "Your contribution to the luck of a match with luck protocol 1; ignored in others."},
    )
    commitment = fields.String(
        validate=validate.Length(max=200),
        metadata={"description": "The match's commitment, which you stored earlier. Required with a share or seal."},
    )
    share = ShareText("Your share of the luck: 32 random bytes in hex. Only in a match with the level `open`.")
    seal = ShareText("The seal of your share. Only in a match with the level `sealed`.")
    name = fields.String(
        validate=validate.Length(1, 160),
        metadata={"description": "The name of a guest, who sends no token and gets one."},
    )


class Seated(Struct, frozen=True, kw_only=True):
    """The match with you in it. A guest gets a `token`, which is shown only once."""

    match: MatchDocument
    token: str | UnsetType = UNSET


class Invitation(Struct, frozen=True, kw_only=True):
    """A code that lets one person take the seat."""

    invitation: str


@blp.route("/matches/<match>/seats/<int:seat>", methods=["POST"])
@blp.arguments(SitDown)
@blp.arguments(IdempotencyHeaders, location="headers")
@blp.response(201, Seated)
@blp.doc(operationId="takeSeat", security=TOKEN_OPTIONAL, responses={201: {"links": MATCH_LINKS}})
def take_seat(body: dict[str, Any], headers: dict[str, Any], match: str, seat: Seat) -> Response:
    """Take an open seat, or take over an offered seat with its `invitation`.

    Without a token, you are registered as a guest under `name` and get a token, which is shown only once.

    A guest who gets no answer can't repeat the request. If that matters, register first.
    """
    player, token = current_player_id(), None
    now = services().matches.repository.load(match)
    require_seat_exists(now, seat)
    offer = services().matches.invitations.find_offer(body.get("invitation", ""), now.id, seat)
    if offer is None:
        require_invitation(now, seat, player, body.get("invitation"))
    if player is None:
        if "name" not in body:
            raise Problem(
                422, "invalid", "A guest needs a name. Send a `name`, or your token.", errors={"json": {"name": ["?"]}}
            )
        require_seat_free(now, seat) if offer is None else find_offer(now, seat, offer)
        services().runtime.rate_limiter.count_registration_from(request.remote_addr or "")
        guest, token = services().accounts.players.register(body["name"])
        player = guest.id
    contribution = {name: body[name] for name in ("commitment", "share", "seal") if name in body}
    sitting = TakeSeat(seat, player, body["client_seed"], **contribution)
    command = sitting if offer is None else TakeOver(seat, player, offer)
    done = services().matches.commands.submit(
        match,
        command,
        IdempotencyKey(player, headers.get("key") or secrets.token_hex(16)),
        address=request.remote_addr or "",
    )
    # If the seats are drawn at the start, the last player to join may now have a different seat.
    seen = match_document_for(done.match, viewing_seat(done.match, player, None), player, current_token())
    return json_response(Seated(match=seen, token=token or UNSET), 201, result_headers(done))


@blp.route("/matches/<match>/seats/<int:seat>/invitation", methods=["POST"])
@blp.response(201, Invitation)
@blp.doc(operationId="renewInvitation", security=TOKEN_REQUIRED)
def renew_invitation(match: str, seat: Seat) -> Response:
    """Create a new invitation for an open seat of a match you created.

    The previous invitation stops working.
    """
    player = require_player()
    now = services().matches.repository.load(match)
    require_seat_exists(now, seat)
    if player != now.creator:
        raise Problem(403, "not_creator", "Only the creator of a match can invite players to it.")
    require_seat_free(now, seat)
    require_not_reserved(now, seat, None)
    return json_response(Invitation(invitation=services().matches.invitations.withdraw(now, seat)), 201)


def require_invitation(match: AnyMatch, seat: Seat, player: str | None, code: str | None) -> None:
    """Raise Problem 403 for a private seat without its invitation. The creator needs none."""
    if not match.seats[seat].private or player == match.creator:
        return
    require_not_reserved(match, seat, player)
    if code is None or not services().matches.invitations.is_valid(code, match, seat):
        detail = "This seat needs an invitation. Send its code as `invitation`; the creator of the match has it."
        raise Problem(403, "invitation_needed", detail)


def require_seat_free(match: AnyMatch, seat: Seat) -> None:
    """Raise MatchRefused for a seat that cannot be taken, before a guest is registered for it."""
    require_open(match)
    if seat not in match.open_seats:
        raise MatchRefused("seat_taken", "This seat is taken. Pick another seat or watch the match.")
