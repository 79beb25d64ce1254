"""The application on a real log. It is built once; the log is empty at the start of every test."""

from collections.abc import Callable, Iterator

import pytest
from flask import Flask
from redis import Redis

from service.log.embedded import EmbeddedServer
from service.services import Services, build
from service.settings import Settings
from service.wsgi import create_app
from tests.service.web.visitors import Visitor
from workers.projector import Projector
from workers.ratings import Rater


@pytest.fixture(scope="session")
def lasting_services(server: EmbeddedServer) -> Iterator[Services]:
    built = build(Settings(log_url=server.url()))
    yield built
    built.redis.close()


@pytest.fixture(scope="session")
def lasting_app(lasting_services: Services) -> Flask:
    return create_app(lasting_services)


@pytest.fixture
def services(lasting_services: Services, redis: Redis) -> Services:
    """The services on a log that is empty."""
    return lasting_services


@pytest.fixture
def app(lasting_app: Flask, redis: Redis) -> Flask:
    """The application on a log that is empty."""
    return lasting_app


@pytest.fixture
def ann(app: Flask) -> Visitor:
    return Visitor(app)


@pytest.fixture
def bob(app: Flask) -> Visitor:
    return Visitor(app)


@pytest.fixture
def project(services: Services) -> Callable[[], None]:
    """Brings the projections and the ratings up to date, as the dispatcher does."""

    def catch_up() -> None:
        Projector(services.log, services.projections, services.archive.holds).catch_up()
        Rater(services.projections, services.ratings).catch_up()

    return catch_up
