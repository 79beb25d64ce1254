"""`crumbtrail arena`: house bots against each other, many times over, on this machine's processors."""

import multiprocessing
import os
import shlex
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED as FIRST
from concurrent.futures import Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

import click
import msgspec

from domain.game import Refused
from domain.registry import UnknownGame, find_game
from replays.file import SUFFIX, write
from workers.bots.levels import LEVELS
from workers.bots.page import page
from workers.bots.series import Played, Series, play
from workers.bots.standings import Standing, lengths, standings
from workers.play import read_option


@click.command()
@click.argument("game")
@click.option("--bots", default="strong,greedy", show_default=True, help="Levels, by commas.")
@click.option("--games", "count", type=click.IntRange(min=1), default=20, show_default=True, help="How many matches.")
@click.option("--jobs", type=click.IntRange(min=1), default=1, show_default=True, help="How many at a time.")
@click.option("--seats", type=int, help="How many sit at a table  [default: one for each bot, or the fewest]")
@click.option("--seed", default="arena", show_default=True, help="All matches follow from it.")
@click.option("--option", "options", multiple=True, metavar="NAME=VALUE", help="An option of the game.")
@click.option("--iterations", type=click.IntRange(min=1), help="A budget for the bots that think  [default: theirs]")
@click.option("--cap", type=float, help="Seconds for one thought  [default: the bots' own]")
@click.option("--json", "json_file", type=click.Path(dir_okay=False, path_type=Path), help="Write the results there.")
@click.option("--html", "html_file", type=click.Path(dir_okay=False, path_type=Path), help="Write a page there.")
@click.option("--replays", type=click.Path(file_okay=False, path_type=Path), help="Write every match there.")
def arena(
    game: str,
    bots: str,
    count: int,
    jobs: int,
    seats: int | None,
    seed: str,
    options: tuple[str, ...],
    iterations: int | None,
    cap: float | None,
    json_file: Path | None,
    html_file: Path | None,
    replays: Path | None,
) -> None:
    """Play bots against each other in GAME and tell how they did. Ctrl-C ends it and keeps what is done.

    The seats go round from match to match, and each set-up is played once from each of them.
    """
    series = read_series(game, bots, seats, seed, dict(map(read_option, options)), iterations, cap)
    played = play_series(series, count, jobs, replays)
    again = command(series, count)
    found, sizes = standings(series.bots, played), lengths(played)
    for line in table(found):
        click.echo(line)
    click.echo(f"{len(played)} matches of {sizes.least} to {sizes.most} plies, {sizes.mean:g} on average")
    click.echo(f"again: {again}")
    if json_file:
        results = {"series": series, "standings": found, "lengths": sizes, "matches": played, "again": again}
        json_file.write_bytes(msgspec.json.format(msgspec.json.encode(results)) + b"\n")
    if html_file:
        html_file.write_text(page(series, found, sizes, played, again))


def read_series(
    game: str,
    bots: str,
    seats: int | None,
    seed: str,
    options: dict[str, Any],
    iterations: int | None,
    cap: float | None,
) -> Series:
    """The series that was asked for. Raises click's errors."""
    try:
        rules = find_game(game)
        names = tuple(bots.split(","))
        if unknown := [name for name in names if name not in LEVELS]:
            raise click.BadParameter(f"there is no {unknown[0]!r}; there are {', '.join(LEVELS)}", param_hint="--bots")
        table_size = seats or (len(names) if len(names) in rules.seat_counts else min(rules.seat_counts))
        if table_size not in rules.seat_counts:
            counts = ", ".join(map(str, rules.seat_counts))
            raise click.BadParameter(f"{rules.title} is played by {counts}", param_hint="--seats")
        rules.read_options(options)
    except UnknownGame as error:
        raise click.ClickException(str(error)) from None
    except Refused as refusal:
        raise click.ClickException(refusal.message) from None
    return Series(game, names, seed, options, table_size, iterations, cap)


def play_series(series: Series, count: int, jobs: int, replays: Path | None) -> list[Played]:
    """The matches by number, with a progress bar; Ctrl-C gives those that are done."""
    if replays:
        replays.mkdir(parents=True, exist_ok=True)
    done: list[Played] = []
    with (
        click.progressbar(length=count, label=series.game) as progress,
        results(series, count, jobs, replays) as coming,
    ):
        try:
            for match in coming:
                done.append(match)
                progress.update(1)
        except KeyboardInterrupt:
            click.echo(f"\nStopped after {len(done)} of {count} matches.", err=True)
    return sorted(done, key=lambda match: match.number)


@contextmanager
def results(series: Series, count: int, jobs: int, replays: Path | None) -> Iterator[Iterator[Played]]:
    """The matches as they are done, in this process or in several."""
    if jobs == 1:
        yield (play_one(series, number, replays) for number in range(count))
        return
    pool = ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn"))
    try:
        yield as_done(pool, series, count, jobs, replays)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def as_done(pool: ProcessPoolExecutor, series: Series, count: int, jobs: int, replays: Path | None) -> Iterator[Played]:
    """The matches as they are done, a few ahead of the processes."""
    numbers = iter(range(count))
    running: set[Future[Played]] = {pool.submit(play_one, series, n, replays) for n in islice(numbers, 2 * jobs)}
    while running:
        ended, running = wait(running, return_when=FIRST)
        running |= {pool.submit(play_one, series, n, replays) for n in islice(numbers, len(ended))}
        for future in ended:
            yield future.result()


def play_one(series: Series, number: int, replays: Path | None) -> Played:
    """A match, its replay written where it is wanted."""
    match, events = play(series, number)
    if replays:
        part = replays / f".{number}.{os.getpid()}"
        part.write_bytes(b"".join(write(events)))
        part.replace(replays / f"{series.game}-{number:04}{SUFFIX}")
    return match


def table(found: list[Standing]) -> Iterator[str]:
    """The standings as lines of text."""
    yield f"{'bot':<10}{'matches':>8}{'share':>8}{'95 % interval':>18}{'rating':>8}{'s/match':>9}{'slowest':>9}  seats"
    for one in found:
        seats = " ".join("-" if share is None else f"{share:.0%}" for share in one.by_seat)
        yield (
            f"{one.bot:<10}{one.matches:>8}{one.share:>8.1%}{f'{one.low:.1%} to {one.high:.1%}':>18}"
            f"{one.rating:>+8.0f}{one.thinking:>9.2f}{one.slowest:>9.2f}  {seats}"
        )


def command(series: Series, count: int) -> str:
    """The command that plays the series again; its bots are those of this version."""
    words = ["crumbtrail", "arena", series.game, "--bots", ",".join(series.bots), "--games", str(count)]
    words += ["--seats", str(series.seats), "--seed", series.seed]
    for name, value in series.options.items():
        words += ["--option", f"{name}={msgspec.json.encode(value).decode()}"]
    words += ["--iterations", str(series.iterations)] if series.iterations else []
    words += ["--cap", f"{series.seconds:g}"] if series.seconds else []
    return shlex.join(words)
