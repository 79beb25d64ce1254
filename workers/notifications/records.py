"""Records the outcome of a delivery that was sent."""

from service.event_store.errors import REDIS_ERRORS, LogUnavailable
from service.notifications.outbox import Delivery, DeliveryRecord, Outbox
from workers.notifications.retries import write_through_outage


class NotRecorded(LogUnavailable):
    """A delivery was sent, but the log server was down for so long that this could not be recorded."""


def record_outcome(outbox: Outbox, delivery: Delivery, record: DeliveryRecord) -> None:
    """Record a delivery that was sent or given up, also through a short outage. Raises NotRecorded."""
    try:
        write_through_outage(lambda: outbox.record(delivery, record))
    except REDIS_ERRORS:
        raise NotRecorded("A delivery was made, but the log server is down, so it will be made again.") from None
