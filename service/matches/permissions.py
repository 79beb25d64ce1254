"""Checks whether the author of a command may give it."""

from collections.abc import Callable

from domain.kernel.refusals import MatchRefused
from domain.match.commands import (
    Abort,
    AnswerProposal,
    ClaimLoss,
    CloseDispute,
    CloseLobby,
    Command,
    Expire,
    HandOver,
    LeaveSeat,
    OfferSeat,
    OpenShare,
    Play,
    Propose,
    RaiseDispute,
    RecordVerdict,
    ResolveDispute,
    Resume,
    TakeSeat,
    TakeVacation,
    WithdrawOffer,
)
from domain.match.state import AnyMatch
from service.matches.errors import NotArbiter, NotSeated
from service.matches.results import AUDITOR_AUTHOR, CLOCK_AUTHOR, bot_author

SEAT_COMMANDS = (
    Play,
    LeaveSeat,
    RaiseDispute,
    Propose,
    AnswerProposal,
    Resume,
    TakeVacation,
    OfferSeat,
    WithdrawOffer,
    HandOver,
    Abort,
    ClaimLoss,
)
"""Commands that only the holder of the seat may give."""


RULES_COMMANDS = (Play, TakeSeat, OpenShare, Expire, ClaimLoss, Propose, AnswerProposal)
"""Commands that the rules decide on, or that can start the game."""
COMPONENTS_CHANGED = (
    "The cards or tables of this game have changed on this server since the match began, so the match can't continue. "
    "Its page offers its players a new match with the same seats."
)


def require_same_components(match: AnyMatch, command: Command) -> None:
    """Refuse a command that needs the rules if the game's component data has changed. Raises MatchRefused.

    Otherwise the match would get a result that no audit can confirm.
    """
    if isinstance(command, RULES_COMMANDS) and match.has_changed_components:
        raise MatchRefused("components_changed", COMPONENTS_CHANGED)


def require_seat_holder(match: AnyMatch, command: Command, author: str) -> None:
    """Refuse a command for a seat that its author does not hold. A bot's author is `bot:<match>:<seat>`."""
    if not isinstance(command, SEAT_COMMANDS) or command.seat is None:
        return
    if not 0 <= command.seat < len(match.seats):
        raise NotSeated("this match has no such seat")
    holder = match.seats[command.seat]
    by_bot = holder.kind == "bot" or (isinstance(command, Play) and holder.standin is not None)
    mine = author == bot_author(match.id, command.seat) if by_bot else holder.player == author
    if mine:
        return
    if by_bot and holder.player == author:
        raise MatchRefused("time_was_up", "You ran out of time, so a bot makes this move. You can play your next move.")
    raise NotSeated("another player holds this seat")


def require_role(
    head: AnyMatch,
    command: Command,
    author: str,
    is_arbiter: Callable[[str], bool],
    is_archived: Callable[[str], bool],
) -> None:
    """Refuse commands reserved for the clock, arbiters or the auditor, and any change to an archived match.

    Raises NotSeated, NotArbiter, MatchRefused.
    """
    if head.status == "over" and is_archived(head.id):
        raise MatchRefused(
            "archived", "This match was imported from a file and can't be changed. You can view it and fork it."
        )
    match command:
        case Expire() | CloseLobby() | CloseDispute() if author != CLOCK_AUTHOR:
            raise NotSeated("only the server may enforce deadlines")
        case RecordVerdict() if author != AUDITOR_AUTHOR:
            raise NotArbiter("only audits may record verdicts")
        case ResolveDispute() if author != command.arbiter or not is_arbiter(author):
            raise NotArbiter("only an arbiter may resolve a dispute")
        case RaiseDispute(seat=None) if author != command.arbiter or not is_arbiter(author):
            raise NotSeated("only players in the match and arbiters may dispute it")


def require_forkable(head: AnyMatch, creator: str, same_luck: bool) -> None:
    """Refuse to fork a match that is not over, except the creator's own practice. Raises MatchRefused.

    A fork with the same luck shows the dice in advance, so under luck protocol 2 the seed must be known.
    """
    if same_luck and head.luck is not None and head.seed is None:
        raise MatchRefused("not_over", "You can fork a match with the same luck once it is over. Choose new luck.")
    if head.status == "over" and head.draw_count:
        return
    others = any(seat.player not in (None, creator) for seat in head.seats)
    if head.status == "playing" and head.has_given_seed and not others:
        return
    raise MatchRefused("not_over", "You can fork a match once it is over, and your own practice match at any time.")
