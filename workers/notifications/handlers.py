"""The jobs that notify players. Each may run twice, late, or for nothing."""

from service.notifications.outbox import parse_delivery_name
from workers.jobs.handlers import job
from workers.notifications.daily_digest import DailyDigest
from workers.notifications.delivery import Deliverer
from workers.notifications.mail import MailComposer, MailDelivery
from workers.notifications.one_off_tasks import OneOffTaskRunner
from workers.notifications.webhook_delivery import WebhookDelivery
from workers.processes.lifecycle import get_services


@job
def tell(match: str, name: str) -> None:
    """Make one delivery."""
    services = get_services()
    composer = MailComposer(services.players, services.preferences, services.settings, services.clock)
    deliverer = Deliverer(
        services.outbox,
        services.preferences,
        services.matches,
        services.clock,
        MailDelivery(
            services.outbox,
            services.preferences,
            services.matches,
            composer,
            services.clock,
            services.settings.smtp_url,
        ),
        WebhookDelivery(services.outbox, services.preferences, services.settings, services.clock),
    )
    deliverer.deliver(parse_delivery_name(match, name))


@job
def daily(player: str) -> None:
    """Send the daily mail that is due to a player."""
    services = get_services()
    composer = MailComposer(services.players, services.preferences, services.settings, services.clock)
    digest = DailyDigest(
        services.outbox,
        services.preferences,
        services.matches,
        composer,
        services.clock,
        services.settings.smtp_url,
    )
    digest.deliver(player)


@job
def errand(id: str) -> None:
    """Do one one-off task."""
    services = get_services()
    runner = OneOffTaskRunner(
        services.one_off_tasks,
        services.preferences,
        services.players,
        services.magic_links,
        services.settings,
        services.clock,
    )
    runner.run(id)
