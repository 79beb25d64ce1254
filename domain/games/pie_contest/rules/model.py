"""The state of a match, and the view of it for a seat or a spectator."""

from typing import Literal

import msgspec
from msgspec import UNSET, UnsetType

from domain.games.pie_contest.rules.moves import Options
from domain.games.pie_contest.rules.parts import ROW_SIZE, Cards, DeedKind, Kind, Phase, Reason, SeatScore, Stage, Step
from domain.kernel.game import Seat
from domain.kernel.values import Value


class Cause(Value, frozen=True):
    """Why a Pie got a value: given by a position, baked, gone stale by a seat's Bake, or changed by a card."""

    why: Literal["given", "baked", "stale", "changed"]
    seat: Seat
    card: int | None = None


class Pie(Value, frozen=True):
    """A baked Pie: its cards, its value when baked, and all its values so far with the cause of each.

    A Pie from a position document has no cards.
    """

    cards: Cards
    total: int
    values: tuple[int, ...]
    causes: tuple[Cause, ...]

    @property
    def value(self) -> int:
        """Return the current value."""
        return self.values[-1]


class Baker(Value, frozen=True):
    """A seat's hand (ascending), Kitchen (in order of arrival) and Pies."""

    hand: Cards = ()
    kitchen: Cards = ()
    pies: tuple[Pie, ...] = ()


class Slot(Value, frozen=True):
    """A slot of the row: its Achievement, and the number of deeds in this turn before it was revealed (H4)."""

    card: int | None = None
    since: int = 0


class Deed(Value, frozen=True):
    """Something a seat did this turn (H3): with the card played or taken in a dive, or a Bake's cards and total."""

    seat: Seat
    deed: DeedKind
    card: int | None = None
    cards: Cards = ()
    total: int | None = None


class Question(Value, frozen=True):
    """An open choice of a seat: pick `count` of the options."""

    seat: Seat
    kind: Kind
    options: tuple[str, ...]
    count: int


class Commit(Value, frozen=True):
    """The card that a seat has picked for Potluck."""

    seat: Seat
    card: int


class Result(Value, frozen=True):
    """The result of the contest."""

    why: Reason
    scores: tuple[SeatScore, ...]
    winners: tuple[Seat, ...]
    ranking: tuple[tuple[Seat, ...], ...]


EMPTY_ROW = (Slot(),) * ROW_SIZE


class State(Value, frozen=True, kw_only=True):
    """The state of a match (section 4.1). The Pantry and the pile start with the top card, the Trash with the oldest.

    `turning` holds completed Achievements that have not turned yet, and `aside` the cards that `searcher` is looking
    at, in the order drawn. `choices` and `commits` are sorted by seat.
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
        """Return the phase (4.2)."""
        if self.result:
            return "over"
        if self.choices:
            return "choice"
        return "trim" if self.to_trim else "main"

    @property
    def live(self) -> tuple[Seat, ...]:
        """Return the seats that have not resigned, ascending."""
        return tuple(seat for seat in range(len(self.seats)) if seat not in self.out)

    @property
    def live_seats_in_order(self) -> tuple[Seat, ...]:
        """Return the live seats from the active seat to the left (4.1)."""
        count = len(self.seats)
        order = ((self.active - n) % count for n in range(count))
        return tuple(seat for seat in order if seat not in self.out)

    def other_live_seats(self, seat: Seat) -> tuple[Seat, ...]:
        """Return all live seats except this one, ascending."""
        return tuple(other for other in self.live if other != seat)

    def question(self, seat: Seat) -> Question | None:
        """Return the open choice of a seat, or None."""
        return next((question for question in self.choices if question.seat == seat), None)


class SeenBaker(Value, frozen=True, kw_only=True):
    """What a viewer sees of a seat. Another seat's hand shows only the number of cards and its turned Achievements.

    `worth` is the shown worth of the Kitchen. `if_baked` is the value of a Pie baked now, null if that is not possible.
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
    """An open choice. Only the seat that must choose sees the options."""

    seat: Seat
    kind: Kind
    options: tuple[str, ...] | UnsetType = UNSET
    count: int


class SeenCommit(Value, frozen=True):
    """The fact that a seat has picked a card for Potluck. Only this seat sees which card."""

    seat: Seat
    card: int | UnsetType = UNSET


class View(Value, frozen=True, kw_only=True):
    """What a seat or a spectator may see (section 7). Once the contest is over, nothing is hidden."""

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
        """Return the open choice of a seat, or None."""
        return next((question for question in self.choices if question.seat == seat), None)
