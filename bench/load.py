"""Load on a server and its cost: conversations on kept connections, and the processor time of a process group."""

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
    """The results of a load: answers per second, and the server's processor time per answer in us."""

    rate: float
    cost: float


def processor_nanoseconds(process: Path) -> int:
    """Return the processor time of all threads of a process, given as a folder under /proc."""
    return sum(int(thread.read_text().split()[0]) for thread in process.glob("task/*/schedstat"))


class Serving:
    """A server program with its own process group, and its port."""

    def __init__(self, process: "subprocess.Popen[bytes]", port: int) -> None:
        self.process, self.port = process, port

    def processes(self) -> list[Path]:
        """Return the folders of its processes under /proc."""
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
        """Return the processor time of all threads of its processes, to the nanosecond as counted by the kernel."""
        return sum(map(processor_nanoseconds, self.processes())) / 1e9

    def resident_bytes(self) -> int:
        """Return the memory of its processes: private memory, and a proportional part of shared memory."""
        kilobytes = 0
        for folder in self.processes():
            lines = (folder / "smaps_rollup").read_text().splitlines()
            kilobytes += next(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
        return kilobytes * 1024

    def under(self, conversations: Sequence[Sequence[bytes]], at_once: int) -> Load:
        """Run these conversations, up to this number at a time. Each request must be answered with 201."""
        count = sum(map(len, conversations))
        before, start = self.processor_seconds(), time.perf_counter()
        converse(self.port, conversations, at_once)
        elapsed = time.perf_counter() - start
        return Load(count / elapsed, (self.processor_seconds() - before) / count * 1e6)


@contextmanager
def serving(command: Sequence[str], port: int, environment: Mapping[str, str]) -> Iterator[Serving]:
    """Start the program and wait until it answers /readyz on the port."""
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
    """One conversation: requests one after another on one connection."""

    def __init__(self, port: int, requests: Sequence[bytes]) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=30)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._left = iter(requests)
        self._answer = b""

    def go_on(self) -> bool:
        """Send the next request. Return False if there is none."""
        request = next(self._left, None)
        if request is not None:
            self.socket.sendall(request)
        return request is not None

    def listen(self) -> bool:
        """Read the received bytes. Return whether the answer is complete. Raises AssertionError unless it is a 201."""
        self._answer += self.socket.recv(65536)
        head, found, body = self._answer.partition(b"\r\n\r\n")
        if not found or len(body) < content_length(head):
            return False
        assert head.startswith(b"HTTP/1.1 201"), self._answer[:500]
        self._answer = b""
        return True


def converse(port: int, conversations: Sequence[Sequence[bytes]], at_once: int) -> None:
    """Run the conversations, up to this number at a time, in one thread to take little time from the server."""
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
    """Return the length of the body according to these headers."""
    at = head.lower().index(b"content-length:") + len(b"content-length:")
    return int(head[at:].split(b"\r\n", 1)[0])


def http(method: str, path: str, body: bytes, token: str = "") -> bytes:
    """Return one request."""
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
    """Send one creating request and return its JSON answer."""
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
    """Return the command that `crumbtrail web` uses, for this application, with more settings."""
    return [
        *(sys.executable, "-m", "gunicorn", "--config", "python:service.runtime.gunicorn_config", application),
        *("--bind", f"127.0.0.1:{port}", *settings),
    ]


__all__ = ["Load", "Serving", "call", "free_port", "gunicorn", "http", "serving"]
