"""The lobby: play at once, matches that wait, seats to take, matches to watch again."""

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime

import msgspec
from flask import redirect, render_template, request, url_for
from msgspec.structs import replace
from werkzeug.exceptions import BadRequest
from werkzeug.wrappers import Response

from domain.kernel.registry import games
from domain.match.match import SeatWish
from service.bots.levels import LEVELS
from service.event_store.log import LogDamaged, MatchNotFound
from service.read_models.projections import Row
from service.web.blueprint import services, web
from service.web.forms import new_key, posted_key
from service.web.game_files import find_table
from service.web.recap import since_last_move
from service.web.seating import opponents, sittings, whose_turn
from service.web.visitor import known_id, player

FIRST = "mice_cake"
"""The game that the lobby offers first."""
SHOWN_MINE = 12
SHOWN_OPEN = 8
RECAPPED = 8
"""So many of the matches that wait for the reader tell what has happened; they are those whose time is up first."""
SHOWN_RECENT = 8


class Card(msgspec.Struct, frozen=True):
    """A match in a list."""

    id: str
    title: str
    against: str
    state: str
    waits: bool
    open_seat: int | None
    at: datetime
    deadline: datetime | None
    tags: tuple[str, ...] = ()
    recap: tuple[str, ...] = ()


@web.get("/")
def lobby() -> str:
    """The first page."""
    me = known_id()
    offered = sorted(games().values(), key=lambda game: (game.slug != FIRST, game.title))
    mine = services().projections.mine(me, limit=SHOWN_MINE * 4) if me else []
    running = [row for row in mine if row.status != "over"]
    waiting = services().projections.turns(me) if me else []
    called = {row.id for row in waiting}
    return render_template(
        "templates/lobby.html",
        games=[(game, find_table(game.slug).cover) for game in offered],
        levels=LEVELS,
        key=new_key(),
        waiting=[waiting_card(row, n < RECAPPED) for n, row in enumerate(waiting)],
        others=[card(row) for row in running if row.id not in called][:SHOWN_MINE],
        open_seats=[card(row) for row in open_rows(me)],
        recent=[card(row) for row in finished_rows()],
    )


def open_rows(me: str | None) -> list[Row]:
    """Matches of others with a seat that anyone may take."""
    rows = services().projections.matches(status="open", limit=4 * SHOWN_OPEN).rows
    joinable = (row for row in rows if row.free_seat is not None and me not in players(row))
    return list(joinable)[:SHOWN_OPEN]


def finished_rows() -> list[Row]:
    """Matches that were played to an end."""
    rows = services().projections.matches(status="over", limit=3 * SHOWN_RECENT).rows
    return [row for row in rows if row.outcome is not None][:SHOWN_RECENT]


def players(row: Row) -> Sequence[str | None]:
    """Who sits at a match."""
    return [seat.player for seat in row.seats if seat.player]


def card(row: Row) -> Card:
    """A row as the lobby shows it."""
    me = known_id()
    table = sittings(row, me)
    return Card(
        id=row.id,
        title=games()[row.game].title,
        against=opponents(table),
        state=whose_turn(row, table, find_table(row.game).call),
        waits=me is not None and row.waits_for(me),
        open_seat=row.free_seat,
        at=row.at,
        deadline=row.deadline_of(me) if me else None,
        tags=tuple(tag for tag, has in (("rated", row.rated), ("private", row.private)) if has),
    )


def waiting_card(row: Row, told: bool) -> Card:
    """A match that waits for the reader, and what has happened there since their last move."""
    me = known_id()
    recap: list[str] = []
    with suppress(LogDamaged, MatchNotFound):  # one bad match does not hide the others
        recap = since_last_move(services().matches.load(row.id), me) if me and told else recap
    return replace(card(row), recap=tuple(recap))


@web.post("/play")
def play_now() -> Response:
    """A match against bots that starts at once."""
    game = games().get(request.form.get("game", ""))
    level = request.form.get("level", "")
    if game is None or level not in LEVELS:
        raise BadRequest("There is no such game, or no bot of that level.")
    me = player()
    seats = [SeatWish("human", me.id), *(SeatWish("bot", level=level) for _ in range(game.seat_counts[0] - 1))]
    done = services().matches.create(me.id, game.slug, seats, {}, key=posted_key())
    return redirect(url_for("web.match", match=done.match.id), 303)
