"""The facts: the results of a move or the set-up, including random draws.

Fields are in the order used in the log and in the API (rules, section 5). Hidden values are left out of facts and
views, which is why some fields are optional. In some fields a count replaces a list of cards, as the rules define.
"""

from typing import Literal

from msgspec import UNSET, UnsetType

from domain.games.pie_contest.rules.card_language import Arg
from domain.games.pie_contest.rules.moves import Options
from domain.games.pie_contest.rules.parts import (
    Cards,
    HandMove,
    Kind,
    PieChange,
    Reason,
    SeatKey,
    SeatScore,
    Stage,
    Step,
    Why,
    Zone,
)
from domain.kernel.game import Seat
from domain.kernel.values import Value


class GameStarted(Value, frozen=True, tag_field="type", tag="game_started"):
    """The contest begins, with all its options."""

    seats: int
    options: Options


class PositionSet(Value, frozen=True, tag_field="type", tag="position_set"):
    """The contest begins from a position document (section 15), with defaults filled in.

    For readers, other seats' hands and the two face-down piles are replaced by the number of cards.
    """

    seats: int
    options: Options
    active: Seat
    turn: int
    stage: Stage
    plays_left: int
    acts_made: int
    granted: int
    hands: dict[SeatKey, Cards | int]
    kitchens: dict[SeatKey, Cards]
    pies: dict[SeatKey, tuple[int, ...]]
    trash: Cards
    row: tuple[int | None, ...]
    pantry: Cards | int
    pile: Cards | int
    turned: dict[str, Seat]
    out: tuple[Seat, ...]


class PantryShuffled(Value, frozen=True, tag_field="type", tag="pantry_shuffled"):
    """The order of the Pantry, top card first, hidden until the end."""

    order: Cards | UnsetType = UNSET


class AchievementsShuffled(Value, frozen=True, tag_field="type", tag="achievements_shuffled"):
    """The order of the Achievement pile, top card first, hidden until the end."""

    order: Cards | UnsetType = UNSET


class FirstSeatChosen(Value, frozen=True, tag_field="type", tag="first_seat_chosen"):
    """The seat that takes the first turn."""

    seat: Seat


class HandsDealt(Value, frozen=True, tag_field="type", tag="hands_dealt"):
    """Five cards for each seat in the order dealt. Other seats see only the number."""

    hands: dict[SeatKey, Cards | int]


class AchievementRevealed(Value, frozen=True, tag_field="type", tag="achievement_revealed"):
    """The top card of the Achievement pile was turned face up in a slot."""

    slot: int
    card: int


class TurnBegan(Value, frozen=True, tag_field="type", tag="turn_began"):
    """A turn began. Turns are numbered from 1 through the whole contest."""

    turn: int
    seat: Seat


class TurnEnded(Value, frozen=True, tag_field="type", tag="turn_ended"):
    """A turn ended."""

    seat: Seat
    turn: int


class CardDrawn(Value, frozen=True, kw_only=True, tag_field="type", tag="card_drawn"):
    """A seat drew the top card of the Pantry. Only this seat sees the card."""

    seat: Seat
    card: int | UnsetType = UNSET
    why: Literal["turn", "effect"]


class DrawMissed(Value, frozen=True, tag_field="type", tag="draw_missed"):
    """A seat could not draw because Pantry and Trash were empty."""

    seat: Seat


class PantryRestocked(Value, frozen=True, kw_only=True, tag_field="type", tag="pantry_restocked"):
    """The Trash was shuffled into the Pantry, in an order hidden until the end."""

    order: Cards | UnsetType = UNSET
    count: int


class IngredientPlayed(Value, frozen=True, tag_field="type", tag="ingredient_played"):
    """An Ingredient was played from the hand into the Kitchen."""

    seat: Seat
    card: int


class ActionPlayed(Value, frozen=True, tag_field="type", tag="action_played"):
    """An Action was played. It went to the Trash, or to the pile if it is an Achievement."""

    seat: Seat
    card: int
    to: Literal["trash", "pile"]


class DumpsterDived(Value, frozen=True, tag_field="type", tag="dumpster_dived"):
    """A seat trashed two cards from its hand and took one from the Trash."""

    seat: Seat
    trashed: Cards
    taken: int


class TurnPassed(Value, frozen=True, tag_field="type", tag="turn_passed"):
    """A seat passed and plays no more cards this turn."""

    seat: Seat


class TrimDue(Value, frozen=True, tag_field="type", tag="trim_due"):
    """The active seat must trash this many cards at the end of its turn."""

    seat: Seat
    count: int


class HandTrimmed(Value, frozen=True, tag_field="type", tag="hand_trimmed"):
    """The active seat trashed cards to get down to seven."""

    seat: Seat
    cards: Cards


class StepsQueued(Value, frozen=True, tag_field="type", tag="steps_queued"):
    """Steps were put at the front of the agenda, in this order."""

    steps: tuple[Step, ...]


class StepStarted(Value, frozen=True, tag_field="type", tag="step_started"):
    """The step at the head of the agenda was started."""

    seat: Seat
    op: str
    args: tuple[Arg, ...]
    src: int


class StepFizzled(Value, frozen=True, tag_field="type", tag="step_fizzled"):
    """A step had no effect."""

    seat: Seat
    op: str
    why: Why


class ChoiceAsked(Value, frozen=True, kw_only=True, tag_field="type", tag="choice_asked"):
    """A seat must pick `count` of these options. Only this seat sees them."""

    seat: Seat
    kind: Kind
    options: tuple[str, ...] | UnsetType = UNSET
    count: int


class ChoiceMade(Value, frozen=True, kw_only=True, tag_field="type", tag="choice_made"):
    """A seat has picked. Only this seat sees the picks. With `commit` they wait for the other seats (Potluck)."""

    seat: Seat
    picks: tuple[str, ...] | UnsetType = UNSET
    commit: bool


class ExtraPlayGranted(Value, frozen=True, tag_field="type", tag="extra_play_granted"):
    """The active seat may play this many more cards."""

    seat: Seat
    count: int


class BakeFailed(Value, frozen=True, tag_field="type", tag="bake_failed"):
    """A seat could not Bake its Kitchen."""

    seat: Seat
    why: Literal["too_few", "no_salt", "too_much_salt"]


class BakeDeclined(Value, frozen=True, tag_field="type", tag="bake_declined"):
    """A seat chose not to Bake."""

    seat: Seat


class PieBaked(Value, frozen=True, tag_field="type", tag="pie_baked"):
    """A Kitchen was Baked into a Pie: its cards, their worths in the same order, and the total."""

    seat: Seat
    pie: int
    cards: Cards
    worths: tuple[int, ...]
    total: int


class PiesStaled(Value, frozen=True, tag_field="type", tag="pies_staled"):
    """Pies went stale because of a Bake."""

    by: Seat
    changes: tuple[PieChange, ...]


class PiesChanged(Value, frozen=True, tag_field="type", tag="pies_changed"):
    """An effect changed the value of Pies."""

    seat: Seat
    src: int
    changes: tuple[PieChange, ...]


class IngredientsSwapped(Value, frozen=True, tag_field="type", tag="ingredients_swapped"):
    """Two Ingredients in different Kitchens were swapped."""

    seat: Seat
    other: Seat
    gave: int
    got: int


class IngredientStolen(Value, frozen=True, tag_field="type", tag="ingredient_stolen"):
    """A seat stole an Ingredient from another Kitchen."""

    seat: Seat
    owner: Seat
    card: int


class IngredientTrashed(Value, frozen=True, tag_field="type", tag="ingredient_trashed"):
    """A seat trashed an Ingredient in its own or another Kitchen."""

    seat: Seat
    owner: Seat
    card: int


class IngredientGiven(Value, frozen=True, tag_field="type", tag="ingredient_given"):
    """A seat gave one of its Ingredients to another Kitchen."""

    seat: Seat
    to: Seat
    card: int


class IngredientTakenBack(Value, frozen=True, tag_field="type", tag="ingredient_taken_back"):
    """An Ingredient went from the Kitchen back to the hand."""

    seat: Seat
    card: int
    to: Zone


class IngredientStocked(Value, frozen=True, tag_field="type", tag="ingredient_stocked"):
    """An Ingredient went from the Trash into the Kitchen."""

    seat: Seat
    card: int


class CardSalvaged(Value, frozen=True, tag_field="type", tag="card_salvaged"):
    """A card went from the Trash to the hand."""

    seat: Seat
    card: int


class CardForaged(Value, frozen=True, tag_field="type", tag="card_foraged"):
    """The top card of the Pantry was turned up."""

    seat: Seat
    card: int
    to: Literal["kitchen", "trash"]


class CardLookedAt(Value, frozen=True, tag_field="type", tag="card_looked_at"):
    """A seat looked at the top card of the Pantry. Only this seat sees the card."""

    seat: Seat
    card: int | UnsetType = UNSET


class SearchFinished(Value, frozen=True, kw_only=True, tag_field="type", tag="search_finished"):
    """A seat kept one of the cards it looked at, hidden from other seats, and trashed the others."""

    seat: Seat
    kept: int | UnsetType = UNSET
    trashed: Cards


class CardStolen(Value, frozen=True, kw_only=True, tag_field="type", tag="card_stolen"):
    """A random card was taken from a hand. Only thief and owner see it, unless it went to the pile."""

    seat: Seat
    owner: Seat
    card: int | UnsetType = UNSET
    to: Zone


class CardsTrashed(Value, frozen=True, tag_field="type", tag="cards_trashed"):
    """A seat trashed cards from its hand."""

    seat: Seat
    cards: Cards


class HandsPassed(Value, frozen=True, tag_field="type", tag="hands_passed"):
    """The picked cards of all seats were passed to the left (Potluck)."""

    moves: tuple[HandMove, ...]


class AchievementCompleted(Value, frozen=True, tag_field="type", tag="achievement_completed"):
    """A seat completed a face-up Achievement."""

    seat: Seat
    card: int
    slot: int


class AchievementTurned(Value, frozen=True, tag_field="type", tag="achievement_turned"):
    """A completed Achievement turned into an Ingredient or an Action, or went to the pile for lack of room."""

    seat: Seat
    card: int
    to: Literal["kitchen", "hand", "pile"]


class RowCleared(Value, frozen=True, tag_field="type", tag="row_cleared"):
    """The face-up Achievements went to the bottom of the pile."""

    cards: Cards


class SeatResigned(Value, frozen=True, tag_field="type", tag="seat_resigned"):
    """A seat resigned and all its cards were trashed."""

    seat: Seat
    hand: Cards
    kitchen: Cards
    aside: Cards


class GameEnded(Value, frozen=True, tag_field="type", tag="game_ended"):
    """The contest ended: scores of live seats, winners, and all seats ranked in groups."""

    why: Reason
    scores: tuple[SeatScore, ...]
    winners: tuple[Seat, ...]
    ranking: tuple[tuple[Seat, ...], ...]


Fact = (
    GameStarted | PositionSet | PantryShuffled | AchievementsShuffled | FirstSeatChosen | HandsDealt
    | AchievementRevealed | TurnBegan | TurnEnded | CardDrawn | DrawMissed | PantryRestocked | IngredientPlayed
    | ActionPlayed | DumpsterDived | TurnPassed | TrimDue | HandTrimmed | StepsQueued | StepStarted | StepFizzled
    | ChoiceAsked | ChoiceMade | ExtraPlayGranted | BakeFailed | BakeDeclined | PieBaked | PiesStaled
    | PiesChanged | IngredientsSwapped | IngredientStolen | IngredientTrashed | IngredientGiven
    | IngredientTakenBack | IngredientStocked | CardSalvaged | CardForaged | CardLookedAt | SearchFinished
    | CardStolen | CardsTrashed | HandsPassed | AchievementCompleted | AchievementTurned | RowCleared
    | SeatResigned | GameEnded
)  # fmt: skip
