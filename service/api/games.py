"""The catalogue of games: set-up, options, and the JSON Schemas of moves, facts and views."""

from collections.abc import Sequence
from functools import cache
from typing import Annotated, Any

import msgspec
from flask import Response
from msgspec import Meta, Struct

from domain.kernel.game import AnyGame
from domain.kernel.game import OptionHelp as GameOption
from domain.kernel.registry import find_game, games
from service.api.blueprint import ApiBlueprint
from service.api.responses import json_response

blp = ApiBlueprint("games", "The catalogue of games.")


class OptionHelp(Struct, frozen=True, kw_only=True):
    """An option: its values (the default first) and their meanings."""

    name: str
    title: str
    values: Sequence[Any]
    meanings: Sequence[str]
    default: Any


class SeatCount(Struct, frozen=True, kw_only=True):
    """A supported number of seats, and the names of the seats."""

    seats: int
    names: Sequence[str]


class Game(Struct, frozen=True, kw_only=True):
    """A game in the catalogue."""

    slug: str
    title: str
    blurb: str
    credit: Annotated[str, Meta(description="Author and source of the rulebook.")]
    rules_version: Annotated[int, Meta(description="The rules version of new matches.")]
    minutes: Annotated[Sequence[int], Meta(description="The usual length of a match: minimum and maximum, in minutes.")]
    seat_counts: Sequence[SeatCount]
    options: Sequence[OptionHelp]


class Forms(Struct, frozen=True, kw_only=True):
    """JSON Schemas (2020-12) of a game."""

    move: dict[str, Any]
    fact: dict[str, Any]
    view: dict[str, Any]
    options: dict[str, Any]


class GameWithSchemas(Game, frozen=True, kw_only=True):
    """A game, with the JSON Schemas of its moves, facts, views and options."""

    schemas: Forms


class Games(Struct, frozen=True, kw_only=True):
    """All games."""

    games: list[Game]


@blp.route("/games")
@blp.response(200, Games)
@blp.doc(operationId="listGames")
def list_games() -> Response:
    """List all games."""
    return json_response(Games(games=[Game(**catalogue_entry(game)) for game in games().values()]))


@blp.route("/games/<slug>")
@blp.response(200, GameWithSchemas)
@blp.doc(operationId="getGame")
def show_game(slug: str) -> Response:
    """Get a game: seats, options, and the JSON Schemas of moves, facts and views."""
    game = find_game(slug)
    return json_response(GameWithSchemas(**catalogue_entry(game), schemas=json_schemas_of(game)))


def catalogue_entry(game: AnyGame) -> dict[str, Any]:
    """Return the fields of a game in the catalogue."""
    return {
        "slug": game.slug,
        "title": game.title,
        "blurb": game.blurb,
        "credit": game.credit,
        "rules_version": game.rules_version,
        "minutes": game.minutes,
        "seat_counts": [SeatCount(seats=count, names=game.seat_names(count)) for count in game.seat_counts],
        "options": [describe_option(option) for option in game.option_help],
    }


def describe_option(option: GameOption) -> OptionHelp:
    """Return an option as the catalogue lists it."""
    return OptionHelp(
        name=option.name,
        title=option.title,
        values=option.values,
        meanings=option.meanings,
        default=option.values[0],
    )


@cache
def json_schemas_of(game: AnyGame) -> Forms:
    """Return the JSON Schemas of a game's moves, facts, views and options."""
    types = {"move": game.move_type, "fact": game.fact_type, "view": game.view_type, "options": game.options_type}
    return Forms(**{name: msgspec.json.schema(kind) for name, kind in types.items()})
