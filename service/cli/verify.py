"""`crumbtrail verify`: check replay files, trusting nobody."""

import sys
from pathlib import Path

import click
import msgspec

from replays.verify import verify as verify_replay


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="One JSON line for each file.")
def verify(files: tuple[Path, ...], as_json: bool) -> None:
    """Check replay FILES: chain, seed, every draw, every move decided again, the score counted again.

    Exit code 0: all good; 1: at least one failed; 2: at least one could not be read at all.
    """
    worst = 0
    with click.progressbar(files, label="Verifying", file=sys.stderr, hidden=len(files) < 2) as progress:
        for file in progress:
            worst = max(worst, verify_file(file, as_json))
    raise SystemExit(worst)


def verify_file(file: Path, as_json: bool) -> int:
    """Check one file, say what was found, and give its exit code."""
    try:
        raw = file.read_bytes()
    except OSError as error:
        click.echo(f"{file}: cannot be read: {error.strerror}", err=True)
        return 2
    report = verify_replay(raw)
    if as_json:
        click.echo(msgspec.json.encode({"file": str(file), "ok": report.ok, "report": report}).decode())
    else:
        click.echo(f"{file}: {'verified' if report.ok else 'NOT VERIFIED'}")
        for line in report.words().splitlines():
            click.echo(f"  {line}")
    return 0 if report.ok else 1
