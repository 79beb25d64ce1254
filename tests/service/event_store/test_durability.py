"""The server's settings decide what an acknowledgement is worth, so they are read and judged."""

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
    """The server with another setting for a while."""
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
def test_a_wrong_setting_is_named(redis: Redis, setting: str, value: str, mode: DurabilityMode) -> None:
    """Given one wrong setting, then the fault says which, what was found and what is needed."""
    needed = {wanted.name: wanted.needed for wanted in REQUIRED_SETTINGS}[setting]
    with with_setting(redis, setting, value):
        found = check_durability(redis)
    assert found.mode == mode
    (fault,) = found.faults
    assert fault.startswith(f"{setting} is {value} and must be {needed}: ")
    assert check_durability(redis).mode == "durable"


def test_a_file_that_is_never_rewritten_is_told_and_loses_nothing(redis: Redis) -> None:
    """Given a server that a killed backup of old has left without rewrites, then that is said, and it is durable."""
    with with_setting(redis, "auto-aof-rewrite-percentage", "0"):
        found = require_durability(redis, allow_fast=False)
    assert found.mode == "durable"
    (fault,) = found.faults
    assert fault.startswith("auto-aof-rewrite-percentage is 0 and must be more, such as 100: ")


def test_the_worst_setting_decides(redis: Redis) -> None:
    with with_setting(redis, "appendfsync", "everysec"), with_setting(redis, "maxmemory-policy", "allkeys-lru"):
        found = check_durability(redis)
    assert (found.mode, len(found.faults)) == ("volatile", 2)


def test_fast_is_accepted_only_where_it_is_allowed(redis: Redis) -> None:
    with with_setting(redis, "appendfsync", "everysec"):
        assert require_durability(redis, allow_fast=True).mode == "fast"
        with pytest.raises(NotDurable, match="- appendfsync is everysec and must be always") as refusal:
            require_durability(redis, allow_fast=False)
    assert refusal.value.mode == "fast"
    assert len(refusal.value.faults) == 1


def test_volatile_is_never_accepted(redis: Redis) -> None:
    with with_setting(redis, "appendonly", "no"), pytest.raises(NotDurable, match="volatile"):
        require_durability(redis, allow_fast=True)


def test_settings_that_may_not_be_read(server: EmbeddedServer, redis: Redis) -> None:
    """Given an account without CONFIG, as at some hosts, then that is said; more than `fast` cannot be known."""
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


def test_a_replica_takes_no_writes(own_server: EmbeddedServer) -> None:
    with closing(connect(own_server.url())) as client:
        client.replicaof("127.0.0.1", 1)
        found = check_durability(client)
    assert found.mode == "volatile"
    assert "role is slave and must be master" in found.faults[0]


@pytest.mark.parametrize("version", ["6.0.16", "5.0.7", "6.1.240"])
def test_a_server_that_is_too_old(version: str) -> None:
    (fault,) = _server_faults({"redis_version": version, "role": "master"})
    assert fault.mode == "volatile"
    assert f"Redis {version} and must be Redis 6.2 or newer" in fault.message


@pytest.mark.parametrize("version", ["6.2.0", "7.0.15", "8.10.2"])
def test_a_server_that_is_new_enough(version: str) -> None:
    assert not list(_server_faults({"redis_version": version, "role": "master", "aof_last_write_status": "ok"}))


def test_a_failed_write_to_the_file() -> None:
    (fault,) = _server_faults({"redis_version": "7.2.4", "role": "master", "aof_last_write_status": "err"})
    assert "look at its disk" in fault.message


def test_a_server_that_is_down(own_server: EmbeddedServer) -> None:
    own_server.stop()
    with closing(connect(own_server.url())) as client, pytest.raises(LogUnavailable):
        check_durability(client)
