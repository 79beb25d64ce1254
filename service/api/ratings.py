"""Players as everybody may see them, how their ratings have gone, and the leaders of each game."""

from typing import Any

from flask import Response
from marshmallow import fields, validate

from domain.kernel.registry import find_game
from service.api.fields import Digits
from service.api.matches import LARGEST_PAGE, MatchPage
from service.api.problems import Problem
from service.api.request_context import OPTIONAL, Resource, answer, asking_player, services
from service.api.schemas import In, Out
from service.read_models.profiles import Profile, history, leaderboard, profile

blp = Resource("ratings", "Records, ratings, leaderboards.")

LEADERS = 50


class Rating(Out):
    """A player's strength in a game: in 19 of 20 cases it lies within `uncertainty` of `rating`."""

    rating = fields.Integer()
    uncertainty = fields.Integer()
    won = fields.Integer(metadata={"description": "Rated matches that were won."})
    drawn = fields.Integer()
    lost = fields.Integer()


class Record(Out):
    """What a player has done in a game: all matches that are not private."""

    game = fields.String()
    won = fields.Integer()
    drawn = fields.Integer()
    lost = fields.Integer()
    rating = fields.Nested(Rating, allow_none=True, metadata={"description": "Null before the first rated match."})


class PlayerPage(Out):
    """A player; one who was erased has no name."""

    id = fields.String()
    name = fields.String(allow_none=True)
    records = fields.List(fields.Nested(Record))


class Point(Out):
    """A rating behind a match."""

    match = fields.String()
    at = fields.DateTime(metadata={"description": "When the match ended."})
    rating = fields.Integer()
    uncertainty = fields.Integer()
    change = fields.Integer(allow_none=True, metadata={"description": "Null for the first one."})


class Points(Out):
    """The newest points, the oldest of them first."""

    points = fields.List(fields.Nested(Point))


class Leader(Out):
    """A line of a leaderboard, ranked by what the strength is at least; an erased player has no name."""

    rank = fields.Integer()
    player = fields.String()
    name = fields.String(allow_none=True)
    rating = fields.Nested(Rating)


class Leaders(Out):
    """A part of a leaderboard."""

    leaders = fields.List(fields.Nested(Leader))


class PageIn(In):
    """Which part of a player's matches."""

    cursor = fields.String(validate=validate.Length(1, 200), metadata={"description": "From the page before."})
    limit = Digits(1, LARGEST_PAGE, load_default=50)


class RanksIn(In):
    """Which part of a leaderboard."""

    after = Digits(load_default=0, metadata={"description": "Behind this rank."})
    limit = Digits(1, LARGEST_PAGE, load_default=LEADERS)


@blp.route("/players/<player>")
@blp.response(200, PlayerPage)
@blp.doc(operationId="getPlayer")
def show_player(player: str) -> Response:
    """Name, and record and rating in each game."""
    return answer(require_known(player))


def require_known(player: str) -> Profile:
    """The player. Raises Problem 404."""
    found = profile(services(), player)
    if found is None:
        raise Problem(404, "no_such_player", "There is no player of this id, and none of it has ever played here.")
    return found


@blp.route("/players/<player>/matches")
@blp.arguments(PageIn, location="query")
@blp.response(200, MatchPage)
@blp.doc(operationId="listMatchesOfPlayer", security=OPTIONAL)
def list_matches(query: dict[str, Any], player: str) -> Response:
    """The matches at which the player sits, the newest first; private ones only for who sits there too."""
    require_known(player)
    try:
        page = services().projections.played(player, asking_player(), **query)
    except ValueError:
        raise Problem(422, "bad_cursor", "This is no cursor that a page of this list ended with.") from None
    return answer({"matches": page.rows, "cursor": page.cursor})


@blp.route("/players/<player>/ratings/<slug>")
@blp.response(200, Points)
@blp.doc(operationId="listRatings")
def list_ratings(player: str, slug: str) -> Response:
    """How the player's rating in a game has gone, match by match."""
    game = find_game(slug)
    require_known(player)
    return answer({"points": history(services(), game.slug, player)})


@blp.route("/games/<slug>/leaderboard")
@blp.arguments(RanksIn, location="query")
@blp.response(200, Leaders)
@blp.doc(operationId="getLeaderboard")
def show_leaderboard(query: dict[str, Any], slug: str) -> Response:
    """The players of a game, ranked by what their strength is at least."""
    game = find_game(slug)
    return answer({"leaders": leaderboard(services(), game.slug, **query)})
