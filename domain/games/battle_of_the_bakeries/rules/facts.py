"""The facts: the effects of the set-up and of moves, with the results of random draws.

Fields are in the order of the log and the API (rules, section 5). Hidden values are null for readers who may not see
them, so their fields are optional. All money is in whole dollars.
"""

from domain.games.battle_of_the_bakeries.rules.moves import Options
from domain.games.battle_of_the_bakeries.rules.parts import Cake, Card, Pair, Phase, Reason, SlotKey, Step, Waiver
from domain.kernel.values import Value


class GameCreated(Value, frozen=True, tag_field="type", tag="game_created"):
    """The match was created with these options."""

    options: Options


class PositionSet(Value, frozen=True, tag_field="type", tag="position_set"):
    """The match started from a position document (section 15), with defaults filled in.

    `layout` is hidden in the same way as in `chefs_laid_out`.
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
    """A round began. Only scores, rounds won and options carry over (S8)."""

    round: int


class ChefsLaidOut(Value, frozen=True, tag_field="type", tag="chefs_laid_out"):
    """The 30 chef cards by position, hidden from everyone until phase one of the round is over."""

    round: int
    layout: tuple[Card, ...] | None


class OrderRolledOff(Value, frozen=True, tag_field="type", tag="order_rolled_off"):
    """The rolls for the turn order, including ties. The chooser decides who goes first."""

    rolls: tuple[Pair[int], ...]
    chooser: int


class TurnOrderChosen(Value, frozen=True, tag_field="type", tag="turn_order_chosen"):
    """The chooser (`seat`) has decided which seat starts."""

    seat: int
    starter: int


class TurnBegan(Value, frozen=True, tag_field="type", tag="turn_began"):
    """A turn of phase one began; `turn` counts within the round."""

    seat: int
    turn: int


class DieRolled(Value, frozen=True, tag_field="type", tag="die_rolled"):
    """A roll in phase one. `bonus_offer` is in dollars, 0 unless a 5 was rolled."""

    seat: int
    value: int
    bonus_offer: int


class BonusTaken(Value, frozen=True, tag_field="type", tag="bonus_taken"):
    """A seat took the money for a 5, which was added to its score."""

    seat: int
    amount: int


class HireDeclared(Value, frozen=True, tag_field="type", tag="hire_declared"):
    """A seat tried to hire a chef."""

    seat: int


class CardFlipped(Value, frozen=True, tag_field="type", tag="card_flipped"):
    """A card was turned over. With the memory aid off, `card` is hidden again later (7.1)."""

    seat: int
    position: int
    card: Card | None


class HireFailed(Value, frozen=True, tag_field="type", tag="hire_failed"):
    """The cards turned over couldn't become a set. The seat loses its next turn."""

    seat: int


class TurnEnded(Value, frozen=True, tag_field="type", tag="turn_ended"):
    """A turn ended. Its cards were turned back, listed in the order they were turned over."""

    seat: int
    turned_back: tuple[int, ...]


class TurnLost(Value, frozen=True, tag_field="type", tag="turn_lost"):
    """A seat missed this turn because of a failed hire."""

    seat: int


class ChefHired(Value, frozen=True, tag_field="type", tag="chef_hired"):
    """A seat hired a chef. The five cards of the set left the board."""

    seat: int
    multiplier: int
    positions: tuple[int, ...]
    cards: tuple[Card, ...]


class LastChanceOpened(Value, frozen=True, tag_field="type", tag="last_chance_opened"):
    """The other seat got a last chance to hire one of these lower sets."""

    seat: int
    allowed: tuple[int, ...]


class LastChanceDenied(Value, frozen=True, tag_field="type", tag="last_chance_denied"):
    """There was no lower set for a last chance."""

    seat: int


class LastChanceFailed(Value, frozen=True, tag_field="type", tag="last_chance_failed"):
    """The last chance failed or was declined."""

    seat: int
    declined: bool


class HiringClosed(Value, frozen=True, tag_field="type", tag="hiring_closed"):
    """Phase one ended: the multipliers of the round, and the seat that hired first."""

    round: int
    multipliers: Pair[int]
    finder: int | None


class CakeDrawn(Value, frozen=True, tag_field="type", tag="cake_drawn"):
    """A cake was drawn from the store, visible to everyone. `seat` places it."""

    seat: int
    cake: Cake
    left: int


class CakePlaced(Value, frozen=True, tag_field="type", tag="cake_placed"):
    """A cake was placed in a slot of one of the cases."""

    seat: int
    case: int
    slot: int
    cake: Cake


class SaleOpened(Value, frozen=True, tag_field="type", tag="sale_opened"):
    """The sale began with both cases full. `seat` rolls first."""

    seat: int


class DiceRolled(Value, frozen=True, tag_field="type", tag="dice_rolled"):
    """A roll in the sale."""

    seat: int
    dice: Pair[int]
    total: int


class CakeSold(Value, frozen=True, tag_field="type", tag="cake_sold"):
    """A cake was sold. `stale` is its number of stale cards; `tab` and `count` are the values after the sale."""

    seat: int
    slot: int
    cake: Cake
    stale: int
    amount: int
    tab: int
    count: int


class StaleDue(Value, frozen=True, tag_field="type", tag="stale_due"):
    """`against` repeated a number, so `seat` must put a stale card on one of its cakes."""

    seat: int
    against: int
    left: int


class StaleWaived(Value, frozen=True, tag_field="type", tag="stale_waived"):
    """A repeated number had no effect: no stale card was left, or no cake could take another."""

    seat: int
    reason: Waiver


class StalePlaced(Value, frozen=True, tag_field="type", tag="stale_placed"):
    """A stale card was placed. `stale` is the new number on the cake, `left` the number in the deck."""

    seat: int
    case: int
    slot: int
    stale: int
    left: int


class SaleClosed(Value, frozen=True, tag_field="type", tag="sale_closed"):
    """The sale ended: `seat` sold seven cakes, or is null at the roll limit (T3)."""

    seat: int | None
    tabs: Pair[int]


class GreatChefAwarded(Value, frozen=True, tag_field="type", tag="great_chef_awarded"):
    """Seven cakes with seven different names earned a bonus of a fifth of the tab."""

    seat: int
    amount: int


class CatchUpOpened(Value, frozen=True, tag_field="type", tag="catch_up_opened"):
    """The catch-up round began: the loser of the round can try to keep more of its tab."""

    seat: int
    tab: int


class CatchUpTried(Value, frozen=True, tag_field="type", tag="catch_up_tried"):
    """A drawn number, the roll for it, and the percentage that the seat would keep now."""

    seat: int
    number: int
    dice: Pair[int]
    total: int
    hit: bool
    percent: int


class CatchUpStopped(Value, frozen=True, tag_field="type", tag="catch_up_stopped"):
    """The seat stopped and kept this percentage."""

    seat: int
    percent: int


class RoundScored(Value, frozen=True, tag_field="type", tag="round_scored"):
    """The scoring of a round. `scores` are the totals of the match so far."""

    round: int
    tabs: Pair[int]
    percents: Pair[int]
    kept: Pair[int]
    great_chef: Pair[int]
    scores: Pair[int]


class SeatResigned(Value, frozen=True, tag_field="type", tag="seat_resigned"):
    """A seat resigned."""

    seat: int


class GameEnded(Value, frozen=True, tag_field="type", tag="game_ended"):
    """The match ended. `winner` is null in a draw."""

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
