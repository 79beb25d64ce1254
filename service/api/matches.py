"""Matches: create, find, look at, take a seat."""

import secrets
from typing import Any

from flask import Response, request
from marshmallow import ValidationError, fields, validate, validates_schema
from msgspec import UNSET, Struct, UnsetType

from domain.kernel.events import Created, TimeControl
from domain.kernel.game import Seat
from domain.kernel.refusals import BadOptions, MatchRefused
from domain.kernel.registry import UnknownGame, games
from domain.match.commands import NO_CLIENT_SEED, SeatSpec, TakeOver, TakeSeat
from domain.match.guards import require_open
from domain.match.handover import find_offer
from domain.match.state import AnyMatch
from service.api.authentication import current_player_id, current_token, require_player
from service.api.blueprint import PREFIX, TOKEN_OPTIONAL, TOKEN_REQUIRED, ApiBlueprint
from service.api.fields import IdempotencyKeyHeader, PatternString, QueryFlag, QueryInteger, StrictBoolean
from service.api.problems import Problem, from_bad_options
from service.api.responses import etag_header, json_response, match_document_for
from service.api.schemas import InputSchema, VariantField
from service.api.seats import require_seat_exists, viewing_seat
from service.app_context import services
from service.bots.levels import LEVELS
from service.matches.command_handler import CommandResult, IdempotencyKey
from service.matches.match_document import MatchDocument
from service.read_models.projections import MatchFilter, MatchSummary

blp = ApiBlueprint("matches", "Matches: create, find, look at, take a seat.")

MAX_SEATS = 16
MAX_PAGE_SIZE = 100


class ClientSeed(PatternString):
    """A player's share of the luck."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(
            "[!-~]{1,64}",
            "A client seed has 1 to 64 printable ASCII characters without spaces.",
            metadata={"description": "Your share of the luck, any text without spaces; `none` if you give none."},
            **kwargs,
        )


class SeatIn(InputSchema):
    """Who shall sit at a seat: me, a bot, or whoever comes (with `private`: by invitation only)."""

    kind = fields.String(required=True, validate=validate.OneOf(["me", "open", "bot"]))
    level = fields.String(validate=validate.OneOf(LEVELS), metadata={"description": "Of a bot: required."})
    private = StrictBoolean(metadata={"description": "Of an open seat; in a private match each one is."})
    client_seed = ClientSeed()

    variant_fields = (
        VariantField("level", ("bot",), required=True),
        VariantField("private", ("open",)),
        VariantField("client_seed", ("me",)),
    )

    @validates_schema
    def check_fields_fit_kind(self, seat: dict[str, Any], **_: Any) -> None:
        """A bot has a level, an open seat may be private, I may have a client seed; no other kind has any of these."""
        for field in self.variant_fields:
            if field.name in seat and seat["kind"] not in field.kinds:
                raise ValidationError(f"Only a seat of kind {field.kinds[0]} has this.", field.name)
        if seat["kind"] == "bot" and "level" not in seat:
            raise ValidationError(f"A bot has a level: {' or '.join(LEVELS)}.", "level")


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


class IdempotencyHeaders(InputSchema):
    """Headers of a request that may be repeated."""

    key = IdempotencyKeyHeader(
        data_key="Idempotency-Key",
        metadata={"description": "1 to 255 printable characters. A repetition with the same key acts once."},
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


class MatchViewQuery(InputSchema):
    """As whom, and when."""

    as_ = QueryInteger(data_key="as", metadata={"description": "As this seat: yours; after the end any."})
    at = QueryInteger(
        least=1,
        metadata={"description": "As the match stood at this ply; after the end only."},
    )


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


NEXT_OPERATIONS = {
    "match": "getMatch",
    "legal_moves": "listLegalMoves",
    "events": "listEvents",
    "move": "makeMove",
    "command": "sendCommand",
    "replay": "downloadReplay",
    "disputes": "listDisputes",
}
"""What one may do with a match that one has in hand: the operations by name."""
MATCH_LINKS = {
    name: {"operationId": operation, "parameters": {"match": "$response.body#/match/id"}}
    for name, operation in NEXT_OPERATIONS.items()
}


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
        done = services().matches.create(
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


def seat_wish(seat: dict[str, Any], player: str) -> SeatSpec:
    """How the creator wants one seat."""
    match seat["kind"]:
        case "me":
            return SeatSpec("human", player=player, client_seed=seat.get("client_seed", NO_CLIENT_SEED))
        case "bot":
            return SeatSpec("bot", level=seat["level"])
        case _:
            return SeatSpec("open", private=seat.get("private", False))


def invitation_codes(done: CommandResult) -> dict[str, str]:
    """The codes for the seats that were created open."""
    created = done.events[0]
    assert isinstance(created, Created)
    open_seats = [number for number, plan in enumerate(created.seats) if plan.kind == "open"]
    return {str(seat): services().invitations.seat_code(done.match, seat) for seat in open_seats}


def result_headers(done: CommandResult) -> dict[str, str]:
    """The headers of what a command made."""
    return {**etag_header(done.match.ply), **({"Idempotent-Replayed": "true"} if done.is_repeat else {})}


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
        page = services().projections.list_matches(**asked, wanted=wanted)
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
    now = services().matches.load(match)
    seat = viewing_seat(now, player, query.get("as_"))
    ply = query.get("at")
    if ply is not None and now.status != "over":
        raise Problem(409, "not_over", "Earlier positions can be looked at when the match is over.")
    if ply is not None and ply > now.ply:
        raise Problem(404, "no_such_ply", f"This match has the plies 1 to {now.ply}.")
    headers = etag_header(ply or now.ply)
    if request.if_none_match.contains_weak(str(ply or now.ply)):
        return Response(status=304, headers=headers)
    then = now if ply is None else services().matches.at_ply(match, ply)
    return json_response(match_document_for(then, seat, player, current_token()), headers=headers)


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
    now = services().matches.load(match)
    require_seat_exists(now, seat)
    offer = services().invitations.find_offer(body.get("invitation", ""), now.id, seat)
    if offer is None:
        require_invitation(now, seat, player, body.get("invitation"))
    if player is None:
        if "name" not in body:
            raise Problem(422, "invalid", "A guest has a name. Or send your token.", errors={"json": {"name": ["?"]}})
        require_seat_free(now, seat) if offer is None else find_offer(now, seat, offer)
        services().rate_limiter.count_registration_from(request.remote_addr or "")
        guest, token = services().players.register(body["name"])
        player = guest.id
    command = TakeSeat(seat, player, body["client_seed"]) if offer is None else TakeOver(seat, player, offer)
    done = services().matches.submit(
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
    now = services().matches.load(match)
    require_seat_exists(now, seat)
    if player != now.creator:
        raise Problem(403, "not_creator", "Only who set a match up invites to it.")
    require_seat_free(now, seat)
    return json_response(Invitation(invitation=services().invitations.withdraw(now, seat)), 201)


def require_invitation(match: AnyMatch, seat: Seat, player: str | None, code: str | None) -> None:
    """Raise Problem 403 for a private seat without its invitation; the creator needs none."""
    if not match.seats[seat].private or player == match.creator:
        return
    if code is None or not services().invitations.is_valid(code, match, seat):
        detail = "This seat is taken by invitation only; send the right code as `invitation`."
        raise Problem(403, "invitation_needed", detail)


def require_seat_free(match: AnyMatch, seat: Seat) -> None:
    """Raise MatchRefused for a seat that cannot be taken, before a guest is registered for it in vain."""
    require_open(match)
    if seat not in match.open_seats:
        raise MatchRefused("seat_taken", f"Seat {seat} is taken already.")
