"""Projections on a server that is otherwise empty."""

import pytest
from redis import Redis

from tests.projections import Projections


@pytest.fixture
def projections(redis: Redis) -> Projections:
    """Nothing is known of any match."""
    return Projections(redis)
