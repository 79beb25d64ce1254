"""Dry runs and refused moves in the whole service take the same work and bytes, no matter what the opponent has hidden.

Two worlds: matches with the same id, seed and players, which differ only in the move that Ann has made in secret. Bob
sends any request he likes. The tests compare the answers, and count the calls in rules, matches, draws and the command
handler.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from redis import Redis

from domain.kernel.game import Seat
from domain.kernel.hash_chain import canonical_json
from domain.kernel.refusals import IllegalMove
from domain.kernel.registry import find_game
from domain.match.commands import AnswerProposal, Play, Propose, SeatSpec
from domain.match.state import AnyMatch
from service.bootstrap import Services, build_services
from service.event_store.embedded import EmbeddedServer
from service.matches.errors import NotYourTurn
from service.matches.results import IdempotencyKey
from service.runtime.settings import Settings
from tests.contract.work import Work, difference, work_of
from tests.service.api.conftest import ManualClock

MICE = find_game("mice_cake")
ANN, BOB = 0, 1
STARTED = 4
"""The ply at which the match starts."""
SEED = b"\xc0\xff\xee"
SECRETS = ({"A": 4, "B": 0, "C": 0, "D": 0}, {"A": 0, "B": 0, "C": 0, "D": 4}, {"A": 1, "B": 1, "C": 1, "D": 1})
"""Ann's assignments in the two worlds, and in one more."""
TOO_MANY = {"type": "assign_mice", "columns": {"A": 3, "B": 3, "C": 0, "D": 0}}
TOO_FEW = {"type": "assign_mice", "columns": {"A": 1, "B": 0, "C": 0, "D": 0}}
LEGAL = {"type": "assign_mice", "columns": {"A": 2, "B": 2, "C": 0, "D": 0}}
NOWHERE = {"type": "assign_mice", "columns": {"A": 4, "B": 0, "C": 0, "D": 0}, "steal_target": "6-6"}


class World:
    """A service with one running match, in which Ann has sent her mice."""

    def __init__(self, services: Services, columns: dict[str, int]) -> None:
        self.services = services
        self.commands = services.matches.commands
        seats = [SeatSpec("human", player="p_ann"), SeatSpec("human", player="p_bob")]
        self.id = services.matches.creation.create("p_ann", "mice_cake", seats, {}, seed=SEED, key="match").match.id
        self.play(ANN, {"type": "assign_mice", "columns": columns})

    @property
    def match(self) -> AnyMatch:
        """The match at its head."""
        return self.services.matches.repository.load(self.id)

    def play(self, seat: Seat, move: Any, key: str = "move") -> Any:
        """Make a move. Raises Refused, NotYourTurn."""
        author = ("p_ann", "p_bob")[seat]
        return self.commands.submit(self.id, Play(seat, move), IdempotencyKey(author, f"{key} {move}"))

    def try_move(self, move: Any, seat: Seat = BOB) -> Any:
        """Make a move that is refused. Raises IllegalMove."""
        try:
            self.play(seat, move)
        except NotYourTurn as late:
            raise IllegalMove(late.refusal.code, late.refusal.rule, late.refusal.message) from None
        raise AssertionError(f"{move} is legal")

    def ask_and_withdraw(self, number: int) -> None:
        """Let Bob ask Ann to undo her move, and withdraw the request."""
        asked = Propose(seat=BOB, what="takeback", to_ply=STARTED)
        proposal = self.commands.submit(self.id, asked, IdempotencyKey("p_bob", f"ask {number}")).match.ply
        withdrawn = AnswerProposal(BOB, proposal, agrees=False)
        self.commands.submit(self.id, withdrawn, IdempotencyKey("p_bob", f"withdraw {number}"))

    def dry_run(self, move: Any) -> Any:
        """Try a move."""
        foreseen = self.commands.dry_run(self.match, BOB, move)
        return [list(foreseen.facts), foreseen.complete]


@pytest.fixture
def build(server: EmbeddedServer, redis: Redis) -> Iterator[Callable[[dict[str, int]], World]]:
    """Return a function that returns a world with empty caches, as in a new process, and nothing else in its log."""
    built: list[Services] = []
    secret = b"secret of the service".ljust(32)

    def build_world(columns: dict[str, int]) -> World:
        redis.flushall()
        redis.set("ct:secret", secret)
        built.append(build_services(Settings(log_url=server.url()), ManualClock()))
        return World(built[-1], columns)

    yield build_world
    for services in built:
        services.runtime.redis.close()


def work_in(world: World, request: Callable[[World], Any]) -> Work:
    """Return the work of a request in rules, matches and command handler. The log's own work is left out."""
    mine = work_of(lambda: request(world), "/domain/")
    around = work_of(lambda: request(world), "/service/matches/")
    return Work(mine.calls + around.calls, mine.given)


REQUESTS: dict[str, Callable[[World], Any]] = {
    "dry run of a legal move": lambda world: world.dry_run(LEGAL),
    "dry run of too many mice": lambda world: world.dry_run(TOO_MANY),
    "too many mice": lambda world: world.try_move(TOO_MANY),
    "too few mice": lambda world: world.try_move(TOO_FEW),
    "a target that is not there": lambda world: world.try_move(NOWHERE),
}
"""Requests that Bob can repeat at will."""


@pytest.mark.parametrize("name", REQUESTS)
def test_a_request_does_the_same_in_both_worlds(build: Callable[[dict[str, int]], World], name: str) -> None:
    one, other, third = (work_in(build(columns), REQUESTS[name]) for columns in SECRETS)
    assert one.calls
    assert difference(one, other) == ""
    assert difference(one, third) == ""


def test_the_two_worlds_are_different_and_look_alike(build: Callable[[dict[str, int]], World]) -> None:
    """The two worlds differ. Otherwise the test above would compare nothing."""
    worlds = [build(columns).match for columns in SECRETS[:2]]
    assert worlds[0].id == worlds[1].id
    assert worlds[0].state != worlds[1].state
    assert canonical_json(MICE.view(worlds[0].state, BOB)) == canonical_json(MICE.view(worlds[1].state, BOB))


# -- which state a refused move sees ----------------------------------------------------------------------------------


@contextmanager
def decided_states(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Any]]:
    """Record the states that the rules use to decide."""
    states: list[Any] = []
    decide = MICE.decide

    def recorded(state: Any, *arguments: Any) -> Any:
        states.append(state)
        return decide(state, *arguments)

    with monkeypatch.context() as patch:
        patch.setitem(vars(MICE), "decide", recorded)
        yield states


@pytest.mark.parametrize(("seat", "refused"), [(BOB, [TOO_MANY, TOO_FEW, NOWHERE]), (ANN, [LEGAL, TOO_MANY, TOO_FEW])])
def test_only_the_first_refused_move_sees_the_true_state(
    build: Callable[[dict[str, int]], World], monkeypatch: pytest.MonkeyPatch, seat: Seat, refused: list[Any]
) -> None:
    """Given a seat that owes a move (Bob) or none (Ann), then its further attempts are decided in its own world."""
    world = build(SECRETS[0])
    true_state = world.match.state
    with decided_states(monkeypatch) as states:
        for move in refused:
            with pytest.raises(IllegalMove):
                world.try_move(move, seat)
    assert sum(state is true_state or state == true_state for state in states) == 1
    assert len(states) > len(refused)


def test_a_request_in_between_gives_no_further_look(
    build: Callable[[dict[str, int]], World], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Given a refused move, when a request by Bob adds a ply to the match, then the refusal still counts."""
    world = build(SECRETS[0])
    true_state = world.match.state
    with decided_states(monkeypatch) as states:
        for number in range(4):
            with pytest.raises(IllegalMove):
                world.try_move(TOO_MANY)
            world.ask_and_withdraw(number)
    assert sum(state == true_state for state in states) == 1


def test_a_legal_move_after_a_refused_one_is_decided_on_the_true_state(
    build: Callable[[dict[str, int]], World], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Given a refused move, then the next, legal one has the same facts as without it."""
    facts = []
    for refused in ([], [TOO_MANY]):
        world = build(SECRETS[0])
        for move in refused:
            with pytest.raises(IllegalMove):
                world.try_move(move)
        true_state = world.match.state
        with decided_states(monkeypatch) as states:
            facts.append(world.play(BOB, LEGAL).events[0].facts)
        assert states[-1] == true_state
    assert facts[0] == facts[1]
