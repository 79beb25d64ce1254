"""`crumbtrail arena`: house bots against each other, many times over, on this machine's processors or by RQ workers."""

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
from workers.bots.levels import LEVELS
from workers.game_options import read_option
from workers.jobs.queue import JobQueue, QueueUnavailable, connect_queue

OPTION_HELP = "An option of the game. One that is given several values is varied, and the table has a line for each."


MAX_SEATINGS = 10_000
"""More pairings than anybody plays; their order takes long to find."""


def read_cap(context: click.Context, parameter: click.Parameter, seconds: float | None) -> float | None:
    """A time cap. Raises BadParameter."""
    if seconds is not None and not 0 < seconds < inf:  # nor one that is no number
        raise click.BadParameter("a cap is a number of seconds above 0, such as 30")
    return seconds


@click.command()
@click.argument("game")
@click.option("--bots", default="strong,greedy", show_default=True, help="Levels, by commas.")
@click.option("--games", "count", type=click.IntRange(min=1), default=20, show_default=True, help="How many matches.")
@click.option("--jobs", type=click.IntRange(min=1), default=1, show_default=True, help="How many at a time.")
@click.option("--queue", is_flag=True, help="Played by workers: `crumbtrail worker --queues arena`, anywhere.")
@click.option(
    "--seats", type=click.IntRange(min=1), help="How many sit at a table  [default: as many as bots, or the fewest]"
)
@click.option("--seed", default="arena", show_default=True, help="All matches follow from it.")
@click.option("--option", "options", multiple=True, metavar="NAME=VALUE", help=OPTION_HELP)
@click.option("--iterations", type=click.IntRange(min=1), help="A budget for the bots that think  [default: theirs]")
@click.option("--cap", type=float, callback=read_cap, help="Seconds for one thought  [default: the bots' own]")
@click.option("--json", "json_file", type=OutputFile(), help="Write the results there.")
@click.option("--html", "html_file", type=OutputFile(), help="Write a page there.")
@click.option("--replays", type=OutputFolder(), help="Write every match there.")
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
    cap: float | None,
    json_file: Path | None,
    html_file: Path | None,
    replays: Path | None,
) -> None:
    """Play bots against each other in GAME and tell how they did. Ctrl-C ends it and keeps what is done.

    All choices of as many bots as there are seats meet, in every rotation of the seats, and each set-up is played once
    from each of these seatings.
    """
    if queue and jobs > 1:
        raise click.UsageError("--jobs is for local processes; with --queue there are as many as workers are started.")
    series = read_series(game, bots, seats, seed, read_options(options), iterations, cap)
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
    """The values of each option that is given, in their order."""
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
        if comb(len(names), table_size) * table_size > MAX_SEATINGS:
            raise click.BadParameter(
                "so many bots have more pairings than can be played; name fewer", param_hint="--bots"
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
    return Series(game, names, seed, fixed, table_size, iterations, cap, variants if varied else ())


SeriesRunner = Callable[[Series, int], AbstractContextManager[Iterator[RecordedMatch]]]
"""Plays so many matches of a series; the matches come as they are done."""


def find_runner(jobs: int, queue: bool) -> SeriesRunner:
    """Who plays: this process, several, or workers. Raises ClickException for a queue that is not there."""
    if not queue:
        return partial(local_results, jobs=jobs)
    try:
        hands = JobQueue(connect_queue(from_environment().queue_url))
        if not hands.count_arena_workers():
            click.echo("No worker serves the arena yet. Start some: crumbtrail worker --queues arena", err=True)
    except (ValueError, QueueUnavailable) as error:
        raise click.ClickException(str(error)) from None
    return partial(queue_results, hands=hands)


def play_series(series: Series, count: int, players: SeriesRunner, replays: Path | None) -> list[RecordedMatch]:
    """The matches by number, with a progress bar; Ctrl-C gives those that are done."""
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
    """The matches as they are done, in this process or in several."""
    if jobs == 1:
        yield (play_and_record(series, number) for number in range(count))
        return
    pool = ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn"))
    try:
        yield completed_matches(pool, series, count, jobs)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


@contextmanager
def queue_results(series: Series, count: int, hands: JobQueue) -> Iterator[Iterator[RecordedMatch]]:
    """The matches as they are done by workers; what they have not begun is taken back."""
    coming = play_on_workers(series, count, hands)
    try:
        yield coming
    finally:
        with suppress(QueueUnavailable):
            coming.close()


def completed_matches(pool: ProcessPoolExecutor, series: Series, count: int, jobs: int) -> Iterator[RecordedMatch]:
    """The matches as they are done, a few ahead of the processes."""
    numbers = iter(range(count))
    running: set[Future[RecordedMatch]] = {pool.submit(play_and_record, series, n) for n in islice(numbers, 2 * jobs)}
    while running:
        ended, running = wait(running, return_when=FIRST)
        running |= {pool.submit(play_and_record, series, n) for n in islice(numbers, len(ended))}
        for future in ended:
            yield future.result()


def write_replay(series: Series, match: RecordedMatch, folder: Path) -> None:
    """Write the match's replay file. Raises ClickException."""
    write_file(folder / f"{series.game}-{match.played.number:04}{SUFFIX}", gzip.decompress(match.replay))
