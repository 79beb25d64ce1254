"""Restricts webhooks to public addresses, checked when the connection is made.

A name is resolved once, all its addresses are checked, and the connection goes to one of exactly those. A DNS answer
that changes later therefore has no effect. A single address that is not allowed is enough to refuse the host.
"""

import socket
import threading
import time
from collections.abc import Iterable
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network
from queue import Empty, SimpleQueue
from typing import Any

import httpcore

NAT64 = (IPv6Network("64:ff9b::/96"), IPv6Network("64:ff9b:1::/48"))
"""IPv6 prefixes that embed IPv4 addresses: the well-known one and the one for local use."""

NON_PUBLIC_NETWORKS = tuple(
    map(
        ip_network,
        (
            "192.0.0.0/24",  # protocol assignments (RFC 6890), including a cloud's metadata service
            "192.88.99.0/24",  # abandoned 6to4 relays (RFC 7526)
            "168.63.129.16/32",  # the host of a cloud's virtual machines, at an address that looks public
            "fec0::/10",  # site-local, deprecated but still routed within sites (RFC 3879)
            "2001::/23",  # protocol assignments (RFC 2928)
            "3fff::/20",  # documentation (RFC 9637)
            "5f00::/16",  # segment routing (RFC 9602)
        ),
    )
)
"""Networks that some version of the standard library considers public, but that webhooks must not reach."""

ResolvedAddress = tuple[int, str]
"""An address family and an address as text."""


class AddressRefused(httpcore.ConnectError):
    """The host has no address, or one that is not allowed. Owners of webhooks don't learn which, since that would
    reveal internal names."""


def is_public(address: IPv4Address | IPv6Address) -> bool:
    """Return whether the address is publicly reachable. An embedded IPv4 address is checked instead."""
    inner = embedded_ipv4(address)
    if inner is not None:
        return is_public(inner)
    if any(address in network for network in NON_PUBLIC_NETWORKS):
        return False
    return address.is_global and not (
        address.is_multicast or address.is_reserved or address.is_unspecified or address.is_link_local
    )


def embedded_ipv4(address: IPv4Address | IPv6Address) -> IPv4Address | IPv6Address | None:
    """Return the IPv4 address embedded in an IPv6 address (mapped, compatible, 6to4 or translated), or None."""
    if isinstance(address, IPv4Address):
        return None
    if address.ipv4_mapped or address.sixtofour:
        return address.ipv4_mapped or address.sixtofour
    if any(address in network for network in NAT64) or 1 < int(address) < 2**32:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return None


def is_allowed(text: str, loopback: bool) -> bool:
    """Return whether a webhook may use this address. `loopback` also allows this machine."""
    address = ip_address(text.partition("%")[0])
    inner = embedded_ipv4(address) or address
    return is_public(address) or (loopback and inner.is_loopback)


def require_allowed(found: Iterable[ResolvedAddress], loopback: bool) -> list[ResolvedAddress]:
    """Return the distinct addresses if all of them are allowed. Raises AddressRefused."""
    addresses = list(dict.fromkeys(found))
    if not addresses or not all(is_allowed(text, loopback) for _, text in addresses):
        raise AddressRefused("the host has no address that webhooks may use")
    return addresses


def resolve(host: str, port: int, seconds: float) -> list[ResolvedAddress]:
    """Return all addresses of a host, or none for an unknown name.

    Raises httpcore.ConnectTimeout after this many seconds. The system's resolver has no timeout, so it is left running
    in its own thread.
    """
    answers: SimpleQueue[list[ResolvedAddress]] = SimpleQueue()
    threading.Thread(target=lambda: answers.put(query_resolver(host, port)), daemon=True).start()
    try:
        return answers.get(timeout=max(0.0, seconds))
    except Empty:
        raise httpcore.ConnectTimeout("name resolution timed out") from None


def query_resolver(host: str, port: int) -> list[ResolvedAddress]:
    """Return the answer of the system's resolver, however long it takes."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return []
    return [(family, str(place[0])) for family, _, _, _, place in found]


class StreamWithDeadline(httpcore.NetworkStream):
    """A connection with a deadline (monotonic seconds) that applies even if the other side sends very slowly."""

    def __init__(self, stream: httpcore.NetworkStream, ends: float) -> None:
        self._stream = stream
        self._deadline = ends

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """Return received bytes. Raises httpcore.ReadTimeout."""
        return self._stream.read(max_bytes, self._time_left(httpcore.ReadTimeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Send bytes. Raises httpcore.WriteTimeout."""
        self._stream.write(buffer, self._time_left(httpcore.WriteTimeout))

    def close(self) -> None:
        """Close the connection."""
        self._stream.close()

    def start_tls(
        self, ssl_context: Any, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        """Encrypt the connection. Raises httpcore.ConnectTimeout."""
        left = self._time_left(httpcore.ConnectTimeout)
        return StreamWithDeadline(self._stream.start_tls(ssl_context, server_hostname, left), self._deadline)

    def get_extra_info(self, info: str) -> Any:
        """Return information about the socket for httpcore."""
        return self._stream.get_extra_info(info)

    def _time_left(self, late: type[Exception]) -> float:
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise late("the call timed out")
        return left


class GuardedBackend(httpcore.NetworkBackend):
    """Makes the connections of webhooks: to allowed addresses only, within a total time in seconds."""

    def __init__(self, seconds: float, loopback: bool) -> None:
        self._deadline = time.monotonic() + seconds
        self._loopback = loopback
        self._sockets = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Any = None,
    ) -> httpcore.NetworkStream:
        """Return a connection to one of the host's addresses. Raises httpcore.ConnectError or a subclass."""
        failed: Exception = httpcore.ConnectError("the host cannot be reached")
        for _, address in require_allowed(resolve(host, port, self._deadline - time.monotonic()), self._loopback):
            left = self._deadline - time.monotonic()
            if left <= 0:
                raise httpcore.ConnectTimeout("the call timed out")
            try:
                return StreamWithDeadline(
                    self._sockets.connect_tcp(address, port, left, None, socket_options), self._deadline
                )
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failed = error
        raise failed

    def connect_unix_socket(
        self, path: str, timeout: float | None = None, socket_options: Any = None
    ) -> httpcore.NetworkStream:
        """Always raise AddressRefused."""
        raise AddressRefused("webhooks use TCP")
