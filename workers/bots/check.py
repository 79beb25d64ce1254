"""The conformance check for bots of others: their program plays through a proxy that has mishaps on purpose.

The service never does any of this to a program on a good day; networks, restarts and crashes do. A sound program ends
every match all the same, and never sends an illegal move.
"""

import http.client
import json
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

TIMEOUT_SECONDS = 30
PASSED_ON = ("Authorization", "Content-Type", "Accept", "Idempotency-Key", "If-Match", "If-None-Match", "Last-Event-ID")

DOUBLED, CUT, REFUSED, LOST = "line doubled", "line cut in two", "503 for a move", "answer to a move lost"
MISHAPS = (DOUBLED, CUT, REFUSED, LOST)
LINE_MISHAPS = {2: DOUBLED, 4: CUT}
"""What happens to every line of a stream of turns whose number leaves this rest, of five."""
MOVE_MISHAPS = {1: REFUSED, 4: LOST}
"""What happens to every move whose number leaves this rest, of seven."""


@dataclass
class Seen:
    """What the proxy saw of a program."""

    accepted: int = 0
    repeated: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    mishaps: Counter[str] = field(default_factory=Counter)
    kinds: dict[str, set[str]] = field(default_factory=dict)
    """Kinds of moves that were accepted, by match."""
    lines: int = 0
    moves: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def line_mishap(self) -> str | None:
        """What is to happen to the next line."""
        with self.lock:
            self.lines += 1
            return LINE_MISHAPS.get(self.lines % 5)

    def move_mishap(self) -> str | None:
        """What is to happen to the next move."""
        with self.lock:
            self.moves += 1
            return MOVE_MISHAPS.get(self.moves % 7)

    def happened(self, mishap: str) -> None:
        """Count a mishap."""
        with self.lock:
            self.mishaps[mishap] += 1

    def answered(self, match: str, body: bytes, answer: http.client.HTTPResponse, document: bytes) -> None:
        """Take down what became of a move."""
        with self.lock:
            if answer.status == 201 and answer.headers.get("Idempotent-Replayed"):
                self.repeated += 1
            elif answer.status == 201:
                self.accepted += 1
                self.kinds.setdefault(match, set()).add(json.loads(body)["type"])
            else:
                self.refused[f"{answer.status} {code_of(document)}"] += 1

    @property
    def illegal(self) -> int:
        """How many moves were against the rules, or no moves at all."""
        return sum(times for refusal, times in self.refused.items() if refusal.startswith(("400", "422")))


def code_of(document: bytes) -> str:
    """The code of a problem document."""
    try:
        return str(json.loads(document)["code"])
    except (ValueError, KeyError, TypeError):
        return "?"


@contextmanager
def proxy(url: str, seen: Seen) -> Iterator[str]:
    """A proxy before the service at `url`; gives its own URL."""
    target = urlsplit(url)

    def connect() -> http.client.HTTPConnection:
        kind = http.client.HTTPSConnection if target.scheme == "https" else http.client.HTTPConnection
        return kind(target.netloc, timeout=TIMEOUT_SECONDS)

    server = ThreadingHTTPServer(("127.0.0.1", 0), handler(connect, target.path.rstrip("/"), seen))
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def handler(connect: Callable[[], http.client.HTTPConnection], prefix: str, seen: Seen) -> type[BaseHTTPRequestHandler]:
    """The class that serves one request of the program."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.pass_on(b"")

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            is_move = self.path.partition("?")[0].endswith("/moves") and "dry_run" not in self.path
            mishap = seen.move_mishap() if is_move else None
            if mishap:
                seen.happened(mishap)
            if mishap == REFUSED:
                self.say(503, "application/problem+json", b'{"status": 503, "code": "log_unavailable"}')
                return
            self.pass_on(body, is_move, lost=mishap == LOST)

        def pass_on(self, body: bytes, is_move: bool = False, lost: bool = False) -> None:
            """Ask the service and hand its answer on, or keep it."""
            connection = connect()
            try:
                headers = {name: self.headers[name] for name in PASSED_ON if name in self.headers}
                connection.request(self.command, prefix + self.path, body or None, headers)
                answer = connection.getresponse()
                if "/me/stream" in self.path and answer.status == 200:
                    self.stream(answer)
                    return
                document = answer.read()
                if is_move:
                    seen.answered(self.path.split("/")[-2], body, answer, document)
                if not lost:
                    self.say(answer.status, answer.headers.get("Content-Type", ""), document)
            except (OSError, http.client.HTTPException):
                return  # the service is away, or the program has gone: the connection just ends
            finally:
                connection.close()

        def stream(self, answer: http.client.HTTPResponse) -> None:
            """Lines of a stream, with mishaps."""
            self.send_response(200)
            self.send_header("Content-Type", answer.headers["Content-Type"])
            self.end_headers()
            for line in answer:
                told = line.startswith((b"{", b"data:"))
                mishap = seen.line_mishap() if told else None
                if mishap:
                    seen.happened(mishap)
                if mishap == CUT:
                    self.wfile.write(line[: len(line) // 2])
                    return
                self.wfile.write(line * 2 if mishap == DOUBLED else line)

        def say(self, status: int, kind: str, document: bytes) -> None:
            """An answer."""
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(document)))
            self.end_headers()
            self.wfile.write(document)

        def log_message(self, format: str, *arguments: Any) -> None:
            """Nothing: the report says what there is to say."""

    return Handler
