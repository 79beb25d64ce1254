"""The notification jobs. Each may run twice, late, or with nothing to do."""

from service.notifications.outbox import parse_delivery_name
from workers.bootstrap import get_services
from workers.handlers.matches import job
from workers.notifications.daily_digest import DailyDigest
from workers.notifications.delivery import Deliverer
from workers.notifications.mail import MailComposer, MailDelivery
from workers.notifications.one_off_tasks import OneOffTaskRunner
from workers.notifications.webhook_delivery import WebhookDelivery


@job
def tell(match: str, name: str) -> None:
    """Make one delivery."""
    services = get_services()
    notifications, runtime = services.notifications, services.runtime
    composer = MailComposer(services.accounts.players, notifications.preferences, runtime.settings, runtime.clock)
    deliverer = Deliverer(
        notifications.outbox,
        notifications.preferences,
        services.matches.repository,
        runtime.clock,
        MailDelivery(
            notifications.outbox,
            notifications.preferences,
            services.matches.repository,
            composer,
            runtime.clock,
            runtime.settings.smtp_url,
        ),
        WebhookDelivery(notifications.outbox, notifications.preferences, runtime.settings, runtime.clock),
    )
    deliverer.deliver(parse_delivery_name(match, name))


@job
def daily(player: str) -> None:
    """Send a player's daily digest."""
    services = get_services()
    notifications, runtime = services.notifications, services.runtime
    composer = MailComposer(services.accounts.players, notifications.preferences, runtime.settings, runtime.clock)
    digest = DailyDigest(
        notifications.outbox,
        notifications.preferences,
        services.matches.repository,
        composer,
        runtime.clock,
        runtime.settings.smtp_url,
    )
    digest.deliver(player)


@job
def errand(id: str) -> None:
    """Run a one-off task."""
    services = get_services()
    runner = OneOffTaskRunner(
        services.notifications.one_off_tasks,
        services.notifications.preferences,
        services.accounts.players,
        services.accounts.magic_links,
        services.runtime.settings,
        services.runtime.clock,
    )
    runner.run(id)
