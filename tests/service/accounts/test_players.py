"""Actions in one browser while the player is erased in another."""

import threading

import pytest
from redis import Redis

from service.accounts.players import HOUSE, PlayerErased, Players
from service.runtime.clock import SystemClock

ROUNDS = 100


@pytest.fixture
def players(redis: Redis) -> Players:
    """Return an empty player store."""
    return Players(redis, SystemClock())


def test_renaming_an_erased_player_does_not_restore_the_player(players: Players, redis: Redis) -> None:
    ann = players.create("Ann")
    players.erase(ann.id)
    players.rename(ann, "Annabel")
    assert players.find(ann.id) is None
    assert redis.keys("*") == []


def test_an_erased_player_gets_no_token(players: Players, redis: Redis) -> None:
    ann = players.create("Ann")
    players.erase(ann.id)
    with pytest.raises(PlayerErased):
        players.new_token(ann.id, "play", "Phone")
    assert redis.keys("*") == []
    assert players.find_token(players.new_token(HOUSE, HOUSE, "The shed")), "no player has this id"


def test_tokens_created_while_all_are_revoked_can_be_revoked(players: Players, redis: Redis) -> None:
    """A token created while another thread revokes all tokens is either invalid or listed, so it can be revoked."""
    ann, finished = players.create("Ann").id, threading.Event()

    def revoke_repeatedly() -> None:
        while not finished.is_set():
            players.revoke_all(ann)

    thread = threading.Thread(target=revoke_repeatedly)
    thread.start()
    try:
        for _ in range(ROUNDS):
            try:
                players.new_token(ann, "play", "Phone")
            except PlayerErased:
                continue
    finally:
        finished.set()
        thread.join()
    players.revoke_all(ann)
    assert redis.keys("ct:token*") == []
