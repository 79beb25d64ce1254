"""`crumbtrail play`: a match against bots in the terminal, without a server. It can be saved as a replay file."""

import secrets
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import click
import msgspec
from msgspec import UNSET

from domain.bots.levels import LEVELS, BotInput, budget_of
from domain.kernel.chance import SEED_BYTES, Luck
from domain.kernel.events import AnyEvent
from domain.kernel.game import AnyGame, Seat
from domain.kernel.refusals import Refused
from domain.kernel.registry import UnknownGame, find_game
from domain.match.bots import bot_decision
from domain.match.commands import Create, Play, SeatSpec
from domain.match.decide import decide
from domain.match.lobby import create
from domain.match.luck import new_secrets
from replays.file import encode_replay
from replays.redaction import redact_event
from service.cli.files import OutputFile, write_file
from service.event_store.keys import new_match_id
from service.runtime.clock import SystemClock
from workers.game_options import read_option

MAX_LISTED_MOVES = 60
PERSON = "you"


class TerminalMatch:
    """A match in the terminal: its events and its current state."""

    def __init__(
        self, game: AnyGame, seats: tuple[SeatSpec, ...], options: dict[str, Any], match: str, luck: Luck
    ) -> None:
        self.luck = luck
        self._clock = SystemClock()
        wish = Create(match=match, game=game.slug, creator=PERSON, options=options, seats=seats)
        self.events, self.match = create(wish, self._clock.now(), luck)

    def play(self, seat: Seat, move: Any) -> list[AnyEvent]:
        """Make a move and return its events. Raises Refused."""
        seen = UNSET if self.match.seats[seat].acting_bot_level is None else self.match.ply
        events, self.match = decide(self.match, Play(seat, move, seen=seen), self._clock.now(), self.luck)
        self.events += events
        return events


@click.command()
@click.argument("game")
@click.option(
    "--seats", type=click.IntRange(min=1), help="Number of seats.  [default: the fewest that the game allows]"
)
@click.option("--seat", default=0, show_default=True, help="Your seat.")
@click.option(
    "--level", type=click.Choice(sorted(LEVELS)), default="greedy", show_default=True, help="The bots' level."
)
@click.option("--option", "options", multiple=True, metavar="NAME=VALUE", help="A game option. Can be repeated.")
@click.option("--seed", help="A seed in hex, to get the same luck again.")
@click.option("--save", type=OutputFile(), help="Save a replay to this file at the end.")
def play(
    game: str, seats: int | None, seat: int, level: str, options: tuple[str, ...], seed: str | None, save: Path | None
) -> None:
    """Play GAME against bots in the terminal. Choose each move by its number, or type it as JSON."""
    try:
        rules = find_game(game)
        count = seats or min(rules.seat_counts)
        if not 0 <= seat < count:
            raise click.BadParameter(f"with {count} seats, choose a seat from 0 to {count - 1}", param_hint="--seat")
        wishes = tuple(
            SeatSpec("human", player=PERSON) if n == seat else SeatSpec("bot", level=level) for n in range(count)
        )
        match = new_match_id()
        table = TerminalMatch(rules, wishes, dict(map(read_option, options)), match, read_secrets(rules, match, seed))
    except UnknownGame as error:
        raise click.ClickException(str(error)) from None
    except Refused as refusal:
        raise click.ClickException(refusal.message) from None
    play_to_end(table, rules, seat, level)
    if save:
        write_file(save, b"".join(encode_replay(table.events)))
        click.echo(f"Saved to {save}. To check it, run: crumbtrail verify {save}")


def read_secrets(game: AnyGame, match: str, text: str | None) -> Luck:
    """Return secrets with the seed given in hex, or with a random one. Raises BadParameter."""
    salts = secrets.token_bytes(SEED_BYTES)
    if text is None:
        return new_secrets(game, match, secrets.token_bytes(SEED_BYTES), salts)
    try:
        return new_secrets(game, match, bytes.fromhex(text), salts, given=True)
    except ValueError:
        raise click.BadParameter("a seed must be 1 to 64 bytes in hex", param_hint="--seed") from None


def play_to_end(table: TerminalMatch, game: AnyGame, mine: Seat, level: str) -> None:
    """Let the player and the bots make moves until the match is over."""
    print_events(table, table.events, mine)
    while table.match.status == "playing":
        owed = table.match.to_move
        if mine in owed:
            print_events(table, ask_for_move(table, game, mine), mine)
        else:
            print_events(table, make_bot_move(table, game, min(owed), level), mine)
    click.echo()
    click.echo(game.text(game.view(table.match.state, mine), mine))


def make_bot_move(table: TerminalMatch, game: AnyGame, seat: Seat, level: str) -> list[AnyEvent]:
    """Make a bot's move, chosen from what its seat may see. Return its events."""
    match = table.match
    view, strategy = game.view(match.state, seat), LEVELS[level]
    bot_input = BotInput(
        game=game,
        view=view,
        seat=seat,
        legal=game.legal_moves(match.state, seat),
        facts=lambda: [fact for event in table.events for fact in redact_event(event, match, seat).facts],
        seed=bot_decision(match, seat, table.luck) or secrets.token_hex(16),
    )
    move = strategy.choose(bot_input, budget_of(strategy, game, view), None).move
    return table.play(seat, msgspec.to_builtins(move))


def ask_for_move(table: TerminalMatch, game: AnyGame, seat: Seat) -> list[AnyEvent]:
    """Ask the player for a move until it is legal. Return its events."""
    click.echo()
    click.echo(game.text(game.view(table.match.state, seat), seat))
    moves = [
        msgspec.to_builtins(move) for move in islice(game.legal_moves(table.match.state, seat), MAX_LISTED_MOVES + 1)
    ]
    for number, move in enumerate(moves[:MAX_LISTED_MOVES], 1):
        click.echo(f"{number:>4}  {move_text(move)}")
    if len(moves) > MAX_LISTED_MOVES:
        click.echo("      ... and more. To make another move, type it as JSON")
    while True:
        answer = click.prompt("Your move (a number, JSON, or resign)", prompt_suffix=": ").strip()
        try:
            return table.play(seat, read_answer(answer, moves))
        except Refused as refusal:
            click.echo(f"{refusal.message} (rule {refusal.rule})")
        except ValueError:
            click.echo(f'Type a number from 1 to {min(len(moves), MAX_LISTED_MOVES)}, resign, or JSON: {{"type": ...}}')


def read_answer(answer: str, moves: list[Any]) -> Any:
    """Return the move that was typed. Raises ValueError if it is not one."""
    if answer == "resign":
        return {"type": "resign"}
    if answer.isdigit():
        if not 1 <= int(answer) <= min(len(moves), MAX_LISTED_MOVES):
            raise ValueError(answer)
        return moves[int(answer) - 1]
    return msgspec.json.decode(answer)


def move_text(move: dict[str, Any]) -> str:
    """Return a move as one line of text."""
    return " ".join([str(move["type"]), *move_fields({name: value for name, value in move.items() if name != "type"})])


def move_fields(value: Any, name: str = "") -> Iterator[str]:
    """Yield the non-empty fields of a move."""
    match value:
        case dict():
            for key, inner in value.items():
                yield from move_fields(inner, f"{name}.{key}" if name else str(key))
        case None | 0 | []:
            return
        case _:
            yield f"{name}={value if isinstance(value, str) else msgspec.json.encode(value).decode()}"


def print_events(table: TerminalMatch, events: list[AnyEvent], seat: Seat) -> None:
    """Print the facts of the events as this seat sees them."""
    game = table.match.rules
    for event in events:
        for line in game.tell(redact_event(event, table.match, seat).facts):
            click.echo(f"  {line}")
