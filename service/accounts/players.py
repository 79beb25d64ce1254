"""Players and their tokens. Names live here and never in the log; a token is stored as its SHA-256 alone."""

import hashlib
import re
import secrets
import unicodedata
from collections.abc import Collection
from datetime import datetime
from importlib.resources import files
from typing import Annotated, Any, Final, Literal

import msgspec
from cachetools import TTLCache
from msgspec import Meta
from msgspec.structs import replace
from redis import Redis

from service.event_store.keys import player_key, token_key, tokens_key
from service.event_store.replication import ReplicatedWriter
from service.runtime.clock import Clock

MAX_NAME_LENGTH = 40
TOKEN_PREFIX = "ct_"  # noqa: S105 -- the mark by which a leaked token is recognised

MAX_CACHED_NAMES = 4096
NAME_CACHE_SECONDS = 30
"""How long a process shows a name that was changed or erased meanwhile."""

DELETE_SCRIPT = files("service.accounts").joinpath("drop.lua").read_text(encoding="utf-8")
MAX_TOKENS = 50

Scope = Literal["play", "bot", "read", "house"]
SCOPES: dict[str, str] = {
    "play": "Everything that you can do here, but for this page.",
    "bot": "Look, offer a match, sit down, move, also by standing orders, resign, ask and answer. "
    "Not: take vacation, hand your seat over, dispute.",
    "read": "Look at your matches, and change nothing.",
}
"""What a token may do that people make for themselves."""
HOUSE: Final = "house"
"""Scope and owner of the tokens for workers, which the operator makes. No player is called so."""


class TooManyTokens(ValueError):
    """A player has as many tokens as there can be."""


class PlayerErased(LookupError):
    """The player was erased meanwhile."""


class InvalidName(ValueError):
    """A name that cannot be shown."""


class Player(msgspec.Struct, frozen=True):
    """A person or a program that can take a seat."""

    id: str
    name: str
    bot: Annotated[bool, Meta(description="A program; others see `(bot)` behind its name.")] = False

    @property
    def display_name(self) -> str:
        """The name as others see it."""
        return f"{self.name} (bot)" if self.bot else self.name


IGNORABLE_CHARACTERS = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
"""Characters with the property Default_Ignorable_Code_Point (Unicode, DerivedCoreProperties.txt) that are letters or
marks by their category: fillers, joiners, variation selectors. The others with it are of the categories Cf and Cn."""
BLANK_CHARACTERS = frozenset("\u2800\ufffc\U00013441\U00013442\U00016fe4\U0001d159")
"""Characters that count as signs, letters or marks and are drawn as nothing."""


def normalize_name(name: str) -> str:
    """The name in NFC, without spaces around it, runs of them as one. Raises BadName.

    Refused is what is empty, long, begins with a mark that would sit on the text before it, or has anything unseen.
    """
    tidy = re.sub(" +", " ", unicodedata.normalize("NFC", name).strip())
    if not 1 <= len(tidy) <= MAX_NAME_LENGTH:
        raise InvalidName(f"A name has 1 to {MAX_NAME_LENGTH} characters.")
    unseen = next((char for char in tidy if char != " " and is_invisible(char)), None)
    if unseen is not None:
        raise InvalidName(
            "A name has letters, digits, signs and plain spaces, no control or invisible characters: "
            f"leave U+{ord(unseen):04X} out."
        )
    if unicodedata.category(tidy[0]).startswith("M"):
        raise InvalidName("A name begins with a letter, a digit or a sign, not with an accent that belongs to one.")
    return tidy


def is_invisible(char: str) -> bool:
    """Whether nothing, or nothing but a gap, is drawn for a character."""
    return (
        unicodedata.category(char).startswith(("C", "Z"))
        or char in BLANK_CHARACTERS
        or IGNORABLE_CHARACTERS.fullmatch(char) is not None
    )


class Token(msgspec.Struct, frozen=True, kw_only=True):
    """What is kept of a token, under its hash: whose it is and what it may do. `id` names it where it is managed."""

    id: str
    player: str
    scope: Scope
    label: str
    at: datetime
    hashed: str


class Players:
    """The players' records, one key each, so that a cluster can hold them anywhere."""

    def __init__(self, redis: Redis, clock: Clock, replicas: int = 0) -> None:
        self._redis = redis
        self._writer = ReplicatedWriter(redis, replicas)
        self._clock = clock
        self._name_cache: TTLCache[str, str] = TTLCache(MAX_CACHED_NAMES, NAME_CACHE_SECONDS)

    def register(self, name: str, bot: bool = False) -> tuple[Player, str]:
        """A new player and the one token, told only now. Raises BadName."""
        player = self.create(name, bot)
        return player, self.new_token(player.id, "bot" if bot else "play", "Registered by the interface")

    def create(self, name: str, bot: bool = False) -> Player:
        """A new player without any token. Raises BadName."""
        player = Player("p_" + secrets.token_hex(8), normalize_name(name), bot)
        self._store(player, "NX")
        return player

    def rename(self, player: Player, name: str) -> Player:
        """The player under another name. Who was erased meanwhile stays so. Raises BadName."""
        renamed = replace(player, name=normalize_name(name))
        self._store(renamed, "XX")
        self._name_cache.pop(player.id, None)
        return renamed

    def erase(self, player: str) -> None:
        """Forget the name. The logs keep the id, which says nothing any more. May be done twice."""
        self._delete(player_key(player))
        self._name_cache.pop(player, None)

    def _delete(self, key: str) -> None:
        self._writer.run(key, "EVAL", DELETE_SCRIPT, 1, key)

    def _store(self, player: Player, only: Literal["XX", "NX"]) -> None:
        """Keep a record, only where there is one (XX), or none (NX)."""
        key = player_key(player.id)
        self._writer.run(key, "SET", key, msgspec.json.encode(player), only)

    # -- tokens -------------------------------------------------------------------------------------------------

    def new_token(self, player: str, scope: Scope, label: str) -> str:
        """A further token of a player, told only now. Raises BadName for its label, TooManyTokens, PlayerErased."""
        if self._redis.hlen(tokens_key(player)) >= MAX_TOKENS:
            raise TooManyTokens(f"You have {MAX_TOKENS} tokens. Revoke one that you do not need any more.")
        secret = TOKEN_PREFIX + secrets.token_urlsafe(32)
        token = Token(
            id=secrets.token_hex(6),
            player=player,
            scope=scope,
            label=normalize_name(label),
            at=self._clock.now(),
            hashed=hash_secret(secret),
        )
        # The list comes first: a token that could not be found there could not be revoked.
        raw, of_player, by_hash = msgspec.json.encode(token), tokens_key(player), token_key(token.hashed)
        self._writer.run(of_player, "HSET", of_player, token.id, raw)
        self._writer.run(by_hash, "SET", by_hash, raw)
        # Whoever erases the player meanwhile either finds it in the list, or has deleted the record by now.
        if not self._redis.hexists(of_player, token.id) or not self._owner_exists(player):
            self._writer.run(by_hash, "DEL", by_hash)
            self._writer.run(of_player, "HDEL", of_player, token.id)
            raise PlayerErased
        return secret

    def _owner_exists(self, owner: str) -> bool:
        return owner == HOUSE or self.find(owner) is not None

    def tokens(self, player: str) -> list[Token]:
        """The tokens of a player, the oldest first."""
        found: Any = self._redis.hvals(tokens_key(player))
        return sorted((_token_decoder.decode(raw) for raw in found), key=lambda token: (token.at, token.id))

    def revoke(self, player: str, token: str) -> bool:
        """End a token of this player's; False when there is none of that id."""
        raw: Any = self._redis.hget(tokens_key(player), token)
        if raw is None:
            return False
        of_player, by_hash = tokens_key(player), token_key(_token_decoder.decode(raw).hashed)
        self._delete(by_hash)
        self._writer.run(of_player, "HDEL", of_player, token)
        self._delete(by_hash)  # once more: whoever makes it just now had not come so far before
        return True

    def revoke_all(self, player: str) -> None:
        """End all tokens of a player. May be done twice."""
        for token in self.tokens(player):
            self.revoke(player, token.id)

    def find_token(self, secret: str) -> Token | None:
        """What this token is, if anything."""
        raw: Any = self._redis.get(token_key(hash_secret(secret)))
        return _token_decoder.decode(raw) if raw else None

    def known_secrets(self, secrets: Collection[str]) -> set[str]:
        """Those of the secrets that are tokens, in one round trip."""
        if not secrets:
            return set()
        with self._redis.pipeline(transaction=False) as pipeline:
            for secret in secrets:
                pipeline.get(token_key(hash_secret(secret)))
            return {secret for secret, raw in zip(secrets, pipeline.execute(), strict=True) if raw}

    # -- names --------------------------------------------------------------------------------------------------

    def find(self, player: str) -> Player | None:
        """The player with this id."""
        raw = self._redis.get(player_key(player))
        return msgspec.json.decode(raw, type=Player) if raw else None

    def names(self, players: set[str]) -> dict[str, str]:
        """Names by player id, as others see them; one who was erased has none."""
        return {player: name for player in players if (name := self._cached_name(player))}

    def _cached_name(self, player: str) -> str | None:
        name: str | None = self._name_cache.get(player)
        if name is None and (record := self.find(player)):
            name = self._name_cache[player] = record.display_name
        return name


_token_decoder = msgspec.json.Decoder(Token)


def hash_secret(secret: str) -> str:
    """How a token or an invitation is stored."""
    return hashlib.sha256(secret.encode()).hexdigest()
