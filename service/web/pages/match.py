"""The match page: board, turn, move form, history and proof."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import msgspec
from flask import redirect, render_template, request, url_for
from msgspec.structs import replace
from werkzeug.exceptions import Forbidden
from werkzeug.wrappers import Response

from domain.kernel.chance import Fast
from domain.kernel.events import AnyEvent
from domain.kernel.game import Seat
from domain.kernel.refusals import MatchRefused, Refused
from domain.kernel.table import BadForm, Foreseen, Form, TableContext
from domain.match.commands import Cancel, Command, LeaveSeat, Play, RemovePlayer
from domain.match.state import AnyMatch, SeatOffer
from service.app_context import services
from service.bots.levels import LEVELS
from service.event_store.errors import CommandReused
from service.matches.errors import NotYourTurn, StalePly
from service.matches.lost_positions import errors_as_lost_position
from service.matches.refusals import refusal_code
from service.matches.seats import seat_to_play
from service.runtime.metrics import count_move
from service.web.blueprint import web
from service.web.endings import describe_ending
from service.web.forms import new_form_key, parse_number, posted_idempotency_key, posted_seat
from service.web.game_files import find_table
from service.web.luck_panel import luck_panel
from service.web.match_history import history_entries
from service.web.move_hints import greedy_hint, may_ask_hint
from service.web.proposals import available_requests, is_answer_awaited, proposal_views, takeback_note
from service.web.public_links import public_link
from service.web.recap import since_last_move
from service.web.seating import SeatInfo, describe_turn, seat_infos
from service.web.standing_orders import orders_panel
from service.web.table_board import TablePlayer, render_board, table_players
from service.web.visitor import current_player_id, require_seated_player

LOG_PLIES = 20
"""How many plies of history the page shows. The replay shows all of them."""
RESIGN_MOVE = {"type": "resign"}


class Refusal(msgspec.Struct, frozen=True):
    """Why a request was refused. `rule` is an id in the game's specification."""

    message: str
    rule: str | None = None


@web.get("/matches/<match>")
def match(match: str) -> str:
    """Show the match. Raises PositionLost if its position doesn't fit its game's component data any more."""
    head = services().matches.repository.load(match)
    with errors_as_lost_position(head):
        return table_page(head)


@web.post("/matches/<match>/moves")
def move(match: str) -> Response | str | tuple[str, int]:
    """Make or try a move. If it is refused, show the reason and keep the input."""
    head = services().matches.repository.load(match)
    form = request.form.to_dict()
    seat = posted_seat()
    try:
        document = RESIGN_MOVE if form.get("do") == "resign" else find_table(head.game).read_move(form)
        if form.get("do") == "try":
            return table_page(head, form, tried=dry_run_move(head, seat, document))
        services().matches.commands.submit(
            match,
            Play(seat, document),
            posted_idempotency_key(require_seated_player().id),
            parse_number(form.get("ply")),
            request.remote_addr or "",
        )
    except (BadForm, Refused, NotYourTurn, StalePly, CommandReused) as error:
        if form.get("do") != "try" and not isinstance(error, BadForm):
            count_move(head.game, refusal_code(error))
        return refused_page(match, form, error)
    count_move(head.game, "accepted")
    return redirect(url_for("web.match", match=match), 303)


def dry_run_move(head: AnyMatch, seat: Seat, document: dict[str, Any]) -> Foreseen:
    """Return the certain effects of a move. Raises Forbidden for another player's seat, and any refusal of the move."""
    if seat not in head.seats_of(require_seated_player().id):
        raise Forbidden("Only the player in this seat can try a move.")
    return services().matches.commands.dry_run(head, seat, document)


def refused_page(match: str, form: Form, error: Exception) -> tuple[str, int]:
    """Return the current match page with the reason for the refusal."""
    head = services().matches.repository.load(match)
    match error:
        case BadForm():
            return table_page(head, form, Refusal(str(error))), 422
        case NotYourTurn():
            return table_page(head, form, Refusal(error.refusal.message, error.refusal.rule)), 409
        case MatchRefused():
            return table_page(head, form, Refusal(error.message)), 409
        case Refused():
            return table_page(head, form, Refusal(error.message, error.rule)), 422
        case StalePly():
            return table_page(
                head, form, Refusal("The match has changed in the meantime. Check the board and try again.")
            ), 409
        case _:
            return table_page(head, form, Refusal("This form was already sent. You can send it again from here.")), 409


@web.post("/matches/<match>/leave")
def leave(match: str) -> Response | tuple[str, int]:
    """Leave a seat before the match starts."""
    return submit_before_start(match, LeaveSeat(posted_seat()))


@web.post("/matches/<match>/cancel")
def cancel(match: str) -> Response | tuple[str, int]:
    """Cancel the match before it starts."""
    return submit_before_start(match, Cancel(require_seated_player().id))


@web.post("/matches/<match>/remove")
def remove_player(match: str) -> Response | tuple[str, int]:
    """Remove another player before the match starts, as its creator."""
    keep = request.form.get("keep") == "1"
    return submit_before_start(match, RemovePlayer(require_seated_player().id, posted_seat(), keep))


def submit_before_start(match: str, command: Command) -> Response | tuple[str, int]:
    """Submit a command that is possible only before the start."""
    try:
        services().matches.commands.submit(
            match,
            command,
            posted_idempotency_key(require_seated_player().id),
            address=request.remote_addr or "",
        )
    except (Refused, CommandReused) as error:
        return refused_page(match, {}, error)
    return redirect(url_for("web.match", match=match), 303)


# -- the page -----------------------------------------------------------------------------------------------------


def table_page(
    head: AnyMatch, form: Form | None = None, refusal: Refusal | None = None, tried: Foreseen | None = None
) -> str:
    """Return the page of a match with only what the reader may see."""
    reader = current_player_id()
    seat = viewing_seat(head, reader, form)
    table = seat_infos(head, reader)
    how = find_table(head.game)
    players = table_players(head, seat, reader, how)
    context = build_context(head, seat, form or {}, tried, players)
    to_move = seat is not None and seat in head.to_move and head.seats[seat].standin is None
    return render_template(
        "templates/match.html",
        match=head,
        game=head.rules,
        seat=seat,
        own=head.seats_of(reader),
        table=table,
        turn=describe_turn(head, table, how.prompt),
        luck=luck_panel(head, reader, table),
        to_move=to_move,
        may_ask=may_ask_hint(head, seat, head.seats_of(reader)),
        hint=requested_hint(head, seat, head.seats_of(reader)),
        turn_key=how.turn_key(context) if head.draw_count else "",
        board=render_board(context, how, players) if has_board(head) else None,
        players=players,
        tags=match_tags(head),
        where=how.where(context) if how.where and has_board(head) else "",
        end=describe_ending(head, how, players, table, seat, reader),
        how=how,
        shown=how.template_data(context) if shows_form(head, seat, how.recap_template) else {},
        since=since_last_move(head, reader) if reader and how.recap_template is None else [],
        refusal=refusal,
        form=form or {},
        key=new_form_key(),
        ply=head.ply if len(head.to_move) == 1 else None,
        log=history_entries(head, reversed(context.events), table),
        more=head.ply > LOG_PLIES,
        invitations=invitation_links(head, reader, table),
        creator=reader is not None and reader == head.creator,
        may_resign=may_resign(head, seat),
        orders=orders_panel(head, seat, reader),
        handing=seat_offers(head, reader, table),
        levels=LEVELS,
        questions=proposal_views(head, seat, table),
        takeback_note=takeback_note(head),
        offers=available_requests(head, seat, context, services().runtime.clock.now()),
        mine=is_answer_awaited(head, seat),
        rematch=services().matches.rematches.rematch_of(head.id) if head.status == "over" else None,
    )


def requested_hint(head: AnyMatch, seat: Seat | None, own: Sequence[Seat]) -> list[str]:
    """Return the hint if it was requested for the current ply and is allowed, else an empty list."""
    if seat is None or parse_number(request.args.get("hint")) != head.ply or not may_ask_hint(head, seat, own):
        return []
    return greedy_hint(services().matches.commands, head, seat)


def has_board(head: AnyMatch) -> bool:
    """Return whether to show a board. An open fork has a position but is not shown before it starts."""
    return bool(head.draw_count) and head.status not in ("open", "opening")


def shows_form(head: AnyMatch, seat: Seat | None, recap: str | None) -> bool:
    """Return whether the page needs data for a move form or for the table's own recap."""
    return has_board(head) and (recap is not None or (seat is not None and seat in head.to_move))


def match_tags(head: AnyMatch) -> list[str]:
    """Return what is special about the match, as words next to the title."""
    tags = {
        "rated": head.is_rated,
        "private": head.private,
        "practice": head.has_given_seed,
        "fork": head.fork is not None,
    }
    return [word for word, applies in tags.items() if applies]


def build_context(
    head: AnyMatch, seat: Seat | None, form: Form, tried: Foreseen | None, players: Sequence[TablePlayer]
) -> TableContext:
    """Return the match data that the reader may see."""
    matches = services().matches
    events: list[AnyEvent] = matches.repository.visible_events(head, seat, after=max(0, head.ply - LOG_PLIES))
    view: Any = head.rules.view(head.state, seat) if head.draw_count else None
    context = TableContext(
        head,
        seat,
        view,
        tuple(events),
        form,
        tried,
        history=lambda: matches.repository.visible_events(head, seat),
        names=tuple(player.name for player in players),
    )
    return context if seat is None else replace(context, foresee=partial(matches.commands.dry_run, head, seat))


def viewing_seat(head: AnyMatch, reader: str | None, form: Form | None) -> Seat | None:
    """Return the reader's requested seat, else one of theirs that is to move, else any of theirs, or None."""
    asked = parse_number((form or {}).get("seat") or request.args.get("seat"))
    return asked if asked in head.seats_of(reader) else seat_to_play(head, reader)


def invitation_links(head: AnyMatch, reader: str | None, table: list[SeatInfo]) -> list[tuple[SeatInfo, str]]:
    """Return the invite links of all open seats if the reader created the match, else an empty list."""
    if reader is None or reader != head.creator or head.status != "open":
        return []
    return [
        (sitting, invitation_link(head, sitting.seat))
        for sitting in table
        if sitting.kind == "open" and not sitting.kept_for
    ]


def invitation_link(match: AnyMatch, seat: Seat) -> str:
    """Return the invite link of a seat."""
    code = services().matches.invitations.seat_code(match, seat)
    return public_link("web.join", match=match.id, seat=seat, code=code)


def seat_offers(
    head: AnyMatch, reader: str | None, table: list[SeatInfo]
) -> list[tuple[SeatOffer, SeatInfo, str | None]]:
    """Return the seats offered for handover, each with its link if the reader made the offer."""
    own = head.seats_of(reader)
    return [
        (offer, table[offer.seat], offer_link(head.id, offer) if offer.by in own else None)
        for offer in head.offers
        if head.status == "playing"
    ]


def offer_link(match: str, offer: SeatOffer) -> str:
    """Return the link for taking over a seat."""
    code = services().matches.invitations.offer_code(match, offer.seat, offer.number)
    return public_link("web.join", match=match, seat=offer.seat, code=code)


def may_resign(head: AnyMatch, seat: Seat | None) -> bool:
    """Return whether this seat can resign; one that is already out of the match can't."""
    if seat is None or head.status != "playing":
        return False
    try:
        head.rules.decide(head.state, seat, head.rules.read_move(RESIGN_MOVE), Fast("nothing is drawn for good here"))
    except Refused:
        return False
    return True
