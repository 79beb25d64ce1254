"""The pure core: random matches, decide + evolve, folding, verifying."""

from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import cycle
from time import process_time

import msgspec

from domain.chance import Fast, Seed
from domain.events import AnyEvent, read_event, write_event
from domain.game import AnyGame
from domain.match import Create, Play, SeatWish, create, decide, fold
from domain.registry import games
from replays.file import write
from replays.verify import verify
from tests.benchmarks.measure import Row, in_turns, per_second, ratio

START = datetime(2026, 1, 1, tzinfo=UTC)


def rows() -> Iterator[Row]:
    """One line for each figure."""
    for game in games().values():
        yield from game_rows(game)


def game_rows(game: AnyGame) -> Iterator[Row]:
    """Steps and matches per second of one game, folding and verifying one of its matches."""
    seats = min(game.seat_counts)
    counter = iter(range(10**9))

    def whole_match() -> int:
        return random_match(game, seats, next(counter))[0]

    def one_match() -> int:
        whole_match()
        return 1

    events = logged_match(game, seats)
    lines = [write_event(event) for event in events]
    file = b"".join(write(events))

    def decode() -> int:
        for line in lines:
            read_event(line, game)
        return len(lines)

    def decode_and_fold() -> int:
        fold(read_event(line, game) for line in lines)
        return len(lines)

    def verify_file() -> int:
        assert verify(file).ok
        return 1

    figures = in_turns(
        {
            "steps": lambda: per_second(whole_match),
            "matches": lambda: per_second(one_match),
            "decode": lambda: per_second(decode),
            "fold": lambda: per_second(decode_and_fold),
            "verify": lambda: per_second(verify_file),
        }
    )
    slowest, widest = extremes(game, seats)
    yield Row(f"{game.slug}: decide + evolve", figures["steps"], "steps/s")
    yield Row(f"{game.slug}: random matches", figures["matches"], "/s")
    yield Row(f"{game.slug}: slowest step", [slowest], "ms")
    yield Row(f"{game.slug}: slowest legal_moves", [widest], "ms")
    yield Row(f"{game.slug}: events read and folded", figures["fold"], "/s")
    yield Row(f"{game.slug}: the same : reading alone", ratio(figures["fold"], figures["decode"]))
    yield Row(f"{game.slug}: files verified ({len(events)} events)", figures["verify"], "/s")


def random_match(game: AnyGame, seats: int, seed: int) -> tuple[int, float, float]:
    """A whole random match: its steps, its slowest step and its slowest list of moves in ms of processor time."""
    chance = Fast(seed)
    state = game.fold(game.start(seats, {}, chance))
    steps, slowest, widest = 1, 0.0, 0.0
    while owed := game.to_move(state):
        seat = min(owed)
        begun = process_time()
        legal = list(game.legal_moves(state, seat))
        listed = process_time()
        state = game.fold(game.decide(state, seat, chance.pick(legal), chance), state)
        done = process_time()
        steps, slowest, widest = steps + 1, max(slowest, done - listed), max(widest, listed - begun)
    return steps, slowest * 1000, widest * 1000


def extremes(game: AnyGame, seats: int, matches: int = 20) -> tuple[float, float]:
    """The slowest step and the slowest list of legal moves (ms) of some random matches, each the least of two runs."""
    both = zip(
        (random_match(game, seats, n) for n in range(matches)),
        (random_match(game, seats, n) for n in range(matches)),
        strict=True,
    )
    quiet = [(min(a[1], b[1]), min(a[2], b[2])) for a, b in both]
    return max(step for step, _ in quiet), max(listing for _, listing in quiet)


def logged_match(game: AnyGame, seats: int) -> list[AnyEvent]:
    """The events of a match between random players."""
    luck, chance = Seed(b"benchmark", given=True), Fast(7)
    taken = tuple(SeatWish("human", player=f"p{n}") for n in range(seats))
    events = create(Create(match="00benchmark", game=game.slug, creator="p0", options={}, seats=taken), START, luck)
    match = fold(events)
    for number in cycle(range(seats)):
        if match.status != "playing":
            return events
        seat = number if number in match.to_move else min(match.to_move)
        move = chance.pick(list(game.legal_moves(match.state, seat)))
        further = decide(match, Play(seat, msgspec.to_builtins(move)), START, luck)
        events += further
        match = fold(further, match)
    return events
