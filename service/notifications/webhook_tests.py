"""Test calls of a player's webhook."""

import secrets
from datetime import timedelta

from service.notifications.one_off_tasks import OneOffTask, OneOffTasks
from service.notifications.preferences import NotificationPreferences
from service.runtime.clock import Clock
from service.runtime.rate_limits import RateLimiter

TEST_LIFETIME = timedelta(minutes=10)
"""Drop a test call that has not been made within this time."""


class WebhookTests:
    """Schedules test calls of webhooks, which a worker makes."""

    def __init__(
        self, preferences: NotificationPreferences, tasks: OneOffTasks, limiter: RateLimiter, clock: Clock
    ) -> None:
        self._preferences = preferences
        self._tasks = tasks
        self._limiter = limiter
        self._clock = clock

    def enqueue(self, player: str) -> bool:
        """Enqueue a test call of a player's webhook. Return False if the player has none. Raises LimitExceeded."""
        if self._preferences.get(player).webhook is None:
            return False
        self._limiter.count_webhook_test_of(player)
        until = self._clock.now() + TEST_LIFETIME
        self._tasks.enqueue(OneOffTask(id=secrets.token_hex(16), what="test", until=until, player=player))
        return True
