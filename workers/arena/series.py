"""Series of matches between bots, for the arena: every match is a function of its number, and can be replayed."""

import gzip
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from hashlib import sha256
from itertools import combinations
from typing import Any

import msgspec

from domain.kernel.chance import Seed
from domain.kernel.events import AnyEvent
from domain.kernel.game import AnyGame, Seat
from domain.kernel.registry import find_game
from domain.match.commands import Create, Play, SeatSpec
from domain.match.decide import decide
from domain.match.lobby import create
from domain.match.state import AnyMatch
from replays.file import encode_replay
from workers.bots.levels import LEVELS, BotInput, Level, budget_of
from workers.bots.search import Budget

EPOCH = datetime(2026, 1, 1, tzinfo=UTC)
MOVE_INTERVAL = timedelta(seconds=1)
"""Arena matches have made-up times, so that the same seed gives the same bytes."""


@dataclass(frozen=True)
class Series:
    """What is played: a game, who plays it, and the seed from which all matches follow."""

    game: str
    bots: tuple[str, ...]
    """Levels; `seatings` says who of them plays which match."""
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


class MatchResult(msgspec.Struct, frozen=True):
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


@cache
def seatings(bots: int, seats: int) -> tuple[tuple[int, ...], ...]:
    """Who sits where in the matches of one set-up: every choice of as many bots as there are seats, in every rotation.

    They are in such an order that those who have broken off anywhere have played as evenly as can be: each bot equally
    often, then each against the others, then each at every seat. Fewer bots than seats sit at several.
    """
    if bots < seats:
        return tuple(tuple((seat + number) % bots for seat in range(seats)) for number in range(bots))
    left = [tuple(chosen[n:] + chosen[:n]) for chosen in combinations(range(bots), seats) for n in range(seats)]
    ordered: list[tuple[int, ...]] = []
    played, met, sat = Counter[int](), Counter[tuple[int, int]](), Counter[tuple[int, int]]()

    def surplus(seating: tuple[int, ...]) -> tuple[int, int, int]:
        """How much has been played already by these bots, against each other, and at these seats."""
        pairs = combinations(sorted(seating), 2)
        return (
            sum(played[bot] for bot in seating),
            sum(met[pair] for pair in pairs),
            sum(sat[place] for place in enumerate(seating)),
        )

    while left:
        fairest = min(left, key=surplus)
        left.remove(fairest)
        ordered.append(fairest)
        played.update(fairest)
        met.update(combinations(sorted(fairest), 2))
        sat.update(enumerate(fairest))
    return tuple(ordered)


def seatings_of(series: Series) -> tuple[tuple[int, ...], ...]:
    """Who sits where in the matches of one set-up of a series."""
    return seatings(len(series.bots), series.seats)


def seating_for(series: Series, number: int) -> tuple[int, ...]:
    """Which bot sits at which seat of a match."""
    every = seatings_of(series)
    return every[number % len(every)]


def setup_number(series: Series, number: int) -> int:
    """Which set-up a match has: the same for as many matches as there are seatings, so that it is played from each."""
    return number // len(seatings_of(series))


def seed_for(series: Series, number: int) -> bytes:
    """The seed of a match: that of its set-up."""
    return sha256(f"{series.seed}|{setup_number(series, number)}".encode()).digest()


class RecordedMatch(msgspec.Struct, frozen=True):
    """A match and its replay file, packed by gzip."""

    played: MatchResult
    replay: bytes


def play_and_record(series: Series, number: int) -> RecordedMatch:
    """Play a match of the series, and pack its replay: the same bytes wherever it is played."""
    match, events = play_match(series, number)
    return RecordedMatch(match, gzip.compress(b"".join(encode_replay(events)), mtime=0))


def options_for(series: Series, number: int) -> dict[str, Any]:
    """The options of a match: those of its set-up."""
    if not series.variants:
        return series.options
    return {**series.options, **series.variants[setup_number(series, number) % len(series.variants)]}


def play_match(series: Series, number: int) -> tuple[MatchResult, list[AnyEvent]]:
    """Play a match of the series."""
    game, bots = find_game(series.game), seating_for(series, number)
    luck = Seed(seed_for(series, number), given=True)
    seats = tuple(SeatSpec("bot", level=series.bots[bot]) for bot in bots)
    match_id = f"arena-{sha256(f'{series}|{number}'.encode()).hexdigest()[:12]}"
    options = options_for(series, number)
    wish = Create(match=match_id, game=game.slug, creator="arena", options=options, seats=seats)
    events, match = create(wish, EPOCH, luck)
    slowest, thinking = [0.0] * series.seats, [0.0] * series.seats
    while match.status == "playing":
        seat = min(match.to_move)
        begun = time.perf_counter()
        move = choose_move(series, game, match, events, seat)
        took = time.perf_counter() - begun
        slowest[seat], thinking[seat] = max(slowest[seat], took), thinking[seat] + took
        made, match = decide(match, Play(seat, msgspec.to_builtins(move)), EPOCH + MOVE_INTERVAL * match.ply, luck)
        events += made
    return summarize_match(number, luck, options, bots, match, slowest, thinking), events


def choose_move(series: Series, game: AnyGame, match: AnyMatch, events: Sequence[AnyEvent], seat: Seat) -> Any:
    """The move of a bot; its luck follows from the match and the ply."""
    level = LEVELS[match.seats[seat].acting_bot_level or "random"]
    sight = BotInput(
        game=game,
        view=game.view(match.state, seat),
        seat=seat,
        legal=game.legal_moves(match.state, seat),
        facts=lambda: visible_facts(game, match, events, seat),
        seed=sha256(f"{match.id}|{match.ply}|{seat}".encode()).hexdigest(),
    )
    return level.choose(sight, budget_for(series, level), None).move


def budget_for(series: Series, level: Level) -> Budget | None:
    """The level's own budget, or what the series says instead."""
    own = budget_of(level, find_game(series.game))
    return own and Budget(series.iterations or own.iterations, series.seconds or own.seconds)


def visible_facts(game: AnyGame, match: AnyMatch, events: Sequence[AnyEvent], seat: Seat) -> list[Any]:
    """The facts so far, as this seat may see them."""
    facts = (fact for event in events for fact in event.facts)
    shown = (game.redact(match.state, fact, n, seat) for n, fact in enumerate(facts))
    return [fact for fact in shown if fact is not None]


def summarize_match(
    number: int,
    luck: Seed,
    options: dict[str, Any],
    bots: tuple[int, ...],
    match: AnyMatch,
    slowest: list[float],
    thinking: list[float],
) -> MatchResult:
    """What is kept of a match."""
    assert match.outcome is not None
    winners = match.outcome.winners or tuple(range(len(bots)))
    return MatchResult(
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
