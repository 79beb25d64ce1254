"""Players and their tokens. Names are stored here, never in the log. Tokens are stored only as SHA-256 hashes."""

import hashlib
import secrets
from collections.abc import Collection
from contextlib import suppress
from datetime import datetime
from importlib.resources import files
from typing import Annotated, Any, Final, Literal

import msgspec
from cachetools import TTLCache
from msgspec import Meta
from msgspec.structs import replace
from redis import Redis

from service.accounts.guest_names import random_name
from service.accounts.name_claims import NameClaims
from service.accounts.names import NameTaken, normalize_name
from service.event_store.keys import player_key, token_key, tokens_key
from service.event_store.replication import ReplicatedWriter
from service.runtime.clock import Clock

TOKEN_PREFIX = "ct_"  # noqa: S105 -- makes leaked tokens recognisable

MAX_CACHED_NAMES = 4096
NAME_CACHE_SECONDS = 30
"""How long a process may still show a name that was changed or erased elsewhere."""

DELETE_SCRIPT = files("service.accounts").joinpath("drop.lua").read_text(encoding="utf-8")
MAX_TOKENS = 50
MAX_DRAWS = 50
"""How many random names to try. Even if half of all names were taken, 50 tries would fail once in 10^15 times."""

Scope = Literal["play", "bot", "read", "house"]
SCOPES: dict[str, str] = {
    "play": "Everything you can do here, except manage your account.",
    "bot": "View and create matches, take seats, open shares, move, give standing orders, resign, and make and answer "
    "requests. "
    "It can't take vacation, hand over your seat or raise disputes.",
    "read": "View your matches without changing anything.",
}
"""The scopes of tokens that players create, with descriptions."""
HOUSE: Final = "house"
"""Scope and owner of the workers' tokens, which the operator creates. No player has this id."""


class TooManyTokens(ValueError):
    """The player has the maximum number of tokens."""


class PlayerErased(LookupError):
    """The player was erased in the meantime."""


class Player(msgspec.Struct, frozen=True):
    """A person or a program that can take a seat."""

    id: str
    name: str
    bot: Annotated[bool, Meta(description="True for a program; others see `(bot)` after its name.")] = False

    @property
    def display_name(self) -> str:
        """Return the name as others see it."""
        return f"{self.name} (bot)" if self.bot else self.name


class Token(msgspec.Struct, frozen=True, kw_only=True):
    """The record of a token, stored under its hash: its player and scope. `id` identifies it on the account page."""

    id: str
    player: str
    scope: Scope
    label: str
    at: datetime
    hashed: str


class Players:
    """The players' records, each under its own key so that a cluster can distribute them."""

    def __init__(self, redis: Redis, clock: Clock, replicas: int = 0) -> None:
        self._redis = redis
        self._writer = ReplicatedWriter(redis, replicas)
        self._clock = clock
        self._name_cache: TTLCache[str, str] = TTLCache(MAX_CACHED_NAMES, NAME_CACHE_SECONDS)
        self.name_claims = NameClaims(redis, clock, self._find_name, self._writer)

    def register(self, name: str, bot: bool = False) -> tuple[Player, str]:
        """Create a player and return it with its first token, which cannot be read again.

        Raises InvalidName, NameTaken.
        """
        player = self.create(name, bot)
        return player, self.new_token(player.id, "bot" if bot else "play", "Registered through the API")

    def create(self, name: str, bot: bool = False) -> Player:
        """Create a player without a token. Raises InvalidName, NameTaken."""
        player = Player("p_" + secrets.token_hex(8), normalize_name(name), bot)
        self.name_claims.claim(player.id, player.name)
        self._store(player, "NX")
        return player

    def create_guest(self) -> Player:
        """Create a player with a random name that nobody has, without a token."""
        for _ in range(MAX_DRAWS):
            with suppress(NameTaken):
                return self.create(random_name())
        raise NameTaken(random_name())

    def free_random_name(self) -> str:
        """Return a random name that nobody has now, as a suggestion."""
        drawn = (random_name() for _ in range(MAX_DRAWS))
        return next((name for name in drawn if self.name_claims.holder(name) is None), random_name())

    def rename(self, player: Player, name: str) -> Player:
        """Rename the player and return it. A player erased in the meantime stays erased.

        Raises InvalidName, NameTaken.
        """
        renamed = replace(player, name=normalize_name(name))
        former = self.name_claims.values(player.id, player.name)
        self.name_claims.claim(player.id, renamed.name)
        if self._store(renamed, "XX"):
            self.name_claims.release(former, keep=renamed.name)
        else:
            self.name_claims.release(former | self.name_claims.values(player.id, renamed.name))
        self._name_cache.pop(player.id, None)
        return renamed

    def erase(self, player: str) -> None:
        """Delete the name, which is free again. The logs keep the id, which then identifies no one. Idempotent."""
        known = self.find(player)
        if known is not None:  # first the claim: without the record, a repeated call could not find it
            self.name_claims.release(self.name_claims.values(player, known.name))
        self._delete(player_key(player))
        self._name_cache.pop(player, None)

    def _delete(self, key: str) -> None:
        self._writer.run(key, "EVAL", DELETE_SCRIPT, 1, key)

    def _store(self, player: Player, only: Literal["XX", "NX"]) -> bool:
        """Store a record, only if one exists (XX) or none exists (NX). Return whether it was stored."""
        key = player_key(player.id)
        return bool(self._writer.run(key, "SET", key, msgspec.json.encode(player), only))

    # -- tokens -------------------------------------------------------------------------------------------------

    def new_token(self, player: str, scope: Scope, label: str) -> str:
        """Create a token and return its secret. Raises InvalidName for a bad label, TooManyTokens, PlayerErased."""
        if self._redis.hlen(tokens_key(player)) >= MAX_TOKENS:
            raise TooManyTokens(f"You already have {MAX_TOKENS} tokens. Revoke one you no longer need.")
        secret = TOKEN_PREFIX + secrets.token_urlsafe(32)
        token = Token(
            id=secrets.token_hex(6),
            player=player,
            scope=scope,
            label=normalize_name(label),
            at=self._clock.now(),
            hashed=hash_secret(secret),
        )
        # The list comes first: a token missing from it could not be revoked.
        raw, of_player, by_hash = msgspec.json.encode(token), tokens_key(player), token_key(token.hashed)
        self._writer.run(of_player, "HSET", of_player, token.id, raw)
        self._writer.run(by_hash, "SET", by_hash, raw)
        # A concurrent erasure either finds the token in the list or has already deleted the player's record.
        if not self._redis.hexists(of_player, token.id) or not self._owner_exists(player):
            self._writer.run(by_hash, "DEL", by_hash)
            self._writer.run(of_player, "HDEL", of_player, token.id)
            raise PlayerErased
        return secret

    def _owner_exists(self, owner: str) -> bool:
        return owner == HOUSE or self.find(owner) is not None

    def tokens(self, player: str) -> list[Token]:
        """Return the tokens of a player, oldest first."""
        found: Any = self._redis.hvals(tokens_key(player))
        return sorted((_token_decoder.decode(raw) for raw in found), key=lambda token: (token.at, token.id))

    def revoke(self, player: str, token: str) -> bool:
        """Revoke a token of this player. Return False if the player has no token with this id."""
        raw: Any = self._redis.hget(tokens_key(player), token)
        if raw is None:
            return False
        of_player, by_hash = tokens_key(player), token_key(_token_decoder.decode(raw).hashed)
        self._delete(by_hash)
        self._writer.run(of_player, "HDEL", of_player, token)
        self._delete(by_hash)  # again, in case a concurrent new_token wrote it after the first deletion
        return True

    def revoke_all(self, player: str) -> None:
        """Revoke all tokens of a player. Idempotent."""
        for token in self.tokens(player):
            self.revoke(player, token.id)

    def find_token(self, secret: str) -> Token | None:
        """Return the token with this secret, or None."""
        raw: Any = self._redis.get(token_key(hash_secret(secret)))
        return _token_decoder.decode(raw) if raw else None

    def known_secrets(self, secrets: Collection[str]) -> set[str]:
        """Return the secrets that belong to existing tokens, in one round trip."""
        if not secrets:
            return set()
        with self._redis.pipeline(transaction=False) as pipeline:
            for secret in secrets:
                pipeline.get(token_key(hash_secret(secret)))
            return {secret for secret, raw in zip(secrets, pipeline.execute(), strict=True) if raw}

    # -- names --------------------------------------------------------------------------------------------------

    def find(self, player: str) -> Player | None:
        """Return the player with this id, or None."""
        raw = self._redis.get(player_key(player))
        return msgspec.json.decode(raw, type=Player) if raw else None

    def find_by_id_or_name(self, text: str) -> Player | None:
        """Return the player with this id, or else the one with this name or one that looks like it.

        The id comes first, because a name can be spelled like the id of another player.
        """
        wanted = text.strip()
        return self.find(wanted) or (self.find(self.name_claims.holder(wanted) or "") if wanted else None)

    def _find_name(self, player: str) -> str | None:
        """Return the name in a player's record, or None."""
        found = self.find(player)
        return found.name if found else None

    def names(self, players: set[str]) -> dict[str, str]:
        """Return display names by player id, without players who were erased."""
        return {player: name for player in players if (name := self._cached_name(player))}

    def _cached_name(self, player: str) -> str | None:
        name: str | None = self._name_cache.get(player)
        if name is None and (record := self.find(player)):
            name = self._name_cache[player] = record.display_name
        return name


_token_decoder = msgspec.json.Decoder(Token)


def hash_secret(secret: str) -> str:
    """Return the hash under which a token or an invitation is stored."""
    return hashlib.sha256(secret.encode()).hexdigest()
