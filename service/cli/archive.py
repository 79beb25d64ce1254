"""`crumbtrail import`: take matches up from replay files, archived and read-only."""

from pathlib import Path

import click

from replays.file import MAX_FILE, ReplayError
from service.archive import AlreadyHere
from service.cli.keys import running_services


@click.command("import")
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path))
def import_files(files: tuple[Path, ...]) -> None:
    """Take up the matches of replay FILES: they can be looked at, audited and forked here, and never change.

    Exit code 1 when at least one could not be taken up.
    """
    archive, failed = running_services().archive, False
    for file in files:
        try:
            with file.open("rb") as opened:
                match = archive.take_up(opened.read(MAX_FILE + 1))
            click.echo(f"{file}: match {match}")
        except (ReplayError, AlreadyHere) as error:
            click.echo(f"{file}: not taken up: {error}", err=True)
            failed = True
    raise SystemExit(1 if failed else 0)
