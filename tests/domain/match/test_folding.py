"""Folding many events together produces exactly the same match as folding them one by one."""

import tracemalloc
from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import UNSET
from msgspec.structs import replace

from domain.kernel.chance import Fast
from domain.kernel.events import AnyEvent, Expired, Moved, SeatOffered, TakenBack, TimeControl
from domain.kernel.game import AnyGame
from domain.kernel.refusals import Refused
from domain.kernel.registry import find_game, games
from domain.match.clock import overdue_seat
from domain.match.commands import (
    AnswerProposal,
    Command,
    Expire,
    HandOver,
    OfferSeat,
    Propose,
    RaiseDispute,
    RecordVerdict,
    ResolveDispute,
    TakeOver,
)
from domain.match.durations import DAY
from domain.match.evolve import FOLD_BATCH_SIZE, evolve
from domain.match.history import History, fold
from domain.match.state import AnyMatch
from tests.builders import EPOCH, PACE, Table, sit_down, step

GAMES = list(games().values())
CLOCKS = (None, TimeControl(kind="per_move", seconds=DAY, expiry="bot_moves", level="random"))
DAYS_LATER = EPOCH + timedelta(days=2)


def random_side_commands(table: Table, chance: Fast) -> list[Command]:
    """Return commands, some of which this match may refuse. Proposals may be accepted or declined."""
    seat, other = chance.pick([(0, 1), (1, 0)])
    ply = table.match.ply
    back = 1 + chance.below(ply)
    dispute = RaiseDispute(seat, ply, "other", "ab" * 32)
    return chance.pick(
        [
            [Propose(seat=seat, what="takeback", to_ply=back), AnswerProposal(other, ply + 1, True)],
            [Propose(seat=seat, what="takeback", to_ply=back, free=True)],
            [Propose(seat=seat, what="takeback", to_ply=back)],
            [AnswerProposal(other, proposal.number, False) for proposal in table.match.proposals],
            [OfferSeat(seat)],
            [TakeOver(offer.seat, f"guest {ply}", offer.number) for offer in table.match.offers],
            [HandOver(seat, "random")],
            [dispute, RecordVerdict(ply + 1, True, None, None, None)],
            [dispute, ResolveDispute(dispute=ply + 1, ruling="rolled_back", to_ply=back, arbiter="arbiter")],
        ]
    )


def forged_event(match: AnyMatch, chance: Fast) -> AnyEvent:
    """Return an event that the service would never write, but that can still be folded.

    It is a timeout without a clock, an offer by another seat, or an empty move, possibly after the end.
    """
    common: Any = {
        "ply": match.ply + 1,
        "seat": chance.below(2),
        "at": match.last_event_at,
        "first_fact": match.fact_count,
    }
    return chance.pick(
        [
            Expired(**common, deadline=match.last_event_at, consequence="bot_moves", level="random"),
            SeatOffered(**common, by=1 - common["seat"], proposal=None),
            Moved(**common),
        ]
    )


def random_table(game: AnyGame, luck: int) -> Table:
    """Return a match with runs of moves, interrupted by proposals, takebacks, handovers and timeouts."""
    chance = Fast(f"rows {luck}")
    table = sit_down(game, seats=max(game.seat_counts[:2]), seed=luck, clock=CLOCKS[luck % len(CLOCKS)])
    for _ in range(6):
        for _ in range(chance.below(12)):
            if table.match.to_move and overdue_seat(table.match, EPOCH + PACE * table.match.ply) is None:
                step(table, chance)
        late = overdue_seat(table.match, DAYS_LATER)
        if late is not None and chance.below(3) == 0:
            table.take_command(Expire(late), DAYS_LATER)
        elif chance.below(6) == 0:
            table.take([forged_event(table.match, chance)])
        else:
            with suppress(Refused):
                for command in random_side_commands(table, chance):
                    table.take_command(command)
    return table


def without_some_hashes(events: Sequence[AnyEvent], chance: Fast) -> list[AnyEvent]:
    """Return the events, some without hash or draw number."""
    return [replace(event, hash=UNSET, draw=None) if chance.below(3) == 0 else event for event in events]


def fold_one_by_one(events: Sequence[AnyEvent]) -> list[AnyMatch]:
    """Return the match at each ply, each folded from the one before."""
    matches = [fold(events[:1])]
    for event in events[1:]:
        matches.append(evolve(matches[-1], event, lambda ply: matches[ply - 1]))
    return matches


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.slug)
@settings(max_examples=25, deadline=None)
@given(luck=st.integers(0, 10**6), spoil=st.booleans(), cut=st.integers(0, 80), stride=st.integers(1, 6))
def test_folding_together_equals_folding_one_by_one(
    game: AnyGame, luck: int, spoil: bool, cut: int, stride: int
) -> None:
    events = random_table(game, luck).events
    if spoil:
        events = without_some_hashes(events, Fast(luck))
    matches = fold_one_by_one(events)
    assert msgspec.json.encode(fold(events)) == msgspec.json.encode(matches[-1])
    known = 1 + cut % len(events)
    assert fold(events[known:], matches[known - 1], lambda ply: matches[ply - 1]) == matches[-1]
    history = History(events)
    for ply in (*range(1, len(events) + 1, stride), known):
        assert history.at(ply) == matches[ply - 1]


def test_a_run_of_moves_longer_than_the_batch_size() -> None:
    table, chance = sit_down(find_game("battle_of_the_bakeries"), seed="long"), Fast("long")
    while table.match.status == "playing":
        step(table, chance)
    assert len(table.events) > 2 * FOLD_BATCH_SIZE
    assert msgspec.json.encode(fold(table.events)) == msgspec.json.encode(fold_one_by_one(table.events)[-1])


def test_folding_a_repeated_ply_ends_with_an_error() -> None:
    """Given a log with a repeated ply, when it is folded, then it fails with an error that names the ply."""
    table, chance = sit_down(find_game("take_the_cake"), seed="twice"), Fast("twice")
    while len(table.events) < 8:
        step(table, chance)
    with pytest.raises(ValueError, match="ply 8 is followed by ply"):
        fold([*table.events[:6], *table.events[5:8]])


def many_takebacks(count: int, back_to_last: bool) -> list[AnyEvent]:
    """Return a match in which one move is repeatedly taken back: to the same ply, or to the latest possible one."""
    table = sit_down(find_game("tic_tac_toe"), seed="many")
    start = table.match.ply
    step(table, Fast("many"))
    events, ply = [*table.events], table.match.ply
    for _ in range(count):
        to_ply = ply - 1 if back_to_last else start
        common: Any = {"seat": 0, "at": table.match.last_event_at, "first_fact": 0}
        events.append(TakenBack(ply=ply + 1, **common, to_ply=to_ply, proposal=None, rated=True))
        moved = table.events[-1]
        assert isinstance(moved, Moved)
        events.append(replace(moved, ply=ply + 2, draw=(moved.draw or 0) + 1))
        ply += 2
    return events


@pytest.mark.slow
@pytest.mark.parametrize("back_to_last", [False, True])
def test_memory_for_takebacks_grows_linearly(back_to_last: bool) -> None:
    events = many_takebacks(4_000, back_to_last)
    tracemalloc.start()
    try:
        history = History(events)
        match = history.at(len(events))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(match.retracted_spans) == 4_000
    assert peak < 30_000_000, "only one match per takeback is kept, and each span once"
    middle = len(events) // 2
    assert msgspec.json.encode(history.at(middle)) == msgspec.json.encode(fold(events[:middle]))
