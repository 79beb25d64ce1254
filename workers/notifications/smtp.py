"""Handing mail to the mail server, by the standard library's SMTP, with an end to every wait."""

import smtplib
import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from email.message import EmailMessage
from ipaddress import ip_address
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

TIMEOUT_SECONDS = 6.0
"""The longest wait for one answer of the mail server."""


class MailRefused(Exception):
    """The mail server will never take this mail; the text says why, in our words."""


class MailDelayed(Exception):
    """The mail server does not take it now."""


class SmtpServer(NamedTuple):
    """A mail server as `CRUMBTRAIL_SMTP_URL` names it."""

    host: str
    port: int
    implicit_tls: bool
    user: str | None
    password: str | None


def parse_smtp_url(url: str) -> SmtpServer:
    """The server of `smtp://[user:password@]host[:587]` or `smtps://...[:465]`. Raises ValueError."""
    parts = urlsplit(url)
    if parts.scheme not in ("smtp", "smtps") or not parts.hostname:
        raise ValueError("CRUMBTRAIL_SMTP_URL is smtp://user:password@host:587 or smtps://user:password@host:465")
    port = parts.port or (465 if parts.scheme == "smtps" else 587)
    user, password = (unquote(text) if text else None for text in (parts.username, parts.password))
    return SmtpServer(parts.hostname, port, parts.scheme == "smtps", user, password)


@contextmanager
def smtp_connection(url: str) -> Iterator[smtplib.SMTP]:
    """An open connection to the mail server. Raises MailDelayed for whatever goes wrong before or in between."""
    server = parse_smtp_url(url)
    try:
        smtp = open_smtp(server)
    except (OSError, smtplib.SMTPException) as error:
        raise MailDelayed(f"the mail server cannot be reached ({type(error).__name__})") from None
    try:
        yield smtp
    except (OSError, smtplib.SMTPException) as error:
        raise MailDelayed(f"the mail server broke off ({type(error).__name__})") from None
    finally:
        with suppress(OSError, smtplib.SMTPException):
            smtp.quit()


def open_smtp(server: SmtpServer) -> smtplib.SMTP:
    """A connection, encrypted where the server offers it. Raises OSError, SMTPException."""
    context = ssl.create_default_context()
    if server.implicit_tls:
        smtp: smtplib.SMTP = smtplib.SMTP_SSL(server.host, server.port, timeout=TIMEOUT_SECONDS, context=context)
    else:
        smtp = smtplib.SMTP(server.host, server.port, timeout=TIMEOUT_SECONDS)
    try:
        authenticate(smtp, server, context)
    except BaseException:
        smtp.close()
        raise
    return smtp


def authenticate(smtp: smtplib.SMTP, server: SmtpServer, context: ssl.SSLContext) -> None:
    """Say who we are. A password goes over an encrypted line, or stays on this machine. Raises SMTPException."""
    smtp.ehlo()
    encrypted = server.implicit_tls
    if not encrypted and smtp.has_extn("starttls"):
        smtp.starttls(context=context)
        smtp.ehlo()
        encrypted = True
    if server.user is None:
        return
    if not encrypted and not is_loopback_host(server.host):
        raise smtplib.SMTPNotSupportedError("no encryption, so no password")
    smtp.login(server.user, server.password or "")


def is_loopback_host(host: str) -> bool:
    """Whether the host is this machine."""
    try:
        return ip_address(socket.gethostbyname(host)).is_loopback
    except OSError:
        return False


def send_mail(smtp: smtplib.SMTP, mail: EmailMessage) -> None:
    """Give a mail to the server, which has it when this returns. Raises MailRefused, MailDelayed, OSError."""
    try:
        smtp.send_message(mail)
    except smtplib.SMTPRecipientsRefused as error:
        raise classify_refusal(next(iter(error.recipients.values()))[0], "the address") from None
    except smtplib.SMTPDataError as error:
        raise classify_refusal(error.smtp_code, "the mail") from None


def classify_refusal(code: int, what: str) -> MailRefused | MailDelayed:
    """What an answer of the mail server means: 5xx is for ever."""
    if code >= 500:
        return MailRefused(f"{what} was refused by the mail server ({code})")
    return MailDelayed(f"{what} was not taken now ({code})")
