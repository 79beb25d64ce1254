"""Fixtures: the application on a real log, built once per session. The log is empty at the start of every test."""

from collections.abc import Iterator

import pytest
from flask import Flask
from redis import Redis

from service.bootstrap import Services, build_services
from service.event_store.embedded import EmbeddedServer
from service.runtime.settings import Settings
from service.wsgi import create_app
from tests.service.audience import Audience


@pytest.fixture(scope="session")
def lasting_services(server: EmbeddedServer) -> Iterator[Services]:
    built = build_services(Settings(log_url=server.url()))
    yield built
    built.runtime.redis.close()


@pytest.fixture(scope="session")
def lasting_app(lasting_services: Services) -> Flask:
    return create_app(lasting_services)


@pytest.fixture
def world(lasting_app: Flask, lasting_services: Services, redis: Redis) -> Audience:
    """Return all kinds of callers, with their matches on an otherwise empty log."""
    return Audience(lasting_app, lasting_services)
