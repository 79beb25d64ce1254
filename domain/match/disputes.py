"""Disputes within a match: who may raise one, the audit's verdict, and how an arbiter may resolve it.

A dispute names a ply. While the match runs, the arbiter lets it continue or rolls it back to an earlier ply. After the
end the result is confirmed, replaced by that of an earlier ply, or annulled. The log keeps everything that was played.
If no arbiter rules within 14 days, the server follows the audit's verdict.
"""

from datetime import datetime, timedelta
from typing import Any, Final

from msgspec import UNSET
from msgspec.structs import replace

from domain.kernel.events import AnyEvent, Audited, Disputed, Resolved, Ruling
from domain.kernel.game import Outcome, Seat
from domain.kernel.refusals import MatchRefused
from domain.match.commands import RaiseDispute, RecordVerdict, ResolveDispute
from domain.match.guards import require_unretracted_ply
from domain.match.state import AnyMatch, Dispute

RULINGS_DURING_PLAY: frozenset[Ruling] = frozenset({"goes_on", "rolled_back"})
"""Rulings that are possible while the match runs."""
RULINGS_AFTER_END: frozenset[Ruling] = frozenset({"stands", "result_of", "annulled"})
"""Rulings that are possible when the match is over."""
RULINGS_WITH_PLY: frozenset[Ruling] = frozenset({"rolled_back", "result_of"})
"""Rulings that name a ply."""
MAX_DISPUTES = 20
"""The most disputes that one seat or one arbiter may raise in a match, including resolved ones.

Each of them costs an audit of the match.
"""
RULING_PERIOD = timedelta(days=14)
"""How long arbiters have to rule on a dispute. After that, the server follows the audit's verdict."""
NO_RULING: Final = "no_ruling"
"""The cause of a ruling by the server."""
RULINGS_IN_WORDS: dict[Ruling, str] = {
    "goes_on": "the match continues",
    "rolled_back": "the match goes back to an earlier move",
    "stands": "the result stands",
    "result_of": "the score at an earlier move is the result",
    "annulled": "the match is annulled",
}
RULING_REASON = "ruling"
"""The reason of an outcome decided by an arbiter's ruling."""


# -- what may be done ---------------------------------------------------------------------------------------------


def find_dispute(match: AnyMatch, number: int) -> Dispute:
    """Return the dispute with this number. Raise MatchRefused `no_such_dispute`."""
    for dispute in match.disputes:
        if dispute.number == number:
            return dispute
    raise MatchRefused("no_such_dispute", f"There is no dispute {number} in this match.")


def require_disputable(match: AnyMatch, seat: Seat | None, target: int) -> None:
    """Refuse a dispute of a ply that was not played, or that this seat is already disputing."""
    if match.status in ("open", "opening"):
        raise MatchRefused("not_started", "The match has not started yet, so there is nothing to dispute.")
    if match.status == "over" and not match.draw_count:
        raise MatchRefused(
            "match_cancelled", "The match was cancelled before it started, so there is nothing to dispute."
        )
    if not 1 <= target <= match.ply:
        raise MatchRefused("no_such_ply", f"There is no such move. This match has moves 1 to {match.ply}.")
    if any(each.is_open and (each.disputed_ply, each.seat) == (target, seat) for each in match.disputes):
        raise MatchRefused(
            "disputed_already", f"You have already disputed move {target}. Wait for an arbiter to rule on it."
        )


def require_dispute_limit(match: AnyMatch, seat: Seat | None, arbiter: str | None) -> None:
    """Refuse a dispute if its seat or arbiter has already raised the maximum number."""
    if sum((each.seat, each.arbiter) == (seat, arbiter) for each in match.disputes) >= MAX_DISPUTES:
        raise MatchRefused(
            "too_many_disputes",
            f"You have disputed this match {MAX_DISPUTES} times, the maximum. Wait for an arbiter to rule on them.",
        )


def require_no_verdict(match: AnyMatch, number: int | None) -> None:
    """Refuse a verdict on a dispute that does not exist or already has one."""
    if number is not None and find_dispute(match, number).has_verdict:
        raise MatchRefused("heard_already", f"Dispute {number} already has a verdict.")


def require_resolvable(match: AnyMatch, command: ResolveDispute) -> None:
    """Refuse a ruling that does not fit the dispute, the status of the match, or the arbiter."""
    dispute = find_dispute(match, command.dispute)
    if not dispute.is_open:
        words = RULINGS_IN_WORDS[dispute.ruling] if dispute.ruling else ""
        raise MatchRefused("resolved_already", f"This dispute is already resolved: {words}.")
    if not dispute.has_verdict:
        raise MatchRefused("not_heard", "The audit of this dispute has not finished yet. Try again in a few seconds.")
    require_impartial(match, command.arbiter)
    fitting = RULINGS_AFTER_END if match.status == "over" else RULINGS_DURING_PLAY
    if command.ruling not in fitting:
        state = "This match is over" if match.status == "over" else "This match is still running"
        possible = ", or ".join(words for ruling, words in RULINGS_IN_WORDS.items() if ruling in fitting)
        raise MatchRefused("bad_ruling", f"{state}. The possible rulings are: {possible}.")
    if command.ruling in RULINGS_WITH_PLY and command.to_ply is None:
        purpose = "the match goes back to" if command.ruling == "rolled_back" else "has the score that counts"
        raise MatchRefused("bad_ruling", f"Enter the number of the earlier move that {purpose}.")
    if command.ruling not in RULINGS_WITH_PLY and command.to_ply is not None:
        raise MatchRefused(
            "bad_ruling", f"This ruling ({RULINGS_IN_WORDS[command.ruling]}) names no move. Leave the move out."
        )
    if command.to_ply is not None:
        require_unretracted_ply(match, command.to_ply)


def require_impartial(match: AnyMatch, arbiter: str) -> None:
    """Refuse an arbiter who has a seat in the match or had one that was handed over."""
    if match.has_seated(arbiter):
        raise MatchRefused("not_impartial", "You can't be the arbiter of a match that you play or have played in.")


def require_game_in_progress(then: AnyMatch) -> None:
    """Refuse to go back to a ply at which the game was not in progress."""
    if then.status != "playing":
        raise MatchRefused("no_position", f"The game wasn't in progress at move {then.ply}. Choose another move.")


# -- events -------------------------------------------------------------------------------------------------------


def raise_dispute(match: AnyMatch, command: RaiseDispute, now: Any) -> list[AnyEvent]:
    """Return the event of a dispute. Raise MatchRefused."""
    require_disputable(match, command.seat, command.target)
    if (command.seat is None) == (command.arbiter is None):
        raise MatchRefused("not_your_seat", "Only a player in this match or an arbiter can raise a dispute.")
    if command.arbiter is not None:
        require_impartial(match, command.arbiter)
    require_dispute_limit(match, command.seat, command.arbiter)
    return [
        Disputed(
            ply=match.ply + 1,
            seat=command.seat,
            at=now,
            first_fact=match.fact_count,
            target=command.target,
            ground=command.ground,
            claim=command.claim,
            arbiter=command.arbiter,
        )
    ]


def record_verdict(match: AnyMatch, command: RecordVerdict, now: Any) -> list[AnyEvent]:
    """Return the event of the audit's verdict: layer, ply and rule, and no hidden information."""
    require_no_verdict(match, command.dispute)
    return [
        Audited(
            ply=match.ply + 1,
            at=now,
            first_fact=match.fact_count,
            dispute=command.dispute,
            holds=command.holds,
            layer=command.layer,
            at_ply=command.at_ply,
            rule=command.rule,
        )
    ]


def resolve(match: AnyMatch, command: ResolveDispute, now: Any, then: AnyMatch | None) -> list[AnyEvent]:
    """Return the event of a ruling. `then` is the match at the ply it names."""
    require_resolvable(match, command)
    if then is not None:
        require_game_in_progress(then)
    return [
        Resolved(
            ply=match.ply + 1,
            at=now,
            first_fact=match.fact_count,
            dispute=command.dispute,
            ruling=command.ruling,
            to_ply=command.to_ply,
            outcome=adjudicated_outcome(then) if command.ruling == "result_of" and then is not None else None,
            arbiter=command.arbiter,
        )
    ]


def automatic_ruling(match: AnyMatch, dispute: Dispute) -> Ruling | None:
    """Return the ruling that follows from the audit's verdict, or None if there is none yet.

    A match without a fault continues, or its result stands. A match with a fault is annulled once it is over. While it
    runs, the dispute stays open, because an arbiter may still save the match by going back.
    """
    if not dispute.is_open or not dispute.has_verdict:
        return None
    is_flawed = not dispute.audit_holds or match.has_failed_audit
    if match.status == "over":
        return "annulled" if is_flawed else "stands"
    return None if is_flawed else "goes_on"


def ruling_due_at(match: AnyMatch, dispute: Dispute) -> datetime | None:
    """Return when the server rules on a dispute if no arbiter does, or None if it can't."""
    if automatic_ruling(match, dispute) is None or dispute.raised_at is None:
        return None
    return dispute.raised_at + RULING_PERIOD


def next_ruling_at(match: AnyMatch) -> datetime | None:
    """Return when the server rules on the first open dispute, or None if it rules on none."""
    return min((due for each in match.disputes if (due := ruling_due_at(match, each))), default=None)


def close_dispute(match: AnyMatch, number: int, now: datetime) -> list[AnyEvent]:
    """Return the event of the server's ruling. Raise MatchRefused while an arbiter may still rule."""
    dispute = find_dispute(match, number)
    ruling, due = automatic_ruling(match, dispute), ruling_due_at(match, dispute)
    if ruling is None or due is None:
        raise MatchRefused("not_due", "The server can't rule on this dispute.")
    if now < due:
        raise MatchRefused("not_due", f"Arbiters have until {due:%-d %B %Y, %H:%M} UTC to rule on this dispute.")
    return [
        Resolved(
            ply=match.ply + 1,
            at=now,
            first_fact=match.fact_count,
            dispute=number,
            ruling=ruling,
            to_ply=None,
            outcome=None,
            arbiter=None,
            cause=NO_RULING,
        )
    ]


def check_ruling(match: AnyMatch, event: Resolved[Any, Any]) -> None:
    """Refuse a ruling that the match did not allow at that time. Raise MatchRefused."""
    if (event.arbiter is None) != (event.cause is not UNSET):
        raise MatchRefused("bad_ruling", "A ruling has either an arbiter or a cause.")
    if event.arbiter is not None:
        require_resolvable(match, ResolveDispute(event.dispute, event.ruling, event.arbiter, event.to_ply))
        return
    (wanted,) = close_dispute(match, event.dispute, event.at)
    if not isinstance(wanted, Resolved) or (event.ruling, event.to_ply) != (wanted.ruling, wanted.to_ply):
        raise MatchRefused("bad_ruling", "This is not the ruling that follows from the audit's verdict.")


def adjudicated_outcome(then: AnyMatch) -> Outcome:
    """Return the result of the match as it was at `then`, by the game's own ranking and tie-breaks.

    Raises MatchRefused.
    """
    require_game_in_progress(then)
    outcome = then.rules.outcome(then.rules.decision(then.rules.close(then.state), then.state).state)
    assert outcome is not None, "the facts of `close` end a game"
    return replace(outcome, reason=RULING_REASON)


# -- folding ------------------------------------------------------------------------------------------------------


def disputes_after(disputes: tuple[Dispute, ...], event: AnyEvent) -> tuple[Dispute, ...]:
    """Return the disputes of a match after an event."""
    match event:
        case Disputed():
            raised = Dispute(
                number=event.ply,
                seat=event.seat,
                arbiter=event.arbiter,
                disputed_ply=event.target,
                ground=event.ground,
                claim_digest=event.claim,
                raised_at=event.at,
            )
            return (*disputes, raised)
        case Audited():
            heard = {"audit_holds": event.holds, "layer": event.layer, "at_ply": event.at_ply, "rule": event.rule}
            return tuple(replace(each, **heard) if each.number == event.dispute else each for each in disputes)
        case Resolved():
            ruled: dict[str, Any] = {"ruling": event.ruling, "to_ply": event.to_ply, "resolved_by": event.arbiter}
            return tuple(replace(each, **ruled) if each.number == event.dispute else each for each in disputes)
        case _:
            return disputes
