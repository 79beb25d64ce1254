"""Every log of random commands at random times verifies, with absences, aborts, claims, handovers and undone moves.

The seeds are fixed, so every run tries the same matches.
"""

from datetime import timedelta
from functools import cache
from typing import Any

import msgspec
import pytest

from domain.kernel.chance import Fast
from domain.kernel.events import Cancelled, Expired, HandedOver, TimeControl
from domain.kernel.refusals import Refused
from domain.kernel.registry import find_game
from domain.match.clock import overdue_seat
from domain.match.commands import (
    Abort,
    AnswerProposal,
    ClaimLoss,
    Expire,
    OfferSeat,
    Play,
    Propose,
    Resume,
    TakeOver,
    TakeVacation,
)
from domain.match.durations import DAY
from tests.builders import Table, sit_down
from tests.domain.match.test_clock import assert_log_verifies

CLOCKS: tuple[TimeControl | None, ...] = (
    None,
    TimeControl(kind="bank", seconds=20 * DAY, vacation=10),
    TimeControl(kind="per_move", seconds=DAY, expiry="bot_moves", level="random", vacation=5),
    TimeControl(kind="per_move", seconds=5 * DAY, expiry="bot_takes_over", level="random"),
    TimeControl(kind="bank", seconds=20 * DAY),
)
GAPS = (timedelta(minutes=1), timedelta(hours=5), timedelta(days=1), timedelta(days=3), timedelta(days=4))


def random_command(table: Table, chance: Any) -> Any:
    """Return a command that may or may not be allowed now."""
    match = table.match
    seats = range(len(match.seats))
    seat, other = chance.pick(list(seats)), chance.pick(list(seats))
    number = chance.pick([*(p.number for p in match.proposals), match.ply])
    offer = chance.pick([*(o.number for o in match.offers), match.ply])
    legal = [(s, m) for s in sorted(match.to_move) for m in list(match.rules.legal_moves(match.state, s))[:3]]
    moves = [Play(s, msgspec.to_builtins(m)) for s, m in legal[:4]]
    return chance.pick(
        [
            *moves,
            *moves,
            Abort(seat),
            ClaimLoss(seat, other),
            Propose(seat=seat, what="hand_over", of=other, level=chance.pick([None, "random"])),
            Propose(seat=seat, what="takeback", to_ply=max(1, match.ply - 1)),
            Propose(seat=seat, what="pause"),
            Resume(seat),
            AnswerProposal(seat, number, agrees=True),
            OfferSeat(seat),
            TakeOver(other, f"q{match.ply}", offer),
            TakeVacation(seat, 2),
            Play(seat, {"type": "resign"}),
        ]
    )


@cache
def random_match(seed: int) -> Table:
    """Return a match after random commands, which may still be running."""
    chance = Fast(f"absence {seed}")
    game, seats = chance.pick([(find_game("tic_tac_toe"), 2), (find_game("pie_contest"), 3)])
    plan, rated = CLOCKS[seed % len(CLOCKS)], seed % len(CLOCKS) in (1, 4) and seed % 2 == 0
    table = sit_down(game, seats=seats, clock=plan, rated=rated, shares=(True,) * seats, seed=seed)
    now = table.match.last_event_at
    for _ in range(60):
        if table.match.status == "over":
            return table
        now += chance.pick(GAPS)
        while table.match.status == "playing" and (late := overdue_seat(table.match, now)) is not None:
            table.take_command(Expire(late), now)
        if table.match.status == "playing":
            try:
                table.take_command(random_command(table, chance), now)
            except Refused:
                continue
    return table


@pytest.mark.parametrize("seed", range(40))
def test_every_log_of_random_commands_verifies(seed: int) -> None:
    assert_log_verifies(random_match(seed))


def test_the_random_matches_reach_every_early_end() -> None:
    """Given the matches of the test above, then they contain absences, aborts, claims and replacements."""
    events = [event for seed in range(40) for event in random_match(seed).events]
    reasons = {event.reason for event in events if isinstance(event, Cancelled)}
    assert reasons == {"absent", "aborted"}
    assert any(isinstance(event, Expired) and isinstance(event.by, int) for event in events)
    assert any(isinstance(event, HandedOver) and event.proposal is not None for event in events)
