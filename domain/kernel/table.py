"""A table: how a game is played on a page.

A table has a template for the form that makes a move, and the functions that fill and read that form. The rest of the
page is the same for all games. A game without a table gets the web layer's generic one.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import msgspec

from domain.kernel.events import AnyEvent, Moved, without_retracted
from domain.kernel.game import AnyGame, Outcome, Seat
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
    names: tuple[str, ...] = ()
    """What the page calls each seat: the player's name, and "You" for the reader's seat. Empty outside a page."""

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

    A table with a `board_template` has a board of HTML elements. Elements with `data-piece` are pieces with a stable
    id; `data-face` says what a piece shows, and `data-count` names a number that counts. Ids, faces and counts come
    from the view alone. Such a board serves the live page, playbacks and replays, for every seat, for spectators and
    at every ply. A table without it shows the picture of the game (SVG).
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
    board_template: str | None = None
    """The template of the board. It gets `board` (from `board_data`) and `players` (see the macros in
    `templates/table_parts.html`)."""
    board_data: Callable[[TableContext], dict[str, Any]] | None = None
    """Return what the board shows, from the view of the reader's seat and never from hidden state."""
    action_template: str | None = None
    """The game's part of the button row, inside the same form: an optional quiet action, and the one button
    (`id="send"`). Without it, the form has its own button."""
    seat_colours: tuple[int, ...] = (1, 2, 3, 4, 5, 6, 7, 8)
    """The colour and symbol of each seat, as a number of the design tokens: `--seat-1` is honey, with a circle."""
    beats: Callable[[Sequence[Any]], Sequence[Sequence[Any]]] | None = None
    """Group facts that a playback shows together. The default is one beat for each fact; beats that change nothing
    visible join the next one."""
    longest: int = 6000
    """How long the playback of one move may take at normal speed, in milliseconds. A longer one plays faster."""
    effects: str | None = None
    """A script that exports `effects`: for a type of fact, an async function of `{stage, before, after, facts, pace}`
    that plays what is special about it."""
    chapter: Callable[[Any], str | None] | None = None
    """Return the title of the chapter that a fact begins in a replay, such as "Round 3", or None."""
    where: Callable[[TableContext], str] | None = None
    """Return how far the match is, next to the title, such as "round 6"."""
    outcome_text: Callable[[Outcome, Seat], str] | None = None
    """Return the result of a seat in the words of the game, such as "88 pips" or "no Pie"."""
    endings: Mapping[str, str] = {}
    """Why a match ended, as a sentence for each reason of the game's outcomes."""
