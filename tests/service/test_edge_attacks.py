"""Attacks on gunicorn through raw sockets, started as `crumbtrail web` starts it."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from service.event_store.embedded import EmbeddedServer
from service.runtime.gevent_support import BODY_SECONDS
from tests import plain_http
from tests.processes import descendants_of
from tests.service.api.test_server import Site, serve

MIB = 2**20
SLOWEST_HEAD = 8
"""Seconds; gunicorn waits two for a complete request."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, server: EmbeddedServer) -> Iterator[Site]:
    with serve(server, PROMETHEUS_MULTIPROC_DIR=str(tmp_path_factory.mktemp("metrics"))) as site:
        yield site


@pytest.fixture(scope="module", autouse=True)
def dripping(site: Site) -> Iterator["SlowClient"]:
    """A body that is sent slowly while the other tests run."""
    with SlowClient(site) as found:
        yield found


class SlowClient(threading.Thread):
    """A client that sends one byte of a body per second. `answer` is the response."""

    def __init__(self, site: Site) -> None:
        super().__init__(daemon=True)
        self.line, self.answer, self.began = connect_raw(site), b"", time.monotonic()
        self._over = threading.Event()

    def __enter__(self) -> "SlowClient":
        self.line.sendall(START + b"Content-Length: 200\r\n\r\n{")
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self.join()
        self.line.close()

    def run(self) -> None:
        """Send until there is an answer or the client is closed."""
        self.line.settimeout(1)
        while time.monotonic() - self.began < 60 and not self.answer and not self._over.is_set():
            with suppress(TimeoutError):
                self.line.sendall(b" ")
                self.answer = self.line.recv(65536) + self.line.recv(65536)


def connect_raw(site: Site) -> socket.socket:
    """Return a connection to the server."""
    host, port = site.base.removeprefix("http://").split(":")
    return socket.create_connection((host, int(port)), timeout=15)


def send_raw(site: Site, raw: bytes) -> bytes:
    """Send these bytes and return everything received until the server hangs up or is silent for three seconds."""
    with connect_raw(site) as line:
        line.settimeout(3)
        answer = b""
        try:
            line.sendall(raw)
            while piece := line.recv(65536):
                answer += piece
        except (TimeoutError, ConnectionError):
            pass
        return answer


def statuses_in(answer: bytes) -> list[int]:
    """Return the status of each response."""
    return [int(line.split()[1]) for line in answer.split(b"\r\n") if line.startswith(b"HTTP/1.")]


BODY = b'{"name":"Eve"}'
HIDDEN_REQUEST = (
    b"POST /api/v1/players HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 14\r\n\r\n" + BODY
)
START = b"POST /api/v1/players HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
SMUGGLED = {
    "two lengths": START + b"Content-Length: 14\r\nContent-Length: 15\r\n\r\n" + BODY,
    "two equal lengths": START + b"Content-Length: 14\r\nContent-Length: 14\r\n\r\n" + BODY,
    "a list of lengths": START + b"Content-Length: 14, 14\r\n\r\n" + BODY,
    "a negative length": START + b"Content-Length: -1\r\n\r\n" + BODY,
    "a length with a sign": START + b"Content-Length: +14\r\n\r\n" + BODY,
    "a length in other digits": START + "Content-Length: ١٤\r\n\r\n".encode() + BODY,
    "a length with an underscore": START + b"Content-Length: 1_4\r\n\r\n" + BODY,
    "length and chunks": START + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + HIDDEN_REQUEST,
    "two encodings": START
    + b"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n"
    + HIDDEN_REQUEST,
    "an unknown encoding": START + b"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n" + HIDDEN_REQUEST,
    "a space before the colon": START
    + b"Transfer-Encoding : chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n"
    + HIDDEN_REQUEST,
    "a folded header": START + b"X: a\r\n Content-Length: 14\r\nContent-Length: 0\r\n\r\n" + HIDDEN_REQUEST,
    "a NUL in a header": START + b"X: a\x00b\r\nContent-Length: 0\r\n\r\n" + HIDDEN_REQUEST,
    "a bare CR in a header": START + b"X: a\rContent-Length: 14\r\nContent-Length: 0\r\n\r\n" + HIDDEN_REQUEST,
    "a bad chunk": START + b"Transfer-Encoding: chunked\r\n\r\n0x5\r\nhello\r\n0\r\n\r\n" + HIDDEN_REQUEST,
    "a negative chunk": START + b"Transfer-Encoding: chunked\r\n\r\n-5\r\nhello\r\n0\r\n\r\n" + HIDDEN_REQUEST,
    "a huge chunk": START + b"Transfer-Encoding: chunked\r\n\r\n" + b"f" * 40 + b"\r\nhello",
    "no method": b" / HTTP/1.1\r\nHost: x\r\n\r\n",
    "no version": b"GET /\r\n\r\n",
    "a strange version": b"GET / HTTP/9.9\r\nHost: x\r\n\r\n",
    "TLS": bytes.fromhex("1603010200010001fc0303") + b"\x00" * 100,
    "bytes": b"\x00\xff" * 500 + b"\r\n\r\n",
}


@pytest.mark.parametrize("raw", SMUGGLED.values(), ids=SMUGGLED)
def test_an_ambiguous_request_is_rejected(site: Site, raw: bytes) -> None:
    """A request smuggled inside it gets no response."""
    answer = send_raw(site, raw)
    assert all(400 <= status < 600 for status in statuses_in(answer)), answer[:300]
    assert len(statuses_in(answer)) <= 1
    assert b"ct_" not in answer
    assert b"Traceback" not in answer
    assert b".py" not in answer


CHUNKED = START + b"Transfer-Encoding: chunked\r\n\r\n"
BROKEN_CHUNKS = {
    "a negative size": b"-c\r\n",
    "a size with a prefix": b"0xc\r\n",
    "no number": b"zz\r\n",
    "an empty size": b"\r\n",
    "a sign": b"+c\r\n",
    "an underscore": b"1_0\r\n",
    "a space before the size": b" e\r\n",
    "a space after the size": b"e \r\n",
    "other digits": "٣\r\n".encode(),
    "a broken extension": b"e;=\r\n",
    "a bare CR in an extension": b"e;a=\rb\r\n",
    "a wrong terminator": b"e\r\n" + BODY + b"XX0\r\n\r\n",
    "no terminator": b"e\r\n" + BODY + b"0\r\n\r\n",
    "a size too small": b"5\r\n" + BODY + b"\r\n0\r\n\r\n",
    "a broken second size": b"e\r\n" + BODY + b"\r\nzz\r\n\r\n",
    "a bare LF after the last chunk": b"e\r\n" + BODY + b"\r\n0\r\n\nx: y\r\n\r\n",
    "a broken trailer": b"e\r\n" + BODY + b"\r\n0\r\nno colon\r\n\r\n",
    "an endless size line": b"0" * 20_000,
    "an endless trailer": b"e\r\n" + BODY + b"\r\n0\r\n" + b"x: y\r\n" * 20_000,
}
FORM = b"POST /name HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\n"


@pytest.mark.parametrize("body", BROKEN_CHUNKS.values(), ids=BROKEN_CHUNKS)
@pytest.mark.parametrize("start", [START, pytest.param(FORM, marks=pytest.mark.full)], ids=["API", "page"])
def test_broken_chunks_get_a_bad_request(site: Site, start: bytes, body: bytes) -> None:
    """Given a body whose chunks are broken, then the answer is one 400, without a token or a traceback, and the
    connection is closed, so that nothing after the body is taken for a request."""
    answer = send_raw(site, start + b"Transfer-Encoding: chunked\r\n\r\n" + body + HIDDEN_REQUEST)
    assert statuses_in(answer) == [400], answer[:300]
    assert b"ct_" not in answer
    assert b"Traceback" not in answer


def test_whole_chunks_are_read(site: Site) -> None:
    answer = send_raw(site, CHUNKED + b"4;a=b\r\n" + BODY[:4] + b"\r\nA\r\n" + BODY[4:] + b"\r\n0\r\nx: y\r\n\r\n")
    assert statuses_in(answer) == [201]


OVERSIZED = {
    "a header": b"GET /healthz HTTP/1.1\r\nHost: x\r\nX: " + b"x" * 20_000 + b"\r\n\r\n",
    "many headers": b"GET /healthz HTTP/1.1\r\nHost: x\r\n" + b"X: y\r\n" * 500 + b"\r\n",
    "a line": b"GET /" + b"x" * 20_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
    "a cookie": b"GET / HTTP/1.1\r\nHost: x\r\nCookie: crumbtrail=" + b"x" * 20_000 + b"\r\n\r\n",
    "an endless header": b"GET / HTTP/1.1\r\nHost: x\r\nX: " + b"x" * 3 * MIB,
}


@pytest.mark.parametrize("raw", OVERSIZED.values(), ids=OVERSIZED)
def test_an_oversized_request_head_is_rejected(site: Site, raw: bytes) -> None:
    answer = send_raw(site, raw)
    assert all(400 <= status < 500 for status in statuses_in(answer)), answer[:300]
    assert b"Traceback" not in answer


def test_slow_request_heads_are_dropped_and_do_not_delay_others(site: Site) -> None:
    lines = [connect_raw(site) for _ in range(150)]
    for line in lines:
        line.sendall(b"GET /healthz HTTP/1.1\r\nX: ")
    began, slowest = time.monotonic(), 0.0
    while time.monotonic() - began < 2:
        started = time.monotonic()
        assert plain_http.get(f"{site.base}/healthz", timeout=60).status_code == 200
        slowest = max(slowest, time.monotonic() - started)
    assert slowest < 2
    for line in lines:
        line.settimeout(SLOWEST_HEAD)
        assert line.recv(1000) == b""
        line.close()


def test_large_and_endless_bodies_use_little_memory(site: Site) -> None:
    """Given 40 concurrent files of 16 MiB and 40 endless bodies, the processes grow by less than their total size."""
    before = memory_of(site)
    peak = before
    threads = [threading.Thread(target=post_endlessly, args=(site, n % 2 == 0), daemon=True) for n in range(80)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        peak = max(peak, memory_of(site))
        time.sleep(0.05)
    assert plain_http.get(f"{site.base}/healthz", timeout=10).status_code == 200
    assert peak - before < 400 * MIB, f"grew by {(peak - before) // MIB} MiB"


def post_endlessly(site: Site, file: bool) -> None:
    """Send a large file to verify, or an endless body, until the server stops reading."""
    path = b"/api/v1/replays/verify" if file else b"/api/v1/players"
    length = b"Content-Length: %d" % (16 * MIB) if file else b"Transfer-Encoding: chunked"
    piece = b"x" * MIB if file else b"100000\r\n" + b"x" * MIB + b"\r\n"
    with connect_raw(site) as line:
        try:
            line.sendall(b"POST " + path + b" HTTP/1.1\r\nHost: x\r\nConnection: close\r\n" + length + b"\r\n\r\n")
            for _ in range(16):
                line.sendall(piece)
            while line.recv(65536):
                pass
        except OSError:
            return


def memory_of(site: Site) -> int:
    """Return the memory of the server's processes in bytes."""
    found = 0
    for process in [site.process.pid, *descendants_of(site.process.pid)]:
        status = Path(f"/proc/{process}/status").read_text()
        found += next(int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("VmRSS"))
    return found


def test_a_slow_body_gets_a_timeout_error(dripping: SlowClient) -> None:
    dripping.join(60)
    assert b" 408 " in dripping.answer.partition(b"\r\n")[0]
    assert b'"code":"too_slow"' in dripping.answer
    assert time.monotonic() - dripping.began >= BODY_SECONDS
