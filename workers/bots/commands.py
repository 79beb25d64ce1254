"""`crumbtrail bot`: commands for bot authors, and for examining the moves of house bots."""

import os
import secrets
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from urllib.parse import quote

import click
import msgspec

from replays.file import ReplayError, read_replay
from service.accounts.names import InvalidName
from service.accounts.players import HOUSE, TooManyTokens
from service.bots.decision_log import BotDecision
from service.bots.levels import LEVELS
from service.cli.audit import run_audits
from service.cli.keys import connect_services
from service.runtime.settings import PUBLIC_URL, parse_web_url
from workers.bots.audit import audit_bots
from workers.bots.conformance.proxy import ProxyRecord, run_proxy
from workers.bots.conformance.run import ConformanceRun, print_report, wait_for_runs
from workers.bots.explain import CannotExplain, explanation_lines
from workers.bots.explain import explain as run_again
from workers.bots.service_client import ServiceClient, ServiceError, not_a_service

MAX_SECONDS = 600


def read_address(context: click.Context, parameter: click.Parameter, text: str) -> str:
    """Return the URL of a service. Raises BadParameter."""
    try:
        return parse_web_url(text)
    except ValueError:
        raise click.BadParameter(f"use http:// or https:// and a host, such as {PUBLIC_URL}") from None


url_option = click.option(
    "--url", default=PUBLIC_URL, show_default=True, callback=read_address, help="The URL of a running server."
)


@contextmanager
def service_errors_as_click(url: str) -> Iterator[None]:
    """Convert errors of the service and responses of other software into ClickException."""
    try:
        yield
    except ServiceError as error:
        raise click.ClickException(str(error)) from None
    except (ReplayError, LookupError, TypeError, msgspec.MsgspecError):
        raise click.ClickException(not_a_service(url)) from None


@click.group()
def bot() -> None:
    """Check your own bot, or examine the moves of house bots."""


@bot.command()
@url_option
@click.option("--game", "games", multiple=True, help="Play this game. Can be repeated.  [default: every game]")
@click.option(
    "--level", type=click.Choice(list(LEVELS)), default="greedy", show_default=True, help="The house bots' level."
)
@click.option("--seconds", default=MAX_SECONDS, show_default=True, help="Give up after this many seconds.")
@click.argument("command", nargs=-1, required=True)
def check(url: str, games: tuple[str, ...], level: str, seconds: int, command: tuple[str, ...]) -> None:
    """Test your bot against house bots, with deliberate faults.

    COMMAND starts your bot. Write `--` before it, and {url} and {token} where it needs the server's URL and a token.
    Your bot plays through a proxy that repeats and drops lines, cuts connections and responds with 503.

    Exits with 0 if your bot passed and made moves of every kind, and with 1 otherwise.
    """
    ask = ServiceClient(url)
    with service_errors_as_click(url):
        ask.register(f"Bot under test {secrets.token_hex(4)}")  # names are unique
        kinds = {game: ask.move_kinds(game) for game in games or ask.games()}
        seen = ProxyRecord(expected_kinds=kinds)
        runs = [ConformanceRun(ask, seen, game, level) for game in kinds]
    with run_proxy(url, seen) as address:
        words = [word.replace("{url}", address).replace("{token}", ask.token) for word in command]
        try:
            # a new session, so that child processes of a wrapper end with it
            running = subprocess.Popen(words, start_new_session=True)
        except OSError as error:
            raise click.ClickException(f"{words[0]} cannot be started: {error.strerror}") from None
        try:
            wait_for_runs(runs, running, time.monotonic() + seconds)
        finally:
            with suppress(ProcessLookupError):  # all its processes have already ended
                os.killpg(running.pid, signal.SIGKILL)
            running.wait()
    unfinished = [run.game for run in runs if not run.done]
    ended = running.returncode if unfinished and running.returncode != -9 else None
    raise SystemExit(0 if print_report(seen, runs, ended) else 1)


@bot.command()
@click.argument("match")
@click.argument("ply", type=click.IntRange(min=1))
@url_option
def explain(match: str, ply: int, url: str) -> None:
    """Show why a house bot chose its move at a ply.

    This repeats the bot's choice at PLY of a finished MATCH, and shows the moves that it considered.

    Exits with 0 if the choice is the move that was played, and with 1 otherwise.
    """
    ask = ServiceClient(url)
    with service_errors_as_click(url):
        decisions = msgspec.convert(ask(f"/matches/{quote(match, safe='')}/bots")["moves"], list[BotDecision])
        replay = read_replay(ask.fetch(f"/matches/{quote(match, safe='')}/replay"))
    found = next((move for move in decisions if move.ply == ply), None)
    if found is None:
        plies = ", ".join(str(move.ply) for move in decisions) or "none"
        raise click.ClickException(f"Ply {ply} isn't a house bot's move. House bots moved at: {plies}.")
    try:
        explained = run_again(replay, found)
    except CannotExplain as error:
        raise click.ClickException(str(error)) from None
    click.echo("\n".join(explanation_lines(explained)))
    raise SystemExit(0 if explained.is_same else 1)


@bot.command()
@click.argument("matches", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="Audit every match that has started.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON line per match.")
@click.option("--jobs", type=click.IntRange(min=1), help="Number of processes.  [default: one per CPU]")
def audit(matches: tuple[str, ...], everything: bool, as_json: bool, jobs: int | None) -> None:
    """Audit MATCHES and repeat every house bot's move.

    This checks everything that `crumbtrail audit` checks, and the bots' moves. Run it on the machine with the log.

    Exits with 0 if no audit failed, and with 1 otherwise.
    """
    run_audits(matches, everything, as_json, jobs, audit_bots)


@bot.group()
def token() -> None:
    """Manage tokens for workers on other machines. They need one to play house bots. Run this on the machine with the
    log."""


@token.command("new")
@click.argument("label")
def new_token(label: str) -> None:
    """Create a token for a worker. LABEL says where it runs. The token is shown once and stored hashed."""
    try:
        secret = connect_services().accounts.players.new_token(HOUSE, HOUSE, label)
    except (InvalidName, TooManyTokens) as error:
        raise click.ClickException(str(error)) from None
    click.echo(secret)


@token.command("list")
def list_tokens() -> None:
    """List all worker tokens by id. The tokens themselves aren't shown."""
    for one in connect_services().accounts.players.tokens(HOUSE):
        click.echo(f"{one.id}  {one.at:%Y-%m-%d %H:%M} UTC  {one.label}")


@token.command("revoke")
@click.argument("token_id", metavar="ID")
def revoke_token(token_id: str) -> None:
    """Revoke a token immediately. Its worker stops at its next turn."""
    if not connect_services().accounts.players.revoke(HOUSE, token_id):
        raise click.ClickException(f"there is no token {token_id}. To see all tokens, run `crumbtrail bot token list`")
    click.echo(f"Revoked {token_id}.")
