"""The lobby: quick play, the reader's matches, open seats and finished matches."""

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime

import msgspec
from flask import redirect, render_template, request, url_for
from msgspec.structs import replace
from werkzeug.exceptions import BadRequest
from werkzeug.wrappers import Response

from domain.kernel.registry import GameNotInstalled, games
from domain.match.commands import SeatSpec
from service.app_context import services
from service.bots.levels import LEVELS
from service.event_store.errors import LogDamaged, MatchNotFound
from service.matches.errors import PositionLost
from service.read_models.summary import MatchSummary
from service.web.blueprint import web
from service.web.forms import new_form_key, posted_form_key, posted_luck_level
from service.web.game_files import find_cover, find_table
from service.web.recap import since_last_move
from service.web.seating import SeatInfo, describe_opponents, describe_turn, seat_infos
from service.web.visitor import current_player_id, get_or_create_player

MAX_MY_MATCHES = 12
MAX_OPEN_MATCHES = 8
MAX_RECAPS = 8
"""Maximum number of waiting matches shown with a recap, starting with the earliest deadline."""
MAX_RECENT_MATCHES = 8


class MatchCard(msgspec.Struct, frozen=True):
    """A match in a list."""

    id: str
    title: str
    opponents: str
    state: str
    is_waiting: bool
    open_seat: int | None
    at: datetime
    deadline: datetime | None
    tags: tuple[str, ...] = ()
    recap: tuple[str, ...] = ()
    unopened: tuple[int, ...] = ()
    """The reader's seats whose share must be opened before the match starts."""


@web.get("/")
def lobby() -> str:
    """Show the lobby."""
    me = current_player_id()
    offered = sorted(games().values(), key=lambda game: (not find_table(game.slug).is_featured, game.title))
    mine = services().read_models.lists.matches_of(me, limit=MAX_MY_MATCHES * 4) if me else []
    running = [row for row in mine if row.status != "over"]
    waiting = services().read_models.lists.turns_of(me) if me else []
    called = {row.id for row in waiting}
    return render_template(
        "templates/lobby.html",
        games=[(game, find_cover(game.slug)) for game in offered],
        levels=LEVELS,
        key=new_form_key(),
        waiting=[waiting_card(row, n < MAX_RECAPS) for n, row in enumerate(waiting)],
        others=[match_card(row) for row in running if row.id not in called][:MAX_MY_MATCHES],
        open_seats=[match_card(row) for row in open_matches(me)],
        recent=[match_card(row) for row in finished_matches()],
    )


def open_matches(me: str | None) -> list[MatchSummary]:
    """Return matches of other players with a seat open to anyone."""
    rows = services().read_models.lists.list_matches(status="open", limit=4 * MAX_OPEN_MATCHES).rows
    joinable = (row for row in rows if row.free_seat is not None and not row.without_game and is_new_to(me, row))
    return list(joinable)[:MAX_OPEN_MATCHES]


def is_new_to(me: str | None, row: MatchSummary) -> bool:
    """Return whether the reader neither plays in an open match nor has a seat kept in it."""
    return me is None or all(me not in (seat.player, seat.reserved_for) for seat in row.seats)


def finished_matches() -> list[MatchSummary]:
    """Return recent matches that were played to the end."""
    rows = services().read_models.lists.list_matches(status="over", limit=3 * MAX_RECENT_MATCHES).rows
    return [row for row in rows if row.outcome is not None][:MAX_RECENT_MATCHES]


def player_ids(row: MatchSummary) -> Sequence[str | None]:
    """Return the ids of the players in a match."""
    return [seat.player for seat in row.seats if seat.player]


def match_card(row: MatchSummary) -> MatchCard:
    """Return the card that shows a match in a list."""
    me = current_player_id()
    table = seat_infos(row, me)
    return MatchCard(
        id=row.id,
        title=game_title(row),
        opponents=describe_opponents(table),
        state=describe_row(row, table),
        is_waiting=me is not None and row.is_waiting_for(me),
        open_seat=None if row.without_game else row.free_seat,
        at=row.at,
        deadline=card_deadline(row, me),
        tags=tuple(tag for tag, has in (("rated", row.rated), ("private", row.private)) if has),
        unopened=tuple(seat for seat in row.unopened if me is not None and row.seats[seat].player == me),
    )


def game_title(row: MatchSummary) -> str:
    """Return the title of a match's game, or that the game is not installed."""
    game = games().get(row.game)
    return game.title if game else f"Game not installed ({row.game})"


def describe_row(row: MatchSummary, table: Sequence[SeatInfo]) -> str:
    """Return whose turn it is, how the match ended, or that nobody can move now."""
    if row.without_game and row.status != "over":
        return "Nobody can move in this match now."
    return describe_turn(row, table, find_table(row.game).prompt)


def card_deadline(row: MatchSummary, me: str | None) -> datetime | None:
    """Return when the reader must have moved, or when the shares must be open."""
    if row.status == "opening":
        return row.closes_at
    return row.deadline_of(me) if me else None


def waiting_card(row: MatchSummary, told: bool) -> MatchCard:
    """Return the card of a match where it is the reader's turn, with a recap if `told` is set."""
    me = current_player_id()
    recap: list[str] = []
    with suppress(LogDamaged, MatchNotFound, GameNotInstalled, PositionLost):  # one bad match must not break the lobby
        recap = since_last_move(services().matches.repository.load(row.id), me) if me and told else recap
    return replace(match_card(row), recap=tuple(recap))


@web.post("/play")
def play_now() -> Response:
    """Start a match against bots and redirect to it."""
    game = games().get(request.form.get("game", ""))
    level = request.form.get("level", "")
    if game is None or level not in LEVELS:
        raise BadRequest("This game or bot level doesn't exist. Choose both from the lobby.")
    me = get_or_create_player()
    seats = [SeatSpec("human", me.id), *(SeatSpec("bot", level=level) for _ in range(game.seat_counts[0] - 1))]
    done = services().matches.creation.create(
        me.id, game.slug, seats, {}, level=posted_luck_level(game), key=posted_form_key()
    )
    return redirect(url_for("web.match", match=done.match.id), 303)
