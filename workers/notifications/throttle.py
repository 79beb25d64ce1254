"""Rate limits for notifications to one player about one match, so that others can't flood a mailbox or a server.

Counts the recorded deliveries, so it keeps no data of its own. Turns have a higher limit, since they mostly follow the
player's own moves. Other players can cause any number of the rest, for example undo requests and disputes.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import NamedTuple

from domain.match.state import AnyMatch, NoticeKind
from service.notifications.outbox import Channel, Delivery, DeliveryRecord, parse_delivery_name


class ThrottleRule(NamedTuple):
    """A number of deliveries of a kind per hour, and the minimum interval between further ones."""

    hourly_allowance: int
    interval_after: timedelta


HOUR = timedelta(hours=1)
TURN_RULES: dict[Channel, ThrottleRule] = {
    "mail": ThrottleRule(12, timedelta(minutes=10)),
    "webhook": ThrottleRule(200, timedelta(minutes=1)),
}
OTHER_RULES: dict[Channel, ThrottleRule] = {
    "mail": ThrottleRule(3, timedelta(minutes=10)),
    "webhook": ThrottleRule(10, timedelta(minutes=1)),
}
COALESCED_KINDS: frozenset[NoticeKind] = frozenset({"verdict", "ruling"})
"""Kinds for which one delivery covers all others: it reports that there are new ones and the state of the match."""


def allowed_at(delivery: Delivery, recorded: Mapping[str, DeliveryRecord | None], now: datetime) -> datetime:
    """Return when a delivery may be made according to the deliveries made so far: `now`, or later."""
    pace = (TURN_RULES if delivery.kind == "turn" else OTHER_RULES)[delivery.channel]
    made = {each.message: each.at for name, each in recorded.items() if each and is_same_series(delivery, name)}
    lately = [at for message, at in made.items() if message != delivery.id and now - HOUR < at <= now]
    return now if len(lately) < pace.hourly_allowance else max(now, max(lately) + pace.interval_after)


def coalesced_deliveries(
    delivery: Delivery, recorded: Mapping[str, DeliveryRecord | None], match: AnyMatch
) -> list[Delivery]:
    """Return the other deliveries that this one covers."""
    plies = [each.ply for each in match.notices if (each.kind, each.player) == (delivery.kind, delivery.player)]
    others = [delivery._replace(ply=ply) for ply in plies if delivery.kind in COALESCED_KINDS and ply != delivery.ply]
    return [other for other in others if other.name not in recorded]


def is_same_series(delivery: Delivery, name: str) -> bool:
    """Return whether the name denotes a delivery of the same kind, through the same channel, to the same player."""
    return parse_delivery_name(delivery.match, name)._replace(ply=delivery.ply) == delivery
