"""Takes a banned player out of matches that have not started."""

import logging

from domain.kernel.refusals import Refused
from domain.match.commands import Cancel, Command, LeaveSeat
from service.event_store.errors import CommandReused, MatchNotFound
from service.matches.command_handler import MatchCommandHandler
from service.matches.errors import NotSeated, StalePly
from service.matches.results import IdempotencyKey
from service.read_models.match_lists import MatchLists
from service.read_models.summary import MatchSummary

logger = logging.getLogger("crumbtrail.moderation")


class LobbyLeaver:
    """Cancels the open matches that a player has created, and leaves the open seats that they have taken."""

    def __init__(self, lists: MatchLists, commands: MatchCommandHandler) -> None:
        self._lists = lists
        self._commands = commands

    def leave(self, player: str) -> None:
        """Leave all open matches of a player, as far as the lists know them. Raises LogUnavailable.

        A match whose shares are being opened is cancelled by its time limit.
        """
        for row in self._lists.matches_of(player):
            if row.status == "open" and not row.without_game:
                self._leave(row, player)

    def _leave(self, row: MatchSummary, player: str) -> None:
        commands: list[Command] = (
            [Cancel(player)]
            if row.creator == player
            else [LeaveSeat(number) for number, seat in enumerate(row.seats) if seat.player == player]
        )
        for number, command in enumerate(commands):
            try:
                self._commands.submit(row.id, command, IdempotencyKey(player, f"banned-{row.ply}-{number}"))
            except (Refused, NotSeated, StalePly, CommandReused, MatchNotFound) as error:
                logger.warning("A banned player could not leave match %s: %s", row.id, type(error).__name__)
