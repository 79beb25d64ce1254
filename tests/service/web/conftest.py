"""Readers of the pages, and what the dispatcher would do for them."""

from collections.abc import Callable

import pytest
from flask import Flask
from redis import Redis

from service.services import Services
from tests.service.web.visitors import Visitor
from workers.projector import Projector
from workers.ratings import Rater


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
