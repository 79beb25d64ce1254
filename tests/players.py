"""Players for tests."""

import secrets

import msgspec

from service.accounts.players import Player
from service.bootstrap import Services
from service.event_store.keys import player_key


def namesake(services: Services, name: str) -> Player:
    """Return a new player whose name others may have too."""
    return share_name(services, "p_" + secrets.token_hex(8), name)


def share_name(services: Services, player: str, name: str) -> Player:
    """Store a player under a name that others may have too, as earlier releases did."""
    stored = Player(player, name)
    services.runtime.redis.set(player_key(player), msgspec.json.encode(stored))
    return stored
