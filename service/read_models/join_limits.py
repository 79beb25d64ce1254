"""The limit for players who repeatedly run out of time: for a while they can play only a few matches with people."""

from domain.kernel.refusals import MatchRefused
from domain.match.state import AnyMatch
from service.read_models.lapses import Lapses
from service.read_models.match_lists import MatchLists
from service.read_models.summary import MatchSummary
from service.runtime.clock import Clock

MAX_MATCHES = 2
"""How many matches with other people a player can have at once while the limit is in force."""


class JoinLimits:
    """Refuses players who ran out of time in too many matches. It follows the lists, which are about a second old."""

    def __init__(self, lapses: Lapses, lists: MatchLists, clock: Clock) -> None:
        self._lapses = lapses
        self._lists = lists
        self._clock = clock

    def require_below_limit(self, player: str, joining: AnyMatch | None = None) -> None:
        """Raise MatchRefused `join_limited` for a player who can't have another match with people now.

        Players can always sit down in their own matches. Raises LogUnavailable.
        """
        if joining is not None and joining.creator == player:
            return
        limit = self._lapses.join_limit(player, self._clock.now())
        if limit is None or self._running_with_people(player) < MAX_MATCHES:
            return
        raise MatchRefused(
            "join_limited",
            f"You ran out of time in {limit.lapses} matches and have finished none since, so until "
            f"{limit.until:%d %B %Y, %H:%M} UTC you can play at most {MAX_MATCHES} matches with other people at once. "
            "Finish a match in time to lift this limit.",
        )

    def _running_with_people(self, player: str) -> int:
        return sum(is_with_people(row, player) for row in self._lists.matches_of(player))


def is_with_people(row: MatchSummary, player: str) -> bool:
    """Return whether a match is not over and other people play in it, or can still join it."""
    return row.status != "over" and any(
        seat.kind == "open" or (seat.kind == "human" and seat.player != player) for seat in row.seats
    )
