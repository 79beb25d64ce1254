"""The state of a game, and the view of it that a seat gets."""

from typing import Literal

import msgspec
from msgspec import UNSET, UnsetType

from domain.games.pie_contest.rules.moves import Options
from domain.games.pie_contest.rules.parts import ROW_SIZE, Cards, DeedKind, Kind, Phase, Reason, SeatScore, Stage, Step
from domain.kernel.game import Seat
from domain.kernel.values import Value


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
