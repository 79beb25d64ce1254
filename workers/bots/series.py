"""Series of matches between bots, for the arena: every match is a function of its number, and can be replayed."""

import gzip
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

import msgspec

from domain.chance import Seed
from domain.events import AnyEvent
from domain.game import AnyGame, Seat
from domain.match import AnyMatch, Create, Play, SeatWish, create, decide, fold
from domain.registry import find_game
from replays.file import write
from workers.bots.levels import LEVELS, Level, Sight, budget_of
from workers.bots.search import Budget

EPOCH = datetime(2026, 1, 1, tzinfo=UTC)
PACE = timedelta(seconds=1)
"""Arena matches have made-up times, so that the same seed gives the same bytes."""


@dataclass(frozen=True)
class Series:
    """What is played: a game, who plays it, and the seed from which all matches follow."""

    game: str
    bots: tuple[str, ...]
    """Levels; the first seat of match n is taken by bot n modulo their number."""
    seed: str
    options: dict[str, Any]
    """Of every match."""
    seats: int
    iterations: int | None = None
    """A budget other than the level's own."""
    seconds: float | None = None
    """A time cap other than the level's own, for machines that are busy."""
    variants: tuple[dict[str, Any], ...] = ()
    """Further options; the set-ups go round them."""


class Played(msgspec.Struct, frozen=True):
    """How one match went: who sat where (indices of the bots), each seat's share of the win, scores, length, times."""

    number: int
    seed: str
    options: dict[str, Any]
    bots: tuple[int, ...]
    shares: tuple[float, ...]
    scores: tuple[int | None, ...]
    plies: int
    reason: str
    slowest: tuple[float, ...]
    """The longest thought of each seat, in seconds."""
    thinking: tuple[float, ...]
    """The time that each seat thought in all, in seconds."""


def seats_of(series: Series, number: int) -> tuple[int, ...]:
    """Which bot sits at which seat of a match: they move on by one seat from match to match."""
    return tuple((seat + number) % len(series.bots) for seat in range(series.seats))


def seed_of(series: Series, number: int) -> bytes:
    """The seed of a match: the same for as many matches as there are bots, so that each has each seat with it."""
    return sha256(f"{series.seed}|{number // len(series.bots)}".encode()).digest()


class Recorded(msgspec.Struct, frozen=True):
    """A match and its replay file, packed by gzip."""

    played: Played
    replay: bytes


def recorded(series: Series, number: int) -> Recorded:
    """Play a match of the series, and pack its replay: the same bytes wherever it is played."""
    match, events = play(series, number)
    return Recorded(match, gzip.compress(b"".join(write(events)), mtime=0))


def options_of(series: Series, number: int) -> dict[str, Any]:
    """The options of a match: the same for as many matches as there are bots."""
    if not series.variants:
        return series.options
    return {**series.options, **series.variants[number // len(series.bots) % len(series.variants)]}


def play(series: Series, number: int) -> tuple[Played, list[AnyEvent]]:
    """Play a match of the series."""
    game, bots = find_game(series.game), seats_of(series, number)
    luck = Seed(seed_of(series, number), given=True)
    seats = tuple(SeatWish("bot", level=series.bots[bot]) for bot in bots)
    match_id = f"arena-{sha256(f'{series}|{number}'.encode()).hexdigest()[:12]}"
    options = options_of(series, number)
    events = create(Create(match=match_id, game=game.slug, creator="arena", options=options, seats=seats), EPOCH, luck)
    match = fold(events)
    slowest, thinking = [0.0] * series.seats, [0.0] * series.seats
    while match.status == "playing":
        seat = min(match.to_move)
        begun = time.perf_counter()
        move = choose(series, game, match, events, seat)
        took = time.perf_counter() - begun
        slowest[seat], thinking[seat] = max(slowest[seat], took), thinking[seat] + took
        made = decide(match, Play(seat, msgspec.to_builtins(move)), EPOCH + PACE * match.ply, luck)
        match = fold(made, match)
        events += made
    return played(number, luck, options, bots, match, slowest, thinking), events


def choose(series: Series, game: AnyGame, match: AnyMatch, events: Sequence[AnyEvent], seat: Seat) -> Any:
    """The move of a bot; its luck follows from the match and the ply."""
    level = LEVELS[match.seats[seat].plays or "random"]
    sight = Sight(
        game=game,
        view=game.view(match.state, seat),
        seat=seat,
        legal=game.legal_moves(match.state, seat),
        facts=lambda: seen(game, match, events, seat),
        seed=sha256(f"{match.id}|{match.ply}|{seat}".encode()).hexdigest(),
    )
    return level.choose(sight, budget(series, level), None).move


def budget(series: Series, level: Level) -> Budget | None:
    """The level's own budget, or what the series says instead."""
    own = budget_of(level, find_game(series.game))
    return own and Budget(series.iterations or own.iterations, series.seconds or own.seconds)


def seen(game: AnyGame, match: AnyMatch, events: Sequence[AnyEvent], seat: Seat) -> list[Any]:
    """The facts so far, as this seat may see them."""
    facts = (fact for event in events for fact in event.facts)
    shown = (game.redact(match.state, fact, n, seat) for n, fact in enumerate(facts))
    return [fact for fact in shown if fact is not None]


def played(
    number: int,
    luck: Seed,
    options: dict[str, Any],
    bots: tuple[int, ...],
    match: AnyMatch,
    slowest: list[float],
    thinking: list[float],
) -> Played:
    """What is kept of a match."""
    assert match.outcome is not None
    winners = match.outcome.winners or tuple(range(len(bots)))
    return Played(
        number=number,
        seed=luck.reveal(),
        options=options,
        bots=bots,
        shares=tuple(1 / len(winners) if seat in winners else 0.0 for seat in range(len(bots))),
        scores=match.outcome.scores,
        plies=match.ply,
        reason=match.outcome.reason,
        slowest=tuple(round(seconds, 3) for seconds in slowest),
        thinking=tuple(round(seconds, 3) for seconds in thinking),
    )
