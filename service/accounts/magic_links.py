"""Signing in by a link that comes by mail: no passwords. A link is good once, for half an hour.

Only a hash of a link's token is kept. The token is derived from the letter's id and the service's secret, so that a
letter that has to be sent twice is the same letter.
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
"""For how long a link that is too old or was used can be told from one that never was."""


class InvalidLink(Exception):
    """The link signs nobody in; the text says why, and what to do."""


class MagicLink(msgspec.Struct, frozen=True):
    """What a link is for: the address that it went to, and the guest who asked for it, if there was one."""

    address: str
    player: str | None
    until: datetime


class MagicLinks:
    """The links that have gone out. Every method raises redis-py's errors."""

    def __init__(self, redis: Redis, clock: Clock, secret: bytes, errands: OneOffTasks) -> None:
        self._redis: Any = redis
        self._clock = clock
        self._secret = secret
        self._tasks = errands

    def send(self, address: str, player: str | None) -> None:
        """Have a link sent to an address. The same is done whether or not anybody has it."""
        letter = secrets.token_hex(16)
        until = self._clock.now() + LINK_LIFETIME
        raw = msgspec.json.encode(MagicLink(address, player, until))
        key = link_key(hash_secret(self.token_of(letter)))
        with self._redis.pipeline(transaction=False) as pipeline:  # on a cluster the keys lie apart
            pipeline.set(key, raw, ex=RETENTION_SECONDS)
            for owner in self._owner_keys(address, player):
                pipeline.sadd(owner, key).expire(owner, RETENTION_SECONDS)
            pipeline.execute()
        self._tasks.enqueue(OneOffTask(id=letter, what="sign_in", until=until, player=player, address=address))

    def forget(self, player: str, address: str | None) -> None:
        """Forget what was sent for a player or to an address."""
        for owner in self._owner_keys(address, player):
            for key in self._redis.smembers(owner):
                self._redis.delete(key)
            self._redis.delete(owner)  # last: whoever breaks off in between finds the others again
        self._tasks.forget_player(player, address)

    def _owner_keys(self, address: str | None, player: str | None) -> list[str]:
        """The sets by which links are found again when somebody is erased."""
        return [
            *([links_key(player)] if player else []),
            *([links_key(self._keyed_hash("address", address.lower()))] if address else []),
        ]

    def _keyed_hash(self, what: str, text: str) -> str:
        return hmac.new(self._secret, f"{what}/v1|{text}".encode(), "sha256").hexdigest()

    def token_of(self, letter: str) -> str:
        """The token that stands in a letter."""
        code = hmac.new(self._secret, f"link/v1|{letter}".encode(), "sha256").digest()
        return urlsafe_b64encode(code).decode().rstrip("=")

    def check(self, token: str, browser: str = "") -> MagicLink:
        """What this link is for, without using it; also for a browser that has used it. Raises LinkInvalid."""
        raw = self._redis.get(link_key(hash_secret(token)))
        if raw is None:
            raise InvalidLink("This link is not complete, or it is too old. Have a new one sent to you.")
        link = msgspec.json.decode(raw, type=MagicLink)
        self._require_unused(token, browser)
        if link.until <= self._clock.now():
            raise InvalidLink("This link is too old: it was good for half an hour. Have a new one sent to you.")
        return link

    def redeem(self, token: str, browser: str) -> MagicLink:
        """The same, and from now on only this browser may use it, again where that has broken off. Raises LinkInvalid.

        `browser` is what no other browser can tell.
        """
        link = self.check(token, browser)
        if not self._redis.set(used_link_key(hash_secret(token)), hash_secret(browser), nx=True, ex=RETENTION_SECONDS):
            self._require_unused(token, browser)  # somebody was faster
        return link

    def _require_unused(self, token: str, browser: str) -> None:
        used = self._redis.get(used_link_key(hash_secret(token)))
        if used and used.decode() != hash_secret(browser):
            raise InvalidLink("This link was used before; each is good once. Have a new one sent to you.")
