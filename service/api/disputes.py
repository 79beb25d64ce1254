"""Disputes: raise, read and resolve them. Forks: continue a finished match from any ply."""

import secrets
from collections.abc import Sequence
from typing import Any, get_args

from flask import Response
from marshmallow import fields, validate
from msgspec import UNSET, Struct

from domain.kernel.events import Ground, Ruling
from domain.kernel.game import Seat
from domain.match.commands import Command, RaiseDispute, ResolveDispute
from domain.match.disputes import find_dispute
from domain.match.state import AnyMatch, Dispute
from service.api.authentication import current_token, require_player
from service.api.blueprint import PREFIX, TOKEN_REQUIRED, ApiBlueprint
from service.api.command_execution import possible_seats, run_or_repeat, submit_command
from service.api.command_headers import IdempotencyHeaders, result_headers
from service.api.links import MATCH_LINKS
from service.api.matches import CreatedMatch, created_match
from service.api.problems import Problem
from service.api.responses import json_response, match_document_for
from service.api.schemas import InputSchema, SeatQuery
from service.api.seat_input import SeatIn, seat_wish
from service.api.seats import acting_seat, viewing_seat
from service.app_context import services
from service.disputes.statements import InvalidStatement, normalize_statement, statement_digest
from service.matches.match_document import DisputeDocument, dispute_document
from service.moderation.sanctions import Muted

blp = ApiBlueprint("disputes", "Disputes about a ply, with their verdicts and resolutions, and forks.")


class DisputeIn(InputSchema):
    """The ply that you dispute, and why."""

    ply = fields.Integer(required=True, strict=True, validate=validate.Range(1))
    ground = fields.String(required=True, validate=validate.OneOf(get_args(Ground)))
    claim = fields.String(
        required=True, metadata={"description": "What is wrong, in your own words. Everyone can read it."}
    )


class RulingIn(InputSchema):
    """An arbiter's ruling. Only `rolled_back` and `result_of` take `to_ply`."""

    ruling = fields.String(required=True, validate=validate.OneOf(get_args(Ruling)))
    to_ply = fields.Integer(strict=True, validate=validate.Range(1))


class ForkIn(InputSchema):
    """The ply to continue from, the luck to use (`same` or `new`), and the seats."""

    ply = fields.Integer(required=True, strict=True, validate=validate.Range(1))
    luck = fields.String(load_default="new", validate=validate.OneOf(["same", "new"]))
    level = fields.String(
        validate=validate.OneOf(["open", "sealed"]),
        metadata={"description": "With new luck: when players show their shares, as in a new match."},
    )
    seats = fields.List(fields.Nested(SeatIn), required=True, validate=validate.Length(1, 16))


class DisputeList(Struct, frozen=True, kw_only=True):
    """All disputes of a match, oldest first."""

    disputes: list[DisputeDocument]


LINKS_OF_DISPUTE = {
    name: {
        "operationId": operation,
        "parameters": {"match": "$request.path.match", "number": "$response.body#/number"},
    }
    for name, operation in (("dispute", "getDispute"), ("resolution", "resolveDispute"))
}


@blp.route("/matches/<match>/disputes")
@blp.response(200, DisputeList)
@blp.doc(operationId="listDisputes")
def listed(match: str) -> Response:
    """List all disputes of a match. Anyone may read them."""
    head = services().matches.repository.load(match)
    return json_response(DisputeList(disputes=documents(head, head.disputes)))


@blp.route("/matches/<match>/disputes", methods=["POST"])
@blp.arguments(DisputeIn)
@blp.arguments(SeatQuery, location="query")
@blp.arguments(IdempotencyHeaders, location="headers")
@blp.response(201, DisputeDocument)
@blp.doc(operationId="raiseDispute", security=TOKEN_REQUIRED, responses={201: {"links": LINKS_OF_DISPUTE}})
def dispute(body: dict[str, Any], query: dict[str, Any], headers: dict[str, Any], match: str) -> Response:
    """Dispute a ply of a match that you play in. This starts an audit.

    Arbiters may dispute any match.
    """
    player = require_player()
    require_may_write(player)
    head = services().matches.repository.load(match)
    arbiter = services().accounts.arbiters.is_arbiter(player) and not head.has_seated(player)

    def choose_seat() -> Seat | None:
        return None if arbiter else acting_seat(head, player, query.get("as_"))

    try:
        statement = normalize_statement(body["claim"])
    except InvalidStatement as error:
        choose_seat()
        raise Problem(422, "bad_claim", str(error)) from None
    commands: dict[Seat | None, Command] = {
        each: RaiseDispute(
            each, body["ply"], body["ground"], statement_digest(statement), player if each is None else None
        )
        for each in (None, *possible_seats(head, query.get("as_")))
    }
    done, _ = run_or_repeat(match, player, choose_seat, commands, headers)
    services().disputes.statements.store(match, statement)
    number = done.events[0].ply
    location = {"Location": f"{PREFIX}/matches/{match}/disputes/{number}"}
    raised = find_dispute(done.match, number)
    return json_response(document(done.match, raised), 201, {**result_headers(done), **location})


@blp.route("/matches/<match>/disputes/<int:number>")
@blp.response(200, DisputeDocument)
@blp.doc(operationId="getDispute")
def show(match: str, number: int) -> Response:
    """Get a dispute, with its verdict and resolution once available."""
    head = services().matches.repository.load(match)
    return json_response(document(head, find_dispute(head, number)))


@blp.route("/matches/<match>/disputes/<int:number>/resolution", methods=["POST"])
@blp.arguments(RulingIn)
@blp.arguments(IdempotencyHeaders, location="headers")
@blp.response(201, DisputeDocument)
@blp.doc(operationId="resolveDispute", security=TOKEN_REQUIRED)
def resolve(body: dict[str, Any], headers: dict[str, Any], match: str, number: int) -> Response:
    """Resolve a dispute as an arbiter.

    A running match can continue or be rolled back. Once the match is over, decide on its result.
    """
    player = require_player()
    command = ResolveDispute(number, body["ruling"], player, body.get("to_ply"))
    done = submit_command(match, command, player, None, headers)
    return json_response(document(done.match, find_dispute(done.match, number)), 201, result_headers(done))


@blp.route("/matches/<match>/forks", methods=["POST"])
@blp.arguments(ForkIn)
@blp.arguments(IdempotencyHeaders, location="headers")
@blp.response(201, CreatedMatch)
@blp.doc(operationId="forkMatch", security=TOKEN_REQUIRED, responses={201: {"links": MATCH_LINKS}})
def fork(body: dict[str, Any], headers: dict[str, Any], match: str) -> Response:
    """Fork a match: create an unrated match that continues from one of its plies.

    The original must be over, or be your own practice match.
    """
    player = require_player()
    seats = [seat_wish(seat, player) for seat in body["seats"]]
    key = headers.get("key") or secrets.token_hex(16)
    same_luck, level = body["luck"] == "same", body.get("level", UNSET)
    done = services().matches.creation.fork(match, body["ply"], player, seats, same_luck, level, key)
    made = done.match
    seen = match_document_for(made, viewing_seat(made, player, None), player, current_token())
    return json_response(
        created_match(done, seen), 201, {**result_headers(done), "Location": f"{PREFIX}/matches/{made.id}"}
    )


def require_may_write(player: str) -> None:
    """Raise Problem 403 for a muted player, whose words nobody else may read."""
    try:
        services().moderation.sanctions.require_may_write(player)
    except Muted as error:
        raise Problem(403, "muted", str(error)) from None


def document(head: AnyMatch, raised: Dispute) -> DisputeDocument:
    """Return the dispute with its statement."""
    return documents(head, [raised])[0]


def documents(head: AnyMatch, raised: Sequence[Dispute]) -> list[DisputeDocument]:
    """Return the disputes with their statements."""
    texts = services().disputes.statements.texts(head.id, [each.claim_digest for each in raised])
    return [dispute_document(each, texts[each.claim_digest]) for each in raised]
