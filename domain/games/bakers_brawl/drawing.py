"""A view as text and as SVG."""

from domain.game import Seat
from domain.games.bakers_brawl.model import View


def text(view: View, seat: Seat | None) -> str:
    """Nothing yet."""
    return ""


def svg(view: View, seat: Seat | None) -> str:
    """Nothing yet."""
    return ""
