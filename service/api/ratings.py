"""Players as everybody may see them, how their ratings have gone, and the leaders of each game."""

from typing import Any

from flask import Response
from marshmallow import fields, validate
from msgspec import Struct

from domain.kernel.registry import find_game
from service.api.authentication import current_player_id
from service.api.blueprint import TOKEN_OPTIONAL, ApiBlueprint
from service.api.fields import QueryInteger
from service.api.matches import MAX_PAGE_SIZE, MatchPage
from service.api.problems import Problem
from service.api.responses import json_response
from service.api.schemas import InputSchema
from service.app_context import services
from service.read_models.profiles import LeaderboardEntryDocument, ProfileDocument, RatingPointDocument

blp = ApiBlueprint("ratings", "Records, ratings, leaderboards.")

DEFAULT_LEADERS = 50


class Points(Struct, frozen=True, kw_only=True):
    """The newest points, the oldest of them first."""

    points: list[RatingPointDocument]


class Leaders(Struct, frozen=True, kw_only=True):
    """A part of a leaderboard."""

    leaders: list[LeaderboardEntryDocument]


class PageQuery(InputSchema):
    """Which part of a player's matches."""

    cursor = fields.String(validate=validate.Length(1, 200), metadata={"description": "From the page before."})
    limit = QueryInteger(1, MAX_PAGE_SIZE, load_default=50)


class RanksQuery(InputSchema):
    """Which part of a leaderboard."""

    after = QueryInteger(load_default=0, metadata={"description": "Behind this rank."})
    limit = QueryInteger(1, MAX_PAGE_SIZE, load_default=DEFAULT_LEADERS)


@blp.route("/players/<player>")
@blp.response(200, ProfileDocument)
@blp.doc(operationId="getPlayer")
def show_player(player: str) -> Response:
    """Name, and record and rating in each game."""
    return json_response(require_known_player(player))


def require_known_player(player: str) -> ProfileDocument:
    """The player. Raises Problem 404."""
    found = services().read_models.profiles.profile(player)
    if found is None:
        raise Problem(404, "no_such_player", "There is no player of this id, and none of it has ever played here.")
    return found


@blp.route("/players/<player>/matches")
@blp.arguments(PageQuery, location="query")
@blp.response(200, MatchPage)
@blp.doc(operationId="listMatchesOfPlayer", security=TOKEN_OPTIONAL)
def list_matches(query: dict[str, Any], player: str) -> Response:
    """The matches at which the player sits, the newest first; private ones only for who sits there too."""
    require_known_player(player)
    try:
        page = services().read_models.lists.list_played_by(player, current_player_id(), **query)
    except ValueError:
        raise Problem(422, "bad_cursor", "This is no cursor that a page of this list ended with.") from None
    return json_response(MatchPage(matches=page.rows, cursor=page.cursor))


@blp.route("/players/<player>/ratings/<slug>")
@blp.response(200, Points)
@blp.doc(operationId="listRatings")
def list_ratings(player: str, slug: str) -> Response:
    """How the player's rating in a game has gone, match by match."""
    game = find_game(slug)
    require_known_player(player)
    return json_response(Points(points=services().read_models.profiles.rating_history(game.slug, player)))


@blp.route("/games/<slug>/leaderboard")
@blp.arguments(RanksQuery, location="query")
@blp.response(200, Leaders)
@blp.doc(operationId="getLeaderboard")
def show_leaderboard(query: dict[str, Any], slug: str) -> Response:
    """The players of a game, ranked by what their strength is at least."""
    game = find_game(slug)
    return json_response(Leaders(leaders=services().read_models.profiles.leaderboard(game.slug, **query)))
