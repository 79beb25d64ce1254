"""One-off tasks contain email addresses, which must be deleted even after crashes and concurrent changes."""

from datetime import timedelta

import pytest
from redis import Redis
from redis.exceptions import ConnectionError as Disconnected

from service.event_store.connect import connect
from service.event_store.embedded import EmbeddedServer
from service.event_store.keys import task_key
from service.notifications.one_off_tasks import RETENTION_SECONDS, OneOffTask, OneOffTasks
from service.runtime.clock import SystemClock
from tests.service.event_store.proxy import Proxy

CLOCK = SystemClock()


@pytest.fixture
def errands(redis: Redis) -> OneOffTasks:
    """No tasks yet."""
    return OneOffTasks(redis, CLOCK)


def letter(address: str = "ann@example.org") -> OneOffTask:
    return OneOffTask(id="e1", what="sign_in", until=CLOCK.now() + timedelta(minutes=30), address=address)


def test_an_email_task_of_a_crashed_process_expires(server: EmbeddedServer, redis: Redis) -> None:
    with Proxy(str(server.socket_path)) as proxy:
        far = connect(proxy.url)
        proxy.writes_left = 1
        with pytest.raises(Disconnected):
            OneOffTasks(far, CLOCK).enqueue(letter())  # type: ignore[arg-type]
        far.close()
    assert 0 < redis.ttl(task_key("e1")) <= RETENTION_SECONDS


def test_an_email_task_erased_while_leased_does_not_return(errands: OneOffTasks, redis: Redis) -> None:
    """Given a worker whose email is rejected, when the player is erased meanwhile, then no task remains."""
    errands.enqueue(letter())
    found = errands.claim("e1")
    assert found
    errands.forget_player("p_ann", "ann@example.org")
    errands.postpone(found, CLOCK.now() + timedelta(minutes=1))
    assert redis.keys("*") == []


def test_erasing_an_address_ignores_case(errands: OneOffTasks, redis: Redis) -> None:
    errands.enqueue(letter("Ann@example.org"))
    errands.forget_player("p_ann", "ann@example.org")
    assert redis.keys("*") == []


def test_a_failed_email_task_is_retried(errands: OneOffTasks) -> None:
    errands.enqueue(letter())
    found = errands.claim("e1")
    assert found
    later = CLOCK.now() + timedelta(minutes=1)
    errands.postpone(found, later)
    assert [each.id for each in errands.due(later)] == ["e1"]
    again = errands.claim("e1")
    assert again
    assert again.tries == 1
