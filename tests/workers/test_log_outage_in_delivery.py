"""The log server restarts in the middle of a delivery: the email is sent once, and without waiting for a lease."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from service.bootstrap import Services
from service.event_store.embedded import EmbeddedServer
from service.notifications.outbox import LEASE_SECONDS, Delivery
from tests.workers.deliveries import ANN, NotificationHarness
from tests.workers.receivers import HookServer, MailServer
from workers import bootstrap
from workers.jobs.queue import connect_queue
from workers.notifications import mail as mail_delivery
from workers.notifications import webhook_delivery
from workers.notifications.retries import OUTAGE_SECONDS
from workers.notifications.smtp import smtp_connection
from workers.notifications.webhooks import call_webhook

OUTAGE = 1.0
"""How long the log server is down, in seconds."""


@pytest.fixture
def services(
    own_server: EmbeddedServer,
    server: EmbeddedServer,
    mail_server: MailServer,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Services]:
    """Return services whose log server the test may kill; the queue is on another one."""
    monkeypatch.setenv("CRUMBTRAIL_LOG_URL", own_server.url(0))
    monkeypatch.setenv("CRUMBTRAIL_QUEUE_URL", server.url(1))
    monkeypatch.setenv("CRUMBTRAIL_SMTP_URL", mail_server.url)
    monkeypatch.setenv("CRUMBTRAIL_WEBHOOK_LOOPBACK", "1")
    bootstrap.get_services.cache_clear()
    yield bootstrap.get_services()
    bootstrap.get_services.cache_clear()


@pytest.fixture
def harness(services: Services, server: EmbeddedServer) -> Iterator[NotificationHarness]:
    client = connect_queue(server.url(1))
    client.flushdb()
    yield NotificationHarness(services, client)
    client.close()


def restart(server: EmbeddedServer, pause: float = OUTAGE) -> threading.Thread:
    """Kill the server now, and start it again after a pause."""
    server.kill()

    def start_later() -> None:
        time.sleep(pause)
        server.start()

    thread = threading.Thread(target=start_later)
    thread.start()
    return thread


def turn_of_ann(harness: NotificationHarness) -> Delivery:
    """Let Ann, who gets emails, begin a match. Return the delivery about her turn."""
    ann = harness.player("Ann", ANN)
    match = harness.match(ann, harness.player("Bob"))
    return Delivery(match.id, "mail", "turn", 4, ann)


def connecting(monkeypatch: pytest.MonkeyPatch, first: Callable[[], Any], *, inside: bool) -> None:
    """Do something once, when the mail server is connected: before anything is sent, or after everything."""
    left = [first]

    @contextmanager
    def connect(url: str) -> Iterator[Any]:
        with smtp_connection(url) as smtp:
            if left and not inside:
                left.pop()()
            if inside:
                send = smtp.send_message

                def send_and_then(*args: Any, **more: Any) -> Any:
                    answer = send(*args, **more)
                    if left:
                        left.pop()()
                    return answer

                smtp.send_message = send_and_then  # type: ignore[method-assign]
            yield smtp

    monkeypatch.setattr(mail_delivery, "smtp_connection", connect)


def test_a_log_server_that_restarts_before_an_email_is_sent_delays_it_by_no_lease(
    harness: NotificationHarness, own_server: EmbeddedServer, mail_server: MailServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Given a log server that dies while the worker connects to the mail server, and again at the second attempt, then
    the third attempt sends the email at once. Each lease used to delay it by another 40 seconds."""
    delivery = turn_of_ann(harness)
    threads: list[threading.Thread] = []
    for _ in range(2):
        connecting(monkeypatch, lambda: threads.append(restart(own_server)), inside=False)
        began = time.monotonic()
        harness.run()
        threads.pop().join()
        assert mail_server.mails == []
        assert time.monotonic() - began < OUTAGE + OUTAGE_SECONDS < LEASE_SECONDS
    harness.run()
    assert [mail["To"] for mail in mail_server.mails] == [ANN]
    assert harness.services.notifications.outbox.is_recorded(delivery)


def test_a_log_server_that_restarts_after_an_email_was_sent_does_not_repeat_it(
    harness: NotificationHarness, own_server: EmbeddedServer, mail_server: MailServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Given a log server that dies between the mail server's answer and the record, then the worker records the email
    once the log server is back, and it is not sent again."""
    delivery = turn_of_ann(harness)
    threads: list[threading.Thread] = []
    connecting(monkeypatch, lambda: threads.append(restart(own_server)), inside=True)
    harness.run()
    threads[0].join()
    assert harness.services.notifications.outbox.is_recorded(delivery)
    harness.run()
    assert len(mail_server.mails) == 1


def test_a_webhook_call_is_recorded_through_a_restart_of_the_log_server(
    harness: NotificationHarness,
    own_server: EmbeddedServer,
    webhook_server: HookServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bob = harness.player("Bob")
    harness.services.notifications.preferences.set_webhook(bob, webhook_server.url)
    match = harness.match(bob, harness.player("Ann"))
    threads: list[threading.Thread] = []

    def call(*args: Any) -> int:
        status = call_webhook(*args)
        if not threads:
            threads.append(restart(own_server))
        return status

    monkeypatch.setattr(webhook_delivery, "call_webhook", call)
    harness.run()
    threads[0].join()
    assert harness.services.notifications.outbox.is_recorded(Delivery(match.id, "webhook", "turn", 4, bob))
    harness.run()
    assert len(webhook_server.calls) == 1


@pytest.mark.full
def test_a_long_outage_after_an_email_was_sent_keeps_its_lease(
    harness: NotificationHarness, own_server: EmbeddedServer, mail_server: MailServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Given an outage that is longer than the worker waits, then a sent email is not repeated during its lease."""
    delivery = turn_of_ann(harness)
    connecting(monkeypatch, own_server.kill, inside=True)
    harness.run()
    own_server.start()
    harness.run()
    assert len(mail_server.mails) == 1
    assert not harness.services.notifications.outbox.is_recorded(delivery)


def test_a_lease_is_given_back_only_by_its_owner(harness: NotificationHarness, own_server: EmbeddedServer) -> None:
    delivery = turn_of_ann(harness)
    harness.projector.catch_up()
    other = bootstrap.build_services(bootstrap.from_environment()).notifications.outbox
    assert other.claim(delivery)
    harness.services.notifications.outbox.release(delivery)
    assert not harness.services.notifications.outbox.claim(delivery)
    other.release(delivery)
    assert harness.services.notifications.outbox.claim(delivery)
