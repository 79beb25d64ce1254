"""`crumbtrail rules`: test the installed rules on finished matches."""

import sys
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import click
import msgspec

from domain.kernel.event_codec import read_event
from domain.kernel.registry import UnknownGame, find_game
from replays.compare import CannotReExecute, ReplayDifference, compare_under_rules
from replays.file import ReplayError, read_replay
from replays.replay import Replay
from service.bootstrap import Services
from service.cli.files import read_file
from service.cli.keys import connect_services
from service.matches.repository import pinned_game

PAGE_SIZE = 500


class RulesTrial(msgspec.Struct, frozen=True):
    """The re-execution of a match: its first difference from the original, if any, or why it could not be run."""

    match: str
    parting: ReplayDifference | None = None
    fault: str | None = None


@click.group()
def rules() -> None:
    """Test the installed rules on finished matches."""


@rules.command("try")
@click.argument("game")
@click.argument("files", nargs=-1, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--version", "rules_version", type=click.IntRange(min=1), help="Rules version to test.  [default: the newest]"
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON line per match.")
def try_rules(game: str, files: tuple[Path, ...], rules_version: int | None, as_json: bool) -> None:
    """Replay finished matches of GAME and show differences.

    This runs the public matches in the log, or the matches in replay FILES.

    Exits with 0 if all matches agree with the rules, and with 1 if some differ.
    """
    try:
        version = find_game(game, rules_version).rules_version
    except UnknownGame as error:
        raise click.ClickException(str(error)) from None
    replays = replays_in_files(files, game) if files else replays_in_log(connect_services(), game)
    tried = []
    for found in chain.from_iterable(try_match(name, replay, version) for name, replay in replays):
        tried.append(found)
        if as_json:
            click.echo(msgspec.json.encode(found).decode())
        elif found.parting is not None:
            click.echo(f"{found.match}  {found.parting.as_text()}")
        elif found.fault is not None:
            click.echo(f"{found.match}  could not be run: {found.fault}")
    parted = sum(found.parting is not None for found in tried)
    agree = sum(found.parting is None and found.fault is None for found in tried)
    click.echo(
        f"Rules version {version} of {game}: {agree} of {len(tried)} matches agree, {parted} do not.",
        file=sys.stderr if as_json else sys.stdout,
    )
    raise SystemExit(1 if parted else 0)


def try_match(name: str, replay: Replay, version: int) -> Iterator[RulesTrial]:
    """Yield the re-execution of a match."""
    try:
        yield RulesTrial(name, compare_under_rules(replay, version))
    except CannotReExecute as error:
        yield RulesTrial(name, fault=str(error))


def replays_in_files(files: tuple[Path, ...], game: str) -> Iterator[tuple[str, Replay]]:
    """Yield the matches of this game in the files. Raises ClickException."""
    for file in files:
        try:
            replay = read_replay(read_file(file))
        except (ReplayError, OSError) as error:
            raise click.ClickException(f"{file}: {error}") from None
        if replay.created.game == game:
            yield str(file), replay


def replays_in_log(services: Services, game: str) -> Iterator[tuple[str, Replay]]:
    """Yield the finished public matches of this game in the log."""
    cursor = None
    while True:
        page = services.read_models.lists.list_matches(game=game, status="over", cursor=cursor, limit=PAGE_SIZE)
        for row in page.rows:
            lines = services.log.lines(row.id)
            yield row.id, Replay(tuple(read_event(line, pinned_game(lines)) for line in lines))
        cursor = page.cursor
        if cursor is None:
            return
