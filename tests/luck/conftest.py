"""The whole service with a real log, a clock that tests advance, and projections that they update."""

from tests.service.api.conftest import app, clock, lasting_clock, project, services, timed_app, timed_services

__all__ = ["app", "clock", "lasting_clock", "project", "services", "timed_app", "timed_services"]
