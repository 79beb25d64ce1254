"""The proxy of the conformance check for bots, which causes faults on purpose.

Networks, restarts and crashes cause such faults in practice. A sound program still finishes every match and never sends
an illegal move.
"""

import http.client
import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

TIMEOUT_SECONDS = 30
FORWARDED_HEADERS = (
    "Authorization",
    "Content-Type",
    "Accept",
    "Idempotency-Key",
    "If-Match",
    "If-None-Match",
    "Last-Event-ID",
)

UNAVAILABLE = {
    "type": "urn:crumbtrail:problem:log_unavailable",
    "title": "Log unavailable",
    "status": 503,
    "detail": "The log is unavailable. Nothing is lost: repeat the request with the same Idempotency-Key.",
    "code": "log_unavailable",
    "retry_after": 2,
}
"""A copy of the service's response, so that the check doesn't depend on the service's dependencies."""
UNAVAILABLE_HEADERS = (("Content-Type", "application/problem+json"), ("Retry-After", "2"))
HOP_BY_HOP_HEADERS = frozenset({"connection", "keep-alive", "transfer-encoding", "content-length"})
"""Headers, in lower case, that are not forwarded because they apply to a single connection."""

DOUBLED, CUT, DROPPED = "line doubled", "line cut in two", "line dropped"
REFUSED, LOST = "503 for a move", "response to a move lost"
MISHAPS = (DOUBLED, CUT, DROPPED, REFUSED, LOST)
LINE_MISHAPS = {2: DOUBLED, 4: CUT, 0: DROPPED}
"""Faults by line number of a turn stream, modulo 5 (modulo 25 after the first `FREQUENT_MISHAP_LINES` lines)."""
MISHAP_PERIOD, RARE_MISHAP_PERIOD = 5, 25
FREQUENT_MISHAP_LINES = 50
MOVE_MISHAPS = {1: REFUSED, 4: LOST}
"""Faults by number of the move, modulo 7."""
DEFAULT_LIMIT, MAX_LIMIT = 200, 10_000
"""Default and maximum number of legal moves in a list. The proxy reads the maximum to find kinds not yet made."""
DROP_DELAY_SECONDS = 0.5
"""How long the connection stays open after a dropped line."""


@dataclass
class ProxyRecord:
    """What the proxy observed of a program."""

    accepted: int = 0
    repeated: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    mishaps: Counter[str] = field(default_factory=Counter)
    connections: int = 0
    """How often a turn stream was opened."""
    games: dict[str, str] = field(default_factory=dict)
    """The game of each match."""
    expected_kinds: dict[str, set[str]] = field(default_factory=dict)
    """The kinds of moves of each game."""
    accepted_kinds: dict[str, set[str]] = field(default_factory=dict)
    """The kinds of accepted moves, by game."""
    lines: int = 0
    moves: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def next_line_mishap(self) -> str | None:
        """Return the fault for the next line, or None."""
        with self.lock:
            self.lines += 1
            return LINE_MISHAPS.get(
                self.lines % (MISHAP_PERIOD if self.lines <= FREQUENT_MISHAP_LINES else RARE_MISHAP_PERIOD)
            )

    def next_move_mishap(self) -> str | None:
        """Return the fault for the next move, or None."""
        with self.lock:
            self.moves += 1
            return MOVE_MISHAPS.get(self.moves % 7)

    def count_mishap(self, mishap: str) -> None:
        """Count a fault."""
        with self.lock:
            self.mishaps[mishap] += 1

    def record_response(self, match: str, body: bytes, response: http.client.HTTPResponse, document: bytes) -> None:
        """Record the outcome of a move."""
        with self.lock:
            if response.status == 201 and response.headers.get("Idempotent-Replayed"):
                self.repeated += 1
            elif response.status == 201:
                self.accepted += 1
                self.accepted_kinds.setdefault(self.games.get(match, ""), set()).add(json.loads(body)["type"])
            else:
                self.refused[f"{response.status} {code_of(document)}"] += 1

    def count_connection(self) -> None:
        """Count an opened turn stream."""
        with self.lock:
            self.connections += 1

    def missing_kinds(self, match: str) -> set[str]:
        """Return the kinds of moves not yet made in the game of this match."""
        game = self.games.get(match, "")
        with self.lock:
            return self.expected_kinds.get(game, set()) - self.accepted_kinds.get(game, set())

    def narrow_moves(self, match: str, document: bytes, most: int) -> bytes:
        """Return a list of legal moves limited to kinds not yet made, if any are legal. A program that chooses from
        the list thus makes moves of every kind."""
        missing, legal = self.missing_kinds(match), json.loads(document)
        fresh = [move for move in legal["moves"] if move["type"] in missing]
        moves = (fresh or legal["moves"])[:most]
        more = legal["more"] or len(moves) < len(legal["moves"])
        return json.dumps({**legal, "moves": moves, "more": more}).encode()

    @property
    def illegal_count(self) -> int:
        """Return the number of moves that were illegal or malformed."""
        return sum(times for refusal, times in self.refused.items() if refusal.startswith(("400", "422")))


def with_max_limit(query: str) -> tuple[str, int] | None:
    """Return the query of a list of legal moves with the highest limit, and its original limit. None: the service
    refuses the query."""
    asked = dict(parse_qsl(query, keep_blank_values=True))
    limit = asked.get("limit", str(DEFAULT_LIMIT))
    if not (limit.isascii() and limit.isdecimal() and 1 <= int(limit) <= MAX_LIMIT):
        return None
    return urlencode({**asked, "limit": MAX_LIMIT}), int(limit)


def code_of(document: bytes) -> str:
    """Return the code of a problem document, or `?`."""
    try:
        return str(json.loads(document)["code"])
    except (ValueError, KeyError, TypeError):
        return "?"


def unavailable_problem(path: str) -> bytes:
    """Return the service's response while the log is unavailable."""
    return json.dumps({**UNAVAILABLE, "instance": path.partition("?")[0]}).encode()


@contextmanager
def run_proxy(url: str, seen: ProxyRecord) -> Iterator[str]:
    """Run a proxy for the service at `url` and yield the proxy's URL."""
    target = urlsplit(url)

    def connect() -> http.client.HTTPConnection:
        kind = http.client.HTTPSConnection if target.scheme == "https" else http.client.HTTPConnection
        return kind(target.netloc, timeout=TIMEOUT_SECONDS)

    server = ThreadingHTTPServer(("127.0.0.1", 0), make_handler(connect, target.path.rstrip("/"), seen))
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def stream_entries(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the entries of a stream: server-sent events, each ended by a blank line, or JSON lines."""
    begun = b""
    for line in lines:
        begun += line
        if line.startswith(b"{") or not line.strip():
            yield begun
            begun = b""
    if begun:
        yield begun


def is_turn(entry: bytes) -> bool:
    """Return whether an entry is a turn rather than a heartbeat."""
    return any(line.startswith((b"{", b"data:")) for line in entry.splitlines())


def make_handler(
    connect: Callable[[], http.client.HTTPConnection], prefix: str, seen: ProxyRecord
) -> type[BaseHTTPRequestHandler]:
    """Return the class that handles the program's requests."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.forward(b"")

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            is_move = self.path.partition("?")[0].endswith("/moves") and "dry_run" not in self.path
            mishap = seen.next_move_mishap() if is_move else None
            if mishap:
                seen.count_mishap(mishap)
            if mishap == REFUSED:
                self.respond(503, UNAVAILABLE_HEADERS, unavailable_problem(self.path))
                return
            self.forward(body, is_move, lost=mishap == LOST)

        def forward(self, body: bytes, is_move: bool = False, lost: bool = False) -> None:
            """Forward a request to the service, and return its response unless it is `lost`."""
            connection = connect()
            path, _, query = self.path.partition("?")
            match = path.split("/")[-2]
            wide = with_max_limit(query) if path.endswith("/legal-moves") and seen.missing_kinds(match) else None
            target = f"{path}?{wide[0]}" if wide else self.path
            try:
                headers = {name: self.headers[name] for name in FORWARDED_HEADERS if name in self.headers}
                connection.request(self.command, prefix + target, body or None, headers)
                response = connection.getresponse()
                if path.endswith("/me/stream") and response.status == 200:
                    self.stream(response)
                    return
                document = response.read()
                if is_move:
                    seen.record_response(match, body, response, document)
                if response.status == 200 and wide:
                    document = seen.narrow_moves(match, document, wide[1])
                if not lost:
                    self.respond(response.status, response.headers.items(), document)
            except (OSError, http.client.HTTPException):
                return  # the service or the program is gone, so the connection just ends
            finally:
                connection.close()

        def stream(self, response: http.client.HTTPResponse) -> None:
            """Forward the entries of a stream, with faults."""
            self.respond_head(200, response.headers.items())
            self.end_headers()
            seen.count_connection()
            for entry in stream_entries(response):
                mishap = seen.next_line_mishap() if is_turn(entry) else None
                if mishap:
                    seen.count_mishap(mishap)
                if mishap == DROPPED:
                    time.sleep(DROP_DELAY_SECONDS)
                    return
                if mishap == CUT:
                    self.wfile.write(entry[: len(entry) // 2])
                    return
                self.wfile.write(entry * 2 if mishap == DOUBLED else entry)

        def respond(self, status: int, headers: Iterable[tuple[str, str]], document: bytes) -> None:
            """Send a response."""
            self.respond_head(status, headers)
            self.send_header("Content-Length", str(len(document)))
            self.end_headers()
            self.wfile.write(document)

        def respond_head(self, status: int, headers: Iterable[tuple[str, str]]) -> None:
            """Send the status and headers of the service's response."""
            self.send_response_only(status)
            for name, value in headers:
                if name.lower() not in HOP_BY_HOP_HEADERS:
                    self.send_header(name, value)

        def log_message(self, format: str, *arguments: Any) -> None:
            """Log nothing: the report contains everything."""

    return Handler
