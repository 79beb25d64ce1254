"""Disputes: the claim, the evidence, the verdict, the resolution; and what awaits an arbiter."""

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
from domain.match.disputes import RULINGS_AFTER_END, RULINGS_DURING_PLAY, RULINGS_WITH_PLY, find_dispute
from domain.match.state import AnyMatch, Dispute
from replays.report import Report
from service.app_context import services
from service.disputes.statements import InvalidStatement, normalize_statement, statement_digest
from service.event_store.errors import CommandReused
from service.matches.errors import NotArbiter, NotSeated, NotYourTurn, StalePly
from service.matches.seats import first_seat_of
from service.read_models.summary import MatchSummary
from service.web.blueprint import web
from service.web.forms import new_form_key, parse_number, posted_idempotency_key, posted_ply
from service.web.game_files import find_table
from service.web.match_history import history_entries
from service.web.seating import SeatInfo, describe_turn, seat_infos
from service.web.visitor import current_player, current_player_id, require_seated_player

GROUND_TITLES: dict[Ground, str] = {
    "draw": "The dice or cards",
    "move": "A move and what it did",
    "score": "The score",
    "clock": "The time",
    "other": "Something else",
}
RULING_TITLES: dict[Ruling, str] = {
    "goes_on": "The match goes on as it is",
    "rolled_back": "Back to an earlier ply, and on from there",
    "stands": "The result stands",
    "result_of": "The result is the score as it stood at an earlier ply",
    "annulled": "The match is annulled",
}
LAYER_FAULTS = {
    "file": "its log is not in its proper form",
    "chain": "its events do not follow each other as they were sealed",
    "lifecycle": "its events do not stand where they may",
    "seed": "its luck does not come from the seed that was committed to",
    "components": "it was played with other cards or boards",
    "draws": "a draw is not what the seed gives",
    "moves": "a move does not do what the log says",
    "fold": "its counts or its result are not what its facts add up to",
    "score": "its score is not what an independent count gives",
    "clocks": "its times are out of order",
    "authorship": "somebody acted who could not",
    "fork": "it does not begin as the match was that it comes from",
    "snapshot": "a cached position is not what its events add up to",
}
NOT_SEATED = "Only who sits at a match may dispute it."


class StoredVerdict(msgspec.Struct, frozen=True):
    """What an audit of a match that is over has left."""

    report: Report


@web.get("/matches/<match>/disputes")
def disputes(match: str) -> str:
    """All disputes of a match, and the form for a new one."""
    return disputes_page(services().matches.repository.load(match), "")


@web.post("/matches/<match>/disputes")
def raise_dispute(match: str) -> Response | tuple[str, int]:
    """Dispute a ply."""
    head = services().matches.repository.load(match)
    reader = require_seated_player(NOT_SEATED)
    arbiter = is_arbiter(head, reader.id)
    ground = request.form.get("ground", "")
    try:
        if ground not in get_args(Ground):
            raise InvalidStatement("Say what the dispute is about.")
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
    except (InvalidStatement, BadForm) as error:
        return disputes_page(head, str(error)), 422
    except (Refused, NotSeated, StalePly, NotYourTurn, CommandReused) as error:
        return disputes_page(head, refusal_text(error)), 409
    return redirect(url_for("web.dispute", match=match, dispute=done.events[0].ply), 303)


@web.get("/matches/<match>/disputes/<int:dispute>")
def dispute(match: str, dispute: int) -> str:
    """One dispute; while it waits for its verdict the page looks again by itself."""
    head = services().matches.repository.load(match)
    return dispute_page(head, find_dispute_or_404(head, dispute), "")


@web.post("/matches/<match>/disputes/<int:dispute>")
def resolve(match: str, dispute: int) -> Response | tuple[str, int]:
    """Resolve a dispute, as an arbiter."""
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
    """What awaits an arbiter, audits that failed, and for an arbiter those that have not come to their end.

    Private matches are told to arbiters alone.
    """
    arbiter = services().accounts.arbiters.is_arbiter(current_player_id())
    rows: list[MatchSummary] = [
        row for row in services().read_models.work.disputed_matches() if arbiter or not row.private
    ]
    failed = services().read_models.verdicts.failed_matches()
    if not arbiter:  # one that the lists do not know yet may be private
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
    """The matches that have no verdict because their audit takes too long."""
    work, failures = services().read_models.work, services().runtime.job_failures
    waiting = {each.match for each in (*work.unaudited_matches(), *work.disputes_awaiting_verdict())}
    return sorted(match for match in waiting if failures.are_audits_suspended(match))


# -- what the pages show ------------------------------------------------------------------------------------------


def disputes_page(head: AnyMatch, refusal: str) -> str:
    """All disputes of a match."""
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
        may=head.status != "open" and head.draw_count and (own or is_arbiter(head, reader)),
        grounds=GROUND_TITLES,
        rulings=RULING_TITLES,
        ply=asked if asked and asked <= head.ply else head.ply,
        form=request.form,
        refusal=refusal,
        key=new_form_key(),
    )


def dispute_page(head: AnyMatch, raised: Dispute, refusal: str) -> str:
    """One dispute."""
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
        fault=LAYER_FAULTS.get(raised.layer or "", "it does not hold"),
        report=full_report(head) if raised.has_verdict else None,
        rulings={name: title for name, title in RULING_TITLES.items() if name in allowed_rulings(head)},
        ruling=RULING_TITLES.get(raised.ruling) if raised.ruling else None,
        arbiter=is_arbiter(head, reader),
        refusal=refusal,
        key=new_form_key(),
    )


def is_arbiter(head: AnyMatch, reader: str | None) -> bool:
    """Whether the reader may be the arbiter of this match."""
    return services().accounts.arbiters.is_arbiter(reader) and not head.has_seated(reader)


def allowed_rulings(head: AnyMatch) -> frozenset[Ruling]:
    """The rulings that fit the match as it stands."""
    return RULINGS_AFTER_END if head.status == "over" else RULINGS_DURING_PLAY


def full_report(head: AnyMatch) -> Report | None:
    """The whole report, once nothing is hidden any more."""
    raw = services().read_models.verdicts.find(head.id) if head.status == "over" else None
    return msgspec.json.decode(raw, type=StoredVerdict).report if raw else None


def find_dispute_or_404(head: AnyMatch, dispute: int) -> Dispute:
    """The dispute of this number. Raises NotFound."""
    try:
        return find_dispute(head, dispute)
    except MatchRefused as error:
        raise NotFound(error.message) from None


def claim_texts(head: AnyMatch, raised: Sequence[Dispute]) -> dict[str, str | None]:
    """The words of disputes, by digest."""
    return services().disputes.statements.texts(head.id, [each.claim_digest for each in raised])


def raised_by(raised: Dispute, table: Sequence[SeatInfo]) -> str:
    """Who raised a dispute."""
    return "an arbiter" if raised.seat is None else table[raised.seat].label


def posted_own_seat(head: AnyMatch, player: str) -> Seat:
    """The seat from which the player disputes: the one posted, else the first own one. Raises NotSeated."""
    own, posted = head.seats_of(player), parse_number(request.form.get("seat"))
    if not own or (posted is not None and posted not in own):
        raise NotSeated("you do not sit there")
    return own[0] if posted is None else posted


def refusal_text(error: Exception) -> str:
    """A refusal for the one who asked."""
    match error:
        case Refused():
            return error.message
        case NotSeated():
            return "You do not sit at this match, so you cannot dispute it."
        case NotArbiter():
            return "Only an arbiter may resolve a dispute."
        case StalePly():
            return "The match has moved on meanwhile; look at it again."
        case _:
            return "This form was used before. Send it again from here."
