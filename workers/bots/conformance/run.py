"""Runs the matches of a bot check and prints the report."""

import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from itertools import cycle

import click

from workers.bots.conformance.positions import conformance_matches
from workers.bots.conformance.proxy import MISHAPS, ProxyRecord
from workers.bots.service_client import ServiceClient, ServiceError

POLL_SECONDS = 0.5
MAX_ROUNDS = 3
"""Maximum number of times to play through a game's matches while some kind of move has not been made."""


class ConformanceRun:
    """The matches of a check in one game, one after another, until every kind of move was made."""

    def __init__(self, ask: ServiceClient, seen: ProxyRecord, game: str, level: str) -> None:
        self.game, self.played, self.done = game, 0, False
        self._ask, self._seen, self._level = ask, seen, level
        self._remaining = cycle(conformance_matches(game))
        self._max_matches = MAX_ROUNDS * len(conformance_matches(game))
        self._match = self._open_next()

    def advance(self) -> None:
        """Open the next match if this one is over, or finish. Raises ServiceError."""
        if self.done or not is_over(self._ask, self._match):
            return
        self.played += 1
        if self.missing_kinds and self.played < self._max_matches:
            self._match = self._open_next()
        else:
            self.done = True

    @property
    def missing_kinds(self) -> set[str]:
        """Return the kinds of moves not made yet."""
        return self._seen.missing_kinds(self._match)

    def _open_next(self) -> str:
        """Open the next match and return its id. Raises ServiceError."""
        match = self._ask.create_match(self.game, next(self._remaining), self._level)
        self._seen.games[match] = self.game
        return match


def wait_for_runs(runs: Sequence[ConformanceRun], running: "subprocess.Popen[bytes]", deadline: float) -> None:
    """Wait until all runs are done, the bot's program ends, or the deadline passes."""
    with click.progressbar(length=len(runs), label="Games") as progress:
        while not all(run.done for run in runs) and time.monotonic() < deadline and running.poll() is None:
            time.sleep(POLL_SECONDS)
            before = sum(run.done for run in runs)
            for run in runs:
                with suppress(ServiceError):
                    run.advance()
            progress.update(sum(run.done for run in runs) - before)


def is_over(ask: ServiceClient, match: str) -> bool:
    """Return whether a match is over. False if the service does not respond."""
    try:
        return bool(ask(f"/matches/{match}")["status"] == "over")
    except ServiceError:
        return False


def print_report(seen: ProxyRecord, runs: Sequence[ConformanceRun], ended: int | None) -> bool:
    """Print the report. Return whether the bot is sound.

    `ended` is the exit code of a program that ended too early, or None.
    """
    for run in runs:
        made = sorted(seen.accepted_kinds.get(run.game, ()))
        click.echo(f"{run.game:<24} {run.played} matches; kinds of moves made: {', '.join(made) or 'none'}")
        if run.missing_kinds:
            click.echo(f"{'':<24} not made: {', '.join(sorted(run.missing_kinds))}")
    click.echo(f"moves accepted: {seen.accepted}, repeated with the same key: {seen.repeated}")
    click.echo(f"turn streams opened: {seen.connections}")
    for refusal, times in sorted(seen.refused.items()):
        click.echo(f"refused: {refusal}, {times} times")
    for mishap in MISHAPS:
        click.echo(f"fault caused: {mishap}, {seen.mishaps[mishap]} times")
    faults = []
    if ended is not None:
        faults.append(f"the program ended on its own, with exit code {ended}")
    if unfinished := [run.game for run in runs if not run.done]:
        faults.append(f"a match was not finished: {', '.join(unfinished)}")
    if seen.illegal_count:
        faults.append(f"{seen.illegal_count} requests were refused as illegal (400 or 422)")
    for fault in faults:
        click.echo(f"FAULT: {fault}")
    # a kind of move that was never made is untested, although the proxy listed only such moves
    untried = [f"{run.game} ({', '.join(sorted(run.missing_kinds))})" for run in runs if run.missing_kinds]
    if faults:
        click.echo("NOT SOUND")
    elif untried:
        click.echo(f"NOT SHOWN TO BE SOUND: these kinds of moves were offered but never made: {'; '.join(untried)}")
    else:
        click.echo("SOUND: every match was finished despite the faults.")
    return not (faults or untried)
