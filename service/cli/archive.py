"""`crumbtrail import`: import matches from replay files as a read-only archive."""

from pathlib import Path

import click

from replays.file import ReplayError
from service.cli.files import read_file
from service.cli.keys import connect_services
from service.matches.imported_matches import MatchAlreadyExists


@click.command("import")
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path))
def import_files(files: tuple[Path, ...]) -> None:
    """Import matches from replay FILES. They can be viewed, audited and forked, but not changed.

    Exits with 1 if a file could not be imported.
    """
    archive, failed = connect_services().matches.imported, False
    for file in files:
        try:
            match = archive.import_file(read_file(file))
            click.echo(f"{file}: match {match}")
        except (ReplayError, MatchAlreadyExists) as error:
            click.echo(f"{file}: not imported: {error}", err=True)
            failed = True
    raise SystemExit(1 if failed else 0)
