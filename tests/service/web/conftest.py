"""Fixtures for page tests: visitors, services, and projections as the dispatcher runs them."""

from collections.abc import Callable, Iterator

import pytest
from flask import Flask
from redis import Redis

from service.bootstrap import Services, build_services
from service.event_store.embedded import EmbeddedServer
from service.runtime.settings import Settings
from service.wsgi import create_app
from tests.service.event_store.proxy import Proxy
from tests.service.web.visitors import Visitor
from workers.projection.projector import Projector
from workers.projection.ratings import Rater


@pytest.fixture
def services(lasting_services: Services, redis: Redis) -> Services:
    """The services on an empty log."""
    return lasting_services


@pytest.fixture
def app(lasting_app: Flask, redis: Redis) -> Flask:
    """The application on an empty log."""
    return lasting_app


@pytest.fixture
def ann(app: Flask) -> Visitor:
    return Visitor(app)


@pytest.fixture
def bob(app: Flask) -> Visitor:
    return Visitor(app)


@pytest.fixture
def project(services: Services) -> Callable[[], None]:
    """A function that updates projections and ratings as the dispatcher does."""

    def catch_up() -> None:
        Projector(
            services.log, services.read_models.writer, services.read_models.progress, services.matches.imported.contains
        ).catch_up()
        models = services.read_models
        Rater(models.results, models.ratings, models.rating_trust.current).catch_up()

    return catch_up


@pytest.fixture
def proxy(server: EmbeddedServer, redis: Redis) -> Iterator[Proxy]:
    """A network proxy in front of an empty log."""
    with Proxy(str(server.socket_path)) as proxy:
        yield proxy


@pytest.fixture
def far(proxy: Proxy, services: Services) -> Iterator[Flask]:
    """Another instance of the application that reaches its log through the proxy."""
    services.runtime.redis.set("ct:secret", services.runtime.secret)
    built = build_services(Settings(log_url=proxy.url))
    yield create_app(built)
    built.runtime.redis.close()
