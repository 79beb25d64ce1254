"""Turns errors of a game into PositionLost if its component data has changed since the match began."""

from collections.abc import Iterator
from contextlib import contextmanager

from domain.match.state import AnyMatch
from service.matches.errors import PositionLost
from service.matches.repository import FOLD_ERRORS


@contextmanager
def errors_as_lost_position(match: AnyMatch) -> Iterator[None]:
    """Raise PositionLost if the rules fail on a position because it needs the component data of its beginning.

    Other errors of a game are faults, and stay what they are.
    """
    try:
        yield
    except FOLD_ERRORS as error:
        if match.has_changed_components:
            raise PositionLost(match.id) from error
        raise
