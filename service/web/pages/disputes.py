"""Dispute pages: claim, evidence, verdict and resolution, and the list of cases for arbiters."""

from collections.abc import Sequence
from typing import cast, get_args

import msgspec
from flask import redirect, render_template, request, url_for
from werkzeug.exceptions import NotFound
from werkzeug.wrappers import Response

from domain.kernel.events import Ground, Ruling
from domain.kernel.game import Seat
from domain.kernel.refusals import MatchRefused, Refused
from domain.kernel.table import BadForm
from domain.match.commands import RaiseDispute, ResolveDispute
from domain.match.disputes import (
    RULINGS_AFTER_END,
    RULINGS_DURING_PLAY,
    RULINGS_IN_WORDS,
    RULINGS_WITH_PLY,
    automatic_ruling,
    find_dispute,
    ruling_due_at,
)
from domain.match.state import AnyMatch, Dispute
from replays.report import Report
from service.app_context import services
from service.disputes.statements import InvalidStatement, normalize_statement, statement_digest
from service.event_store.errors import CommandReused
from service.matches.errors import NotArbiter, NotSeated, NotYourTurn, StalePly
from service.matches.seats import first_seat_of
from service.moderation.sanctions import Muted
from service.read_models.summary import MatchSummary
from service.web.blueprint import web
from service.web.forms import new_form_key, parse_number, posted_idempotency_key, posted_ply
from service.web.game_files import find_table
from service.web.match_history import history_entries
from service.web.seating import SeatInfo, describe_turn, seat_infos
from service.web.visitor import current_player, current_player_id, require_seated_player

GROUND_TITLES: dict[Ground, str] = {
    "draw": "Dice or cards",
    "move": "A move and its effects",
    "score": "The score",
    "clock": "Time limits",
    "other": "Something else",
}
RULING_TITLES: dict[Ruling, str] = {
    "goes_on": "The match continues unchanged",
    "rolled_back": "The match continues from an earlier move",
    "stands": "The result is upheld",
    "result_of": "The result is the score at an earlier move",
    "annulled": "The match is annulled",
}
LAYER_FAULTS = {
    "file": "the log is malformed",
    "chain": "the hash chain of the events is broken",
    "lifecycle": "some events are out of order",
    "seed": "the seed does not match its commitment",
    "components": "the cards or boards differ from those of the game",
    "draws": "a random draw does not match the seed",
    "moves": "the effects of a move differ from the log",
    "fold": "the counts or the result do not follow from the recorded facts",
    "score": "the score differs from an independent count",
    "clocks": "the times are inconsistent",
    "authorship": "someone acted without permission",
    "fork": "the match does not start from the position it was forked from",
    "snapshot": "a cached position does not follow from the events",
}
NOT_SEATED = "Only arbiters and players of this match can do that."


class StoredVerdict(msgspec.Struct, frozen=True):
    """The stored result of the audit of a finished match."""

    report: Report


@web.get("/matches/<match>/disputes")
def disputes(match: str) -> str:
    """Show all disputes of a match, and the form for a new one."""
    return disputes_page(services().matches.repository.load(match), "")


@web.post("/matches/<match>/disputes")
def raise_dispute(match: str) -> Response | tuple[str, int]:
    """Raise a dispute about a ply."""
    head = services().matches.repository.load(match)
    reader = require_seated_player(NOT_SEATED)
    arbiter = is_arbiter(head, reader.id)
    ground = request.form.get("ground", "")
    try:
        services().moderation.sanctions.require_may_write(reader.id)
        if ground not in get_args(Ground):
            raise InvalidStatement("Choose what the dispute is about.")
        words = normalize_statement(request.form.get("claim", ""))
        seat = None if arbiter else posted_own_seat(head, reader.id)
        command = RaiseDispute(
            seat=seat,
            target=posted_ply(),
            ground=cast(Ground, ground),
            claim=statement_digest(words),
            arbiter=reader.id if arbiter else None,
        )
        done = services().matches.commands.submit(match, command, posted_idempotency_key(reader.id))
        services().disputes.statements.store(match, words)
    except (InvalidStatement, BadForm, Muted) as error:
        return disputes_page(head, str(error)), 422
    except (Refused, NotSeated, StalePly, NotYourTurn, CommandReused) as error:
        return disputes_page(head, refusal_text(error)), 409
    return redirect(url_for("web.dispute", match=match, dispute=done.events[0].ply), 303)


@web.get("/matches/<match>/disputes/<int:dispute>")
def dispute(match: str, dispute: int) -> str:
    """Show one dispute. The page reloads itself until there is a verdict."""
    head = services().matches.repository.load(match)
    return dispute_page(head, find_dispute_or_404(head, dispute), "")


@web.post("/matches/<match>/disputes/<int:dispute>")
def resolve(match: str, dispute: int) -> Response | tuple[str, int]:
    """Resolve a dispute as an arbiter."""
    head, arbiter = services().matches.repository.load(match), require_seated_player(NOT_SEATED)
    raised = find_dispute_or_404(head, dispute)
    ruling = request.form.get("ruling", "")
    if ruling not in get_args(Ruling):
        return dispute_page(head, raised, "Choose a ruling."), 422
    to_ply = parse_number(request.form.get("to_ply")) if ruling in RULINGS_WITH_PLY else None
    try:
        services().matches.commands.submit(
            match, ResolveDispute(dispute, cast(Ruling, ruling), arbiter.id, to_ply), posted_idempotency_key(arbiter.id)
        )
    except (Refused, NotArbiter, StalePly, CommandReused) as error:
        return dispute_page(services().matches.repository.load(match), raised, refusal_text(error)), 409
    return redirect(url_for("web.dispute", match=match, dispute=dispute), 303)


@web.get("/disputes")
def court() -> str:
    """Show open disputes and failed audits. Arbiters also see the audits on hold.

    Only arbiters see private matches.
    """
    arbiter = services().accounts.arbiters.is_arbiter(current_player_id())
    rows: list[MatchSummary] = [
        row for row in services().read_models.work.disputed_matches() if arbiter or not row.private
    ]
    failed = services().read_models.verdicts.failed_matches()
    if not arbiter:  # a match that is not in the lists yet may be private
        failed = [row.id for row in services().read_models.lists.find_matches(failed) if not row.private]
    return render_template(
        "templates/court.html",
        rows=rows,
        failed=failed,
        resting=audits_on_hold() if arbiter else [],
        arbiter=arbiter,
        player=current_player(),
    )


def audits_on_hold() -> list[str]:
    """Return the matches without a verdict whose audits are suspended because they take too long."""
    work, failures = services().read_models.work, services().runtime.job_failures
    waiting = {each.match for each in (*work.unaudited_matches(), *work.disputes_awaiting_verdict())}
    return sorted(match for match in waiting if failures.are_audits_suspended(match))


# -- page rendering ---------------------------------------------------------------------------------------------


def disputes_page(head: AnyMatch, refusal: str) -> str:
    """Return the page with all disputes of a match."""
    reader = current_player_id()
    own = head.seats_of(reader)
    table = seat_infos(head, reader)
    words = claim_texts(head, head.disputes)
    asked = parse_number(request.values.get("ply"))
    return render_template(
        "templates/disputes.html",
        match=head,
        game=head.rules,
        table=table,
        result=describe_turn(head, table, find_table(head.game).prompt),
        disputes=[(each, raised_by(each, table), words[each.claim_digest]) for each in head.disputes],
        own=own,
        may=head.status not in ("open", "opening") and head.draw_count and (own or is_arbiter(head, reader)),
        grounds=GROUND_TITLES,
        rulings=RULING_TITLES,
        ply=asked if asked and asked <= head.ply else head.ply,
        form=request.form,
        refusal=refusal,
        key=new_form_key(),
    )


def dispute_page(head: AnyMatch, raised: Dispute, refusal: str) -> str:
    """Return the page of one dispute."""
    reader = current_player_id()
    table = seat_infos(head, reader)
    seen = services().matches.repository.visible_events(
        head, first_seat_of(head, reader), after=max(0, raised.disputed_ply - 1), most=1
    )
    return render_template(
        "templates/dispute.html",
        match=head,
        game=head.rules,
        table=table,
        dispute=raised,
        said_by=raised_by(raised, table),
        words=claim_texts(head, [raised])[raised.claim_digest],
        ground=GROUND_TITLES[raised.ground],
        evidence=history_entries(head, seen, table),
        fault=LAYER_FAULTS.get(raised.layer or "", "a check failed"),
        report=full_report(head) if raised.has_verdict else None,
        rulings={name: title for name, title in RULING_TITLES.items() if name in allowed_rulings(head)},
        ruling=RULING_TITLES.get(raised.ruling) if raised.ruling else None,
        ruling_due=ruling_due_at(head, raised),
        automatic=RULINGS_IN_WORDS.get(automatic_ruling(head, raised) or "goes_on"),
        arbiter=is_arbiter(head, reader),
        refusal=refusal,
        key=new_form_key(),
    )


def is_arbiter(head: AnyMatch, reader: str | None) -> bool:
    """Return whether the reader may act as arbiter in this match."""
    return services().accounts.arbiters.is_arbiter(reader) and not head.has_seated(reader)


def allowed_rulings(head: AnyMatch) -> frozenset[Ruling]:
    """Return the rulings that are possible in the current status of the match."""
    return RULINGS_AFTER_END if head.status == "over" else RULINGS_DURING_PLAY


def full_report(head: AnyMatch) -> Report | None:
    """Return the full audit report of a finished match, or None."""
    raw = services().read_models.verdicts.find(head.id) if head.status == "over" else None
    return msgspec.json.decode(raw, type=StoredVerdict).report if raw else None


def find_dispute_or_404(head: AnyMatch, dispute: int) -> Dispute:
    """Return the dispute with this number. Raises NotFound."""
    try:
        return find_dispute(head, dispute)
    except MatchRefused as error:
        raise NotFound(error.message) from None


def claim_texts(head: AnyMatch, raised: Sequence[Dispute]) -> dict[str, str | None]:
    """Return the texts of claims by digest, None for an erased one."""
    return services().disputes.statements.texts(head.id, [each.claim_digest for each in raised])


def raised_by(raised: Dispute, table: Sequence[SeatInfo]) -> str:
    """Return who raised a dispute."""
    return "an arbiter" if raised.seat is None else table[raised.seat].label


def posted_own_seat(head: AnyMatch, player: str) -> Seat:
    """Return the posted seat of the player, or else their first seat. Raises NotSeated."""
    own, posted = head.seats_of(player), parse_number(request.form.get("seat"))
    if not own or (posted is not None and posted not in own):
        raise NotSeated("the player does not have this seat")
    return own[0] if posted is None else posted


def refusal_text(error: Exception) -> str:
    """Return a refusal as a message for the player."""
    match error:
        case Refused():
            return error.message
        case NotSeated():
            return "You aren't playing in this match, so you can't dispute it."
        case NotArbiter():
            return "Only an arbiter can resolve a dispute."
        case StalePly():
            return "The match has changed in the meantime. Check it and try again."
        case _:
            return "This form was already sent. You can send it again from here."
