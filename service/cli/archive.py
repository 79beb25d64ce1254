"""`crumbtrail import`: take matches up from replay files, archived and read-only."""

from pathlib import Path

import click

from replays.file import ReplayError
from service.cli.files import read_file
from service.cli.keys import connect_services
from service.matches.imported_matches import MatchAlreadyExists


@click.command("import")
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path))
def import_files(files: tuple[Path, ...]) -> None:
    """Take up the matches of replay FILES: they can be looked at, audited and forked here, and never change.

    Exit code 1 when at least one could not be taken up.
    """
    archive, failed = connect_services().matches.imported, False
    for file in files:
        try:
            match = archive.import_file(read_file(file))
            click.echo(f"{file}: match {match}")
        except (ReplayError, MatchAlreadyExists) as error:
            click.echo(f"{file}: not taken up: {error}", err=True)
            failed = True
    raise SystemExit(1 if failed else 0)
