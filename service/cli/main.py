"""The `crumbtrail` command, which imports each subcommand only when it is used.

Workers and installed packages add subcommands with entry points in the group `crumbtrail.commands`, so this package
does not import the layers above it.
"""

import sys
from importlib import import_module
from importlib.metadata import entry_points, version
from typing import Any

import click

from service.runtime.invalid_setting import InvalidSetting

ENTRY_POINT_GROUP = "crumbtrail.commands"
BUILT_IN_COMMANDS = {
    "up": "service.cli.up:up",
    "web": "service.cli.web:web",
    "verify": "service.cli.verify:verify",
    "replay": "service.cli.replay:replay",
    "audit": "service.cli.audit:audit",
    "admin": "service.cli.admin:admin",
    "arbiters": "service.cli.arbiters:arbiters",
    "disputes": "service.cli.disputes:disputes",
    "import": "service.cli.archive:import_files",
    "rules": "service.cli.rules:rules",
    "keys": "service.cli.keys:keys",
    "engine": "service.cli.engine:engine",
    "doctor": "service.cli.doctor:doctor",
    "acl": "service.cli.acl:acl",
    "failover-guard": "service.cli.failover_guard:failover_guard",
    "backup": "service.cli.backup:backup",
}


NAMES_SKIPPED_GAMES = ("doctor", "up")
"""The commands that name skipped games themselves."""


class CommandGroup(click.Group):
    """The subcommands by name, each imported only when it is used."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command. An invalid setting ends it with a one-line error.

        At its end, it names the games that it looked for but could not load.
        """
        ctx.call_on_close(lambda: None if ctx.invoked_subcommand in NAMES_SKIPPED_GAMES else report_skipped_games())
        try:
            return super().invoke(ctx)
        except InvalidSetting as error:
            raise click.ClickException(str(error)) from None

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: D102
        return sorted({*BUILT_IN_COMMANDS, *(entry.name for entry in entry_points(group=ENTRY_POINT_GROUP))})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: D102
        if cmd_name in BUILT_IN_COMMANDS:
            module, _, name = BUILT_IN_COMMANDS[cmd_name].partition(":")
            command: click.Command = getattr(import_module(module), name)
            return command
        for entry in entry_points(group=ENTRY_POINT_GROUP, name=cmd_name):
            try:
                return entry.load()  # type: ignore[no-any-return]
            except (Exception, SystemExit) as error:  # another author's package must not break the other commands
                return broken_command(cmd_name, entry.value, error)
        return None


def broken_command(name: str, module: str, error: BaseException) -> click.Command:
    """Return a command that only says why the real one, in an installed package, can't be loaded."""

    def fail(arguments: tuple[str, ...]) -> None:
        raise click.ClickException(
            f"`{name}` comes from {module}, which can't be loaded: {type(error).__name__}: {error}. "
            "Repair or uninstall its package."
        )

    arguments = click.Argument(["arguments"], nargs=-1, type=click.UNPROCESSED)
    settings = {"ignore_unknown_options": True, "allow_extra_args": True}
    return click.Command(name, settings, fail, [arguments], help=f"Not available: {module} can't be loaded.")


def report_skipped_games() -> None:
    """Name the games that could not be loaded, if the command has looked for games."""
    registry = sys.modules.get("domain.kernel.registry")
    if registry is not None and registry.are_games_loaded():
        for skipped in registry.skipped_games():
            click.echo(f"Note: skipped the game in {skipped.as_text()}. Run `crumbtrail doctor` for advice.", err=True)


@click.command(cls=CommandGroup)
@click.version_option(version("crumbtrail"), prog_name="crumbtrail")
def main() -> None:
    """Correspondence board games in which anyone can check every roll, move and point."""
