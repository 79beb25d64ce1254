"""Two identical services with one world each: same players, tokens, secret, clock and match."""

import logging
import re
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from typing import Any

import msgspec
from flask import Flask
from prometheus_client import REGISTRY
from redis import Redis
from werkzeug.test import TestResponse

from domain.kernel.chance import SEED_BYTES
from domain.kernel.event_codec import write_event
from domain.kernel.game import Seat
from service.accounts.players import Player
from service.bootstrap import Services, build_services
from service.event_store.connect import connect
from service.event_store.embedded import EmbeddedServer
from service.notifications.preferences import MailPreferences
from service.runtime.settings import Settings
from service.wsgi import create_app
from tests.builders import EPOCH, PACE
from tests.leaks.worlds import PEOPLE, World
from tests.service.api.conftest import ManualClock
from tests.service.web.visitors import Visitor
from workers.jobs.queue import JobQueue
from workers.processes.dispatcher import Dispatcher

NAMES = ("Ann", "Bob", "Cid", "Dora", "Eve", "Fay", "Gus", "Hal", "Ida")
SECRET = b"s" * SEED_BYTES
PER_REQUEST_HEADERS = ("Set-Cookie", "X-Request-Id")
"""Headers that differ with every request."""
RANDOM_PATTERNS = (
    (r'(name="csrf_token" value=)"[^"]*"', r'\1"<csrf>"'),
    (r"\b[0-9a-f]{128}\b", "<signature>"),  # over the hashes
    (r"\b[0-9a-f]{64}\b", "<hash>"),
    (r'(name="key" value=)"[0-9a-f]{32}"', r'\1"<key>"'),
    (r"\b[0-9a-f]{12}\b", "<order>"),
)
"""Values that differ between any two answers: form tokens and keys, ids of orders, hashes and signatures."""
FOREIGN_LOGGERS = ("mail.log", "httpcore", "asyncio")
"""Loggers of the test servers for email and webhooks, and of connections to them."""
TIME_FIELDS = frozenset((b"created_at", b"enqueued_at", b"started_at", b"ended_at", b"last_heartbeat"))
"""Fields of a job with times of the machine's clock."""
COMPARED_METRICS = ("crumbtrail_moves", "crumbtrail_failed", "crumbtrail_disputed", "crumbtrail_open")


class WorldService:
    """A service with one world."""

    def __init__(self, server: EmbeddedServer, number: int) -> None:
        self.url, self.queue_url = server.url(2 * number), server.url(2 * number + 1)
        self.redis: Redis = plain_redis(self.url)
        self.queue: Redis = plain_redis(self.queue_url)
        self.clock = ManualClock()
        self.redis.set("ct:secret", SECRET)
        self.services: Services = build_services(Settings(log_url=self.url, queue_url=self.queue_url), self.clock)
        self.app: Flask = create_app(self.services)
        self.dispatcher = Dispatcher(self.services, JobQueue(self.queue))
        self.services.log.require_moves_allowed()

    def reset(self) -> None:
        """Delete everything, including the caches of this process."""
        for cache in (
            self.services.matches.repository._heads,
            self.services.matches.repository._secrets,
            self.services.matches.commands._refused_attempts,
            self.dispatcher._projector._folded,
        ):
            cache.clear()
        self.redis.flushdb()
        self.queue.flushdb()
        self.redis.set("ct:secret", SECRET)
        self.services.log.require_moves_allowed()  # one service at most checks the server, and logs it

    def register_players(self, addresses: bool = False) -> None:
        """Create all players, with email addresses if wanted, and a signing key."""
        self.services.disputes.signing_keys.current_signer()
        for player, name in zip(PEOPLE, NAMES, strict=True):
            self.redis.set(f"ct:player:{player}", msgspec.json.encode(Player(player, name)))
            if addresses:
                self.services.notifications.preferences.set_address(player, f"{name.lower()}@example.org")
                self.services.notifications.preferences.set_mail_preferences(
                    player, MailPreferences(mail="each", patience=0)
                )

    def load_world(self, world: World, secrets: bytes, upto: int | None = None) -> None:
        """Append a world's missing events to the log, all or up to a ply."""
        match = world.match.id
        there = len(self.services.log.lines(match))
        lines = [write_event(event) for event in world.events[there:upto]]
        self.clock.time = EPOCH + PACE * (len(world.events) + 2)
        if lines:
            self.services.log.append(
                match, there, lines, command=f"{there}", payload="", seed=secrets if not there else None
            )
        self.dispatch()

    def dispatch(self) -> None:
        """Update lists and enqueue jobs as the dispatcher does."""
        self.dispatcher._poll()

    def jobs(self) -> dict[str, Any]:
        """Return all keys of the queue server with their values."""
        return {key.decode(): key_content(self.queue, key) for key in sorted(self.queue.scan_iter())}


def plain_redis(url: str) -> Redis:
    """Return a connection to a single server."""
    found = connect(url)
    assert isinstance(found, Redis)
    return found


def key_content(redis: Redis, key: bytes) -> Any:
    """Return the value of a key of any type; None if the key has disappeared."""
    kind = redis.type(key)
    reading: Any = {
        b"string": lambda: redis.get(key),
        b"hash": lambda: {name: held for name, held in redis.hgetall(key).items() if name not in TIME_FIELDS},
        b"list": lambda: redis.lrange(key, 0, -1),
        b"set": lambda: redis.smembers(key),
        b"zset": lambda: redis.zrange(key, 0, -1),  # its scores are times
        b"none": lambda: None,
    }
    return reading[kind]()


# -- the viewer ---------------------------------------------------------------------------------------------------


class Viewer:
    """A reader of a match in one service, who uses the API with a token and the pages with a session."""

    def __init__(self, service: WorldService, match: str, reader: Seat | None, player: str, token: str | None) -> None:
        self.service, self.app, self.match, self.reader, self.player = service, service.app, match, reader, player
        self.token = token
        self.visitor = Visitor(self.app)
        self.answers: list[tuple[str, TestResponse]] = []
        self._keys = 0
        self.visitor.sign_in(service.services, player)

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> TestResponse:
        """Send a request to the API, or to a path outside /api/v1, and record the answer."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        if self.token is not None:
            named.setdefault("Authorization", f"Bearer {self.token}")
        raw = None if body is None else body if isinstance(body, bytes) else msgspec.json.encode(body)
        path = path if path.startswith(("/healthz", "/readyz", "/.well")) else f"/api/v1{path}"
        kind = "application/json" if not isinstance(body, bytes) else "application/x-ndjson"
        return self._keep(
            method, self.app.test_client().open(path, method=method, data=raw, headers=named, content_type=kind)
        )

    def look(self, path: str) -> TestResponse:
        """Open a page and record the answer. Redirects are not followed."""
        return self._keep("GET", self.visitor.client.get(path))

    def post(self, path: str, **fields: Any) -> TestResponse:
        """Submit a form with a valid token and record the answer."""
        page = self.visitor.client.get("/name").get_data(as_text=True)
        found = re.search(r'name="csrf_token" value="([^"]*)"', page)
        assert found, page
        self._keys += 1
        data = {"csrf_token": found[1], "key": f"{self._keys:032x}", **fields}
        return self._keep("POST", self.visitor.client.post(path, data=data))

    def _keep(self, method: str, answer: TestResponse) -> TestResponse:
        answer.get_data()
        self.answers.append((method, answer))
        return answer


def comparable_answer(method: str, answer: TestResponse) -> dict[str, Any]:
    """Return status, headers, length and body of an answer, without values that differ between any two answers."""
    raw = answer.get_data()
    headers = {name: value for name, value in answer.headers.items() if name not in PER_REQUEST_HEADERS}
    length = len(raw)
    if answer.mimetype == "application/zip":
        with zipfile.ZipFile(BytesIO(raw)) as packed:
            raw = b"".join(name.encode() + packed.read(name) for name in packed.namelist())
        headers.pop("Content-Length", None)  # the compressed length depends on the hashes
        length = len(raw)
    return {
        "asked": f"{method} {answer.request.path}?{answer.request.query_string}",
        "status": answer.status_code,
        "headers": {name: without_random(value) for name, value in headers.items()},
        "length": length,
        "body": without_random(raw.decode()),
    }


def without_random(text: str) -> str:
    """Return a text with the values replaced that differ between any two answers."""
    for pattern, instead in RANDOM_PATTERNS:
        text = re.sub(pattern, instead, text)
    return text


# -- metrics and logs of a service --------------------------------------------------------------------------------


def counters() -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    """Return the metrics of this process that count things rather than time."""
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for metric in REGISTRY.collect()
        if metric.name.startswith(COMPARED_METRICS)
        for sample in metric.samples
        if not sample.name.endswith("_created")
    }


@contextmanager
def captured_logs() -> Iterator[list[str]]:
    """Collect all log lines of the block, debug lines included."""
    lines: list[str] = []

    class Collector(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if not record.name.startswith(FOREIGN_LOGGERS):
                lines.append(without_random(self.format(record)))

    collector, root = Collector(), logging.getLogger()
    before = root.level
    root.addHandler(collector)
    root.setLevel(logging.DEBUG)
    try:
        yield lines
    finally:
        root.removeHandler(collector)
        root.setLevel(before)


def copy_service(one: WorldService, other: WorldService) -> None:
    """Copy everything from one service to the other."""
    for key in one.redis.scan_iter():
        other.redis.restore(key, 0, one.redis.dump(key), replace=True)
