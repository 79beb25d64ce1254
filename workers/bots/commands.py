"""`crumbtrail bot`: for those who write bots, and those who want to know why one moved as it did."""

import json
import os
import signal
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from http.client import HTTPException
from itertools import cycle
from typing import Any
from urllib.parse import quote

import click
import msgspec

from domain.kernel.conformance import ConformanceMatch
from replays.file import ReplayError, read_replay
from service.accounts.players import HOUSE, InvalidName, TooManyTokens
from service.bots.decision_log import BotDecision
from service.bots.levels import LEVELS
from service.cli.audit import run_audits
from service.cli.keys import connect_services
from service.runtime.settings import PUBLIC_URL, parse_web_url
from workers.bots.audit import audit_bots
from workers.bots.conformance.positions import conformance_matches
from workers.bots.conformance.proxy import MISHAPS, ProxyRecord, run_proxy
from workers.bots.explain import CannotExplain, explanation_lines
from workers.bots.explain import explain as run_again

POLL_SECONDS = 0.5
MAX_ROUNDS = 3
"""How often the matches of a check are gone through at most, while kinds of moves were not made."""
MAX_SECONDS = 600


def read_address(context: click.Context, parameter: click.Parameter, text: str) -> str:
    """The address of a service. Raises BadParameter."""
    try:
        return parse_web_url(text)
    except ValueError:
        raise click.BadParameter(f"a service is at http:// or https:// and a host, such as {PUBLIC_URL}") from None


url_option = click.option(
    "--url", default=PUBLIC_URL, show_default=True, callback=read_address, help="A running service."
)


@click.group()
def bot() -> None:
    """Check a bot of your own, or look into the house bots' choices."""


@bot.command()
@url_option
@click.option("--game", "games", multiple=True, help="Play this game; may be repeated  [default: every game]")
@click.option(
    "--level", type=click.Choice(list(LEVELS)), default="greedy", show_default=True, help="Of the house bots."
)
@click.option("--seconds", default=MAX_SECONDS, show_default=True, help="Give up after so many.")
@click.argument("command", nargs=-1, required=True)
def check(url: str, games: tuple[str, ...], level: str, seconds: int, command: tuple[str, ...]) -> None:
    """Play a bot against house bots through a proxy that has mishaps on purpose.

    COMMAND starts your bot; {url} and {token} in it are replaced. Write `--` before it. Exit code 0: it is sound, and
    has made moves of every kind.
    """
    ask = ServiceClient(url)
    with service_errors_as_click(url):
        ask.register("A bot under test")
        kinds = {game: ask.move_kinds(game) for game in games or ask.games()}
        seen = ProxyRecord(expected_kinds=kinds)
        courses = [ConformanceRun(ask, seen, game, level) for game in kinds]
    with run_proxy(url, seen) as address:
        words = [word.replace("{url}", address).replace("{token}", ask.token) for word in command]
        try:
            # a session of its own: what a wrapper has started ends with it
            running = subprocess.Popen(words, start_new_session=True)
        except OSError as error:
            raise click.ClickException(f"{words[0]} cannot be started: {error.strerror}") from None
        try:
            wait_for_runs(courses, running, time.monotonic() + seconds)
        finally:
            with suppress(ProcessLookupError):  # all of it has ended by itself
                os.killpg(running.pid, signal.SIGKILL)
            running.wait()
    unfinished = [course.game for course in courses if not course.done]
    ended = running.returncode if unfinished and running.returncode != -9 else None
    raise SystemExit(0 if print_report(seen, courses, ended) else 1)


@bot.command()
@click.argument("match")
@click.argument("ply", type=click.IntRange(min=1))
@url_option
def explain(match: str, ply: int, url: str) -> None:
    """Run the choice of a house bot at PLY of a finished MATCH again, and show what it weighed.

    Exit code 0: it gives the move that was played.
    """
    ask = ServiceClient(url)
    with service_errors_as_click(url):
        noted = msgspec.convert(ask(f"/matches/{quote(match, safe='')}/bots")["moves"], list[BotDecision])
        replay = read_replay(ask.fetch(f"/matches/{quote(match, safe='')}/replay"))
    found = next((move for move in noted if move.ply == ply), None)
    if found is None:
        plies = ", ".join(str(move.ply) for move in noted) or "none"
        raise click.ClickException(f"Ply {ply} is no move of a house bot. There are: {plies}.")
    try:
        explained = run_again(replay, found)
    except CannotExplain as error:
        raise click.ClickException(str(error)) from None
    click.echo("\n".join(explanation_lines(explained)))
    raise SystemExit(0 if explained.is_same else 1)


@bot.command()
@click.argument("matches", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="Every match that has started.")
@click.option("--json", "as_json", is_flag=True, help="One JSON line for each match.")
@click.option("--jobs", type=click.IntRange(min=1), help="Processes to share the work  [default: one a processor]")
def audit(matches: tuple[str, ...], everything: bool, as_json: bool, jobs: int | None) -> None:
    """Audit MATCHES as `crumbtrail audit` does, and run every move of the house bots in them again.

    Run this beside the log. Exit code 0: nothing is wrong; 1: something is.
    """
    run_audits(matches, everything, as_json, jobs, audit_bots)


@bot.group()
def token() -> None:
    """Tokens for workers on other machines, which play the house's bots. Run this beside the log."""


@token.command("new")
@click.argument("label")
def new_token(label: str) -> None:
    """Make a token for a worker; LABEL says where it is. It is shown once, and stored hashed."""
    try:
        secret = connect_services().players.new_token(HOUSE, HOUSE, label)
    except (InvalidName, TooManyTokens) as error:
        raise click.ClickException(str(error)) from None
    click.echo(secret)


@token.command("list")
def list_tokens() -> None:
    """Show all tokens for workers, by id; not the tokens themselves."""
    for one in connect_services().players.tokens(HOUSE):
        click.echo(f"{one.id}  {one.at:%Y-%m-%d %H:%M} UTC  {one.label}")


@token.command("revoke")
@click.argument("token_id", metavar="ID")
def revoke_token(token_id: str) -> None:
    """End a token at once; its worker stops with the next turn that it is given."""
    if not connect_services().players.revoke(HOUSE, token_id):
        raise click.ClickException(f"there is no token {token_id}; `crumbtrail bot token list` shows all")
    click.echo(f"{token_id} is good for nothing any more.")


class ServiceError(Exception):
    """The service did not do what it was asked for; says why."""


@contextmanager
def service_errors_as_click(url: str) -> Iterator[None]:
    """Turns what a service does not do, and what is no answer of a service's, into ClickException."""
    try:
        yield
    except ServiceError as error:
        raise click.ClickException(str(error)) from None
    except (ReplayError, LookupError, TypeError, msgspec.MsgspecError):
        raise click.ClickException(not_a_service(url)) from None


def not_a_service(url: str) -> str:
    """What is said of an address where something else answers."""
    return f"What answers at {url} is no service of ours: name one by --url, such as {PUBLIC_URL}."


class ServiceClient:
    """Asks the service, as the bot's player."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._api = url + "/api/v1"
        self.token = ""

    def __call__(self, path: str, body: Any = None) -> Any:
        """The answer. Raises NoAnswer."""
        try:
            return json.loads(self.fetch(path, body))
        except ValueError:
            raise ServiceError(not_a_service(self._url)) from None

    def fetch(self, path: str, body: Any = None) -> bytes:
        """The answer as it comes. Raises NoAnswer."""
        headers = {"Content-Type": "application/json"} | (
            {"Authorization": f"Bearer {self.token}"} if self.token else {}
        )
        raw = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self._api + path, raw, headers)  # noqa: S310 -- the address that we were given
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:  # noqa: S310
                document: bytes = answer.read()
                return document
        except urllib.error.HTTPError as error:
            raise ServiceError(self._refusal(error)) from None
        except (OSError, HTTPException) as error:
            raise ServiceError(f"The service at {self._url} does not do its part: {error}") from None

    def _refusal(self, error: urllib.error.HTTPError) -> str:
        """What a refusal says to people."""
        try:
            return str(json.load(error)["detail"])
        except (OSError, ValueError, LookupError, TypeError):
            return f"{not_a_service(self._url)} It says {error.code}."

    def register(self, name: str) -> None:
        """A player for the bot."""
        self.token = self("/players", {"name": name, "bot": True})["token"]

    def games(self) -> list[str]:
        """The slugs of all games."""
        return [game["slug"] for game in self("/games")["games"]]

    def move_kinds(self, game: str) -> set[str]:
        """The kinds of moves that a game has, without `resign`."""
        mapping = self(f"/games/{game}")["schemas"]["move"]["discriminator"]["mapping"]
        return set(mapping) - {"resign"}

    def create_match(self, game: str, rehearsal: ConformanceMatch, level: str) -> str:
        """A match with the first seat for the bot; gives its id."""
        count = rehearsal.seats or min(choice["seats"] for choice in self(f"/games/{game}")["seat_counts"])
        seats = [{"kind": "me"}, *[{"kind": "bot", "level": rehearsal.level or level}] * (count - 1)]
        body = {"game": game, "seats": seats, "options": rehearsal.options}
        body |= {"position": rehearsal.position} if rehearsal.position else {}
        match: str = self("/matches", body)["match"]["id"]
        return match


class ConformanceRun:
    """The matches of a check in one game, one behind the other, until every kind of move was made."""

    def __init__(self, ask: ServiceClient, seen: ProxyRecord, game: str, level: str) -> None:
        self.game, self.played, self.done = game, 0, False
        self._ask, self._seen, self._level = ask, seen, level
        self._remaining = cycle(conformance_matches(game))
        self._max_matches = MAX_ROUNDS * len(conformance_matches(game))
        self._match = self._open_next()

    def advance(self) -> None:
        """Go on to the next match, or be done, where this one is over. Raises NoAnswer."""
        if self.done or not is_over(self._ask, self._match):
            return
        self.played += 1
        if self.missing_kinds and self.played < self._max_matches:
            self._match = self._open_next()
        else:
            self.done = True

    @property
    def missing_kinds(self) -> set[str]:
        """The kinds of moves that were never made."""
        return self._seen.missing_kinds(self._match)

    def _open_next(self) -> str:
        """The next match. Raises NoAnswer."""
        match = self._ask.create_match(self.game, next(self._remaining), self._level)
        self._seen.games[match] = self.game
        return match


def wait_for_runs(courses: Sequence[ConformanceRun], running: "subprocess.Popen[bytes]", deadline: float) -> None:
    """Wait until all courses are done, or the bot has ended, or time is up."""
    with click.progressbar(length=len(courses), label="Games") as progress:
        while not all(course.done for course in courses) and time.monotonic() < deadline and running.poll() is None:
            time.sleep(POLL_SECONDS)
            before = sum(course.done for course in courses)
            for course in courses:
                with suppress(ServiceError):
                    course.advance()
            progress.update(sum(course.done for course in courses) - before)


def is_over(ask: ServiceClient, match: str) -> bool:
    """Whether a match is over, as far as the service can be asked now."""
    try:
        return bool(ask(f"/matches/{match}")["status"] == "over")
    except ServiceError:
        return False


def print_report(seen: ProxyRecord, courses: Sequence[ConformanceRun], ended: int | None) -> bool:
    """Say what was seen; gives whether the bot is sound. `ended`: the program's exit code where it ended by itself."""
    for course in courses:
        made = sorted(seen.accepted_kinds.get(course.game, ()))
        click.echo(f"{course.game:<24} {course.played} matches; kinds of moves made: {', '.join(made) or 'none'}")
        if course.missing_kinds:
            click.echo(f"{'':<24} not made: {', '.join(sorted(course.missing_kinds))}")
    click.echo(f"moves accepted: {seen.accepted}, repeated under the same key: {seen.repeated}")
    click.echo(f"streams of turns opened: {seen.connections}")
    for refusal, times in sorted(seen.refused.items()):
        click.echo(f"refused: {refusal}, {times} times")
    for mishap in MISHAPS:
        click.echo(f"mishap: {mishap}, {seen.mishaps[mishap]} times")
    faults = []
    if ended is not None:
        faults.append(f"the program ended by itself, with exit code {ended}")
    if unfinished := [course.game for course in courses if not course.done]:
        faults.append(f"a match was not played to its end: {', '.join(unfinished)}")
    if seen.illegal_count:
        faults.append(f"{seen.illegal_count} requests were refused as illegal (400 or 422)")
    for fault in faults:
        click.echo(f"FAULT: {fault}")
    # what was never made cannot be vouched for: the rehearsals bring every kind about, and the lists held these alone
    untried = [
        f"{course.game} ({', '.join(sorted(course.missing_kinds))})" for course in courses if course.missing_kinds
    ]
    if faults:
        click.echo("NOT SOUND")
    elif untried:
        click.echo(f"NOT SHOWN TO BE SOUND: these kinds of moves were listed and never made: {'; '.join(untried)}")
    else:
        click.echo("SOUND: every match was played to its end, whatever happened.")
    return not (faults or untried)
