"""The state of a match, and the view of it for one reader."""

import msgspec
from msgspec import UNSET, UnsetType

from domain.games.bakers_brawl.rules.components import Basic, Special
from domain.games.bakers_brawl.rules.moves import Options
from domain.games.bakers_brawl.rules.parts import AgendaId, Baker, Cell, Completed, OrderId, Phase, Result, Tile
from domain.kernel.game import Seat
from domain.kernel.values import Value


class State(Value, frozen=True):
    """The full state (5.5). Decks are top first, the Line and the Pantry oldest first; other sets are sorted."""

    players: int = 0
    options: Options = Options()
    board_size: int = 0
    start_seat: Seat = 0
    round: int = 0
    turn: Seat = 0
    phase: Phase = "act"
    pending_cell: Cell | None = None
    order_line: tuple[OrderId, ...] = ()
    order_deck: tuple[OrderId, ...] = ()
    boss_pile: tuple[OrderId, ...] = ()
    completed: tuple[Completed, ...] = ()
    special_deck: tuple[Special, ...] = ()
    discard: tuple[Special, ...] = ()
    pantry: tuple[Special, ...] = ()
    drawn: tuple[Special, ...] = ()
    board: dict[Cell, Tile] = msgspec.field(default_factory=dict)
    seats: tuple[Baker, ...] = ()
    removed_agendas: tuple[AgendaId, ...] = ()
    result: Result | None = None


class SeenBaker(Value, frozen=True, kw_only=True):
    """A seat as a reader sees it. For other seats, the hand is left out and the agenda is null."""

    hand: tuple[Special, ...] | UnsetType = UNSET
    hand_count: int
    basics: tuple[Basic, ...]
    cubes: int
    points: int
    agenda: AgendaId | None
    active: bool


class View(Value, frozen=True, kw_only=True):
    """The view of a seat or a spectator (section 7). Nothing is hidden once the game is over."""

    players: int
    options: Options
    board_size: int
    start_seat: Seat
    round: int
    turn: Seat
    phase: Phase
    to_move: tuple[Seat, ...]
    pending_cell: Cell | None
    order_line: tuple[OrderId, ...]
    order_deck: tuple[OrderId, ...] | UnsetType = UNSET
    order_deck_count: int
    boss_pile: tuple[OrderId, ...]
    completed: tuple[Completed, ...]
    special_deck: tuple[Special, ...] | UnsetType = UNSET
    special_deck_count: int
    discard: tuple[Special, ...]
    pantry: tuple[Special, ...]
    drawn: tuple[Special, ...] | UnsetType = UNSET
    drawn_count: int
    board: dict[Cell, Tile]
    seats: tuple[SeenBaker, ...]
    removed_agendas: tuple[AgendaId, ...] | UnsetType = UNSET
    result: Result | None
    scores: tuple[int, ...]
