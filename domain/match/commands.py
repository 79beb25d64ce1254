"""The commands of a match: everything a player, an arbiter or the server can ask of it."""

from collections.abc import Mapping
from typing import Any, Literal

from msgspec import UNSET, UnsetType

from domain.kernel.events import Cause, Fork, Ground, Ruling, TimeControl
from domain.kernel.game import Seat
from domain.kernel.values import Value
from domain.match.state import ProposalKind

NO_CLIENT_SEED = "none"


class SeatSpec(Value, frozen=True):
    """How the creator wants one seat: taken by a player, by a bot of a level, or open."""

    kind: Literal["human", "bot", "open"]
    player: str | None = None
    level: str | None = None
    private: bool = False
    client_seed: str = NO_CLIENT_SEED


class ForkSource(Value, frozen=True):
    """A match to be continued from one of its plies: where, under which rules, and the facts up to there."""

    fork: Fork
    rules_version: int
    facts: tuple[Any, ...]


class Create(Value, frozen=True, kw_only=True):
    """Create a match. `options` and `position` are plain JSON, checked by the game."""

    match: str
    game: str
    creator: str
    options: Mapping[str, Any]
    seats: tuple[SeatSpec, ...]
    position: Mapping[str, Any] | None = None
    fork: ForkSource | None = None
    clock: TimeControl | None = None
    rated: bool = False
    private: bool = False
    by_chance: bool = False


class TakeSeat(Value, frozen=True):
    """Sit down at an open seat."""

    seat: Seat
    player: str
    client_seed: str = NO_CLIENT_SEED


class LeaveSeat(Value, frozen=True):
    """Get up again before the start."""

    seat: Seat


class Cancel(Value, frozen=True):
    """Call the match off before the start."""

    player: str


class Play(Value, frozen=True):
    """Make a move (plain JSON); `cause` names the standing order that it comes from."""

    seat: Seat
    move: Any
    cause: Cause | UnsetType = UNSET


class TakeVacation(Value, frozen=True):
    """Let the own clock stand for so many days: nobody has to be asked."""

    seat: Seat
    days: int


class Expire(Value, frozen=True):
    """The time of a seat is up: what the match chose for that happens. A command of the clock, of nobody else."""

    seat: Seat


class CloseLobby(Value, frozen=True):
    """Nobody has sat down or got up for too long: the match is called off. A command of the clock."""


class RaiseDispute(Value, frozen=True):
    """Dispute a ply, from a seat or (without one) as an arbiter. `claim` is the digest of the words."""

    seat: Seat | None
    target: int
    ground: Ground
    claim: str
    arbiter: str | None = None


class RecordVerdict(Value, frozen=True):
    """What the audit of a disputed match, or a routine audit that failed (no dispute), has found."""

    dispute: int | None
    holds: bool
    layer: str | None = None
    at_ply: int | None = None
    rule: str | None = None


class ResolveDispute(Value, frozen=True):
    """An arbiter's ruling on a dispute."""

    dispute: int
    ruling: Ruling
    arbiter: str
    to_ply: int | None = None


class OfferSeat(Value, frozen=True):
    """Offer the own seat to whoever brings the invitation."""

    seat: Seat


class WithdrawOffer(Value, frozen=True):
    """Withdraw an offer: who made it may, and who sits there."""

    seat: Seat
    offer: int


class HandOver(Value, frozen=True):
    """Give the own seat to a bot of this level, for the rest of the match."""

    seat: Seat
    level: str


class TakeOver(Value, frozen=True):
    """Sit down at a seat that is offered."""

    seat: Seat
    player: str
    offer: int


class Propose(Value, frozen=True, kw_only=True):
    """Ask for a pause, for `seconds` more time, to go back to behind `to_ply`, or to hand over the seat `of` somebody.

    That seat goes to a bot of `level`, or (None) to whoever is invited.

    `free` is for the service to say: nobody has learned anything from what would be taken back.
    """

    seat: Seat
    what: ProposalKind
    seconds: int | None = None
    to_ply: int | None = None
    of: Seat | None = None
    level: str | None = None
    free: bool = False


class AnswerProposal(Value, frozen=True):
    """Agree to a proposal, or decline it; who made it withdraws it by declining."""

    seat: Seat
    proposal: int
    agrees: bool


class Resume(Value, frozen=True):
    """End a pause. Everybody at the table may, without asking: nobody can be made to wait for ever."""

    seat: Seat


Command = (
    TakeSeat
    | LeaveSeat
    | Cancel
    | Play
    | RaiseDispute
    | RecordVerdict
    | ResolveDispute
    | Expire
    | Propose
    | AnswerProposal
    | Resume
    | CloseLobby
    | TakeVacation
    | OfferSeat
    | WithdrawOffer
    | HandOver
    | TakeOver
)
SideCommand = Propose | AnswerProposal | Resume | TakeVacation | OfferSeat | WithdrawOffer | HandOver | TakeOver
"""Commands around the moves."""
