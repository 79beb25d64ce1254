"""Takes a banned player out of matches that have not started."""

from service.event_store.errors import MatchNotFound
from service.matches.command_handler import MatchCommandHandler
from service.matches.repository import MatchRepository
from service.read_models.match_lists import MatchLists


class LobbyLeaver:
    """Cancels the open matches that a banned player has created, and leaves the open seats that they have taken."""

    def __init__(self, lists: MatchLists, repository: MatchRepository, commands: MatchCommandHandler) -> None:
        self._lists = lists
        self._repository = repository
        self._commands = commands

    def leave(self, player: str) -> None:
        """Leave all open matches of a banned player, as far as the lists know them. Raises LogUnavailable.

        The dispatcher closes those that the lists don't know yet, and nobody can sit down there in the meantime. A
        match whose shares are being opened is cancelled by its time limit.
        """
        for row in self._lists.matches_of(player):
            if row.status == "open" and not row.without_game:
                try:
                    self._commands.remove_banned(self._repository.load(row.id))
                except MatchNotFound:
                    continue
