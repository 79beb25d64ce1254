"""The durability check: what the server's settings guarantee for acknowledged moves."""

from collections.abc import Iterator
from contextlib import closing, contextmanager

import pytest
from redis import Redis

from service.event_store.connect import connect
from service.event_store.durability import (
    REQUIRED_SETTINGS,
    DurabilityMode,
    NotDurable,
    _server_faults,
    check_durability,
    require_durability,
)
from service.event_store.embedded import EmbeddedServer
from service.event_store.errors import LogUnavailable


@contextmanager
def with_setting(redis: Redis, setting: str, value: str) -> Iterator[None]:
    """Change a setting of the server inside the block."""
    before = str(redis.config_get(setting)[setting])
    redis.config_set(setting, value)
    try:
        yield
    finally:
        redis.config_set(setting, before)


def test_the_embedded_server_is_durable(redis: Redis) -> None:
    found = require_durability(redis, allow_fast=False)
    assert (found.mode, found.faults) == ("durable", ())
    assert found.servers[0].startswith("Valkey 9.")


@pytest.mark.parametrize(
    ("setting", "value", "mode"),
    [
        ("appendonly", "no", "volatile"),
        ("appendfsync", "everysec", "fast"),
        ("appendfsync", "no", "volatile"),
        ("no-appendfsync-on-rewrite", "yes", "volatile"),
        ("maxmemory-policy", "allkeys-lru", "volatile"),
        ("aof-load-truncated", "no", "fast"),
    ],
)
def test_a_wrong_setting_is_reported(redis: Redis, setting: str, value: str, mode: DurabilityMode) -> None:
    """Given one wrong setting, then the fault names it, its value and the required value."""
    needed = {required.name: required.needed for required in REQUIRED_SETTINGS}[setting]
    with with_setting(redis, setting, value):
        found = check_durability(redis)
    assert found.mode == mode
    (fault,) = found.faults
    assert fault.startswith(f"{setting} is {value} but must be {needed}; ")
    assert check_durability(redis).mode == "durable"


def test_disabled_rewrites_are_reported_but_durable(redis: Redis) -> None:
    """Given a server without rewrites, as an old interrupted backup left it, then it is durable with a fault."""
    with with_setting(redis, "auto-aof-rewrite-percentage", "0"):
        found = require_durability(redis, allow_fast=False)
    assert found.mode == "durable"
    (fault,) = found.faults
    assert fault.startswith("auto-aof-rewrite-percentage is 0 but must be positive, such as 100; ")


def test_the_worst_setting_determines_the_mode(redis: Redis) -> None:
    with with_setting(redis, "appendfsync", "everysec"), with_setting(redis, "maxmemory-policy", "allkeys-lru"):
        found = check_durability(redis)
    assert (found.mode, len(found.faults)) == ("volatile", 2)


def test_fast_is_accepted_only_where_it_is_allowed(redis: Redis) -> None:
    with with_setting(redis, "appendfsync", "everysec"):
        assert require_durability(redis, allow_fast=True).mode == "fast"
        with pytest.raises(NotDurable, match="- appendfsync is everysec but must be always") as refusal:
            require_durability(redis, allow_fast=False)
    assert refusal.value.mode == "fast"
    assert len(refusal.value.faults) == 1


def test_volatile_is_never_accepted(redis: Redis) -> None:
    with with_setting(redis, "appendonly", "no"), pytest.raises(NotDurable, match="volatile"):
        require_durability(redis, allow_fast=True)


def test_unreadable_settings(server: EmbeddedServer, redis: Redis) -> None:
    """Given an account without CONFIG, as at some hosts, then that is reported and the mode is at best `fast`."""
    redis.acl_setuser("guest", enabled=True, nopass=True, commands=["+@all", "-config"], keys=["*"], channels=["*"])
    try:
        with closing(connect(server.url().replace("unix://", "unix://guest:any@"))) as guest:
            found = check_durability(guest)
            with with_setting(redis, "appendonly", "no"):
                worse = check_durability(guest)
    finally:
        redis.acl_deluser("guest")
    assert (found.mode, worse.mode) == ("fast", "volatile")
    assert "CONFIG GET" in found.faults[0]
    assert "appendfsync always" in found.faults[0]


def test_a_replica_accepts_no_writes(own_server: EmbeddedServer) -> None:
    with closing(connect(own_server.url())) as client:
        client.replicaof("127.0.0.1", 1)
        found = check_durability(client)
    assert found.mode == "volatile"
    assert "role is slave, which accepts no writes; it must be master" in found.faults[0]


@pytest.mark.parametrize("version", ["6.0.16", "5.0.7", "6.1.240"])
def test_a_server_that_is_too_old(version: str) -> None:
    (fault,) = _server_faults({"redis_version": version, "role": "master"})
    assert fault.mode == "volatile"
    assert f"Redis {version}; use Redis 6.2 or newer" in fault.message


@pytest.mark.parametrize("version", ["6.2.0", "7.0.15", "8.10.2"])
def test_a_server_that_is_new_enough(version: str) -> None:
    assert not list(_server_faults({"redis_version": version, "role": "master", "aof_last_write_status": "ok"}))


def test_a_failed_write_to_the_file() -> None:
    (fault,) = _server_faults({"redis_version": "7.2.4", "role": "master", "aof_last_write_status": "err"})
    assert "check its disk" in fault.message


def test_a_server_that_is_down(own_server: EmbeddedServer) -> None:
    own_server.stop()
    with closing(connect(own_server.url())) as client, pytest.raises(LogUnavailable):
        check_durability(client)


def test_guards_need_sentinel(redis: Redis) -> None:
    """Given three servers in the settings but no sentinels, then the fault says so."""
    found = check_durability(redis, replicas=1, log_servers=3)
    assert found.mode == "durable"
    assert "CRUMBTRAIL_LOG_SERVERS is only for Sentinel (sentinel+redis://); unset it." in found.faults
