"""The facts: what a move or the set-up has done, chance included.

The order of the fields is the order in the log and in the API (rules, section 5.4). What a reader may not see is left
out of what that reader gets, key and all; hence the fields that may be `UNSET`.
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
