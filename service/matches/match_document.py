"""The API's representation of a match for one reader. msgspec encodes it; its types describe it."""

from collections.abc import Mapping
from datetime import datetime
from types import MappingProxyType
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from domain.kernel.events import Fork, Ground, LuckLevel, Ruling, TimeControl
from domain.kernel.game import Outcome, Seat
from domain.match.absence import first_move_deadline
from domain.match.clock import lobby_closing_time
from domain.match.disputes import NO_RULING
from domain.match.luck import standing_shares, table_seats, unopened_seats
from domain.match.proposals import seats_to_answer
from domain.match.state import AnyMatch, Dispute, MatchStatus, ProposalKind, UnratedReason
from service.matches.lost_positions import errors_as_lost_position

HASH_PATTERN = "^[0-9a-f]{64}$"
MATCH_ID_PATTERN = "^[0-6][0-9][a-z2-7]{16}$"

HashHex = Annotated[str, Meta(extra_json_schema={"pattern": HASH_PATTERN})]
MatchId = Annotated[str, Meta(extra_json_schema={"pattern": MATCH_ID_PATTERN})]


class SeatDocument(msgspec.Struct, frozen=True):
    """One seat of a match, and the player or bot in it."""

    seat: Seat
    name: Annotated[str, Meta(description="The seat's name in the game.")]
    kind: Literal["human", "bot", "open"]
    private: Annotated[bool, Meta(description="Only players with an invitation can take it.")]
    player: str | None
    player_name: str | None
    level: Annotated[str | None, Meta(description="The level of a bot.")]
    standin: Annotated[
        str | None, Meta(description="The bot that makes this seat's next move because it ran out of time.")
    ]
    lapsed: Annotated[bool, Meta(description="It ran out of time, and its player has not moved since.")]
    deadline: Annotated[
        datetime | None, Meta(description="When it runs out of time; null if its clock is not running.")
    ]
    away: Annotated[datetime | None, Meta(description="The end of its latest vacation, which may be over.")]
    vacation: Annotated[int, Meta(description="Vacation days that it has left.")]
    reserved_for: Annotated[str | None, Meta(description="The only player who can take it.")]
    first_move_due: Annotated[
        datetime | None,
        Meta(
            description="When its player counts as absent, if they owe their first move; null if they have moved or "
            "it is not their turn. Then the others can `abort`, `hand_over` or `claim_loss`."
        ),
    ]


class ProposalDocument(msgspec.Struct, frozen=True):
    """A proposal that other seats have not answered yet."""

    number: Annotated[int, Meta(description="The ply of the proposal; `agree` and `decline` refer to it.")]
    seat: Seat
    what: ProposalKind
    seconds: int | None
    to_ply: int | None
    of: Annotated[Seat | None, Meta(description="The seat to hand over.")]
    level: Annotated[str | None, Meta(description="Level of the bot that takes it over; null for an invited player.")]
    awaits: Annotated[list[Seat], Meta(description="Seats that have not answered yet.")]


class OfferDocument(msgspec.Struct, frozen=True):
    """An offer of a seat that anyone with its invitation can take over."""

    number: Annotated[int, Meta(description="The ply of the offer; `keep_seat` refers to it.")]
    seat: Seat
    by: Annotated[Seat, Meta(description="The seat that offers it: the same seat, or another one by consent.")]
    invitation: Annotated[
        str | None,
        Meta(description="The code for the new player. Only the offering player sees it, with a full-access token."),
    ]


class LuckDocument(msgspec.Struct, frozen=True, kw_only=True):
    """How the match gets its luck, under luck protocol 2. All lists are in the order in which seats were taken."""

    protocol: Literal[2]
    level: LuckLevel
    commitment: HashHex
    opening_seconds: Annotated[int | None, Meta(description="How long players have to open their shares.")]
    shares: Annotated[list[str | None], Meta(description="The shares that are open; null where there is none.")]
    seals: Annotated[list[str | None], Meta(description="The seals of shares; null where there is none.")]
    unopened: Annotated[list[Seat], Meta(description="Seats with a seal whose share is not open.")]
    deadline: Annotated[datetime | None, Meta(description="When the shares must be open, once all seats are taken.")]
    discarded: Annotated[
        dict[str, int],
        Meta(
            description="Before the start: how many earlier matches each of these players, by id, discarded: by not "
            "opening a share, or by aborting the match."
        ),
    ]


class MatchDocument(msgspec.Struct, frozen=True, kw_only=True):
    """A match as its reader may see it."""

    id: MatchId
    game: str
    rules_version: int
    status: MatchStatus
    ply: Annotated[int, Meta(description="The number of the last event; also the ETag.")]
    to_move: Annotated[list[Seat], Meta(description="The seats whose move is due.")]
    you: Annotated[list[Seat], Meta(description="Your seats.")]
    seats: list[SeatDocument]
    options: dict[str, Any]
    view: Annotated[Any, Meta(description="Null before the match starts.")]
    outcome: Outcome | None
    creator: str
    given_seed: Annotated[bool, Meta(description="The creator chose the seed; the match is never rated.")]
    commitment: Annotated[HashHex, Meta(description="SHA-256 of the seed.")]
    seed: Annotated[str | None, Meta(description="The seed in hex, once the match is over.")]
    head: Annotated[HashHex, Meta(description="The hash of the last event.")]
    created_at: datetime
    at: Annotated[datetime, Meta(description="The time of the last event.")]
    disputes: Annotated[list[int], Meta(description="Disputes that are not resolved yet.")]
    retracted: Annotated[list[tuple[int, int]], Meta(description="First and last ply of each takeback.")]
    clock: TimeControl | None
    paused: Annotated[bool, Meta(description="All clocks are stopped.")]
    proposals: list[ProposalDocument]
    offers: list[OfferDocument]
    rated: Annotated[bool, Meta(description="Whether the result currently counts towards the ratings.")]
    unrated_reason: Annotated[
        UnratedReason | None,
        Meta(description="Why the result doesn't count; null for a rated match. docs/ratings.md explains the reasons."),
    ]
    private: Annotated[bool, Meta(description="The match is unlisted.")]
    seating: Annotated[Literal["chosen", "chance"], Meta(description="How seats are assigned.")]
    annulled: Annotated[bool, Meta(description="An arbiter has annulled the match, so it has no result.")]
    flawed: Annotated[bool, Meta(description="An audit found an error in the log.")]
    fork: Annotated[Fork | None, Meta(description="The match and ply it was forked from. Forks are never rated.")]
    luck: Annotated[LuckDocument | None, Meta(description="Null for a match with luck protocol 1.")]


class FindingDocument(msgspec.Struct, frozen=True):
    """The audit's verdict: whether the match is valid, and if not, the layer, ply and rule of the error."""

    holds: bool
    layer: str | None
    ply: int | None
    rule: str | None


class ResolutionDocument(msgspec.Struct, frozen=True):
    """How a dispute was resolved."""

    ruling: Ruling
    to_ply: int | None
    arbiter: Annotated[str, Meta(description="The arbiter who ruled; empty for a ruling by the server.")]
    cause: Annotated[
        Literal["no_ruling"] | UnsetType,
        Meta(description="`no_ruling`: the server ruled, because no arbiter did within 14 days."),
    ] = UNSET


class DisputeDocument(msgspec.Struct, frozen=True, kw_only=True):
    """A dispute; its number is the ply of the event that raised it."""

    number: int
    ply: Annotated[int, Meta(description="The disputed ply.")]
    seat: Seat | None
    arbiter: Annotated[str | None, Meta(description="The arbiter who raised it, if not a seat.")]
    ground: Ground
    claim: Annotated[str | None, Meta(description="The text; null if it was erased.")]
    claim_digest: Annotated[str, Meta(description="SHA-256 of the text, as stored in the log.")]
    verdict: Annotated[FindingDocument | None, Meta(description="Null until the audit has finished.")]
    resolution: ResolutionDocument | None


def dispute_document(dispute: Dispute, words: str | None) -> DisputeDocument:
    """Return the dispute as everyone may see it."""
    verdict = None
    if dispute.audit_holds is not None:
        verdict = FindingDocument(dispute.audit_holds, dispute.layer, dispute.at_ply, dispute.rule)
    resolution = None
    if dispute.ruling is not None:
        cause: Literal["no_ruling"] | UnsetType = UNSET if dispute.resolved_by else NO_RULING
        resolution = ResolutionDocument(dispute.ruling, dispute.to_ply, dispute.resolved_by or "", cause)
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
    match: AnyMatch,
    seat: Seat | None,
    you: tuple[Seat, ...],
    names: Mapping[str, str],
    codes: Mapping[int, str],
    discarded: Mapping[str, int] = MappingProxyType({}),
) -> MatchDocument:
    """Return the match as this seat (None: a spectator) may see it.

    `names` maps player ids to names, `codes` the numbers of the reader's own offers to their invitation codes, and
    `discarded` player ids to the number of tables that they have left unopened. Raises PositionLost.
    """
    game = match.rules
    with errors_as_lost_position(match):
        seat_names = game.seat_names(len(match.seats))
        view = game.view(match.state, seat) if match.draw_count else None
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
                reserved_for=taken.reserved_for,
                first_move_due=first_move_deadline(match, number),
            )
            for number, taken in enumerate(match.seats)
        ],
        options=match.options,
        view=view,
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
        unrated_reason=match.unrated_reason,
        private=match.private,
        seating="chance" if match.by_chance else "chosen",
        annulled=match.annulled,
        flawed=match.has_failed_audit,
        fork=match.fork,
        luck=luck_document(match, discarded),
    )


def luck_document(match: AnyMatch, discarded: Mapping[str, int]) -> LuckDocument | None:
    """Return how the match gets its luck, or None under luck protocol 1."""
    if match.luck is None:
        return None
    table = table_seats(match)
    return LuckDocument(
        protocol=match.luck.protocol,
        level=match.luck.level,
        commitment=match.commitment,
        opening_seconds=match.luck.opening_seconds,
        shares=list(standing_shares(table)),
        seals=[seat.seal for seat in table],
        unopened=list(unopened_seats(match)) if match.status in ("open", "opening") else [],
        deadline=lobby_closing_time(match) if match.status == "opening" else None,
        discarded={player: count for player, count in discarded.items() if count},
    )
