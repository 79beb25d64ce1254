"""A redis-py client without the work that redis-py adds to every command.

redis-py checks the connection before each command with a `select.poll`, which is slow under gevent, and runs retries
and measurements that are switched off here. This client uses the same connections, made, checked and mended by
redis-py, and leaves that work out. It never repeats a command: `MatchLog` does, because it knows what may be repeated.

What it gains: 40 % of the processor time of an accepted move in a gevent worker (0.60 of redis-py's own client). What
it costs: it depends on redis-py's `get_connection`, `release` and `_checkpid`, so each new major version needs a look.
When to remove it: when redis-py's client takes less than 1.15 times its time under gevent.
"""

import sys
from queue import Empty
from select import POLLIN
from typing import Any

from redis import BlockingConnectionPool, Redis
from redis.connection import AbstractConnection
from redis.exceptions import ConnectionError as Disconnected


class FastClient(Redis):
    """A client of one server: each command is sent, and its answer read, once."""

    def execute_command(self, *args: Any, **options: Any) -> Any:
        """The answer to a command. Raises redis-py's errors."""
        if self.connection:  # a client that was given one connection for itself
            return super().execute_command(*args, **options)  # type: ignore[no-untyped-call]
        pool = self.connection_pool
        connection = pool.get_connection()
        try:
            connection.send_command(*args, check_health=False)
            return self.parse_response(connection, args[0], **options)  # type: ignore[no-untyped-call]
        finally:
            pool.release(connection)


class FastPool(BlockingConnectionPool):
    """Connections, of which an idle one is looked at by a plain system call before it is used again."""

    def get_connection(self, command_name: Any = None, *keys: Any, **options: Any) -> Any:
        """A connection that stands. Raises redis-py's ConnectionError if there is none in time."""
        self._checkpid()
        try:
            connection = self.pool.get(timeout=self.timeout)
        except Empty:
            raise Disconnected("No connection available.") from None
        if connection is not None and _is_usable(connection):
            return connection
        self.pool.put_nowait(connection)
        return super().get_connection()  # type: ignore[no-untyped-call]

    def release(self, connection: Any) -> None:
        """Give a connection back."""
        self._checkpid()
        if not self.owns_connection(connection) or connection.should_reconnect():
            super().release(connection)  # type: ignore[no-untyped-call]
            return
        self.pool.put_nowait(connection)


def _is_usable(connection: AbstractConnection) -> bool:
    """Whether a connection is open and silent, as an idle one is. One that is closed can be read: its end."""
    sock: Any = connection._sock
    if sock is None:
        return False
    poll = _original_poll()
    poll.register(sock.fileno(), POLLIN)
    return not poll.poll(0)


def _original_poll() -> Any:
    """A `poll` of the operating system, where greenlets serve as well: nothing is waited for."""
    monkey = sys.modules.get("gevent.monkey")
    if monkey is None:
        import select  # noqa: PLC0415

        return select.poll()
    return monkey.get_original("select", "poll")()
