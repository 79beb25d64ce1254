"""The `crumbtrail` command, which imports each subcommand only when it is used.

Workers and installed packages add subcommands with entry points in the group `crumbtrail.commands`, so this package
does not import the layers above it.
"""

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
    "arbiters": "service.cli.arbiters:arbiters",
    "disputes": "service.cli.disputes:disputes",
    "import": "service.cli.archive:import_files",
    "rules": "service.cli.rules:rules",
    "keys": "service.cli.keys:keys",
    "engine": "service.cli.engine:engine",
    "doctor": "service.cli.doctor:doctor",
    "acl": "service.cli.acl:acl",
    "backup": "service.cli.backup:backup",
}


class CommandGroup(click.Group):
    """The subcommands by name, each imported only when it is used."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command. An invalid setting ends it with a one-line error."""
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
            return entry.load()  # type: ignore[no-any-return]
        return None


@click.command(cls=CommandGroup)
@click.version_option(version("crumbtrail"), prog_name="crumbtrail")
def main() -> None:
    """Correspondence board games in which anyone can check every roll, move and point."""
