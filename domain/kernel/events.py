"""The events: the entries of a match's log.

An entry is a flat JSON object. Its numbers are whole numbers, never fractions. For its hash chain see `hash_chain.py`,
for its JSON `event_codec.py`.
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
    """What the creator planned for one seat. A private seat can only be taken with an invitation."""

    kind: Literal["human", "bot", "open"]
    private: bool = False


class Fork(Value, frozen=True, kw_only=True):
    """Where a match was forked from: match and ply, with the hash of the event there.

    If `luck` is "same", the match draws with the key of the match `origin`; if it is "new", with its own key. Under
    protocol 1 the key contains `client_seeds`, and `draws` is the number of game events before the fork. Under protocol
    2 a fork with the same luck has the `commitment` and `shares` of the origin, and `uses` counts the draws before the
    fork.
    """

    match: str
    ply: int
    head: str
    luck: Literal["same", "new"]
    draws: int | UnsetType = UNSET
    origin: str | UnsetType = UNSET
    client_seeds: tuple[str, ...] | UnsetType = UNSET
    commitment: str | UnsetType = UNSET
    shares: tuple[str | None, ...] | UnsetType = UNSET
    uses: dict[str, int] | UnsetType = UNSET


LuckLevel = Literal["open", "sealed", "given"]
"""When players show their shares: as they sit down, or once the table is full. `given`: someone chose the seed."""


class LuckTerms(Value, frozen=True, kw_only=True):
    """How a match gets its luck under protocol 2. At the level `sealed`, players have `opening_seconds` to open."""

    protocol: Literal[2] = 2
    level: LuckLevel
    opening_seconds: int | None


class TimeControl(Value, frozen=True, kw_only=True):
    """How long a seat may take, and what happens when it runs out of time.

    `per_move`: `seconds` for every move. `bank`: `seconds` for all moves together, plus `increment` after each move.
    On expiry the seat resigns, a bot of `level` makes this one move, or a bot of `level` takes over the seat. Each
    seat may take `vacation` days; unset means none.
    """

    kind: Literal["per_move", "bank"]
    seconds: int
    increment: int = 0
    expiry: Literal["resigns", "bot_moves", "bot_takes_over"] = "resigns"
    level: str = "greedy"
    vacation: int | UnsetType = UNSET


class Event(Value, Generic[MoveT, FactT], frozen=True, kw_only=True, tag_field="kind", tag="event"):
    """The fields of every event.

    `ply` is its number from 1, `seat` the seat that acted (None: the match itself), `at` the time in UTC. `move` is the
    requested move and `facts` what it did in the game. `draw` is the n of `kernel.chance.Drawn`, for an event that
    decided something in the game. `first_fact` is the number of facts in the match before this event. `salt`, `prev`
    and `hash` seal it.
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
    """A match was created. Fixes game, rules version, options and component data, and commits to the seed.

    The facts of a fork are those of the match it was forked from. `rated`, `private` (unlisted) and `seating` (drawn
    at random) are the creator's choices. Without `luck` the match has luck protocol 1.
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
    luck: LuckTerms | UnsetType = UNSET
    fork: Fork | UnsetType = UNSET
    clock: TimeControl | UnsetType = UNSET
    rated: bool | UnsetType = UNSET
    private: bool | UnsetType = UNSET
    seating: Literal["chance"] | UnsetType = UNSET


class SeatTaken(SeatEvent[MoveT, FactT], frozen=True, kw_only=True, tag="seat_taken"):
    """A player or a bot took a seat.

    `client_seed` is its contribution to the luck under protocol 1, or the word `none`. Under protocol 2 it is a `share`
    (64 hex digits) at the level `open`, or the `seal` of a share at the level `sealed`; None if the player gives none.
    `bot` is the version of a bot's strategy.
    """

    player: str | None
    level: str | None
    client_seed: str | UnsetType = UNSET
    share: str | UnsetType | None = UNSET
    seal: str | UnsetType | None = UNSET
    bot: str | UnsetType = UNSET


class SeatLeft(SeatEvent[MoveT, FactT], frozen=True, kw_only=True, tag="seat_left"):
    """A player left a seat before the start; the seat is open again.

    `removed`: the creator removed the player, who can't sit down again. `kept`: the seat is now kept for the creator.
    """

    removed: bool | UnsetType = UNSET
    kept: bool | UnsetType = UNSET


class ShareOpened(SeatEvent[MoveT, FactT], frozen=True, kw_only=True, tag="share_opened"):
    """A player opened the share that their seal had committed to. `table` is the hash of the full table they saw."""

    share: str
    table: str


Uses = dict[str, int]
"""How often each purpose was used; only those above 0."""


class Started(Event[MoveT, FactT], frozen=True, kw_only=True, tag="started"):
    """All seats were taken and the game was set up. Holds the set-up facts.

    Under protocol 1 it has the client seeds in seat order, under protocol 2 the shares in table-seat order, and the
    uses of its draws. If the seating was drawn, `order` has, for each seat, the seat that its player had taken before.
    """

    client_seeds: tuple[str, ...] | UnsetType = UNSET
    shares: tuple[str | None, ...] | UnsetType = UNSET
    draws: Uses | UnsetType | None = UNSET
    order: tuple[Seat, ...] | UnsetType = UNSET


class Cause(Value, frozen=True, kw_only=True):
    """The standing order behind a move that the server made: its id and its kind.

    `forced`: public knowledge left the seat only this move. `move`: the seat had ordered this move.
    """

    order: str
    kind: Literal["forced", "move"]


class Moved(SeatEvent[MoveT, FactT], frozen=True, kw_only=True, tag="moved"):
    """A seat's move was accepted. `cause` is set if the server made the move because of a standing order.

    Under protocol 2, `draws` has the uses of its draws. For a bot's move, `seen` is the ply whose view it decided on,
    and `fallback` is true if its strategy failed and the service chose the move.
    """

    cause: Cause | UnsetType = UNSET
    draws: Uses | UnsetType | None = UNSET
    seen: int | UnsetType = UNSET
    fallback: bool | UnsetType = UNSET


class Ended(Event[MoveT, FactT], frozen=True, kw_only=True, tag="ended"):
    """The game ended."""

    outcome: Outcome


class Cancelled(Event[MoveT, FactT], frozen=True, kw_only=True, tag="cancelled"):
    """The match was cancelled before it started: by its creator or, with a `reason`, without them.

    `abandoned`: nobody joined. `not_opened`: the players in `seats` did not open their shares in time. `lost`: the
    player in `seats` said that their share is lost. Two reasons apply after the start of an unrated match, at the
    request of `seat`. `aborted`: its player had not moved. `absent`: the players in `seats` did not make a first move
    in time.
    """

    reason: Literal["abandoned", "not_opened", "lost", "aborted", "absent"] | UnsetType = UNSET
    seats: tuple[Seat, ...] | UnsetType = UNSET


class SeedRevealed(Event[MoveT, FactT], frozen=True, kw_only=True, tag="seed_revealed"):
    """The seed (hex) was revealed. From now on anyone can check every draw.

    Under protocol 2 the secret for salts (hex) was revealed, too.
    """

    seed: str
    salts: str | UnsetType = UNSET


Ground = Literal["draw", "move", "score", "clock", "other"]
"""The subject of a dispute."""
Ruling = Literal["goes_on", "rolled_back", "stands", "result_of", "annulled"]
"""An arbiter's decision on a dispute."""


class Disputed(Event[MoveT, FactT], frozen=True, kw_only=True, tag="disputed"):
    """A seat, or an arbiter without a seat, disputed the ply `target`.

    `claim` is the SHA-256 of the wording, which is stored outside the log so that it can be erased.
    """

    target: int
    ground: Ground
    claim: str
    arbiter: str | None = None


class Audited(Event[MoveT, FactT], frozen=True, kw_only=True, tag="audited"):
    """An audit's verdict on a dispute (None: a routine audit that failed).

    For an invalid match, it names the layer, ply and rule of the error, without further details until the match is
    over.
    """

    dispute: int | None
    holds: bool
    layer: str | None
    at_ply: int | None
    rule: str | None


class Resolved(Event[MoveT, FactT], frozen=True, kw_only=True, tag="resolved"):
    """A ruling on a dispute, by an arbiter or by the server.

    `to_ply` is the ply that play goes back to or whose score counts; `outcome` is the result by that score. A ruling by
    the server has no `arbiter`, but a `cause`: `no_ruling`, because no arbiter ruled in time.
    """

    dispute: int
    ruling: Ruling
    to_ply: int | None
    outcome: Outcome | None
    arbiter: str | None
    cause: Literal["no_ruling"] | UnsetType = UNSET


class Expired(SeatEvent[MoveT, FactT], frozen=True, kw_only=True, tag="expired"):
    """The seat ran out of time at `deadline`.

    As chosen for the match, the seat resigns (in the next event), a bot of `level` makes this move, or a bot of `level`
    takes over the seat. `bot` is the version of its strategy. With `by`, that seat claimed the loss of a seat that had
    not made its first move in time, in a rated match.
    """

    deadline: datetime
    consequence: Literal["resigns", "bot_moves", "bot_takes_over"]
    level: str | None
    bot: str | UnsetType = UNSET
    by: Seat | UnsetType = UNSET


class Proposed(SeatEvent[MoveT, FactT], frozen=True, kw_only=True, tag="proposed"):
    """A seat asked all others for a pause, more time, a takeback, or to hand over the seat of an absent player.

    `seconds` is the extra time, `to_ply` the last ply that stays after the takeback. The seat `of` goes to a bot of
    `level` or, if that is unset, to anyone with the invitation.
    """

    what: Literal["pause", "extend", "takeback", "hand_over"]
    seconds: int | None
    to_ply: int | None
    of: Seat | UnsetType = UNSET
    level: str | UnsetType = UNSET


class Answered(SeatEvent[MoveT, FactT], frozen=True, kw_only=True, tag="answered"):
    """A seat agreed to a proposal (named by its ply) or declined it. Declining your own proposal withdraws it."""

    proposal: int
    agrees: bool


class Paused(SeatEvent[MoveT, FactT], frozen=True, kw_only=True, tag="paused"):
    """All clocks stopped, as the proposal asked."""

    proposal: int


class Resumed(SeatEvent[MoveT, FactT], frozen=True, kw_only=True, tag="resumed"):
    """The clocks run again, at a seat's request."""


class Extended(SeatEvent[MoveT, FactT], frozen=True, kw_only=True, tag="extended"):
    """The seat received this many more seconds, as its proposal asked."""

    proposal: int
    seconds: int


class VacationTaken(SeatEvent[MoveT, FactT], frozen=True, kw_only=True, tag="vacation_taken"):
    """The seat's clock stops for this many days, after any current vacation. `left` days remain to be taken."""

    days: int
    left: int


class SeatOffered(SeatEvent[MoveT, FactT], frozen=True, kw_only=True, tag="seat_offered"):
    """The seat was offered to anyone with the invitation.

    `by` is the seat that offers it: its own player, or (`proposal`) another seat with the consent of all others.
    """

    by: Seat
    proposal: int | None


class OfferWithdrawn(SeatEvent[MoveT, FactT], frozen=True, kw_only=True, tag="offer_withdrawn"):
    """The seat withdrew an offer (named by its ply). Its invitation is no longer valid."""

    offer: int


class HandedOver(SeatEvent[MoveT, FactT], frozen=True, kw_only=True, tag="handed_over"):
    """A player or a bot took over the seat: through an `offer`, a `proposal`, or (neither) as its player chose.

    With `fresh` the seat's clock is reset to what it was at the start of the match. `bot` is the version of a bot's
    strategy.
    """

    player: str | None
    level: str | None
    offer: int | None
    proposal: int | None
    fresh: bool
    bot: str | UnsetType = UNSET


class TakenBack(SeatEvent[MoveT, FactT], frozen=True, kw_only=True, tag="taken_back"):
    """The match continues from `to_ply`: by consent (`proposal`), or freely because nobody had learned anything.

    `rated` is false if the move had revealed something and there was nobody to ask.
    """

    to_ply: int
    proposal: int | None
    rated: bool


AnyEvent = Event[Any, Any]
EVENT_TYPES = (
    Created, SeatTaken, SeatLeft, ShareOpened, Started, Moved, Ended, Cancelled, SeedRevealed,
    Disputed, Audited, Resolved, Expired, Proposed, Answered, Paused, Resumed, Extended, TakenBack, VacationTaken,
    SeatOffered, OfferWithdrawn, HandedOver,
)  # fmt: skip


def final_outcome(events: Iterable[AnyEvent]) -> Outcome | None:
    """Return the result after these events: the game's own, or an arbiter's ruling on it."""
    result = None
    for event in events:
        if isinstance(event, Ended) or (isinstance(event, Resolved) and event.ruling == "result_of"):
            result = event.outcome
        elif isinstance(event, Resolved) and event.ruling == "annulled":
            result = None
    return result


def without_retracted(events: Iterable[AnyEvent]) -> list[AnyEvent]:
    """Return the events without those that were taken back, by consent, freely or by a ruling."""
    kept: list[AnyEvent] = []
    for event in events:
        back_to = rollback_ply(event)
        if back_to is not None:
            kept = [each for each in kept if each.ply <= back_to]
        kept.append(event)
    return kept


def rollback_ply(event: AnyEvent) -> int | None:
    """Return the ply that an event takes the match back to, or None for any other event."""
    match event:
        case TakenBack():
            return event.to_ply
        case Resolved(ruling="rolled_back"):
            return event.to_ply or 0
        case _:
            return None


def is_free_takeback(event: AnyEvent) -> bool:
    """Return whether an event takes back a move that nobody had learned anything from."""
    return isinstance(event, TakenBack) and event.proposal is None
