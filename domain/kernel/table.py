"""A table: how a game is played on a page.

A table has a template for the form that makes a move, and the functions that fill and read that form. The rest of the
page is the same for all games. A game without a table gets the web layer's generic one.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import msgspec

from domain.kernel.events import AnyEvent, Moved, without_retracted
from domain.kernel.game import AnyGame, Seat
from domain.kernel.values import Value

Form = Mapping[str, str]
"""A submitted form: its fields, as text."""


class BadForm(ValueError):
    """Raised for an invalid form. The message tells the player what is wrong."""


class Foreseen(Value, frozen=True):
    """The certain effects of a move, as far as its seat can know; `complete` if it has no others."""

    facts: tuple[Any, ...]
    complete: bool


class ShownMatch(Protocol):
    """The parts of the match that a table may use."""

    @property
    def ply(self) -> int:
        """Return the number of the last event."""

    @property
    def status(self) -> str:
        """Return `open`, `playing` or `over`."""

    @property
    def state(self) -> Any:
        """Return the game's state. Use it only for `legal_moves`, which relies on what the seat knows."""

    @property
    def seats(self) -> Sequence[Any]:
        """Return one entry per seat."""

    @property
    def to_move(self) -> frozenset[Seat]:
        """Return the seats that owe a move."""

    @property
    def rules(self) -> AnyGame:
        """Return the game at the match's rules version."""


def _no_events() -> Sequence[AnyEvent]:
    return ()


def _nothing_foreseen(move: Any) -> Foreseen:
    return Foreseen((), False)


class TableContext(msgspec.Struct, frozen=True):
    """What a table may use: the match, the reader's seat (None: a spectator), their view and visible events.

    `form` is a move that was just refused or tried, to be shown again; otherwise it is empty. `preview` is what a
    tried move is certain to do. `events` has only the latest events, `history` returns all of them as the reader may
    see them. `foresee` returns what a move of this seat is certain to do and raises Refused for an illegal one.
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
        """Return the rules of this match."""
        return self.match.rules

    @property
    def moves(self) -> list[Moved[Any, Any]]:
        """Return the moves among the events, without those that were taken back."""
        return [event for event in without_retracted(self.events) if isinstance(event, Moved)]

    def since_own(self, moves: Sequence[Moved[Any, Any]]) -> Sequence[Moved[Any, Any]]:
        """Return the moves after the reader's last one, or none if the reader has not moved."""
        own = [n for n, event in enumerate(moves) if event.seat == self.seat]
        return moves[own[-1] + 1 :] if own else ()

    def recap(self, moves: Sequence[Moved[Any, Any]], most: int) -> tuple[str, Sequence[Moved[Any, Any]]]:
        """Return a title and the moves that a recap shows, oldest first; up to `most` for a spectator."""
        others = self.since_own(moves)
        if others:
            return "Since your last move", others
        if moves and moves[-1].seat == self.seat:
            return "Your last move", moves[-1:]
        return "Latest moves", moves[-most:]


class Table(NamedTuple):
    """How one game is played on the page.

    `prompt` completes "Your turn: ...". `read_move` turns a submitted form into a move (plain JSON; raises BadForm).
    `template_data` returns what the template `form_template` needs. `turn_key` differs from one turn of a seat to the
    next, so that a page drops what was prepared for an earlier turn. `recap_template` plays back the latest moves.
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
    """Return a small picture (SVG) of the game for the lobby."""
    style: str | None = None
    """A style sheet for this game, added to the common one."""
    is_featured: bool = False
    """Whether the lobby shows this game first."""
    board_svg: Callable[[TableContext], str] | None = None
    """Return the picture (SVG) for the page, if it differs from the game's own by omitting what the form shows."""
