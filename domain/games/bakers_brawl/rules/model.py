"""What there is: seats, cells, options, moves, facts, the state and the view.

The order of the fields is the order in the log and in the API (rules, 5.4 and 5.5). In a fact, what a reader may not
see is null and keeps its key; in a view it is left out (section 7). Hence the optional fields of both.
"""

from collections.abc import Iterable
from functools import cache, lru_cache
from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from domain.games.bakers_brawl.rules.components import INGREDIENT_RANK, ORDERS, SPECIALS, Basic, Ingredient, Special
from domain.kernel.game import Seat
from domain.kernel.values import Value

COLOURS = ("raspberry", "blueberry", "pistachio", "honey")
"""The seats' names, by seat number (2.1)."""
CUBES_PER_BAKER = 15
HAND_LIMIT = 3
PANTRY_LIMIT = 5
LINE_LIMIT = 5
FIRST_ORDERS = 3  # S7
COLUMN_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
MIN_BOARD_SIZE, MAX_BOARD_SIZE = 4, 9

# Not a plain `$`: that would also fit a cell with a line feed behind it.
Cell = Annotated[str, Meta(pattern=r"^[A-Z][1-9][0-9]?(?!\n)$")]
OrderId = Annotated[str, Meta(extra_json_schema={"enum": list(ORDERS)})]
AgendaId = str
Phase = Literal["act", "keep", "complete", "over"]
Source = Literal["basic", "hand", "blind"]
Reason = Literal["boss_limit", "orders_exhausted", "last_baker"]


# -- small parts --------------------------------------------------------------------------------------------------


@lru_cache(maxsize=256)
def cell_key(cell: str) -> tuple[int, int]:
    """Cells sort by row, then by column (2.1)."""
    return int(cell[1:]), ord(cell[0])


@cache
def cells_of(size: int) -> tuple[str, ...]:
    """The cells of a board of this side, in order."""
    return tuple(f"{column}{row}" for row in range(1, size + 1) for column in COLUMN_LETTERS[:size])


@cache
def neighbours_of(size: int) -> dict[str, tuple[str, ...]]:
    """For each cell of a board of this side the cells that share an edge with it, in order (C5)."""
    board = set(cells_of(size))
    found = {}
    for cell in cells_of(size):
        row, column = int(cell[1:]), COLUMN_LETTERS.index(cell[0])
        around = ((row - 1, column), (row, column - 1), (row, column + 1), (row + 1, column))
        names = (f"{COLUMN_LETTERS[x]}{y}" for y, x in around if 0 <= x < size)
        found[cell] = tuple(name for name in names if name in board)
    return found


def sorted_names(names: Iterable[Special]) -> tuple[Special, ...]:
    """Ingredient names in canonical order (2.1)."""
    return tuple(sorted(names, key=INGREDIENT_RANK.__getitem__))


def labor_cost(source: Source) -> int:
    """The cubes that a card costs: two from the hand, one for a Basic and for a blind one (M4 to M6)."""
    return 2 if source == "hand" else 1


# -- options ------------------------------------------------------------------------------------------------------


class Options(Value, frozen=True, forbid_unknown_fields=True):
    """Section 11. They combine freely; a start seat must be one of the match's."""

    start_seat: Literal["random"] | Annotated[int, Meta(ge=0, le=3)] = "random"
    board_size: Annotated[int, Meta(ge=MIN_BOARD_SIZE, le=MAX_BOARD_SIZE)] | None = None
    boss_limit: Annotated[int, Meta(ge=1, le=10)] = 5
    strict_clusters: bool = False
    may_decline: bool = False
    voluntary_pass: bool = False
    final_tie: Literal["shared", "ladder"] = "shared"


# -- moves --------------------------------------------------------------------------------------------------------


class DrawSpecial(Value, frozen=True, tag_field="type", tag="draw_special", forbid_unknown_fields=True):
    """Draw two Specials from the deck, to keep one of them (M1)."""


class KeepSpecial(Value, frozen=True, tag_field="type", tag="keep_special", forbid_unknown_fields=True):
    """Keep one of the two drawn; with a full Pantry a Pantry card may make room for the other (M2)."""

    keep: Special
    pantry_discard: Special | None = None


class TakeFromPantry(Value, frozen=True, tag_field="type", tag="take_from_pantry", forbid_unknown_fields=True):
    """Take a Special from the Pantry (M3)."""

    card: Special


class PlayBasic(Value, frozen=True, tag_field="type", tag="play_basic", forbid_unknown_fields=True):
    """Lay an own Basic for 1 cube (M4)."""

    ingredient: Basic
    cell: Cell


class PlaySpecial(Value, frozen=True, tag_field="type", tag="play_special", forbid_unknown_fields=True):
    """Lay a Special from the hand for 2 cubes (M5)."""

    ingredient: Special
    cell: Cell


class PlayBlind(Value, frozen=True, tag_field="type", tag="play_blind", forbid_unknown_fields=True):
    """Lay the top card of the Special deck, unseen, for 1 cube (M6)."""

    cell: Cell


class CompleteOrder(Value, frozen=True, tag_field="type", tag="complete_order", forbid_unknown_fields=True):
    """Complete this Order with the cards on these cells (M7)."""

    order_id: OrderId
    cells: tuple[Cell, ...]

    def __post_init__(self) -> None:
        if self.order_id not in ORDERS:
            raise ValueError(f"there is no Order {self.order_id}; they are {next(iter(ORDERS))} to {[*ORDERS][-1]}")
        if len(set(self.cells)) != len(self.cells):
            raise ValueError("a cell is named twice")


class DeclineOrder(Value, frozen=True, tag_field="type", tag="decline_order", forbid_unknown_fields=True):
    """Complete nothing (option `may_decline`)."""


class Pass(Value, frozen=True, tag_field="type", tag="pass", forbid_unknown_fields=True):
    """Do nothing; only when nothing else is legal, or with option `voluntary_pass`."""


class Resign(Value, frozen=True, tag_field="type", tag="resign", forbid_unknown_fields=True):
    """Leave the game (M8)."""


Move = (
    DrawSpecial
    | KeepSpecial
    | TakeFromPantry
    | PlayBasic
    | PlaySpecial
    | PlayBlind
    | CompleteOrder
    | DeclineOrder
    | Pass
    | Resign
)


# -- what state and facts are made of -----------------------------------------------------------------------------


class Tile(Value, frozen=True):
    """A card on the board, whose it is, and the cubes on it. A Special with one cube was played blind."""

    ingredient: Ingredient
    owner: Seat
    labor: int

    @property
    def special(self) -> bool:
        """Whether it counts as a Special (5.3)."""
        return self.ingredient in SPECIALS


class Baker(Value, frozen=True):
    """What a seat has: hand (sorted), Basics not on the board (sorted), cubes in the supply, points so far, agenda."""

    hand: tuple[Special, ...]
    basics: tuple[Basic, ...]
    cubes: int
    points: int
    agenda: AgendaId
    active: bool


class ShownBaker(Value, frozen=True):
    """A baker in a fact: hand and agenda are null for other seats."""

    hand: tuple[Special, ...] | None
    basics: tuple[Basic, ...]
    cubes: int
    points: int
    agenda: AgendaId | None
    active: bool


class Completed(Value, frozen=True):
    """An Order that a player completed, and the seats with a cube on it, ascending."""

    order_id: OrderId
    by: Seat
    contributors: tuple[Seat, ...]


class Tally(Value, frozen=True):
    """A seat's part in a completed Order: cubes, cards, and Special cards among them."""

    seat: Seat
    labor: int
    ingredients: int
    specials: int


class Returned(Value, frozen=True):
    """What a seat gets back from a completed Order."""

    seat: Seat
    cubes: int
    basics: tuple[Basic, ...]


class Result(Value, frozen=True):
    """Final scores and ranks by seat, and the winners, ascending."""

    totals: tuple[int, ...]
    ranks: tuple[int, ...]
    winners: tuple[Seat, ...]


# -- facts --------------------------------------------------------------------------------------------------------


class GameSetUp(Value, frozen=True, tag_field="type", tag="game_set_up"):
    """The game is set up (section 3). Decks are what is left of them, top first."""

    players: int
    options: Options
    board_size: int
    start_seat: Seat
    order_line: tuple[OrderId, ...]
    order_deck: tuple[OrderId, ...] | None
    special_deck: tuple[Special, ...] | None
    hands: tuple[tuple[Special, ...] | None, ...]
    agendas: tuple[AgendaId | None, ...]
    removed_agendas: tuple[AgendaId, ...] | None


class PositionSet(Value, frozen=True, tag_field="type", tag="position_set"):
    """The game begins from this position instead: the document with all defaults filled in (15.1)."""

    players: int
    options: Options
    board_size: int
    start_seat: Seat
    round: int
    turn: Seat
    phase: Phase
    pending_cell: Cell | None
    order_line: tuple[OrderId, ...]
    order_deck: tuple[OrderId, ...] | None
    boss_pile: tuple[OrderId, ...]
    completed: tuple[Completed, ...]
    special_deck: tuple[Special, ...] | None
    discard: tuple[Special, ...]
    pantry: tuple[Special, ...]
    drawn: tuple[Special, ...] | None
    board: dict[Cell, Tile]
    seats: tuple[ShownBaker, ...]
    removed_agendas: tuple[AgendaId, ...] | None
    result: None


class TurnStarted(Value, frozen=True, tag_field="type", tag="turn_started"):
    """A seat is to act."""

    seat: Seat
    round: int


class SpecialDrawn(Value, frozen=True, tag_field="type", tag="special_drawn"):
    """A seat drew the top card of the Special deck; only it sees which."""

    seat: Seat
    card: Special | None


class SpecialDeckReshuffled(Value, frozen=True, tag_field="type", tag="special_deck_reshuffled"):
    """The discard pile became the Special deck, in an order that nobody sees."""

    count: int
    order: tuple[Special, ...] | None


class SpecialKept(Value, frozen=True, tag_field="type", tag="special_kept"):
    """A seat kept a drawn card; only it sees which."""

    seat: Seat
    card: Special | None


class PantryStocked(Value, frozen=True, tag_field="type", tag="pantry_stocked"):
    """The other drawn card joined the Pantry."""

    seat: Seat
    card: Special


class PantryDiscarded(Value, frozen=True, tag_field="type", tag="pantry_discarded"):
    """A card of the full Pantry was discarded to make room."""

    seat: Seat
    card: Special


class SpecialDiscarded(Value, frozen=True, tag_field="type", tag="special_discarded"):
    """The other drawn card was discarded, the Pantry being full."""

    seat: Seat
    card: Special


class PantryTaken(Value, frozen=True, tag_field="type", tag="pantry_taken"):
    """A seat took a card from the Pantry."""

    seat: Seat
    card: Special


class IngredientPlaced(Value, frozen=True, tag_field="type", tag="ingredient_placed"):
    """A card was laid on the board with its cubes."""

    seat: Seat
    source: Source
    ingredient: Ingredient
    cell: Cell
    labor: int


class CompletionOpened(Value, frozen=True, tag_field="type", tag="completion_opened"):
    """The seat that laid a card may choose among these Orders (or sets for one of them)."""

    seat: Seat
    cell: Cell
    order_ids: tuple[OrderId, ...]


class CompletionDeclined(Value, frozen=True, tag_field="type", tag="completion_declined"):
    """The seat completed nothing (option `may_decline`)."""

    seat: Seat
    cell: Cell


class OrderCompleted(Value, frozen=True, tag_field="type", tag="order_completed"):
    """A seat completed an Order with the cards on these cells."""

    seat: Seat
    order_id: OrderId
    cells: tuple[Cell, ...]


class PointsScored(Value, frozen=True, tag_field="type", tag="points_scored"):
    """A seat scored a number of an Order: `top` for completing it, `bottom` for the majority."""

    seat: Seat
    points: int
    reason: Literal["top", "bottom"]
    order_id: OrderId


class LaborCompared(Value, frozen=True, tag_field="type", tag="labor_compared"):
    """How the majority of an Order was decided."""

    order_id: OrderId
    tally: tuple[Tally, ...]
    winners: tuple[Seat, ...]


class IngredientsCleared(Value, frozen=True, tag_field="type", tag="ingredients_cleared"):
    """The used cards left the board: cubes and Basics to their owners, Specials to the discard pile."""

    order_id: OrderId
    cells: tuple[Cell, ...]
    returned: tuple[Returned, ...]
    discarded: tuple[Special, ...]


class OrderClaimed(Value, frozen=True, tag_field="type", tag="order_claimed"):
    """Each contributor laid a cube on the Order."""

    order_id: OrderId
    contributors: tuple[Seat, ...]


class TurnPassed(Value, frozen=True, tag_field="type", tag="turn_passed"):
    """A seat did nothing."""

    seat: Seat


class SeatResigned(Value, frozen=True, tag_field="type", tag="seat_resigned"):
    """A seat left the game; its hand went to the discard pile."""

    seat: Seat
    discarded: tuple[Special, ...]


class RoundEnded(Value, frozen=True, tag_field="type", tag="round_ended"):
    """Every active seat has had its turn."""

    round: int


class OrderArrived(Value, frozen=True, tag_field="type", tag="order_arrived"):
    """A new Order joined the young end of the Line."""

    order_id: OrderId


class OrderTakenByBoss(Value, frozen=True, tag_field="type", tag="order_taken_by_boss"):
    """The head of the bakery made the oldest Order himself."""

    order_id: OrderId
    boss_total: int


class GameEnded(Value, frozen=True, tag_field="type", tag="game_ended"):
    """The game is over, and why."""

    reason: Reason


class AgendaScored(Value, frozen=True, tag_field="type", tag="agenda_scored"):
    """A seat's agenda, the Orders that meet it, and its points."""

    seat: Seat
    agenda_id: AgendaId
    orders: tuple[OrderId, ...]
    points: int


class HelpBonusScored(Value, frozen=True, tag_field="type", tag="help_bonus_scored"):
    """How many Orders a seat helped to complete, and its points for them."""

    seat: Seat
    helped: int
    points: int


class ResultDeclared(Value, frozen=True, tag_field="type", tag="result_declared"):
    """Final scores and ranks by seat, and the winners, ascending."""

    totals: tuple[int, ...]
    ranks: tuple[int, ...]
    winners: tuple[Seat, ...]


Fact = (
    GameSetUp
    | PositionSet
    | TurnStarted
    | SpecialDrawn
    | SpecialDeckReshuffled
    | SpecialKept
    | PantryStocked
    | PantryDiscarded
    | SpecialDiscarded
    | PantryTaken
    | IngredientPlaced
    | CompletionOpened
    | CompletionDeclined
    | OrderCompleted
    | PointsScored
    | LaborCompared
    | IngredientsCleared
    | OrderClaimed
    | TurnPassed
    | SeatResigned
    | RoundEnded
    | OrderArrived
    | OrderTakenByBoss
    | GameEnded
    | AgendaScored
    | HelpBonusScored
    | ResultDeclared
)


# -- state and view -----------------------------------------------------------------------------------------------


class State(Value, frozen=True):
    """Section 5.5. Decks are top first, the Line and the Pantry oldest first, all else that is a set is sorted."""

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
    """What a reader sees of a seat: the hand is left out and the agenda null in every entry but the reader's own."""

    hand: tuple[Special, ...] | UnsetType = UNSET
    hand_count: int
    basics: tuple[Basic, ...]
    cubes: int
    points: int
    agenda: AgendaId | None
    active: bool


class View(Value, frozen=True, kw_only=True):
    """What a seat or a spectator may see (section 7). Nothing is left out or null once the game is over."""

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
