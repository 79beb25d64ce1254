"""What there is: seats, cards, slots and cakes, options, moves, facts, the state and the view.

The order of the fields is the order in the log and in the API (rules, section 5). What a reader may not see is null
in what that reader gets, with its key kept; hence the optional fields. All money is whole dollars.
"""

from typing import Annotated, Literal, TypeVar, get_args

import msgspec

from domain.kernel.game import ScoreLine, Seat
from domain.kernel.values import Value

T = TypeVar("T")
Pair = tuple[T, T]
"""One thing for each seat, in seat order."""

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
"""A Hire a Chef card, in canonical order, which is layout L0 (12.1)."""

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
"""A You Take The Cake card, in the canonical order of every draw (2.2)."""

CARDS: tuple[Card, ...] = get_args(Card)
CAKES: tuple[Cake, ...] = get_args(Cake)
SLOTS = tuple(range(2, 13))
"""The dice totals of a bakery case."""
POSITIONS = tuple(range(30))
"""The places of the board: 5 x row + column (S3)."""
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
MAX_TURNS_OWED = 1  # H10: who has failed a hire has lost that turn before the next attempt
BONUS_STEP = 250  # H3: the k-th five offers 250 x (k + 1)


def opponent_of(seat: Seat) -> Seat:
    """The seat across the table."""
    return 1 - seat


# -- options ------------------------------------------------------------------------------------------------------

TurnLimit = Annotated[int, msgspec.Meta(ge=10, le=200)]


class Options(Value, frozen=True, forbid_unknown_fields=True):
    """Section 11. `hire_turn_limit` null: 30 with the memory aid, 60 without."""

    rounds: Annotated[int, msgspec.Meta(ge=1, le=3)] = 3
    memory_aid: Literal["on", "off"] = "on"
    last_chance_sets: Literal["book_list", "any_lesser"] = "book_list"
    round_order: Literal["roll_off", "trailing_chooses"] = "roll_off"
    hire_turn_limit: TurnLimit | None = None
    fresh_first: bool = False

    def resolved(self) -> "Options":
        """The same with the limit as a number (S2)."""
        return msgspec.structs.replace(self, hire_turn_limit=self.turn_limit)

    @property
    def turn_limit(self) -> int:
        """Turns until phase one closes (T2)."""
        return self.hire_turn_limit or TURN_LIMITS[self.memory_aid]


# -- moves --------------------------------------------------------------------------------------------------------

Position = Annotated[int, msgspec.Meta(ge=0, le=29)]
Slot = Annotated[int, msgspec.Meta(ge=2, le=12)]


class ChooseTurnOrder(
    msgspec.Struct, frozen=True, tag_field="type", tag="choose_turn_order", forbid_unknown_fields=True
):
    """Go first or second in phase one."""

    go: Literal["first", "second"]


class RollDie(Value, frozen=True, tag_field="type", tag="roll_die", forbid_unknown_fields=True):
    """Roll for the number of cards to turn over."""


class TakeBonus(Value, frozen=True, tag_field="type", tag="take_bonus", forbid_unknown_fields=True):
    """Take the money of a five instead of two cards."""


class DeclareHire(Value, frozen=True, tag_field="type", tag="declare_hire", forbid_unknown_fields=True):
    """Try to turn over a whole chef set."""


class FlipCard(Value, frozen=True, tag_field="type", tag="flip_card", forbid_unknown_fields=True):
    """Turn over the card at a position of the board."""

    position: Position


class StopFlipping(Value, frozen=True, tag_field="type", tag="stop_flipping", forbid_unknown_fields=True):
    """End the turn of a six early."""


class DeclineLastChance(
    msgspec.Struct, frozen=True, tag_field="type", tag="decline_last_chance", forbid_unknown_fields=True
):
    """Give the last chance up."""


class PlaceCake(Value, frozen=True, tag_field="type", tag="place_cake", forbid_unknown_fields=True):
    """Put the drawn cake into an empty slot of either case."""

    case: SeatNumber
    slot: Slot


class RollDice(Value, frozen=True, tag_field="type", tag="roll_dice", forbid_unknown_fields=True):
    """Roll two dice to sell a cake."""


class PlaceStale(Value, frozen=True, tag_field="type", tag="place_stale", forbid_unknown_fields=True):
    """Put a stale card on an unsold cake of the opponent."""

    slot: Slot


class TryCatchUp(Value, frozen=True, tag_field="type", tag="try_catch_up", forbid_unknown_fields=True):
    """Draw one of the own unsold numbers and try to roll it."""


class StopCatchUp(Value, frozen=True, tag_field="type", tag="stop_catch_up", forbid_unknown_fields=True):
    """Keep the 60 per cent of the first hit."""


class Resign(Value, frozen=True, tag_field="type", tag="resign", forbid_unknown_fields=True):
    """Give the game up."""


Move = (
    ChooseTurnOrder
    | RollDie
    | TakeBonus
    | DeclareHire
    | FlipCard
    | StopFlipping
    | DeclineLastChance
    | PlaceCake
    | RollDice
    | PlaceStale
    | TryCatchUp
    | StopCatchUp
    | Resign
)


# -- facts --------------------------------------------------------------------------------------------------------

Phase = Literal["order", "hire", "last_chance", "stock", "sale", "catch_up", "over"]
Step = Literal["start", "five", "flip", "attempt", "roll", "stale"]
Reason = Literal["score", "tiebreak", "draw", "resignation"]
Waiver = Literal["deck_empty", "no_target"]
SlotKey = Literal["2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12"]
SLOT_KEYS: tuple[SlotKey, ...] = get_args(SlotKey)


class GameCreated(Value, frozen=True, tag_field="type", tag="game_created"):
    """The game begins, with all its options."""

    options: Options


class PositionSet(Value, frozen=True, tag_field="type", tag="position_set"):
    """The game begins from a position document instead (section 15), its defaults filled in.

    `layout` is hidden as in `chefs_laid_out`.
    """

    options: Options
    round: int
    scores: Pair[int]
    rounds_won: Pair[int]
    phase: Phase
    step: Step | None
    actor: int
    starter: int | None
    finder: int | None
    multipliers: Pair[int]
    layout: tuple[Card, ...] | None
    empty: tuple[int, ...]
    face_up: tuple[int, ...]
    shown: tuple[int, ...]
    open_faces: Pair[tuple[int, ...]]
    turns_done: int
    turn: int
    fives: int
    skips: Pair[int]
    bonus_offer: int | None
    flips_min: int | None
    flips_max: int | None
    allowed: tuple[int, ...] | None
    cases: Pair[dict[SlotKey, Cake | None]] | None
    drawn: Cake | None
    stale: Pair[dict[SlotKey, int]] | None
    stale_left: int | None
    sold: Pair[tuple[int, ...]] | None
    tabs: Pair[int] | None
    rolls: int | None
    tries: int | None
    percent: int | None


class RoundBegan(Value, frozen=True, tag_field="type", tag="round_began"):
    """A round begins; scores, rounds won and options carry over, nothing else (S8)."""

    round: int


class ChefsLaidOut(Value, frozen=True, tag_field="type", tag="chefs_laid_out"):
    """The 30 chef cards by position. Hidden from everyone until phase one of the round is closed."""

    round: int
    layout: tuple[Card, ...] | None


class OrderRolledOff(Value, frozen=True, tag_field="type", tag="order_rolled_off"):
    """The roll-off, ties included; the chooser says who goes first."""

    rolls: tuple[Pair[int], ...]
    chooser: int


class TurnOrderChosen(Value, frozen=True, tag_field="type", tag="turn_order_chosen"):
    """The chooser (`seat`) has said who starts."""

    seat: int
    starter: int


class TurnBegan(Value, frozen=True, tag_field="type", tag="turn_began"):
    """A turn of phase one begins; `turn` counts within the round."""

    seat: int
    turn: int


class DieRolled(Value, frozen=True, tag_field="type", tag="die_rolled"):
    """A roll in phase one; a five offers `bonus_offer` dollars, all else 0."""

    seat: int
    value: int
    bonus_offer: int


class BonusTaken(Value, frozen=True, tag_field="type", tag="bonus_taken"):
    """The money of a five went to the score."""

    seat: int
    amount: int


class HireDeclared(Value, frozen=True, tag_field="type", tag="hire_declared"):
    """A seat tries to hire a chef."""

    seat: int


class CardFlipped(Value, frozen=True, tag_field="type", tag="card_flipped"):
    """A card was turned over. With the memory aid off, `card` falls back out of the log (7.1)."""

    seat: int
    position: int
    card: Card | None


class HireFailed(Value, frozen=True, tag_field="type", tag="hire_failed"):
    """The cards turned over can become no set; the seat will lose a turn."""

    seat: int


class TurnEnded(Value, frozen=True, tag_field="type", tag="turn_ended"):
    """A turn ends and its cards are turned back, listed in the order in which they were turned over."""

    seat: int
    turned_back: tuple[int, ...]


class TurnLost(Value, frozen=True, tag_field="type", tag="turn_lost"):
    """A seat pays for a failed hire with this turn."""

    seat: int


class ChefHired(Value, frozen=True, tag_field="type", tag="chef_hired"):
    """A set is complete: its five cards leave the board."""

    seat: int
    multiplier: int
    positions: tuple[int, ...]
    cards: tuple[Card, ...]


class LastChanceOpened(Value, frozen=True, tag_field="type", tag="last_chance_opened"):
    """The other seat may look for one of these lesser sets."""

    seat: int
    allowed: tuple[int, ...]


class LastChanceDenied(Value, frozen=True, tag_field="type", tag="last_chance_denied"):
    """No lesser set is left to look for."""

    seat: int


class LastChanceFailed(Value, frozen=True, tag_field="type", tag="last_chance_failed"):
    """The last chance is gone, or was given up."""

    seat: int
    declined: bool


class HiringClosed(Value, frozen=True, tag_field="type", tag="hiring_closed"):
    """Phase one is over: the multipliers of the round, and who found the first chef."""

    round: int
    multipliers: Pair[int]
    finder: int | None


class CakeDrawn(Value, frozen=True, tag_field="type", tag="cake_drawn"):
    """A cake from the store, shown to all; `seat` places it."""

    seat: int
    cake: Cake
    left: int


class CakePlaced(Value, frozen=True, tag_field="type", tag="cake_placed"):
    """A cake went into a slot of one of the cases."""

    seat: int
    case: int
    slot: int
    cake: Cake


class SaleOpened(Value, frozen=True, tag_field="type", tag="sale_opened"):
    """Both cases are full; `seat` rolls first."""

    seat: int


class DiceRolled(Value, frozen=True, tag_field="type", tag="dice_rolled"):
    """A roll of the sale."""

    seat: int
    dice: Pair[int]
    total: int


class CakeSold(Value, frozen=True, tag_field="type", tag="cake_sold"):
    """A cake is sold: with this many stale cards, for this amount; tab and number of cakes sold after it."""

    seat: int
    slot: int
    cake: Cake
    stale: int
    amount: int
    tab: int
    count: int


class StaleDue(Value, frozen=True, tag_field="type", tag="stale_due"):
    """`against` has repeated a number: `seat` must put a stale card on one of its cakes."""

    seat: int
    against: int
    left: int


class StaleWaived(Value, frozen=True, tag_field="type", tag="stale_waived"):
    """A repeated number costs nothing: no stale card is left, or no cake can bear another."""

    seat: int
    reason: Waiver


class StalePlaced(Value, frozen=True, tag_field="type", tag="stale_placed"):
    """A stale card lies on a cake: how many lie on it now, and how many are left."""

    seat: int
    case: int
    slot: int
    stale: int
    left: int


class SaleClosed(Value, frozen=True, tag_field="type", tag="sale_closed"):
    """The sale is over: `seat` sold seven cakes, or null when time ran out (T3)."""

    seat: int | None
    tabs: Pair[int]


class GreatChefAwarded(Value, frozen=True, tag_field="type", tag="great_chef_awarded"):
    """Seven cakes of seven names: a fifth of the tab on top."""

    seat: int
    amount: int


class CatchUpOpened(Value, frozen=True, tag_field="type", tag="catch_up_opened"):
    """The loser of the round may try to keep more of its tab."""

    seat: int
    tab: int


class CatchUpTried(Value, frozen=True, tag_field="type", tag="catch_up_tried"):
    """A drawn number, a roll at it, and the percentage that the seat keeps now."""

    seat: int
    number: int
    dice: Pair[int]
    total: int
    hit: bool
    percent: int


class CatchUpStopped(Value, frozen=True, tag_field="type", tag="catch_up_stopped"):
    """The seat is content with what it has."""

    seat: int
    percent: int


class RoundScored(Value, frozen=True, tag_field="type", tag="round_scored"):
    """A round on the score sheet; `scores` are those of the game so far."""

    round: int
    tabs: Pair[int]
    percents: Pair[int]
    kept: Pair[int]
    great_chef: Pair[int]
    scores: Pair[int]


class SeatResigned(Value, frozen=True, tag_field="type", tag="seat_resigned"):
    """A seat gave the game up."""

    seat: int


class GameEnded(Value, frozen=True, tag_field="type", tag="game_ended"):
    """The game is over; no winner in a draw."""

    scores: Pair[int]
    winner: int | None
    reason: Reason


Fact = (
    GameCreated
    | PositionSet
    | RoundBegan
    | ChefsLaidOut
    | OrderRolledOff
    | TurnOrderChosen
    | TurnBegan
    | DieRolled
    | BonusTaken
    | HireDeclared
    | CardFlipped
    | HireFailed
    | TurnEnded
    | TurnLost
    | ChefHired
    | LastChanceOpened
    | LastChanceDenied
    | LastChanceFailed
    | HiringClosed
    | CakeDrawn
    | CakePlaced
    | SaleOpened
    | DiceRolled
    | CakeSold
    | StaleDue
    | StaleWaived
    | StalePlaced
    | SaleClosed
    | GreatChefAwarded
    | CatchUpOpened
    | CatchUpTried
    | CatchUpStopped
    | RoundScored
    | SeatResigned
    | GameEnded
)


# -- state and view -----------------------------------------------------------------------------------------------

Case = tuple[Cake | None, ...]
"""The eleven slots of a bakery case, 2 to 12."""
NO_CAKES: Case = (None,) * len(SLOTS)
NO_STALE = (0,) * len(SLOTS)
HIDDEN_PHASES: tuple[Phase, ...] = ("order", "hire", "last_chance")
"""The phases in which the layout of the present round is hidden (7)."""


class State(Value, frozen=True, kw_only=True):
    """Enough to fold and to go on (5.2); fields of other phases keep what they held.

    `empty`, `shown` and `open_faces` hold positions in ascending order, `face_up` in the order of turning, `sold`
    slots in the order of sale. `store` counts cakes in canonical order; it does not count the drawn one.

    For the redaction (7.1) the state counts its facts (`folded`) and keeps the number of the first fact of the round
    (`round_at`) and of each seat's latest look at the board (`horizons`, 0 when none). `ledger` is the score sheet.
    """

    options: Options = Options()
    round: int = 0
    phase: Phase = "order"
    step: Step | None = None
    actor: int | None = None
    scores: Pair[int] = (0, 0)
    rounds_won: Pair[int] = (0, 0)
    starter: int | None = None
    finder: int | None = None
    multipliers: Pair[int] = (1, 1)

    layout: tuple[Card, ...] | None = None
    empty: tuple[int, ...] = ()
    face_up: tuple[int, ...] = ()
    shown: tuple[int, ...] = ()
    open_faces: Pair[tuple[int, ...]] = ((), ())
    turn: int = 0
    turns_done: int = 0
    fives: int = 0
    skips: Pair[int] = (0, 0)
    bonus_offer: int = 0
    flips_min: int = 0
    flips_max: int = 0
    allowed: tuple[int, ...] = ()

    store: tuple[int, ...] = (0,) * len(CAKES)
    drawn: Cake | None = None
    cases: Pair[Case] = (NO_CAKES, NO_CAKES)

    stale: Pair[tuple[int, ...]] = (NO_STALE, NO_STALE)
    stale_left: int = 0
    sold: Pair[tuple[int, ...]] = ((), ())
    tabs: Pair[int] = (0, 0)
    rolls: int = 0
    percent: int = 0
    tries: int = 0

    winner: int | None = None
    reason: Reason | None = None

    folded: int = 0
    round_at: int = 0
    horizons: Pair[int] = (0, 0)
    ledger: tuple[ScoreLine, ...] = ()


class View(Value, frozen=True, kw_only=True):
    """What a seat or a spectator may see (7.3); fields of other phases and steps are null."""

    options: Options
    round: int
    phase: Phase
    step: Step | None
    actor: int | None
    to_move: tuple[int, ...]
    scores: Pair[int]
    rounds_won: Pair[int]
    starter: int | None
    finder: int | None
    multipliers: Pair[int]

    turn: int | None = None
    turns_done: int | None = None
    fives: int | None = None
    skips: Pair[int] | None = None
    face_up: tuple[int, ...] | None = None
    shown: tuple[int, ...] | None = None
    empty: tuple[int, ...] | None = None
    faces: dict[str, Card] | None = None
    bonus_offer: int | None = None
    flips_min: int | None = None
    flips_max: int | None = None
    allowed: tuple[int, ...] | None = None

    store: dict[Cake, int] | None = None
    drawn: Cake | None = None
    cases: Pair[dict[SlotKey, Cake | None]] | None = None

    stale: Pair[dict[SlotKey, int]] | None = None
    sold: Pair[tuple[int, ...]] | None = None
    stale_left: int | None = None
    rolls: int | None = None
    tabs: Pair[int] | None = None
    percent: int | None = None
    tries: int | None = None

    winner: int | None = None
    reason: Reason | None = None
