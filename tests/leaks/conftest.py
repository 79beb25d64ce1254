"""What every test of two worlds begins with."""

from collections.abc import Iterator

import pytest

from service.event_store.embedded import EmbeddedServer
from tests.leaks.stacks import House


@pytest.fixture(scope="module")
def houses(server: EmbeddedServer) -> Iterator[tuple[House, House]]:
    """Two services on the shared server, alike to the byte."""
    both = House(server, 0), House(server, 1)
    yield both
    for house in both:
        house.redis.flushall()
        house.services.redis.close()
