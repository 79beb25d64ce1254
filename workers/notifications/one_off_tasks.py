"""One-off tasks: an email with a magic link, or a test call of a webhook."""

import logging
from datetime import timedelta

from service.accounts.magic_links import MagicLinks
from service.accounts.players import Players
from service.notifications.email_templates import build_message, sign_in_email
from service.notifications.one_off_tasks import OneOffTask, OneOffTasks
from service.notifications.preferences import NotificationPreferences
from service.runtime.clock import Clock
from service.runtime.settings import Settings
from workers.notifications.retries import TASK_RETRY_SECONDS
from workers.notifications.smtp import MailDelayed, MailRefused, send_mail, smtp_connection
from workers.notifications.webhooks import WebhookFailed, call_webhook

logger = logging.getLogger("workers")


class OneOffTaskRunner:
    """Runs one-off tasks."""

    def __init__(
        self,
        tasks: OneOffTasks,
        preferences: NotificationPreferences,
        players: Players,
        magic_links: MagicLinks,
        settings: Settings,
        clock: Clock,
    ) -> None:
        self._tasks = tasks
        self._preferences = preferences
        self._players = players
        self._magic_links = magic_links
        self._settings = settings
        self._clock = clock

    def run(self, id: str) -> None:
        """Run a task, unless it is done, has expired, or another worker has claimed it."""
        task = self._tasks.claim(id)
        if task is None:
            return
        if task.what == "test":
            self._test_webhook(task)
        else:
            self._send_sign_in_link(task)

    def _send_sign_in_link(self, task: OneOffTask) -> None:
        """Send an email with a magic link. Retries until the link expires."""
        assert task.address is not None, "a sign-in task has an address"
        if self._settings.smtp_url is None:
            self._tasks.complete(task.id)
            return
        owner = self._preferences.address_owner(task.address)
        guest = self._players.find(owner or task.player or "")
        link = f"{self._settings.public_url}/sign-in/{self._magic_links.token_of(task.id)}"
        email = sign_in_email(task.id, link, guest.name if guest else None, known=owner is not None)
        try:
            with smtp_connection(self._settings.smtp_url) as smtp:
                send_mail(smtp, build_message(email, task.address, self._settings, self._clock.now()))
                self._tasks.complete(task.id)
        except MailRefused as refusal:
            logger.warning("A sign-in link was not sent: %s.", refusal)
            self._tasks.complete(task.id)
        except MailDelayed as delay:
            logger.warning("A sign-in link is delayed: %s.", delay)
            pause = TASK_RETRY_SECONDS[min(task.tries, len(TASK_RETRY_SECONDS) - 1)]
            self._tasks.postpone(task, self._clock.now() + timedelta(seconds=pause))

    def _test_webhook(self, task: OneOffTask) -> None:
        """Call a webhook once, so that its owner can see whether it works."""
        player, now = task.player or "", self._clock.now()
        hook = self._preferences.get(player).webhook
        if hook is not None:
            try:
                payload = {"type": "test", "timestamp": now, "data": {"player": player}}
                status = call_webhook(hook, task.id, payload, now, self._settings.hook_loopback)
                self._preferences.record_outcome(player, "test", f"Your server responded with {status}.", well=True)
            except WebhookFailed as failure:
                self._preferences.record_outcome(player, "test", str(failure), well=False)
        self._tasks.complete(task.id)
