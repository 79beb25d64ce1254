"""Names, numbers and small types used by moves, facts and states."""

from typing import Literal, TypeVar, get_args

from domain.kernel.game import Seat

T = TypeVar("T")
Pair = tuple[T, T]
"""One value for each seat, in seat order."""
SeatNumber = Literal[0, 1]
SEATS: tuple[SeatNumber, SeatNumber] = (0, 1)  # S1: Union Yummies is seat 0, Confederate Concoctions seat 1
Card = Literal[
    "chef_2", "chef_3", "chef_4", "chef_5", "chef_6",
    "hat_2", "hat_3", "hat_4", "hat_5", "hat_6",
    "apron_2", "apron_3", "apron_4", "apron_5", "apron_6",
    "oven_2", "oven_3", "oven_4", "oven_5", "oven_6",
    "batter_2", "batter_3", "batter_4", "batter_5", "batter_6",
    "wild_23_a", "wild_23_b", "wild_23_c", "wild_45_a", "wild_45_b",
]  # fmt: skip
"""A Hire a Chef card. The canonical order is that of layout L0 (12.1)."""
Cake = Literal[
    "wedding_cake",
    "boston_cream_pie",
    "pineapple_upside_down_cake",
    "cinnamon_coffee_cake",
    "sheet_cake",
    "lemon_cake",
    "bundt_cake",
    "german_chocolate_cake",
    "black_forest_cake",
    "mississippi_mud_cake",
    "birthday_cake",
]
"""A You Take The Cake card, in the canonical order used by every draw (2.2)."""
CARDS: tuple[Card, ...] = get_args(Card)
CAKES: tuple[Cake, ...] = get_args(Cake)
SLOTS = tuple(range(2, 13))
"""The dice totals of a bakery case."""
POSITIONS = tuple(range(30))
"""The positions of the board: 5 x row + column (S3)."""
COLUMNS = 5
SETS = (6, 5, 4, 3, 2)
"""The multipliers of the chef sets, best first."""
SET_SIZE = 5
ROLL_OFF_PAIRS = 20  # T1
TURN_LIMITS = {"on": 30, "off": 60}  # T2, by `memory_aid`
MAX_ROLLS = 400  # T3
SALES_TO_WIN = 7  # M6
MAX_STALE = 4  # M4
CATCH_UP_GAP = 3  # U1
MAX_FLIPS = 4  # H2 to H4: a roll of 6
MAX_TURNS_OWED = 1  # H10: a seat loses its turn for a failed hire before it can fail again
BONUS_STEP = 250  # H3: the k-th 5 offers 250 x (k + 1)


def opponent_of(seat: Seat) -> Seat:
    """Return the other seat."""
    return 1 - seat


Phase = Literal["order", "hire", "last_chance", "stock", "sale", "catch_up", "over"]
Step = Literal["start", "five", "flip", "attempt", "roll", "stale"]
Reason = Literal["score", "tiebreak", "draw", "resignation"]
Waiver = Literal["deck_empty", "no_target"]
SlotKey = Literal["2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12"]
SLOT_KEYS: tuple[SlotKey, ...] = get_args(SlotKey)
