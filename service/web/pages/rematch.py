"""Once more with the same people: whoever clicks first sets the match up, the others sit down by clicking too."""

from contextlib import suppress

from flask import redirect, url_for
from werkzeug.exceptions import Forbidden, NotFound
from werkzeug.wrappers import Response

from domain.kernel.game import Refused, Seat
from domain.match.match import AnyMatch, SeatState, SeatWish, TakeSeat
from service.event_store.log import CommandReused
from service.matches.command_handler import CommandId
from service.web.blueprint import services, web
from service.web.pages.match import Refusal, seated_player, table_page

TABLE = "rematch"
"""The name under which the people of a match set up its rematch, whoever of them it is. No player is called so."""


@web.post("/matches/<match>/rematch")
def rematch(match: str) -> Response | tuple[str, int]:
    """Set the rematch up, or sit down at the one that is. Raises Forbidden, NotFound."""
    head, me = services().matches.load(match), seated_player()
    if not head.seats_of(me):
        raise Forbidden("Only who sat at this match can have its rematch.")
    if head.status != "over":
        raise NotFound("There is a rematch when a match is over.")
    found = services().rematches.of(match) or services().rematches.claim(match, set_up(head, me))
    try:
        sit_down(head, found, me)
    except (Refused, CommandReused):
        reason = Refusal("The rematch has started without you, or was called off.")
        return table_page(head, None, reason), 409
    return redirect(url_for("web.match", match=found), 303)


def set_up(head: AnyMatch, me: str) -> str:
    """The match once more, every seat one further, so that somebody else begins.

    Its id comes from the match and the service's secret alone, so the log lets one of those who click at once create
    it, and the others find it.
    """
    by = set_up_by(head)
    seats = [wish(head.seats[old_seat(head, seat)], me) for seat in range(len(head.seats))]
    with suppress(CommandReused):  # somebody else of the table was faster
        services().matches.create(
            me,
            head.game,
            seats,
            head.options,
            clock=head.clock,
            rated=head.is_rated,
            private=head.private,
            by=by,
        )
    return services().matches.made_by(by)


def set_up_by(head: AnyMatch) -> CommandId:
    """The command that sets the rematch up."""
    return CommandId(TABLE, head.id)


def old_seat(head: AnyMatch, seat: Seat) -> Seat:
    """Where the one sat who has this seat in the rematch."""
    return (seat + 1) % len(head.seats)


def wish(taken: SeatState, me: str) -> SeatWish:
    """The seat of the one who sat there. Nobody but the reader is made to sit down."""
    if taken.kind == "bot":
        return SeatWish("bot", level=taken.level)
    return SeatWish("human", player=me) if taken.player == me else SeatWish("open", private=True)


def sit_down(head: AnyMatch, found: str, me: str) -> None:
    """Take the seats that are kept for the reader. Raises Refused, CommandReused."""
    again = services().matches.load(found)
    if again.seats_of(me):  # perhaps by a click that was never confirmed
        services().log.confirm(found, set_up_by(head).hashed().hex())
    for seat in again.open_seats if not again.seats_of(me) else ():
        if head.seats[old_seat(head, seat)].player == me:
            services().matches.submit(found, TakeSeat(seat, me), CommandId(me, f"rematch seat {seat}"))
