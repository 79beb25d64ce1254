"""The state of a match, and the view that a seat or a spectator gets."""

from msgspec import UNSET, UnsetType

from domain.games.take_the_cake.rules.moves import Options
from domain.games.take_the_cake.rules.parts import Card, Facing, Ingredient, Laid, Phase, Reason, Square, Tokens
from domain.kernel.game import Seat
from domain.kernel.values import Value


class Baker(Value, frozen=True):
    """A baker: its tile (null off the board), ticked ingredients, the turn of the last one, and whether it baked."""

    at: Square | None
    facing: Facing | None
    collected: tuple[Ingredient, ...] = ()
    last: int = 0
    baked: bool = False


class Talks(Value, frozen=True):
    """The negotiation of a placement: dealt and current arrangement, and who accepted and proposed (section 4)."""

    dealt: Tokens
    standing: Tokens
    by: Seat | None
    accepted: tuple[Seat, ...]
    proposed: tuple[Seat, ...]
    asked: Seat | None


class Result(Value, frozen=True):
    """The fields of `game_ended`, as stored in state and view."""

    reason: Reason
    winners: tuple[Seat, ...]
    ranking: tuple[tuple[Seat, ...], ...]
    scores: tuple[int, ...]


class State(Value, frozen=True):
    """The full state. Index n of `bakers` and `hands` belongs to seat n."""

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
    """A face-down deck: its size, and its cards, top first, after the match has ended."""

    count: int
    order: tuple[str, ...] | UnsetType = UNSET


class HandSeen(Value, frozen=True):
    """A hand: its size, and its cards if the viewer can see them."""

    count: int
    cards: tuple[Card, ...] | UnsetType = UNSET


class SwapRange(Value, frozen=True):
    """The minimum and maximum number of cards to swap."""

    min: int
    max: int


class LegalMoves(Value, frozen=True):
    """A summary of the moves open to the viewer (section 5.5); empty if there are none."""

    run_program: bool | UnsetType = UNSET
    swap_cards: SwapRange | UnsetType = UNSET
    accept_placement: bool | UnsetType = UNSET
    propose_placement: bool | UnsetType = UNSET
    reject_placement: bool | UnsetType = UNSET
    resign: bool | UnsetType = UNSET


class View(Value, frozen=True):
    """The state as a seat or spectator sees it (section 7)."""

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
