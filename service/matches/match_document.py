"""A match as one reader may see it, as the API answers with it: encoded by msgspec, described by its types."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from domain.kernel.events import Fork, Ground, Ruling, TimeControl
from domain.kernel.game import Outcome, Seat
from domain.match.proposals import seats_to_answer
from domain.match.state import AnyMatch, Dispute, MatchStatus, ProposalKind

HASH_PATTERN = "^[0-9a-f]{64}$"
MATCH_ID_PATTERN = "^[0-6][0-9][a-z2-7]{16}$"

HashHex = Annotated[str, Meta(extra_json_schema={"pattern": HASH_PATTERN})]
MatchId = Annotated[str, Meta(extra_json_schema={"pattern": MATCH_ID_PATTERN})]


class SeatDocument(msgspec.Struct, frozen=True):
    """One seat of a match, and the player or bot in it."""

    seat: Seat
    name: Annotated[str, Meta(description="The seat's name in the game.")]
    kind: Literal["human", "bot", "open"]
    private: Annotated[bool, Meta(description="Taken by invitation only.")]
    player: str | None
    player_name: str | None
    level: Annotated[str | None, Meta(description="The level of a bot.")]
    standin: Annotated[str | None, Meta(description="The bot that makes this seat's next move, whose time was up.")]
    lapsed: Annotated[bool, Meta(description="Its time was up, and its person has not moved since.")]
    deadline: Annotated[datetime | None, Meta(description="When its time is up; null: no clock runs.")]
    away: Annotated[datetime | None, Meta(description="When its last vacation ends, or has ended.")]
    vacation: Annotated[int, Meta(description="Days off that it may still take.")]


class ProposalDocument(msgspec.Struct, frozen=True):
    """A proposal of a seat that other seats have not answered yet."""

    number: Annotated[int, Meta(description="The ply of the asking; `agree` and `decline` name it.")]
    seat: Seat
    what: ProposalKind
    seconds: int | None
    to_ply: int | None
    of: Annotated[Seat | None, Meta(description="The seat to be handed over.")]
    level: Annotated[str | None, Meta(description="Of the bot that gets it; null: who is invited.")]
    awaits: Annotated[list[Seat], Meta(description="Seats that have not answered.")]


class OfferDocument(msgspec.Struct, frozen=True):
    """A seat that anyone with its invitation can take over."""

    number: Annotated[int, Meta(description="The ply of the offer; `keep_seat` names it.")]
    seat: Seat
    by: Annotated[Seat, Meta(description="The seat that offers it: the same one, or another by consent.")]
    invitation: Annotated[
        str | None, Meta(description="For who shall take it over; told to who offers it alone, by a token that could.")
    ]


class MatchDocument(msgspec.Struct, frozen=True, kw_only=True):
    """A match as its reader may see it."""

    id: MatchId
    game: str
    rules_version: int
    status: MatchStatus
    ply: Annotated[int, Meta(description="The number of the last event; also the ETag.")]
    to_move: Annotated[list[Seat], Meta(description="The seats that owe a move.")]
    you: Annotated[list[Seat], Meta(description="Your seats.")]
    seats: list[SeatDocument]
    options: dict[str, Any]
    view: Annotated[Any, Meta(description="Null before the start.")]
    outcome: Outcome | None
    creator: str
    given_seed: Annotated[bool, Meta(description="The seed was chosen by the creator: never rated.")]
    commitment: Annotated[HashHex, Meta(description="SHA-256 of the seed.")]
    seed: Annotated[str | None, Meta(description="The seed in hex, once the match is over.")]
    head: Annotated[HashHex, Meta(description="The hash of the last event.")]
    created_at: datetime
    at: Annotated[datetime, Meta(description="The time of the last event.")]
    disputes: Annotated[list[int], Meta(description="Disputes that nobody has resolved yet.")]
    retracted: Annotated[list[tuple[int, int]], Meta(description="Plies that were taken back: first and last.")]
    clock: TimeControl | None
    paused: Annotated[bool, Meta(description="All clocks stand.")]
    proposals: list[ProposalDocument]
    offers: list[OfferDocument]
    rated: Annotated[bool, Meta(description="It counts for the ratings, if nothing comes in between.")]
    private: Annotated[bool, Meta(description="It stands in no list.")]
    seating: Annotated[Literal["chosen", "chance"], Meta(description="How it is decided who sits where.")]
    annulled: Annotated[bool, Meta(description="An arbiter has annulled it: it has no result.")]
    flawed: Annotated[bool, Meta(description="An audit found that its log does not hold.")]
    fork: Annotated[Fork | None, Meta(description="Where it was forked from; a fork counts for nothing.")]


class FindingDocument(msgspec.Struct, frozen=True):
    """The audit's verdict: the match holds, or by which layer, at which ply and under which rule it does not."""

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
    """A dispute; its number is the ply of the event that raised it."""

    number: int
    ply: Annotated[int, Meta(description="The ply that is disputed.")]
    seat: Seat | None
    arbiter: Annotated[str | None, Meta(description="The arbiter who raised it without a seat.")]
    ground: Ground
    claim: Annotated[str | None, Meta(description="The words; null where they were erased.")]
    claim_digest: Annotated[str, Meta(description="SHA-256 of the words, as the log holds it.")]
    verdict: Annotated[FindingDocument | None, Meta(description="Null until the audit has looked.")]
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
