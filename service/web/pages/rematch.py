"""Once more with the same people: whoever clicks first sets the match up, the others sit down by clicking too."""

from contextlib import suppress

from flask import redirect, url_for
from werkzeug.exceptions import Forbidden, NotFound
from werkzeug.wrappers import Response

from domain.kernel.game import Seat
from domain.kernel.refusals import Refused
from domain.match.commands import SeatSpec, TakeSeat
from domain.match.state import AnyMatch, SeatState
from service.app_context import services
from service.event_store.errors import CommandReused
from service.matches.results import IdempotencyKey
from service.web.blueprint import web
from service.web.pages.match import Refusal, table_page
from service.web.visitor import require_seated_player

REMATCH_AUTHOR = "rematch"
"""The name under which the people of a match set up its rematch, whoever of them it is. No player is called so."""


@web.post("/matches/<match>/rematch")
def rematch(match: str) -> Response | tuple[str, int]:
    """Set the rematch up, or sit down at the one that is. Raises Forbidden, NotFound."""
    head, me = services().matches.repository.load(match), require_seated_player().id
    if not head.seats_of(me):
        raise Forbidden("Only who sat at this match can have its rematch.")
    if head.status != "over":
        raise NotFound("There is a rematch when a match is over.")
    found = services().matches.rematches.rematch_of(match) or services().matches.rematches.claim(
        match, create_rematch(head, me)
    )
    try:
        take_kept_seats(head, found, me)
    except (Refused, CommandReused):
        reason = Refusal("The rematch has started without you, or was called off.")
        return table_page(head, None, reason), 409
    return redirect(url_for("web.match", match=found), 303)


def create_rematch(head: AnyMatch, me: str) -> str:
    """The match once more, every seat one further, so that somebody else begins.

    Its id comes from the match and the service's secret alone, so the log lets one of those who click at once create
    it, and the others find it.
    """
    by = rematch_key(head)
    seats = [rematch_seat_wish(head.seats[previous_seat(head, seat)], me) for seat in range(len(head.seats))]
    with suppress(CommandReused):  # somebody else of the table was faster
        services().matches.creation.create(
            me,
            head.game,
            seats,
            head.options,
            clock=head.time_control,
            rated=head.is_rated,
            private=head.private,
            by=by,
        )
    return services().matches.creation.derive_match_id(by)


def rematch_key(head: AnyMatch) -> IdempotencyKey:
    """The command that sets the rematch up."""
    return IdempotencyKey(REMATCH_AUTHOR, head.id)


def previous_seat(head: AnyMatch, seat: Seat) -> Seat:
    """Where the one sat who has this seat in the rematch."""
    return (seat + 1) % len(head.seats)


def rematch_seat_wish(taken: SeatState, me: str) -> SeatSpec:
    """The seat of the one who sat there. Nobody but the reader is made to sit down."""
    if taken.kind == "bot":
        return SeatSpec("bot", level=taken.level)
    return SeatSpec("human", player=me) if taken.player == me else SeatSpec("open", private=True)


def take_kept_seats(head: AnyMatch, found: str, me: str) -> None:
    """Take the seats that are kept for the reader. Raises Refused, CommandReused."""
    again = services().matches.repository.load(found)
    if again.seats_of(me):  # perhaps by a click that was never confirmed
        services().log.confirm_replicated(found, rematch_key(head).digest().hex())
    for seat in again.open_seats if not again.seats_of(me) else ():
        if head.seats[previous_seat(head, seat)].player == me:
            services().matches.commands.submit(found, TakeSeat(seat, me), IdempotencyKey(me, f"rematch seat {seat}"))
