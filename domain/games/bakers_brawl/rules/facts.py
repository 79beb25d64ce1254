"""The facts: what a move or the set-up did, including random results.

Fields are in the order of the log and the API (rules, 5.4 and 5.5). A hidden field of a fact is null and keeps its key;
in a view it is left out (section 7).
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
    """The game was set up (section 3). Decks are listed after dealing, top first."""

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
    """The game started from a custom position: the document with all defaults filled in (15.1)."""

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
    """A seat's turn started."""

    seat: Seat
    round: int


class SpecialDrawn(Value, frozen=True, tag_field="type", tag="special_drawn"):
    """A seat drew the top card of the Special deck. Other seats can't see which."""

    seat: Seat
    card: Special | None


class SpecialDeckReshuffled(Value, frozen=True, tag_field="type", tag="special_deck_reshuffled"):
    """The discard pile was shuffled into a new Special deck. Its order is hidden."""

    count: int
    order: tuple[Special, ...] | None


class SpecialKept(Value, frozen=True, tag_field="type", tag="special_kept"):
    """A seat kept a drawn card. Other seats can't see which."""

    seat: Seat
    card: Special | None


class PantryStocked(Value, frozen=True, tag_field="type", tag="pantry_stocked"):
    """The other drawn card joined the Pantry."""

    seat: Seat
    card: Special


class PantryDiscarded(Value, frozen=True, tag_field="type", tag="pantry_discarded"):
    """A card from the full Pantry was discarded to make room."""

    seat: Seat
    card: Special


class SpecialDiscarded(Value, frozen=True, tag_field="type", tag="special_discarded"):
    """The other drawn card was discarded because the Pantry is full."""

    seat: Seat
    card: Special


class PantryTaken(Value, frozen=True, tag_field="type", tag="pantry_taken"):
    """A seat took a card from the Pantry."""

    seat: Seat
    card: Special


class IngredientPlaced(Value, frozen=True, tag_field="type", tag="ingredient_placed"):
    """A card was placed on the board with its cubes."""

    seat: Seat
    source: Source
    ingredient: Ingredient
    cell: Cell
    labor: int


class CompletionOpened(Value, frozen=True, tag_field="type", tag="completion_opened"):
    """The seat that placed a card must choose among these Orders, or among sets for one of them."""

    seat: Seat
    cell: Cell
    order_ids: tuple[OrderId, ...]


class CompletionDeclined(Value, frozen=True, tag_field="type", tag="completion_declined"):
    """The seat declined to complete an Order (option `may_decline`)."""

    seat: Seat
    cell: Cell


class OrderCompleted(Value, frozen=True, tag_field="type", tag="order_completed"):
    """A seat completed an Order with the cards on these cells."""

    seat: Seat
    order_id: OrderId
    cells: tuple[Cell, ...]


class PointsScored(Value, frozen=True, tag_field="type", tag="points_scored"):
    """A seat scored points for an Order: `top` for completing it, `bottom` for the majority."""

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
    """The used cards left the board. Cubes and Basics returned to their owners, Specials were discarded."""

    order_id: OrderId
    cells: tuple[Cell, ...]
    returned: tuple[Returned, ...]
    discarded: tuple[Special, ...]


class OrderClaimed(Value, frozen=True, tag_field="type", tag="order_claimed"):
    """Each contributor put a cube on the Order."""

    order_id: OrderId
    contributors: tuple[Seat, ...]


class TurnPassed(Value, frozen=True, tag_field="type", tag="turn_passed"):
    """A seat passed."""

    seat: Seat


class SeatResigned(Value, frozen=True, tag_field="type", tag="seat_resigned"):
    """A seat left the game, and its hand was discarded."""

    seat: Seat
    discarded: tuple[Special, ...]


class RoundEnded(Value, frozen=True, tag_field="type", tag="round_ended"):
    """Every active seat has had its turn."""

    round: int


class OrderArrived(Value, frozen=True, tag_field="type", tag="order_arrived"):
    """A new Order joined the end of the Line."""

    order_id: OrderId


class OrderTakenByBoss(Value, frozen=True, tag_field="type", tag="order_taken_by_boss"):
    """The head of the bakery made the oldest Order himself."""

    order_id: OrderId
    boss_total: int


class GameEnded(Value, frozen=True, tag_field="type", tag="game_ended"):
    """The game is over, and why."""

    reason: Reason


class AgendaScored(Value, frozen=True, tag_field="type", tag="agenda_scored"):
    """A seat scored its agenda for these Orders."""

    seat: Seat
    agenda_id: AgendaId
    orders: tuple[OrderId, ...]
    points: int


class HelpBonusScored(Value, frozen=True, tag_field="type", tag="help_bonus_scored"):
    """A seat scored the help bonus for the Orders that it helped to complete."""

    seat: Seat
    helped: int
    points: int


class ResultDeclared(Value, frozen=True, tag_field="type", tag="result_declared"):
    """Final scores and ranks by seat, and the winners by seat number."""

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
