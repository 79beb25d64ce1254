"""Builds answers: encoding, headers, and matches as the reader may see them."""

from collections.abc import Collection
from typing import Any

import msgspec
from flask import Response

from domain.kernel.game import Seat
from domain.match.state import AnyMatch, SeatOffer
from service.accounts.players import Token
from service.api.authentication import has_full_access
from service.app_context import services
from service.matches.match_document import MatchDocument, match_document

API_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Vary": "Authorization, Accept",
}
"""The headers of every answer of the API."""


def json_response(value: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """Return a response with the value as JSON, encoded by msgspec."""
    return Response(msgspec.json.encode(value), status, headers, mimetype="application/json")


def match_document_for(match: AnyMatch, seat: Seat | None, player: str | None, token: Token | None) -> MatchDocument:
    """Return the match as this seat sees it.

    A token that can only read gets no invitations, since anyone with an invitation can use it.
    """
    players = {taken.player for taken in match.seats if taken.player}
    names = services().accounts.players.names(players)
    you = match.seats_of(player)
    code = services().matches.invitations.offer_code
    codes = {
        each.number: code(match.id, each.seat, each.number)
        for each in match.offers
        if may_see_invitation(each, you, token)
    }
    waits = match.luck is not None and match.status in ("open", "opening")
    discarded = services().read_models.discards.counts(players) if waits else {}
    return match_document(match, seat, you, names, codes, discarded)


def may_see_invitation(offer: SeatOffer, you: Collection[Seat], token: Token | None) -> bool:
    """Return whether the reader made the offer and has a token that could have made it."""
    by_bot = token is not None and token.scope == "bot" and offer.seat not in you
    return offer.by in you and (by_bot or has_full_access(token))


def etag_header(ply: int) -> dict[str, str]:
    """Return the header with a match's version, which is its ply."""
    return {"ETag": f'"{ply}"'}
