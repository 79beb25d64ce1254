"""Tables: how a game is played on the page. A game has one in a folder of its name, or else the generic one.

A table is a template for the form that makes a move, and what reads that form. Everything else on the page is the
same for all games.
"""

from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any, NamedTuple

import msgspec

from domain.events import AnyEvent, Moved, standing
from domain.game import AnyGame, Seat
from domain.knowledge import Foreseen
from domain.match import AnyMatch

Form = Mapping[str, str]
"""A posted form: its fields, as text."""


class BadForm(ValueError):
    """The form holds something that no table has sent; the message says what, in a sentence."""


class Sight(msgspec.Struct, frozen=True):
    """What a table may use: the match, the reader's seat (None: a spectator), its view, and the events it may see.

    `form` is a move that was refused or tried just now, to be shown again; it is empty otherwise. `tried` is what it
    would surely do, if it was only tried.
    """

    match: AnyMatch
    seat: Seat | None
    view: Any
    events: tuple[AnyEvent, ...]
    form: Form
    tried: Foreseen | None = None

    @property
    def game(self) -> AnyGame:
        """The rules of this match."""
        return self.match.rules

    @property
    def moves(self) -> list[AnyEvent]:
        """The moves among the events, without those that were taken back."""
        return [event for event in standing(self.events) if isinstance(event, Moved)]


class Table(NamedTuple):
    """How one game is played on the page.

    `call` completes "Your turn: ...". `read` turns a posted form into a move (plain JSON; raises BadForm), `show`
    gives what `form` (a template) needs. `turn` tells one turn of a seat from the next, so that a page knows when what
    it has prepared has become void. `recap` is the template that plays back what happened last, where there is one.
    """

    call: str
    form: str
    read: Callable[[Form], dict[str, Any]]
    show: Callable[[Sight], dict[str, Any]]
    turn: Callable[[Sight], str]
    script: str
    recap: str | None = None
    cover: Callable[[], str] | None = None
    """A small picture (SVG) of the game for the lobby."""
    style: str | None = None
    """A style sheet of its own beside the common one."""
    board: Callable[[Sight], str] | None = None
    """The picture (SVG) on the page, where it is not the game's own: one that leaves out what the form shows."""


@cache
def find_table(game: str) -> Table:
    """The table of a game."""
    name = f"{__name__}.{game}"
    found = import_module(name if find_spec(name) else f"{__name__}.generic")
    table: Table = found.TABLE
    return table
