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
from domain.match.match import AnyMatch
from service.bootstrap import Services
from service.event_store.log import MatchNotFound
from service.notifications.email_templates import (
    Letter,
    daily_letter,
    match_url,
    message,
    notice_letter,
    sign_in_letter,
)
from service.notifications.one_off_tasks import Errand
from service.notifications.outbox import PUT_OFF, Delivery, Told, Tries, member, milliseconds, read_member, read_name
from service.notifications.preferences import Contact, Daily, Hook, due_at, last_hour, next_hour
from workers.jobs.handlers import job
from workers.notifications.smtp import MailDelayed, MailRefused, hand_over, post_office
from workers.notifications.throttle import free_at, gathered
from workers.notifications.webhooks import HookFailed, call
from workers.processes.lifecycle import services

logger = logging.getLogger("workers")

MINUTE, HOUR = 60, 3600
MAIL_PAUSES = (MINUTE, 2 * MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR)
"""Seconds before a mail that the mail server did not take is tried again; the last one again and again."""
HOOK_PAUSES = (10, MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR)
"""The same for a webhook; behind the last one it is given up."""
ERRAND_PAUSES = (5, 15, 60)
MOST_A_DAY = 100
"""How many notices one daily mail tells; the others come with the next."""


EXPIRING = timedelta(seconds=5)
"""For how long a turn is put off whose match waits for an expiry to be appended."""


@job
def tell(match: str, name: str) -> None:
    """Make one delivery. When it was made, or its notice has passed, there is nothing to do."""
    parts, delivery = services(), read_name(match, name)
    if not parts.agenda.claim(delivery):
        return
    head, contact = load(parts, match), parts.contacts.of(delivery.player)
    since = since_of(head, delivery)
    if head is None or since is None:
        parts.agenda.drop(delivery)
        return
    now = parts.clock.now()
    due = due_at(contact, delivery.channel, delivery.kind, since, now)
    if awaits_expiry(head, delivery, now):
        parts.agenda.postpone(delivery, now + EXPIRING)
    elif due is None or is_known_already(parts, head, delivery):
        parts.agenda.settle([delivery])
    elif due > now or by_the_day(contact, delivery):
        parts.agenda.postpone(delivery, min(max(due, now), now + PUT_OFF))
    else:
        tell_in_turn(parts, delivery, contact, head)


def tell_in_turn(parts: Services, delivery: Delivery, contact: Contact, head: AnyMatch) -> None:
    """Make a delivery that is due, unless the player was told so much of the match lately that it has to wait.

    What it tells of as well leaves the agenda first: should this fail, it alone is tried again.
    """
    now, told = parts.clock.now(), parts.agenda.told(head.id)
    if (free := free_at(delivery, told, now)) > now:
        parts.agenda.postpone(delivery, free)
        return
    for other in gathered(delivery, told, head):
        parts.agenda.record(other, Told(now, "told with another one", delivery.id))
    if delivery.channel == "mail":
        tell_by_mail(parts, delivery, contact)
    else:
        tell_by_webhook(parts, delivery, contact, head)


def load(parts: Services, match: str) -> AnyMatch | None:
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


def since_of(match: AnyMatch | None, delivery: Delivery) -> datetime | None:
    """Since when the notice of a delivery stands in the match; None when it has passed, and will never come again."""
    wanted = (delivery.kind, delivery.ply, delivery.player)
    notices = match.notices if match else ()
    return next((each.at for each in notices if (each.kind, each.ply, each.player) == wanted), None)


def by_the_day(contact: Contact, delivery: Delivery) -> bool:
    """Whether the delivery belongs into a daily mail."""
    return delivery.channel == "mail" and contact.wishes.mail == "daily"


def is_known_already(parts: Services, match: AnyMatch, delivery: Delivery) -> bool:
    """Whether a mail would tell somebody of an end that they have just made themselves."""
    if (delivery.channel, delivery.kind) != ("mail", "over"):
        return False
    events = [event for event in parts.matches.events(match, None, delivery.ply - 3) if event.ply <= delivery.ply]
    if isinstance(events[-1], Cancelled):
        return events[-1].reason is UNSET and match.creator == delivery.player
    moved = events[-2] if len(events) > 1 else None
    if not isinstance(moved, Moved) or moved.seat is None or match.seats[moved.seat].player != delivery.player:
        return False
    late = any(isinstance(event, Expired) and event.seat == moved.seat for event in events[:-2])
    return not late and parts.matches.at(match.id, moved.ply - 1).seats[moved.seat].plays is None


# -- by mail ------------------------------------------------------------------------------------------------------


def tell_by_mail(parts: Services, delivery: Delivery, contact: Contact) -> None:
    """Send the mail about one notice, if it still stands when the mail server listens."""
    if contact.address is None or parts.settings.smtp_url is None:
        parts.agenda.postpone(delivery, parts.clock.now() + PUT_OFF)
        return
    try:
        with post_office(parts.settings.smtp_url) as smtp:
            head = load(parts, delivery.match)
            if head is None or since_of(head, delivery) is None:
                parts.agenda.drop(delivery)
                return
            if awaits_expiry(head, delivery, parts.clock.now()):
                parts.agenda.postpone(delivery, parts.clock.now() + EXPIRING)
                return
            hand_over(smtp, letter_of(parts, head, delivery, contact))
            parts.agenda.record(delivery, Told(parts.clock.now(), "sent", delivery.id))
    except MailRefused as refusal:
        parts.agenda.record(delivery, Told(parts.clock.now(), str(refusal), delivery.id))
        parts.contacts.note(delivery.player, "mail", f"Not sent: {refusal}.", well=False)
        return
    except MailDelayed as delay:
        put_off(parts, delivery, MAIL_PAUSES, str(delay))
        parts.contacts.note(delivery.player, "mail", f"Put off: {delay}.", well=False)
        return
    parts.contacts.note(delivery.player, "mail", "Sent.", well=True)


def letter_of(parts: Services, match: AnyMatch, delivery: Delivery, contact: Contact) -> EmailMessage:
    """The mail about one notice."""
    names = parts.players.names({seat.player for seat in match.seats if seat.player})
    letter = notice_letter(match, delivery, contact, names, parts.settings, leaving(parts, contact.player))
    return addressed(parts, letter, contact)


def addressed(parts: Services, letter: Letter, contact: Contact) -> EmailMessage:
    """A letter to a player."""
    assert contact.address is not None, "asked for before"
    return message(letter, contact.address.text, parts.settings, parts.clock.now())


def leaving(parts: Services, player: str) -> str:
    """The URL by which a player gets no more mail."""
    return f"{parts.settings.public_url}/unsubscribe/{player}/{parts.contacts.leaving_code(player)}"


def put_off(parts: Services, delivery: Delivery, pauses: tuple[int, ...], outcome: str) -> None:
    """It failed: try again behind the next pause, or behind the last one for ever."""
    count = parts.agenda.tries(delivery) + 1
    pause = timedelta(seconds=pauses[min(count, len(pauses)) - 1])
    parts.agenda.postpone(delivery, parts.clock.now() + pause, Tries(count, outcome))


# -- by a daily mail ----------------------------------------------------------------------------------------------


@job
def daily(player: str) -> None:
    """Send the daily mail that is due, if there is anything to tell."""
    parts = services()
    if not parts.contacts.claim_daily(player):
        return
    try:
        tell_the_day(parts, parts.contacts.of(player))
    finally:
        parts.contacts.release_daily(player)


def tell_the_day(parts: Services, contact: Contact) -> None:
    """One mail with all that waits; what it told, and what has passed, leaves the agenda."""
    player, names = contact.player, parts.contacts.aside(contact.player)
    if contact.wishes.mail != "daily" or contact.address is None or parts.settings.smtp_url is None:
        parts.contacts.take_out(player, names)  # the agenda still has them, under other wishes now
        return
    now, zone = parts.clock.now(), contact.wishes.place
    slot = milliseconds(last_hour(now, contact.wishes.hour, zone))
    last = parts.contacts.last_daily(player)
    if last and last.slot >= slot:
        finish(parts, player, [name for name in names if name in last.names])
        wait(parts, [name for name in names if name not in last.names], next_hour(now, contact.wishes.hour, zone))
        return
    told = still_told(parts, contact, names)
    if not told:
        return
    try:
        with post_office(parts.settings.smtp_url) as smtp:
            hand_over(smtp, addressed(parts, the_day(parts, told, contact, slot), contact))
            parts.contacts.keep_daily(player, Daily(slot, tuple(member(one) for _, one in told)))
    except MailDelayed as delay:
        for _, delivery in told:
            put_off(parts, delivery, MAIL_PAUSES, str(delay))
        parts.contacts.note(player, "mail", f"Put off: {delay}.", well=False)
        return
    except MailRefused as refusal:
        parts.contacts.note(player, "mail", f"Not sent: {refusal}.", well=False)
    else:
        parts.contacts.note(player, "mail", "Sent.", well=True)
    finish(parts, player, [member(one) for _, one in told])


def still_told(parts: Services, contact: Contact, names: list[str]) -> list[tuple[AnyMatch, Delivery]]:
    """What is to be told now of what was put aside; the others are let go or left."""
    told: list[tuple[AnyMatch, Delivery]] = []
    for name in names:
        delivery = read_member(name)
        if parts.agenda.is_told(delivery):  # the sweep that put it aside had read the agenda before that
            parts.agenda.drop(delivery)
            parts.contacts.take_out(contact.player, [name])
            continue
        head = load(parts, delivery.match)
        since = since_of(head, delivery)
        due = due_at(contact, "mail", delivery.kind, since, parts.clock.now()) if since else None
        if head is None or due is None or is_known_already(parts, head, delivery):
            parts.agenda.drop(delivery) if since is None else parts.agenda.settle([delivery])
            parts.contacts.take_out(contact.player, [name])
        elif awaits_expiry(head, delivery, parts.clock.now()):
            continue
        elif due <= parts.clock.now() and len(told) < MOST_A_DAY:
            told.append((head, delivery))
    return told


def the_day(parts: Services, told: list[tuple[AnyMatch, Delivery]], contact: Contact, slot: int) -> Letter:
    """The daily mail."""
    names = parts.players.names({seat.player for match, _ in told for seat in match.seats if seat.player})
    return daily_letter(told, contact, slot, names, parts.settings, leaving(parts, contact.player))


def finish(parts: Services, player: str, names: list[str]) -> None:
    """A daily mail has told these."""
    for name in names:
        delivery = read_member(name)
        parts.agenda.record(delivery, Told(parts.clock.now(), "told in the daily mail", delivery.id))
    parts.contacts.take_out(player, names)


def wait(parts: Services, names: list[str], until: datetime) -> None:
    """These have come too late for the daily mail that went out."""
    for name in names:
        parts.agenda.postpone(read_member(name), until)


# -- by webhook ---------------------------------------------------------------------------------------------------


def tell_by_webhook(parts: Services, delivery: Delivery, contact: Contact, match: AnyMatch) -> None:
    """Call the player's webhook about one notice."""
    hook, now = contact.hook, parts.clock.now()
    assert hook is not None, "what is due has a webhook"
    try:
        status = call(hook, delivery.id, payload(parts, delivery, match, now), now, parts.settings.hook_loopback)
    except HookFailed as failure:
        hook_failed(parts, delivery, hook, failure)
        return
    parts.agenda.record(delivery, Told(parts.clock.now(), f"answered {status}", delivery.id))
    parts.contacts.note(delivery.player, "webhook", f"It answered {status}.", well=True)


def hook_failed(parts: Services, delivery: Delivery, hook: Hook, failure: HookFailed) -> None:
    """Try again later, or give up: after the last pause, or because the receiver says that it is gone (410)."""
    if not failure.gone and parts.agenda.tries(delivery) < len(HOOK_PAUSES):
        put_off(parts, delivery, HOOK_PAUSES, str(failure))
        parts.contacts.note(delivery.player, "webhook", f"{failure} It is tried again.", well=False)
        return
    parts.agenda.record(delivery, Told(parts.clock.now(), f"given up: {failure}", delivery.id))
    parts.contacts.note(delivery.player, "webhook", f"{failure} That notice was given up.", well=False)
    if failure.gone:
        parts.contacts.remove_gone_hook(delivery.player, hook)


def payload(parts: Services, delivery: Delivery, match: AnyMatch, at: datetime) -> dict[str, Any]:
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
    parts = services()
    found = parts.errands.claim(id)
    if found is None:
        return
    if found.what == "test":
        call_once(parts, found)
    else:
        send_link(parts, found)


def send_link(parts: Services, found: Errand) -> None:
    """Send a letter with a link to sign in; as often as it takes while the link is good."""
    assert found.address is not None, "a letter has an address"
    if parts.settings.smtp_url is None:
        parts.errands.done(found.id)
        return
    owner = parts.contacts.owner(found.address)
    guest = parts.players.find(owner or found.player or "")
    link = f"{parts.settings.public_url}/sign-in/{parts.links.token(found.id)}"
    letter = sign_in_letter(found.id, link, guest.name if guest else None, known=owner is not None)
    try:
        with post_office(parts.settings.smtp_url) as smtp:
            hand_over(smtp, message(letter, found.address, parts.settings, parts.clock.now()))
            parts.errands.done(found.id)
    except MailRefused as refusal:
        logger.warning("A link to sign in was not sent: %s.", refusal)
        parts.errands.done(found.id)
    except MailDelayed as delay:
        logger.warning("A link to sign in is put off: %s.", delay)
        pause = ERRAND_PAUSES[min(found.tries, len(ERRAND_PAUSES) - 1)]
        parts.errands.postpone(found, parts.clock.now() + timedelta(seconds=pause))


def call_once(parts: Services, found: Errand) -> None:
    """Try a webhook, for its owner to see how it goes."""
    player, now = found.player or "", parts.clock.now()
    hook = parts.contacts.of(player).hook
    if hook is not None:
        try:
            told = {"type": "test", "timestamp": now, "data": {"player": player}}
            status = call(hook, found.id, told, now, parts.settings.hook_loopback)
            parts.contacts.note(player, "test", f"It answered {status}.", well=True)
        except HookFailed as failure:
            parts.contacts.note(player, "test", str(failure), well=False)
    parts.errands.done(found.id)
