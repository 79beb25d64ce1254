"""Checks whether a notice is still current before its delivery."""

from datetime import datetime

from msgspec import UNSET

from domain.kernel.events import Cancelled, Expired, Moved
from domain.match.clock import deadlines
from domain.match.state import AnyMatch
from service.event_store.errors import MatchNotFound
from service.matches.repository import MatchRepository
from service.notifications.outbox import Delivery
from service.notifications.preferences import Contact


def load_head(matches: MatchRepository, match: str) -> AnyMatch | None:
    """Return the match at its head, or None if it does not exist."""
    try:
        return matches.load(match)
    except MatchNotFound:
        return None


def notice_since(match: AnyMatch | None, delivery: Delivery) -> datetime | None:
    """Return when the notice was raised. None: it is obsolete and will never be current again."""
    identity = (delivery.kind, delivery.ply, delivery.player)
    notices = match.notices if match else ()
    return next((each.at for each in notices if (each.kind, each.ply, each.player) == identity), None)


def awaits_expiry(match: AnyMatch, delivery: Delivery, now: datetime) -> bool:
    """Return whether a deadline of the match has passed and its expiry, not yet in the log, may end this turn.

    The turn may also continue, since the deadline may be another seat's.
    """
    return delivery.kind == "turn" and any(end <= now for end, _ in deadlines(match))


def wants_daily_mail(contact: Contact, delivery: Delivery) -> bool:
    """Return whether the delivery belongs in a daily digest."""
    return delivery.channel == "mail" and contact.mail_preferences.mail == "daily"


def is_caused_by_player(matches: MatchRepository, match: AnyMatch, delivery: Delivery) -> bool:
    """Return whether this is an email about the end of a match that the player has just brought about."""
    if (delivery.channel, delivery.kind) != ("mail", "over"):
        return False
    events = [event for event in matches.visible_events(match, None, delivery.ply - 3) if event.ply <= delivery.ply]
    if isinstance(events[-1], Cancelled):
        return events[-1].reason is UNSET and match.creator == delivery.player
    moved = events[-2] if len(events) > 1 else None
    if not isinstance(moved, Moved) or moved.seat is None or match.seats[moved.seat].player != delivery.player:
        return False
    late = any(isinstance(event, Expired) and event.seat == moved.seat for event in events[:-2])
    return not late and matches.at_ply(match.id, moved.ply - 1).seats[moved.seat].acting_bot_level is None
