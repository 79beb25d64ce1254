"""The application on a real log, empty at the start of every test."""

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta

import pytest
from flask import Flask
from redis import Redis

from service.log.embedded import EmbeddedServer
from service.services import Services, build
from service.settings import Settings
from service.wsgi import create_app
from tests.builders import EPOCH
from workers.projector import Projector
from workers.ratings import Rater


class StandingClock:
    """A clock that stands still until it is pushed."""

    def __init__(self) -> None:
        self.time = EPOCH

    def now(self) -> datetime:
        """The time."""
        return self.time

    def push(self, seconds: float) -> None:
        """Let time pass."""
        self.time += timedelta(seconds=seconds)


@pytest.fixture
def clock() -> StandingClock:
    return StandingClock()


@pytest.fixture
def services(redis: Redis, server: EmbeddedServer, clock: StandingClock) -> Iterator[Services]:
    """The services on the shared server, which is empty."""
    built = build(Settings(log_url=server.url()), clock)
    yield built
    built.redis.close()


@pytest.fixture
def app(services: Services) -> Flask:
    """The application, pages included."""
    return create_app(services)


@pytest.fixture
def project(services: Services) -> Callable[[], None]:
    """Brings the projections and the ratings up to date, as the dispatcher does."""

    def catch_up() -> None:
        Projector(services.log, services.projections, services.archive.holds).catch_up()
        Rater(services.projections, services.ratings).catch_up()

    return catch_up
