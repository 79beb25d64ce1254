"""What there is: seats, squares, cards, options, moves, facts, the state and the view.

The order of the fields is the order in the log and in the API (rules, section 5.4). What a reader may not see is left
out of what that reader gets, key and all; hence the fields that may be `UNSET`.
"""

from collections.abc import Iterator, Sequence
from typing import Annotated, Generic, Literal, TypeVar, get_args

import msgspec
from msgspec import UNSET, UnsetType

from domain.kernel.game import Seat
from domain.kernel.values import Value

T = TypeVar("T")

Square = tuple[int, int]
"""A tile as (row, column), (0, 0) in the north-west."""
Card = str
"""The id of a player card, such as `fwd_1` or `if_05`; which there are stands in the components."""
Facing = Literal["N", "E", "S", "W"]
Quadrant = Literal["NW", "NE", "SE", "SW"]
Motion = Literal["forward", "backward", "jump"]
Turning = Literal["left", "right", "around"]
Command = Literal["forward", "backward", "left", "right", "around", "jump"]
Obstacle = Literal["edge", "wall", "baker"]
IfResult = Literal["met", "unmet", "declined"]
Touch = Literal["entered", "jumped"]
Arrangement = Literal["dealt", "agreed", "fallback"]
Reason = Literal["baked", "closed", "last_baker"]
Phase = Literal["placement", "turn", "finished"]
Ingredient = Literal[
    "flour", "sugar", "eggs", "butter", "milk", "cream", "chocolate", "berries", "nuts", "spice"
]  # fmt: skip

QUADRANTS: tuple[Quadrant, ...] = get_args(Quadrant)
"""The quadrants clockwise, the order of every list of them."""
INGREDIENTS: tuple[Ingredient, ...] = get_args(Ingredient)
COLOURS = ("red", "blue", "green", "yellow")
BOARD_SIZE = 10  # rows and columns of the board
HAND_SIZE = 5  # W4
MAX_SWAPPED = 3  # W1
MAX_SEATS = 4  # R1


class Tokens(Value, frozen=True, forbid_unknown_fields=True):
    """Where the token of each ingredient lies; those that a recipe does not need are left out."""

    flour: Square | UnsetType = UNSET
    sugar: Square | UnsetType = UNSET
    eggs: Square | UnsetType = UNSET
    butter: Square | UnsetType = UNSET
    milk: Square | UnsetType = UNSET
    cream: Square | UnsetType = UNSET
    chocolate: Square | UnsetType = UNSET
    berries: Square | UnsetType = UNSET
    nuts: Square | UnsetType = UNSET
    spice: Square | UnsetType = UNSET

    def items(self) -> Iterator[tuple[Ingredient, Square]]:
        """Ingredient and place of every token, in table order."""
        for ingredient in INGREDIENTS:
            at: Square | UnsetType = getattr(self, ingredient)
            if at is not UNSET:
                yield ingredient, at


class BySeat(Value, Generic[T], frozen=True, forbid_unknown_fields=True):
    """One thing for each of some seats; in JSON a map from "0" to "3"."""

    red: T | UnsetType = msgspec.field(default=UNSET, name="0")
    blue: T | UnsetType = msgspec.field(default=UNSET, name="1")
    green: T | UnsetType = msgspec.field(default=UNSET, name="2")
    yellow: T | UnsetType = msgspec.field(default=UNSET, name="3")

    @classmethod
    def from_list(cls, things: Sequence[T | UnsetType]) -> "BySeat[T]":
        """The thing at index n for seat n."""
        return cls(*things)

    def of(self, seat: Seat) -> T | UnsetType:
        """The one of that seat, UNSET if there is none."""
        thing: T | UnsetType = getattr(self, COLOURS[seat])
        return thing

    def values(self) -> tuple[T | UnsetType, ...]:
        """All four, absent ones as UNSET."""
        return self.red, self.blue, self.green, self.yellow


# -- options ------------------------------------------------------------------------------------------------------

RecipeId = Literal[
    "rec_01", "rec_02", "rec_03", "rec_04", "rec_05", "rec_06", "rec_07", "rec_08", "rec_09", "rec_10", "rec_11",
    "rec_12",
]  # fmt: skip
RECIPE_IDS: tuple[RecipeId, ...] = get_args(RecipeId)


class Options(Value, frozen=True, forbid_unknown_fields=True):
    """Section 11. Positions come in a document of their own, not as an option."""

    first_player: Literal["random"] | Annotated[int, msgspec.Meta(ge=0, lt=MAX_SEATS)] = "random"
    recipe: Literal["random"] | RecipeId = "random"
    placement: Literal["dealt", "agreed"] = "dealt"
    jump_touches: bool = True
    nested_repeats: bool = True
    may_decline_if: bool = True
    allow_keep: bool = True
    open_hands: bool = False
    round_limit: Annotated[int, msgspec.Meta(ge=10, le=500)] = 100
    closing: Literal["ranked", "no_winner"] = "ranked"


# -- moves --------------------------------------------------------------------------------------------------------


class Step(Value, frozen=True, forbid_unknown_fields=True):
    """One card of a program: `span` on a Repeat says how many cards it repeats, `decline` leaves an If unused."""

    card: Card
    span: int | None = None
    decline: bool = False


class RunProgram(Value, frozen=True, tag_field="type", tag="run_program", forbid_unknown_fields=True):
    """Lay one to five cards face up and run them from left to right."""

    steps: tuple[Step, ...]


class SwapCards(Value, frozen=True, tag_field="type", tag="swap_cards", forbid_unknown_fields=True):
    """Discard up to three cards and draw as many; none is a pass that keeps the hand."""

    cards: tuple[Card, ...]


class Resign(Value, frozen=True, tag_field="type", tag="resign", forbid_unknown_fields=True):
    """Give the game up."""


class AcceptPlacement(
    msgspec.Struct, frozen=True, tag_field="type", tag="accept_placement", forbid_unknown_fields=True
):
    """Agree to the arrangement of tokens that is proposed."""


class ProposePlacement(
    msgspec.Struct, frozen=True, tag_field="type", tag="propose_placement", forbid_unknown_fields=True
):
    """Propose another arrangement of the recipe's tokens on the ingredient tiles."""

    tokens: dict[str, Square]


class RejectPlacement(
    msgspec.Struct, frozen=True, tag_field="type", tag="reject_placement", forbid_unknown_fields=True
):
    """Give up agreeing: the tokens lie as they were dealt."""


Move = RunProgram | SwapCards | AcceptPlacement | ProposePlacement | RejectPlacement | Resign


# -- facts --------------------------------------------------------------------------------------------------------


class Laid(Value, frozen=True, forbid_unknown_fields=True):
    """A board section in a quadrant, turned clockwise by so many quarter turns."""

    quadrant: Quadrant
    section: str
    rotation: int


class Placed(Value, frozen=True):
    """Where a baker starts."""

    seat: Seat
    at: Square
    facing: Facing


class BakerSet(Value, frozen=True):
    """A baker in a position document; `at` and `facing` are null for a resigned seat."""

    at: Square | None
    facing: Facing | None
    collected: tuple[Ingredient, ...]
    last: int


class FirstPlayerChosen(Value, frozen=True, tag_field="type", tag="first_player_chosen"):
    """Who begins; with the options of the match, if they are not the defaults."""

    seat: Seat
    options: Options | UnsetType = UNSET


class BoardLaid(Value, frozen=True, tag_field="type", tag="board_laid"):
    """The four sections of the board."""

    layout: tuple[Laid, ...]


class BakersPlaced(Value, frozen=True, tag_field="type", tag="bakers_placed"):
    """The bakers stand on their start corners."""

    bakers: tuple[Placed, ...]


class RecipeDrawn(Value, frozen=True, tag_field="type", tag="recipe_drawn"):
    """The recipe of the match."""

    recipe: str
    ingredients: tuple[Ingredient, ...]


class PlacementProposed(Value, frozen=True, tag_field="type", tag="placement_proposed"):
    """An arrangement of the tokens is proposed; by nobody when it is the dealt one."""

    seat: Seat | None
    tokens: Tokens


class PlacementAccepted(Value, frozen=True, tag_field="type", tag="placement_accepted"):
    """A seat agrees to the standing proposal."""

    seat: Seat


class PlacementRejected(Value, frozen=True, tag_field="type", tag="placement_rejected"):
    """A seat gives up agreeing."""

    seat: Seat


class TokensPlaced(Value, frozen=True, tag_field="type", tag="tokens_placed"):
    """The tokens lie on the board."""

    tokens: Tokens
    how: Arrangement


class FeaturedDeckShuffled(Value, frozen=True, tag_field="type", tag="featured_deck_shuffled"):
    """The featured items are shuffled. Their order is hidden from everyone until the end."""

    count: int
    order: tuple[str, ...] | UnsetType = UNSET


class FeaturedItemDrawn(Value, frozen=True, tag_field="type", tag="featured_item_drawn"):
    """The bakery features another item."""

    card: str
    replaced: str | None


class FeaturedDeckReplenished(Value, frozen=True, tag_field="type", tag="featured_deck_replenished"):
    """The featured deck ran out: its discard pile is shuffled into a new one."""

    count: int
    order: tuple[str, ...] | UnsetType = UNSET


class PlayerDeckShuffled(Value, frozen=True, tag_field="type", tag="player_deck_shuffled"):
    """The player cards are shuffled. Their order is hidden from everyone until the end."""

    count: int
    order: tuple[Card, ...] | UnsetType = UNSET


class CardsDealt(Value, frozen=True, tag_field="type", tag="cards_dealt"):
    """A seat got its first hand, which it alone sees."""

    seat: Seat
    count: int
    cards: tuple[Card, ...] | UnsetType = UNSET


class PositionSet(Value, frozen=True, tag_field="type", tag="position_set"):
    """The match begins from this position instead; with its options, if they are not the defaults."""

    seats: int
    layout: tuple[tuple[str, int], ...]
    recipe: str
    tokens: Tokens
    first: Seat
    acting: Seat
    round: int
    turn: int
    bakers: BySeat[BakerSet]
    out: tuple[Seat, ...]
    hands: BySeat[tuple[Card, ...]]
    deck: tuple[Card, ...] | UnsetType = UNSET
    discard: tuple[Card, ...] = ()
    featured: str = ""
    featured_deck: tuple[str, ...] | UnsetType = UNSET
    featured_discard: tuple[str, ...] = ()
    options: Options | UnsetType = UNSET


class TurnStarted(Value, frozen=True, tag_field="type", tag="turn_started"):
    """A seat acts."""

    seat: Seat
    turn: int
    round: int


class ProgramLaid(Value, frozen=True, tag_field="type", tag="program_laid"):
    """A seat laid its program face up."""

    seat: Seat
    steps: tuple[Step, ...]


class IfChecked(Value, frozen=True, tag_field="type", tag="if_checked"):
    """An If card was activated: its condition is met, unmet, or its owner declined."""

    seat: Seat
    step: int
    tick: int
    card: Card
    result: IfResult


class BakerMoved(Value, frozen=True, tag_field="type", tag="baker_moved"):
    """A baker entered a tile; `over` is the tile that it jumped."""

    seat: Seat
    step: int
    tick: int
    command: Motion
    from_: Square = msgspec.field(name="from")
    over: Square | None
    to: Square


class BakerBlocked(Value, frozen=True, tag_field="type", tag="baker_blocked"):
    """A command did not move the baker, which stays `at` its tile: what barred the tile to enter."""

    seat: Seat
    step: int
    tick: int
    command: Motion
    at: Square
    obstacle: Obstacle


class BakerTurned(Value, frozen=True, tag_field="type", tag="baker_turned"):
    """A baker turned on the spot and faces another way."""

    seat: Seat
    step: int
    tick: int
    command: Turning
    facing: Facing


class IngredientCollected(Value, frozen=True, tag_field="type", tag="ingredient_collected"):
    """A seat ticked an ingredient."""

    seat: Seat
    ingredient: Ingredient
    at: Square
    how: Touch


class PastryBaked(Value, frozen=True, tag_field="type", tag="pastry_baked"):
    """A seat with all ingredients touched the Oven."""

    seat: Seat
    at: Square


class CardsDiscarded(Value, frozen=True, tag_field="type", tag="cards_discarded"):
    """The cards of a program went to the discard pile."""

    seat: Seat
    cards: tuple[Card, ...]


class CardsSwapped(Value, frozen=True, tag_field="type", tag="cards_swapped"):
    """A seat put cards from its hand on the discard pile."""

    seat: Seat
    cards: tuple[Card, ...]


class CardsDrawn(Value, frozen=True, tag_field="type", tag="cards_drawn"):
    """A seat drew cards, which it alone sees."""

    seat: Seat
    count: int
    cards: tuple[Card, ...] | UnsetType = UNSET


class DeckReplenished(Value, frozen=True, tag_field="type", tag="deck_replenished"):
    """The deck ran out: the discard pile is shuffled into a new one."""

    count: int
    order: tuple[Card, ...] | UnsetType = UNSET


class TurnEnded(Value, frozen=True, tag_field="type", tag="turn_ended"):
    """A turn is over."""

    seat: Seat
    turn: int


class RoundEnded(Value, frozen=True, tag_field="type", tag="round_ended"):
    """Everyone has had a turn."""

    round: int


class BakeryClosed(Value, frozen=True, tag_field="type", tag="bakery_closed"):
    """The last round is over and nobody has baked."""

    round: int


class SeatResigned(Value, frozen=True, tag_field="type", tag="seat_resigned"):
    """A seat gave the game up; its hand went to the discard pile."""

    seat: Seat
    cards: tuple[Card, ...]


class GameEnded(Value, frozen=True, tag_field="type", tag="game_ended"):
    """The game is over: why, who won, the tiers of seats from the best on, and the score of each seat."""

    reason: Reason
    winners: tuple[Seat, ...]
    ranking: tuple[tuple[Seat, ...], ...]
    scores: tuple[int, ...]


MotionFact = IfChecked | BakerMoved | BakerBlocked | BakerTurned | IngredientCollected | PastryBaked
"""What happens while a program runs."""

Fact = (
    FirstPlayerChosen
    | BoardLaid
    | BakersPlaced
    | RecipeDrawn
    | PlacementProposed
    | PlacementAccepted
    | PlacementRejected
    | TokensPlaced
    | FeaturedDeckShuffled
    | FeaturedItemDrawn
    | FeaturedDeckReplenished
    | PlayerDeckShuffled
    | CardsDealt
    | PositionSet
    | TurnStarted
    | ProgramLaid
    | IfChecked
    | BakerMoved
    | BakerBlocked
    | BakerTurned
    | IngredientCollected
    | PastryBaked
    | CardsDiscarded
    | CardsSwapped
    | CardsDrawn
    | DeckReplenished
    | TurnEnded
    | RoundEnded
    | BakeryClosed
    | SeatResigned
    | GameEnded
)


# -- state and view -----------------------------------------------------------------------------------------------


class Baker(Value, frozen=True):
    """A baker: its place (null off the board), what it has ticked, in which turn last, and whether it baked."""

    at: Square | None
    facing: Facing | None
    collected: tuple[Ingredient, ...] = ()
    last: int = 0
    baked: bool = False


class Talks(Value, frozen=True):
    """Where the agreement on a placement stands (section 4)."""

    dealt: Tokens
    standing: Tokens
    by: Seat | None
    accepted: tuple[Seat, ...]
    proposed: tuple[Seat, ...]
    asked: Seat | None


class Result(Value, frozen=True):
    """The fields of `game_ended`, as state and view keep them."""

    reason: Reason
    winners: tuple[Seat, ...]
    ranking: tuple[tuple[Seat, ...], ...]
    scores: tuple[int, ...]


class State(Value, frozen=True):
    """Enough to fold and to go on. Index n of `bakers` and `hands` belongs to seat n."""

    phase: Phase = "turn"
    options: Options = Options()
    seats: int = 0
    first: Seat = 0
    acting: Seat | None = None
    round: int = 0
    turn: int = 0
    layout: tuple[Laid, ...] = ()
    recipe: str | None = None
    tokens: Tokens = Tokens()
    talks: Talks | None = None
    bakers: tuple[Baker, ...] = ()
    out: tuple[Seat, ...] = ()
    hands: tuple[tuple[Card, ...], ...] = ()
    laid: tuple[Card, ...] = ()
    deck: tuple[Card, ...] = ()
    discard: tuple[Card, ...] = ()
    featured: str | None = None
    featured_deck: tuple[str, ...] = ()
    featured_discard: tuple[str, ...] = ()
    result: Result | None = None


class Pile(Value, frozen=True):
    """A face-down deck: how many cards, and which, top first, once the game is over."""

    count: int
    order: tuple[str, ...] | UnsetType = UNSET


class HandSeen(Value, frozen=True):
    """A hand: how many cards, and which for those who may see them."""

    count: int
    cards: tuple[Card, ...] | UnsetType = UNSET


class SwapRange(Value, frozen=True):
    """How many cards may be swapped."""

    min: int
    max: int


class LegalMoves(Value, frozen=True):
    """A summary of what the viewer may do (section 5.5); empty for who may do nothing."""

    run_program: bool | UnsetType = UNSET
    swap_cards: SwapRange | UnsetType = UNSET
    accept_placement: bool | UnsetType = UNSET
    propose_placement: bool | UnsetType = UNSET
    reject_placement: bool | UnsetType = UNSET
    resign: bool | UnsetType = UNSET


class View(Value, frozen=True):
    """What a seat or a spectator may see (section 7)."""

    phase: Phase
    round: int
    turn: int
    options: Options
    seats: int
    first: Seat
    acting: Seat | None
    layout: tuple[Laid, ...]
    recipe: str | None
    tokens: Tokens
    talks: Talks | None
    bakers: tuple[Baker, ...]
    out: tuple[Seat, ...]
    hands: tuple[HandSeen, ...]
    laid: tuple[Card, ...]
    deck: Pile
    discard: tuple[Card, ...]
    featured: str | None
    featured_deck: Pile
    featured_discard: tuple[str, ...]
    legal_moves: LegalMoves
    result: Result | None
    to_move: tuple[Seat, ...]
    scores: tuple[int, ...]
