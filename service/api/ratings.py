"""Players as everybody may see them, how their ratings have gone, and the leaders of each game."""

from typing import Any

from flask import Response
from marshmallow import fields, validate

from domain.kernel.registry import find_game
from service.api.fields import QueryInteger
from service.api.matches import MAX_PAGE_SIZE, MatchPage
from service.api.problems import Problem
from service.api.request_context import TOKEN_OPTIONAL, ApiBlueprint, current_player_id, json_response, services
from service.api.schemas import InputSchema, OutputSchema
from service.read_models.profiles import ProfileDocument, leaderboard, profile_document, rating_history

blp = ApiBlueprint("ratings", "Records, ratings, leaderboards.")

DEFAULT_LEADERS = 50


class Rating(OutputSchema):
    """A player's strength in a game: in 19 of 20 cases it lies within `uncertainty` of `rating`."""

    rating = fields.Integer()
    uncertainty = fields.Integer()
    won = fields.Integer(metadata={"description": "Rated matches that were won."})
    drawn = fields.Integer()
    lost = fields.Integer()


class Record(OutputSchema):
    """What a player has done in a game: all matches that are not private."""

    game = fields.String()
    won = fields.Integer()
    drawn = fields.Integer()
    lost = fields.Integer()
    rating = fields.Nested(Rating, allow_none=True, metadata={"description": "Null before the first rated match."})


class PlayerPage(OutputSchema):
    """A player; one who was erased has no name."""

    id = fields.String()
    name = fields.String(allow_none=True)
    records = fields.List(fields.Nested(Record))


class Point(OutputSchema):
    """A rating behind a match."""

    match = fields.String()
    at = fields.DateTime(metadata={"description": "When the match ended."})
    rating = fields.Integer()
    uncertainty = fields.Integer()
    change = fields.Integer(allow_none=True, metadata={"description": "Null for the first one."})


class Points(OutputSchema):
    """The newest points, the oldest of them first."""

    points = fields.List(fields.Nested(Point))


class Leader(OutputSchema):
    """A line of a leaderboard, ranked by what the strength is at least; an erased player has no name."""

    rank = fields.Integer()
    player = fields.String()
    name = fields.String(allow_none=True)
    rating = fields.Nested(Rating)


class Leaders(OutputSchema):
    """A part of a leaderboard."""

    leaders = fields.List(fields.Nested(Leader))


class PageQuery(InputSchema):
    """Which part of a player's matches."""

    cursor = fields.String(validate=validate.Length(1, 200), metadata={"description": "From the page before."})
    limit = QueryInteger(1, MAX_PAGE_SIZE, load_default=50)


class RanksQuery(InputSchema):
    """Which part of a leaderboard."""

    after = QueryInteger(load_default=0, metadata={"description": "Behind this rank."})
    limit = QueryInteger(1, MAX_PAGE_SIZE, load_default=DEFAULT_LEADERS)


@blp.route("/players/<player>")
@blp.response(200, PlayerPage)
@blp.doc(operationId="getPlayer")
def show_player(player: str) -> Response:
    """Name, and record and rating in each game."""
    return json_response(require_known_player(player))


def require_known_player(player: str) -> ProfileDocument:
    """The player. Raises Problem 404."""
    found = profile_document(services(), player)
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
        page = services().projections.list_played_by(player, current_player_id(), **query)
    except ValueError:
        raise Problem(422, "bad_cursor", "This is no cursor that a page of this list ended with.") from None
    return json_response({"matches": page.rows, "cursor": page.cursor})


@blp.route("/players/<player>/ratings/<slug>")
@blp.response(200, Points)
@blp.doc(operationId="listRatings")
def list_ratings(player: str, slug: str) -> Response:
    """How the player's rating in a game has gone, match by match."""
    game = find_game(slug)
    require_known_player(player)
    return json_response({"points": rating_history(services(), game.slug, player)})


@blp.route("/games/<slug>/leaderboard")
@blp.arguments(RanksQuery, location="query")
@blp.response(200, Leaders)
@blp.doc(operationId="getLeaderboard")
def show_leaderboard(query: dict[str, Any], slug: str) -> Response:
    """The players of a game, ranked by what their strength is at least."""
    game = find_game(slug)
    return json_response({"leaders": leaderboard(services(), game.slug, **query)})
