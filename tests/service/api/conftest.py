"""The application with a real log. It is built once; every test starts with an empty log and the initial time."""

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta

import pytest
from flask import Flask
from redis import Redis

from service.bootstrap import Services, build_services
from service.event_store.embedded import EmbeddedServer
from service.runtime.settings import Settings
from service.wsgi import create_app
from tests.builders import EPOCH
from workers.projection.projector import Projector
from workers.projection.ratings import Rater


class ManualClock:
    """A clock that only moves when a test advances it."""

    def __init__(self) -> None:
        self.time = EPOCH

    def now(self) -> datetime:
        """Return the time."""
        return self.time

    def advance(self, seconds: float) -> None:
        """Advance the time."""
        self.time += timedelta(seconds=seconds)


@pytest.fixture(scope="session")
def lasting_clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def clock(lasting_clock: ManualClock) -> ManualClock:
    """Return the clock of the services, set to its initial time."""
    lasting_clock.time = EPOCH
    return lasting_clock


@pytest.fixture(scope="session")
def timed_services(server: EmbeddedServer, lasting_clock: ManualClock) -> Iterator[Services]:
    services = build_services(Settings(log_url=server.url()), lasting_clock)
    yield services
    services.runtime.redis.close()


@pytest.fixture(scope="session")
def timed_app(timed_services: Services) -> Flask:
    return create_app(timed_services)


@pytest.fixture
def services(timed_services: Services, redis: Redis, clock: ManualClock) -> Services:
    """Return the services with an empty log."""
    return timed_services


@pytest.fixture
def app(timed_app: Flask, services: Services) -> Flask:
    """Return the application, including pages, with an empty log."""
    return timed_app


@pytest.fixture
def project(services: Services) -> Callable[[], None]:
    """Return a function that updates the projections and ratings, as the dispatcher does."""

    def catch_up() -> None:
        Projector(
            services.log, services.read_models.writer, services.read_models.progress, services.matches.imported.contains
        ).catch_up()
        models = services.read_models
        Rater(models.results, models.ratings, models.rating_trust.current).catch_up()

    return catch_up
