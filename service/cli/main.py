"""`crumbtrail`: one command, its subcommands loaded when they are asked for.

What belongs to the workers (and what an installed package adds) comes by entry points of the group
`crumbtrail.commands`, so the edge imports nothing that stands above it.
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
    """The subcommands by name, each imported only when it runs."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; a setting that cannot be is told in a line."""
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
    """Play-by-web board games in which every die, move and point can be checked by anyone."""
