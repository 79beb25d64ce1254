"""Continuations: the new match in which a match goes on whose game's component data has changed."""

from typing import Annotated

from flask import Response
from msgspec import Meta, Struct

from service.api.authentication import require_player
from service.api.blueprint import PREFIX, TOKEN_REQUIRED
from service.api.matches import blp
from service.api.responses import json_response
from service.app_context import services


class ContinuedMatch(Struct, frozen=True, kw_only=True):
    """The match in which another one continues. It is the same for all players of that match."""

    match: Annotated[str, Meta(description="The id of the new match.")]
    keeps_position: Annotated[
        bool, Meta(description="True for a fork with the position of the match, false for a fresh match.")
    ]


@blp.route("/matches/<match>/continuation", methods=["POST"])
@blp.response(201, ContinuedMatch)
@blp.doc(operationId="continueMatch", security=TOKEN_REQUIRED)
def continue_in_new_match(match: str) -> Response:
    """Continue a match in a new one, because its game's components have changed (`components_changed`).

    Everybody gets the same seat there. The new match is unrated. A repeated request gets the same match.
    """
    found = services().matches.continuations.continue_match(match, require_player())
    made = ContinuedMatch(match=found.match, keeps_position=found.keeps_position)
    return json_response(made, 201, {"Location": f"{PREFIX}/matches/{found.match}"})
