"""Players: register, get your own player, list or stream your turns."""

from base64 import urlsafe_b64encode
from collections.abc import Callable, Iterator
from hashlib import sha256
from typing import Any

import msgspec
from flask import Response, request
from marshmallow import fields, validate
from msgspec import Struct

from service.accounts.names import MAX_NAME_LENGTH
from service.accounts.players import Player
from service.api.authentication import require_player, token_validity_check, unauthorized
from service.api.blueprint import TOKEN_REQUIRED, ApiBlueprint
from service.api.fields import StrictBoolean
from service.api.responses import json_response
from service.api.schemas import InputSchema
from service.api.streams import NDJSON, SSE, ResumeHeaders, stream_response, tolerate_outage
from service.app_context import services
from service.bootstrap import Services
from service.read_models.summary import MatchSummary
from service.streaming.match_subscriptions import StreamItem

blp = ApiBlueprint("players", "Players and their tokens.")

TOKEN_CHECK_SECONDS = 2.0
"""How often an idle stream of turns checks its token, in seconds."""


class Registration(InputSchema):
    """The player to register."""

    name = fields.String(
        required=True,
        validate=validate.Length(1, 4 * MAX_NAME_LENGTH),
        metadata={"description": "The name that others see."},
    )
    bot = StrictBoolean(
        load_default=False,
        metadata={
            "description": "True for a program: others see `(bot)` after its name, and its token has the scope `bot`."
        },
    )


class Registered(Struct, frozen=True, kw_only=True):
    """A new player and its token, which is shown only once."""

    player: Player
    token: str


class Me(Struct, frozen=True, kw_only=True):
    """The player that the token belongs to."""

    player: Player


class Turns(Struct, frozen=True, kw_only=True):
    """The matches in which it is your turn or a request awaits your answer."""

    turns: list[MatchSummary]


@blp.route("/players", methods=["POST"])
@blp.arguments(Registration)
@blp.response(201, Registered)
@blp.doc(
    operationId="registerPlayer",
    responses={
        201: {
            "links": {
                "me": {"operationId": "getMe", "description": "Send the token as a bearer token."},
                "player": {"operationId": "getPlayer", "parameters": {"player": "$response.body#/player/id"}},
                "matches": {
                    "operationId": "listMatchesOfPlayer",
                    "parameters": {"player": "$response.body#/player/id"},
                },
            }
        }
    },
)
def register(body: dict[str, Any]) -> Response:
    """Register a player and get a token.

    Keep the token: only its hash is stored, and it is never shown again.
    """
    services().runtime.rate_limiter.count_registration_from(request.remote_addr or "")
    player, token = services().accounts.players.register(body["name"], body["bot"])
    return json_response(Registered(player=player, token=token), 201, {"Location": "/api/v1/me"})


@blp.route("/me")
@blp.response(200, Me)
@blp.doc(operationId="getMe", security=TOKEN_REQUIRED)
def me() -> Response:
    """Get the player that your token belongs to."""
    player = services().accounts.players.find(require_player())
    if player is None:
        raise unauthorized(
            "bad_token", "The player of this token was erased. Register a new one with POST /api/v1/players."
        )
    return json_response(Me(player=player))


@blp.route("/me/turns")
@blp.response(200, Turns)
@blp.doc(operationId="listTurns", security=TOKEN_REQUIRED)
def turns() -> Response:
    """List the matches that wait for a move or an answer of yours."""
    return json_response(Turns(turns=services().read_models.lists.turns_of(require_player())))


@blp.route("/me/stream")
@blp.arguments(ResumeHeaders, location="headers")
@blp.response(
    200, MatchSummary, content_type=NDJSON, description="One turn per line. With SSE, `event` is `your_turn`."
)
@blp.alt_response(200, schema={"type": "string"}, content_type=SSE, success=True)
@blp.doc(operationId="streamTurns", security=TOKEN_REQUIRED)
def stream_turns(headers: dict[str, Any]) -> Response:
    """Stream your turns by SSE or NDJSON.

    The stream sends one `your_turn`, with the match's row, for each current and each new turn. Resume with
    `Last-Event-ID`: current turns that were already sent are not sent again.
    """
    player = require_player()
    sent = frozenset(filter(None, headers.get("last", "").split(".")))
    return stream_response(turn_stream_items(services(), player, sent, token_validity_check()))


def turn_stream_items(
    parts: Services, player: str, told: frozenset[str], asking: Callable[[], bool]
) -> Iterator[list[StreamItem]]:
    """Yield each turn of a player once, until the token is revoked.

    An entry's id lists all current turns sent so far, so the server needs no state to resume.
    """
    with parts.streaming.turns.subscribe(player) as listener:
        while True:
            items: list[StreamItem] = []
            with tolerate_outage():
                with listener.refresh_if_due() as due:
                    rows = (
                        {turn_digest(row.id, row.ply): row for row in parts.read_models.lists.turns_of(player)}
                        if due
                        else None
                    )
                if not asking():
                    return
                if rows is not None:
                    told &= rows.keys()
                    for name in [name for name in rows if name not in told]:
                        told |= {name}
                        items.append(StreamItem(".".join(sorted(told)), "your_turn", msgspec.json.encode(rows[name])))
            yield items
            listener.wait(TOKEN_CHECK_SECONDS)


def turn_digest(match: str, ply: int) -> str:
    """Return eight characters that identify one turn of one match."""
    return urlsafe_b64encode(sha256(f"{match}|{ply}".encode()).digest()[:6]).decode()
