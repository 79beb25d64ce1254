"""Builds a redis-py client from a URL. The client never retries a command on its own."""

from typing import Any
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from redis import Redis, RedisCluster, Sentinel
from redis.backoff import NoBackoff
from redis.cluster import ClusterNode
from redis.connection import parse_url
from redis.retry import Retry
from redis.sentinel import SentinelConnectionPool

from service.event_store.errors import redis_errors_as_unavailable
from service.event_store.fast_client import FastClient, FastPool

SCHEMES = "redis://, rediss://, unix://, cluster+redis(s)://, sentinel+redis(s)://"
MAX_CONNECTIONS = 64
"""Maximum connections from one process to a server. A caller that needs one more waits up to ANSWER_TIMEOUT_SECONDS.
With Sentinel or a cluster, where redis-py cannot wait, the caller retries and is then refused."""
ANSWER_TIMEOUT_SECONDS = 2.0
CONNECT_TIMEOUT_SECONDS = 1.0

CERTIFICATE_OPTIONS = ("ssl_ca_certs", "ssl_certfile", "ssl_keyfile")


class InvalidLogUrl(ValueError):
    """The log server's URL is invalid. The message never quotes the URL, which may hold a password."""

    def __init__(self, why: str) -> None:
        super().__init__(f"{why}. The URL must begin with one of {SCHEMES}")


def connect(url: str) -> "Redis | RedisCluster":
    """Return a client for the server at the URL. It connects on first use, or immediately to a cluster.

    `redis://[user:password@]host:port/db`, `rediss://` for TLS, `unix:///path?db=0`,
    `cluster+redis://host:port[,host:port]`, `sentinel+redis://host:port[,host:port]/service?db=0`. With Sentinel, the
    URL's password is for the data servers, and `?sentinel_password=` for the sentinels. With TLS, `?ssl_ca_certs=`,
    `ssl_certfile=` and `ssl_keyfile=` name files. Raises InvalidLogUrl, and LogUnavailable if a cluster does not
    answer.
    """
    try:
        parts = urlsplit(url)
        family, _, _ = parts.scheme.rpartition("+")
        if parts.scheme in ("redis", "rediss", "unix"):
            return _single(url)
        if family == "cluster":
            return _cluster(parts)
        if family == "sentinel":
            return _sentinel(parts)
    except InvalidLogUrl:
        raise
    except ValueError:  # its text quotes the port, which may be part of a password
        raise InvalidLogUrl("the port or db is not a number; percent-encode @, /, # and ? in the password") from None
    raise InvalidLogUrl("the scheme is unknown")


def require_valid_url(url: str) -> None:
    """Raise InvalidLogUrl, as `connect` would, without connecting to anything."""
    try:
        parts = urlsplit(url)
        family, _, _ = parts.scheme.rpartition("+")
        if parts.scheme in ("redis", "rediss", "unix"):
            parse_url(url)
            if parts.scheme != "unix" and not parts.hostname:
                raise InvalidLogUrl("the host is missing")
            if parts.scheme == "unix" and not parts.path:
                raise InvalidLogUrl("the path of the socket is missing")
        elif family == "cluster":
            _hosts(parts, 6379)
        elif family == "sentinel":
            _hosts(parts, 26379)
            _sentinel_service(parts), int(dict(parse_qsl(parts.query)).get("db", 0))
        else:
            raise InvalidLogUrl("the scheme is unknown")
    except InvalidLogUrl:
        raise
    except ValueError:
        raise InvalidLogUrl("the port or db is not a number; percent-encode @, /, # and ? in the password") from None


def _common_options() -> dict[str, Any]:
    """Return the options common to all connections.

    Uses RESP 2, because the maintenance notifications of RESP 3 let a server extend our timeouts.
    """
    return {"protocol": 2, "socket_timeout": ANSWER_TIMEOUT_SECONDS, "socket_connect_timeout": CONNECT_TIMEOUT_SECONDS}


def _no_retries() -> Retry:
    return Retry(NoBackoff(), 0)


def _single(url: str) -> Redis:
    keepalive = {} if url.startswith("unix:") else {"socket_keepalive": True}
    pool = FastPool.from_url(
        url,
        max_connections=MAX_CONNECTIONS,
        timeout=ANSWER_TIMEOUT_SECONDS,
        retry=_no_retries(),
        **keepalive,
        **_common_options(),
    )
    return FastClient(connection_pool=pool)


def _cluster(parts: SplitResult) -> RedisCluster:
    nodes = [ClusterNode(host, port) for host, port in _hosts(parts, 6379)]
    with redis_errors_as_unavailable():
        return RedisCluster(
            startup_nodes=nodes,
            retry=_no_retries(),
            max_connections=MAX_CONNECTIONS,
            socket_keepalive=True,
            **_login(parts),
            **_tls(parts),
            **_common_options(),
        )


def _sentinel(parts: SplitResult) -> Redis:
    query = dict(parse_qsl(parts.query))
    service = _sentinel_service(parts)
    tls = _tls(parts)
    password = query.get("sentinel_password")
    sentinels = Sentinel(
        _hosts(parts, 26379),
        sentinel_kwargs={"password": password, "retry": _no_retries(), **tls, **_common_options()},
    )
    pool = SentinelConnectionPool(
        service,
        sentinels,
        retry=_no_retries(),
        max_connections=MAX_CONNECTIONS,
        socket_keepalive=True,
        db=int(query.get("db", 0)),
        **_login(parts),
        **tls,
        **_common_options(),
    )
    return Redis(connection_pool=pool)


def _sentinel_service(parts: SplitResult) -> str:
    service = parts.path.strip("/")
    if not service:
        raise InvalidLogUrl("the service name is missing after the sentinels")
    return service


def _login(parts: SplitResult) -> dict[str, Any]:
    """Return the user name and password of the URL."""
    login = {}
    user, _, password = parts.netloc.rpartition("@")[0].partition(":")
    if user:
        login["username"] = unquote(user)
    if password:
        login["password"] = unquote(password)
    return login


def _tls(parts: SplitResult) -> dict[str, Any]:
    """Return the TLS options, if the scheme requires TLS, with the certificates that the URL names."""
    if not parts.scheme.endswith("rediss"):
        return {}
    return {"ssl": True} | {name: value for name, value in parse_qsl(parts.query) if name in CERTIFICATE_OPTIONS}


def _hosts(parts: SplitResult, default_port: int) -> list[tuple[str, int]]:
    """Return the hosts of the URL, written `host:port` or `[::1]:port` and separated by commas."""
    if parts.scheme.rpartition("+")[2] not in ("redis", "rediss"):
        raise InvalidLogUrl("the scheme must have redis or rediss after the +")
    hosts = [urlsplit(f"//{host}") for host in parts.netloc.rpartition("@")[2].split(",")]
    if not all(host.hostname for host in hosts):
        raise InvalidLogUrl("the host is missing")
    return [(str(host.hostname), host.port or default_port) for host in hosts]
