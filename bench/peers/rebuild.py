"""Rebuilds aggregates of pyeventsourcing (events kept in memory) from their events, in events per second."""

from collections.abc import Callable
from functools import partial
from uuid import UUID

from eventsourcing.application import Application
from eventsourcing.domain import Aggregate, event
from turns import per_second, take_turns

AT_ONCE = 50
"""The number of events that are saved together."""


class Board(Aggregate):
    """Marks on nine cells, cleared when they are full, so that there can be any number of events."""

    @event("Started")
    def __init__(self) -> None:
        self.cells: list[int | None] = [None] * 9
        self.wiped = 0

    @event("Marked")
    def mark(self, seat: int, cell: int) -> None:
        """Mark a cell for a seat."""
        self.cells[cell] = seat
        if None not in self.cells:
            self.cells, self.wiped = [None] * 9, self.wiped + 1


def with_events(application: Application[UUID], count: int) -> UUID:
    """Return an aggregate with this number of events."""
    board = Board()
    for number in range(count - 1):
        board.mark(number % 2, number % 9)
        if number % AT_ONCE == 0:
            application.save(board)
    application.save(board)
    return board.id


def rebuild(count: int) -> Callable[[], int]:
    """Read and fold one aggregate."""
    application: Application[UUID] = Application()
    board = with_events(application, count)

    def once() -> int:
        found = application.repository.get(board)
        assert found.version == count
        return count

    return once


take_turns({f"{count:,} events": partial(per_second, rebuild(count)) for count in (1_000, 10_000)})
