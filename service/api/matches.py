"""Matches: create, list and get them."""

from typing import Any

from flask import Response, request
from marshmallow import fields, validate, validates_schema
from msgspec import UNSET, Struct

from domain.kernel.events import Created, LuckLevel, TimeControl
from domain.kernel.refusals import BadOptions
from domain.kernel.registry import UnknownGame, games
from domain.match.lobby import SHARE_BEFORE_COMMITMENT
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
from service.matches.match_document import HashHex, MatchDocument
from service.matches.results import CommandResult
from service.read_models.match_lists import MatchFilter
from service.read_models.summary import MatchSummary

blp = ApiBlueprint("matches", "Matches: create, list and get matches, take seats.")

MAX_PAGE_SIZE = 100


class ClockIn(InputSchema):
    """The clock of a match: a time limit for every move, or a bank of time for each seat."""

    kind = fields.String(required=True, validate=validate.OneOf(["per_move", "bank"]))
    seconds = fields.Integer(
        required=True,
        strict=True,
        metadata={
            "description": "Time for each move (12 hours to 14 days), or in the bank at the start (1 hour to 60 days)."
        },
    )
    increment = fields.Integer(
        strict=True, metadata={"description": "Seconds that each move adds to the bank: up to 3 days."}
    )
    expiry = fields.String(
        validate=validate.OneOf(["resigns", "bot_moves", "bot_takes_over"]),
        metadata={
            "description": "What happens when a seat runs out of time. Default: `resigns`, which rated matches require."
        },
    )
    level = fields.String(
        validate=validate.OneOf(LEVELS),
        metadata={"description": "The level of the bot for `bot_moves` and `bot_takes_over`."},
    )
    vacation = fields.Integer(strict=True, metadata={"description": "Days off for each seat: 1 to 60. Default: none."})


class MatchIn(InputSchema):
    """A match to create."""

    game = fields.String(required=True)
    seats = fields.List(fields.Nested(SeatIn), required=True, validate=validate.Length(1, MAX_SEATS))
    options = fields.Dict(keys=fields.String(), load_default=dict)
    clock = fields.Nested(ClockIn)
    seed = PatternString(
        "(?:[0-9a-fA-F]{2}){1,64}",
        "A seed must have 1 to 64 bytes in hex.",
        metadata={"description": "A seed of your own, in hex, for practice and tests. It makes the dice predictable."},
    )
    rated = StrictBoolean(
        load_default=False,
        metadata={
            "description": "The result counts towards the ratings. Only public matches between people can be rated. "
            "Without a `clock`, the match gets three days per move."
        },
    )
    private = StrictBoolean(
        load_default=False,
        metadata={"description": "Unlisted. Open seats need an invitation; anyone who knows the id can watch."},
    )
    seating = fields.String(
        load_default="chosen",
        validate=validate.OneOf(["chosen", "chance"]),
        metadata={"description": "With `chance`, the players' seats are drawn at the start."},
    )
    luck = fields.String(
        validate=validate.OneOf(["open", "sealed"]),
        metadata={
            "description": "When players show their shares of the luck: as they sit down (`open`), or once all seats "
            "are taken (`sealed`, always for rated matches). You then sit down in a second request, with your share. "
            "Without this field you are seated immediately, without a share."
        },
    )
    position = fields.Dict(
        keys=fields.String(),
        metadata={"description": "A position of the game to start from, instead of the normal set-up."},
    )
    share = fields.String(metadata={"description": "Refused here: create the match, then sit down with your share."})
    seal = fields.String(metadata={"description": "Refused here: create the match, then sit down with your seal."})
    client_seed = fields.String(metadata={"description": "Refused here, as in the seats."})

    @validates_schema
    def check_shares_come_later(self, body: dict[str, Any], **_: Any) -> None:
        """Raise Problem `share_before_commitment` for a creation with a contribution to the luck."""
        if {"share", "seal", "client_seed"} & set(body):
            raise Problem(422, "share_before_commitment", SHARE_BEFORE_COMMITMENT)


class CreatedMatch(Struct, frozen=True, kw_only=True):
    """A new match, and an invitation for each open seat, by seat number.

    Store `match` and `commitment` before you sit down with a share. `level` and `opening_seconds` describe its luck.
    """

    match: MatchDocument
    invitations: dict[str, str]
    commitment: HashHex
    level: LuckLevel | None
    opening_seconds: int | None


class MatchPage(Struct, frozen=True, kw_only=True):
    """Matches, newest first. `cursor` leads to the next page and is null on the last one.

    With a narrow filter, a page may be short or even empty without being the last one.
    """

    matches: list[MatchSummary]
    cursor: str | None


class MatchSearchQuery(InputSchema):
    """Filters for the list of matches."""

    game = fields.String(metadata={"description": "The slug of a game."})
    status = fields.String(validate=validate.OneOf(["open", "opening", "playing", "over"]))
    open_seats = QueryFlag(
        metadata={"description": "1: matches with a seat that anyone may take. 0: matches without one."}
    )
    rated = QueryFlag()
    clock = fields.String(validate=validate.OneOf(["none", "per_move", "bank"]))
    bots = QueryFlag(metadata={"description": "1: matches with a bot. 0: matches between people only."})
    cursor = fields.String(
        validate=validate.Length(1, 200), metadata={"description": "The `cursor` of the previous page."}
    )
    limit = QueryInteger(1, MAX_PAGE_SIZE, load_default=50)


class MatchViewQuery(ViewingSeatQuery):
    """The seat whose view to show, and the ply."""

    at = QueryInteger(
        least=1,
        metadata={"description": "Show the match as it was after this ply. Only for finished matches."},
    )


@blp.route("/matches", methods=["POST"])
@blp.arguments(MatchIn)
@blp.arguments(IdempotencyHeaders, location="headers")
@blp.response(201, CreatedMatch)
@blp.doc(operationId="createMatch", security=TOKEN_REQUIRED, responses={201: {"links": MATCH_LINKS}})
def create(body: dict[str, Any], headers: dict[str, Any]) -> Response:
    """Create a match.

    It starts when its last seat is taken and the shares are open, or immediately if it has no open seat.
    """
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
            level=body.get("luck", UNSET),
            key=headers.get("key"),
        )
    except (BadOptions, UnknownGame) as error:
        raise from_bad_options(error) from None
    match = done.match
    seen = match_document_for(match, viewing_seat(match, player, None), player, current_token())
    return json_response(
        created_match(done, seen), 201, {**result_headers(done), "Location": f"{PREFIX}/matches/{match.id}"}
    )


def created_match(done: CommandResult, seen: MatchDocument) -> CreatedMatch:
    """Return the answer to the creation of a match. `seen` is the match as its creator sees it."""
    luck = done.match.luck
    return CreatedMatch(
        match=seen,
        invitations=invitation_codes(done),
        commitment=done.match.commitment,
        level=luck.level if luck else None,
        opening_seconds=luck.opening_seconds if luck else None,
    )


def invitation_codes(done: CommandResult) -> dict[str, str]:
    """Return the invitation codes for the seats that were created open."""
    created = done.events[0]
    assert isinstance(created, Created)
    open_seats = [number for number, plan in enumerate(created.seats) if plan.kind == "open"]
    return {str(seat): services().matches.invitations.seat_code(done.match, seat) for seat in open_seats}


@blp.route("/matches")
@blp.arguments(MatchSearchQuery, location="query")
@blp.response(200, MatchPage)
@blp.doc(operationId="listMatches")
def search(query: dict[str, Any]) -> Response:
    """List public matches, newest first, filtered by game, status and more."""
    if query.get("game", "") not in ("", *games()):
        raise Problem(422, "no_such_game", f"There is no such game. The games are {', '.join(games())}.")
    wanted = MatchFilter(query.get("open_seats"), query.get("rated"), query.get("clock"), query.get("bots"))
    asked = {name: query[name] for name in ("game", "status", "cursor", "limit") if name in query}
    try:
        page = services().read_models.lists.list_matches(**asked, wanted=wanted)
    except ValueError:
        raise Problem(422, "bad_cursor", "This cursor is invalid. Use the `cursor` of the previous page.") from None
    return json_response(MatchPage(matches=page.rows, cursor=page.cursor))


@blp.route("/matches/<match>")
@blp.arguments(MatchViewQuery, location="query")
@blp.response(
    200, MatchDocument, headers={"ETag": {"description": "The ply, in quotes.", "schema": {"type": "string"}}}
)
@blp.alt_response(304, description="The match is still at the ply given in If-None-Match.")
@blp.doc(operationId="getMatch", security=TOKEN_OPTIONAL)
def show(query: dict[str, Any], match: str) -> Response:
    """Get a match as your seat sees it, or as a spectator if you have no token or no seat."""
    player = current_player_id()
    now = services().matches.repository.load(match)
    seat = viewing_seat(now, player, query.get("as_"))
    ply = query.get("at")
    if ply is not None and now.status != "over":
        raise Problem(409, "not_over", "Earlier positions are available once the match is over.")
    if ply is not None and ply > now.ply:
        raise Problem(404, "no_such_ply", f"There is no such ply. This match has plies 1 to {now.ply}.")
    headers = etag_header(ply or now.ply)
    if request.if_none_match.contains_weak(str(ply or now.ply)):
        return Response(status=304, headers=headers)
    then = now if ply is None else services().matches.repository.at_ply(match, ply)
    return json_response(match_document_for(then, seat, player, current_token()), headers=headers)
