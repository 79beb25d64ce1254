"""What goes out: a match and its events as one reader may see them, encoded once by msgspec."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal

import msgspec

from domain.kernel.events import Fork, Ground, Ruling, TimeControl
from domain.kernel.game import Outcome, Seat
from domain.match.proposals import seats_to_answer
from domain.match.state import AnyMatch, Dispute, MatchStatus, ProposalKind


class SeatDocument(msgspec.Struct, frozen=True):
    """One seat: its number, its name in the game, and who sits there."""

    seat: Seat
    name: str
    kind: Literal["human", "bot", "open"]
    private: bool
    player: str | None
    player_name: str | None
    level: str | None
    standin: str | None
    lapsed: bool
    deadline: datetime | None
    away: datetime | None
    vacation: int


class ProposalDocument(msgspec.Struct, frozen=True):
    """What a seat has asked for, and whose answer it awaits."""

    number: int
    seat: Seat
    what: ProposalKind
    seconds: int | None
    to_ply: int | None
    of: Seat | None
    level: str | None
    awaits: list[Seat]


class OfferDocument(msgspec.Struct, frozen=True):
    """A seat that is offered; the invitation for who offers it alone."""

    number: int
    seat: Seat
    by: Seat
    invitation: str | None


class MatchDocument(msgspec.Struct, frozen=True, kw_only=True):
    """A match as one reader sees it. `you` lists the reader's seats, `view` is null before the start."""

    id: str
    game: str
    rules_version: int
    status: MatchStatus
    ply: int
    to_move: list[Seat]
    you: list[Seat]
    seats: list[SeatDocument]
    options: dict[str, Any]
    view: Any
    outcome: Outcome | None
    creator: str
    given_seed: bool
    commitment: str
    seed: str | None
    head: str
    created_at: datetime
    at: datetime
    disputes: list[int]
    retracted: list[tuple[int, int]]
    clock: TimeControl | None
    paused: bool
    proposals: list[ProposalDocument]
    offers: list[OfferDocument]
    rated: bool
    private: bool
    seating: Literal["chosen", "chance"]
    annulled: bool
    flawed: bool
    fork: Fork | None


class FindingDocument(msgspec.Struct, frozen=True):
    """An audit's verdict on a dispute."""

    holds: bool
    layer: str | None
    ply: int | None
    rule: str | None


class ResolutionDocument(msgspec.Struct, frozen=True):
    """How an arbiter resolved a dispute."""

    ruling: Ruling
    to_ply: int | None
    arbiter: str


class DisputeDocument(msgspec.Struct, frozen=True, kw_only=True):
    """A dispute with its words (None: erased), its verdict and its resolution."""

    number: int
    ply: int
    seat: Seat | None
    arbiter: str | None
    ground: Ground
    claim: str | None
    claim_digest: str
    verdict: FindingDocument | None
    resolution: ResolutionDocument | None


def dispute_document(dispute: Dispute, words: str | None) -> DisputeDocument:
    """The dispute as everybody may see it."""
    verdict = None
    if dispute.audit_holds is not None:
        verdict = FindingDocument(dispute.audit_holds, dispute.layer, dispute.at_ply, dispute.rule)
    resolution = None
    if dispute.ruling is not None:
        resolution = ResolutionDocument(dispute.ruling, dispute.to_ply, dispute.resolved_by or "")
    return DisputeDocument(
        number=dispute.number,
        ply=dispute.disputed_ply,
        seat=dispute.seat,
        arbiter=dispute.arbiter,
        ground=dispute.ground,
        claim=words,
        claim_digest=dispute.claim_digest,
        verdict=verdict,
        resolution=resolution,
    )


def match_document(
    match: AnyMatch, seat: Seat | None, you: tuple[Seat, ...], names: Mapping[str, str], codes: Mapping[int, str]
) -> MatchDocument:
    """The match as this seat (None: a spectator) may see it.

    `names` gives the players' names by id, `codes` the invitations of offers that the reader has made by their numbers.
    """
    game = match.rules
    seat_names = game.seat_names(len(match.seats))
    return MatchDocument(
        id=match.id,
        game=match.game,
        rules_version=match.rules_version,
        status=match.status,
        ply=match.ply,
        to_move=sorted(match.to_move),
        you=list(you),
        seats=[
            SeatDocument(
                seat=number,
                name=seat_names[number],
                kind=taken.kind,
                private=taken.private,
                player=taken.player,
                player_name=names.get(taken.player or ""),
                level=taken.level,
                standin=taken.standin,
                lapsed=taken.has_timed_out,
                deadline=match.clocks[number].deadline if match.clocks else None,
                away=match.clocks[number].vacation_until if match.clocks else None,
                vacation=match.clocks[number].vacation_days_left if match.clocks else 0,
            )
            for number, taken in enumerate(match.seats)
        ],
        options=match.options,
        view=game.view(match.state, seat) if match.draw_count else None,
        outcome=match.outcome,
        creator=match.creator,
        given_seed=match.has_given_seed,
        commitment=match.commitment,
        seed=match.seed,
        head=match.head_hash,
        created_at=match.created_at,
        at=match.last_event_at,
        disputes=[dispute.number for dispute in match.disputes if dispute.is_open],
        retracted=[(span.first, span.last) for span in match.retracted_spans],
        clock=match.time_control,
        paused=match.paused,
        proposals=[
            ProposalDocument(
                each.number,
                each.seat,
                each.kind,
                each.seconds,
                each.to_ply,
                each.target_seat,
                each.level,
                seats_to_answer(match, each),
            )
            for each in match.proposals
        ],
        offers=[OfferDocument(each.number, each.seat, each.by, codes.get(each.number)) for each in match.offers],
        rated=match.is_rated,
        private=match.private,
        seating="chance" if match.by_chance else "chosen",
        annulled=match.annulled,
        flawed=match.has_failed_audit,
        fork=match.fork,
    )
