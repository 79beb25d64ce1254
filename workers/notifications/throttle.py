"""How often one match may be told of to one player: what others bring about must not flood a mailbox, or a server.

Counted from the record of what was told, so there is nothing else to keep. A turn mostly comes from a move of one's own
and has more room than all that others can cause as often as they like: questions asked and withdrawn, disputes heard.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import NamedTuple

from domain.match.state import AnyMatch, NoticeKind
from service.notifications.outbox import Channel, Delivery, DeliveryRecord, parse_delivery_name


class ThrottleRule(NamedTuple):
    """So many deliveries of a kind within an hour; from then on one each so often."""

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
"""Kinds of which one delivery tells all: that there are new ones, and how the match stands."""


def allowed_at(delivery: Delivery, told: Mapping[str, DeliveryRecord | None], now: datetime) -> datetime:
    """When a delivery may be made, by what the people of its match were told: `now`, or later."""
    pace = (TURN_RULES if delivery.kind == "turn" else OTHER_RULES)[delivery.channel]
    made = {each.message: each.at for name, each in told.items() if each and is_same_series(delivery, name)}
    lately = [at for message, at in made.items() if message != delivery.id and now - HOUR < at <= now]
    return now if len(lately) < pace.hourly_allowance else max(now, max(lately) + pace.interval_after)


def coalesced_deliveries(
    delivery: Delivery, told: Mapping[str, DeliveryRecord | None], match: AnyMatch
) -> list[Delivery]:
    """The deliveries that need not be made beside this one, since it tells of them as well."""
    plies = [each.ply for each in match.notices if (each.kind, each.player) == (delivery.kind, delivery.player)]
    others = [delivery._replace(ply=ply) for ply in plies if delivery.kind in COALESCED_KINDS and ply != delivery.ply]
    return [other for other in others if other.name not in told]


def is_same_series(delivery: Delivery, name: str) -> bool:
    """Whether the name is that of a delivery of the same kind, by the same channel, to the same player."""
    return parse_delivery_name(delivery.match, name)._replace(ply=delivery.ply) == delivery
