"""Secrets given to the running service appear in no command line, log line, job or queue key."""

import os
import secrets
import signal
import time
import zlib
from pathlib import Path
from typing import Any

from redis import Redis

from service.event_store.connect import connect
from service.event_store.embedded import EmbeddedServer
from tests import plain_http
from tests.processes import children_of, command_of
from tests.reliability.stack import Stack, running_stack

WORKERS = ("bot worker", "audit worker", "mail worker", "webhook worker")
SMTP_PASSWORD = "planted-" + secrets.token_hex(12)
BOT_TOKEN = "ct_planted" + secrets.token_hex(12)
SEED = secrets.token_hex(24)
SHARE = secrets.token_hex(32)
KEY = "planted key " + secrets.token_hex(12)


def test_no_secret_is_found_where_others_could_read_it(short_dir: Path) -> None:
    """The secrets are passwords, tokens, an invite code, a webhook secret, a session, a seed and others.

    None is found outside its own store, while jobs wait, succeed and fail and requests are refused.
    """
    output = short_dir / "output.txt"
    settings = {
        "CRUMBTRAIL_SMTP_URL": f"smtp://crumbs:{SMTP_PASSWORD}@127.0.0.1:9",
        "CRUMBTRAIL_MAIL_FROM": "crumbs@example.org",
        "CRUMBTRAIL_BOT_TOKEN": BOT_TOKEN,
        "CRUMBTRAIL_WEBHOOK_LOOPBACK": "1",
    }
    with running_stack(short_dir / "data", output, **settings) as stack:
        queue = connect(EmbeddedServer(short_dir / "data").url(1))
        assert isinstance(queue, Redis)
        signal_workers(stack, signal.SIGSTOP)
        match, planted = use(stack)
        waiting = wait_for_jobs(queue)
        signal_workers(stack, signal.SIGCONT)
        time.sleep(3)
        commands = [command_of(pid) for pid in family(stack.process.pid)]
        places = {
            "a command line": "\n".join(commands),
            "the queue": waiting + read_all(queue),
            "the log's lines": output.read_text(),
        }
        assert match in waiting, "the search must find the match id, which is not secret"
        assert len(commands) > 8
        assert "valkey" in places["a command line"]
    places["the log's lines"] += output.read_text()
    for what, secret in planted.items():
        for where, text in places.items():
            assert secret not in text, f"{what} is in {where}"


def use(stack: Stack) -> tuple[str, dict[str, str]]:
    """Create and send secrets. Return the id of a match with a bot to move, and the secrets by name."""
    http = plain_http.Client(base_url=f"{stack.url}/api/v1", timeout=20)
    ann = http.post("/players", json={"name": "Ann"}).json()["token"]
    bearer = {"Authorization": f"Bearer {ann}"}
    hook = http.put("/me/notifications/webhook", json={"url": "http://127.0.0.1:9/hook"}, headers=bearer).json()
    http.post("/me/notifications/webhook/test", headers=bearer)
    seats = [{"kind": "me"}, {"kind": "bot", "level": "random"}]
    body = {"game": "tic_tac_toe", "seats": seats, "seed": SEED}
    match = http.post("/matches", json=body, headers={**bearer, "Idempotency-Key": KEY}).json()["match"]["id"]
    http.post(
        f"/matches/{match}/moves", json={"type": "mark", "cell": 0}, headers={**bearer, "Idempotency-Key": KEY + "2"}
    )
    open_seats = [{"kind": "me"}, {"kind": "open", "private": True}]
    made = http.post("/matches", json={"game": "tic_tac_toe", "seats": open_seats}, headers=bearer).json()
    invitation = made["invitations"]["1"]
    seat = f"/matches/{made['match']['id']}/seats/1"
    sitting = {"name": "Bob", "invitation": invitation, "commitment": made["commitment"], "share": SHARE}
    guest = http.post(seat, json=sitting).json()["token"]
    wrong = "ct_wrong" + secrets.token_hex(12)
    for headers in ({"Authorization": f"Bearer {wrong}"}, {"Authorization": f"Basic {wrong}"}):
        assert http.get("/me", headers=headers).status_code == 401
    assert http.post("/matches", content=wrong.encode(), headers=bearer).status_code == 415
    pages = plain_http.Client(base_url=stack.url, timeout=20)
    form = pages.get("/name").text.partition('name="csrf_token" value="')[2].partition('"')[0]
    pages.post("/name", data={"csrf_token": form, "name": "Cid"})
    pages.post("/sign-in", data={"csrf_token": form, "address": "planted-cid@example.org"})
    session = pages.cookies["crumbtrail"]
    return match, {
        "the mail password": SMTP_PASSWORD,
        "the worker's token": BOT_TOKEN,
        "a token": ann,
        "a guest's token": guest,
        "an invalid token": wrong,
        "a webhook's secret": hook["secret"].removeprefix("whsec_"),
        "a given seed": SEED,
        "a share of the luck": SHARE,
        "an idempotency key": KEY,
        "an invitation": invitation,
        "a session": session,
        "a form's token": form,
        "an address": "planted-cid@example.org",
    }


def signal_workers(stack: Stack, number: int) -> None:
    """Send a signal to all workers."""
    for name in WORKERS:
        for pid in stack.pids(name):
            os.kill(pid, number)


def family(parent: int) -> list[int]:
    """Return a process and all its descendants."""
    return [parent, *(each for child in children_of(parent) for each in family(child))]


def wait_for_jobs(queue: Redis) -> str:
    """Wait until the queue has jobs, and return its content."""
    until = time.monotonic() + 15
    while time.monotonic() < until:
        if any(queue.keys("rq:job:*")):
            time.sleep(1)
            return read_all(queue)
        time.sleep(0.1)
    return ""


def read_all(queue: Redis) -> str:
    """Return all keys and values of a server, decompressed."""
    readers: dict[bytes, Any] = {
        b"string": queue.get,
        b"hash": queue.hgetall,
        b"list": lambda key: queue.lrange(key, 0, -1),
        b"set": queue.smembers,
        b"zset": lambda key: queue.zrange(key, 0, -1),
        b"stream": queue.xrange,
    }
    found = []
    for key in queue.keys("*"):
        kind: Any = queue.type(key)
        if kind in readers:
            found.append(repr((key, decompressed(readers[kind](key)))))
    return "\n".join(found)


def decompressed(value: Any) -> Any:
    """Return the value with its compressed parts decompressed."""
    match value:
        case bytes():
            try:
                return zlib.decompress(value)
            except zlib.error:
                return value
        case dict():
            return {key: decompressed(part) for key, part in value.items()}
        case list() | set() | tuple():
            return [decompressed(part) for part in value]
    return value
