"""The form for reporting a player, or a player's name, to the moderators."""

from flask import render_template, request
from werkzeug.exceptions import Forbidden, NotFound

from service.accounts.players import Player
from service.app_context import services
from service.event_store.keys import is_match_id
from service.moderation.reports import MAX_TEXT, InvalidReport, ReportSubject
from service.web.blueprint import web
from service.web.visitor import current_player

SUBJECT_TITLES: dict[ReportSubject, str] = {
    "name": "Their name",
    "stalling": "They let their time run out, or abandon matches",
    "cheating": "They cheat, or use several accounts",
    "text": "What they wrote in a dispute",
    "other": "Something else",
}


@web.get("/players/<player>/report", endpoint="report")
def report_page(player: str) -> str:
    """Show the form. Raises NotFound, Forbidden."""
    require_reporter()
    return report_form(find_player(player), posted_match(player), "")


@web.post("/players/<player>/report")
def send_report(player: str) -> str | tuple[str, int]:
    """Send a report to the moderators. Raises NotFound, Forbidden, LimitExceeded."""
    me, about = require_reporter(), find_player(player)
    match = posted_match(player)
    services().runtime.rate_limiter.count_report_of(me.id, request.remote_addr or "")
    try:
        services().moderation.reports.add(
            me.id, about.id, request.form.get("subject", ""), request.form.get("text", ""), match
        )
    except InvalidReport as error:
        return report_form(about, match, str(error)), 422
    return report_form(about, match, "", sent=True)


def require_reporter() -> Player:
    """Return the player of this session. Raises Forbidden for visitors who have never played here."""
    me = current_player()
    if me is None:
        raise Forbidden("Only players can report others. If you have an account, sign in and try again.")
    return me


def find_player(player: str) -> Player:
    """Return the player with this id. Raises NotFound."""
    known = services().accounts.players.find(player)
    if known is None:
        raise NotFound("There is no such player on this server. They may have erased their account.")
    return known


def posted_match(player: str) -> str | None:
    """Return the match that the report is about, or None. Raises NotFound if the player does not play in it."""
    match = request.values.get("match", "")
    if not match:
        return None
    row = services().read_models.lists.find_match(match) if is_match_id(match) else None
    if row is None or all(seat.player != player for seat in row.seats):
        raise NotFound("This player isn't in this match.")
    return match


def report_form(about: Player, match: str | None, refusal: str, *, sent: bool = False) -> str:
    """Return the page with the form, or with a confirmation."""
    return render_template(
        "templates/report.html",
        about=about,
        match=match,
        subjects=SUBJECT_TITLES,
        form=request.form,
        longest=MAX_TEXT,
        refusal=refusal,
        sent=sent,
    )
