"""Webhooks: signed, retried for hours, never redirected, and restricted to public addresses."""

import hmac
import socket
import ssl
import threading
import time
from base64 import b64decode, b64encode
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import httpcore
import pytest
from freezegun import freeze_time
from hypothesis import given
from hypothesis import strategies as st
from redis import Redis

from service.bootstrap import Services
from service.notifications.outbox import Delivery
from service.notifications.preferences import InvalidPreference, Webhook, parse_webhook_url
from tests.workers.deliveries import NotificationHarness, advance_time
from tests.workers.receivers import HookServer, WebhookCall
from workers.notifications import ssrf_guard, webhook_delivery, webhooks
from workers.notifications.retries import WEBHOOK_RETRY_SECONDS
from workers.notifications.ssrf_guard import (
    AddressRefused,
    GuardedBackend,
    is_allowed,
    is_public,
    require_allowed,
    resolve,
)
from workers.notifications.webhooks import WebhookFailed, call_webhook

START = datetime(2026, 3, 2, 9, tzinfo=UTC)
DOCS = Path(__file__).parents[2] / "docs/notifications.md"
SECRET = "whsec_" + b64encode(b"k" * 32).decode()


@pytest.fixture
def harness(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> NotificationHarness:
    monkeypatch.setenv("CRUMBTRAIL_WEBHOOK_LOOPBACK", "1")
    return NotificationHarness(request.getfixturevalue("services"), request.getfixturevalue("queue"))


def hooked(harness: NotificationHarness, url: str) -> tuple[str, Webhook]:
    """Create a player with a webhook."""
    player = harness.player("Ann")
    return player, harness.services.notifications.preferences.set_webhook(player, url)


def verify(call: WebhookCall, secret: str) -> None:
    """Verify a call as a receiver does, according to the documentation."""
    signed = f"{call.headers['webhook-id']}.{call.headers['webhook-timestamp']}.".encode() + call.body
    code = hmac.new(b64decode(secret.removeprefix("whsec_")), signed, "sha256").digest()
    assert call.headers["webhook-signature"] == "v1," + b64encode(code).decode()


# -- received calls ------------------------------------------------------------------------------------------------


def test_a_webhook_is_called_immediately_and_its_signature_is_valid(
    harness: NotificationHarness, webhook_server: HookServer
) -> None:
    with freeze_time(START):
        ann, kept = hooked(harness, webhook_server.url + "?a=b")
        match = harness.match(ann, harness.player("Bob"))
        harness.run(), harness.run()
        (call,) = webhook_server.calls
        verify(call, kept.secret)
        assert call.path == "/hook?a=b"
        assert call.headers["content-type"] == "application/json"
        assert call.headers["webhook-timestamp"] == str(int(START.timestamp()))
        assert call.headers["webhook-id"] == Delivery(match.id, "webhook", "turn", 4, ann).id
        assert call.json == {
            "type": "match.turn",
            "timestamp": "2026-03-02T09:00:00Z",
            "data": {
                "player": ann,
                "match": match.id,
                "game": "tic_tac_toe",
                "brought_by": 4,
                "ply": 4,
                "status": "playing",
                "seats": [0],
                "to_move": [0],
                "deadline": None,
                "page": f"http://127.0.0.1:8000/matches/{match.id}",
            },
        }


def test_the_documented_check_accepts_only_our_calls(harness: NotificationHarness, webhook_server: HookServer) -> None:
    names: dict[str, Any] = {}
    exec(DOCS.read_text().split("```python\n")[1].split("```")[0], names)
    check = names["is_genuine"]
    with freeze_time(START):
        ann, kept = hooked(harness, webhook_server.url)
        harness.match(ann, harness.player("Bob"))
        harness.run()
    (call,), now = webhook_server.calls, START.timestamp()
    assert check(kept.secret, call.headers, call.body, now)
    assert not check(kept.secret, call.headers, call.body + b" ", now)
    assert not check(kept.secret, {**call.headers, "webhook-id": "other"}, call.body, now)
    assert not check(kept.secret, call.headers, call.body, now + 301)
    assert not check("whsec_" + b64encode(b"x" * 32).decode(), call.headers, call.body, now)


def test_the_signature_matches_the_published_example() -> None:
    """The example of the Standard Webhooks specification."""
    body = b'{"test": 2432232314}'
    fields = webhooks.signature_headers(
        "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        "msg_p5jXN8AQM9LWM0D4loKWxJek",
        datetime.fromtimestamp(1614265330, UTC),
        body,
    )
    assert fields["webhook-signature"] == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_a_failing_receiver_is_retried_for_hours_while_the_turn_is_current(
    harness: NotificationHarness, webhook_server: HookServer
) -> None:
    with freeze_time(START) as frozen:
        ann, _ = hooked(harness, webhook_server.url)
        match = harness.match(ann, harness.player("Bob"))
        webhook_server.answers += [500] * (len(WEBHOOK_RETRY_SECONDS) + 5)
        for pause in (*WEBHOOK_RETRY_SECONDS, 24 * 3600):
            harness.run()
            frozen.tick(timedelta(seconds=pause - 1))
            before = len(webhook_server.calls)
            harness.run()
            assert len(webhook_server.calls) == before, "not before its time"
            frozen.tick(timedelta(seconds=1))
        assert len(webhook_server.calls) == 1 + len(WEBHOOK_RETRY_SECONDS)
        assert len({call.headers["webhook-id"] for call in webhook_server.calls}) == 1
        harness.run()
        assert len(webhook_server.calls) == 1 + len(WEBHOOK_RETRY_SECONDS)
        record = harness.services.notifications.outbox.records(match.id)[f"webhook:turn:4:{ann}"]
        assert record is not None
        assert record.outcome == "given up: Your server responded with 500."


def test_a_turn_that_ends_between_two_attempts_is_not_delivered(
    harness: NotificationHarness, webhook_server: HookServer
) -> None:
    with freeze_time(START) as frozen:
        ann, _ = hooked(harness, webhook_server.url)
        match = harness.match(ann, harness.player("Bob"))
        webhook_server.answers.append(503)
        harness.run()
        harness.move(match, 0, 4)
        frozen.tick(timedelta(minutes=5))
        harness.run()
        assert len(webhook_server.calls) == 1


@pytest.mark.parametrize("listed", [True, False])
def test_setting_the_clock_back_delays_no_webhook(
    harness: NotificationHarness, webhook_server: HookServer, listed: bool
) -> None:
    """Given a turn in the future because the clock was set back, before or after the lists knew it, when the outbox is
    swept, then the player's webhook is called once."""
    with freeze_time(START) as frozen:
        ann, _ = hooked(harness, webhook_server.url)
        harness.match(ann, harness.player("Bob"))
        if listed:
            harness.projector.catch_up()
        frozen.tick(timedelta(hours=-1))
        harness.run()
        assert len(webhook_server.calls) == 1
        advance_time(harness, frozen, timedelta(hours=2))
        assert len(webhook_server.calls) == 1


def test_a_receiver_that_answers_gone_is_not_called_again(
    harness: NotificationHarness, webhook_server: HookServer
) -> None:
    with freeze_time(START):
        ann, _ = hooked(harness, webhook_server.url)
        harness.match(ann, harness.player("Bob"))
        webhook_server.answers.append(410)
        harness.run()
        assert harness.services.notifications.preferences.get(ann).webhook is None


def test_a_gone_webhook_does_not_remove_its_replacement(
    harness: NotificationHarness, webhook_server: HookServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Given a player who sets a new webhook while the old one is being called, when the old one answers 410, then the
    new one stays."""
    with freeze_time(START):
        ann, _ = hooked(harness, webhook_server.url)
        harness.match(ann, harness.player("Bob"))

        def leaving(*arguments: Any) -> int:
            harness.services.notifications.preferences.set_webhook(ann, webhook_server.url + "/new")
            return call_webhook(*arguments)

        monkeypatch.setattr(webhook_delivery, "call_webhook", leaving)
        webhook_server.answers.append(410)
        harness.run()
        kept = harness.services.notifications.preferences.get(ann).webhook
        assert kept is not None
        assert kept.url == webhook_server.url + "/new"


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed(harness: NotificationHarness, webhook_server: HookServer, status: int) -> None:
    with freeze_time(START), HookServer() as inside:
        ann, _ = hooked(harness, webhook_server.url)
        harness.match(ann, harness.player("Bob"))
        webhook_server.answers, webhook_server.location = [status], inside.url
        harness.run()
        assert len(webhook_server.calls) == 1
        assert inside.calls == []
        assert "We don't follow redirects." in harness.services.notifications.preferences.outcomes(ann)["webhook"].text


def test_a_proxy_of_the_environment_does_not_bypass_the_guard(
    webhook_server: HookServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, webhook_server.url)
    with pytest.raises(WebhookFailed, match="Use a public address"):
        call_webhook(Webhook("http://10.0.0.1/", SECRET, START), "id", {}, START, loopback=True)
    assert webhook_server.calls == []


def test_a_receiver_that_sends_too_slowly_is_disconnected(monkeypatch: pytest.MonkeyPatch) -> None:
    """Given a receiver that sends single bytes and never ends, then the call ends at its deadline."""
    monkeypatch.setattr(webhooks, "CALL_TIMEOUT_SECONDS", 1.0)
    ended = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as server:

        def drip() -> None:
            connection, _ = server.accept()
            with connection:
                while not ended.wait(0.2):
                    try:
                        connection.send(b"H")
                    except OSError:
                        return

        threading.Thread(target=drip, daemon=True).start()
        began = time.monotonic()
        with pytest.raises(WebhookFailed, match="too long to respond"):
            call_webhook(
                Webhook(f"http://127.0.0.1:{server.getsockname()[1]}/", SECRET, START), "id", {}, START, loopback=True
            )
        assert time.monotonic() - began < 20, "this answer never ends"
        ended.set()


def test_a_large_answer_is_not_read(harness: NotificationHarness) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def pour() -> None:
            connection, _ = server.accept()
            with connection:
                connection.recv(65536)
                try:
                    connection.send(b"HTTP/1.1 200 OK\r\n\r\n")
                    while True:
                        connection.sendall(b"x" * 65536)
                except OSError:
                    return

        threading.Thread(target=pour, daemon=True).start()
        url = f"http://127.0.0.1:{server.getsockname()[1]}/"
        began = time.monotonic()
        assert call_webhook(Webhook(url, SECRET, START), "id", {}, START, loopback=True) == 200
        assert time.monotonic() - began < 5


def test_the_test_button_shows_the_result(harness: NotificationHarness, webhook_server: HookServer) -> None:
    from flask import Flask

    from service.wsgi import create_app
    from tests.service.web.visitors import Visitor

    app: Flask = create_app(harness.services)  # its OpenAPI document needs the real `datetime`
    with freeze_time(START):
        ann = Visitor(app).named("Ann")
        page = ann.send(ann.open("/account/notifications").form("/webhook"), url=webhook_server.url)
        secret = next(tag["value"] for tag in page.all("input") if tag.get("id") == "secret")
        assert secret not in ann.open("/account/notifications").html, "it is shown once"
        for status, words in ((204, "Your server responded with 204."), (500, "Your server responded with 500.")):
            webhook_server.answers.append(status)
            ann.send(ann.open("/account/notifications").form("/webhook/test"))
            harness.run()
            assert words in ann.open("/account/notifications").text
        verify(webhook_server.calls[0], secret)
        assert webhook_server.calls[0].json["type"] == "test"
        ann.send(ann.open("/account/notifications").form("/webhook/remove"))
        assert ann.open("/account/notifications").forms("/webhook/test") == []


# -- the guard ----------------------------------------------------------------------------------------------------

INSIDE = [
    "127.0.0.1", "127.8.8.8", "0.0.0.0", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.169.254",
    "100.64.0.1", "192.0.0.1", "192.0.2.1", "198.18.0.1", "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.1.1.1",
    "240.0.0.1", "255.255.255.255", "::", "::1", "fe80::1", "fc00::1", "fd00:ec2::254", "ff02::1", "2001:db8::1",
    "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "::127.0.0.1", "2002:7f00:1::1", "2002:a00:1::",
    "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::a00:1", "100::1", "192.0.0.192", "192.88.99.1",
    "168.63.129.16", "::ffff:168.63.129.16", "fec0::1", "feff::1", "2001::1", "2001:10::1", "3fff::1", "5f00::1",
]  # fmt: skip
OUTSIDE = ["93.184.216.34", "1.1.1.1", "172.32.0.1", "2606:4700:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808"]


@pytest.mark.parametrize("address", INSIDE)
def test_an_internal_address_is_refused(address: str) -> None:
    assert not is_public(ip_address(address))


@pytest.mark.parametrize("address", OUTSIDE)
def test_a_public_address_is_allowed(address: str) -> None:
    assert is_public(ip_address(address))


@given(st.ip_addresses(v=4))
def test_an_embedded_ipv4_address_is_checked(address: Any) -> None:
    number = int(address)
    for dressed in (f"::ffff:{address}", f"64:ff9b::{number >> 16:x}:{number & 0xFFFF:x}"):
        assert is_public(ip_address(dressed)) == is_public(address)


@pytest.mark.parametrize(
    "host", ["2130706433", "0x7f000001", "017700000001", "127.1", "0", "localhost", "[::1]", "[::ffff:7f00:1]"]
)
def test_loopback_is_refused_in_every_notation(host: str) -> None:
    with pytest.raises(WebhookFailed):
        call_webhook(Webhook(f"http://{host}:9/", SECRET, START), "id", {}, START, loopback=False)
    with pytest.raises(AddressRefused):
        require_allowed(resolve(host.strip("[]"), 9, 5), loopback=False)


def test_one_internal_address_is_enough_to_refuse_a_host() -> None:
    both = [(socket.AF_INET, "93.184.216.34"), (socket.AF_INET, "10.0.0.1")]
    assert require_allowed(both[:1], loopback=False) == both[:1]
    for found in (both, both[::-1], []):
        with pytest.raises(AddressRefused):
            require_allowed(found, loopback=False)


def test_allowing_loopback_allows_nothing_else() -> None:
    assert all(is_allowed(address, loopback=True) for address in ("127.0.0.1", "::1", "::ffff:127.0.0.1"))
    for address in INSIDE:
        text = address.lower()
        if (
            ip_address(text).is_loopback
            or "127.0.0.1" in text
            or text in ("127.8.8.8", "2002:7f00:1::1", "64:ff9b::7f00:1")
        ):
            continue
        assert not is_allowed(text, loopback=True), address


def test_a_name_is_resolved_once_and_the_checked_address_is_used(
    webhook_server: HookServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Given a name with a public address at first and an internal one afterwards (DNS rebinding), when its webhook is
    called, then the connection goes to the checked address."""
    asked: list[str] = []
    connected: list[str] = []
    port = int(webhook_server.url.split(":")[2].split("/")[0])

    def rebinding(host: str, port: int, **_: Any) -> list[Any]:
        asked.append(host)
        address = "93.184.216.34" if len(asked) == 1 else "127.0.0.1"
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))]

    class Sockets(httpcore.SyncBackend):
        def connect_tcp(self, host: str, *args: Any, **kwargs: Any) -> httpcore.NetworkStream:
            connected.append(host)
            raise httpcore.ConnectError("no server there")

    monkeypatch.setattr(ssrf_guard.socket, "getaddrinfo", rebinding)
    monkeypatch.setattr(ssrf_guard.httpcore, "SyncBackend", Sockets)
    with pytest.raises(WebhookFailed):
        call_webhook(Webhook(f"http://rebind.example.org:{port}/", SECRET, START), "id", {}, START, loopback=False)
    assert asked == ["rebind.example.org"]
    assert connected == ["93.184.216.34"]
    with pytest.raises(WebhookFailed, match="Use a public address"):
        call_webhook(Webhook(f"http://rebind.example.org:{port}/", SECRET, START), "id", {}, START, loopback=False)
    assert connected == ["93.184.216.34"]
    assert webhook_server.calls == []


def test_a_resolver_that_does_not_answer_respects_the_calls_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = threading.Event()
    monkeypatch.setattr(ssrf_guard.socket, "getaddrinfo", lambda *_, **__: answers.wait(30) and [])
    monkeypatch.setattr(webhooks, "CALL_TIMEOUT_SECONDS", 0.3)
    began = time.monotonic()
    with pytest.raises(WebhookFailed, match="couldn't be reached"):
        call_webhook(Webhook("http://slow.example.org/", SECRET, START), "id", {}, START, loopback=False)
    assert time.monotonic() - began < 20, "the resolver needs 30 seconds"
    answers.set()


def test_no_one_learns_which_internal_names_exist(monkeypatch: pytest.MonkeyPatch) -> None:
    """Given a name with an internal address and an unknown name, then both fail with the same message."""

    def resolver(host: str, *_: Any, **__: Any) -> list[Any]:
        if host == "vault.example.org":
            return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("10.0.0.7", 80))]
        raise socket.gaierror

    monkeypatch.setattr(ssrf_guard.socket, "getaddrinfo", resolver)
    harness = set()
    for name in ("vault", "nothing"):
        with pytest.raises(WebhookFailed) as failed:
            call_webhook(Webhook(f"http://{name}.example.org/", SECRET, START), "id", {}, START, loopback=False)
        harness.add(str(failed.value))
    assert harness == {"The host is unknown or not public. Use a public address."}


def test_the_certificate_must_match_the_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """TLS connects to the checked address, but requires the certificate of the host in the URL."""
    server_names: list[str | None] = []

    class Stream(httpcore.NetworkStream):
        def start_tls(self, context: ssl.SSLContext, server_hostname: str | None = None, timeout: Any = None) -> Any:
            assert context.check_hostname
            assert context.verify_mode == ssl.CERT_REQUIRED
            server_names.append(server_hostname)
            raise httpcore.ConnectError("enough seen")

        def close(self) -> None:
            return

    class Sockets(httpcore.SyncBackend):
        def connect_tcp(self, *args: Any, **kwargs: Any) -> httpcore.NetworkStream:
            return Stream()

    monkeypatch.setattr(ssrf_guard, "resolve", lambda host, port, seconds: [(socket.AF_INET, "93.184.216.34")])
    monkeypatch.setattr(ssrf_guard.httpcore, "SyncBackend", Sockets)
    with pytest.raises(WebhookFailed):
        call_webhook(Webhook("https://hooks.example.org/", SECRET, START), "id", {}, START, loopback=False)
    assert server_names == ["hooks.example.org"]


def test_webhooks_use_no_unix_sockets() -> None:
    with pytest.raises(AddressRefused):
        GuardedBackend(1, loopback=True).connect_unix_socket("/tmp/x")


@pytest.mark.parametrize(
    "url",
    [
        "", "ftp://example.org/", "//example.org/", "http://", "http:///x", "https://user@example.org/", "https://a:b@c.org/",
        "https://example.org/\r\nX: y", "https://exa mple.org/", "https://example.org/\u00a0", "javascript:alert(1)",
        "https://example.org/#x", "https://example.org:99999/", "https://example.org:0/", "https://ex\u00e4mple.org/",
        "https://example.org\\@10.0.0.1/", "http://[::1", "https://example.org/" + "x" * 500, "file:///etc/passwd",
    ],
)  # fmt: skip
def test_an_invalid_webhook_url_is_refused(url: str) -> None:
    with pytest.raises(InvalidPreference, match="This webhook URL isn"):
        parse_webhook_url(url)


def test_an_internal_webhook_is_refused_if_loopback_is_not_allowed(
    services: Services, queue: Redis, webhook_server: HookServer
) -> None:
    with freeze_time(START):
        harness = NotificationHarness(services, queue)
        ann, _ = hooked(harness, webhook_server.url)
        harness.match(ann, harness.player("Bob"))
        harness.run()
        assert webhook_server.calls == []
        assert "not public" in services.notifications.preferences.outcomes(ann)["webhook"].text
