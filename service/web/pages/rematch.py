"""Rematches: the first player to click creates the match, and the others join it with the same button."""

from contextlib import suppress

from flask import redirect, request, url_for
from msgspec import UNSET, UnsetType
from werkzeug.exceptions import Forbidden, NotFound
from werkzeug.wrappers import Response

from domain.kernel.events import LuckLevel
from domain.kernel.game import Seat
from domain.kernel.refusals import Refused
from domain.kernel.registry import find_game
from domain.match.commands import SeatSpec, TakeSeat
from domain.match.state import AnyMatch, SeatState
from service.app_context import services
from service.event_store.errors import CommandReused
from service.matches.results import IdempotencyKey
from service.web.blueprint import web
from service.web.forms import posted_luck_level
from service.web.pages.match import Refusal, table_page
from service.web.visitor import require_seated_player

REMATCH_AUTHOR = "rematch"
"""Stands for all players of a match in the idempotency key of its rematch. No player has this id."""


@web.post("/matches/<match>/rematch")
def rematch(match: str) -> Response | tuple[str, int]:
    """Create the rematch, or join it if it exists. Raises Forbidden, NotFound."""
    head, me = services().matches.repository.load(match), require_seated_player().id
    if not head.seats_of(me):
        raise Forbidden("Only players of this match can start a rematch.")
    if head.status != "over":
        raise NotFound("You can start a rematch once the match is over.")
    level = posted_luck_level(find_game(head.game), rated=head.was_created_rated)
    found = services().matches.rematches.rematch_of(match) or services().matches.rematches.claim(
        match, create_rematch(head, me, level)
    )
    if level is not UNSET:
        return redirect(place_to_sit_down(head, found, me), 303)
    try:
        take_kept_seats(head, found, me)
    except (Refused, CommandReused):
        reason = Refusal("The rematch has started without you or was cancelled.")
        return table_page(head, None, reason), 409
    return redirect(url_for("web.match", match=found), 303)


def create_rematch(head: AnyMatch, me: str, level: LuckLevel | UnsetType) -> str:
    """Create the rematch, with seats rotated by one so that another player begins, and return its id.

    The id depends only on the match and the service's secret. If several players click at the same time, one creates
    the rematch and the others get the same id.
    """
    by = rematch_key(head)
    seats = [rematch_seat_wish(head.seats[previous_seat(head, seat)], me) for seat in range(len(head.seats))]
    with suppress(CommandReused):  # another player was faster
        services().matches.creation.create(
            me,
            head.game,
            seats,
            head.options,
            clock=head.time_control,
            rated=head.was_created_rated,
            private=head.private,
            level=level,
            by=by,
        )
    return services().matches.creation.derive_match_id(by)


def rematch_key(head: AnyMatch) -> IdempotencyKey:
    """Return the idempotency key for creating the rematch."""
    return IdempotencyKey(REMATCH_AUTHOR, head.id)


def previous_seat(head: AnyMatch, seat: Seat) -> Seat:
    """Return the seat in the old match of the player who gets this seat in the rematch."""
    return (seat + 1) % len(head.seats)


def rematch_seat_wish(taken: SeatState, me: str) -> SeatSpec:
    """Return the rematch seat for a player or bot of the match. Only the reader is seated directly."""
    if taken.kind == "bot":
        return SeatSpec("bot", level=taken.level)
    return SeatSpec("human", player=me) if taken.player == me else SeatSpec("open", private=True)


def place_to_sit_down(head: AnyMatch, found: str, me: str) -> str:
    """Return the URL where the reader's browser sits down in the rematch, with a share of the luck."""
    again = services().matches.repository.load(found)
    kept = [seat for seat in again.open_seats if head.seats[previous_seat(head, seat)].player == me]
    if again.seats_of(me) or not kept or again.seats[kept[0]].reserved_for == me:
        return url_for("web.match", match=found)
    code = services().matches.invitations.seat_code(again, kept[0])
    return url_for("web.join", match=found, seat=kept[0], code=code, now=1)


def take_kept_seats(head: AnyMatch, found: str, me: str) -> None:
    """Take the seats reserved for the reader. Raises Refused, CommandReused."""
    again = services().matches.repository.load(found)
    if again.seats_of(me):  # an earlier click may have been left unconfirmed
        services().log.confirm_replicated(found, rematch_key(head).digest().hex())
    for seat in again.open_seats if not again.seats_of(me) else ():
        if head.seats[previous_seat(head, seat)].player == me:
            services().matches.commands.submit(
                found,
                TakeSeat(seat, me),
                IdempotencyKey(me, f"rematch seat {seat}"),
                address=request.remote_addr or "",
            )
