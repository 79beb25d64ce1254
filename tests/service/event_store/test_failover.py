"""Which replica may take over, from what the servers report. `test_three_servers.py` kills real ones."""

from itertools import permutations
from typing import Any

import pytest
from click.testing import CliRunner

from service.cli.main import main
from service.event_store.failover import FailoverRefused, most_advanced, replica_state
from service.event_store.sentinels import Address

ONE, TWO, THREE = (Address(f"10.0.0.{number}", 6379) for number in (1, 2, 3))


def replica(history: str = "a", offset: int = 100, **more: Any) -> dict[str, Any]:
    """Return the INFO of a replica."""
    return {"role": "slave", "loading": 0, "master_replid": history, "slave_repl_offset": offset} | more


def primary(history: str, took_over: str, at: int) -> dict[str, Any]:
    """Return the INFO of a server that became a primary after this many bytes of another history."""
    return {"role": "master", "master_replid": history, "master_replid2": took_over, "second_repl_offset": at + 1}


def chosen(*infos: dict[str, Any]) -> Address:
    """Return which of these servers takes over."""
    states = [replica_state(address, info) for address, info in zip((ONE, TWO, THREE), infos, strict=False)]
    assert None not in states
    found = {most_advanced(order).address for order in permutations(state for state in states if state)}
    assert len(found) == 1, "the order must not matter"
    return found.pop()


def test_the_replica_with_more_of_the_history_takes_over() -> None:
    assert chosen(replica(offset=100), replica(offset=101)) == TWO
    assert chosen(replica(offset=101), replica(offset=100), replica(offset=7)) == ONE


def test_guards_choose_the_same_of_two_equal_replicas() -> None:
    assert chosen(replica(), replica()) == chosen(replica(), replica()) == TWO


def test_a_server_that_sentinel_has_already_promoted_takes_over() -> None:
    assert chosen(primary("b", took_over="a", at=100), replica("a", 100)) == ONE
    assert chosen(primary("b", took_over="a", at=100), replica("b", 180)) == ONE


def test_a_promoted_server_that_lacks_events_does_not_take_over() -> None:
    assert chosen(primary("b", took_over="a", at=100), replica("a", 140)) == TWO


@pytest.mark.parametrize(
    "other", [replica("b", 900), primary("c", took_over="b", at=900)], ids=["replica", "promoted server"]
)
def test_different_histories_cannot_be_compared(other: dict[str, Any]) -> None:
    with pytest.raises(FailoverRefused, match=r"10\.0\.0\.1:6379 and 10\.0\.0\.2:6379 followed different primaries"):
        chosen(replica("a", 100), other)


@pytest.mark.parametrize(
    "info",
    [
        replica(loading=1),
        replica(master_sync_in_progress=1),
        replica(offset=0),
        replica(offset=-1),
        primary("b", took_over="0" * 40, at=-2),
    ],
    ids=["loading", "copying", "restarted", "never followed", "always a primary"],
)
def test_a_server_without_a_complete_copy_does_not_count(info: dict[str, Any]) -> None:
    assert replica_state(ONE, info) is None


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({}, "Set CRUMBTRAIL_LOG_SERVERS to the number of log servers"),
        ({"CRUMBTRAIL_LOG_SERVERS": "3"}, "Set CRUMBTRAIL_LOG_SERVERS to the number of log servers"),
        ({"CRUMBTRAIL_LOG_SERVERS": "3", "CRUMBTRAIL_REPLICAS": "3"}, "Set CRUMBTRAIL_LOG_SERVERS to the number"),
        ({"CRUMBTRAIL_LOG_SERVERS": "3", "CRUMBTRAIL_REPLICAS": "1"}, "CRUMBTRAIL_LOG_URL is invalid"),
        (
            {
                "CRUMBTRAIL_LOG_SERVERS": "3",
                "CRUMBTRAIL_REPLICAS": "1",
                "CRUMBTRAIL_LOG_URL": "redis://:secret@127.0.0.1:1",
            },
            "sentinels are needed",
        ),
    ],
)
def test_a_guard_without_a_group_says_what_to_set(settings: dict[str, str], message: str) -> None:
    names = ("CRUMBTRAIL_LOG_SERVERS", "CRUMBTRAIL_REPLICAS", "CRUMBTRAIL_LOG_URL")
    result = CliRunner().invoke(main, ["failover-guard"], env={name: settings.get(name) for name in names})
    assert result.exit_code == 1
    assert message in result.output
    assert "secret" not in result.output
