"""The facts: what a move or the set-up has done, chance included.

The order of the fields is the order in the log and in the API (rules, section 5). What a reader may not see is null
in what that reader gets, with its key kept; hence the optional fields. All money is whole dollars.
"""

from domain.games.battle_of_the_bakeries.rules.moves import Options
from domain.games.battle_of_the_bakeries.rules.parts import Cake, Card, Pair, Phase, Reason, SlotKey, Step, Waiver
from domain.kernel.values import Value


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
    GameCreated | PositionSet | RoundBegan | ChefsLaidOut | OrderRolledOff | TurnOrderChosen | TurnBegan
    | DieRolled | BonusTaken | HireDeclared | CardFlipped | HireFailed | TurnEnded | TurnLost | ChefHired
    | LastChanceOpened | LastChanceDenied | LastChanceFailed | HiringClosed | CakeDrawn | CakePlaced | SaleOpened
    | DiceRolled | CakeSold | StaleDue | StaleWaived | StalePlaced | SaleClosed | GreatChefAwarded
    | CatchUpOpened | CatchUpTried | CatchUpStopped | RoundScored | SeatResigned | GameEnded
)  # fmt: skip
