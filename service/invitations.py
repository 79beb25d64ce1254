"""Invitations: a capability for one seat of one match, good until the seat is taken.

A code is derived from the service's secret, so none is stored and a repeated request gets the same one. That of a seat
that is handed over in mid-match begins with the number of its offer, `12.`, and is good for that offer alone.
"""

import base64
import hmac
import re

from domain.game import Seat

OFFER = re.compile(r"[1-9][0-9]{0,8}", re.ASCII)


class Invitations:
    """Makes and checks invitation codes."""

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    def code(self, match: str, seat: Seat) -> str:
        """The code for a seat: 128 bits in URL-safe base64."""
        mac = hmac.digest(self._secret, f"invitation/v1|{match}|{seat}".encode(), "sha256")
        return base64.urlsafe_b64encode(mac[:16]).decode().rstrip("=")

    def code_of_offer(self, match: str, seat: Seat, offer: int) -> str:
        """The code for a seat that is offered while the match is played."""
        mac = hmac.digest(self._secret, f"offer/v1|{match}|{seat}|{offer}".encode(), "sha256")
        return f"{offer}.{base64.urlsafe_b64encode(mac[:16]).decode().rstrip('=')}"

    def offer_of(self, code: str, match: str, seat: Seat) -> int | None:
        """The number of the offer that this code is for, gone or not; None where it is no such code."""
        number = code.partition(".")[0]
        if not OFFER.fullmatch(number):
            return None
        wanted = self.code_of_offer(match, seat, int(number))
        return int(number) if hmac.compare_digest(code.encode(), wanted.encode()) else None

    def admits(self, code: str, match: str, seat: Seat) -> bool:
        """Whether this code is the one for the seat."""
        return hmac.compare_digest(code.encode(), self.code(match, seat).encode())
