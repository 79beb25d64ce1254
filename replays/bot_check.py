"""The layer `bots`: house bots' moves, decided again from a replay alone.

Under luck protocol 2, the seed that a match reveals also gives the luck of its bots. A strategy depends only on this
luck and on the view of the seat at the ply that the move names as `seen`. So a repeated decision shows that the bot
played its published strategy on what it could see. It says nothing about bots that players run, which count as players.
"""

from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import Any, NamedTuple

from msgspec import UNSET, to_builtins

from domain.bots.levels import LEVELS, BotChoice, BotInput, budget_of
from domain.kernel.chance import Luck
from domain.kernel.events import AnyEvent, Expired, Moved, SeedRevealed, without_retracted
from domain.kernel.game import Seat
from domain.match.bots import bot_decision, bot_version
from domain.match.luck import revealed_secrets
from domain.match.state import AnyMatch
from replays.redaction import redact_event
from replays.replay import Replay
from replays.report import DivergenceError, Layer, divergence_error
from replays.verify import RULES_ERRORS
from replays.verify.case import number

LAYER = "bots"
SAMPLE_SIZE = 20
"""How many moves of a match are decided again, unless all are."""
MAX_LISTED = 10
"""How many plies the report lists."""

OLD_PROTOCOL = (
    "Under luck protocol 1, the luck of bots comes from a secret of the server. Only the server can repeat their moves."
)
UNFINISHED = "Bots' decisions can be repeated when the match is over."
DIFFERENT_MOVE = "A house bot made a different move from the one its strategy makes with the same view and luck."
OTHER_TURN = "A house bot did not decide on the position in which it had to move."

AnyMoved = Moved[Any, Any]


class BotMove(NamedTuple):
    """A move of a house bot: the event, the bot's level, and its strategy version as the log recorded it."""

    event: AnyMoved
    level: str
    version: str | None


def check_bots(replay: Replay, *, everything: bool = False) -> Layer:
    """Return the layer `bots` of a replay that is otherwise correct: a sample of the moves, or `everything`."""
    created = replay.created
    if created.luck is UNSET:
        return Layer(LAYER, "not_checked", OLD_PROTOCOL)
    revealed = next((event for event in replay.events if isinstance(event, SeedRevealed)), None)
    if replay.is_redacted or revealed is None:
        return Layer(LAYER, "not_checked", UNFINISHED)
    moves = list(bot_moves(replay))
    own = [move for move in moves if move.event.seen is not UNSET and move.event.fallback is not True]
    known = [move for move in own if is_installed(replay, move)]
    chosen = known if everything else sample(known, replay.events[-1].hash or "")
    in_order = Replay(replay.events)  # folds from the start again, in the order of the moves
    luck = revealed_secrets(in_order.at(1), revealed)
    try:
        for move in chosen:
            require_same_decision(in_order, move, luck)
    except DivergenceError as error:
        return Layer(LAYER, "failed", error.divergence.sentence, error.divergence)
    return found_layer(moves, own, known, chosen)


def bot_moves(replay: Replay) -> Iterator[BotMove]:
    """Yield the moves of house bots in order, without resignations by the clock."""
    last: AnyEvent | None = None
    before: AnyMatch | None = None
    for event, match in zip(replay.events, replay.matches(), strict=True):
        by_clock = isinstance(last, Expired) and last.consequence == "resigns"
        if isinstance(event, Moved) and before is not None and not by_clock:
            seat = before.seats[event.seat]
            if seat.acting_bot_level is not None:
                yield BotMove(event, seat.acting_bot_level, seat.acting_bot_version)
        last, before = event, match


def is_installed(replay: Replay, move: BotMove) -> bool:
    """Return whether this strategy is installed here, in this version."""
    return move.level in LEVELS and move.version == bot_version(replay.game, move.level)


def sample(moves: Sequence[BotMove], head_hash: str) -> list[BotMove]:
    """Return up to SAMPLE_SIZE of the moves, in order. The same file always gives the same ones."""

    def rank(move: BotMove) -> bytes:
        return sha256(f"{head_hash}|{move.event.ply}".encode()).digest()

    return sorted(sorted(moves, key=rank)[:SAMPLE_SIZE], key=lambda move: move.event.ply)


def require_same_decision(replay: Replay, move: BotMove, luck: Luck) -> None:
    """Raise DivergenceError unless the bot's strategy makes the move of the file."""
    event = move.event
    assert event.seen is not UNSET, "only the bot's own moves are checked"
    then, before = replay.at(event.seen), replay.at(event.ply - 1)
    if event.seat not in then.to_move or turn_of(then, event.seat) != turn_of(before, event.seat):
        raise divergence_error(
            event.ply + 1, "bots.seen", "a ply of this turn", str(event.seen), OTHER_TURN, ply=event.ply
        )
    seed = bot_decision(then, event.seat, luck)
    assert seed is not None, "the match has luck protocol 2"
    try:
        again = decide_again(replay, event.seen, event.seat, move.level, seed).move
    except RULES_ERRORS:
        again = "no move: the strategy fails"
    if again != event.move:
        expected, found = to_builtins(again), to_builtins(event.move)
        raise divergence_error(event.ply + 1, "bots.move", expected, found, DIFFERENT_MOVE, ply=event.ply)


def turn_of(match: AnyMatch, seat: Seat) -> tuple[int, int]:
    """Return what stays the same during one turn of a seat: its number of moves, and the number of rollbacks."""
    return match.move_counts[seat], len(match.retracted_spans)


def decide_again(replay: Replay, ply: int, seat: Seat, level: str, seed: str) -> BotChoice:
    """Return the choice of a level for a seat that has to move after this ply. Raises any error of the strategy."""
    bot_input = input_at(replay, ply, seat, seed)
    return LEVELS[level].choose(bot_input, budget_of(LEVELS[level], replay.game, bot_input.view), None)


def input_at(replay: Replay, ply: int, seat: Seat, seed: str) -> BotInput:
    """Return the input of the bot that has to move at a seat after this ply."""
    then, game = replay.at(ply), replay.game
    before = without_retracted(replay.events[:ply])
    return BotInput(
        game=game,
        view=game.view(then.state, seat),
        seat=seat,
        legal=game.legal_moves(then.state, seat),
        facts=lambda: [fact for event in before for fact in redact_event(event, then, seat).facts],
        seed=seed,
    )


def found_layer(
    moves: Sequence[BotMove], own: Sequence[BotMove], known: Sequence[BotMove], chosen: Sequence[BotMove]
) -> Layer:
    """Return the layer if no decision differs: what was repeated, and what was not and why."""
    if not moves:
        return Layer(LAYER, "ok", "House bots made no moves.")
    if len(chosen) == len(moves):
        return Layer(LAYER, "ok", f"House bots made {number(len(moves), 'move')}. Repeating them gave the same moves.")
    summary = f"Repeating {len(chosen)} of {number(len(moves), 'move')} of house bots gave the same moves."
    left = []
    if len(chosen) < len(known):
        left.append(f"{len(known) - len(chosen)} were not in the sample; `--bots all` repeats them.")
    if len(known) < len(own):
        missing = sorted({move.version or "an unnamed version" for move in own if move not in known})
        left.append(f"{len(own) - len(known)} were made by {', '.join(missing)}, which is not installed here.")
    if len(own) < len(moves):
        plies = [move.event.ply for move in moves if move not in own]
        left.append(f"The server chose {number(len(plies), 'move')} instead of a strategy: {listed(plies)}.")
    return Layer(LAYER, "partly" if chosen else "not_checked", " ".join([summary, *left]))


def listed(plies: Sequence[int]) -> str:
    """Return plies as text, only the first ones if there are many."""
    shown = ", ".join(map(str, plies[:MAX_LISTED]))
    name = "ply" if len(plies) == 1 else "plies"
    return f"{name} {shown}" + (f" and {len(plies) - MAX_LISTED} more" if len(plies) > MAX_LISTED else "")
