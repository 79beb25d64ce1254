"""What luck protocol 2 adds to events is hidden while the match is running: uses of draws, salts, how a bot decided."""

from collections.abc import Iterator
from itertools import count, islice
from typing import Any

import msgspec
import pytest

from domain.kernel.events import Moved
from domain.kernel.game import AnyGame, Seat
from domain.match.history import fold
from replays.redaction import redact_events
from tests.leaks.test_two_worlds import every_secretive_game, some_pairs
from tests.leaks.worlds import WITHOUT_SHARE, Kind, Pair, World

PAIRS = 4


def pairs_of(game: AnyGame, kind: Kind, protocol: int) -> Iterator[Pair]:
    """Yield pairs of a game whose matches have this luck protocol."""
    for number in count():
        yield from (pair for pair in some_pairs(game, number, kind) if pair.game.luck_protocol == protocol)


def shown_events(world: World, reader: Seat | None) -> list[dict[str, Any]]:
    """Return the events as a reader gets them, as plain JSON."""
    seen = redact_events(world.events, world.match, reader, lambda ply: fold(world.events[:ply]))
    return [msgspec.to_builtins(event) for event in seen]


def all_readers(world: World) -> list[Seat | None]:
    return [*range(len(world.match.seats)), None]


@every_secretive_game
@pytest.mark.parametrize("kind", ["people", "practice"])
def test_uses_of_draws_and_salts_are_hidden_from_everyone(game: AnyGame, kind: Kind) -> None:
    for pair in islice(pairs_of(game, kind, 2), PAIRS):
        for world in pair.worlds:
            assert all(event.salt for event in world.events)
            assert any(event.draws for event in world.events if hasattr(event, "draws"))
            for reader in all_readers(world):
                shown = shown_events(world, reader)
                assert {event["salt"] for event in shown} == {None}
                assert {event["draws"] for event in shown if "draws" in event} == {None}
                assert not any("seed" in event or "salts" in event for event in shown)


@every_secretive_game
def test_shares_and_seals_are_public_when_the_table_is_full(game: AnyGame) -> None:
    pair = next(pairs_of(game, "people", 2))
    for reader in all_readers(pair.worlds[0]):
        shown = shown_events(pair.worlds[0], reader)
        seals = [event["seal"] for event in shown if event["kind"] == "seat_taken"]
        shares = next(event["shares"] for event in shown if event["kind"] == "started")
        opened = {event["seat"]: event["share"] for event in shown if event["kind"] == "share_opened"}
        assert [seat for seat, seal in enumerate(seals) if seal is None] == [WITHOUT_SHARE]
        assert list(shares) == [opened.get(seat) for seat in range(len(seals))]


@every_secretive_game
def test_how_a_bot_decided_is_hidden_from_everyone_else(game: AnyGame) -> None:
    """Given a bot that fails in the second world only, then nobody else can tell the two worlds apart."""
    failing = (
        pair
        for pair in pairs_of(game, "practice", 2)
        if any(isinstance(event, Moved) and event.fallback is True for event in pair.worlds[1].events)
    )
    for pair in islice(failing, PAIRS):
        bots = {event.seat for event in pair.worlds[1].events if isinstance(event, Moved) and event.fallback is True}
        assert not any(isinstance(event, Moved) and event.fallback is True for event in pair.worlds[0].events)
        one, other = ([without_hashes(event) for event in shown_events(w, pair.reader)] for w in pair.worlds)
        assert one == other
        for world in pair.worlds:
            for reader in all_readers(world):
                for event in shown_events(world, reader):
                    assert event.get("seat") == reader or not {"seen", "fallback"} & event.keys()
        for bot in bots:
            own = [event for event in shown_events(pair.worlds[1], bot) if event["seat"] == bot and event["move"]]
            assert all(event["fallback"] is True for event in own)


def without_hashes(event: dict[str, Any]) -> dict[str, Any]:
    """Return an event without the hashes, which cover what is hidden."""
    return {name: value for name, value in event.items() if name not in ("hash", "prev")}
