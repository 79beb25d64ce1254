"""A player as everybody may see them, and the leaders of each game."""

from flask import render_template, request
from werkzeug.exceptions import BadRequest, NotFound

from domain.kernel.registry import games
from service.read_models.profiles import history, leaderboard, profile
from service.read_models.projections import BadCursor
from service.web.blueprint import services, web
from service.web.forms import number
from service.web.pages.lobby import card
from service.web.pages.new import find as find_game
from service.web.seating import ERASED
from service.web.sparkline import rating_plot
from service.web.visitor import known_id

SHOWN = 20
LEADERS = 50


@web.get("/players/<player>")
def player_page(player: str) -> str:
    """Name, records, ratings and matches. Raises NotFound, BadRequest."""
    found = profile(services(), player)
    if found is None:
        raise NotFound("There is no such player here.")
    try:
        page = services().projections.played(player, known_id(), request.args.get("cursor") or None, SHOWN)
    except BadCursor as error:
        raise BadRequest(str(error)) from None
    histories = {record.game: history(services(), record.game, player) for record in found.records if record.rating}
    return render_template(
        "templates/player.html",
        player=found,
        name=found.name or ERASED,
        mine=player == known_id(),
        games=games(),
        plots={game: rating_plot([(p.rating, p.uncertainty) for p in points]) for game, points in histories.items()},
        histories=histories,
        cards=[card(row) for row in page.rows],
        cursor=page.cursor,
    )


@web.get("/leaderboard")
def leaderboards() -> str:
    """The best of every game."""
    boards = [(game, leaderboard(services(), slug, limit=5)) for slug, game in games().items()]
    return render_template("templates/leaderboards.html", boards=boards, erased=ERASED)


@web.get("/leaderboard/<slug>", endpoint="leaderboard")
def leaderboard_page(slug: str) -> str:
    """The leaders of one game, a page of them. Raises NotFound, BadRequest."""
    game = find_game(slug)
    asked = request.args.get("after", "0")
    after = number(asked)
    if after is None:
        raise BadRequest("`after` is the rank behind which the page begins: a whole number.")
    leaders = leaderboard(services(), slug, after, LEADERS + 1)
    return render_template(
        "templates/leaderboard.html",
        game=game,
        leaders=leaders[:LEADERS],
        more=after + LEADERS if len(leaders) > LEADERS else None,
        after=after,
        erased=ERASED,
        reader=known_id(),
    )
