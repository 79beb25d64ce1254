"""Whose an address is: when a process dies while it changes hands, and when several want it at once."""

import threading
from collections.abc import Iterator

import pytest
from redis import Redis
from redis.exceptions import ConnectionError as Disconnected

from service.event_store.connect import connect
from service.event_store.embedded import EmbeddedServer
from service.notifications.preferences import AddressTaken, NotificationPreferences
from service.runtime.clock import SystemClock
from tests.service.event_store.proxy import Proxy

ANN, BOB = "p_ann", "p_bob"
OLD, NEW = "old@example.org", "new@example.org"
SECRET = b"s" * 32
ROUNDS = 60


@pytest.fixture
def contacts(redis: Redis) -> NotificationPreferences:
    """The contacts, empty."""
    return NotificationPreferences(redis, SystemClock(), SECRET)


@pytest.fixture
def proxy(server: EmbeddedServer, redis: Redis) -> Iterator[Proxy]:
    """A network that can break off."""
    with Proxy(str(server.socket_path)) as proxy:
        yield proxy


@pytest.fixture
def far(proxy: Proxy) -> Iterator[NotificationPreferences]:
    """The same contacts behind that network."""
    client = connect(proxy.url)
    assert isinstance(client, Redis)
    yield NotificationPreferences(client, SystemClock(), SECRET)
    client.close()


def try_set_address(contacts: NotificationPreferences, player: str, address: str) -> bool:
    """Whether the player gets the address."""
    try:
        contacts.set_address(player, address)
    except AddressTaken:
        return False
    return True


def stored_address(contacts: NotificationPreferences, player: str) -> str | None:
    found = contacts.get(player).address
    return found.text if found else None


@pytest.mark.parametrize("writes", range(4))
@pytest.mark.parametrize("then", ["again", "erased", "other"])
def test_a_change_of_address_that_breaks_off_leaves_one_address_that_opens_the_account(
    contacts: NotificationPreferences, far: NotificationPreferences, proxy: Proxy, writes: int, then: str
) -> None:
    """Given a log that goes away at the n-th write of a change, then the one address that the player's record names
    opens the account, and the other is free for anybody; whatever is done next ends as if nothing had happened."""
    contacts.set_address(ANN, OLD)
    proxy.writes_left = writes
    if writes < 3:
        with pytest.raises(Disconnected):
            far.set_address(ANN, NEW)
    else:
        far.set_address(ANN, NEW)
    kept = stored_address(contacts, ANN) or ""
    assert kept == (OLD if writes < 2 else NEW)
    free = NEW if kept == OLD else OLD
    assert (contacts.address_owner(kept), contacts.address_owner(free)) == (ANN, None)
    if then == "again":
        assert try_set_address(contacts, ANN, NEW)
        assert (contacts.address_owner(OLD), contacts.address_owner(NEW)) == (None, ANN)
    elif then == "erased":
        contacts.erase(ANN)
        assert (contacts.address_owner(OLD), contacts.address_owner(NEW)) == (None, None)
        assert try_set_address(contacts, BOB, OLD)
        assert try_set_address(contacts, BOB, NEW)
    else:
        assert try_set_address(contacts, BOB, free)
        assert not try_set_address(contacts, BOB, kept)
        contacts.erase(ANN)
        assert contacts.address_owner(free) == BOB, "only the owner of an entry deletes it"


@pytest.mark.parametrize("writes", range(3))
def test_an_address_that_is_removed_halfway_opens_nothing_and_is_gone_when_it_is_removed_again(
    contacts: NotificationPreferences, far: NotificationPreferences, proxy: Proxy, redis: Redis, writes: int
) -> None:
    contacts.set_address(ANN, OLD)
    proxy.writes_left = writes
    if writes < 2:
        with pytest.raises(Disconnected):
            far.remove_address(ANN)
    else:
        far.remove_address(ANN)
    assert contacts.address_owner(OLD) == (ANN if writes == 0 else None)
    contacts.remove_address(ANN)
    assert redis.keys("*") == []


@pytest.mark.parametrize("entered", [None, "p_gone"])
def test_of_those_who_confirm_an_address_at_once_one_gets_it(
    contacts: NotificationPreferences, redis: Redis, entered: str | None
) -> None:
    """Given an address of nobody, with and without an entry that somebody has left, when two confirm it in the same
    moment, then never both have it, and who is told so has it."""
    for _ in range(ROUNDS):
        redis.flushall()
        if entered:
            contacts.set_address(entered, NEW)
            redis.delete(f"ct:contact:{entered}")
        start, told = threading.Barrier(2), {}

        def confirm(player: str, start: threading.Barrier = start, told: dict[str, bool] = told) -> None:
            start.wait()
            told[player] = try_set_address(contacts, player, NEW)

        both = [threading.Thread(target=confirm, args=(player,)) for player in (ANN, BOB)]
        for each in both:
            each.start()
        for each in both:
            each.join()
        got = [player for player in (ANN, BOB) if told[player]]
        assert len(got) < 2
        assert [player for player in (ANN, BOB) if stored_address(contacts, player)] == got
        assert contacts.address_owner(NEW) == (got[0] if got else None)
        assert try_set_address(contacts, (*got, ANN)[0], NEW)
