"""The luck of a sealed match can be discarded, but not in secret: every discarded table is recorded as an event.

Given an ally who opens only if the favourite would win, the favourite wins, and the log shows each discarded table.
"""

from collections.abc import Iterator

import pytest

from domain.kernel.events import Cancelled, SeedRevealed
from domain.match.state import AnyMatch
from replays.verify import verify
from tests.luck.client import HonestClient
from tests.luck.operators import ALLY, FAVOURITE, Discarded, DiscardingOperator
from tests.luck.test_grinding import counts, play

pytestmark = pytest.mark.slow


def tables_until_played(operator: DiscardingOperator, name: str) -> Iterator[str]:
    """Set up tables until one is played, and yield the ids of those that were discarded."""
    for n in range(50):
        try:
            assert play(operator, f"{name}x{n}", "sealed", guest_is_last=bool(n % 2)), "it discards what it would lose"
            return
        except Discarded:
            yield f"{name}x{n}"
    raise AssertionError("50 tables in a row were lost")


@counts
def test_every_discarded_table_is_an_event_that_counts_for_the_seat(matches: int) -> None:
    operator, discarded = DiscardingOperator(), list[AnyMatch]()
    for number in range(matches):
        for match in tables_until_played(operator, f"gain{number}"):
            table = operator.tables[match]
            cancelled, revealed = table.events[-2:]
            assert isinstance(cancelled, Cancelled)
            assert isinstance(revealed, SeedRevealed)
            assert (cancelled.reason in ("lost", "not_opened"), cancelled.seats) == (True, (FAVOURITE,))
            discarded.append(table.match)
            if len(discarded) % 10 == 1:
                assert verify(operator.file(match)).ok
    assert all(match.discarded_by == (ALLY,) for match in discarded)
    assert {match.status for match in discarded} == {"over"}
    assert len(discarded) >= matches // 2, "about half of the tables are lost"


def test_the_guest_who_opened_a_discarded_table_is_not_counted_and_has_nothing_to_complain_about() -> None:
    operator, guest = DiscardingOperator(), HonestClient("guest")
    match = next(match for n in range(50) for match in tables_until_played(operator, f"guest{n}"))
    assert operator.tables[match].match.discarded_by == (ALLY,)
    assert guest.complaints == []
