"""What there is: cards, options, moves, facts, the state and the view.

The order of the fields is the order in the log and in the API (rules, section 5). In facts and views alike, what a
reader may not see is left out; where a count stands for a list of cards, the rules say so. Hence the optional fields.
"""

import re
from collections.abc import Iterable
from typing import Annotated, Literal, get_args

import msgspec
from msgspec import UNSET, Meta, UnsetType
from msgspec.structs import force_setattr

from domain.games.pie_contest.rules.card_language import Arg
from domain.games.pie_contest.rules.components import LAST_CARD
from domain.kernel.game import Seat
from domain.kernel.values import Value

START_HAND = 5  # S5
ROW_SIZE = 3  # S6
HAND_LIMIT = 7  # T7
STALE_LOSS = 4  # B4
MIN_TO_BAKE = 3  # B1
MAX_GRANTED = 5  # R12
GRAND_BONUS = 3  # H5
PIES_TO_END = 3  # V1
GRAND_PIES_TO_END = 4  # V2
GRAND_PIES_COUNTED = 3  # 8.2
MAX_SEATS = 8  # R51

Card = Annotated[int, Meta(ge=1, le=LAST_CARD)]
"""The id of a card."""
Cards = tuple[int, ...]
Variant = Literal["standard", "grand"]
Stage = Literal["open", "acted"]
Phase = Literal["main", "choice", "trim", "over"]
Reason = Literal["all_baked", "third_pie", "all_have_four", "last_seat", "closing_time"]
Zone = Literal["hand", "pile"]
Kind = Literal[
    "swap", "steal_ing", "trash_ing", "salvage", "stock", "take_back", "search_keep", "trash_hand", "pass_hand",
    "steal_card", "give_ing", "pie", "may_bake", "order_effect", "order_achievement",
]  # fmt: skip
Why = Literal["no_target", "kitchen_full", "not_your_turn", "limit", "pantry_empty"]
DeedKind = Literal["play", "dive", "swap", "steal", "raid", "bake"]
SeatKey = Literal["0", "1", "2", "3", "4", "5", "6", "7"]
SEAT_KEYS: tuple[SeatKey, ...] = get_args(SeatKey)


def known_card(card: int | UnsetType) -> Cards:
    """The card if the reader knows it, nothing otherwise."""
    return () if isinstance(card, UnsetType) else (card,)


def visible_cards(cards: Cards | UnsetType) -> Cards:
    """The cards if the reader sees them, nothing otherwise."""
    return () if isinstance(cards, UnsetType) else cards


def by_seat(things: Iterable[Cards]) -> dict[SeatKey, Cards]:
    """One thing for each seat, keyed as on the wire."""
    return dict(zip(SEAT_KEYS, things, strict=False))


# -- options ------------------------------------------------------------------------------------------------------

BAKERS = ("Ana", "Ben", "Cleo", "Dora", "Emil", "Fay", "Gus", "Hana")
"""The seats' names."""


class Options(Value, frozen=True, forbid_unknown_fields=True):
    """Section 11. `pies_for_all` and `closing_round` null: by the number of seats and the variant."""

    variant: Variant = "standard"
    pies_for_all: Annotated[int, Meta(ge=1, le=3)] | None = None
    first_seat: Literal["random"] | Annotated[int, Meta(ge=0, lt=MAX_SEATS)] = "random"
    dive_own: bool = True
    pie_floor: Literal["none", "zero"] = "none"
    tie_break: Literal["shared", "next_best"] = "shared"
    closing_round: Annotated[int, Meta(ge=10, le=500)] | None = None

    def resolved(self, seats: int) -> "Options":
        """The same with numbers for what was left open (R50, section 10)."""
        return msgspec.structs.replace(
            self,
            pies_for_all=self.pies_for_all or (1 if seats >= 4 else 2),
            closing_round=self.closing_round or (200 if self.variant == "grand" else 80),
        )


# -- moves --------------------------------------------------------------------------------------------------------

OptionKey = Annotated[str, Meta(max_length=40)]
"""An answer to a question: `card:12`, `pair:3/40`, `pie:1.2`, `yes` ..."""
NUMBER = re.compile(r"[0-9]+")


def option_sort_key(key: str) -> tuple[tuple[int, ...], str]:
    """Q4 Option keys sort by the numbers in them, left to right."""
    return tuple(int(digits) for digits in NUMBER.findall(key)), key


class PlayCard(Value, frozen=True, tag_field="type", tag="play_card", forbid_unknown_fields=True):
    """Play a card of the hand (T3, T4)."""

    card: Card


class Dive(Value, frozen=True, tag_field="type", tag="dive", forbid_unknown_fields=True):
    """Trash two cards of the hand, then take one card of the Trash (T5). The two may be named in any order."""

    trash: tuple[Card, ...]
    take: Card

    def __post_init__(self) -> None:
        if len(self.trash) != 2 or self.trash[0] > self.trash[1]:  # there are thousands to list, all in order
            force_setattr(self, "trash", tuple(sorted(self.trash)))


class Pass(Value, frozen=True, tag_field="type", tag="pass", forbid_unknown_fields=True):
    """Play nothing more this turn (T6)."""


class TrimHand(Value, frozen=True, tag_field="type", tag="trim_hand", forbid_unknown_fields=True):
    """Trash down to seven cards (T7), named in any order."""

    cards: tuple[Card, ...]

    def __post_init__(self) -> None:
        force_setattr(self, "cards", tuple(sorted(self.cards)))


class Choose(Value, frozen=True, tag_field="type", tag="choose", forbid_unknown_fields=True):
    """Answer the question that is open to this seat (Q1, H2). Several picks may be named in any order."""

    picks: tuple[OptionKey, ...]

    def __post_init__(self) -> None:
        if len(self.picks) > 1:
            force_setattr(self, "picks", tuple(sorted(self.picks, key=option_sort_key)))


class Resign(Value, frozen=True, tag_field="type", tag="resign", forbid_unknown_fields=True):
    """Leave the contest (V3)."""


Move = PlayCard | Dive | Pass | TrimHand | Choose | Resign


# -- parts of facts and of the state ------------------------------------------------------------------------------


class Step(Value, frozen=True):
    """An effect that waits its turn: whose it is, what it does, and the card that caused it (4.6)."""

    seat: Seat
    op: str
    args: tuple[Arg, ...]
    src: int


class PieChange(Value, frozen=True):
    """The value of a Pie before and after."""

    seat: Seat
    pie: int
    from_: int = msgspec.field(name="from")
    to: int


class HandMove(Value, frozen=True, kw_only=True):
    """A card of Potluck on its way; `card` is for giver and receiver, and for all when it goes to the pile."""

    from_: Seat = msgspec.field(name="from")
    to: Seat
    card: int | UnsetType = UNSET
    zone: Zone


class SeatScore(Value, frozen=True):
    """The score of a seat, null without a Pie, and the numbers of the Pies that it comes from."""

    seat: Seat
    score: int | None
    counted: tuple[int, ...]


# -- facts --------------------------------------------------------------------------------------------------------


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
    GameStarted
    | PositionSet
    | PantryShuffled
    | AchievementsShuffled
    | FirstSeatChosen
    | HandsDealt
    | AchievementRevealed
    | TurnBegan
    | TurnEnded
    | CardDrawn
    | DrawMissed
    | PantryRestocked
    | IngredientPlayed
    | ActionPlayed
    | DumpsterDived
    | TurnPassed
    | TrimDue
    | HandTrimmed
    | StepsQueued
    | StepStarted
    | StepFizzled
    | ChoiceAsked
    | ChoiceMade
    | ExtraPlayGranted
    | BakeFailed
    | BakeDeclined
    | PieBaked
    | PiesStaled
    | PiesChanged
    | IngredientsSwapped
    | IngredientStolen
    | IngredientTrashed
    | IngredientGiven
    | IngredientTakenBack
    | IngredientStocked
    | CardSalvaged
    | CardForaged
    | CardLookedAt
    | SearchFinished
    | CardStolen
    | CardsTrashed
    | HandsPassed
    | AchievementCompleted
    | AchievementTurned
    | RowCleared
    | SeatResigned
    | GameEnded
)


# -- state and view -----------------------------------------------------------------------------------------------


class Cause(Value, frozen=True):
    """Why a Pie got a value: it was baked, went stale by a seat's Bake, or a card changed it; or it was given so."""

    why: Literal["given", "baked", "stale", "changed"]
    seat: Seat
    card: int | None = None


class Pie(Value, frozen=True):
    """A baked Pie: its cards, its value as baked, and its values up to now with the cause of each.

    A Pie of a set position has no cards and the value that was given.
    """

    cards: Cards
    total: int
    values: tuple[int, ...]
    causes: tuple[Cause, ...]

    @property
    def value(self) -> int:
        """What it is worth now."""
        return self.values[-1]


class Baker(Value, frozen=True):
    """A seat: its hand, ascending, its Kitchen in order of arrival, its Pies."""

    hand: Cards = ()
    kitchen: Cards = ()
    pies: tuple[Pie, ...] = ()


class Slot(Value, frozen=True):
    """A place of the row: the Achievement in it, and how many deeds of this turn came before it (H4)."""

    card: int | None = None
    since: int = 0


class Deed(Value, frozen=True):
    """What a seat did this turn (H3): the card played or taken by a dive; of a Bake its cards and total."""

    seat: Seat
    deed: DeedKind
    card: int | None = None
    cards: Cards = ()
    total: int | None = None


class Question(Value, frozen=True):
    """A choice that is open to a seat: pick so many of the options."""

    seat: Seat
    kind: Kind
    options: tuple[str, ...]
    count: int


class Commit(Value, frozen=True):
    """The card that a seat has picked for Potluck."""

    seat: Seat
    card: int


class Result(Value, frozen=True):
    """How it ended."""

    why: Reason
    scores: tuple[SeatScore, ...]
    winners: tuple[Seat, ...]
    ranking: tuple[tuple[Seat, ...], ...]


EMPTY_ROW = (Slot(),) * ROW_SIZE


class State(Value, frozen=True, kw_only=True):
    """Section 4.1. The Pantry and the pile are top first, the Trash oldest first.

    `turning` holds completed Achievements that have not turned yet; `aside` the cards that `searcher` looks at, in
    this order; `choices` and `commits` are by seat, ascending.
    """

    options: Options = Options()
    seats: tuple[Baker, ...] = ()
    pantry: Cards = ()
    trash: Cards = ()
    pile: Cards = ()
    row: tuple[Slot, ...] = EMPTY_ROW
    turned: dict[str, Seat] = msgspec.field(default_factory=dict)
    turning: Cards = ()
    aside: Cards = ()
    searcher: Seat | None = None
    deeds: tuple[Deed, ...] = ()
    locked: Cards = ()
    agenda: tuple[Step, ...] = ()
    choices: tuple[Question, ...] = ()
    commits: tuple[Commit, ...] = ()
    turn: int = 0
    active: Seat = 0
    stage: Stage = "open"
    plays_left: int = 0
    acts_made: int = 0
    granted: int = 0
    trimming: bool = False
    to_trim: int = 0
    out: tuple[Seat, ...] = ()
    result: Result | None = None

    @property
    def phase(self) -> Phase:
        """4.2"""
        if self.result:
            return "over"
        if self.choices:
            return "choice"
        return "trim" if self.to_trim else "main"

    @property
    def live(self) -> tuple[Seat, ...]:
        """The seats that have not resigned, ascending."""
        return tuple(seat for seat in range(len(self.seats)) if seat not in self.out)

    @property
    def live_seats_in_order(self) -> tuple[Seat, ...]:
        """The live seats from the active one to the left (4.1)."""
        count = len(self.seats)
        order = ((self.active - n) % count for n in range(count))
        return tuple(seat for seat in order if seat not in self.out)

    def other_live_seats(self, seat: Seat) -> tuple[Seat, ...]:
        """The other live seats, ascending."""
        return tuple(other for other in self.live if other != seat)

    def question(self, seat: Seat) -> Question | None:
        """The choice that is open to a seat."""
        return next((question for question in self.choices if question.seat == seat), None)


class SeenBaker(Value, frozen=True, kw_only=True):
    """What a reader sees of a seat: the own hand, of others' the number and the turned Achievements in it.

    `worth` is the Kitchen's shown worth, `if_baked` the value of the Pie that a Bake would make now, null if it cannot.
    """

    hand: Cards | UnsetType = UNSET
    hand_count: int
    turned_in_hand: Cards
    kitchen: Cards
    worths: tuple[int, ...]
    worth: int
    if_baked: int | None
    pies: tuple[Pie, ...]
    out: bool


class SeenQuestion(Value, frozen=True, kw_only=True):
    """An open choice; the options are for the seat that is asked."""

    seat: Seat
    kind: Kind
    options: tuple[str, ...] | UnsetType = UNSET
    count: int


class SeenCommit(Value, frozen=True):
    """That a seat has picked a card for Potluck; which, only it sees."""

    seat: Seat
    card: int | UnsetType = UNSET


class View(Value, frozen=True, kw_only=True):
    """What a seat or a spectator may see (section 7). Nothing is left out once the contest is over."""

    options: Options
    seats: tuple[SeenBaker, ...]
    pantry: Cards | UnsetType = UNSET
    pantry_count: int
    trash: Cards
    pile: Cards | UnsetType = UNSET
    pile_count: int
    row: tuple[Slot, ...]
    turned: dict[str, Seat]
    turning: Cards
    aside: Cards | UnsetType = UNSET
    aside_count: int
    searcher: Seat | None
    deeds: tuple[Deed, ...]
    locked: Cards
    agenda: tuple[Step, ...]
    choices: tuple[SeenQuestion, ...]
    commits: tuple[SeenCommit, ...]
    turn: int
    active: Seat
    stage: Stage
    plays_left: int
    acts_made: int
    granted: int
    trimming: bool
    to_trim: int
    out: tuple[Seat, ...]
    phase: Phase
    to_move: tuple[Seat, ...]
    scores: tuple[int | None, ...]
    result: Result | None

    def question(self, seat: Seat | None) -> SeenQuestion | None:
        """The choice that is open to a seat."""
        return next((question for question in self.choices if question.seat == seat), None)
