"""Games, seats, options and sampled positions for the contract tests."""

from collections.abc import Iterator
from functools import cache
from typing import Any

import msgspec
import pytest

from domain.kernel.chance import Fast
from domain.kernel.events import AnyEvent
from domain.kernel.game import AnyGame, Seat
from domain.kernel.hash_chain import canonical_json
from domain.kernel.registry import games
from domain.match.state import AnyMatch
from replays.replay import Replay
from tests.builders import greedy_agent, play_match, random_agent

GAMES = list(games().values())
SEATED = [(game, seats) for game in GAMES for seats in game.seat_counts]

MAX_VARIANTS = 8
"""The maximum number of variants in addition to the default options.

A game with more of them distributes them over its numbers of seats.
"""


def seatings() -> Iterator[Any]:
    """Yield each game with each number of seats.

    The largest number of seats is a slow test; those in between run at full counts.
    """
    for game, seats in SEATED:
        fewest, most = min(game.seat_counts), max(game.seat_counts)
        marks = () if seats == fewest else pytest.mark.slow if seats == most else pytest.mark.full
        yield pytest.param(game, seats, marks=marks, id=f"{game.slug}-{seats}")


every_game = pytest.mark.parametrize("game", GAMES, ids=lambda game: game.slug)
every_grammar = pytest.mark.parametrize(
    ("game", "seats"), [case for case in seatings() if case.values[0].grammar is not None]
)
every_table = pytest.mark.parametrize(("game", "seats"), list(seatings()))


def variants(game: AnyGame) -> Iterator[dict[str, Any]]:
    """Yield the default options, every other value of each option, and the last values of all options together."""
    yield {}
    for option in game.option_help:
        yield from ({option.name: value} for value in option.values[1:])
    if len(game.option_help) > 1:
        yield {option.name: option.values[-1] for option in game.option_help}


def variants_for(game: AnyGame, seats: int) -> list[dict[str, Any]]:
    """Return the variants to play with this number of seats: all of them, or the default and some of the others."""
    default, *others = variants(game)
    parts = -(-len(others) // MAX_VARIANTS) or 1
    return [default, *others[game.seat_counts.index(seats) % parts :: parts]]


@cache
def sample_matches(game: AnyGame, seats: int) -> tuple[Replay, ...]:
    """Return a match for each variant, played by random and greedy agents in turn, and one with resignations."""
    played = []
    for n, options in enumerate(variants_for(game, seats)):
        agent = greedy_agent if n % 2 else random_agent
        played.append(play_match(game, seats=seats, options=options, agent=agent, seed=n, moves=n))
    played.append(play_match(game, seats=seats, seed="short", resign_in=10))
    return tuple(Replay(tuple(events)) for events in played)


@cache
def moves_made(game: AnyGame) -> tuple[dict[str, Any], ...]:
    """Return the distinct moves made in the matches with the fewest seats, as documents."""
    made = {canonical_json(event.move): event.move for event in events_of(game, game.seat_counts[0]) if event.move}
    return tuple(msgspec.to_builtins(move) for move in made.values())


def positions(game: AnyGame, seats: int, count: int, name: str = "positions") -> Iterator[AnyMatch]:
    """Yield positions of running matches, including the first of each match, spread over all variants."""
    chance = Fast(f"{name} {game.slug} {seats}")
    for replay in sample_matches(game, seats):
        running = [match for match in replay.matches() if match.status == "playing" and match.to_move]
        yield running[0]
        yield from (chance.pick(running) for _ in range(max(count // len(sample_matches(game, seats)) - 1, 1)))


def positions_with_facts(game: AnyGame, seats: int, count: int) -> Iterator[tuple[AnyMatch, list[Any]]]:
    """Yield positions with all facts before them."""
    for replay in sample_matches(game, seats):
        facts: list[Any] = []
        chance = Fast(f"moments {game.slug} {seats}")
        share = count / len(sample_matches(game, seats)) / len(replay.events)
        for event, match in zip(replay.events, replay.matches(), strict=True):
            facts += event.facts
            if match.status == "playing" and (event.draw == 0 or chance.below(1000) < share * 1000):
                yield match, list(facts)


def events_of(game: AnyGame, seats: int) -> Iterator[AnyEvent]:
    """Yield all events of all sample matches."""
    for replay in sample_matches(game, seats):
        yield from replay.events


def all_readers(seats: int) -> list[Seat | None]:
    """Return every kind of reader: each seat, and a spectator."""
    return [*range(seats), None]
