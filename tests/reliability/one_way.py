"""A server that the sentinels can reach but that they don't hear, while everyone else does."""

import socket
import threading
from contextlib import suppress

from service.cli.listen import free_port

CHUNK = 65536
SENTINEL_MARK = b"sentinel-"
"""Sentinels name their connections in their first packet."""


class OneWayProxy:
    """Forwards connections to a port of this machine. Replies to sentinels can be dropped."""

    def __init__(self, upstream: int) -> None:
        self.port = free_port("127.0.0.1")
        self._upstream = upstream
        self._dropping = False
        self._sentinels: set[socket.socket] = set()
        self._listener = socket.create_server(("127.0.0.1", self.port))
        threading.Thread(target=self._accept, daemon=True).start()

    def drop_replies_to_sentinels(self) -> None:
        """Drop all replies to sentinels from now on. Their requests still arrive."""
        self._dropping = True

    def heal(self) -> None:
        """Forward replies again. Connections with a gap are closed."""
        self._dropping = False
        for sock in tuple(self._sentinels):
            _close(sock)
        self._sentinels.clear()

    def close(self) -> None:
        """Accept no more connections."""
        _close(self._listener)

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._forward, args=(client,), daemon=True).start()

    def _forward(self, client: socket.socket) -> None:
        try:
            first = client.recv(CHUNK)
            server = socket.create_connection(("127.0.0.1", self._upstream))
            server.sendall(first)
        except OSError:
            _close(client)
            return
        is_sentinel = SENTINEL_MARK in first
        if is_sentinel:
            self._sentinels |= {client}
        threading.Thread(target=self._pump, args=(client, server, False), daemon=True).start()
        self._pump(server, client, is_sentinel)

    def _pump(self, source: socket.socket, target: socket.socket, may_drop: bool) -> None:
        with suppress(OSError):
            while data := source.recv(CHUNK):
                if not (may_drop and self._dropping):
                    target.sendall(data)
        _close(source)
        _close(target)


def _close(sock: socket.socket) -> None:
    with suppress(OSError):
        sock.shutdown(socket.SHUT_RDWR)
    sock.close()
