"""The admin area: reports, sanctions and the log, for moderators who have just signed in.

It shows ids, names and reports, and nothing from inside a match: a moderator follows the same links as a spectator.
"""

from typing import cast, get_args

from flask import make_response, redirect, render_template, request, url_for
from werkzeug.exceptions import NotFound
from werkzeug.wrappers import Response

from service.accounts.names import InvalidName
from service.accounts.players import Player
from service.app_context import services
from service.moderation.actions import MAX_DAYS, MAX_REASON, ActionRefused
from service.moderation.journal import OPERATOR
from service.moderation.sanctions import SanctionKind
from service.web.blueprint import web
from service.web.forms import parse_number
from service.web.pages.report import SUBJECT_TITLES
from service.web.seating import ERASED_NAME
from service.web.visitor import current_player, signed_in_recently

LOG_PAGE_SIZE = 100
SANCTION_TITLES: dict[SanctionKind, str] = {
    "mute": "Mute: no writing in disputes and no name changes",
    "suspend": "Suspend: no new matches; running matches continue",
    "ban": "Ban: no sign-in; running matches end when the player's time runs out",
}
SANCTION_WORDS: dict[SanctionKind, str] = {"mute": "Muted", "suspend": "Suspended", "ban": "Banned"}
ACTION_WORDS = {
    "grant": "appointed as moderator",
    "revoke": "removed from the moderators",
    "rename": "renamed",
    "mute": "muted",
    "suspend": "suspended",
    "ban": "banned",
    "lift": "lifted a sanction on",
    "close_report": "closed a report about",
    "add_founder": "named as a founder",
    "remove_founder": "removed from the founders",
}


class SignInNeeded(Exception):
    """A moderator has not signed in recently enough to use the admin area."""


@web.get("/admin")
def admin() -> Response:
    """Show the open reports and the players with sanctions. Raises NotFound, SignInNeeded."""
    require_moderator()
    reports, sanctioned = services().moderation.reports.open_reports(), services().moderation.sanctions.players()
    return private_page(
        "admin.html",
        reports=reports,
        sanctioned=[(player, services().moderation.sanctions.of(player)) for player in sanctioned],
        names=names_of({*sanctioned, *(each.about for each in reports), *(each.by or "" for each in reports)}),
        refusal=request.args.get("unknown") and "There is no player with this id or name.",
        wanted=request.args.get("unknown", ""),
    )


@web.get("/admin/find")
def find_player_by_name() -> Response:
    """Go to the page of the player with an id or a name. Raises NotFound, SignInNeeded."""
    require_moderator()
    wanted = request.args.get("player", "").strip()
    found = services().accounts.players.find_by_id_or_name(wanted)
    if found is None:
        return redirect(url_for("web.admin", unknown=wanted or " "), 303)
    return redirect(url_for("web.admin_player", player=found.id), 303)


@web.get("/admin/log")
def admin_log() -> Response:
    """Show who did what. Raises NotFound, SignInNeeded."""
    require_moderator()
    after = parse_number(request.args.get("after")) or 0
    entries = services().moderation.log.newest(LOG_PAGE_SIZE + 1, after)
    return private_page(
        "admin_log.html",
        entries=entries[:LOG_PAGE_SIZE],
        more=after + LOG_PAGE_SIZE if len(entries) > LOG_PAGE_SIZE else None,
        actions=ACTION_WORDS,
        operator=OPERATOR,
        names=names_of({each for entry in entries for each in (entry.by, entry.player)}),
    )


@web.get("/admin/players/<player>")
def admin_player(player: str) -> Response:
    """Show a player's sanctions, reports and log entries. Raises NotFound, SignInNeeded."""
    require_moderator()
    return player_page(player)


@web.post("/admin/players/<player>")
def moderate_player(player: str) -> Response:
    """Rename or sanction a player, or lift a sanction. Raises NotFound, SignInNeeded."""
    me, actions = require_moderator(), services().moderation.actions
    do, reason = request.form.get("do", ""), request.form.get("reason", "")
    try:
        if do == "rename":
            actions.rename(me.id, player, request.form.get("name", ""), reason)
        elif do == "lift":
            actions.lift(me.id, player, posted_sanction(), reason)
        else:
            cheated = request.form.get("cheated") == "yes"
            actions.impose(me.id, player, posted_sanction(), reason, posted_days(), cheated=cheated)
    except (ActionRefused, InvalidName) as error:
        return player_page(player, str(error), 422)
    return redirect(url_for("web.admin_player", player=player), 303)


@web.post("/admin/reports/<report>")
def close_report(report: str) -> Response:
    """Close a report. Raises NotFound, SignInNeeded."""
    me, found = require_moderator(), services().moderation.reports.find(report)
    if found is None:
        raise NotFound("There is no such report.")
    try:
        services().moderation.actions.close_report(me.id, report, request.form.get("note", ""))
    except ActionRefused as error:
        return player_page(found.about, str(error), 422)
    return redirect(url_for("web.admin"), 303)


# -- access and forms -------------------------------------------------------------------------------------------------


def require_moderator() -> Player:
    """Return the moderator. For everyone else this page does not exist. Raises NotFound, SignInNeeded."""
    me = current_player()
    if me is None or not services().moderation.moderators.is_moderator(me.id):
        raise NotFound
    if not signed_in_recently():
        raise SignInNeeded
    return me


def show_sign_in_needed(error: Exception) -> tuple[Response, int]:
    """Return the page that asks a moderator to sign in again."""
    return private_page("admin_sign_in.html", mail=services().runtime.settings.smtp_url is not None), 403


web.register_error_handler(SignInNeeded, show_sign_in_needed)


def posted_sanction() -> SanctionKind:
    """Return the kind of sanction in the form. Raises ActionRefused."""
    kind = request.form.get("kind", "")
    if kind not in get_args(SanctionKind):
        raise ActionRefused("Choose a sanction.")
    return cast(SanctionKind, kind)


def posted_days() -> int | None:
    """Return the number of days in the form, or None for a sanction without a time limit. Raises ActionRefused."""
    text = request.form.get("days", "").strip()
    days = parse_number(text)
    if text and days is None:
        raise ActionRefused("Enter the number of days, or leave the field empty for no time limit.")
    return days


def player_page(player: str, refusal: str = "", status: int = 200) -> Response:
    """Return the page of one player. Raises NotFound for a player who never existed or left no trace."""
    known, moderation = services().accounts.players.find(player), services().moderation
    reports, entries = moderation.reports.about(player), moderation.log.about(player)
    if known is None and not reports and not entries:
        raise NotFound("There is no such player on this server.")
    response = private_page(
        "admin_player.html",
        number=player,
        name=known.display_name if known else ERASED_NAME,
        known=known,
        sanctions=moderation.sanctions.of(player),
        reports=reports,
        entries=entries,
        subjects=SUBJECT_TITLES,
        titles=SANCTION_TITLES,
        actions=ACTION_WORDS,
        operator=OPERATOR,
        names=names_of({*(each.by or "" for each in reports), *(each.by for each in entries)}),
        longest_reason=MAX_REASON,
        most_days=MAX_DAYS,
        form=request.form,
        refusal=refusal,
    )
    response.status_code = status
    return response


def names_of(players: set[str]) -> dict[str, str]:
    """Return the names of players by id, without erased ones."""
    return services().accounts.players.names(players - {"", OPERATOR})


def private_page(template: str, **values: object) -> Response:
    """Return a page that no cache may keep."""
    shown = render_template(
        f"templates/{template}", subject_titles=SUBJECT_TITLES, sanction_words=SANCTION_WORDS, **values
    )
    response = make_response(shown)
    response.headers["Cache-Control"] = "private, no-store"
    return response
