"""`crumbtrail admin`: appoint moderators, and do what they can do in the admin area."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import get_args

import click

from service.accounts.names import InvalidName
from service.bootstrap import Services
from service.cli.keys import connect_services
from service.event_store.errors import LogUnavailable, redis_errors_as_unavailable
from service.moderation.actions import ActionRefused
from service.moderation.journal import OPERATOR, Entry
from service.moderation.sanctions import SanctionKind
from service.read_models.places import MIN_FOUNDERS

PAST_TENSE: dict[SanctionKind, str] = {"mute": "muted", "suspend": "suspended", "ban": "banned"}
reason_option = click.option("--reason", required=True, help="The reason. The player and all moderators can read it.")
days_option = click.option("--days", type=click.IntRange(1, 3650), help="The number of days.  [default: no time limit]")


@contextmanager
def connected() -> Iterator[Services]:
    """Connect to the log server. Refused actions become errors of the command."""
    services = connect_services()
    try:
        with redis_errors_as_unavailable():
            yield services
    except (ActionRefused, InvalidName) as error:
        raise click.ClickException(str(error)) from None
    except LogUnavailable as error:
        advice = " Write new accounts with `crumbtrail acl`." if error.reason == "permission" else ""
        raise click.ClickException(f"{error}{advice}") from None


@click.group()
def admin() -> None:
    """Appoint moderators and moderate players. Everything is written to the moderation log."""


# -- moderators -------------------------------------------------------------------------------------------------------


@admin.command()
@click.argument("player")
def grant(player: str) -> None:
    """Make PLAYER (a player id) a moderator. They need an email address, because the admin area asks for a sign-in."""
    with connected() as services:
        known = services.moderation.actions.grant(player)
        click.echo(f"{known.name} is now a moderator.")
        if services.notifications.preferences.get(player).address is None:
            click.echo(
                "They have no confirmed email address, and moderators can't add one. To let them use the admin area, "
                "revoke the role, let them add an address at /account/notifications, and grant it again."
            )


@admin.command()
@click.argument("player")
def revoke(player: str) -> None:
    """Remove PLAYER from the moderators. What they did stays in force."""
    with connected() as services:
        services.moderation.actions.revoke(player)
        click.echo(f"{player} is not a moderator.")


@admin.command()
def moderators() -> None:
    """List all moderators."""
    with connected() as services:
        ids = services.moderation.moderators.player_ids()
        names = services.accounts.players.names(set(ids))
        for player in ids:
            click.echo(f"{player}  {names.get(player, '(no name)')}")


# -- founders ---------------------------------------------------------------------------------------------------------


@admin.command("add-founder")
@click.argument("player")
def add_founder(player: str) -> None:
    """Make PLAYER (a player id) a founder of the leaderboards. Name only people you know.

    Other players get a place by playing against founders and against players with a place. Founders have to earn a
    place too.
    """
    with connected() as services:
        known = services.moderation.actions.add_founder(player)
        count = len(services.read_models.rating_trust.current().founders)
        click.echo(f"{known.name} is now a founder.")
        if count < MIN_FOUNDERS:
            click.echo(f"Name {MIN_FOUNDERS - count} more, so that each of them can meet enough others for a place.")


@admin.command("remove-founder")
@click.argument("player")
def remove_founder(player: str) -> None:
    """Make PLAYER an ordinary player. All ratings are computed again."""
    with connected() as services:
        services.moderation.actions.remove_founder(player)
        click.echo(f"{player} is not a founder.")


@admin.command()
def founders() -> None:
    """List all founders."""
    with connected() as services:
        ids = sorted(services.read_models.rating_trust.current().founders)
        names = services.accounts.players.names(set(ids))
        for player in ids:
            click.echo(f"{player}  {names.get(player, '(no name)')}")


# -- players ----------------------------------------------------------------------------------------------------------


@admin.command()
@click.argument("player")
def show(player: str) -> None:
    """Show a player's name, sanctions and reports. PLAYER is a player id or a name."""
    with connected() as services:
        known = services.accounts.players.find_by_id_or_name(player)
        if known is None:
            raise click.ClickException("There is no such player, or they have erased their account.")
        number = known.id
        click.echo(f"{known.id}  {known.display_name}")
        for sanction in services.moderation.sanctions.of(number):
            click.echo(f"{PAST_TENSE[sanction.kind]} {sanction.period} by {sanction.by}: {sanction.reason}")
        for report in services.moderation.reports.about(number):
            state = "open" if report.is_open else f"closed: {report.outcome}"
            click.echo(f"report {report.id} ({report.subject}, {report.at:%Y-%m-%d}, {state}): {report.text}")


@admin.command()
@click.argument("player")
@click.option("--name", default="", help="The new name.  [default: a random one]")
@reason_option
def rename(player: str, name: str, reason: str) -> None:
    """Give PLAYER another name. The player sees a notice about it."""
    with connected() as services:
        renamed = services.moderation.actions.rename(OPERATOR, player, name, reason)
        click.echo(f"{player} is now called {renamed.name}.")


def impose(kind: SanctionKind, player: str, reason: str, days: int | None, cheated: bool = False) -> None:
    """Impose a sanction."""
    with connected() as services:
        sanction = services.moderation.actions.impose(OPERATOR, player, kind, reason, days, cheated=cheated)
        click.echo(f"{player} is {PAST_TENSE[kind]} {sanction.period}.")
        if cheated:
            click.echo("The dispatcher takes their results out of the ratings, and lifting the ban brings them back.")


SANCTION_HELP: dict[SanctionKind, str] = {
    "mute": "Mute PLAYER: no writing in disputes and no name changes.",
    "suspend": "Suspend PLAYER: no new matches. Running matches continue.",
    "ban": "Ban PLAYER: no sign-in. Running matches end when the time of the player's seat runs out.",
}
cheated_option = click.option(
    "--cheated", is_flag=True, help="Take all their results out of everybody's ratings. Not with --days."
)
for _kind in get_args(SanctionKind):
    _impose = reason_option(days_option(partial(impose, _kind)))
    admin.command(_kind, help=SANCTION_HELP[_kind])(
        click.argument("player")(cheated_option(_impose) if _kind == "ban" else _impose)
    )


@admin.command()
@click.argument("player")
@click.argument("sanction", type=click.Choice(get_args(SanctionKind)))
@reason_option
def lift(player: str, sanction: SanctionKind, reason: str) -> None:
    """Lift a sanction on PLAYER."""
    with connected() as services:
        services.moderation.actions.lift(OPERATOR, player, sanction, reason)
        click.echo(f"{player} is no longer {PAST_TENSE[sanction]}.")


# -- reports, the log, names ------------------------------------------------------------------------------------------


@admin.command()
def reports() -> None:
    """List the open reports, oldest first."""
    with connected() as services:
        for report in services.moderation.reports.open_reports():
            match = f", match {report.match}" if report.match else ""
            click.echo(f"{report.id}  {report.at:%Y-%m-%d %H:%M} UTC  {report.about}  {report.subject}{match}")
            if report.text:
                click.echo(f"    {report.text}")


@admin.command("close-report")
@click.argument("report")
@click.option("--note", required=True, help="The outcome, for other moderators.")
def close_report(report: str, note: str) -> None:
    """Close a report."""
    with connected() as services:
        services.moderation.actions.close_report(OPERATOR, report, note)
        click.echo(f"Closed {report}.")


@admin.command("log")
@click.option("--limit", default=50, show_default=True, type=click.IntRange(1, 10_000), help="How many entries.")
def log_entries(limit: int) -> None:
    """Show who did what, newest first."""
    with connected() as services:
        for entry in services.moderation.log.newest(limit):
            click.echo(entry_line(entry))


def entry_line(entry: Entry) -> str:
    """Return a line that describes an entry of the log."""
    until = f" until {entry.until:%Y-%m-%d %H:%M} UTC" if entry.until else ""
    cheated = " (results don't count)" if entry.cheated else ""
    what = f"{entry.action}{cheated} {entry.sanction or entry.report or ''}".strip()
    return f"{entry.at:%Y-%m-%d %H:%M:%S} UTC  {entry.by}  {what} {entry.player}{until}: {entry.reason}"


@admin.command("check-names")
def check_names() -> None:
    """Make all names unique again. The player who has been here longest keeps a name."""
    with connected() as services:
        done = services.accounts.unique_names.run()
        click.echo(f"{done.checked} names checked, {done.changed} changed.")
