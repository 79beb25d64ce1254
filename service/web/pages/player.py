"""Public player pages and leaderboards."""

from flask import render_template, request
from werkzeug.exceptions import BadRequest, NotFound

from domain.kernel.registry import games
from service.app_context import services
from service.read_models.match_lists import InvalidCursor
from service.read_models.places import FOUNDERS_NOTE, PLACE_RULE
from service.web.blueprint import web
from service.web.forms import parse_number
from service.web.pages.lobby import match_card
from service.web.pages.new import require_game as find_game
from service.web.seating import ERASED_NAME
from service.web.sparkline import rating_plot
from service.web.visitor import current_player_id

PAGE_SIZE = 20
LEADERBOARD_SIZE = 50


@web.get("/players/<player>")
def player_page(player: str) -> str:
    """Show a player's name, records, ratings and matches. Raises NotFound, BadRequest."""
    found = services().read_models.profiles.profile(player)
    if found is None:
        raise NotFound("There is no such player on this server.")
    try:
        page = services().read_models.lists.list_played_by(
            player, current_player_id(), request.args.get("cursor") or None, PAGE_SIZE
        )
    except InvalidCursor:
        raise BadRequest("This page of the list doesn't exist. Start from the first page.") from None
    histories = {
        record.game: services().read_models.profiles.rating_history(record.game, player)
        for record in found.records
        if record.rating
    }
    return render_template(
        "templates/player.html",
        player=found,
        name=found.name or ERASED_NAME,
        mine=player == current_player_id(),
        games=games(),
        plots={game: rating_plot([(p.rating, p.uncertainty) for p in points]) for game, points in histories.items()},
        histories=histories,
        cards=[match_card(row) for row in page.rows],
        cursor=page.cursor,
    )


@web.get("/leaderboard")
def leaderboards() -> str:
    """Show the top players of every game."""
    boards = [(game, services().read_models.profiles.leaderboard(slug, limit=5)) for slug, game in games().items()]
    return render_template(
        "templates/leaderboards.html",
        boards=boards,
        erased=ERASED_NAME,
        place_rule=PLACE_RULE,
        founders_note=FOUNDERS_NOTE,
    )


@web.get("/leaderboard/<slug>", endpoint="leaderboard")
def leaderboard_page(slug: str) -> str:
    """Show a page of one game's leaderboard. Raises NotFound, BadRequest."""
    game = find_game(slug)
    asked = request.args.get("after", "0")
    after = parse_number(asked)
    if after is None:
        raise BadRequest("`after` must be a whole number: the page starts after this rank.")
    leaders = services().read_models.profiles.leaderboard(slug, after, LEADERBOARD_SIZE + 1)
    return render_template(
        "templates/leaderboard.html",
        game=game,
        leaders=leaders[:LEADERBOARD_SIZE],
        more=after + LEADERBOARD_SIZE if len(leaders) > LEADERBOARD_SIZE else None,
        after=after,
        erased=ERASED_NAME,
        reader=current_player_id(),
        place_rule=PLACE_RULE,
        founders_note=FOUNDERS_NOTE,
    )
