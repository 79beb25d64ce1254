"""Which commands take banned players out of a match that has not started."""

from collections.abc import Callable, Iterator

from domain.match.commands import Cancel, LeaveSeat
from domain.match.state import AnyMatch

IsBanned = Callable[[str], bool]


def removals(match: AnyMatch, is_banned: IsBanned) -> Iterator[tuple[str, Cancel | LeaveSeat]]:
    """Yield the commands that remove the banned players of an open match, each with its author.

    A match that a banned player has created is cancelled.
    """
    if match.status != "open":
        return
    if is_banned(match.creator):
        yield match.creator, Cancel(match.creator)
        return
    for number, seat in enumerate(match.seats):
        if seat.player is not None and is_banned(seat.player):
            yield seat.player, LeaveSeat(number)
