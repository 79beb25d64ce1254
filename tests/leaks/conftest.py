"""Fixtures for the tests with two worlds."""

from collections.abc import Iterator

import pytest

from service.event_store.embedded import EmbeddedServer
from tests.leaks.stacks import WorldService


@pytest.fixture(scope="module")
def two_services(server: EmbeddedServer) -> Iterator[tuple[WorldService, WorldService]]:
    """Two identical services on the shared server."""
    both = WorldService(server, 0), WorldService(server, 1)
    yield both
    for service in both:
        service.redis.flushall()
        service.services.runtime.redis.close()
