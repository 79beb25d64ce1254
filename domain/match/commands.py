"""The commands of a match: everything that a player, an arbiter or the server can request."""

from collections.abc import Mapping
from typing import Any, Literal

from msgspec import UNSET, UnsetType

from domain.kernel.events import Cause, Fork, Ground, LuckLevel, Ruling, TimeControl
from domain.kernel.game import Seat
from domain.kernel.values import Value
from domain.match.state import ProposalKind

NO_CLIENT_SEED = "none"


class SeatSpec(Value, frozen=True):
    """What the creator wants for one seat: a player, a bot of a level, or an open seat."""

    kind: Literal["human", "bot", "open"]
    player: str | None = None
    level: str | None = None
    private: bool = False
    client_seed: str = NO_CLIENT_SEED


class ForkSource(Value, frozen=True):
    """The match and ply to fork from, with its rules version and the facts up to there."""

    fork: Fork
    rules_version: int
    facts: tuple[Any, ...]


class Create(Value, frozen=True, kw_only=True):
    """Create a match. `options` and `position` are plain JSON, which the game checks.

    With a `level` of luck, seats of people are reserved, and the people take them later, with their shares. Without
    one, people are seated immediately and add no share; then the match is sealed if it is rated, and open otherwise.
    """

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
    level: LuckLevel | UnsetType = UNSET


class TakeSeat(Value, frozen=True):
    """Take an open seat.

    Under luck protocol 2 a player contributes a `share` or the `seal` of one, made for the `commitment` of this match.
    """

    seat: Seat
    player: str
    client_seed: str = NO_CLIENT_SEED
    commitment: str | UnsetType = UNSET
    share: str | UnsetType = UNSET
    seal: str | UnsetType = UNSET


class LeaveSeat(Value, frozen=True):
    """Leave a seat before the start."""

    seat: Seat


class OpenShare(Value, frozen=True):
    """Open the share that the player's seals committed to. `table` is the hash of the full table as they saw it."""

    player: str
    table: str
    share: str


class LoseShare(Value, frozen=True):
    """Give up a share that the player cannot open, which cancels the match."""

    player: str


class Cancel(Value, frozen=True):
    """Cancel the match before the start."""

    player: str


class RemovePlayer(Value, frozen=True):
    """Remove the player at a seat before the start, as the creator (`player`).

    `keep`: only the creator can take the seat then.
    """

    player: str
    seat: Seat
    keep: bool = False


class Abort(Value, frozen=True):
    """End an unrated match: because another seat is absent, or before the player's own first move."""

    seat: Seat


class ClaimLoss(Value, frozen=True):
    """Claim the loss of the seat `of`, which has not made its first move in time, in a rated match."""

    seat: Seat
    of: Seat


class Play(Value, frozen=True):
    """Make a move (plain JSON). `cause` names the standing order it comes from.

    For a bot's move, `seen` is the ply whose view it decided on, and `fallback` is true if its strategy failed.
    """

    seat: Seat
    move: Any
    cause: Cause | UnsetType = UNSET
    seen: int | UnsetType = UNSET
    fallback: bool | UnsetType = UNSET


class TakeVacation(Value, frozen=True):
    """Stop the seat's clock for this many days. Nobody else has to agree."""

    seat: Seat
    days: int


class Expire(Value, frozen=True):
    """Apply the timeout of a seat. Only the server's clock may issue this command."""

    seat: Seat


class CloseLobby(Value, frozen=True):
    """Cancel a match that nobody has joined, or whose shares were not opened in time.

    Only the server's clock may issue this command.
    """


class RaiseDispute(Value, frozen=True):
    """Dispute a ply, from a seat or (without one) as an arbiter. `claim` is the digest of the wording."""

    seat: Seat | None
    target: int
    ground: Ground
    claim: str
    arbiter: str | None = None


class RecordVerdict(Value, frozen=True):
    """Record what the audit of a disputed match, or a failed routine audit (no dispute), found."""

    dispute: int | None
    holds: bool
    layer: str | None = None
    at_ply: int | None = None
    rule: str | None = None


class ResolveDispute(Value, frozen=True):
    """Record an arbiter's ruling on a dispute."""

    dispute: int
    ruling: Ruling
    arbiter: str
    to_ply: int | None = None


class CloseDispute(Value, frozen=True):
    """Rule on a dispute by the audit's verdict, because no arbiter has. Only the server's clock may issue this."""

    dispute: int


class OfferSeat(Value, frozen=True):
    """Offer your seat to anyone with the invitation."""

    seat: Seat


class WithdrawOffer(Value, frozen=True):
    """Withdraw an offer. Both the seat that made it and the offered seat may do so."""

    seat: Seat
    offer: int


class HandOver(Value, frozen=True):
    """Hand over your seat to a bot of this level for the rest of the match."""

    seat: Seat
    level: str


class TakeOver(Value, frozen=True):
    """Take over a seat that is offered."""

    seat: Seat
    player: str
    offer: int


class Propose(Value, frozen=True, kw_only=True):
    """Ask for a pause, for `seconds` more time, to go back to `to_ply`, or to hand over the seat `of` another player.

    That seat goes to a bot of `level`, or (None) to anyone with the invitation. The service sets `free` if nobody has
    learned anything from what would be taken back.
    """

    seat: Seat
    what: ProposalKind
    seconds: int | None = None
    to_ply: int | None = None
    of: Seat | None = None
    level: str | None = None
    free: bool = False


class AnswerProposal(Value, frozen=True):
    """Agree to a proposal or decline it. Declining your own proposal withdraws it."""

    seat: Seat
    proposal: int
    agrees: bool


class Resume(Value, frozen=True):
    """End a pause. Any player may do so without asking, so that nobody has to wait forever."""

    seat: Seat


Command = (
    TakeSeat
    | LeaveSeat
    | OpenShare
    | LoseShare
    | Cancel
    | RemovePlayer
    | Abort
    | ClaimLoss
    | Play
    | RaiseDispute
    | RecordVerdict
    | ResolveDispute
    | CloseDispute
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
"""Commands other than moves that a seat can issue during the match."""
