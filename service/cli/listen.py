"""Addresses and ports to listen on."""

import os
import socket

SYSTEMD_FIRST_DESCRIPTOR = 3
BACKLOG = 2048
"""How many connections wait while no web process accepts them."""


def free_port(host: str) -> int:
    """Return a free port."""
    with bind_socket(host, 0) as probe:
        port: int = probe.getsockname()[1]
        return port


def is_free(host: str, port: int) -> bool:
    """Return whether the port is free. Raises OSError if this machine does not have the address."""
    try:
        bind_socket(host, port).close()
    except PermissionError:
        raise
    except OSError as error:
        if error.errno is not None and "in use" in str(error).lower():
            return False
        raise
    return True


def bind_socket(host: str, port: int) -> socket.socket:
    """Return a bound socket. Raises OSError."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    probe = socket.socket(family, socket.SOCK_STREAM)
    probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        probe.bind((host, port))
    except OSError:
        probe.close()
        raise
    return probe


def browser_url(host: str, port: int) -> str:
    """Return the URL for a browser on this machine."""
    shown = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)  # noqa: S104
    return f"http://{shown}:{port}"


def listen_on(host: str, port: int) -> socket.socket:
    """Return a listening socket. Raises OSError."""
    listener = bind_socket(host, port)
    listener.listen(BACKLOG)
    return listener


def sockets_from_systemd() -> list[socket.socket]:
    """Return the listening sockets that systemd passed to this process, if any.

    Removes them from the environment, so that no child process takes them for its own.
    """
    count, owner = os.environ.pop("LISTEN_FDS", ""), os.environ.pop("LISTEN_PID", "")
    os.environ.pop("LISTEN_FDNAMES", None)
    if owner != str(os.getpid()) or not count.isdecimal():
        return []
    return [socket.socket(fileno=SYSTEMD_FIRST_DESCRIPTOR + number) for number in range(int(count))]
