"""Series of matches between bots. Every match is determined by the series and its number, and can be replayed."""

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

from domain.bots.levels import LEVELS, BotInput, Level, budget_of
from domain.bots.search import Budget
from domain.kernel.chance import Luck
from domain.kernel.events import AnyEvent
from domain.kernel.game import AnyGame, Seat
from domain.kernel.registry import find_game
from domain.match.bots import bot_decision
from domain.match.commands import Create, Play, SeatSpec
from domain.match.decide import decide
from domain.match.lobby import create
from domain.match.luck import new_secrets
from domain.match.state import AnyMatch
from replays.file import encode_replay

EPOCH = datetime(2026, 1, 1, tzinfo=UTC)
MOVE_INTERVAL = timedelta(seconds=1)
"""Arena matches use artificial times, so that the same seed gives the same bytes."""


@dataclass(frozen=True)
class Series:
    """A series: the game, the bots, and the seed that determines all matches."""

    game: str
    bots: tuple[str, ...]
    """Levels of the bots; see `seatings`."""
    seed: str
    options: dict[str, Any]
    """Options of every match."""
    seats: int
    iterations: int | None = None
    """A budget that replaces the levels' own. `crumbtrail verify --bots` then finds different moves."""
    variants: tuple[dict[str, Any], ...] = ()
    """Further options, used by the set-ups in turn."""


class MatchResult(msgspec.Struct, frozen=True):
    """A match's result: the bot (index) in each seat, each seat's share of the win and score, length and times."""

    number: int
    seed: str
    options: dict[str, Any]
    bots: tuple[int, ...]
    shares: tuple[float, ...]
    scores: tuple[int | None, ...]
    plies: int
    reason: str
    slowest: tuple[float, ...]
    """The longest time for one move of each seat, in seconds."""
    thinking: tuple[float, ...]
    """The total thinking time of each seat, in seconds."""


@cache
def seatings(bots: int, seats: int) -> tuple[tuple[int, ...], ...]:
    """Return the seatings of one set-up: every combination of bots that fills the seats, in every rotation.

    They are ordered so that an interrupted series is as balanced as possible: equal numbers of matches per bot, then
    per pair of bots, then per bot and seat. If there are fewer bots than seats, a bot takes several seats.
    """
    if bots < seats:
        return tuple(tuple((seat + number) % bots for seat in range(seats)) for number in range(bots))
    left = [tuple(chosen[n:] + chosen[:n]) for chosen in combinations(range(bots), seats) for n in range(seats)]
    ordered: list[tuple[int, ...]] = []
    played, met, sat = Counter[int](), Counter[tuple[int, int]](), Counter[tuple[int, int]]()

    def surplus(seating: tuple[int, ...]) -> tuple[int, int, int]:
        """Return how often these bots have played so far: at all, against each other, and in these seats."""
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
    """Return the seatings of each set-up of a series."""
    return seatings(len(series.bots), series.seats)


def seating_for(series: Series, number: int) -> tuple[int, ...]:
    """Return the bot in each seat of a match."""
    every = seatings_of(series)
    return every[number % len(every)]


def setup_number(series: Series, number: int) -> int:
    """Return the number of a match's set-up. Each set-up is played once with every seating."""
    return number // len(seatings_of(series))


def seed_for(series: Series, number: int) -> bytes:
    """Return the seed of a match's set-up."""
    return sha256(f"{series.seed}|{setup_number(series, number)}".encode()).digest()


class RecordedMatch(msgspec.Struct, frozen=True):
    """A match and its gzipped replay file."""

    played: MatchResult
    replay: bytes


def play_and_record(series: Series, number: int) -> RecordedMatch:
    """Play a match of the series and gzip its replay, with the same bytes on every machine."""
    match, events = play_match(series, number)
    return RecordedMatch(match, gzip.compress(b"".join(encode_replay(events)), mtime=0))


def options_for(series: Series, number: int) -> dict[str, Any]:
    """Return the options of a match's set-up."""
    if not series.variants:
        return series.options
    return {**series.options, **series.variants[setup_number(series, number) % len(series.variants)]}


def play_match(series: Series, number: int) -> tuple[MatchResult, list[AnyEvent]]:
    """Play a match of the series. Return its result and its events."""
    game, bots = find_game(series.game), seating_for(series, number)
    seats = tuple(SeatSpec("bot", level=series.bots[bot]) for bot in bots)
    match_id = f"arena{sha256(f'{series}|{number}'.encode()).hexdigest()[:12]}"
    options, seed = options_for(series, number), seed_for(series, number)
    luck = new_secrets(game, match_id, seed, sha256(b"salts" + seed).digest(), given=True)
    wish = Create(match=match_id, game=game.slug, creator="arena", options=options, seats=seats)
    events, match = create(wish, EPOCH, luck)
    slowest, thinking = [0.0] * series.seats, [0.0] * series.seats
    while match.status == "playing":
        seat = min(match.to_move)
        begun = time.perf_counter()
        move = choose_move(series, match, events, seat, luck)
        took = time.perf_counter() - begun
        slowest[seat], thinking[seat] = max(slowest[seat], took), thinking[seat] + took
        command = Play(seat, msgspec.to_builtins(move), seen=match.ply)
        made, match = decide(match, command, EPOCH + MOVE_INTERVAL * match.ply, luck)
        events += made
    return summarize_match(number, luck, options, bots, match, slowest, thinking), events


def choose_move(series: Series, match: AnyMatch, events: Sequence[AnyEvent], seat: Seat, luck: Luck) -> Any:
    """Return a bot's move. Under luck protocol 1, its seed is derived from the match and the ply."""
    game, level = match.rules, LEVELS[match.seats[seat].acting_bot_level or "random"]
    view = game.view(match.state, seat)
    bot_input = BotInput(
        game=game,
        view=view,
        seat=seat,
        legal=game.legal_moves(match.state, seat),
        facts=lambda: visible_facts(game, match, events, seat),
        seed=bot_decision(match, seat, luck) or sha256(f"{match.id}|{match.ply}|{seat}".encode()).hexdigest(),
    )
    return level.choose(bot_input, budget_for(series, level, game, view), None).move


def budget_for(series: Series, level: Level, game: AnyGame, view: Any) -> Budget | None:
    """Return the level's budget in this position, or that of the series."""
    own = budget_of(level, game, view)
    return own and Budget(series.iterations or own.iterations)


def visible_facts(game: AnyGame, match: AnyMatch, events: Sequence[AnyEvent], seat: Seat) -> list[Any]:
    """Return the facts so far that this seat may see."""
    facts = (fact for event in events for fact in event.facts)
    shown = (game.redact(match.state, fact, n, seat) for n, fact in enumerate(facts))
    return [fact for fact in shown if fact is not None]


def summarize_match(
    number: int,
    luck: Luck,
    options: dict[str, Any],
    bots: tuple[int, ...],
    match: AnyMatch,
    slowest: list[float],
    thinking: list[float],
) -> MatchResult:
    """Return the result of a finished match."""
    assert match.outcome is not None
    winners = match.outcome.winners or tuple(range(len(bots)))
    return MatchResult(
        number=number,
        seed=luck.reveal().seed,
        options=options,
        bots=bots,
        shares=tuple(1 / len(winners) if seat in winners else 0.0 for seat in range(len(bots))),
        scores=match.outcome.scores,
        plies=match.ply,
        reason=match.outcome.reason,
        slowest=tuple(round(seconds, 3) for seconds in slowest),
        thinking=tuple(round(seconds, 3) for seconds in thinking),
    )
