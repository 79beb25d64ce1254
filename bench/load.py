"""Load on a server, and what it costs there: conversations on kept connections, and the processor time of a group."""

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from selectors import EVENT_READ, DefaultSelector
from typing import Any

import msgspec

from service.cli.listen import free_port

READY_SECONDS = 20


class Load(msgspec.Struct, frozen=True):
    """What a load came to: answers a second, and the server's processor time of one, in us."""

    rate: float
    cost: float


def processor_nanoseconds(process: Path) -> int:
    """What the threads of a process, a folder under /proc, have run so far."""
    return sum(int(thread.read_text().split()[0]) for thread in process.glob("task/*/schedstat"))


class Serving:
    """A server program, which leads a process group of its own, and its port."""

    def __init__(self, process: "subprocess.Popen[bytes]", port: int) -> None:
        self.process, self.port = process, port

    def processes(self) -> list[Path]:
        """The folders of its processes under /proc."""
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                fields = (folder / "stat").read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue
            if int(fields[2]) == self.process.pid:
                found.append(folder)
        return found

    def processor_seconds(self) -> float:
        """What all threads of its processes have run so far, to the nanosecond as the kernel counts it."""
        return sum(map(processor_nanoseconds, self.processes())) / 1e9

    def resident_bytes(self) -> int:
        """The memory of its processes: what each has for itself, and its share of what they have in common."""
        kilobytes = 0
        for folder in self.processes():
            lines = (folder / "smaps_rollup").read_text().splitlines()
            kilobytes += next(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
        return kilobytes * 1024

    def under(self, conversations: Sequence[Sequence[bytes]], at_once: int) -> Load:
        """Hold these conversations, so many at once; each request must be answered 201."""
        count = sum(map(len, conversations))
        before, start = self.processor_seconds(), time.perf_counter()
        converse(self.port, conversations, at_once)
        elapsed = time.perf_counter() - start
        return Load(count / elapsed, (self.processor_seconds() - before) / count * 1e6)


@contextmanager
def serving(command: Sequence[str], port: int, environment: Mapping[str, str]) -> Iterator[Serving]:
    """The program, once it answers /readyz on the port."""
    process = subprocess.Popen(command, env={**os.environ, **environment}, start_new_session=True)
    try:
        wait_for(process, port)
        yield Serving(process, port)
    finally:
        process.terminate()
        process.wait(30)


def wait_for(process: "subprocess.Popen[bytes]", port: int) -> None:
    """Wait until it answers."""
    ends = time.monotonic() + READY_SECONDS
    while time.monotonic() < ends and process.poll() is None:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=1):
                return
        except OSError:
            time.sleep(0.1)
    raise TimeoutError(f"nothing answers on port {port}")


class Talk:
    """One conversation: its requests one after the other on one connection."""

    def __init__(self, port: int, requests: Sequence[bytes]) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=30)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._left = iter(requests)
        self._answer = b""

    def go_on(self) -> bool:
        """Send the next request; False when there is none."""
        request = next(self._left, None)
        if request is not None:
            self.socket.sendall(request)
        return request is not None

    def listen(self) -> bool:
        """Take in what has come; True when the answer is whole. Raises AssertionError unless it is a 201."""
        self._answer += self.socket.recv(65536)
        head, found, body = self._answer.partition(b"\r\n\r\n")
        if not found or len(body) < content_length(head):
            return False
        assert head.startswith(b"HTTP/1.1 201"), self._answer[:500]
        self._answer = b""
        return True


def converse(port: int, conversations: Sequence[Sequence[bytes]], at_once: int) -> None:
    """Hold the conversations, so many at once, in one thread: the load takes as little as can be from the server."""
    waiting = iter(conversations)
    with DefaultSelector() as selector:

        def begin() -> None:
            requests = next(waiting, None)
            if requests is not None:
                talk = Talk(port, requests)
                selector.register(talk.socket, EVENT_READ, talk)
                talk.go_on()

        for _ in range(at_once):
            begin()
        while selector.get_map():
            for key, _ in selector.select(30):
                talk: Talk = key.data
                if talk.listen() and not talk.go_on():
                    selector.unregister(talk.socket)
                    talk.socket.close()
                    begin()


def content_length(head: bytes) -> int:
    """How long the body is by this head."""
    at = head.lower().index(b"content-length:") + len(b"content-length:")
    return int(head[at:].split(b"\r\n", 1)[0])


def http(method: str, path: str, body: bytes, token: str = "") -> bytes:
    """One request."""
    head = [
        f"{method} {path} HTTP/1.1",
        "Host: bench",
        "Content-Type: application/json",
        f"Content-Length: {len(body)}",
    ]
    if token:
        head.append(f"Authorization: Bearer {token}")
    return "\r\n".join([*head, "", ""]).encode() + body


def call(port: int, method: str, path: str, body: Any, token: str = "") -> Any:
    """One request that makes something; its JSON answer."""
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        connection.sendall(http(method, path, msgspec.json.encode(body), token))
        answer = b""
        while b"\r\n\r\n" not in answer:
            answer += connection.recv(65536)
        head, _, found = answer.partition(b"\r\n\r\n")
        while len(found) < content_length(head):
            found += connection.recv(65536)
    assert head.startswith(b"HTTP/1.1 201"), (head, found)
    return msgspec.json.decode(found)


def gunicorn(application: str, port: int, *settings: str) -> list[str]:
    """The command that `crumbtrail web` uses, for this application, with further settings."""
    return [
        *(sys.executable, "-m", "gunicorn", "--config", "python:service.runtime.gunicorn_config", application),
        *("--bind", f"127.0.0.1:{port}", *settings),
    ]


__all__ = ["Load", "Serving", "call", "free_port", "gunicorn", "http", "serving"]
