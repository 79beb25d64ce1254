"""Invitations: a capability for one seat of one match, good once, until the seat is taken or the creator withdraws it.

A code is derived from the service's secret, so none is stored and a repeated request gets the same one. It also comes
from how often somebody got up from the seat, which the log says, and how often the creator has withdrawn a code: so a
code that has served, or was withdrawn, never admits anybody again.
"""

import base64
import hmac
from typing import Any

from redis import Redis

from domain.game import Seat
from domain.match import AnyMatch
from service.log.keys import shard_of, tag


class Invitations:
    """Makes and checks invitation codes."""

    def __init__(self, secret: bytes, redis: Redis) -> None:
        self._secret = secret
        self._redis: Any = redis

    def code(self, match: AnyMatch, seat: Seat) -> str:
        """The code for a seat as it is now: 128 bits in URL-safe base64."""
        served, withdrawn = match.seats[seat].left, int(self._redis.hget(self._key(match), str(seat)) or 0)
        text = f"invitation/v2|{match.id}|{seat}|{served}|{withdrawn}"
        mac = hmac.digest(self._secret, text.encode(), "sha256")
        return base64.urlsafe_b64encode(mac[:16]).decode().rstrip("=")

    def admits(self, code: str, match: AnyMatch, seat: Seat) -> bool:
        """Whether this code is the one for the seat."""
        return hmac.compare_digest(code.encode(), self.code(match, seat).encode())

    def withdraw(self, match: AnyMatch, seat: Seat) -> str:
        """Make the seat's code worthless; gives the next one."""
        self._redis.hincrby(self._key(match), str(seat), 1)
        return self.code(match, seat)

    def _key(self, match: AnyMatch) -> str:
        return f"{tag(shard_of(match.id))}:withdrawn:{match.id}"
