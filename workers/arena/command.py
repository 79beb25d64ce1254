"""`crumbtrail arena`: plays many matches between house bots, on this machine's processors or on RQ workers."""

import gzip
import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED as FIRST
from concurrent.futures import Future, ProcessPoolExecutor, wait
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import partial
from itertools import islice, product
from math import comb, inf
from pathlib import Path
from typing import Any

import click
import msgspec

from domain.bots.levels import LEVELS
from domain.kernel.refusals import Refused
from domain.kernel.registry import UnknownGame, find_game
from replays.file import SUFFIX
from service.cli.files import OutputFile, OutputFolder, write_file
from service.runtime.settings import from_environment
from workers.arena.html_report import render_page
from workers.arena.queued import MatchFailed, play_on_workers
from workers.arena.series import RecordedMatch, Series, play_and_record
from workers.arena.standings import compute_standings, match_lengths, standings_by_option
from workers.arena.text_report import option_lines, repeat_command, standings_lines
from workers.game_options import read_option
from workers.jobs.queue import JobQueue, QueueUnavailable, connect_queue

OPTION_HELP = "A game option. Repeat it with other values to compare them: the table has a row for each value."


MAX_SEATINGS = 10_000
"""Maximum number of seatings. Ordering more of them takes too long."""


def read_cap(context: click.Context, parameter: click.Parameter, seconds: float | None) -> float | None:
    """Return a time cap in seconds. Raises BadParameter."""
    if seconds is not None and not 0 < seconds < inf:  # also refuses NaN
        raise click.BadParameter("give a number of seconds above 0, such as 30")
    return seconds


@click.command()
@click.argument("game")
@click.option("--bots", default="strong,greedy", show_default=True, help="Levels, separated by commas.")
@click.option("--games", "count", type=click.IntRange(min=1), default=20, show_default=True, help="Number of matches.")
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Number of matches to play at the same time.",
)
@click.option(
    "--queue", is_flag=True, help="Play on workers. Start them on any machine with `crumbtrail worker --queues arena`."
)
@click.option(
    "--seats",
    type=click.IntRange(min=1),
    help="Number of seats.  [default: one per bot if possible, or as few as the game allows]",
)
@click.option("--seed", default="arena", show_default=True, help="The seed of all matches.")
@click.option("--option", "options", multiple=True, metavar="NAME=VALUE", help=OPTION_HELP)
@click.option("--iterations", type=click.IntRange(min=1), help="Search iterations per move.  [default: the bot's own]")
@click.option(
    "--cap",
    type=float,
    callback=read_cap,
    expose_value=False,
    deprecated="It has no effect: bots have no time limit.",
    help="Maximum seconds per move.",
)
@click.option("--json", "json_file", type=OutputFile(), help="Write the results to this file.")
@click.option("--html", "html_file", type=OutputFile(), help="Write a page with the results to this file.")
@click.option("--replays", type=OutputFolder(), help="Write a replay of every match to this folder.")
def arena(
    game: str,
    bots: str,
    count: int,
    jobs: int,
    queue: bool,
    seats: int | None,
    seed: str,
    options: tuple[str, ...],
    iterations: int | None,
    json_file: Path | None,
    html_file: Path | None,
    replays: Path | None,
) -> None:
    """Play bots against each other in GAME and show the results. Ctrl-C stops and keeps the finished matches.

    Each seed is played once by every combination of bots, in every rotation of the seats.
    """
    if queue and jobs > 1:
        raise click.UsageError("--jobs applies to local processes only. With --queue, start more workers instead.")
    series = read_series(game, bots, seats, seed, read_options(options), iterations)
    done = play_series(series, count, find_runner(jobs, queue), replays)
    played = [each.played for each in done]
    again = repeat_command(series, count)
    found, sizes = compute_standings(series.bots, played), match_lengths(played)
    options_found = standings_by_option(series.bots, series.variants, played)
    for line in (*standings_lines(found), *option_lines(series.bots, options_found)):
        click.echo(line)
    click.echo(f"{len(played)} matches of {sizes.least} to {sizes.most} plies, {sizes.mean:g} on average")
    click.echo(f"again: {again}")
    if json_file:
        results = {"series": series, "standings": found, "by_option": options_found, "lengths": sizes}
        results |= {"matches": played, "again": again}
        write_file(json_file, msgspec.json.format(msgspec.json.encode(results)) + b"\n")
    if html_file:
        write_file(html_file, render_page(series, found, options_found, sizes, done, again).encode())


def read_options(texts: Sequence[str]) -> dict[str, list[Any]]:
    """Return the values of each given option, in order."""
    values: dict[str, list[Any]] = {}
    for name, value in map(read_option, texts):
        values.setdefault(name, []).append(value)
    return values


def read_series(
    game: str,
    bots: str,
    seats: int | None,
    seed: str,
    options: dict[str, list[Any]],
    iterations: int | None,
) -> Series:
    """Return the requested series. Raises click's errors."""
    try:
        rules = find_game(game)
        names = tuple(bots.split(","))
        if unknown := [name for name in names if name not in LEVELS]:
            raise click.BadParameter(
                f"there is no level {unknown[0]!r}. Choose from {', '.join(LEVELS)}", param_hint="--bots"
            )
        table_size = seats or (len(names) if len(names) in rules.seat_counts else min(rules.seat_counts))
        if table_size not in rules.seat_counts:
            counts = ", ".join(map(str, rules.seat_counts))
            raise click.BadParameter(f"{rules.title} can be played with {counts} seats", param_hint="--seats")
        if comb(len(names), table_size) * table_size > MAX_SEATINGS:
            raise click.BadParameter(
                "there are too many ways to seat this many bots. Choose fewer bots", param_hint="--bots"
            )
        fixed = {name: values[0] for name, values in options.items() if len(values) == 1}
        varied = {name: values for name, values in options.items() if len(values) > 1}
        variants = tuple(dict(zip(varied, values, strict=True)) for values in product(*varied.values()))
        for variant in variants:
            rules.read_options({**fixed, **variant})
    except UnknownGame as error:
        raise click.ClickException(str(error)) from None
    except Refused as refusal:
        raise click.ClickException(refusal.message) from None
    return Series(game, names, seed, fixed, table_size, iterations, variants if varied else ())


SeriesRunner = Callable[[Series, int], AbstractContextManager[Iterator[RecordedMatch]]]
"""Plays this many matches of a series and yields them as they finish."""


def find_runner(jobs: int, queue: bool) -> SeriesRunner:
    """Return the runner: this process, several processes, or workers. Raises ClickException for a missing queue."""
    if not queue:
        return partial(local_results, jobs=jobs)
    try:
        job_queue = JobQueue(connect_queue(from_environment().queue_url))
        if not job_queue.count_arena_workers():
            click.echo("No worker serves the arena yet. Start one with: crumbtrail worker --queues arena", err=True)
    except (ValueError, QueueUnavailable) as error:
        raise click.ClickException(str(error)) from None
    return partial(queue_results, job_queue=job_queue)


def play_series(series: Series, count: int, players: SeriesRunner, replays: Path | None) -> list[RecordedMatch]:
    """Play with a progress bar and return the matches by number. Ctrl-C returns the finished ones."""
    if replays:
        replays.mkdir(parents=True, exist_ok=True)
    done: list[RecordedMatch] = []
    with click.progressbar(length=count, label=series.game) as progress, players(series, count) as coming:
        try:
            for match in coming:
                done.append(match)
                if replays:
                    write_replay(series, match, replays)
                progress.update(1)
        except KeyboardInterrupt:
            click.echo(f"\nStopped after {len(done)} of {count} matches.", err=True)
        except (QueueUnavailable, MatchFailed, click.ClickException) as error:
            click.echo(f"\nStopped after {len(done)} of {count} matches: {error}", err=True)
    return sorted(done, key=lambda match: match.played.number)


@contextmanager
def local_results(series: Series, count: int, jobs: int) -> Iterator[Iterator[RecordedMatch]]:
    """Yield an iterator over the matches as this process or several finish them."""
    if jobs == 1:
        yield (play_and_record(series, number) for number in range(count))
        return
    pool = ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn"))
    try:
        yield completed_matches(pool, series, count, jobs)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


@contextmanager
def queue_results(series: Series, count: int, job_queue: JobQueue) -> Iterator[Iterator[RecordedMatch]]:
    """Yield an iterator over the matches as workers finish them. Matches not started leave the queue at the end."""
    coming = play_on_workers(series, count, job_queue)
    try:
        yield coming
    finally:
        with suppress(QueueUnavailable):
            coming.close()


def completed_matches(pool: ProcessPoolExecutor, series: Series, count: int, jobs: int) -> Iterator[RecordedMatch]:
    """Yield the matches as they finish. Queues a few more than there are processes."""
    numbers = iter(range(count))
    running: set[Future[RecordedMatch]] = {pool.submit(play_and_record, series, n) for n in islice(numbers, 2 * jobs)}
    while running:
        ended, running = wait(running, return_when=FIRST)
        running |= {pool.submit(play_and_record, series, n) for n in islice(numbers, len(ended))}
        for future in ended:
            yield future.result()


def write_replay(series: Series, match: RecordedMatch, folder: Path) -> None:
    """Write a match's replay file. Raises ClickException."""
    write_file(folder / f"{series.game}-{match.played.number:04}{SUFFIX}", gzip.decompress(match.replay))
