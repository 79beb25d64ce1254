"""What every test of two worlds begins with."""

from collections.abc import Iterator

import pytest

from service.event_store.embedded import EmbeddedServer
from tests.leaks.stacks import WorldService


@pytest.fixture(scope="module")
def houses(server: EmbeddedServer) -> Iterator[tuple[WorldService, WorldService]]:
    """Two services on the shared server, alike to the byte."""
    both = WorldService(server, 0), WorldService(server, 1)
    yield both
    for house in both:
        house.redis.flushall()
        house.services.runtime.redis.close()
