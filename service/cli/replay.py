"""`crumbtrail replay`: show and compare replay files."""

from pathlib import Path

import click
import msgspec

from domain.kernel.registry import UnknownGame
from replays.compare import CannotReExecute, ReplayDifference, compare_replays, compare_under_rules
from replays.file import ReplayError, read_replay
from replays.redaction import EVERYTHING, Reader
from replays.replay import NoSuchPly, NotVisible, Replay
from service.cli.files import read_file


@click.group()
def replay() -> None:
    """Show and compare replay files."""


@replay.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--ply", type=click.IntRange(min=1), help="Show only this ply, and the position after it.")
@click.option("--fact", type=click.IntRange(min=0), help="With --ply: apply only this many of its facts.")
@click.option(
    "--seat", type=click.IntRange(min=0), help="Show what this seat saw at the time.  [default: a spectator's view]"
)
@click.option("--everything", is_flag=True, help="Show hidden information too. Only for finished matches.")
@click.option("--json", "as_json", is_flag=True, help="Print the view as JSON.")
@click.option("--svg", "as_svg", is_flag=True, help="Print the table as an SVG image.")
def show(
    file: Path, ply: int | None, fact: int | None, seat: int | None, everything: bool, as_json: bool, as_svg: bool
) -> None:
    """Show the moves and the final position of a match. With --ply, show one ply and the position after it."""
    shown = load_replay(file)
    if seat is not None and everything:
        raise click.UsageError("Use --seat or --everything, not both.")
    if fact is not None and ply is None:
        raise click.UsageError("--fact needs --ply.")
    if seat is not None and seat >= len(shown.created.seats):
        raise click.BadParameter(f"This match has seats 0 to {len(shown.created.seats) - 1}.", param_hint="--seat")
    at = len(shown.events) if ply is None else ply
    if at > len(shown.events):
        raise click.BadParameter(f"This match has plies 1 to {len(shown.events)}.", param_hint="--ply")
    reader: Reader = EVERYTHING if everything else seat
    try:
        if as_json or as_svg:
            click.echo(table_svg(shown, at, reader, fact) if as_svg else view_json(shown, at, reader, fact))
            return
        for number in range(1, at + 1) if ply is None else (at,):
            print_ply(shown, number, reader)
        if not shown.is_redacted:
            click.echo()
            click.echo(shown.text(at, reader, fact))
    except NoSuchPly as error:
        raise click.BadParameter(str(error), param_hint="--fact") from None
    except NotVisible as error:
        raise click.ClickException(str(error)) from None


@replay.command()
@click.argument("one", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("other", required=False, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--rules", "rules_version", type=click.IntRange(min=1), help="Compare ONE with itself under this rules version."
)
@click.option("--json", "as_json", is_flag=True, help="Print the first difference as JSON, or null.")
def diff(one: Path, other: Path | None, rules_version: int | None, as_json: bool) -> None:
    """Show the first difference between two matches.

    Give two files, or one file and another rules version with --rules.

    Exits with 0 if they are the same, and with 1 if they differ.
    """
    if (other is None) == (rules_version is None):
        raise click.UsageError("Give either a second file or a rules version with --rules.")
    try:
        parting = (
            compare_replays(load_replay(one), load_replay(other))
            if other
            else compare_under_rules(load_replay(one), rules_version or 1)
        )
    except (UnknownGame, CannotReExecute) as error:
        raise click.ClickException(str(error)) from None
    if as_json:
        click.echo(msgspec.json.encode(parting).decode())
    else:
        click.echo(describe_parting(parting))
    raise SystemExit(0 if parting is None else 1)


def describe_parting(parting: ReplayDifference | None) -> str:
    """Return a description of the first difference, with both positions."""
    if parting is None:
        return "Both are the same at every ply."
    return "\n".join(
        [f"First difference: {parting.as_text()}", "", *(text or "(no position)" for text in parting.positions)]
    )


def load_replay(file: Path) -> Replay:
    """Return the replay in a file. Raises ClickException."""
    try:
        return read_replay(read_file(file))
    except ReplayError as error:
        raise click.ClickException(f"{file}: {error}") from None
    except OSError as error:
        raise click.ClickException(f"{file}: {error.strerror}") from None


def view_json(shown: Replay, ply: int, reader: Reader, fact: int | None) -> str:
    """Return what the reader sees, as JSON."""
    return msgspec.json.encode(shown.position(ply, reader, fact)).decode()


def table_svg(shown: Replay, ply: int, reader: Reader, fact: int | None) -> str:
    """Return the table as SVG. For `everything`, it is drawn as a spectator sees it."""
    seat = None if reader == EVERYTHING else reader
    return shown.game.svg(shown.position(ply, seat, fact), seat)


def print_ply(shown: Replay, ply: int, reader: Reader) -> None:
    """Print the narration of one ply."""
    for n, line in enumerate(shown.narration(ply, reader)):
        click.echo(f"{ply if n == 0 else '':>5}  {line}")
