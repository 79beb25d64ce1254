"""The facts: what a move or the set-up has done, chance included.

The order of the fields is the order in the log and in the API (rules, section 5). In facts and views alike, what a
reader may not see is left out; where a count stands for a list of cards, the rules say so. Hence the optional fields.
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
    """The contest begins from a position document instead (section 15), its defaults filled in.

    As in the view, a number stands for other seats' hands and for the two face-down piles.
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
    """The Pantry, top card first; nobody sees it before the end."""

    order: Cards | UnsetType = UNSET


class AchievementsShuffled(Value, frozen=True, tag_field="type", tag="achievements_shuffled"):
    """The Achievement pile, top card first; nobody sees it before the end."""

    order: Cards | UnsetType = UNSET


class FirstSeatChosen(Value, frozen=True, tag_field="type", tag="first_seat_chosen"):
    """Who takes the first turn."""

    seat: Seat


class HandsDealt(Value, frozen=True, tag_field="type", tag="hands_dealt"):
    """Five cards for each seat, in the order of the deal; of other seats' the number."""

    hands: dict[SeatKey, Cards | int]


class AchievementRevealed(Value, frozen=True, tag_field="type", tag="achievement_revealed"):
    """The top of the Achievement pile lies face up in a slot."""

    slot: int
    card: int


class TurnBegan(Value, frozen=True, tag_field="type", tag="turn_began"):
    """A turn begins; turns count from 1 through the whole contest."""

    turn: int
    seat: Seat


class TurnEnded(Value, frozen=True, tag_field="type", tag="turn_ended"):
    """A turn is over."""

    seat: Seat
    turn: int


class CardDrawn(Value, frozen=True, kw_only=True, tag_field="type", tag="card_drawn"):
    """A seat drew the top card of the Pantry; which, only it sees."""

    seat: Seat
    card: int | UnsetType = UNSET
    why: Literal["turn", "effect"]


class DrawMissed(Value, frozen=True, tag_field="type", tag="draw_missed"):
    """There was no card to draw anywhere."""

    seat: Seat


class PantryRestocked(Value, frozen=True, kw_only=True, tag_field="type", tag="pantry_restocked"):
    """The Trash was shuffled into the Pantry, in an order that nobody sees."""

    order: Cards | UnsetType = UNSET
    count: int


class IngredientPlayed(Value, frozen=True, tag_field="type", tag="ingredient_played"):
    """An Ingredient went from the hand into the Kitchen."""

    seat: Seat
    card: int


class ActionPlayed(Value, frozen=True, tag_field="type", tag="action_played"):
    """An Action was played; it went to the Trash, or to the pile if it is an Achievement."""

    seat: Seat
    card: int
    to: Literal["trash", "pile"]


class DumpsterDived(Value, frozen=True, tag_field="type", tag="dumpster_dived"):
    """Two cards of the hand to the Trash, one card of the Trash to the hand."""

    seat: Seat
    trashed: Cards
    taken: int


class TurnPassed(Value, frozen=True, tag_field="type", tag="turn_passed"):
    """A seat plays nothing more this turn."""

    seat: Seat


class TrimDue(Value, frozen=True, tag_field="type", tag="trim_due"):
    """The active seat holds so many cards too many at the end of its turn."""

    seat: Seat
    count: int


class HandTrimmed(Value, frozen=True, tag_field="type", tag="hand_trimmed"):
    """The active seat trashed down to seven cards."""

    seat: Seat
    cards: Cards


class StepsQueued(Value, frozen=True, tag_field="type", tag="steps_queued"):
    """Steps were put at the front of the agenda, in this order."""

    steps: tuple[Step, ...]


class StepStarted(Value, frozen=True, tag_field="type", tag="step_started"):
    """The step at the head of the agenda is carried out."""

    seat: Seat
    op: str
    args: tuple[Arg, ...]
    src: int


class StepFizzled(Value, frozen=True, tag_field="type", tag="step_fizzled"):
    """A step could do nothing."""

    seat: Seat
    op: str
    why: Why


class ChoiceAsked(Value, frozen=True, kw_only=True, tag_field="type", tag="choice_asked"):
    """A seat is asked to pick so many of these options, which only it sees."""

    seat: Seat
    kind: Kind
    options: tuple[str, ...] | UnsetType = UNSET
    count: int


class ChoiceMade(Value, frozen=True, kw_only=True, tag_field="type", tag="choice_made"):
    """A seat has picked, which only it sees; with `commit` the pick waits for the others' (Potluck)."""

    seat: Seat
    picks: tuple[str, ...] | UnsetType = UNSET
    commit: bool


class ExtraPlayGranted(Value, frozen=True, tag_field="type", tag="extra_play_granted"):
    """The active seat may play so many cards more."""

    seat: Seat
    count: int


class BakeFailed(Value, frozen=True, tag_field="type", tag="bake_failed"):
    """The Kitchen cannot be Baked."""

    seat: Seat
    why: Literal["too_few", "no_salt", "too_much_salt"]


class BakeDeclined(Value, frozen=True, tag_field="type", tag="bake_declined"):
    """A seat that might Bake did not."""

    seat: Seat


class PieBaked(Value, frozen=True, tag_field="type", tag="pie_baked"):
    """A Kitchen was Baked: the cards, their worths in the same order, and the value of the Pie."""

    seat: Seat
    pie: int
    cards: Cards
    worths: tuple[int, ...]
    total: int


class PiesStaled(Value, frozen=True, tag_field="type", tag="pies_staled"):
    """The Pies that lost value by a Bake."""

    by: Seat
    changes: tuple[PieChange, ...]


class PiesChanged(Value, frozen=True, tag_field="type", tag="pies_changed"):
    """The Pies whose value an effect changed."""

    seat: Seat
    src: int
    changes: tuple[PieChange, ...]


class IngredientsSwapped(Value, frozen=True, tag_field="type", tag="ingredients_swapped"):
    """Two Ingredients changed places."""

    seat: Seat
    other: Seat
    gave: int
    got: int


class IngredientStolen(Value, frozen=True, tag_field="type", tag="ingredient_stolen"):
    """An Ingredient went into the thief's Kitchen."""

    seat: Seat
    owner: Seat
    card: int


class IngredientTrashed(Value, frozen=True, tag_field="type", tag="ingredient_trashed"):
    """A seat's effect trashed an Ingredient."""

    seat: Seat
    owner: Seat
    card: int


class IngredientGiven(Value, frozen=True, tag_field="type", tag="ingredient_given"):
    """A seat put one of its Ingredients into another Kitchen."""

    seat: Seat
    to: Seat
    card: int


class IngredientTakenBack(Value, frozen=True, tag_field="type", tag="ingredient_taken_back"):
    """An Ingredient went from the Kitchen back to the hand."""

    seat: Seat
    card: int
    to: Zone


class IngredientStocked(Value, frozen=True, tag_field="type", tag="ingredient_stocked"):
    """An Ingredient of the Trash went into the Kitchen."""

    seat: Seat
    card: int


class CardSalvaged(Value, frozen=True, tag_field="type", tag="card_salvaged"):
    """A card of the Trash went to the hand."""

    seat: Seat
    card: int


class CardForaged(Value, frozen=True, tag_field="type", tag="card_foraged"):
    """The top card of the Pantry was turned up."""

    seat: Seat
    card: int
    to: Literal["kitchen", "trash"]


class CardLookedAt(Value, frozen=True, tag_field="type", tag="card_looked_at"):
    """A seat looks at the top card of the Pantry; which, only it sees."""

    seat: Seat
    card: int | UnsetType = UNSET


class SearchFinished(Value, frozen=True, kw_only=True, tag_field="type", tag="search_finished"):
    """Of the cards looked at one was kept, which only its seat sees, and the others were trashed."""

    seat: Seat
    kept: int | UnsetType = UNSET
    trashed: Cards


class CardStolen(Value, frozen=True, kw_only=True, tag_field="type", tag="card_stolen"):
    """A random card left another hand; only thief and owner see it, and all if it went to the pile."""

    seat: Seat
    owner: Seat
    card: int | UnsetType = UNSET
    to: Zone


class CardsTrashed(Value, frozen=True, tag_field="type", tag="cards_trashed"):
    """A seat trashed cards of its hand."""

    seat: Seat
    cards: Cards


class HandsPassed(Value, frozen=True, tag_field="type", tag="hands_passed"):
    """Everybody's card went to the left (Potluck)."""

    moves: tuple[HandMove, ...]


class AchievementCompleted(Value, frozen=True, tag_field="type", tag="achievement_completed"):
    """A seat fulfilled a face-up Achievement."""

    seat: Seat
    card: int
    slot: int


class AchievementTurned(Value, frozen=True, tag_field="type", tag="achievement_turned"):
    """A completed Achievement became an Ingredient or an Action, or found no room."""

    seat: Seat
    card: int
    to: Literal["kitchen", "hand", "pile"]


class RowCleared(Value, frozen=True, tag_field="type", tag="row_cleared"):
    """The face-up Achievements went to the bottom of the pile."""

    cards: Cards


class SeatResigned(Value, frozen=True, tag_field="type", tag="seat_resigned"):
    """A seat left the contest: what it held went to the Trash."""

    seat: Seat
    hand: Cards
    kitchen: Cards
    aside: Cards


class GameEnded(Value, frozen=True, tag_field="type", tag="game_ended"):
    """The contest is over: the scores of the seats still in, the winners, and all seats ranked in groups."""

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
