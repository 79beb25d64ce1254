"""Disputes within a match: who may raise one, what the audit said, and how an arbiter may resolve it.

A dispute names a ply. While the match runs it is resolved by going on or by rolling back to an earlier ply; when the
match is over the result stands, or is that of an earlier ply, or is annulled. What was played stays in the log.
"""

from typing import Any

from msgspec.structs import replace

from domain.kernel.events import AnyEvent, Audited, Disputed, Resolved, Ruling
from domain.kernel.game import Outcome, Seat
from domain.kernel.refusals import MatchRefused
from domain.match.commands import RaiseDispute, RecordVerdict, ResolveDispute
from domain.match.guards import require_unretracted_ply
from domain.match.state import AnyMatch, Dispute

RULINGS_DURING_PLAY: frozenset[Ruling] = frozenset({"goes_on", "rolled_back"})
"""Rulings while the match runs ..."""
RULINGS_AFTER_END: frozenset[Ruling] = frozenset({"stands", "result_of", "annulled"})
"""... and when it is over."""
RULINGS_WITH_PLY: frozenset[Ruling] = frozenset({"rolled_back", "result_of"})
"""Rulings that name a ply."""
MAX_DISPUTES = 20
"""So many disputes one seat, or one arbiter, may raise in a match, resolved ones included: each is an audit of it."""
RULING_REASON = "ruling"
"""The reason of an outcome that an arbiter's ruling made."""


# -- what may be done ---------------------------------------------------------------------------------------------


def find_dispute(match: AnyMatch, number: int) -> Dispute:
    """The dispute of this number. Raises MatchRefused `no_such_dispute`."""
    for dispute in match.disputes:
        if dispute.number == number:
            return dispute
    raise MatchRefused("no_such_dispute", f"This match has no dispute {number}.")


def require_disputable(match: AnyMatch, seat: Seat | None, target: int) -> None:
    """Refuse a dispute that cannot be: one open dispute per ply and seat, of a ply that was played."""
    if match.status == "open":
        raise MatchRefused("not_started", "The match has not started: there is nothing to dispute yet.")
    if match.status == "over" and not match.draw_count:
        raise MatchRefused("match_cancelled", "The match was cancelled: nothing was played.")
    if not 1 <= target <= match.ply:
        raise MatchRefused("no_such_ply", f"This match has the plies 1 to {match.ply}.")
    if any(each.is_open and (each.disputed_ply, each.seat) == (target, seat) for each in match.disputes):
        raise MatchRefused("disputed_already", f"You have disputed ply {target} already, and that is not resolved yet.")


def require_dispute_limit(match: AnyMatch, seat: Seat | None, arbiter: str | None) -> None:
    """Refuse one more dispute to who has raised as many as one may."""
    if sum((each.seat, each.arbiter) == (seat, arbiter) for each in match.disputes) >= MAX_DISPUTES:
        raise MatchRefused(
            "too_many_disputes",
            f"You have disputed this match {MAX_DISPUTES} times, which is the most. An arbiter rules on what is open.",
        )


def require_no_verdict(match: AnyMatch, number: int | None) -> None:
    """Refuse a second verdict on a dispute, and one on a dispute that is not there."""
    if number is not None and find_dispute(match, number).has_verdict:
        raise MatchRefused("heard_already", f"Dispute {number} has its verdict.")


def require_resolvable(match: AnyMatch, command: ResolveDispute) -> None:
    """Refuse a ruling that does not fit the dispute, the state of the match, or its arbiter."""
    dispute = find_dispute(match, command.dispute)
    if not dispute.is_open:
        raise MatchRefused("resolved_already", f"Dispute {dispute.number} is resolved: {dispute.ruling}.")
    if not dispute.has_verdict:
        raise MatchRefused("not_heard", "The audit has not given its verdict yet; it takes some seconds.")
    require_impartial(match, command.arbiter)
    fitting = RULINGS_AFTER_END if match.status == "over" else RULINGS_DURING_PLAY
    if command.ruling not in fitting:
        state = "over" if match.status == "over" else "running"
        raise MatchRefused("bad_ruling", f"While a match is {state}, a ruling is {' or '.join(sorted(fitting))}.")
    if (command.to_ply is not None) != (command.ruling in RULINGS_WITH_PLY):
        wants = "names" if command.ruling in RULINGS_WITH_PLY else "does not name"
        raise MatchRefused("bad_ruling", f"The ruling {command.ruling} {wants} a ply.")
    if command.to_ply is not None:
        require_unretracted_ply(match, command.to_ply)


def require_impartial(match: AnyMatch, arbiter: str) -> None:
    """Refuse as arbiter who sits there, or did: a seat that was handed over still was theirs."""
    if match.has_seated(arbiter):
        raise MatchRefused("not_impartial", "Who sits or sat at a match cannot be its arbiter.")


def require_game_in_progress(then: AnyMatch) -> None:
    """Refuse to go back to a ply at which no game was on."""
    if then.status != "playing":
        raise MatchRefused("no_position", f"At ply {then.ply} the game was not being played.")


# -- events -------------------------------------------------------------------------------------------------------


def raise_dispute(match: AnyMatch, command: RaiseDispute, now: Any) -> list[AnyEvent]:
    """The dispute stands in the log."""
    require_disputable(match, command.seat, command.target)
    if (command.seat is None) == (command.arbiter is None):
        raise MatchRefused("not_your_seat", "A dispute comes from a seat of the match, or from an arbiter.")
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
    """The audit's verdict stands in the log: layer, ply and rule, nothing that is hidden."""
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
    """The ruling stands in the log. `then` is the match at the ply that it names."""
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


def adjudicated_outcome(then: AnyMatch) -> Outcome:
    """The result of a match as it stood then, by the game's own order and tie-breaks. Raises MatchRefused."""
    require_game_in_progress(then)
    outcome = then.rules.outcome(then.rules.decision(then.rules.close(then.state), then.state).state)
    assert outcome is not None, "the facts of `close` end a game"
    return replace(outcome, reason=RULING_REASON)


# -- folding ------------------------------------------------------------------------------------------------------


def disputes_after(disputes: tuple[Dispute, ...], event: AnyEvent) -> tuple[Dispute, ...]:
    """The disputes of a match after an event."""
    match event:
        case Disputed():
            raised = Dispute(
                number=event.ply,
                seat=event.seat,
                arbiter=event.arbiter,
                disputed_ply=event.target,
                ground=event.ground,
                claim_digest=event.claim,
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
