"""The matches in which a bot is checked, chosen so that every kind of move comes up."""

from typing import Final

from domain.kernel.conformance import ConformanceMatch

AGREED_PLACEMENT: Final = ConformanceMatch(options={"placement": "agreed", "first_player": 0}, seats=3, level="random")

CONFORMANCE_MATCHES: Final = (AGREED_PLACEMENT, AGREED_PLACEMENT, ConformanceMatch())
