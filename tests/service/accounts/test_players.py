"""What a player does in one browser while another erases the player."""

import threading

import pytest
from redis import Redis

from service.accounts.players import HOUSE, PlayerErased, Players
from service.runtime.clock import SystemClock

ROUNDS = 100


@pytest.fixture
def players(redis: Redis) -> Players:
    """No players yet."""
    return Players(redis, SystemClock())


def test_a_name_that_is_changed_while_its_player_is_erased_brings_nobody_back(players: Players, redis: Redis) -> None:
    ann = players.create("Ann")
    players.erase(ann.id)
    players.rename(ann, "Annabel")
    assert players.find(ann.id) is None
    assert redis.keys("*") == []


def test_a_token_that_is_made_while_its_player_is_erased_is_none(players: Players, redis: Redis) -> None:
    ann = players.create("Ann")
    players.erase(ann.id)
    with pytest.raises(PlayerErased):
        players.new_token(ann.id, "play", "Phone")
    assert redis.keys("*") == []
    assert players.find_token(players.new_token(HOUSE, HOUSE, "The shed")), "no player is called so"


def test_a_token_that_is_ended_while_it_is_made_is_none(players: Players, redis: Redis) -> None:
    """Given somebody who ends all tokens without a break, when others are made, then each is in the list, or is none:
    never is one good that could not be revoked."""
    ann, over = players.create("Ann").id, threading.Event()

    def end_all() -> None:
        while not over.is_set():
            players.revoke_all(ann)

    ending = threading.Thread(target=end_all)
    ending.start()
    try:
        for _ in range(ROUNDS):
            try:
                players.new_token(ann, "play", "Phone")
            except PlayerErased:
                continue
    finally:
        over.set()
        ending.join()
    players.revoke_all(ann)
    assert redis.keys("ct:token*") == []
