"""The state of a game, and the view of it that a seat gets."""

from msgspec import UNSET, UnsetType

from domain.games.take_the_cake.rules.moves import Options
from domain.games.take_the_cake.rules.parts import Card, Facing, Ingredient, Laid, Phase, Reason, Square, Tokens
from domain.kernel.game import Seat
from domain.kernel.values import Value


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
