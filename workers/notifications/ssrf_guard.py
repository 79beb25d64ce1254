"""Where a webhook may lead: to public addresses alone, looked at when the connection is made.

A name is resolved once, every answer is looked at, and one of these very addresses is connected to: a name that answers
differently a moment later gains nothing. One answer that leads inside is enough to refuse them all.
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
"""IPv6 addresses that stand for IPv4 ones: the well-known prefix, and the one for local use."""

NON_PUBLIC_NETWORKS = tuple(
    map(
        ip_network,
        (
            "192.0.0.0/24",  # protocol assignments (RFC 6890), among them the metadata service of a cloud
            "192.88.99.0/24",  # relays that are no more (RFC 7526)
            "168.63.129.16/32",  # the host of a virtual machine in a cloud, at an address that looks public
            "fec0::/10",  # site-local, deprecated and still routed inside of sites (RFC 3879)
            "2001::/23",  # protocol assignments (RFC 2928)
            "3fff::/20",  # documentation (RFC 9637)
            "5f00::/16",  # segment routing (RFC 9602)
        ),
    )
)
"""What the standard library takes for public in one of its versions or another, and is not for webhooks."""

ResolvedAddress = tuple[int, str]
"""An address family and an address as text."""


class AddressRefused(httpcore.ConnectError):
    """The host leads nowhere, or where webhooks may not go. Which of the two is told to nobody: names of the inside are
    no business of those who give webhooks."""


def is_public(address: IPv4Address | IPv6Address) -> bool:
    """Whether anybody may reach this from anywhere; an address inside of another one counts as well."""
    inner = embedded_ipv4(address)
    if inner is not None:
        return is_public(inner)
    if any(address in network for network in NON_PUBLIC_NETWORKS):
        return False
    return address.is_global and not (
        address.is_multicast or address.is_reserved or address.is_unspecified or address.is_link_local
    )


def embedded_ipv4(address: IPv4Address | IPv6Address) -> IPv4Address | IPv6Address | None:
    """The IPv4 address that an IPv6 one stands for: mapped, compatible, 6to4, or translated."""
    if isinstance(address, IPv4Address):
        return None
    if address.ipv4_mapped or address.sixtofour:
        return address.ipv4_mapped or address.sixtofour
    if any(address in network for network in NAT64) or 1 < int(address) < 2**32:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return None


def is_allowed(text: str, loopback: bool) -> bool:
    """Whether a webhook may go to this address; `loopback`: to this machine too."""
    address = ip_address(text.partition("%")[0])
    inner = embedded_ipv4(address) or address
    return is_public(address) or (loopback and inner.is_loopback)


def require_allowed(found: Iterable[ResolvedAddress], loopback: bool) -> list[ResolvedAddress]:
    """The addresses, if all of them are allowed. Raises AddressRefused."""
    addresses = list(dict.fromkeys(found))
    if not addresses or not all(is_allowed(text, loopback) for _, text in addresses):
        raise AddressRefused("it leads to no public address")
    return addresses


def resolve(host: str, port: int, seconds: float) -> list[ResolvedAddress]:
    """All addresses of a host, in whatever form it is written; none of a name that is not known.

    Raises httpcore.ConnectTimeout behind so many seconds: the system's resolver knows no limit, so it is left alone.
    """
    answers: SimpleQueue[list[ResolvedAddress]] = SimpleQueue()
    threading.Thread(target=lambda: answers.put(query_resolver(host, port)), daemon=True).start()
    try:
        return answers.get(timeout=max(0.0, seconds))
    except Empty:
        raise httpcore.ConnectTimeout("it took too long") from None


def query_resolver(host: str, port: int) -> list[ResolvedAddress]:
    """What the system's resolver answers, whenever it does."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return []
    return [(family, str(place[0])) for family, _, _, _, place in found]


class StreamWithDeadline(httpcore.NetworkStream):
    """A connection that ends at a moment (monotonic seconds), however slowly the other side drips."""

    def __init__(self, stream: httpcore.NetworkStream, ends: float) -> None:
        self._stream = stream
        self._deadline = ends

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """Bytes that have come in. Raises httpcore.ReadTimeout."""
        return self._stream.read(max_bytes, self._time_left(httpcore.ReadTimeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Send bytes. Raises httpcore.WriteTimeout."""
        self._stream.write(buffer, self._time_left(httpcore.WriteTimeout))

    def close(self) -> None:
        """End it."""
        self._stream.close()

    def start_tls(
        self, ssl_context: Any, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        """Encrypt it. Raises httpcore.ConnectTimeout."""
        left = self._time_left(httpcore.ConnectTimeout)
        return StreamWithDeadline(self._stream.start_tls(ssl_context, server_hostname, left), self._deadline)

    def get_extra_info(self, info: str) -> Any:
        """What httpcore asks of the socket."""
        return self._stream.get_extra_info(info)

    def _time_left(self, late: type[Exception]) -> float:
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise late("it took too long")
        return left


class GuardedBackend(httpcore.NetworkBackend):
    """Makes the connections of webhooks: to allowed addresses, all in all within some seconds."""

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
        """A connection to one of the host's addresses. Raises httpcore.ConnectError and its kinds."""
        failed: Exception = httpcore.ConnectError("it cannot be reached")
        for _, address in require_allowed(resolve(host, port, self._deadline - time.monotonic()), self._loopback):
            left = self._deadline - time.monotonic()
            if left <= 0:
                raise httpcore.ConnectTimeout("it took too long")
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
        """Never. Raises AddressRefused."""
        raise AddressRefused("webhooks go over TCP")
