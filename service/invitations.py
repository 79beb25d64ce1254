"""Invitations: a capability for one seat of one match, good until the seat is taken.

A code is derived from the service's secret, so none is stored and a repeated request gets the same one.
"""

import base64
import hmac

from domain.game import Seat


class Invitations:
    """Makes and checks invitation codes."""

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    def code(self, match: str, seat: Seat) -> str:
        """The code for a seat: 128 bits in URL-safe base64."""
        mac = hmac.digest(self._secret, f"invitation/v1|{match}|{seat}".encode(), "sha256")
        return base64.urlsafe_b64encode(mac[:16]).decode().rstrip("=")

    def admits(self, code: str, match: str, seat: Seat) -> bool:
        """Whether this code is the one for the seat."""
        return hmac.compare_digest(code.encode(), self.code(match, seat).encode())
