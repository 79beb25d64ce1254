"""Magic links: links sent by email that sign a player in without a password. Each works once, for 30 minutes.

Only the hash of a link's token is stored. The token is derived from the email's id and the service's secret, so that
a retried email contains the same link.
"""

import hmac
import secrets
from base64 import urlsafe_b64encode
from datetime import datetime, timedelta
from typing import Any

import msgspec
from redis import Redis

from service.accounts.players import hash_secret
from service.event_store.keys import link_key, links_key, used_link_key
from service.notifications.one_off_tasks import OneOffTask, OneOffTasks
from service.runtime.clock import Clock

LINK_LIFETIME = timedelta(minutes=30)
RETENTION_SECONDS = 24 * 60 * 60
"""How long the service remembers expired and used links, to distinguish them from links that never existed."""


class InvalidLink(Exception):
    """The link cannot be used; the text says why, and what to do."""


class MagicLink(msgspec.Struct, frozen=True):
    """The address that a link was sent to, and the guest who requested it, if any."""

    address: str
    player: str | None
    until: datetime


class MagicLinks:
    """The magic links. Every method raises redis-py's errors."""

    def __init__(self, redis: Redis, clock: Clock, secret: bytes, errands: OneOffTasks) -> None:
        self._redis: Any = redis
        self._clock = clock
        self._secret = secret
        self._tasks = errands

    def send(self, address: str, player: str | None) -> None:
        """Schedule an email with a link. The same happens whether or not a player has this address."""
        letter = secrets.token_hex(16)
        until = self._clock.now() + LINK_LIFETIME
        raw = msgspec.json.encode(MagicLink(address, player, until))
        key = link_key(hash_secret(self.token_of(letter)))
        with self._redis.pipeline(transaction=False) as pipeline:  # the keys may be on different nodes of a cluster
            pipeline.set(key, raw, ex=RETENTION_SECONDS)
            for owner in self._owner_keys(address, player):
                pipeline.sadd(owner, key).expire(owner, RETENTION_SECONDS)
            pipeline.execute()
        self._tasks.enqueue(OneOffTask(id=letter, what="sign_in", until=until, player=player, address=address))

    def forget(self, player: str, address: str | None) -> None:
        """Delete the links that were sent for a player or to an address."""
        for owner in self._owner_keys(address, player):
            for key in self._redis.smembers(owner):
                self._redis.delete(key)
            self._redis.delete(owner)  # last, so that an interrupted call can be repeated
        self._tasks.forget_player(player, address)

    def _owner_keys(self, address: str | None, player: str | None) -> list[str]:
        """Return the keys of the sets that list the links of a player and of an address, for erasure."""
        return [
            *([links_key(player)] if player else []),
            *([links_key(self._keyed_hash("address", address.lower()))] if address else []),
        ]

    def _keyed_hash(self, purpose: str, text: str) -> str:
        return hmac.new(self._secret, f"{purpose}/v1|{text}".encode(), "sha256").hexdigest()

    def token_of(self, letter: str) -> str:
        """Return the token of the link in an email."""
        code = hmac.new(self._secret, f"link/v1|{letter}".encode(), "sha256").digest()
        return urlsafe_b64encode(code).decode().rstrip("=")

    def check(self, token: str, browser: str = "") -> MagicLink:
        """Return the link without using it. The browser that has used it may check it again. Raises InvalidLink."""
        raw = self._redis.get(link_key(hash_secret(token)))
        if raw is None:
            raise InvalidLink("This link is incomplete or has expired. Request a new one.")
        link = msgspec.json.decode(raw, type=MagicLink)
        self._require_unused(token, browser)
        if link.until <= self._clock.now():
            raise InvalidLink("This link has expired: links work for 30 minutes. Request a new one.")
        return link

    def redeem(self, token: str, browser: str) -> MagicLink:
        """Use the link for this browser, which may repeat the call after a failure. Raises InvalidLink.

        `browser` is a secret that only this browser has.
        """
        link = self.check(token, browser)
        if not self._redis.set(used_link_key(hash_secret(token)), hash_secret(browser), nx=True, ex=RETENTION_SECONDS):
            self._require_unused(token, browser)  # another request was faster
        return link

    def _require_unused(self, token: str, browser: str) -> None:
        used = self._redis.get(used_link_key(hash_secret(token)))
        if used and used.decode() != hash_secret(browser):
            raise InvalidLink("This link has already been used, and each link works only once. Request a new one.")
