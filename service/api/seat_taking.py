"""Taking a seat, and the invitations to private seats."""

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
from domain.match.state import AnyMatch
from service.api.authentication import current_player_id, current_token, require_player
from service.api.blueprint import TOKEN_OPTIONAL, TOKEN_REQUIRED
from service.api.command_headers import IdempotencyHeaders, result_headers
from service.api.links import MATCH_LINKS
from service.api.matches import blp
from service.api.problems import Problem
from service.api.responses import json_response, match_document_for
from service.api.schemas import InputSchema
from service.api.seat_input import ClientSeed
from service.api.seats import require_seat_exists, viewing_seat
from service.app_context import services
from service.matches.match_document import MatchDocument
from service.matches.results import IdempotencyKey


class SitDown(InputSchema):
    """What one may bring when one sits down."""

    invitation = fields.String(validate=validate.Length(1, 100), metadata={"description": "For a private seat."})
    client_seed = ClientSeed(load_default=NO_CLIENT_SEED)
    name = fields.String(
        validate=validate.Length(1, 160), metadata={"description": "Of a guest, who has no token and gets one."}
    )


class Seated(Struct, frozen=True, kw_only=True):
    """The match with you in it; `token` for a guest, told only now."""

    match: MatchDocument
    token: str | UnsetType = UNSET


class Invitation(Struct, frozen=True, kw_only=True):
    """A code with which one person can take one seat, once."""

    invitation: str


@blp.route("/matches/<match>/seats/<int:seat>", methods=["POST"])
@blp.arguments(SitDown)
@blp.arguments(IdempotencyHeaders, location="headers")
@blp.response(201, Seated)
@blp.doc(operationId="takeSeat", security=TOKEN_OPTIONAL, responses={201: {"links": MATCH_LINKS}})
def take_seat(body: dict[str, Any], headers: dict[str, Any], match: str, seat: Seat) -> Response:
    """Sit down at an open seat, or take one over that is offered while the match is played, by its `invitation`.

    Who has no token is registered under `name` and gets one, told only now.

    A guest who gets no answer cannot repeat the request: register first where that matters.
    """
    player, token = current_player_id(), None
    now = services().matches.repository.load(match)
    require_seat_exists(now, seat)
    offer = services().matches.invitations.find_offer(body.get("invitation", ""), now.id, seat)
    if offer is None:
        require_invitation(now, seat, player, body.get("invitation"))
    if player is None:
        if "name" not in body:
            raise Problem(422, "invalid", "A guest has a name. Or send your token.", errors={"json": {"name": ["?"]}})
        require_seat_free(now, seat) if offer is None else find_offer(now, seat, offer)
        services().runtime.rate_limiter.count_registration_from(request.remote_addr or "")
        guest, token = services().accounts.players.register(body["name"])
        player = guest.id
    command = TakeSeat(seat, player, body["client_seed"]) if offer is None else TakeOver(seat, player, offer)
    done = services().matches.commands.submit(
        match, command, IdempotencyKey(player, headers.get("key") or secrets.token_hex(16))
    )
    # Where chance decides who sits where, the last one to come sits elsewhere at once.
    seen = match_document_for(done.match, viewing_seat(done.match, player, None), player, current_token())
    return json_response(Seated(match=seen, token=token or UNSET), 201, result_headers(done))


@blp.route("/matches/<match>/seats/<int:seat>/invitation", methods=["POST"])
@blp.response(201, Invitation)
@blp.doc(operationId="renewInvitation", security=TOKEN_REQUIRED)
def renew_invitation(match: str, seat: Seat) -> Response:
    """A new code for an open seat of a match of yours. The one before is worth nothing from now on."""
    player = require_player()
    now = services().matches.repository.load(match)
    require_seat_exists(now, seat)
    if player != now.creator:
        raise Problem(403, "not_creator", "Only who set a match up invites to it.")
    require_seat_free(now, seat)
    return json_response(Invitation(invitation=services().matches.invitations.withdraw(now, seat)), 201)


def require_invitation(match: AnyMatch, seat: Seat, player: str | None, code: str | None) -> None:
    """Raise Problem 403 for a private seat without its invitation; the creator needs none."""
    if not match.seats[seat].private or player == match.creator:
        return
    if code is None or not services().matches.invitations.is_valid(code, match, seat):
        detail = "This seat is taken by invitation only; send the right code as `invitation`."
        raise Problem(403, "invitation_needed", detail)


def require_seat_free(match: AnyMatch, seat: Seat) -> None:
    """Raise MatchRefused for a seat that cannot be taken, before a guest is registered for it in vain."""
    require_open(match)
    if seat not in match.open_seats:
        raise MatchRefused("seat_taken", f"Seat {seat} is taken already.")
