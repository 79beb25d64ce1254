"""How often one match may be told of to one player: what others bring about must not flood a mailbox, or a server.

Counted from the record of what was told, so there is nothing else to keep. A turn mostly comes from a move of one's own
and has more room than all that others can cause as often as they like: questions asked and withdrawn, disputes heard.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import NamedTuple

from domain.match.match import AnyMatch
from domain.match.notices import Kind
from service.notifications.outbox import Channel, Delivery, Told, read_name


class Pace(NamedTuple):
    """So many deliveries of a kind within an hour; from then on one each so often."""

    freely: int
    then_each: timedelta


HOUR = timedelta(hours=1)
TURNS: dict[Channel, Pace] = {
    "mail": Pace(12, timedelta(minutes=10)),
    "webhook": Pace(200, timedelta(minutes=1)),
}
OTHERS: dict[Channel, Pace] = {
    "mail": Pace(3, timedelta(minutes=10)),
    "webhook": Pace(10, timedelta(minutes=1)),
}
GATHERED: frozenset[Kind] = frozenset({"verdict", "ruling"})
"""Kinds of which one delivery tells all: that there are new ones, and how the match stands."""


def free_at(delivery: Delivery, told: Mapping[str, Told | None], now: datetime) -> datetime:
    """When a delivery may be made, by what the people of its match were told: `now`, or later."""
    pace = (TURNS if delivery.kind == "turn" else OTHERS)[delivery.channel]
    made = {each.message: each.at for name, each in told.items() if each and is_alike(delivery, name)}
    lately = [at for message, at in made.items() if message != delivery.id and now - HOUR < at <= now]
    return now if len(lately) < pace.freely else max(now, max(lately) + pace.then_each)


def gathered(delivery: Delivery, told: Mapping[str, Told | None], match: AnyMatch) -> list[Delivery]:
    """The deliveries that need not be made beside this one, since it tells of them as well."""
    plies = [each.ply for each in match.notices if (each.kind, each.player) == (delivery.kind, delivery.player)]
    others = [delivery._replace(ply=ply) for ply in plies if delivery.kind in GATHERED and ply != delivery.ply]
    return [other for other in others if other.name not in told]


def is_alike(delivery: Delivery, name: str) -> bool:
    """Whether the name is that of a delivery of the same kind, by the same channel, to the same player."""
    return read_name(delivery.match, name)._replace(ply=delivery.ply) == delivery
