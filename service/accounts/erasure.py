"""Erasure of a player: the name and everything that acts for the player."""

from collections.abc import Callable

from service.accounts.magic_links import MagicLinks
from service.accounts.players import Players
from service.accounts.sessions import Sessions
from service.notifications.preferences import NotificationPreferences


class PlayerEraser:
    """Erases players. `erase_orders` removes a player's standing orders.

    `erase_moderation` removes what moderation has stored about them.
    """

    def __init__(
        self,
        players: Players,
        sessions: Sessions,
        magic_links: MagicLinks,
        preferences: NotificationPreferences,
        erase_orders: Callable[[str], None],
        erase_moderation: Callable[[str], None] = lambda player: None,
    ) -> None:
        self._players = players
        self._sessions = sessions
        self._magic_links = magic_links
        self._preferences = preferences
        self._erase_orders = erase_orders
        self._erase_moderation = erase_moderation

    def erase(self, player: str) -> None:
        """Delete a player: name, tokens, sessions, email address, preferences, webhook and standing orders.

        If it fails halfway, call it again. Everything that acts for the player is deleted before the record, so that
        nothing acts for an erased player. Sessions come last because the player needs one to try again.
        """
        self._revoke_access(player)
        self._erase_moderation(player)
        self._players.erase(player)
        self._revoke_access(player)  # another browser may have created tokens or orders in the meantime
        self._sessions.end_all(player)

    def _revoke_access(self, player: str) -> None:
        """Delete everything that acts for a player, notifies them or signs them in, except sessions."""
        address = self._preferences.get(player).address
        self._magic_links.forget(player, address.text if address else None)
        self._preferences.erase(player)
        self._players.revoke_all(player)
        self._erase_orders(player)
