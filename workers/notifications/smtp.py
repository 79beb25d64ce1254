"""Sends emails through the mail server with the standard library's SMTP client. Every wait has a timeout."""

import logging
import smtplib
import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from email.message import EmailMessage
from ipaddress import ip_address
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

logger = logging.getLogger("workers")

TIMEOUT_SECONDS = 6.0
"""Maximum wait for one response of the mail server."""


class MailRefused(Exception):
    """The mail server refused the email permanently. The message gives the reason in our words."""


class MailDelayed(Exception):
    """The mail server can't be reached or does not accept the email now."""


class SmtpServer(NamedTuple):
    """The mail server given by `CRUMBTRAIL_SMTP_URL`."""

    host: str
    port: int
    implicit_tls: bool
    user: str | None
    password: str | None


def parse_smtp_url(url: str) -> SmtpServer:
    """Return the server for `smtp://[user:password@]host[:587]` or `smtps://...[:465]`. Raises ValueError."""
    parts = urlsplit(url)
    if parts.scheme not in ("smtp", "smtps") or not parts.hostname:
        raise ValueError(
            "CRUMBTRAIL_SMTP_URL is not valid: use smtp://user:password@host:587 or smtps://user:password@host:465"
        )
    port = parts.port or (465 if parts.scheme == "smtps" else 587)
    user, password = (unquote(text) if text else None for text in (parts.username, parts.password))
    return SmtpServer(parts.hostname, port, parts.scheme == "smtps", user, password)


@contextmanager
def smtp_connection(url: str) -> Iterator[smtplib.SMTP]:
    """Open a connection to the mail server. Raises MailDelayed for connection errors, also later in the block."""
    server = parse_smtp_url(url)
    try:
        smtp = open_smtp(server)
    except (OSError, smtplib.SMTPException) as error:
        logger.warning("The mail server cannot be reached (%s).", type(error).__name__)
        raise MailDelayed("the mail server cannot be reached") from None
    try:
        yield smtp
    except (OSError, smtplib.SMTPException) as error:
        logger.warning("The connection to the mail server was lost (%s).", type(error).__name__)
        raise MailDelayed("the connection to the mail server was lost") from None
    finally:
        with suppress(OSError, smtplib.SMTPException):
            smtp.quit()


def open_smtp(server: SmtpServer) -> smtplib.SMTP:
    """Return a connection, encrypted if the server supports it. Raises OSError, SMTPException."""
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
    """Log in. The password is sent only over an encrypted connection or to this machine. Raises SMTPException."""
    smtp.ehlo()
    encrypted = server.implicit_tls
    if not encrypted and smtp.has_extn("starttls"):
        smtp.starttls(context=context)
        smtp.ehlo()
        encrypted = True
    if server.user is None:
        return
    if not encrypted and not is_loopback_host(server.host):
        raise smtplib.SMTPNotSupportedError("the password is not sent over an unencrypted connection")
    smtp.login(server.user, server.password or "")


def is_loopback_host(host: str) -> bool:
    """Return whether the host is this machine."""
    try:
        return ip_address(socket.gethostbyname(host)).is_loopback
    except OSError:
        return False


def send_mail(smtp: smtplib.SMTP, mail: EmailMessage) -> None:
    """Send an email. The server has accepted it when this returns. Raises MailRefused, MailDelayed, OSError."""
    try:
        smtp.send_message(mail)
    except smtplib.SMTPRecipientsRefused as error:
        raise classify_refusal(next(iter(error.recipients.values()))[0], "the address") from None
    except smtplib.SMTPDataError as error:
        raise classify_refusal(error.smtp_code, "the email") from None


def classify_refusal(code: int, what: str) -> MailRefused | MailDelayed:
    """Return the error for a response of the mail server. Codes from 500 on are permanent."""
    if code >= 500:
        return MailRefused(f"{what} was refused by the mail server ({code})")
    return MailDelayed(f"{what} was not accepted by the mail server for now ({code})")
