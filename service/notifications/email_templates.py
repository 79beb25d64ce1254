"""The text, headers and threading of emails.

The id of an email derives from its content. If an email is sent again after a crash, mail programs recognise the
duplicate. All emails about a match to one player refer to the same thread id, so that mail programs group them.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
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

from domain.kernel.text import capital, join_and
from domain.match.durations import format_duration
from domain.match.state import AnyMatch, Proposal
from service.notifications.outbox import Delivery
from service.notifications.preferences import Contact
from service.runtime.settings import Settings

UNFOLDED_HEADERS = frozenset({"list-unsubscribe", "list-unsubscribe-post", "message-id", "in-reply-to", "references"})
"""Headers that are never folded, because a URL or an id must not be split."""
FORMER_PLAYER = "a former player"
COUNT_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven")


class MailPolicy(EmailPolicy):
    """The SMTP policy, except that long ids and URLs are not folded."""

    def fold(self, name: str, value: Any) -> str:
        """Return the header as text."""
        if name.lower() in UNFOLDED_HEADERS:
            return f"{name}: {value}{self.linesep}"
        return str(super().fold(name, value))

    def fold_binary(self, name: str, value: Any) -> bytes:
        """Return the header as bytes to send."""
        if name.lower() in UNFOLDED_HEADERS:
            return self.fold(name, value).encode("ascii")
        return super().fold_binary(name, value)


MAIL_POLICY = MailPolicy(linesep=SMTP.linesep)


class Email(msgspec.Struct, frozen=True, kw_only=True):
    """An email without its recipient. Each link is a label and a URL."""

    id: str
    subject: str
    paragraphs: Sequence[str]
    links: Sequence[tuple[str, str]]
    thread_id: str | None = None
    unsubscribe_url: str | None = None
    """The one-click unsubscribe link."""
    settings_url: str | None = None


def build_message(letter: Email, to: str, settings: Settings, at: datetime) -> EmailMessage:
    """Return the message to send. Raises ValueError for a header with a line break."""
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
    """Return the host name of the public pages."""
    return urlsplit(settings.public_url).hostname or "localhost"


def sender_address(settings: Settings) -> str:
    """Return the sender of all emails."""
    return settings.mail_from or f"Crumbtrail <crumbtrail@{public_host(settings)}>"


def plain_text(letter: Email) -> str:
    """Return the email as plain text."""
    links = (f"{name}\n{url}" if name.endswith((".", "!")) else f"{name}:\n{url}" for name, url in letter.links)
    parts = [*letter.paragraphs, *links]
    return "\n\n".join([*parts, "-- \n" + "\n".join(f"{name}: {url}" for name, url in footer_links(letter))]) + "\n"


def footer_links(letter: Email) -> list[tuple[str, str]]:
    """Return the label and target of each footer line: the sender, the settings and the unsubscribe link."""
    ends = [("Email settings", letter.settings_url), ("Unsubscribe", letter.unsubscribe_url)]
    return [("Crumbtrail", "board games that anyone can verify"), *((name, url) for name, url in ends if url)]


def html_text(letter: Email) -> str:
    """Return the email as simple HTML, without pictures or other external content."""
    lines = Markup().join(Markup("<p>{}</p>\n").format(line) for line in letter.paragraphs)
    links = Markup().join(Markup('<p><a href="{}">{}</a></p>\n').format(url, name) for name, url in letter.links)
    small = Markup(" · ").join(
        Markup('<a href="{}">{}</a>').format(url, name) if url.startswith("http") else escape(f"{name}: {url}")
        for name, url in footer_links(letter)
    )
    head = Markup("<title>{}</title>").format(letter.subject)
    start = Markup('<!doctype html>\n<html lang="en"><head><meta charset="utf-8">{}</head><body>\n').format(head)
    return start + lines + links + Markup("<hr><p><small>{}</small></p>\n</body></html>\n").format(small)


# -- texts -------------------------------------------------------------------------------------------------------


def notice_email(
    match: AnyMatch, delivery: Delivery, contact: Contact, names: Mapping[str, str], settings: Settings, leave: str
) -> Email:
    """Return the email about one notice."""
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
    """Return the daily digest, with one line for each notice."""
    waiting = len({match.id for match, delivery in told if delivery.kind in ("turn", "asked")})
    return Email(
        id=hash_parts("daily", contact.player, str(slot)),
        subject=f"{waiting} {'match is' if waiting == 1 else 'matches are'} waiting for you"
        if waiting
        else "News from your matches",
        paragraphs=["Here's what's new in your matches:"],
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
    """Return the email with a magic link.

    `known`: the address belongs to a player. `named` is the name of that player, or of the guest who is to confirm it.
    """
    if known:
        lines = [f"Open this link to sign in to Crumbtrail{f' as {named}' if named else ''}."]
    elif named:
        lines = [
            f"Someone playing as {named} on Crumbtrail gave this as their email address. "
            "If that was you, open this link to confirm the address and sign in."
        ]
    else:
        lines = [
            "Welcome to Crumbtrail! Open this link to sign in. We'll pick a name for you, which you can change later."
        ]
    return Email(
        id=letter,
        subject="Your sign-in link",
        paragraphs=[
            *lines,
            "The link works once and expires after 30 minutes. "
            "If you didn't ask for it, you can ignore this email. No one can sign in without the link.",
        ],
        links=[("Sign in", link)],
    )


def subject_prefix(match: AnyMatch, delivery: Delivery) -> str:
    """Return the first words of the subject."""
    match delivery.kind:
        case "turn":
            return "Your turn"
        case "asked":
            return "Your answer is needed"
        case "opening":
            return "Ready to begin"
        case "expired":
            return "You ran out of time"
        case "over":
            return "The match is over" if match.draw_count else "The match was cancelled"
        case "verdict":
            return "Audit finished"
        case "ruling":
            return "Dispute resolved"
        case never:
            assert_never(never)


def notice_sentence(match: AnyMatch, delivery: Delivery, names: Mapping[str, str]) -> str:
    """Return the sentence about the notice."""
    title = match_title(match, delivery.player, names)
    match delivery.kind:
        case "turn":
            return f"It's your turn in {title}."
        case "asked":
            proposal = next((each for each in match.proposals if each.number == delivery.ply), None)
            who = capital(proposer_name(match, proposal, names))
            return f"{who} asks {request_text(match, proposal, names)} in {match.rules.title}."
        case "opening":
            return f"Your match of {title} is ready to begin. Open it on the device where you sat down."
        case "expired":
            seat_left = delivery.player not in {seat.player for seat in match.seats}
            consequence = "a bot took over your seat" if seat_left else "a bot made your move"
            return f"You ran out of time in {title}, so {consequence}."
        case "over":
            return f"Your match of {title} {ending_text(match, delivery.player, names)}"
        case "verdict":
            return f"The audit of your match of {title} is finished. {verdict_text(match)}"
        case "ruling":
            by_server = any(each.ruling and each.resolved_by is None for each in match.disputes)
            who = "No arbiter ruled in time, so the server" if by_server else "An arbiter"
            return f"{who} has ruled on a dispute in {title}."
        case never:
            assert_never(never)


def match_title(match: AnyMatch, player: str, names: Mapping[str, str]) -> str:
    """Return the match title for a player: `Mice Cake against Bob`."""
    others = seat_holder_list(match, opponent_seats(match, player), names)
    return f"{match.rules.title} against {others}" if others else str(match.rules.title)


def opponent_seats(match: AnyMatch, player: str) -> list[int]:
    """Return the seats of the other players. The seat that a player lost to a bot isn't an opponent's."""
    seats = list(enumerate(match.seats))
    own = {n for n, seat in seats if seat.player == player} or {n for n, seat in seats if player in seat.former_players}
    return [n for n, _ in seats if n not in own]


def seat_holder_list(match: AnyMatch, numbers: Iterable[int], names: Mapping[str, str]) -> str:
    """Return the players and bots in these seats: `Bob and two greedy bots`. Open seats are left out."""
    seats = [match.seats[number] for number in numbers]
    people = [names.get(seat.player) for seat in seats if seat.player]
    bots = Counter(bot_name(seat.level) for seat in seats if seat.kind == "bot")
    counted = {FORMER_PLAYER: people.count(None), **{f"the {name}": count for name, count in bots.items()}}
    groups = [count_holders(name, count) for name, count in counted.items() if count]
    return join_and([*filter(None, people), *groups])


def count_holders(name: str, count: int) -> str:
    """Return `the greedy bot` or `two greedy bots`."""
    return name if count == 1 else f"{COUNT_WORDS[count]} {name.partition(' ')[2]}s"


def seat_holder_name(match: AnyMatch, number: int, names: Mapping[str, str]) -> str:
    """Return the name of the player or bot in a seat."""
    return seat_holder_list(match, [number], names)


def bot_name(level: str | None) -> str:
    """Return the name of a bot of this level: `greedy bot`."""
    return f"{(level or '').replace('_', ' ')} bot"


def proposer_name(match: AnyMatch, proposal: Proposal | None, names: Mapping[str, str]) -> str:
    """Return the name of the player who made the request."""
    return seat_holder_name(match, proposal.seat, names) if proposal else "Another player"


def request_text(match: AnyMatch, proposal: Proposal | None, names: Mapping[str, str]) -> str:
    """Return the object of `asks`: what the player requests."""
    if proposal is None:
        return "for your answer"
    match proposal.kind:
        case "pause":
            return "for a pause"
        case "extend":
            return f"for {format_duration(proposal.seconds or 0)} of extra time"
        case "takeback":
            return "to undo a move"
        case "hand_over":
            whose = seat_holder_name(match, proposal.target_seat or 0, names)
            to = "another player" if proposal.level is None else f"the {bot_name(proposal.level)}"
            return f"to hand over {whose}'s seat to {to}"
        case never:
            assert_never(never)


def verdict_text(match: AnyMatch) -> str:
    """Return the audit's verdict on the match."""
    return "It found a fault." if match.has_failed_audit else "It found no fault."


def ending_text(match: AnyMatch, player: str, names: Mapping[str, str]) -> str:
    """Return how the match ended for a player: `is over. You won!`."""
    if match.outcome is None:
        return "was annulled." if match.annulled else "was cancelled."
    winners = [match.seats[seat].player for seat in match.outcome.winners]
    if not winners:
        return "is over. It's a draw."
    if player in winners:
        return "is over. You won!" if len(winners) == 1 else "is over. You're one of the winners!"
    return f"is over. {capital(seat_holder_list(match, match.outcome.winners, names))} won."


def deadline_lines(match: AnyMatch, delivery: Delivery, contact: Contact) -> list[str]:
    """Return a line with the player's deadline in their time zone, if there is one."""
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
    return [f"You have until {when} to move."]


def link_label(delivery: Delivery) -> str:
    """Return the label of the link to the match."""
    return {"turn": "Make your move", "asked": "Answer"}.get(delivery.kind, "View the match")


# -- links and ids ------------------------------------------------------------------------------------------------


def match_url(settings: Settings, match: str) -> str:
    """Return the URL of the match page."""
    return f"{settings.public_url}/matches/{match}"


def settings_url(settings: Settings) -> str:
    """Return the URL of the notification settings."""
    return f"{settings.public_url}/account/notifications"


def thread_id(delivery: Delivery) -> str:
    """Return the id that all emails about a match to one player refer to. No email has it."""
    return hash_parts("thread", delivery.player, delivery.match)


def hash_parts(*parts: str) -> str:
    """Return the part of an email's id before the @."""
    return sha256("|".join(parts).encode()).hexdigest()[:32]
