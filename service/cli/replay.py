"""`crumbtrail replay`: look at replay files."""

from pathlib import Path

import click
import msgspec

from replays.file import ReplayError, read
from replays.replay import Replay


@click.group()
def replay() -> None:
    """Look at replay files."""


@replay.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--ply", type=click.IntRange(min=1), help="Show only this ply, with its position.")
@click.option("--seat", type=click.IntRange(min=0), help="What this seat saw  [default: a spectator's view]")
@click.option("--json", "as_json", is_flag=True, help="The view as JSON.")
def show(file: Path, ply: int | None, seat: int | None, as_json: bool) -> None:
    """Show a match: its log in words and the position at the end, or behind one ply."""
    try:
        shown = read(file.read_bytes())
    except ReplayError as error:
        raise click.ClickException(str(error)) from None
    if seat is not None and seat >= len(shown.last.seats):
        raise click.BadParameter(f"this match has the seats 0 to {len(shown.last.seats) - 1}", param_hint="--seat")
    at = shown.last.ply if ply is None else ply
    if at > shown.last.ply:
        raise click.BadParameter(f"this match ends at ply {shown.last.ply}", param_hint="--ply")
    if as_json:
        match = shown.at(at)
        click.echo(msgspec.json.encode(match.rules.view(match.state, seat)).decode())
        return
    for number in range(1, at + 1) if ply is None else (at,):
        tell(shown, number, seat)
    click.echo()
    click.echo(shown.text(at, seat))


def tell(shown: Replay, ply: int, seat: int | None) -> None:
    """One ply in words."""
    for n, line in enumerate(shown.words(ply, seat)):
        click.echo(f"{ply if n == 0 else '':>5}  {line}")
