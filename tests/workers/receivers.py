"""A real mail server and a real HTTP server on loopback, which keep what they receive."""

import asyncio
import email
import email.policy
import threading
import time
from dataclasses import dataclass, field
from email.message import EmailMessage
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import msgspec
from aiosmtpd.controller import Controller

from service.cli.listen import free_port


class MailServer:
    """A mail server that keeps all emails. The next ones get `answers` instead of being accepted. While it is
    `away` it accepts none. `times` says when each was accepted, by the monotonic clock."""

    def __init__(self) -> None:
        self.mails: list[EmailMessage] = []
        self.times: list[float] = []
        self.is_away = False
        self.raw: list[bytes] = []
        self.answers: list[str] = []
        self.recipient_answers: list[str] = []
        self.pause = 0.0
        self.attempts = 0
        self._port = free_port("127.0.0.1")

    @property
    def url(self) -> str:
        """Return the server's URL for `CRUMBTRAIL_SMTP_URL`."""
        return f"smtp://127.0.0.1:{self._port}"

    def start(self) -> None:
        """Start, or start again on the same port."""
        self._controller = Controller(self, hostname="127.0.0.1", port=self._port)
        self._controller.start()

    def stop(self) -> None:
        """Stop listening."""
        self._controller.stop()

    def __enter__(self) -> "MailServer":
        self.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()

    async def handle_RCPT(self, server: Any, session: Any, envelope: Any, address: str, options: Any) -> str:
        if self.recipient_answers:
            return self.recipient_answers.pop(0)
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:
        self.attempts += 1
        await asyncio.sleep(self.pause)
        if self.answers:
            return self.answers.pop(0)
        if self.is_away:
            return "451 later"
        self.raw.append(envelope.content)
        mail = email.message_from_bytes(envelope.content, policy=email.policy.default)
        assert isinstance(mail, EmailMessage)
        assert envelope.rcpt_tos == [mail["To"]]
        self.mails.append(mail)
        self.times.append(time.monotonic())
        return "250 kept"

    def to(self, address: str) -> list[EmailMessage]:
        """Return the emails to an address."""
        return [mail for mail in self.mails if mail["To"] == address]


def mail_text(mail: EmailMessage, kind: str = "plain") -> str:
    """Return the text of an email."""
    part = mail.get_body((kind,))
    assert part is not None
    return str(part.get_content())


@dataclass
class WebhookCall:
    """A received webhook call, its time by the monotonic clock, and the answer."""

    path: str
    headers: dict[str, str]
    body: bytes
    at: float
    status: int

    @property
    def json(self) -> Any:
        return msgspec.json.decode(self.body)


@dataclass
class HookServer:
    """An HTTP server that keeps all calls. `answers` are the next statuses, then 204, or 503 while it is `away`."""

    calls: list[WebhookCall] = field(default_factory=list)
    answers: list[int] = field(default_factory=list)
    is_away: bool = False
    location: str = ""

    def __post_init__(self) -> None:
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                fields = {name.lower(): value for name, value in self.headers.items()}
                status = receiver.answers.pop(0) if receiver.answers else 503 if receiver.is_away else 204
                receiver.calls.append(WebhookCall(self.path, fields, raw, time.monotonic(), status))
                self.send_response(status)
                if receiver.location:
                    self.send_header("Location", receiver.location)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, format: str, *args: object) -> None:
                return

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/hook"

    def __enter__(self) -> "HookServer":
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._server.shutdown()
        self._server.server_close()
