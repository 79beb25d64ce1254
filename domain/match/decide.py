"""Decides commands: returns the sealed and chained events of a command, and the match after them."""

from datetime import datetime

from domain.kernel.chance import Luck
from domain.kernel.events import AnyEvent
from domain.kernel.refusals import MatchRefused
from domain.match.clock import is_opening_overdue, overdue_seat, take_vacation
from domain.match.commands import (
    Abort,
    AnswerProposal,
    Cancel,
    ClaimLoss,
    CloseDispute,
    CloseLobby,
    Command,
    Expire,
    HandOver,
    LeaveSeat,
    LoseShare,
    OfferSeat,
    OpenShare,
    Play,
    Propose,
    RaiseDispute,
    RecordVerdict,
    RemovePlayer,
    ResolveDispute,
    Resume,
    SideCommand,
    TakeOver,
    TakeSeat,
    TakeVacation,
    WithdrawOffer,
)
from domain.match.disputes import close_dispute, raise_dispute, record_verdict, resolve
from domain.match.early_end import abort, claim_loss
from domain.match.event_recorder import Decided, EventRecorder
from domain.match.guards import MatchLookup, earlier_match, require_existing_seat, require_move_after
from domain.match.handover import hand_over, offer_seat, take_over, withdraw_offer
from domain.match.lobby import cancel, close_lobby, leave_seat, remove_player, take_seat
from domain.match.opening import cancel_unopened, lose_share, open_share
from domain.match.play import expire, play
from domain.match.proposals import answer, propose, resume
from domain.match.state import AnyMatch


def decide(match: AnyMatch, command: Command, now: datetime, luck: Luck, past: MatchLookup | None = None) -> Decided:
    """Return the events of a command and the match after them.

    Raises Refused (IllegalMove, MatchRefused) if the command is not allowed; then nothing has changed. `past` is only
    called for commands that name an earlier ply; raises ValueError if it is missing then.
    """
    now = max(now, match.last_event_at)
    overdue = overdue_seat(match, now) is not None or is_opening_overdue(match, now)
    if overdue and not isinstance(command, Expire | CloseLobby):
        raise MatchRefused(
            "time_is_up", "A player ran out of time, and the timeout is applied first. Try again in a moment."
        )
    record = EventRecorder(match, past)
    match command:
        case TakeSeat():
            take_seat(record, command, now, luck)
        case OpenShare():
            open_share(record, command, now, luck)
        case Play():
            play(record, command, now, luck)
        case Expire(seat):
            expire(record, seat, now, luck)
        case ClaimLoss():
            claim_loss(record, command, now, luck)
        case _:
            for event in events_of(match, command, now, luck, past):
                record.emit(event)
    return record.decided(match.head_hash, luck)


def events_of(match: AnyMatch, command: Command, now: datetime, luck: Luck, past: MatchLookup | None) -> list[AnyEvent]:
    """Return the events of a command that does not change the game, other than taking it back."""
    match command:
        case LeaveSeat(seat):
            return leave_seat(match, seat, now)
        case Cancel(player):
            return cancel(match, player, now, luck)
        case RemovePlayer():
            return remove_player(match, command, now)
        case Abort():
            return abort(match, command, now, luck)
        case RaiseDispute():
            return raise_dispute(match, command, now)
        case RecordVerdict():
            return record_verdict(match, command, now)
        case ResolveDispute():
            return resolve(match, command, now, earlier_match(match, command.to_ply, past))
        case CloseDispute(dispute):
            return close_dispute(match, dispute, now)
        case LoseShare():
            return lose_share(match, command, now, luck)
        case CloseLobby():
            return cancel_unopened(match, now, luck) if match.status == "opening" else close_lobby(match, now, luck)
        case TakeSeat() | OpenShare() | Play() | Expire() | ClaimLoss():
            raise AssertionError(f"{command} is decided by the game")
        case _:
            return decide_side_command(match, command, now, past)


def decide_side_command(
    match: AnyMatch, command: SideCommand, now: datetime, past: MatchLookup | None
) -> list[AnyEvent]:
    """Return the events of a command other than a move that a seat issues during the match."""
    require_existing_seat(match, command.seat)
    match command:
        case Propose():
            require_move_after(match, command.to_ply, past)
            return propose(match, command, now)
        case AnswerProposal():
            return answer(match, command, now)
        case Resume():
            return resume(match, command, now)
        case TakeVacation():
            return [take_vacation(match, command, now)]
        case OfferSeat():
            return [offer_seat(match, command, now)]
        case WithdrawOffer():
            return [withdraw_offer(match, command, now)]
        case HandOver():
            return [hand_over(match, command, now)]
        case TakeOver():
            return [take_over(match, command, now)]
