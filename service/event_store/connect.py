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
from service.event_store.sentinels import Address, SentinelGroup
from service.event_store.torn_files import prepare_connection, rewrite_after_restart

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


def connect(url: str, *, looks_for_restarts: bool = True) -> "Redis | RedisCluster":
    """Return a client for the server at the URL. It connects on first use, or immediately to a cluster.

    `redis://[user:password@]host:port/db`, `rediss://` for TLS, `unix:///path?db=0`,
    `cluster+redis://host:port[,host:port]`, `sentinel+redis://host:port[,host:port]/service?db=0`. With Sentinel, the
    URL's password is for the data servers, and `?sentinel_password=` for the sentinels. With TLS, `?ssl_ca_certs=`,
    `ssl_certfile=` and `ssl_keyfile=` name files. Raises InvalidLogUrl, and LogUnavailable if a cluster does not
    answer.

    Unless `looks_for_restarts` is False, each new connection checks whether the server has restarted; see
    `torn_files.py`.
    """
    try:
        parts = urlsplit(url)
        family, _, _ = parts.scheme.rpartition("+")
        if parts.scheme in ("redis", "rediss", "unix"):
            return _single(url, looks_for_restarts)
        if family == "cluster":
            return _cluster(parts, looks_for_restarts)
        if family == "sentinel":
            return _sentinel(parts, looks_for_restarts)
    except InvalidLogUrl:
        raise
    except ValueError:  # its text quotes the port, which may be part of a password
        raise InvalidLogUrl("the port or db is not a number; percent-encode @, /, # and ? in the password") from None
    raise InvalidLogUrl("the scheme is unknown")


def connect_seeds(url: str | None) -> "Redis | RedisCluster | None":
    """Return a client for the account of the seeds, or None without a URL. Raises as `connect` does.

    The account may not ask the server whether it has restarted. It needn't: it only runs the append script, which a
    server that has restarted doesn't know, and reads seeds.
    """
    return connect(url, looks_for_restarts=False) if url else None


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

    Uses RESP 2, because the maintenance notifications of RESP 3 let a server extend our timeouts. Doesn't send the
    client's name and version (CLIENT SETINFO), because an account for it keeps Redis 7.0 from starting.
    """
    return {
        "protocol": 2,
        "driver_info": None,
        "socket_timeout": ANSWER_TIMEOUT_SECONDS,
        "socket_connect_timeout": CONNECT_TIMEOUT_SECONDS,
    }


def _no_retries() -> Retry:
    return Retry(NoBackoff(), 0)


def _single(url: str, looks_for_restarts: bool) -> Redis:
    keepalive = {} if url.startswith("unix:") else {"socket_keepalive": True}
    pool = FastPool.from_url(
        url,
        max_connections=MAX_CONNECTIONS,
        timeout=ANSWER_TIMEOUT_SECONDS,
        retry=_no_retries(),
        redis_connect_func=prepare_connection if looks_for_restarts else None,
        **keepalive,
        **_common_options(),
    )
    return FastClient(connection_pool=pool)


def _cluster(parts: SplitResult, looks_for_restarts: bool) -> RedisCluster:
    nodes = [ClusterNode(host, port) for host, port in _hosts(parts, 6379)]
    with redis_errors_as_unavailable():
        return RedisCluster(
            startup_nodes=nodes,
            retry=_no_retries(),
            # called at the end of redis-py's own login
            redis_connect_func=rewrite_after_restart if looks_for_restarts else None,
            max_connections=MAX_CONNECTIONS,
            socket_keepalive=True,
            **_login(parts),
            **_tls(parts),
            **_common_options(),
        )


def sentinel_group(url: str) -> SentinelGroup:
    """Return the sentinels of a `sentinel+redis://` URL, and a way to reach the servers that they watch.

    Raises InvalidLogUrl.
    """
    require_valid_url(url)
    parts = urlsplit(url)
    if not parts.scheme.startswith("sentinel+"):
        raise InvalidLogUrl("sentinels are needed (sentinel+redis://one,two,three/service)")
    options = {**_common_options(), "socket_timeout": CONNECT_TIMEOUT_SECONDS, "retry": _no_retries()}

    def connect_server(address: Address) -> Redis:
        return Redis(**address._asdict(), **_login(parts), **_tls(parts), **options)

    return SentinelGroup(_sentinel_service(parts), _sentinels(parts).sentinels, connect_server)


def _sentinels(parts: SplitResult) -> Sentinel:
    password = dict(parse_qsl(parts.query)).get("sentinel_password")
    options = {"password": password, "retry": _no_retries(), **_tls(parts), **_common_options()}
    return Sentinel(_hosts(parts, 26379), sentinel_kwargs=options)


def _sentinel(parts: SplitResult, looks_for_restarts: bool) -> Redis:
    query = dict(parse_qsl(parts.query))
    service = _sentinel_service(parts)
    tls = _tls(parts)
    pool = SentinelConnectionPool(
        service,
        _sentinels(parts),
        retry=_no_retries(),
        redis_connect_func=prepare_connection if looks_for_restarts else None,
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
