"""Matches: create, find, look at, take a seat."""

from typing import Any

from flask import Response, request
from marshmallow import fields, validate
from msgspec import Struct

from domain.kernel.events import Created, TimeControl
from domain.kernel.refusals import BadOptions
from domain.kernel.registry import UnknownGame, games
from service.api.authentication import current_player_id, current_token, require_player
from service.api.blueprint import PREFIX, TOKEN_OPTIONAL, TOKEN_REQUIRED, ApiBlueprint
from service.api.command_headers import IdempotencyHeaders, result_headers
from service.api.fields import PatternString, QueryFlag, QueryInteger, StrictBoolean
from service.api.links import MATCH_LINKS
from service.api.problems import Problem, from_bad_options
from service.api.responses import etag_header, json_response, match_document_for
from service.api.schemas import InputSchema, ViewingSeatQuery
from service.api.seat_input import MAX_SEATS, SeatIn, seat_wish
from service.api.seats import viewing_seat
from service.app_context import services
from service.bots.levels import LEVELS
from service.matches.match_document import MatchDocument
from service.matches.results import CommandResult
from service.read_models.match_lists import MatchFilter
from service.read_models.summary import MatchSummary

blp = ApiBlueprint("matches", "Matches: create, find, look at, take a seat.")

MAX_PAGE_SIZE = 100


class ClockIn(InputSchema):
    """The clock of a match: a deadline for every move, or a bank of time."""

    kind = fields.String(required=True, validate=validate.OneOf(["per_move", "bank"]))
    seconds = fields.Integer(
        required=True,
        strict=True,
        metadata={"description": "For each move (12 hours to 14 days), or in the bank (1 hour to 60 days)."},
    )
    increment = fields.Integer(strict=True, metadata={"description": "What a bank gains with each move: up to 3 days."})
    expiry = fields.String(
        validate=validate.OneOf(["resigns", "bot_moves", "bot_takes_over"]),
        metadata={"description": "When the time of a seat is up; `resigns` if left out, and if rated."},
    )
    level = fields.String(validate=validate.OneOf(LEVELS), metadata={"description": "Of the bot that then plays."})
    vacation = fields.Integer(
        strict=True, metadata={"description": "Days off that each seat may take: 1 to 60; none if left out."}
    )


class MatchIn(InputSchema):
    """A match to be created."""

    game = fields.String(required=True)
    seats = fields.List(fields.Nested(SeatIn), required=True, validate=validate.Length(1, MAX_SEATS))
    options = fields.Dict(keys=fields.String(), load_default=dict)
    clock = fields.Nested(ClockIn)
    seed = PatternString(
        "(?:[0-9a-fA-F]{2}){1,64}",
        "A seed is 1 to 64 bytes in hex.",
        metadata={"description": "A given seed, in hex: everybody can foresee the dice. For practice and tests."},
    )
    rated = StrictBoolean(
        load_default=False,
        metadata={"description": "Its result counts: between people, one seat each, from the beginning, in the open."},
    )
    private = StrictBoolean(
        load_default=False, metadata={"description": "In no list, each seat by invitation; who knows its id may watch."}
    )
    seating = fields.String(
        load_default="chosen",
        validate=validate.OneOf(["chosen", "chance"]),
        metadata={"description": "By chance the players' seats are drawn at the start."},
    )
    position = fields.Dict(
        keys=fields.String(), metadata={"description": "A position document of the game, instead of a deal."}
    )


class CreatedMatch(Struct, frozen=True, kw_only=True):
    """A new match, and the invitation of each open seat, by its number."""

    match: MatchDocument
    invitations: dict[str, str]


class MatchPage(Struct, frozen=True, kw_only=True):
    """Matches, the newest first; `cursor` leads to the next page, null on the last.

    A page of rare matches may be short, even empty, and yet not be the last.
    """

    matches: list[MatchSummary]
    cursor: str | None


class MatchSearchQuery(InputSchema):
    """Which matches to list."""

    game = fields.String(metadata={"description": "A game's slug."})
    status = fields.String(validate=validate.OneOf(["open", "playing", "over"]))
    open_seats = QueryFlag(metadata={"description": "1: with a seat that anyone may take; 0: without."})
    rated = QueryFlag()
    clock = fields.String(validate=validate.OneOf(["none", "per_move", "bank"]))
    bots = QueryFlag(metadata={"description": "1: a bot plays; 0: people only."})
    cursor = fields.String(validate=validate.Length(1, 200), metadata={"description": "From the page before."})
    limit = QueryInteger(1, MAX_PAGE_SIZE, load_default=50)


class MatchViewQuery(ViewingSeatQuery):
    """As whom, and when."""

    at = QueryInteger(
        least=1,
        metadata={"description": "As the match stood at this ply; after the end only."},
    )


@blp.route("/matches", methods=["POST"])
@blp.arguments(MatchIn)
@blp.arguments(IdempotencyHeaders, location="headers")
@blp.response(201, CreatedMatch)
@blp.doc(operationId="createMatch", security=TOKEN_REQUIRED, responses={201: {"links": MATCH_LINKS}})
def create(body: dict[str, Any], headers: dict[str, Any]) -> Response:
    """A new match. It starts when its last seat is taken; with no open seat, at once."""
    player = require_player()
    wishes = [seat_wish(seat, player) for seat in body["seats"]]
    seed = bytes.fromhex(body["seed"]) if "seed" in body else None
    try:
        done = services().matches.creation.create(
            player,
            body["game"],
            wishes,
            body["options"],
            seed=seed,
            position=body.get("position"),
            clock=TimeControl(**body["clock"]) if "clock" in body else None,
            rated=body["rated"],
            private=body["private"],
            by_chance=body["seating"] == "chance",
            key=headers.get("key"),
        )
    except (BadOptions, UnknownGame) as error:
        raise from_bad_options(error) from None
    match = done.match
    seen = match_document_for(match, viewing_seat(match, player, None), player, current_token())
    created = CreatedMatch(match=seen, invitations=invitation_codes(done))
    return json_response(created, 201, {**result_headers(done), "Location": f"{PREFIX}/matches/{match.id}"})


def invitation_codes(done: CommandResult) -> dict[str, str]:
    """The codes for the seats that were created open."""
    created = done.events[0]
    assert isinstance(created, Created)
    open_seats = [number for number, plan in enumerate(created.seats) if plan.kind == "open"]
    return {str(seat): services().matches.invitations.seat_code(done.match, seat) for seat in open_seats}


@blp.route("/matches")
@blp.arguments(MatchSearchQuery, location="query")
@blp.response(200, MatchPage)
@blp.doc(operationId="listMatches")
def search(query: dict[str, Any]) -> Response:
    """Matches that are not private, by game, status and more, the newest first."""
    if query.get("game", "") not in ("", *games()):
        raise Problem(422, "no_such_game", f"There is no such game; there are {', '.join(games())}.")
    wanted = MatchFilter(query.get("open_seats"), query.get("rated"), query.get("clock"), query.get("bots"))
    asked = {name: query[name] for name in ("game", "status", "cursor", "limit") if name in query}
    try:
        page = services().read_models.lists.list_matches(**asked, wanted=wanted)
    except ValueError:
        raise Problem(422, "bad_cursor", "This is no cursor that a page of this list ended with.") from None
    return json_response(MatchPage(matches=page.rows, cursor=page.cursor))


@blp.route("/matches/<match>")
@blp.arguments(MatchViewQuery, location="query")
@blp.response(
    200, MatchDocument, headers={"ETag": {"description": "The ply, in quotes.", "schema": {"type": "string"}}}
)
@blp.alt_response(304, description="The match is still at the ply of If-None-Match.")
@blp.doc(operationId="getMatch", security=TOKEN_OPTIONAL)
def show(query: dict[str, Any], match: str) -> Response:
    """The match as your seat sees it; without a token, or without a seat, as a spectator does."""
    player = current_player_id()
    now = services().matches.repository.load(match)
    seat = viewing_seat(now, player, query.get("as_"))
    ply = query.get("at")
    if ply is not None and now.status != "over":
        raise Problem(409, "not_over", "Earlier positions can be looked at when the match is over.")
    if ply is not None and ply > now.ply:
        raise Problem(404, "no_such_ply", f"This match has the plies 1 to {now.ply}.")
    headers = etag_header(ply or now.ply)
    if request.if_none_match.contains_weak(str(ply or now.ply)):
        return Response(status=304, headers=headers)
    then = now if ply is None else services().matches.repository.at_ply(match, ply)
    return json_response(match_document_for(then, seat, player, current_token()), headers=headers)
