"""A TCP proxy that loses, delays or swallows requests and replies on demand."""

import re
import socket
import threading
import time
from collections import deque
from contextlib import suppress
from types import TracebackType
from typing import Self

CHUNK = 65536
WRITES = re.compile(rb"\r\n(?:SET|DEL|HSET|HDEL|ZADD|ZREM|SADD|SREM|EVAL|EVALSHA)\r\n")
"""Matches a request that writes."""
REMEMBERED = 10_000


class Proxy:
    """Forwards bytes between clients and the server's unix socket.

    Only requests with a given word are lost, so that a connection's handshake passes.
    """

    def __init__(self, upstream: str) -> None:
        self._upstream = upstream
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()
        self._lost_requests: dict[bytes, int] = {}
        self._lost_replies: dict[bytes, int] = {}
        self.mute = False
        """Forward nothing in either direction, but keep the connections open."""
        self.mute_replies = False
        """Forward all requests but no replies."""
        self.writes_left: int | None = None
        """How many further requests that write are forwarded; None for all."""
        self.delay = 0.0
        """Seconds to delay every packet, in either direction."""
        self.requests: deque[bytes] = deque(maxlen=REMEMBERED)
        """The latest packets from the clients."""
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close(self._listener, *self._open)

    def cut(self) -> None:
        """Break all current connections. New ones are accepted."""
        self._close(*tuple(self._open))

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self._listener.getsockname()[1]}"

    def lose_requests(self, word: bytes, times: int) -> None:
        """Drop the next `times` requests with this word and break their connections."""
        self._lost_requests[word] = times

    def lose_replies(self, word: bytes, times: int) -> None:
        """Forward the next `times` requests with this word, but break the connection instead of replying."""
        self._lost_replies[word] = times

    def count(self, word: bytes) -> int:
        """Return how many requests had this word."""
        return sum(word in request for request in self.requests)

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            try:
                server.connect(self._upstream)
            except OSError:
                client.close()
                continue
            self._open |= {client, server}
            cut = threading.Event()
            threading.Thread(target=self._requests, args=(client, server, cut), daemon=True).start()
            threading.Thread(target=self._replies, args=(server, client, cut), daemon=True).start()

    def _requests(self, client: socket.socket, server: socket.socket, cut: threading.Event) -> None:
        swallowed = False
        while data := self._receive(client):
            self.requests.append(data)
            time.sleep(self.delay)
            if self.mute:
                swallowed = True
                continue
            if swallowed:  # TCP never delivers data after a gap
                break
            if self._should_lose(self._lost_requests, data) or self._after_last_command(data):
                break
            if self._should_lose(self._lost_replies, data):
                cut.set()
            self._send(server, data)
        self._close(client, server)

    def _replies(self, server: socket.socket, client: socket.socket, cut: threading.Event) -> None:
        swallowed = False
        while data := self._receive(server):
            time.sleep(self.delay)
            if cut.is_set() or (swallowed and not self._is_mute):
                break
            swallowed = self._is_mute
            if not swallowed:
                self._send(client, data)
        self._close(client, server)

    @property
    def _is_mute(self) -> bool:
        return self.mute or self.mute_replies

    def _should_lose(self, plan: dict[bytes, int], data: bytes) -> bool:
        with self._lock:
            for word, times in plan.items():
                if times and word in data:
                    plan[word] -= 1
                    return True
        return False

    def _after_last_command(self, data: bytes) -> bool:
        with self._lock:
            if self.writes_left is None or not WRITES.search(data):
                return False
            self.writes_left -= 1
            return self.writes_left < 0

    @staticmethod
    def _receive(sock: socket.socket) -> bytes:
        try:
            return sock.recv(CHUNK)
        except OSError:
            return b""

    @staticmethod
    def _send(sock: socket.socket, data: bytes) -> None:
        try:
            sock.sendall(data)
        except OSError:
            sock.close()

    def _close(self, *socks: socket.socket) -> None:
        for sock in socks:
            self._open.discard(sock)
            with suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)
            sock.close()
