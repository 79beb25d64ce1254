"""Unacknowledged events that were seen and then lost in a failover: no process builds on them."""

from collections.abc import Iterator

import msgspec
import pytest
from redis import Redis

from domain.match.commands import Play
from domain.match.state import AnyMatch
from service.bootstrap import Services, build_services
from service.event_store.embedded import EmbeddedServer
from service.event_store.keys import hash_tag, shard_of
from service.matches.results import IdempotencyKey
from service.read_models.summary import summarize_match
from service.runtime.settings import Settings
from tests.workers.crew import SeatSpec
from workers.projection.projector import Projector

SEATS = (SeatSpec("human", player="p_ann"), SeatSpec("human", player="p_bob"))
PLAYERS = ("p_ann", "p_bob")


@pytest.fixture
def processes(redis: Redis, server: EmbeddedServer) -> Iterator[list[Services]]:
    """Three processes of one service, each with its own caches."""
    built = [build_services(Settings(log_url=server.url())) for _ in range(3)]
    yield built
    for services in built:
        services.runtime.redis.close()


def mark(services: Services, match: str, seat: int, cell: int) -> AnyMatch:
    by = IdempotencyKey(PLAYERS[seat], f"{id(services)} {cell}")
    return services.matches.commands.submit(match, Play(seat, {"type": "mark", "cell": cell}), by).match


class Replica:
    """A replica's copy of a match's shard. Promoting it loses later writes."""

    def __init__(self, redis: Redis, match: str) -> None:
        self._redis, self._pattern = redis, f"{hash_tag(shard_of(match))}:*"
        self._had = {key: redis.dump(key) for key in redis.keys(self._pattern)}

    def promote(self) -> None:
        for key in self._redis.keys(self._pattern):
            self._redis.delete(key)
        for key, value in self._had.items():
            self._redis.restore(key, 0, value)


def test_a_process_forgets_a_lost_event(processes: list[Services], redis: Redis) -> None:
    ann, bob, other = processes
    match = ann.matches.creation.create("p_ann", "tic_tac_toe", SEATS, {}).match.id
    replica = Replica(redis, match)
    ply = mark(ann, match, 0, 4).ply
    assert bob.matches.repository.load(match).ply == other.matches.repository.load(match).ply == ply
    # when: the move is lost
    replica.promote()
    # then: no process shows it any more
    assert bob.matches.repository.load(match).ply == ply - 1
    # then: after a different move, a process with the lost move in its cache uses the stored one
    mark(bob, match, 0, 0)
    assert mark(other, match, 1, 4).ply == ply + 1
    assert mark(ann, match, 0, 1).ply == ply + 2
    for services in processes:
        assert services.verification.auditor.audit(match).first is None
        assert services.matches.repository.load(match).head_hash == ann.matches.repository.load(match).head_hash


def test_a_seat_cannot_answer_a_lost_move(processes: list[Services], redis: Redis) -> None:
    """If only one process has seen Ann's lost move, Bob cannot answer it there: it is Ann's turn."""
    ann, bob, _ = processes
    match = ann.matches.creation.create("p_ann", "tic_tac_toe", SEATS, {}).match.id
    replica = Replica(redis, match)
    mark(ann, match, 0, 4)
    bob.matches.repository.load(match)
    replica.promote()
    with pytest.raises(Exception, match="turn"):
        mark(bob, match, 1, 0)
    mark(bob, match, 0, 8)
    assert bob.verification.auditor.audit(match).first is None


def test_a_match_created_again_with_the_same_key_has_a_new_seed(processes: list[Services], redis: Redis) -> None:
    """After a creation is lost and repeated, a process that knew the first seed uses the second one."""
    ann, bob, _ = processes
    first = ann.matches.creation.create("p_ann", "mice_cake", SEATS, {}, key="again").match
    bob.matches.repository.secrets(bob.matches.repository.load(first.id))
    for key in redis.keys(f"{hash_tag(shard_of(first.id))}:*"):
        redis.delete(key)
    second = ann.matches.creation.create("p_ann", "mice_cake", SEATS, {}, key="again").match
    assert (second.id, second.commitment != first.commitment) == (first.id, True)
    game = second.rules
    for seat in (0, 1):
        move = next(iter(game.legal_moves(bob.matches.repository.load(second.id).state, seat)))
        bob.matches.commands.submit(
            second.id, Play(seat, msgspec.to_builtins(move)), IdempotencyKey(PLAYERS[seat], "m")
        )
    assert bob.verification.auditor.audit(second.id).first is None


def test_the_lists_forget_a_lost_event(processes: list[Services], redis: Redis) -> None:
    ann, bob, _ = processes
    projector = Projector(bob.log, bob.read_models.writer, bob.read_models.progress)
    match = ann.matches.creation.create("p_ann", "tic_tac_toe", SEATS, {}).match.id
    projector.catch_up()
    replica = Replica(redis, match)
    mark(ann, match, 0, 4)
    projector.catch_up()
    replica.promote()
    mark(bob, match, 0, 0)
    mark(bob, match, 1, 8)
    projector.advance(shard_of(match))  # a hint may come before the next poll of all feeds
    projector.catch_up()
    assert bob.read_models.lists.find_match(match) == summarize_match(bob.matches.repository.load(match))
