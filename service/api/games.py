"""The catalogue: which games there are, how they are set up, and the form of their moves, facts and views."""

from functools import cache
from typing import Any

import msgspec
from flask import Response
from marshmallow import fields

from domain.kernel.game import AnyGame
from domain.kernel.registry import find_game, games
from service.api.request_context import ApiBlueprint, json_response
from service.api.schemas import OutputSchema

blp = ApiBlueprint("games", "The catalogue of games.")


class OptionHelp(OutputSchema):
    """One option: its values, the default first, and what each means."""

    name = fields.String()
    title = fields.String()
    values = fields.List(fields.Raw())
    meanings = fields.List(fields.String())
    default = fields.Raw()


class SeatCount(OutputSchema):
    """A number of seats with which the game is played, and their names."""

    seats = fields.Integer()
    names = fields.List(fields.String())


class Game(OutputSchema):
    """A game in the catalogue."""

    slug = fields.String()
    title = fields.String()
    blurb = fields.String()
    credit = fields.String(metadata={"description": "Author and source of the rulebook."})
    rules_version = fields.Integer(metadata={"description": "The one that new matches get."})
    minutes = fields.List(fields.Integer(), metadata={"description": "How long a match takes, least and most."})
    seat_counts = fields.List(fields.Nested(SeatCount))
    options = fields.List(fields.Nested(OptionHelp))


class Forms(OutputSchema):
    """JSON Schemas (2020-12)."""

    move = fields.Dict()
    fact = fields.Dict()
    view = fields.Dict()
    options = fields.Dict()


class GameWithSchemas(Game):
    """A game, with the form of its moves, facts, views and options."""

    schemas = fields.Nested(Forms)


class Games(OutputSchema):
    """All games."""

    games = fields.List(fields.Nested(Game))


@blp.route("/games")
@blp.response(200, Games)
@blp.doc(operationId="listGames")
def list_games() -> Response:
    """The games there are."""
    return json_response({"games": [game_summary(game) for game in games().values()]})


@blp.route("/games/<slug>")
@blp.response(200, GameWithSchemas)
@blp.doc(operationId="getGame")
def show_game(slug: str) -> Response:
    """One game: seats, options, and the JSON Schemas of what is sent and what comes back."""
    game = find_game(slug)
    return json_response({**game_summary(game), "schemas": json_schemas_of(game)})


def game_summary(game: AnyGame) -> dict[str, Any]:
    """What the catalogue says of a game."""
    return {
        "slug": game.slug,
        "title": game.title,
        "blurb": game.blurb,
        "credit": game.credit,
        "rules_version": game.rules_version,
        "minutes": game.minutes,
        "seat_counts": [{"seats": count, "names": game.seat_names(count)} for count in game.seat_counts],
        "options": [{**msgspec.structs.asdict(option), "default": option.values[0]} for option in game.option_help],
    }


@cache
def json_schemas_of(game: AnyGame) -> dict[str, Any]:
    """The JSON Schemas of a game's moves, facts, views and options."""
    types = {"move": game.move_type, "fact": game.fact_type, "view": game.view_type, "options": game.options_type}
    return {name: msgspec.json.schema(kind) for name, kind in types.items()}
