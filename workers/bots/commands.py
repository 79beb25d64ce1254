"""`crumbtrail bot`: for those who write bots, and those who want to know why one moved as it did."""

import json
import subprocess
import time
import urllib.error
import urllib.request
from typing import Any

import click
import msgspec

from replays.file import read
from service.bot_moves import BotMove
from service.cli.audit import run as run_audits
from service.cli.keys import running_services
from service.players import HOUSE, BadName, TooManyTokens
from workers.bots.audit import audit_bots
from workers.bots.check import MISHAPS, Seen, proxy
from workers.bots.explain import CannotExplain, in_words
from workers.bots.explain import explain as run_again
from workers.bots.rehearsals import Rehearsal, rehearsals

POLL_SECONDS = 0.5
MOST_SECONDS = 600


@click.group()
def bot() -> None:
    """Check a bot of your own, or look into the house bots' choices."""


@bot.command()
@click.option("--url", default="http://127.0.0.1:8000", show_default=True, help="A running service.")
@click.option("--game", "games", multiple=True, help="Play this game; may be repeated  [default: every game]")
@click.option("--level", default="greedy", show_default=True, help="Of the house bots that it meets.")
@click.option("--seconds", default=MOST_SECONDS, show_default=True, help="Give up after so many.")
@click.argument("command", nargs=-1, required=True)
def check(url: str, games: tuple[str, ...], level: str, seconds: int, command: tuple[str, ...]) -> None:
    """Play a bot against house bots through a proxy that has mishaps on purpose.

    COMMAND starts your bot; {url} and {token} in it are replaced. Write `--` before it. Exit code 0: it is sound.
    """
    ask = Asking(url.rstrip("/"))
    try:
        ask.register("A bot under test")
        matches = [ask.open_match(game, each, level) for game in games or ask.games() for each in rehearsals(game)]
        kinds = {game: ask.kinds(game) for game, _ in matches}
    except OSError as error:
        raise click.ClickException(f"The service at {url} does not do its part: {error}") from None
    seen = Seen(games={match: game for game, match in matches}, wanted=kinds)
    with proxy(url.rstrip("/"), seen) as address:
        words = [word.replace("{url}", address).replace("{token}", ask.token) for word in command]
        try:
            running = subprocess.Popen(words)
        except OSError as error:
            raise click.ClickException(f"{words[0]} cannot be started: {error.strerror}") from None
        try:
            over = watch(ask, matches, running, time.monotonic() + seconds)
        finally:
            running.kill()
            running.wait()
    ended = running.returncode if over < len(matches) and running.returncode != -9 else None
    raise SystemExit(0 if report(seen, matches, kinds, over, ended) else 1)


@bot.command()
@click.argument("match")
@click.argument("ply", type=click.IntRange(min=1))
@click.option("--url", default="http://127.0.0.1:8000", show_default=True, help="A running service.")
def explain(match: str, ply: int, url: str) -> None:
    """Run the choice of a house bot at PLY of a finished MATCH again, and show what it weighed.

    Exit code 0: it gives the move that was played.
    """
    ask = Asking(url.rstrip("/"))
    try:
        noted = msgspec.convert(ask(f"/matches/{match}/bots")["moves"], list[BotMove])
        replay = read(ask.raw(f"/matches/{match}/replay"))
    except urllib.error.HTTPError as error:
        raise click.ClickException(json.load(error).get("detail", str(error))) from None
    except OSError as error:
        raise click.ClickException(f"The service at {url} does not do its part: {error}") from None
    found = next((move for move in noted if move.ply == ply), None)
    if found is None:
        plies = ", ".join(str(move.ply) for move in noted) or "none"
        raise click.ClickException(f"Ply {ply} is no move of a house bot. There are: {plies}.")
    try:
        explained = run_again(replay, found)
    except CannotExplain as error:
        raise click.ClickException(str(error)) from None
    click.echo("\n".join(in_words(explained)))
    raise SystemExit(0 if explained.same else 1)


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
        secret = running_services().players.new_token(HOUSE, HOUSE, label)
    except (BadName, TooManyTokens) as error:
        raise click.ClickException(str(error)) from None
    click.echo(secret)


@token.command("list")
def list_tokens() -> None:
    """Show all tokens for workers, by id; not the tokens themselves."""
    for one in running_services().players.tokens(HOUSE):
        click.echo(f"{one.id}  {one.at:%Y-%m-%d %H:%M} UTC  {one.label}")


@token.command("revoke")
@click.argument("token_id", metavar="ID")
def revoke_token(token_id: str) -> None:
    """End a token at once; its worker stops with the next turn that it is given."""
    if not running_services().players.revoke(HOUSE, token_id):
        raise click.ClickException(f"there is no token {token_id}; `crumbtrail bot token list` shows all")
    click.echo(f"{token_id} is good for nothing any more.")


class Asking:
    """Asks the service, as the bot's player."""

    def __init__(self, url: str) -> None:
        self._api = url + "/api/v1"
        self.token = ""

    def __call__(self, path: str, body: Any = None) -> Any:
        """The answer. Raises OSError (urllib's errors are)."""
        return json.loads(self.raw(path, body))

    def raw(self, path: str, body: Any = None) -> bytes:
        """The answer as it comes. Raises OSError."""
        headers = {"Content-Type": "application/json"} | (
            {"Authorization": f"Bearer {self.token}"} if self.token else {}
        )
        raw = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self._api + path, raw, headers)  # noqa: S310 -- the address that we were given
        with urllib.request.urlopen(request, timeout=30) as answer:  # noqa: S310
            document: bytes = answer.read()
            return document

    def register(self, name: str) -> None:
        """A player for the bot."""
        self.token = self("/players", {"name": name, "bot": True})["token"]

    def games(self) -> list[str]:
        """The slugs of all games."""
        return [game["slug"] for game in self("/games")["games"]]

    def kinds(self, game: str) -> set[str]:
        """The kinds of moves that a game has, without `resign`."""
        mapping = self(f"/games/{game}")["schemas"]["move"]["discriminator"]["mapping"]
        return set(mapping) - {"resign"}

    def open_match(self, game: str, rehearsal: Rehearsal, level: str) -> tuple[str, str]:
        """A match, the first seat for the bot; gives game and match."""
        count = rehearsal.seats or min(choice["seats"] for choice in self(f"/games/{game}")["seat_counts"])
        seats = [{"kind": "me"}, *[{"kind": "bot", "level": rehearsal.level or level}] * (count - 1)]
        body = {"game": game, "seats": seats, "options": rehearsal.options}
        body |= {"position": rehearsal.position} if rehearsal.position else {}
        return game, self("/matches", body)["match"]["id"]


def watch(ask: Asking, matches: list[tuple[str, str]], running: "subprocess.Popen[bytes]", deadline: float) -> int:
    """How many matches are over when all are, or the bot has ended, or time is up."""
    over: set[str] = set()
    with click.progressbar(length=len(matches), label="Matches") as progress:
        while len(over) < len(matches) and time.monotonic() < deadline and running.poll() is None:
            time.sleep(POLL_SECONDS)
            for _, match in matches:
                if match not in over and is_over(ask, match):
                    over.add(match)
                    progress.update(1)
    return len(over)


def is_over(ask: Asking, match: str) -> bool:
    """Whether a match is over, as far as the service can be asked now."""
    try:
        return bool(ask(f"/matches/{match}")["status"] == "over")
    except (OSError, ValueError):
        return False


def report(
    seen: Seen, matches: list[tuple[str, str]], kinds: dict[str, set[str]], over: int, ended: int | None
) -> bool:
    """Say what was seen; gives whether the bot is sound."""
    for game, all_kinds in kinds.items():
        made = seen.kinds.get(game, set())
        click.echo(f"{game:<24} kinds of moves made: {', '.join(sorted(made)) or 'none'}")
        if missing := all_kinds - made:
            click.echo(f"{'':<24} not made: {', '.join(sorted(missing))}")
    click.echo(f"moves accepted: {seen.accepted}, repeated under the same key: {seen.repeated}")
    click.echo(f"streams of turns opened: {seen.connections}")
    for refusal, times in sorted(seen.refused.items()):
        click.echo(f"refused: {refusal}, {times} times")
    for mishap in MISHAPS:
        click.echo(f"mishap: {mishap}, {seen.mishaps[mishap]} times")
    faults = []
    if ended is not None:
        faults.append(f"the program ended by itself, with exit code {ended}")
    if over < len(matches):
        faults.append(f"{len(matches) - over} of {len(matches)} matches were not played to their end")
    if seen.illegal:
        faults.append(f"{seen.illegal} requests were refused as illegal (400 or 422)")
    for fault in faults:
        click.echo(f"FAULT: {fault}")
    click.echo("NOT SOUND" if faults else "SOUND: every match was played to its end, whatever happened.")
    return not faults
