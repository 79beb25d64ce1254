"""A table: how a game is played on a page.

A table is a template for the form that makes a move, and the functions that fill and read that form. Everything else on
the page is the same for all games. A game without a table of its own gets the web layer's generic one.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import msgspec

from domain.kernel.events import AnyEvent, Moved, without_retracted
from domain.kernel.game import AnyGame, Seat
from domain.kernel.values import Value

Form = Mapping[str, str]
"""A posted form: its fields, as text."""


class BadForm(ValueError):
    """Raised for a form that no table has sent; the message is a sentence that says what is wrong."""


class Foreseen(Value, frozen=True):
    """What a move would certainly do, as far as its seat can know; `complete` if that is all it would do."""

    facts: tuple[Any, ...]
    complete: bool


class ShownMatch(Protocol):
    """What a table may ask of the match that it shows."""

    @property
    def ply(self) -> int:
        """The number of the last event."""

    @property
    def status(self) -> str:
        """`open`, `playing` or `over`."""

    @property
    def state(self) -> Any:
        """The game's state: only for `legal_moves`, which uses no more of it than the seat knows."""

    @property
    def seats(self) -> Sequence[Any]:
        """One entry per seat."""

    @property
    def to_move(self) -> frozenset[Seat]:
        """The seats that owe a move."""

    @property
    def rules(self) -> AnyGame:
        """The game at the match's rules version."""


def _no_events() -> Sequence[AnyEvent]:
    return ()


def _nothing_foreseen(move: Any) -> Foreseen:
    return Foreseen((), False)


class TableContext(msgspec.Struct, frozen=True):
    """What a table may use: the match, the reader's seat (None: a spectator), its view, and the events it may see.

    `form` is a move that was refused or tried just now, to be shown again; it is empty otherwise. `tried` is what that
    move would certainly do, if it was only tried. `history` returns every event of the match as the reader may see it,
    where `events` holds only the latest; `foresee` returns what a move of this seat would certainly do and raises
    Refused for an illegal one.
    """

    match: ShownMatch
    seat: Seat | None
    view: Any
    events: tuple[AnyEvent, ...]
    form: Form
    preview: Foreseen | None = None
    history: Callable[[], Sequence[AnyEvent]] = _no_events
    foresee: Callable[[Any], Foreseen] = _nothing_foreseen

    @property
    def game(self) -> AnyGame:
        """The rules of this match."""
        return self.match.rules

    @property
    def moves(self) -> list[Moved[Any, Any]]:
        """The moves among the events, without those that were taken back."""
        return [event for event in without_retracted(self.events) if isinstance(event, Moved)]

    def since_own(self, moves: Sequence[Moved[Any, Any]]) -> Sequence[Moved[Any, Any]]:
        """Return those of these moves that came after the reader's last one; none if none of them is the reader's."""
        own = [n for n, event in enumerate(moves) if event.seat == self.seat]
        return moves[own[-1] + 1 :] if own else ()

    def recap(self, moves: Sequence[Moved[Any, Any]], most: int) -> tuple[str, Sequence[Moved[Any, Any]]]:
        """Return the moves that a recap shows, oldest first, and its title; at most `most` for a mere spectator."""
        others = self.since_own(moves)
        if others:
            return "Since your last move", others
        if moves and moves[-1].seat == self.seat:
            return "Your last move", moves[-1:]
        return "The last moves", moves[-most:]


class Table(NamedTuple):
    """How one game is played on the page.

    `call` completes "Your turn: ...". `read` turns a posted form into a move (plain JSON; raises BadForm), `show`
    returns what the template `form` needs. `turn` tells one turn of a seat from the next, so that a page drops
    what was prepared for an earlier turn. `recap` is the template that plays back what happened last, if there is one.
    Templates, scripts and styles are files in the table's folder, addressed as `tables/<slug>/<file>`.
    """

    prompt: str
    form_template: str
    read_move: Callable[[Form], dict[str, Any]]
    template_data: Callable[[TableContext], dict[str, Any]]
    turn_key: Callable[[TableContext], str]
    script: str
    recap_template: str | None = None
    cover_svg: Callable[[], str] | None = None
    """Returns a small picture (SVG) of the game for the lobby."""
    style: str | None = None
    """A style sheet of its own, added to the common one."""
    is_featured: bool = False
    """Whether the lobby offers this game before the others."""
    board_svg: Callable[[TableContext], str] | None = None
    """Returns the picture (SVG) for the page, if it is not the game's own: one that leaves out what the form shows."""
