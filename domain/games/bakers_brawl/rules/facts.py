"""The facts: what a move or the set-up has done, chance included.

The order of the fields is the order in the log and in the API (rules, 5.4 and 5.5). In a fact, what a reader may not
see is null and keeps its key; in a view it is left out (section 7). Hence the optional fields of both.
"""

from typing import Literal

from domain.games.bakers_brawl.rules.components import Ingredient, Special
from domain.games.bakers_brawl.rules.moves import Options
from domain.games.bakers_brawl.rules.parts import (
    AgendaId,
    Cell,
    Completed,
    OrderId,
    Phase,
    Reason,
    Returned,
    ShownBaker,
    Source,
    Tally,
    Tile,
)
from domain.kernel.game import Seat
from domain.kernel.values import Value


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
