"""Fixtures: projections on an otherwise empty server."""

import pytest
from redis import Redis

from tests.projections import Projections


@pytest.fixture
def projections(redis: Redis) -> Projections:
    """Projections without any match."""
    return Projections(redis)
