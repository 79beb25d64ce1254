"""What stands in a mail: its words, its headers, and how it follows from the ones before.

The id of a mail is made from what it tells, so that sending it again, after a crash that left us in doubt, makes no
second mail. All mails about a match to one player refer to the same id, by which mail programs show them together.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from email.headerregistry import Address as Mailbox
from email.message import EmailMessage
from email.policy import SMTP, EmailPolicy
from email.utils import format_datetime, parseaddr
from hashlib import sha256
from typing import Any, assert_never
from urllib.parse import urlsplit

import msgspec
from markupsafe import Markup, escape

from domain.match.durations import format_duration
from domain.match.state import AnyMatch, Proposal
from service.notifications.outbox import Delivery
from service.notifications.preferences import Contact
from service.runtime.settings import Settings

UNFOLDED_HEADERS = frozenset({"list-unsubscribe", "list-unsubscribe-post", "message-id", "in-reply-to", "references"})
"""Headers that are never folded: a URL or an id that is cut in two is none."""
FORMER_PLAYER = "a former player"


class MailPolicy(EmailPolicy):
    """SMTP's own policy, but long ids and URLs stay whole."""

    def fold(self, name: str, value: Any) -> str:
        """The header as text."""
        if name.lower() in UNFOLDED_HEADERS:
            return f"{name}: {value}{self.linesep}"
        return str(super().fold(name, value))

    def fold_binary(self, name: str, value: Any) -> bytes:
        """The header as it goes over the wire."""
        if name.lower() in UNFOLDED_HEADERS:
            return self.fold(name, value).encode("ascii")
        return super().fold_binary(name, value)


MAIL_POLICY = MailPolicy(linesep=SMTP.linesep)


class Email(msgspec.Struct, frozen=True, kw_only=True):
    """A mail before it has an address: `lines` are its paragraphs, `links` what one may do (a name and a URL)."""

    id: str
    subject: str
    paragraphs: Sequence[str]
    links: Sequence[tuple[str, str]]
    thread_id: str | None = None
    unsubscribe_url: str | None = None
    """The URL by which its reader gets no more of them."""
    settings_url: str | None = None


def build_message(letter: Email, to: str, settings: Settings, at: datetime) -> EmailMessage:
    """The mail as it is sent. Raises ValueError for a header that would break the line."""
    host = public_host(settings)
    mail = EmailMessage(policy=MAIL_POLICY)
    name, sender = parseaddr(sender_address(settings))
    mail["From"] = Mailbox(name or "Crumbtrail", addr_spec=sender)
    mail["To"] = Mailbox(addr_spec=to)
    mail["Subject"] = letter.subject
    mail["Date"] = format_datetime(at)
    mail["Message-ID"] = f"<{letter.id}@{host}>"
    mail["Auto-Submitted"] = "auto-generated"
    if letter.thread_id:
        mail["In-Reply-To"] = mail["References"] = f"<{letter.thread_id}@{host}>"
    if letter.unsubscribe_url:
        mail["List-Unsubscribe"] = f"<{letter.unsubscribe_url}>"
        mail["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    mail.set_content(plain_text(letter))
    mail.add_alternative(html_text(letter), subtype="html")
    return mail


def public_host(settings: Settings) -> str:
    """The name under which people reach the pages."""
    return urlsplit(settings.public_url).hostname or "localhost"


def sender_address(settings: Settings) -> str:
    """Who our mails come from."""
    return settings.mail_from or f"Crumbtrail <crumbtrail@{public_host(settings)}>"


def plain_text(letter: Email) -> str:
    """The mail as plain text."""
    parts = [*letter.paragraphs, *(f"{name}:\n{url}" for name, url in letter.links)]
    return "\n\n".join([*parts, "-- \n" + "\n".join(f"{name}: {url}" for name, url in footer_links(letter))]) + "\n"


def footer_links(letter: Email) -> list[tuple[str, str]]:
    """What stands below: why the reader gets this, and how to end it."""
    ends = [("Change when you get mail", letter.settings_url), ("No more mail", letter.unsubscribe_url)]
    return [("Crumbtrail", "board games that anyone can check"), *((name, url) for name, url in ends if url)]


def html_text(letter: Email) -> str:
    """The mail as HTML, as simple as can be: no pictures, nothing fetched from anywhere."""
    lines = Markup().join(Markup("<p>{}</p>\n").format(line) for line in letter.paragraphs)
    links = Markup().join(Markup('<p><a href="{}">{}</a></p>\n').format(url, name) for name, url in letter.links)
    small = Markup(" · ").join(
        Markup('<a href="{}">{}</a>').format(url, name) if url.startswith("http") else escape(f"{name}: {url}")
        for name, url in footer_links(letter)
    )
    head = Markup("<title>{}</title>").format(letter.subject)
    start = Markup('<!doctype html>\n<html lang="en"><head><meta charset="utf-8">{}</head><body>\n').format(head)
    return start + lines + links + Markup("<hr><p><small>{}</small></p>\n</body></html>\n").format(small)


# -- what they say ------------------------------------------------------------------------------------------------


def notice_email(
    match: AnyMatch, delivery: Delivery, contact: Contact, names: Mapping[str, str], settings: Settings, leave: str
) -> Email:
    """The mail about one notice."""
    return Email(
        id=delivery.id,
        subject=f"{subject_prefix(match, delivery)}: {match_title(match, delivery.player, names)}",
        paragraphs=[notice_sentence(match, delivery, names), *deadline_lines(match, delivery, contact)],
        links=[(link_label(delivery), match_url(settings, match.id))],
        thread_id=thread_id(delivery),
        unsubscribe_url=leave,
        settings_url=settings_url(settings),
    )


def digest_email(
    told: Sequence[tuple[AnyMatch, Delivery]],
    contact: Contact,
    slot: int,
    names: Mapping[str, str],
    settings: Settings,
    leave: str,
) -> Email:
    """The daily mail: one line for each notice."""
    waiting = len({match.id for match, delivery in told if delivery.kind in ("turn", "asked")})
    return Email(
        id=hash_parts("daily", contact.player, str(slot)),
        subject=f"{waiting} {'match waits' if waiting == 1 else 'matches wait'} for you" if waiting else "Your matches",
        paragraphs=["What has come up in your matches since the last mail:"],
        links=[
            (
                " ".join([notice_sentence(match, one, names), *deadline_lines(match, one, contact)]),
                match_url(settings, match.id),
            )
            for match, one in told
        ],
        thread_id=hash_parts("daily", contact.player),
        unsubscribe_url=leave,
        settings_url=settings_url(settings),
    )


def sign_in_email(letter: str, link: str, named: str | None, known: bool) -> Email:
    """The mail with a link to sign in; `named` is the guest who would keep the name by it."""
    if known:
        lines = [f"Open this link to sign in to Crumbtrail{f' as {named}' if named else ''}."]
    elif named:
        lines = [
            f"Somebody who plays as {named} on Crumbtrail says that this is their address. "
            "If that is you, open this link to confirm it, and to sign in."
        ]
    else:
        lines = ["Open this link to sign in to Crumbtrail. You are new here; a name is chosen for you to begin with."]
    return Email(
        id=letter,
        subject="Your link to sign in",
        paragraphs=[
            *lines,
            "It is good once, for half an hour. If you did not ask for it, do nothing: nobody gets in without it.",
        ],
        links=[("Sign in", link)],
    )


def subject_prefix(match: AnyMatch, delivery: Delivery) -> str:
    """The first words of a subject."""
    match delivery.kind:
        case "turn":
            return "Your turn"
        case "asked":
            return "You are asked"
        case "expired":
            return "Your time was up"
        case "over":
            return "The match is over" if match.draw_count else "The match was called off"
        case "verdict":
            return "An audit has its verdict"
        case "ruling":
            return "A dispute is resolved"
        case never:
            assert_never(never)


def notice_sentence(match: AnyMatch, delivery: Delivery, names: Mapping[str, str]) -> str:
    """What has come up."""
    what = match_title(match, delivery.player, names)
    match delivery.kind:
        case "turn":
            return f"It is your turn in {what}."
        case "asked":
            proposal = next((each for each in match.proposals if each.number == delivery.ply), None)
            return f"{proposer_name(match, proposal, names)} asks {request_text(match, proposal, names)} in {what}."
        case "expired":
            seat_left = delivery.player not in {seat.player for seat in match.seats}
            came = "a bot has taken your seat over" if seat_left else "a bot made this move for you"
            return f"Your time was up in {what}: {came}."
        case "over":
            return f"{what} is over: {result_text(match, delivery.player, names)}"
        case "verdict":
            return f"The audit of {what} has given its verdict: {verdict_text(match)}"
        case "ruling":
            return f"An arbiter has ruled on a dispute in {what}."
        case never:
            assert_never(never)


def match_title(match: AnyMatch, player: str, names: Mapping[str, str]) -> str:
    """A match as its player would name it: `Mice Cake against Bob`."""
    others = [seat_holder_name(match, n, names) for n, seat in enumerate(match.seats) if seat.player != player]
    against = " and ".join([", ".join(others[:-1]), others[-1]] if len(others) > 1 else others)
    return f"{match.rules.title} against {against}" if others else str(match.rules.title)


def seat_holder_name(match: AnyMatch, number: int, names: Mapping[str, str]) -> str:
    """Who sits at a seat."""
    seat = match.seats[number]
    if seat.kind == "bot":
        return f"the {(seat.level or '').replace('_', ' ')} bot"
    return names.get(seat.player or "", FORMER_PLAYER) if seat.player else "nobody yet"


def proposer_name(match: AnyMatch, proposal: Proposal | None, names: Mapping[str, str]) -> str:
    """Who asks."""
    return seat_holder_name(match, proposal.seat, names) if proposal else "Somebody"


def request_text(match: AnyMatch, proposal: Proposal | None, names: Mapping[str, str]) -> str:
    """What for."""
    if proposal is None:
        return "you"
    match proposal.kind:
        case "pause":
            return "for a pause"
        case "extend":
            return f"for {format_duration(proposal.seconds or 0)} more"
        case "takeback":
            return "to take a move back"
        case "hand_over":
            whose = seat_holder_name(match, proposal.target_seat or 0, names)
            to = "somebody else" if proposal.level is None else f"the {proposal.level.replace('_', ' ')} bot"
            return f"to hand the seat of {whose} over to {to}"
        case never:
            assert_never(never)


def verdict_text(match: AnyMatch) -> str:
    """What the audits of a match have found."""
    return "the log does not hold." if match.has_failed_audit else "the log holds; every die and every point is right."


def result_text(match: AnyMatch, player: str, names: Mapping[str, str]) -> str:
    """The result, in words."""
    if match.outcome is None:
        return "it was annulled." if match.annulled else "it was called off."
    winners = [match.seats[seat].player for seat in match.outcome.winners]
    if not winners:
        return "it is a draw."
    if player in winners:
        return "you won!" if len(winners) == 1 else "you are among the winners!"
    return f"{' and '.join(seat_holder_name(match, seat, names) for seat in match.outcome.winners)} won."


def deadline_lines(match: AnyMatch, delivery: Delivery, contact: Contact) -> list[str]:
    """When the time of the player is up, in the player's own time zone."""
    if delivery.kind != "turn" or not match.clocks:
        return []
    ends = [
        clock.deadline for seat, clock in zip(match.seats, match.clocks, strict=True) if seat.player == contact.player
    ]
    end = min((each for each in ends if each), default=None)
    if end is None:
        return []
    there = end.astimezone(contact.mail_preferences.timezone)
    when = f"{there.strftime('%A')}, {there.day} {there.strftime('%B at %H:%M')} ({contact.mail_preferences.zone})"
    return [f"Your time is up on {when}."]


def link_label(delivery: Delivery) -> str:
    """What the link is called."""
    return {"turn": "Make your move", "asked": "Answer"}.get(delivery.kind, "See the match")


# -- where --------------------------------------------------------------------------------------------------------


def match_url(settings: Settings, match: str) -> str:
    """The page of a match."""
    return f"{settings.public_url}/matches/{match}"


def settings_url(settings: Settings) -> str:
    """The page on which one changes what one is told."""
    return f"{settings.public_url}/account/notifications"


def thread_id(delivery: Delivery) -> str:
    """The id that all mails about a match to one player refer to; no mail has it."""
    return hash_parts("thread", delivery.player, delivery.match)


def hash_parts(*parts: str) -> str:
    """The left half of a mail's id."""
    return sha256("|".join(parts).encode()).hexdigest()[:32]
