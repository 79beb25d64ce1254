"""Invitation codes. A code admits one player to one seat, until the seat is taken or the creator withdraws the code.

Codes are derived from the service's secret, so none are stored and a repeated request gets the same code. They also
depend on how often the seat was vacated (from the log) and how often a code was withdrawn. Used and withdrawn codes
therefore never work again. The code for taking over a seat during a match starts with the number of the offer, as in
`12.`, and is valid only for that offer.
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
        """Return the current code for a seat: 128 bits in URL-safe base64."""
        served = match.seats[seat].times_vacated
        withdrawn = int(self._redis.hget(withdrawn_invitations_key(match.id), str(seat)) or 0)
        text = f"invitation/v2|{match.id}|{seat}|{served}|{withdrawn}"
        mac = hmac.digest(self._secret, text.encode(), "sha256")
        return base64.urlsafe_b64encode(mac[:16]).decode().rstrip("=")

    def offer_code(self, match: str, seat: Seat, offer: int) -> str:
        """Return the code for a seat that is offered during the match."""
        mac = hmac.digest(self._secret, f"offer/v1|{match}|{seat}|{offer}".encode(), "sha256")
        return f"{offer}.{base64.urlsafe_b64encode(mac[:16]).decode().rstrip('=')}"

    def find_offer(self, code: str, match: str, seat: Seat) -> int | None:
        """Return the offer number of this code, even if the offer has ended, or None if the code is invalid."""
        number = code.partition(".")[0]
        if not OFFER_NUMBER.fullmatch(number):
            return None
        expected = self.offer_code(match, seat, int(number))
        return int(number) if hmac.compare_digest(code.encode(), expected.encode()) else None

    def is_valid(self, code: str, match: AnyMatch, seat: Seat) -> bool:
        """Return whether the code is valid for the seat."""
        return hmac.compare_digest(code.encode(), self.seat_code(match, seat).encode())

    def withdraw(self, match: AnyMatch, seat: Seat) -> str:
        """Invalidate the seat's code and return the next one."""
        self._redis.hincrby(withdrawn_invitations_key(match.id), str(seat), 1)
        return self.seat_code(match, seat)
