"""Telling people: the jobs that send a mail or call a webhook, each once, and never about what has passed.

Every job first claims its delivery, then looks at the head of the log once more, sends, and records. Should it be
killed between the mail server's answer and the record, the same mail goes out again, with the same Message-ID.
"""

import logging
from datetime import datetime, timedelta
from email.message import EmailMessage
from typing import Any

from msgspec import UNSET

from domain.kernel.events import Cancelled, Expired, Moved
from domain.match.clock import deadlines
from domain.match.state import AnyMatch
from service.bootstrap import Services
from service.event_store.errors import MatchNotFound
from service.notifications.email_templates import (
    Email,
    build_message,
    digest_email,
    match_url,
    notice_email,
    sign_in_email,
)
from service.notifications.one_off_tasks import OneOffTask
from service.notifications.outbox import (
    MAX_POSTPONEMENT,
    Delivery,
    DeliveryRecord,
    FailedAttempts,
    outbox_member,
    parse_delivery_name,
    parse_outbox_member,
    to_milliseconds,
)
from service.notifications.preferences import Contact, SentDigest, Webhook, due_at, last_local_hour, next_local_hour
from workers.jobs.handlers import job
from workers.notifications.smtp import MailDelayed, MailRefused, send_mail, smtp_connection
from workers.notifications.throttle import allowed_at, coalesced_deliveries
from workers.notifications.webhooks import WebhookFailed, call_webhook
from workers.processes.lifecycle import get_services

logger = logging.getLogger("workers")

MINUTE, HOUR = 60, 3600
MAIL_RETRY_SECONDS = (MINUTE, 2 * MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR)
"""Seconds before a mail that the mail server did not take is tried again; the last one again and again."""
WEBHOOK_RETRY_SECONDS = (10, MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR)
"""The same for a webhook; behind the last one it is given up."""
TASK_RETRY_SECONDS = (5, 15, 60)
MAX_DAILY_NOTICES = 100
"""How many notices one daily mail tells; the others come with the next."""


EXPIRY_WAIT = timedelta(seconds=5)
"""For how long a turn is put off whose match waits for an expiry to be appended."""


@job
def tell(match: str, name: str) -> None:
    """Make one delivery. When it was made, or its notice has passed, there is nothing to do."""
    parts, delivery = get_services(), parse_delivery_name(match, name)
    if not parts.outbox.claim(delivery):
        return
    head, contact = load_head(parts, match), parts.preferences.get(delivery.player)
    since = notice_since(head, delivery)
    if head is None or since is None:
        parts.outbox.drop(delivery)
        return
    now = parts.clock.now()
    due = due_at(contact, delivery.channel, delivery.kind, since, now)
    if awaits_expiry(head, delivery, now):
        parts.outbox.postpone(delivery, now + EXPIRY_WAIT)
    elif due is None or is_own_doing(parts, head, delivery):
        parts.outbox.mark_not_needed([delivery])
    elif due > now or wants_daily_mail(contact, delivery):
        parts.outbox.postpone(delivery, min(max(due, now), now + MAX_POSTPONEMENT))
    else:
        deliver_or_throttle(parts, delivery, contact, head)


def deliver_or_throttle(parts: Services, delivery: Delivery, contact: Contact, head: AnyMatch) -> None:
    """Make a delivery that is due, unless the player was told so much of the match lately that it has to wait.

    What it tells of as well leaves the agenda first: should this fail, it alone is tried again.
    """
    now, told = parts.clock.now(), parts.outbox.records(head.id)
    if (free := allowed_at(delivery, told, now)) > now:
        parts.outbox.postpone(delivery, free)
        return
    for other in coalesced_deliveries(delivery, told, head):
        parts.outbox.record(other, DeliveryRecord(now, "told with another one", delivery.id))
    if delivery.channel == "mail":
        deliver_by_mail(parts, delivery, contact)
    else:
        deliver_by_webhook(parts, delivery, contact, head)


def load_head(parts: Services, match: str) -> AnyMatch | None:
    """The match at its head, None where there is none."""
    try:
        return parts.matches.load(match)
    except MatchNotFound:
        return None


def awaits_expiry(match: AnyMatch, delivery: Delivery, now: datetime) -> bool:
    """Whether a turn may pass with an expiry that is due and is not in the log yet; nothing else can come before it.

    It need not pass: the time that is up may be another seat's.
    """
    return delivery.kind == "turn" and any(end <= now for end, _ in deadlines(match))


def notice_since(match: AnyMatch | None, delivery: Delivery) -> datetime | None:
    """Since when the notice of a delivery stands in the match; None when it has passed, and will never come again."""
    wanted = (delivery.kind, delivery.ply, delivery.player)
    notices = match.notices if match else ()
    return next((each.at for each in notices if (each.kind, each.ply, each.player) == wanted), None)


def wants_daily_mail(contact: Contact, delivery: Delivery) -> bool:
    """Whether the delivery belongs into a daily mail."""
    return delivery.channel == "mail" and contact.mail_preferences.mail == "daily"


def is_own_doing(parts: Services, match: AnyMatch, delivery: Delivery) -> bool:
    """Whether a mail would tell somebody of an end that they have just made themselves."""
    if (delivery.channel, delivery.kind) != ("mail", "over"):
        return False
    events = [
        event for event in parts.matches.visible_events(match, None, delivery.ply - 3) if event.ply <= delivery.ply
    ]
    if isinstance(events[-1], Cancelled):
        return events[-1].reason is UNSET and match.creator == delivery.player
    moved = events[-2] if len(events) > 1 else None
    if not isinstance(moved, Moved) or moved.seat is None or match.seats[moved.seat].player != delivery.player:
        return False
    late = any(isinstance(event, Expired) and event.seat == moved.seat for event in events[:-2])
    return not late and parts.matches.at_ply(match.id, moved.ply - 1).seats[moved.seat].acting_bot_level is None


# -- by mail ------------------------------------------------------------------------------------------------------


def deliver_by_mail(parts: Services, delivery: Delivery, contact: Contact) -> None:
    """Send the mail about one notice, if it still stands when the mail server listens."""
    if contact.address is None or parts.settings.smtp_url is None:
        parts.outbox.postpone(delivery, parts.clock.now() + MAX_POSTPONEMENT)
        return
    try:
        with smtp_connection(parts.settings.smtp_url) as smtp:
            head = load_head(parts, delivery.match)
            if head is None or notice_since(head, delivery) is None:
                parts.outbox.drop(delivery)
                return
            if awaits_expiry(head, delivery, parts.clock.now()):
                parts.outbox.postpone(delivery, parts.clock.now() + EXPIRY_WAIT)
                return
            send_mail(smtp, build_notice_mail(parts, head, delivery, contact))
            parts.outbox.record(delivery, DeliveryRecord(parts.clock.now(), "sent", delivery.id))
    except MailRefused as refusal:
        parts.outbox.record(delivery, DeliveryRecord(parts.clock.now(), str(refusal), delivery.id))
        parts.preferences.record_outcome(delivery.player, "mail", f"Not sent: {refusal}.", well=False)
        return
    except MailDelayed as delay:
        retry_later(parts, delivery, MAIL_RETRY_SECONDS, str(delay))
        parts.preferences.record_outcome(delivery.player, "mail", f"Put off: {delay}.", well=False)
        return
    parts.preferences.record_outcome(delivery.player, "mail", "Sent.", well=True)


def build_notice_mail(parts: Services, match: AnyMatch, delivery: Delivery, contact: Contact) -> EmailMessage:
    """The mail about one notice."""
    names = parts.players.names({seat.player for seat in match.seats if seat.player})
    letter = notice_email(match, delivery, contact, names, parts.settings, unsubscribe_url(parts, contact.player))
    return address_mail(parts, letter, contact)


def address_mail(parts: Services, letter: Email, contact: Contact) -> EmailMessage:
    """A letter to a player."""
    assert contact.address is not None, "asked for before"
    return build_message(letter, contact.address.text, parts.settings, parts.clock.now())


def unsubscribe_url(parts: Services, player: str) -> str:
    """The URL by which a player gets no more mail."""
    return f"{parts.settings.public_url}/unsubscribe/{player}/{parts.preferences.unsubscribe_code(player)}"


def retry_later(parts: Services, delivery: Delivery, pauses: tuple[int, ...], outcome: str) -> None:
    """It failed: try again behind the next pause, or behind the last one for ever."""
    count = parts.outbox.failed_attempts(delivery) + 1
    pause = timedelta(seconds=pauses[min(count, len(pauses)) - 1])
    parts.outbox.postpone(delivery, parts.clock.now() + pause, FailedAttempts(count, outcome))


# -- by a daily mail ----------------------------------------------------------------------------------------------


@job
def daily(player: str) -> None:
    """Send the daily mail that is due, if there is anything to tell."""
    parts = get_services()
    if not parts.preferences.claim_digest(player):
        return
    try:
        send_daily_mail(parts, parts.preferences.get(player))
    finally:
        parts.preferences.release_digest(player)


def send_daily_mail(parts: Services, contact: Contact) -> None:
    """One mail with all that waits; what it told, and what has passed, leaves the agenda."""
    player, names = contact.player, parts.preferences.pending_digest(contact.player)
    if contact.mail_preferences.mail != "daily" or contact.address is None or parts.settings.smtp_url is None:
        parts.preferences.remove_from_digest(player, names)  # the agenda still has them, under other wishes now
        return
    now, zone = parts.clock.now(), contact.mail_preferences.timezone
    slot = to_milliseconds(last_local_hour(now, contact.mail_preferences.hour, zone))
    last = parts.preferences.last_digest(player)
    if last and last.slot >= slot:
        record_daily_mail(parts, player, [name for name in names if name in last.names])
        postpone_until(
            parts,
            [name for name in names if name not in last.names],
            next_local_hour(now, contact.mail_preferences.hour, zone),
        )
        return
    told = select_for_daily_mail(parts, contact, names)
    if not told:
        return
    try:
        with smtp_connection(parts.settings.smtp_url) as smtp:
            send_mail(smtp, address_mail(parts, build_daily_mail(parts, told, contact, slot), contact))
            parts.preferences.record_digest(player, SentDigest(slot, tuple(outbox_member(one) for _, one in told)))
    except MailDelayed as delay:
        for _, delivery in told:
            retry_later(parts, delivery, MAIL_RETRY_SECONDS, str(delay))
        parts.preferences.record_outcome(player, "mail", f"Put off: {delay}.", well=False)
        return
    except MailRefused as refusal:
        parts.preferences.record_outcome(player, "mail", f"Not sent: {refusal}.", well=False)
    else:
        parts.preferences.record_outcome(player, "mail", "Sent.", well=True)
    record_daily_mail(parts, player, [outbox_member(one) for _, one in told])


def select_for_daily_mail(parts: Services, contact: Contact, names: list[str]) -> list[tuple[AnyMatch, Delivery]]:
    """What is to be told now of what was put aside; the others are let go or left."""
    told: list[tuple[AnyMatch, Delivery]] = []
    for name in names:
        delivery = parse_outbox_member(name)
        if parts.outbox.is_recorded(delivery):  # the sweep that put it aside had read the agenda before that
            parts.outbox.drop(delivery)
            parts.preferences.remove_from_digest(contact.player, [name])
            continue
        head = load_head(parts, delivery.match)
        since = notice_since(head, delivery)
        due = due_at(contact, "mail", delivery.kind, since, parts.clock.now()) if since else None
        if head is None or due is None or is_own_doing(parts, head, delivery):
            parts.outbox.drop(delivery) if since is None else parts.outbox.mark_not_needed([delivery])
            parts.preferences.remove_from_digest(contact.player, [name])
        elif awaits_expiry(head, delivery, parts.clock.now()):
            continue
        elif due <= parts.clock.now() and len(told) < MAX_DAILY_NOTICES:
            told.append((head, delivery))
    return told


def build_daily_mail(parts: Services, told: list[tuple[AnyMatch, Delivery]], contact: Contact, slot: int) -> Email:
    """The daily mail."""
    names = parts.players.names({seat.player for match, _ in told for seat in match.seats if seat.player})
    return digest_email(told, contact, slot, names, parts.settings, unsubscribe_url(parts, contact.player))


def record_daily_mail(parts: Services, player: str, names: list[str]) -> None:
    """A daily mail has told these."""
    for name in names:
        delivery = parse_outbox_member(name)
        parts.outbox.record(delivery, DeliveryRecord(parts.clock.now(), "told in the daily mail", delivery.id))
    parts.preferences.remove_from_digest(player, names)


def postpone_until(parts: Services, names: list[str], until: datetime) -> None:
    """These have come too late for the daily mail that went out."""
    for name in names:
        parts.outbox.postpone(parse_outbox_member(name), until)


# -- by webhook ---------------------------------------------------------------------------------------------------


def deliver_by_webhook(parts: Services, delivery: Delivery, contact: Contact, match: AnyMatch) -> None:
    """Call the player's webhook about one notice."""
    hook, now = contact.webhook, parts.clock.now()
    assert hook is not None, "what is due has a webhook"
    try:
        status = call_webhook(
            hook, delivery.id, webhook_payload(parts, delivery, match, now), now, parts.settings.hook_loopback
        )
    except WebhookFailed as failure:
        handle_webhook_failure(parts, delivery, hook, failure)
        return
    parts.outbox.record(delivery, DeliveryRecord(parts.clock.now(), f"answered {status}", delivery.id))
    parts.preferences.record_outcome(delivery.player, "webhook", f"It answered {status}.", well=True)


def handle_webhook_failure(parts: Services, delivery: Delivery, hook: Webhook, failure: WebhookFailed) -> None:
    """Try again later, or give up: after the last pause, or because the receiver says that it is gone (410)."""
    if not failure.gone and parts.outbox.failed_attempts(delivery) < len(WEBHOOK_RETRY_SECONDS):
        retry_later(parts, delivery, WEBHOOK_RETRY_SECONDS, str(failure))
        parts.preferences.record_outcome(delivery.player, "webhook", f"{failure} It is tried again.", well=False)
        return
    parts.outbox.record(delivery, DeliveryRecord(parts.clock.now(), f"given up: {failure}", delivery.id))
    parts.preferences.record_outcome(delivery.player, "webhook", f"{failure} That notice was given up.", well=False)
    if failure.gone:
        parts.preferences.remove_gone_webhook(delivery.player, hook)


def webhook_payload(parts: Services, delivery: Delivery, match: AnyMatch, at: datetime) -> dict[str, Any]:
    """What a webhook is told; see `docs/notifications.md`. Nothing that is hidden from anybody."""
    mine = match.seats_of(delivery.player)
    deadlines = [match.clocks[seat].deadline for seat in mine] if match.clocks else []
    return {
        "type": f"match.{delivery.kind}",
        "timestamp": at,
        "data": {
            "player": delivery.player,
            "match": match.id,
            "game": match.game,
            "brought_by": delivery.ply,
            "ply": match.ply,
            "status": match.status,
            "seats": mine,
            "to_move": sorted(match.to_move),
            "deadline": min((each for each in deadlines if each), default=None),
            "page": match_url(parts.settings, match.id),
        },
    }


# -- errands ------------------------------------------------------------------------------------------------------


@job
def errand(id: str) -> None:
    """Do one errand. When it is done, or too late, there is nothing to do."""
    parts = get_services()
    found = parts.one_off_tasks.claim(id)
    if found is None:
        return
    if found.what == "test":
        send_test_call(parts, found)
    else:
        send_sign_in_link(parts, found)


def send_sign_in_link(parts: Services, found: OneOffTask) -> None:
    """Send a letter with a link to sign in; as often as it takes while the link is good."""
    assert found.address is not None, "a letter has an address"
    if parts.settings.smtp_url is None:
        parts.one_off_tasks.complete(found.id)
        return
    owner = parts.preferences.address_owner(found.address)
    guest = parts.players.find(owner or found.player or "")
    link = f"{parts.settings.public_url}/sign-in/{parts.magic_links.token_of(found.id)}"
    letter = sign_in_email(found.id, link, guest.name if guest else None, known=owner is not None)
    try:
        with smtp_connection(parts.settings.smtp_url) as smtp:
            send_mail(smtp, build_message(letter, found.address, parts.settings, parts.clock.now()))
            parts.one_off_tasks.complete(found.id)
    except MailRefused as refusal:
        logger.warning("A link to sign in was not sent: %s.", refusal)
        parts.one_off_tasks.complete(found.id)
    except MailDelayed as delay:
        logger.warning("A link to sign in is put off: %s.", delay)
        pause = TASK_RETRY_SECONDS[min(found.tries, len(TASK_RETRY_SECONDS) - 1)]
        parts.one_off_tasks.postpone(found, parts.clock.now() + timedelta(seconds=pause))


def send_test_call(parts: Services, found: OneOffTask) -> None:
    """Try a webhook, for its owner to see how it goes."""
    player, now = found.player or "", parts.clock.now()
    hook = parts.preferences.get(player).webhook
    if hook is not None:
        try:
            told = {"type": "test", "timestamp": now, "data": {"player": player}}
            status = call_webhook(hook, found.id, told, now, parts.settings.hook_loopback)
            parts.preferences.record_outcome(player, "test", f"It answered {status}.", well=True)
        except WebhookFailed as failure:
            parts.preferences.record_outcome(player, "test", str(failure), well=False)
    parts.one_off_tasks.complete(found.id)
