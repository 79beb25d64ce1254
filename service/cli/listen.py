"""Addresses and ports to listen on."""

import socket


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
