"""Disputes: the claim, the evidence, the verdict, the resolution; and what awaits an arbiter."""

from collections.abc import Sequence
from typing import cast, get_args

import msgspec
from flask import redirect, render_template, request, url_for
from werkzeug.exceptions import Forbidden, NotFound
from werkzeug.wrappers import Response

from domain.kernel.events import Ground, Ruling
from domain.kernel.game import MatchRefused, Refused, Seat
from domain.match.disputes import FINISHED, RUNNING, WITH_PLY, Dispute, RaiseDispute, Resolve, find_dispute
from domain.match.match import AnyMatch
from replays.report import Report
from service.accounts.players import Player
from service.disputes.statements import BadClaim, digest, tidy_claim
from service.event_store.log import CommandReused
from service.matches.command_handler import NotArbiter, NotSeated, NotYourTurn, StalePly
from service.read_models.projections import Row
from service.web.blueprint import services, web
from service.web.forms import command_id, new_key, number
from service.web.game_files import find_table
from service.web.match_history import story
from service.web.seating import Sitting, sittings, whose_turn
from service.web.visitor import known_id, known_player

GROUNDS: dict[Ground, str] = {
    "draw": "The dice or cards",
    "move": "A move and what it did",
    "score": "The score",
    "clock": "The time",
    "other": "Something else",
}
RULINGS: dict[Ruling, str] = {
    "goes_on": "The match goes on as it is",
    "rolled_back": "Back to an earlier ply, and on from there",
    "stands": "The result stands",
    "result_of": "The result is the score as it stood at an earlier ply",
    "annulled": "The match is annulled",
}
AUDITED_LAYERS = {
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


class StoredVerdict(msgspec.Struct, frozen=True):
    """What an audit of a match that is over has left."""

    report: Report


@web.get("/matches/<match>/disputes")
def disputes(match: str) -> str:
    """All disputes of a match, and the form for a new one."""
    return disputes_page(services().matches.load(match), "")


@web.post("/matches/<match>/disputes")
def raise_dispute(match: str) -> Response | tuple[str, int]:
    """Dispute a ply."""
    head = services().matches.load(match)
    reader = present_player()
    arbiter = is_arbiter(head, reader.id)
    ground = request.form.get("ground", "")
    try:
        if ground not in get_args(Ground):
            raise BadClaim("Say what the dispute is about.")
        words = tidy_claim(request.form.get("claim", ""))
        seat = None if arbiter else claimed_seat(head, reader.id)
        command = RaiseDispute(
            seat=seat,
            target=number(request.form.get("ply")) or 0,
            ground=cast(Ground, ground),
            claim=digest(words),
            arbiter=reader.id if arbiter else None,
        )
        done = services().matches.submit(match, command, command_id(reader.id))
        services().claims.keep(match, words)
    except BadClaim as error:
        return disputes_page(head, str(error)), 422
    except (Refused, NotSeated, StalePly, NotYourTurn, CommandReused) as error:
        return disputes_page(head, in_words(error)), 409
    return redirect(url_for("web.dispute", match=match, dispute=done.events[0].ply), 303)


@web.get("/matches/<match>/disputes/<int:dispute>")
def dispute(match: str, dispute: int) -> str:
    """One dispute; while it waits for its verdict the page looks again by itself."""
    head = services().matches.load(match)
    return dispute_page(head, wanted(head, dispute), "")


@web.post("/matches/<match>/disputes/<int:dispute>")
def resolve(match: str, dispute: int) -> Response | tuple[str, int]:
    """Resolve a dispute, as an arbiter."""
    head, arbiter = services().matches.load(match), present_player()
    raised = wanted(head, dispute)
    ruling = request.form.get("ruling", "")
    if ruling not in get_args(Ruling):
        return dispute_page(head, raised, "Choose a ruling."), 422
    to_ply = number(request.form.get("to_ply")) if ruling in WITH_PLY else None
    try:
        services().matches.submit(
            match, Resolve(dispute, cast(Ruling, ruling), arbiter.id, to_ply), command_id(arbiter.id)
        )
    except (Refused, NotArbiter, StalePly, CommandReused) as error:
        return dispute_page(services().matches.load(match), raised, in_words(error)), 409
    return redirect(url_for("web.dispute", match=match, dispute=dispute), 303)


@web.get("/disputes")
def court() -> str:
    """What awaits an arbiter, audits that failed, and for an arbiter those that have not come to their end.

    Private matches are told to arbiters alone.
    """
    arbiter = services().arbiters.has(known_id())
    rows: list[Row] = [row for row in services().projections.disputed() if arbiter or not row.private]
    failed = services().projections.failed_audits()
    if not arbiter:  # one that the lists do not know yet may be private
        failed = [row.id for row in services().projections.rows(failed) if not row.private]
    return render_template(
        "templates/court.html",
        rows=rows,
        failed=failed,
        resting=resting() if arbiter else [],
        arbiter=arbiter,
        player=known_player(),
    )


def resting() -> list[str]:
    """The matches that have no verdict because their audit takes too long."""
    projections, failures = services().projections, services().failures
    waiting = {each.match for each in (*projections.unaudited(), *projections.unheard())}
    return sorted(match for match in waiting if failures.audits_rest(match))


# -- what the pages show ------------------------------------------------------------------------------------------


def disputes_page(head: AnyMatch, refusal: str) -> str:
    """All disputes of a match."""
    reader = known_id()
    own = head.seats_of(reader)
    table = sittings(head, reader)
    words = words_of(head, head.disputes)
    asked = number(request.values.get("ply"))
    return render_template(
        "templates/disputes.html",
        match=head,
        game=head.rules,
        table=table,
        result=whose_turn(head, table, find_table(head.game).call),
        disputes=[(each, said_by(each, table), words[each.claim]) for each in head.disputes],
        own=own,
        may=head.status != "open" and head.draws and (own or is_arbiter(head, reader)),
        grounds=GROUNDS,
        rulings=RULINGS,
        ply=asked if asked and asked <= head.ply else head.ply,
        form=request.form,
        refusal=refusal,
        key=new_key(),
    )


def dispute_page(head: AnyMatch, raised: Dispute, refusal: str) -> str:
    """One dispute."""
    reader = known_id()
    table = sittings(head, reader)
    seen = services().matches.events(head, reading_seat(head, reader), after=max(0, raised.target - 1), most=1)
    return render_template(
        "templates/dispute.html",
        match=head,
        game=head.rules,
        table=table,
        dispute=raised,
        said_by=said_by(raised, table),
        words=words_of(head, [raised])[raised.claim],
        ground=GROUNDS[raised.ground],
        evidence=story(head, seen, table),
        fault=AUDITED_LAYERS.get(raised.layer or "", "it does not hold"),
        report=report_of(head) if raised.is_heard else None,
        rulings={name: title for name, title in RULINGS.items() if name in fitting(head)},
        ruling=RULINGS.get(raised.ruling) if raised.ruling else None,
        arbiter=is_arbiter(head, reader),
        refusal=refusal,
        key=new_key(),
    )


def is_arbiter(head: AnyMatch, reader: str | None) -> bool:
    """Whether the reader may be the arbiter of this match."""
    return services().arbiters.has(reader) and not head.has_seated(reader)


def fitting(head: AnyMatch) -> frozenset[Ruling]:
    """The rulings that fit the match as it stands."""
    return FINISHED if head.status == "over" else RUNNING


def report_of(head: AnyMatch) -> Report | None:
    """The whole report, once nothing is hidden any more."""
    raw = services().projections.verdict(head.id) if head.status == "over" else None
    return msgspec.json.decode(raw, type=StoredVerdict).report if raw else None


def wanted(head: AnyMatch, dispute: int) -> Dispute:
    """The dispute of this number. Raises NotFound."""
    try:
        return find_dispute(head, dispute)
    except MatchRefused as error:
        raise NotFound(error.message) from None


def words_of(head: AnyMatch, raised: Sequence[Dispute]) -> dict[str, str | None]:
    """The words of disputes, by digest."""
    return services().claims.words(head.id, [each.claim for each in raised])


def said_by(raised: Dispute, table: Sequence[Sitting]) -> str:
    """Who raised a dispute."""
    return "an arbiter" if raised.seat is None else table[raised.seat].title


def reading_seat(head: AnyMatch, reader: str | None) -> Seat | None:
    """The reader's first seat."""
    own = head.seats_of(reader)
    return own[0] if own else None


def claimed_seat(head: AnyMatch, player: str) -> Seat:
    """The seat from which the player disputes: the one posted, else the first own one. Raises NotSeated."""
    own, posted = head.seats_of(player), number(request.form.get("seat"))
    if not own or (posted is not None and posted not in own):
        raise NotSeated("you do not sit there")
    return own[0] if posted is None else posted


def present_player() -> Player:
    """The player of this session. Raises Forbidden."""
    found = known_player()
    if found is None:
        raise Forbidden("Only who sits at a match may dispute it. If you did, this browser has forgotten you.")
    return found


def in_words(error: Exception) -> str:
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
