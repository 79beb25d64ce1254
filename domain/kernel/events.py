"""The events: the entries of a match's log.

An entry is a flat JSON object of whole numbers and texts, never a fraction. Its hash chain is in `hash_chain.py`, its
JSON in `event_codec.py`.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Any, Generic, Literal, TypeVar

from msgspec import UNSET, UnsetType

from domain.kernel.game import Outcome, Seat
from domain.kernel.values import Value

MoveT = TypeVar("MoveT")
FactT = TypeVar("FactT")


class PlannedSeat(Value, frozen=True):
    """What the creator planned for one seat. A private one is taken by invitation only."""

    kind: Literal["human", "bot", "open"]
    private: bool = False


class Fork(Value, frozen=True, kw_only=True):
    """Where a match was forked from: match and ply, with the hash of the event there.

    With `luck` "same" it draws from the key that belongs to the match `origin` and its `client_seeds`, with "new" from
    a key of its own. `draws` game events were behind it when it began.
    """

    match: str
    ply: int
    head: str
    luck: Literal["same", "new"]
    draws: int
    origin: str
    client_seeds: tuple[str, ...]


class TimeControl(Value, frozen=True, kw_only=True):
    """How long a seat may take, and what happens when its time is up.

    `per_move`: `seconds` for every move; `bank`: `seconds` for all moves together, and `increment` more with each one.
    At expiry the seat resigns, or a bot of `level` makes this move, or takes the seat over. Each seat may take
    `vacation` days; left out: none.
    """

    kind: Literal["per_move", "bank"]
    seconds: int
    increment: int = 0
    expiry: Literal["resigns", "bot_moves", "bot_takes_over"] = "resigns"
    level: str = "greedy"
    vacation: int | UnsetType = UNSET


class Event(Value, Generic[MoveT, FactT], frozen=True, kw_only=True, tag_field="kind", tag="event"):
    """What every event has.

    `ply` is its number from 1, `seat` who did it (None: the match itself), `at` the time in UTC, `move` what was asked
    and `facts` what it did to the game. `draw` is n of `kernel.chance.Drawn` for an event that decided something in the
    game, `first_fact` the number of facts in the match before this event's. `salt`, `prev` and `hash` seal it.
    """

    ply: int
    seat: Seat | None = None
    at: datetime
    move: MoveT | None = None
    facts: tuple[FactT, ...] = ()
    draw: int | None = None
    first_fact: int = 0
    salt: str | None = None
    prev: str | UnsetType = UNSET
    hash: str | UnsetType = UNSET


class SeatEvent(Event[MoveT, FactT], frozen=True, kw_only=True, tag="seat_event"):
    """An event that always has a seat."""

    seat: Seat


class Created(Event[MoveT, FactT], frozen=True, kw_only=True, tag="created"):
    """The match exists. Pins game, rules version, options and component data, and commits to the seed.

    A fork begins with the facts of the match that it comes from. What was wished for it: to be `rated`, to be `private`
    (in no list), and a `seating` by chance.
    """

    match: str
    game: str
    rules_version: int
    components: str
    options: dict[str, Any]
    position: dict[str, Any] | None
    seats: tuple[PlannedSeat, ...]
    creator: str
    commitment: str
    given: bool
    fork: Fork | UnsetType = UNSET
    clock: TimeControl | UnsetType = UNSET
    rated: bool | UnsetType = UNSET
    private: bool | UnsetType = UNSET
    seating: Literal["chance"] | UnsetType = UNSET


class SeatTaken(SeatEvent[MoveT, FactT], frozen=True, kw_only=True, tag="seat_taken"):
    """A player or a bot sits down; `client_seed` is its share of the luck, or the word `none`."""

    player: str | None
    level: str | None
    client_seed: str


class SeatLeft(SeatEvent[MoveT, FactT], frozen=True, kw_only=True, tag="seat_left"):
    """A player got up before the start; the seat is open again."""


class Started(Event[MoveT, FactT], frozen=True, kw_only=True, tag="started"):
    """All seats are taken and the game is set up (its facts); the client seeds in seat order.

    `order` where chance decided who sits where: for each seat, the one at which its player had sat down.
    """

    client_seeds: tuple[str, ...]
    order: tuple[Seat, ...] | UnsetType = UNSET


class Cause(Value, frozen=True, kw_only=True):
    """The standing order that the server made a move by: its id, and which kind.

    `forced`: public knowledge left the seat this one move; `move`: the seat had ordered it.
    """

    order: str
    kind: Literal["forced", "move"]


class Moved(SeatEvent[MoveT, FactT], frozen=True, kw_only=True, tag="moved"):
    """A seat's move was accepted. `cause` is there if the server made it by a standing order of the seat."""

    cause: Cause | UnsetType = UNSET


class Ended(Event[MoveT, FactT], frozen=True, kw_only=True, tag="ended"):
    """The game came to its end."""

    outcome: Outcome


class Cancelled(Event[MoveT, FactT], frozen=True, kw_only=True, tag="cancelled"):
    """The match was called off before it started, by who created it or (`reason`) because nobody came."""

    reason: Literal["abandoned"] | UnsetType = UNSET


class SeedRevealed(Event[MoveT, FactT], frozen=True, kw_only=True, tag="seed_revealed"):
    """The seed (hex): from here on everyone can check everything."""

    seed: str


Ground = Literal["draw", "move", "score", "clock", "other"]
"""What a dispute is about."""
Ruling = Literal["goes_on", "rolled_back", "stands", "result_of", "annulled"]
"""How an arbiter may resolve one."""


class Disputed(Event[MoveT, FactT], frozen=True, kw_only=True, tag="disputed"):
    """A seat (or an arbiter, who has none) disputes the ply `target`. The words are kept outside the log, where they
    can be erased; `claim` is their SHA-256."""

    target: int
    ground: Ground
    claim: str
    arbiter: str | None = None


class Audited(Event[MoveT, FactT], frozen=True, kw_only=True, tag="audited"):
    """An audit's verdict on a dispute (None: a routine audit that failed). If the match does not hold, then by which
    layer, at which ply, under which rule; never more while it runs."""

    dispute: int | None
    holds: bool
    layer: str | None
    at_ply: int | None
    rule: str | None


class Resolved(Event[MoveT, FactT], frozen=True, kw_only=True, tag="resolved"):
    """An arbiter's ruling on a dispute. `to_ply` is the ply that play goes back to or whose score counts, `outcome` the
    result by that score."""

    dispute: int
    ruling: Ruling
    to_ply: int | None
    outcome: Outcome | None
    arbiter: str


class Expired(SeatEvent[MoveT, FactT], frozen=True, kw_only=True, tag="expired"):
    """The time of the seat was up at `deadline`, and what the match chose for that happens: the seat resigns (its move
    follows at once), or a bot of `level` makes this move, or sits there from now on."""

    deadline: datetime
    consequence: Literal["resigns", "bot_moves", "bot_takes_over"]
    level: str | None


class Proposed(SeatEvent[MoveT, FactT], frozen=True, kw_only=True, tag="proposed"):
    """A seat asks all others for a pause, for `seconds` more time, to go back to behind `to_ply`, or to hand the seat
    `of` somebody who has vanished over: to a bot of `level`, or (left out) to whoever is invited."""

    what: Literal["pause", "extend", "takeback", "hand_over"]
    seconds: int | None
    to_ply: int | None
    of: Seat | UnsetType = UNSET
    level: str | UnsetType = UNSET


class Answered(SeatEvent[MoveT, FactT], frozen=True, kw_only=True, tag="answered"):
    """A seat agrees to a proposal (by its ply) or declines it; its own it withdraws so."""

    proposal: int
    agrees: bool


class Paused(SeatEvent[MoveT, FactT], frozen=True, kw_only=True, tag="paused"):
    """All clocks stand, as the proposal asked."""

    proposal: int


class Resumed(SeatEvent[MoveT, FactT], frozen=True, kw_only=True, tag="resumed"):
    """The clocks run again; a seat wished so."""


class Extended(SeatEvent[MoveT, FactT], frozen=True, kw_only=True, tag="extended"):
    """The seat has so many seconds more, as its proposal asked."""

    proposal: int
    seconds: int


class VacationTaken(SeatEvent[MoveT, FactT], frozen=True, kw_only=True, tag="vacation_taken"):
    """The seat's clock stands for so many days (behind a vacation not over yet); `left` it may still take."""

    days: int
    left: int


class SeatOffered(SeatEvent[MoveT, FactT], frozen=True, kw_only=True, tag="seat_offered"):
    """The seat may be taken over by who has the invitation. `by` offers it: its own person, or (`proposal`) another
    seat, with the consent of all others."""

    by: Seat
    proposal: int | None


class OfferWithdrawn(SeatEvent[MoveT, FactT], frozen=True, kw_only=True, tag="offer_withdrawn"):
    """The seat ends an offer (by its ply): its invitation is good for nothing any more."""

    offer: int


class HandedOver(SeatEvent[MoveT, FactT], frozen=True, kw_only=True, tag="handed_over"):
    """A player or a bot sits there from now on: by an `offer`, by a `proposal`, or (neither) as its person wished.

    `fresh`: its clock begins anew, as it was at the start of the match.
    """

    player: str | None
    level: str | None
    offer: int | None
    proposal: int | None
    fresh: bool


class TakenBack(SeatEvent[MoveT, FactT], frozen=True, kw_only=True, tag="taken_back"):
    """The match goes on from behind `to_ply`: by consent (`proposal`), or freely, since nobody had learned anything.

    `rated` is false where something was known already and there was nobody to ask.
    """

    to_ply: int
    proposal: int | None
    rated: bool


AnyEvent = Event[Any, Any]
EVENT_TYPES = (
    Created, SeatTaken, SeatLeft, Started, Moved, Ended, Cancelled, SeedRevealed, Disputed, Audited, Resolved, Expired,
    Proposed, Answered, Paused, Resumed, Extended, TakenBack, VacationTaken,
    SeatOffered, OfferWithdrawn, HandedOver,
)  # fmt: skip


def final_outcome(events: Iterable[AnyEvent]) -> Outcome | None:
    """The result that stands after these events: the game's own, or an arbiter's ruling on it."""
    result = None
    for event in events:
        if isinstance(event, Ended) or (isinstance(event, Resolved) and event.ruling == "result_of"):
            result = event.outcome
        elif isinstance(event, Resolved) and event.ruling == "annulled":
            result = None
    return result


def without_retracted(events: Iterable[AnyEvent]) -> list[AnyEvent]:
    """The events without those that were taken back, by a ruling or otherwise: what the game was, in the end."""
    kept: list[AnyEvent] = []
    for event in events:
        back_to = rollback_ply(event)
        if back_to is not None:
            kept = [each for each in kept if each.ply <= back_to]
        kept.append(event)
    return kept


def rollback_ply(event: AnyEvent) -> int | None:
    """The ply that an event takes the match back to; None for any other event."""
    match event:
        case TakenBack():
            return event.to_ply
        case Resolved(ruling="rolled_back"):
            return event.to_ply or 0
        case _:
            return None


def is_free_takeback(event: AnyEvent) -> bool:
    """Whether an event takes back a move that nobody had learned anything from: for the others nothing happens."""
    return isinstance(event, TakenBack) and event.proposal is None
