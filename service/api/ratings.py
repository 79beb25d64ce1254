"""Public profiles of players, their rating histories, and the leaderboards of the games."""

from typing import Annotated, Any

from flask import Response
from marshmallow import fields, validate
from msgspec import Meta, Struct

from domain.kernel.registry import find_game
from service.api.authentication import current_player_id
from service.api.blueprint import TOKEN_OPTIONAL, ApiBlueprint
from service.api.fields import QueryInteger
from service.api.matches import MAX_PAGE_SIZE, MatchPage
from service.api.problems import Problem
from service.api.responses import json_response
from service.api.schemas import InputSchema
from service.app_context import services
from service.read_models.places import PLACE_RULE
from service.read_models.profiles import LeaderboardEntryDocument, ProfileDocument, RatingPointDocument
from service.read_models.ratings import FORMULA, FORMULAS

blp = ApiBlueprint("ratings", "Profiles, ratings and leaderboards.")

DEFAULT_LEADERS = 50


class Points(Struct, frozen=True, kw_only=True):
    """The most recent points of a rating history, oldest first."""

    points: list[RatingPointDocument]


class Leaders(Struct, frozen=True, kw_only=True):
    """A part of a leaderboard."""

    leaders: list[LeaderboardEntryDocument]
    formula: Annotated[int, Meta(description="Version of the rating formula.")]
    rule: Annotated[str, Meta(description="How a player gets a place, spelled out.")]


class FormulaQuery(InputSchema):
    """Which ratings to list."""

    formula = QueryInteger(
        min(FORMULAS),
        max(FORMULAS),
        load_default=FORMULA,
        metadata={
            "description": "The version of the rating formula. 1 lists what earlier releases computed; it gets no new "
            "points."
        },
    )


class PageQuery(InputSchema):
    """The page of a player's matches."""

    cursor = fields.String(
        validate=validate.Length(1, 200), metadata={"description": "The `cursor` of the previous page."}
    )
    limit = QueryInteger(1, MAX_PAGE_SIZE, load_default=50)


class RanksQuery(InputSchema):
    """The part of a leaderboard to get."""

    after = QueryInteger(load_default=0, metadata={"description": "Start after this rank."})
    limit = QueryInteger(1, MAX_PAGE_SIZE, load_default=DEFAULT_LEADERS)


@blp.route("/players/<player>")
@blp.response(200, ProfileDocument)
@blp.doc(operationId="getPlayer")
def show_player(player: str) -> Response:
    """Get a player's name, and their record and rating in each game."""
    return json_response(require_known_player(player))


def require_known_player(player: str) -> ProfileDocument:
    """Return the profile of a player. Raises Problem 404."""
    found = services().read_models.profiles.profile(player)
    if found is None:
        raise Problem(404, "no_such_player", "No player with this id exists or has ever played here.")
    return found


@blp.route("/players/<player>/matches")
@blp.arguments(PageQuery, location="query")
@blp.response(200, MatchPage)
@blp.doc(operationId="listMatchesOfPlayer", security=TOKEN_OPTIONAL)
def list_matches(query: dict[str, Any], player: str) -> Response:
    """List a player's matches, newest first.

    Unlisted matches appear only if you play in them too.
    """
    require_known_player(player)
    try:
        page = services().read_models.lists.list_played_by(player, current_player_id(), **query)
    except ValueError:
        raise Problem(422, "bad_cursor", "This cursor is invalid. Use the `cursor` of the previous page.") from None
    return json_response(MatchPage(matches=page.rows, cursor=page.cursor))


@blp.route("/players/<player>/ratings/<slug>")
@blp.arguments(FormulaQuery, location="query")
@blp.response(200, Points)
@blp.doc(operationId="listRatings")
def list_ratings(query: dict[str, Any], player: str, slug: str) -> Response:
    """List a player's ratings in a game, match by match."""
    game = find_game(slug)
    require_known_player(player)
    points = services().read_models.profiles.rating_history(game.slug, player, query["formula"])
    return json_response(Points(points=points))


@blp.route("/games/<slug>/leaderboard")
@blp.arguments(RanksQuery, location="query")
@blp.response(200, Leaders)
@blp.doc(operationId="getLeaderboard")
def show_leaderboard(query: dict[str, Any], slug: str) -> Response:
    """Get the leaderboard of a game, ranked by a lower bound of the players' strength.

    It lists the players who have earned a place. `rule` says how.
    """
    game = find_game(slug)
    leaders = services().read_models.profiles.leaderboard(game.slug, **query)
    return json_response(Leaders(leaders=leaders, formula=FORMULA, rule=PLACE_RULE))
