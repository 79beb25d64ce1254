"""Matches for the bot conformance check, chosen so that every kind of move occurs."""

from typing import Final

from domain.kernel.conformance import ConformanceMatch

AGREED_PLACEMENT: Final = ConformanceMatch(options={"placement": "agreed", "first_player": 0}, seats=3, level="random")

CONFORMANCE_MATCHES: Final = (AGREED_PLACEMENT, AGREED_PLACEMENT, ConformanceMatch())
