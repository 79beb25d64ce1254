"""Players and their tokens. Names live here and never in the log; a token is stored as its SHA-256 alone."""

import hashlib
import secrets
import unicodedata
from typing import Any

import msgspec
from cachetools import TTLCache
from redis import Redis

NAME_LENGTH = 40
TOKEN_PREFIX = "ct_"  # noqa: S105 -- the mark by which a leaked token is recognised

NAMES_KEPT = 4096
NAME_SECONDS = 30
"""How long a process shows a name that was changed or erased meanwhile."""


class BadName(ValueError):
    """A name that cannot be shown."""


class Player(msgspec.Struct, frozen=True):
    """Somebody who may sit at a match."""

    id: str
    name: str


def tidy_name(name: str) -> str:
    """The name in NFC without spaces around it. Raises BadName for one that is empty, long or has unseen characters."""
    tidy = unicodedata.normalize("NFC", name).strip()
    if not 1 <= len(tidy) <= NAME_LENGTH:
        raise BadName(f"A name has 1 to {NAME_LENGTH} characters.")
    if any(unicodedata.category(c).startswith(("C", "Z")) and c != " " for c in tidy):
        raise BadName("A name has letters, digits, signs and plain spaces, no control or invisible characters.")
    return tidy


class Players:
    """The players' records, one key each, so that a cluster can hold them anywhere."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis
        self._names: TTLCache[str, str] = TTLCache(NAMES_KEPT, NAME_SECONDS)

    def register(self, name: str) -> tuple[Player, str]:
        """A new player and the one token, told only now. Raises BadName."""
        player = Player("p_" + secrets.token_hex(8), tidy_name(name))
        self._redis.set(f"ct:player:{player.id}", msgspec.json.encode(player))
        return player, self.new_token(player)

    def new_token(self, player: Player) -> str:
        """A further token of a player."""
        token = TOKEN_PREFIX + secrets.token_urlsafe(32)
        self._redis.set(f"ct:token:{hashed(token)}", player.id)
        return token

    def owner(self, token: str) -> str | None:
        """The id of the player whose token this is."""
        found: Any = self._redis.get(f"ct:token:{hashed(token)}")
        return str(found.decode()) if found else None

    def by_token(self, token: str) -> Player | None:
        """Whose token this is."""
        player = self.owner(token)
        return self.find(player) if player else None

    def find(self, player: str) -> Player | None:
        """The player with this id."""
        raw = self._redis.get(f"ct:player:{player}")
        return msgspec.json.decode(raw, type=Player) if raw else None

    def names(self, players: set[str]) -> dict[str, str]:
        """Names by player id; one who was erased has none."""
        return {player: name for player in players if (name := self._name(player))}

    def _name(self, player: str) -> str | None:
        name: str | None = self._names.get(player)
        if name is None and (record := self.find(player)):
            name = self._names[player] = record.name
        return name


def hashed(secret: str) -> str:
    """How a token or an invitation is stored."""
    return hashlib.sha256(secret.encode()).hexdigest()
