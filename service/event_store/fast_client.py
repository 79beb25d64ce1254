"""A redis-py client without the work that redis-py adds to every command.

redis-py checks the connection before each command with a `select.poll`, which is slow under gevent. It inspects each
argument in Python, sends with gevent's slow `sendall`, and runs code for retries and metrics that we have switched off.
This client skips that work but uses the same connections, which redis-py opens, checks and repairs. It never retries a
command; `MatchLog` does, because it knows which ones are safe to repeat.

Benefit: a quarter less CPU time for an accepted move in a gevent worker (0.73 to 0.78 of the time with redis-py's own
client). Cost: it depends on redis-py's `get_connection`, `release`, `_checkpid` and `_sock`, so check it with each new
major version.
Remove it when redis-py's own client takes less than 1.15 times as long under gevent.
"""

import select
import sys
from functools import cache
from queue import Empty
from typing import Any

from hiredis import pack_command
from redis import BlockingConnectionPool, Redis
from redis.connection import AbstractConnection
from redis.exceptions import ConnectionError as Disconnected
from redis.exceptions import DataError


class FastClient(Redis):
    """A client of one server that sends each command once, without retries."""

    def execute_command(self, *args: Any, **options: Any) -> Any:
        """Return the answer to a command. Raises redis-py's errors."""
        if self.connection:  # the client has its own dedicated connection
            return super().execute_command(*args, **options)  # type: ignore[no-untyped-call]
        pool = self.connection_pool
        connection = pool.get_connection()
        try:
            _send(connection, args)
            return self.parse_response(connection, args[0], **options)  # type: ignore[no-untyped-call]
        finally:
            pool.release(connection)


class FastPool(BlockingConnectionPool):
    """A connection pool that checks an idle connection with a plain system call before reusing it."""

    def get_connection(self, command_name: Any = None, *keys: Any, **options: Any) -> Any:
        """Return an open connection. Raises redis-py's ConnectionError if none is free in time."""
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
        """Return a connection to the pool."""
        if not self.owns_connection(connection) or connection.should_reconnect():
            super().release(connection)  # type: ignore[no-untyped-call]
            return
        self.pool.put_nowait(connection)


def _send(connection: AbstractConnection, command: tuple[Any, ...]) -> None:
    """Send a command with one system call. redis-py sends what that leaves unsent, and reports errors."""
    try:
        packed = pack_command((*command[0].split(), *command[1:]))  # the server expects "SCRIPT LOAD" as two arguments
    except TypeError as error:
        raise DataError(str(error)) from None
    sock: Any = connection._sock
    try:
        sent = sock.send(packed)
    except OSError:
        sent = 0
    except BaseException:
        connection.disconnect()  # the command may have been sent, and nobody will read the answer
        raise
    if sent < len(packed):
        connection.send_packed_command([packed[sent:]], check_health=False)


def _is_usable(connection: AbstractConnection) -> bool:
    """Return whether a connection is open with nothing to read. A closed connection is readable (end of file)."""
    sock: Any = connection._sock
    if sock is None:
        return False
    poll = _original_poll()()
    poll.register(sock.fileno(), select.POLLIN)
    return not poll.poll(0)


@cache
def _original_poll() -> Any:
    """Return the operating system's `poll` even under gevent; it is never called to wait."""
    monkey = sys.modules.get("gevent.monkey")
    return monkey.get_original("select", "poll") if monkey else select.poll
