"""Ownership of email addresses after crashes during a change, and with concurrent confirmations."""

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
    """Empty preferences."""
    return NotificationPreferences(redis, SystemClock(), SECRET)


@pytest.fixture
def proxy(server: EmbeddedServer, redis: Redis) -> Iterator[Proxy]:
    """A network that can fail."""
    with Proxy(str(server.socket_path)) as proxy:
        yield proxy


@pytest.fixture
def far(proxy: Proxy) -> Iterator[NotificationPreferences]:
    """The same preferences through that network."""
    client = connect(proxy.url)
    assert isinstance(client, Redis)
    yield NotificationPreferences(client, SystemClock(), SECRET)
    client.close()


def try_set_address(contacts: NotificationPreferences, player: str, address: str) -> bool:
    """Set the player's address and return whether it succeeded."""
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
def test_an_interrupted_change_of_address_leaves_exactly_one_valid_address(
    contacts: NotificationPreferences, far: NotificationPreferences, proxy: Proxy, writes: int, then: str
) -> None:
    """Given a server that fails at the n-th write of a change, then only the address in the player's record is valid
    and the other one is free. A retry, an erasure or another player's change then works as usual."""
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
        assert contacts.address_owner(free) == BOB, "only the owner of an entry may delete it"


@pytest.mark.parametrize("writes", range(3))
def test_an_interrupted_removal_disables_the_address_and_can_be_repeated(
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
def test_concurrent_confirmations_never_give_two_players_the_same_address(
    contacts: NotificationPreferences, redis: Redis, entered: str | None
) -> None:
    """Given a free address, with or without a stale entry, when two players confirm it at the same time, then at most
    one succeeds, and that player has the address."""
    for _ in range(ROUNDS):
        redis.flushall()
        if entered:
            contacts.set_address(entered, NEW)
            redis.delete(f"ct:contact:{entered}")
        start, results = threading.Barrier(2), {}

        def confirm(player: str, start: threading.Barrier = start, results: dict[str, bool] = results) -> None:
            start.wait()
            results[player] = try_set_address(contacts, player, NEW)

        both = [threading.Thread(target=confirm, args=(player,)) for player in (ANN, BOB)]
        for each in both:
            each.start()
        for each in both:
            each.join()
        got = [player for player in (ANN, BOB) if results[player]]
        assert len(got) < 2
        assert [player for player in (ANN, BOB) if stored_address(contacts, player)] == got
        assert contacts.address_owner(NEW) == (got[0] if got else None)
        assert try_set_address(contacts, (*got, ANN)[0], NEW)
