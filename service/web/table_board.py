"""The board area of a match: the players' bars and the board, for one reader and one position."""

from collections.abc import Sequence

import msgspec
from flask import render_template
from markupsafe import Markup

from domain.kernel.drawing import avatar_of
from domain.kernel.game import Seat
from domain.kernel.table import Table, TableContext
from domain.match.state import AnyMatch
from service.web.seating import SeatInfo, seat_infos

COLOURS = 8
"""How many seat colours the design tokens have."""


class TablePlayer(msgspec.Struct, frozen=True):
    """One seat as the board area shows it.

    `name` is "You" for the reader's seat, and otherwise the player's name. `token` is the number of the seat's colour
    and symbol in the design tokens, `avatar` a symbol of the shared sprite.
    """

    seat: Seat
    name: str
    occupant: str
    seat_name: str
    is_you: bool
    is_to_move: bool
    token: int
    avatar: str


def table_players(match: AnyMatch, seat: Seat | None, reader: str | None, how: Table) -> list[TablePlayer]:
    """Return the players of a match at any ply, as this reader sees them from this seat (None: a spectator)."""
    return [make_player(sitting, seat, how) for sitting in seat_infos(match, reader)]


def make_player(sitting: SeatInfo, seat: Seat | None, how: Table) -> TablePlayer:
    """Return one seat for the board area. A reader with several seats is "You" only in the seat in view."""
    mine = sitting.seat == seat and sitting.is_you
    return TablePlayer(
        seat=sitting.seat,
        name="You" if mine else sitting.title,
        occupant=sitting.title,
        seat_name=sitting.name,
        is_you=mine,
        is_to_move=sitting.is_to_move,
        token=how.seat_colours[sitting.seat % len(how.seat_colours)],
        avatar=avatar_of(sitting.occupant),
    )


def render_board(context: TableContext, how: Table, players: Sequence[TablePlayer]) -> Markup:
    """Return the content of the board area (HTML) for the reader of this context."""
    if how.board_template and how.board_data:
        return Markup(render_template(how.board_template, board=how.board_data(context), players=players))  # noqa: S704
    drawn = how.board_svg(context) if how.board_svg else context.game.svg(context.view, context.seat)
    return Markup(drawn)  # noqa: S704 -- drawn by us
