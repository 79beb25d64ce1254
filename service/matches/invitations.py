"""Invitations: a capability for one seat of one match, good once, until the seat is taken or the creator withdraws it.

A code is derived from the service's secret, so none is stored and a repeated request gets the same one. It also comes
from how often somebody got up from the seat, which the log says, and how often the creator has withdrawn a code: so a
code that has served, or was withdrawn, never admits anybody again. That of a seat that is handed over in mid-match
begins with the number of its offer, `12.`, and is good for that offer alone.
"""

import base64
import hmac
import re
from typing import Any

from redis import Redis

from domain.kernel.game import Seat
from domain.match.state import AnyMatch
from service.event_store.keys import withdrawn_invitations_key

OFFER_NUMBER = re.compile(r"[1-9][0-9]{0,8}", re.ASCII)


class Invitations:
    """Makes and checks invitation codes."""

    def __init__(self, secret: bytes, redis: Redis) -> None:
        self._secret = secret
        self._redis: Any = redis

    def seat_code(self, match: AnyMatch, seat: Seat) -> str:
        """The code for a seat as it is now: 128 bits in URL-safe base64."""
        served = match.seats[seat].times_vacated
        withdrawn = int(self._redis.hget(withdrawn_invitations_key(match.id), str(seat)) or 0)
        text = f"invitation/v2|{match.id}|{seat}|{served}|{withdrawn}"
        mac = hmac.digest(self._secret, text.encode(), "sha256")
        return base64.urlsafe_b64encode(mac[:16]).decode().rstrip("=")

    def offer_code(self, match: str, seat: Seat, offer: int) -> str:
        """The code for a seat that is offered while the match is played."""
        mac = hmac.digest(self._secret, f"offer/v1|{match}|{seat}|{offer}".encode(), "sha256")
        return f"{offer}.{base64.urlsafe_b64encode(mac[:16]).decode().rstrip('=')}"

    def find_offer(self, code: str, match: str, seat: Seat) -> int | None:
        """The number of the offer that this code is for, gone or not; None where it is no such code."""
        number = code.partition(".")[0]
        if not OFFER_NUMBER.fullmatch(number):
            return None
        wanted = self.offer_code(match, seat, int(number))
        return int(number) if hmac.compare_digest(code.encode(), wanted.encode()) else None

    def is_valid(self, code: str, match: AnyMatch, seat: Seat) -> bool:
        """Whether this code is the one for the seat."""
        return hmac.compare_digest(code.encode(), self.seat_code(match, seat).encode())

    def withdraw(self, match: AnyMatch, seat: Seat) -> str:
        """Make the seat's code worthless; gives the next one."""
        self._redis.hincrby(withdrawn_invitations_key(match.id), str(seat), 1)
        return self.seat_code(match, seat)
