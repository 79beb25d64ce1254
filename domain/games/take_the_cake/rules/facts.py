"""The facts: the results of moves and set-up, including random draws.

The fields have the same order in the log and in the API (rules, section 5.4). A field that a reader may not see is
`UNSET` and omitted from the JSON.
"""

import msgspec
from msgspec import UNSET, UnsetType

from domain.games.take_the_cake.rules.moves import Options, Step
from domain.games.take_the_cake.rules.parts import (
    Arrangement,
    BakerSet,
    BySeat,
    Card,
    Facing,
    IfResult,
    Ingredient,
    Laid,
    Motion,
    Obstacle,
    Placed,
    Reason,
    Square,
    Tokens,
    Touch,
    Turning,
)
from domain.kernel.game import Seat
from domain.kernel.values import Value


class FirstPlayerChosen(Value, frozen=True, tag_field="type", tag="first_player_chosen"):
    """The first player, and the options of the match if they are not the defaults."""

    seat: Seat
    options: Options | UnsetType = UNSET


class BoardLaid(Value, frozen=True, tag_field="type", tag="board_laid"):
    """The board was made of four sections."""

    layout: tuple[Laid, ...]


class BakersPlaced(Value, frozen=True, tag_field="type", tag="bakers_placed"):
    """The bakers were placed on their start corners."""

    bakers: tuple[Placed, ...]


class RecipeDrawn(Value, frozen=True, tag_field="type", tag="recipe_drawn"):
    """The recipe was drawn or set by an option."""

    recipe: str
    ingredients: tuple[Ingredient, ...]


class PlacementProposed(Value, frozen=True, tag_field="type", tag="placement_proposed"):
    """An arrangement of the tokens was proposed. `seat` is null for the dealt one."""

    seat: Seat | None
    tokens: Tokens


class PlacementAccepted(Value, frozen=True, tag_field="type", tag="placement_accepted"):
    """A seat accepted the current proposal."""

    seat: Seat


class PlacementRejected(Value, frozen=True, tag_field="type", tag="placement_rejected"):
    """A seat rejected the current proposal, which ends the negotiation."""

    seat: Seat


class TokensPlaced(Value, frozen=True, tag_field="type", tag="tokens_placed"):
    """The tokens were placed on the board."""

    tokens: Tokens
    how: Arrangement


class FeaturedDeckShuffled(Value, frozen=True, tag_field="type", tag="featured_deck_shuffled"):
    """The featured items were shuffled. Their order is hidden from everyone until the end."""

    count: int
    order: tuple[str, ...] | UnsetType = UNSET


class FeaturedItemDrawn(Value, frozen=True, tag_field="type", tag="featured_item_drawn"):
    """Another item became the featured one."""

    card: str
    replaced: str | None


class FeaturedDeckReplenished(Value, frozen=True, tag_field="type", tag="featured_deck_replenished"):
    """The featured deck ran out, and its discard pile was shuffled into a new one."""

    count: int
    order: tuple[str, ...] | UnsetType = UNSET


class PlayerDeckShuffled(Value, frozen=True, tag_field="type", tag="player_deck_shuffled"):
    """The player cards were shuffled. Their order is hidden from everyone until the end."""

    count: int
    order: tuple[Card, ...] | UnsetType = UNSET


class CardsDealt(Value, frozen=True, tag_field="type", tag="cards_dealt"):
    """A seat was dealt its first hand, visible only to that seat."""

    seat: Seat
    count: int
    cards: tuple[Card, ...] | UnsetType = UNSET


class PositionSet(Value, frozen=True, tag_field="type", tag="position_set"):
    """The match started from this position. `options` is set if they are not the defaults."""

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
    """A seat began its turn."""

    seat: Seat
    turn: int
    round: int


class ProgramLaid(Value, frozen=True, tag_field="type", tag="program_laid"):
    """A seat laid out its program face up."""

    seat: Seat
    steps: tuple[Step, ...]


class IfChecked(Value, frozen=True, tag_field="type", tag="if_checked"):
    """An If card was activated: met, unmet or declined."""

    seat: Seat
    step: int
    tick: int
    card: Card
    result: IfResult


class BakerMoved(Value, frozen=True, tag_field="type", tag="baker_moved"):
    """A baker entered a tile. `over` is the tile that it jumped over."""

    seat: Seat
    step: int
    tick: int
    command: Motion
    from_: Square = msgspec.field(name="from")
    over: Square | None
    to: Square


class BakerBlocked(Value, frozen=True, tag_field="type", tag="baker_blocked"):
    """A command failed because of an obstacle on the tile to enter. The baker stays `at` its tile."""

    seat: Seat
    step: int
    tick: int
    command: Motion
    at: Square
    obstacle: Obstacle


class BakerTurned(Value, frozen=True, tag_field="type", tag="baker_turned"):
    """A baker turned on the spot. `facing` is the new direction."""

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
    """The cards of a program were discarded."""

    seat: Seat
    cards: tuple[Card, ...]


class CardsSwapped(Value, frozen=True, tag_field="type", tag="cards_swapped"):
    """A seat discarded cards from its hand for a swap."""

    seat: Seat
    cards: tuple[Card, ...]


class CardsDrawn(Value, frozen=True, tag_field="type", tag="cards_drawn"):
    """A seat drew cards, visible only to that seat."""

    seat: Seat
    count: int
    cards: tuple[Card, ...] | UnsetType = UNSET


class DeckReplenished(Value, frozen=True, tag_field="type", tag="deck_replenished"):
    """The deck ran out, and the discard pile was shuffled into a new one."""

    count: int
    order: tuple[Card, ...] | UnsetType = UNSET


class TurnEnded(Value, frozen=True, tag_field="type", tag="turn_ended"):
    """A turn ended."""

    seat: Seat
    turn: int


class RoundEnded(Value, frozen=True, tag_field="type", tag="round_ended"):
    """A round ended because every seat has had its turn."""

    round: int


class BakeryClosed(Value, frozen=True, tag_field="type", tag="bakery_closed"):
    """The last round ended and nobody has baked."""

    round: int


class SeatResigned(Value, frozen=True, tag_field="type", tag="seat_resigned"):
    """A seat resigned, and its hand went to the discard pile."""

    seat: Seat
    cards: tuple[Card, ...]


class GameEnded(Value, frozen=True, tag_field="type", tag="game_ended"):
    """The match ended: the reason, the winners, the ranking as tiers of seats (best first) and each seat's score."""

    reason: Reason
    winners: tuple[Seat, ...]
    ranking: tuple[tuple[Seat, ...], ...]
    scores: tuple[int, ...]


MotionFact = IfChecked | BakerMoved | BakerBlocked | BakerTurned | IngredientCollected | PastryBaked
"""The facts that a running program can cause."""
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
