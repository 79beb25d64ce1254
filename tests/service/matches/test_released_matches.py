"""Matches that the released service stored continue unchanged: rules version 1, luck protocol 1, the same answers.

`released.json` holds every key that the first release (commit 6e72bc9) had written to its log after it created six
matches and played them for a while. Its commands and payload digests come from the same run.
"""

import json
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec
import pytest
from redis import Redis

from domain.kernel.chance import Fast
from domain.kernel.events import SeatTaken, TimeControl
from domain.kernel.refusals import MatchRefused
from domain.match.commands import CloseLobby, Create, Play, SeatSpec, TakeSeat
from domain.match.history import fold
from domain.match.state import AnyMatch
from replays.fork_check import check_fork
from replays.verify import verify
from service.bootstrap import Services, build_services
from service.event_store.embedded import EmbeddedServer
from service.event_store.errors import CommandReused
from service.event_store.keys import snapshot_key
from service.event_store.log import MatchLog
from service.matches.creation import MatchCreator
from service.matches.repository import MatchRepository
from service.matches.results import CommandResult, IdempotencyKey, bot_author, payload_digest
from service.runtime.clock import Clock
from service.runtime.settings import Settings
from tests.builders import replay_file
from tests.service.api.conftest import ManualClock

RELEASED = json.loads((Path(__file__).parent / "released.json").read_text())
MATCHES: dict[str, str] = RELEASED["matches"]
RUNNING = ("rated", "drawn-seats", "practice", "source", "fork")
MATCH = "07mzxw6ytboi3dgnbv"
A_DAY = TimeControl(kind="per_move", seconds=86400)


@pytest.fixture
def services(server: EmbeddedServer, redis: Redis) -> Services:
    """Return the services, on the log as the release left it."""
    for name, value in RELEASED["keys"].items():
        for kind, content in value.items():
            match kind:
                case "stream":
                    for entry, fields in content:
                        redis.xadd(name, fields, id=entry)
                case "hash":
                    redis.hset(name, mapping=content)
                case "string":
                    redis.set(name, content)
    clock = ManualClock()
    clock.advance(3600)
    return build_services(Settings(log_url=server.url()), clock)


@pytest.fixture
def creation(services: Services, redis: Redis) -> MatchCreator:
    """Return the creation of matches with the secret that the release had."""
    log = MatchLog(redis)
    clock: Clock = ManualClock()
    return MatchCreator(log, MatchRepository(log), clock, b"released")


def person(player: str, client_seed: str) -> SeatSpec:
    return SeatSpec("human", player=player, client_seed=client_seed)


def play_once(services: Services, head: AnyMatch, chance: Fast) -> CommandResult:
    """Play a random move of the first seat that owes one."""
    seat = min(head.to_move)
    move = msgspec.to_builtins(chance.pick(list(islice(head.rules.legal_moves(head.state, seat), 200))))
    author = head.seats[seat].player or bot_author(head.id, seat)
    return services.matches.commands.submit(head.id, Play(seat, move), IdempotencyKey(author, f"then {head.ply}"))


def play_to_end(services: Services, match: str, moves: str = "moves", most: int = 400) -> AnyMatch:
    """Play random moves to the end. A player who has made many moves resigns."""
    head, chance = services.matches.repository.load(match), Fast(moves)
    while head.status == "playing":
        if head.ply > most:
            resigning = next(n for n, seat in enumerate(head.seats) if seat.player)
            by = IdempotencyKey(head.seats[resigning].player or "", "resign")
            return services.matches.commands.submit(match, Play(resigning, {"type": "resign"}), by).match
        head = play_once(services, head, chance).match
    return head


# -- playing on ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", RUNNING)
def test_a_stored_match_continues_under_its_rules_and_verifies(services: Services, name: str) -> None:
    # given: a running match of the release
    match = MATCHES[name]
    stored = services.log.lines(match)
    before = services.matches.repository.load(match)
    assert (before.rules_version, before.luck, before.status, before.ply) == (1, None, "playing", len(stored))
    assert before == fold(list(services.matches.repository.read_events(match)))
    assert services.verification.auditor.audit(match).first is None
    # when: it is played to its end
    over = play_to_end(services, match)
    # then: it ended under the same rules, nothing that was stored has changed, and it verifies
    assert (over.rules_version, over.status, over.luck) == (1, "over", None)
    assert services.log.lines(match)[: len(stored)] == stored
    assert services.verification.auditor.audit(match).ok
    events = services.matches.repository.visible_events(over, None)
    assert verify(replay_file(events)).ok
    lines = [json.loads(line) for line in services.log.lines(match)]
    assert not {"luck", "share", "seal", "shares", "draws", "salts", "bot", "seen"} & {
        field for line in lines for field in line
    }


def test_a_lobby_of_the_release_starts_with_the_client_seeds(services: Services) -> None:
    match = MATCHES["waiting"]
    share = IdempotencyKey("p_bob", "share")
    commitment = services.matches.repository.load(match).commitment
    with pytest.raises(MatchRefused) as refused:
        services.matches.commands.submit(match, TakeSeat(1, "p_bob", commitment=commitment, share="ab" * 32), share)
    assert refused.value.code == "wrong_level"
    done = services.matches.commands.submit(match, TakeSeat(1, "p_bob", "bob-3"), IdempotencyKey("p_bob", "sit"))
    started = json.loads(services.log.lines(match)[-1])
    assert (done.match.status, started["client_seeds"]) == ("playing", ["ann-3", "bob-3"])
    assert play_to_end(services, match).status == "over"
    assert services.verification.auditor.audit(match).ok


def test_a_snapshot_of_the_release_changes_nothing(services: Services, redis: Redis) -> None:
    """The snapshot is ignored, or read as the same match."""
    stored = [name for name in RUNNING if redis.exists(snapshot_key(MATCHES[name]))]
    assert stored
    for name in stored:
        match = MATCHES[name]
        with_snapshot = MatchRepository(services.log).load(match)
        redis.delete(snapshot_key(match))
        assert with_snapshot == MatchRepository(services.log).load(match)


# -- forks --------------------------------------------------------------------------------------------------------


def test_a_fork_with_the_same_luck_has_the_same_rules_and_draws(services: Services) -> None:
    # given: a match of the release that is over
    match = MATCHES["rated"]
    over = play_to_end(services, match, "one")
    forked_at = len(RELEASED["keys"][f"{{ct:{match[:2]}}}:log:{match}"]["stream"])
    # when: it is forked with the same luck, and the same moves are made
    seats = [person("p_ann", "none"), person("p_ann", "none")]
    fork = services.matches.creation.fork(match, forked_at, "p_ann", seats, same_luck=True).match
    again = play_to_end(services, fork.id, "one")
    # then: it has protocol 1, the rules of its match and the same draws
    assert (fork.rules_version, fork.luck, fork.commitment) == (1, None, over.commitment)
    assert again.state == over.state
    parent = list(services.matches.repository.read_events(match))
    events = list(services.matches.repository.read_events(fork.id))
    assert check_fork(events, parent).status == "ok"
    assert services.verification.auditor.audit(fork.id).ok
    assert verify(replay_file(events)).ok


def test_a_running_practice_match_of_the_release_is_forked_with_the_same_luck(services: Services) -> None:
    match = MATCHES["practice"]
    head = services.matches.repository.load(match)
    seats = [person("p_ann", "none"), SeatSpec("bot", level="greedy")]
    fork = services.matches.creation.fork(match, head.ply, "p_ann", seats, same_luck=True).match
    one, other = play_once(services, head, Fast("move")), play_once(services, fork, Fast("move"))
    assert one.match.state == other.match.state
    assert services.verification.auditor.audit(fork.id).first is None


# -- repeated commands --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "game", "seats", "more"),
    [
        ("rated", "mice_cake", [person("p_ann", "ann-1"), SeatSpec("open")], {"clock": A_DAY, "rated": True}),
        (
            "drawn-seats",
            "bakers_brawl",
            [person("p_ann", "ann-2"), SeatSpec("bot", level="greedy"), SeatSpec("open")],
            {"by_chance": True},
        ),
        ("waiting", "pie_contest", [person("p_ann", "ann-3"), SeatSpec("open")], {}),
        (
            "practice",
            "mice_cake",
            [person("p_ann", "ann-4"), SeatSpec("bot", level="greedy")],
            {"seed": bytes(range(32))},
        ),
    ],
)
def test_a_repeated_creation_of_the_release_gets_its_answer(
    services: Services, creation: MatchCreator, name: str, game: str, seats: list[SeatSpec], more: dict[str, Any]
) -> None:
    again = creation.create("p_ann", game, seats, {}, key=name, **more)
    assert (again.is_repeat, again.match.id) == (True, MATCHES[name])
    assert [event.ply for event in again.events] == list(range(1, len(again.events) + 1))
    with pytest.raises(CommandReused):
        creation.create("p_ann", game, [*seats[:-1], SeatSpec("open", private=True)], {}, key=name, **more)


def test_a_repeated_fork_of_the_release_gets_its_answer(services: Services, creation: MatchCreator) -> None:
    seats = [person("p_ann", "ann-5"), person("p_ann", "none")]
    ply = services.matches.repository.load(MATCHES["source"]).ply
    again = creation.fork(MATCHES["source"], ply, "p_ann", seats, same_luck=True, key="fork")
    assert (again.is_repeat, again.match.id) == (True, MATCHES["fork"])


@pytest.mark.parametrize("name", RUNNING)
def test_a_repeated_move_of_the_release_gets_its_answer(services: Services, name: str) -> None:
    move = RELEASED["last_moves"][name]
    by = IdempotencyKey(move["author"], move["key"])
    again = services.matches.commands.submit(MATCHES[name], Play(move["seat"], move["move"]), by)
    assert (again.is_repeat, again.events[0].ply) == (True, move["ply"])
    with pytest.raises(CommandReused):
        services.matches.commands.submit(MATCHES[name], Play(move["seat"], {"type": "resign"}), by)


@pytest.mark.parametrize(("name", "seat", "client_seed"), [("rated", 1, "bob-1"), ("drawn-seats", 2, "bob-2")])
def test_a_repeated_seat_of_the_release_gets_its_answer(
    services: Services, name: str, seat: int, client_seed: str
) -> None:
    by = IdempotencyKey("p_bob", f"sit {seat}")
    again = services.matches.commands.submit(MATCHES[name], TakeSeat(seat, "p_bob", client_seed), by)
    assert (again.is_repeat, again.events[0].seat, type(again.events[0])) == (True, seat, SeatTaken)


def test_the_payload_digests_of_the_release_are_unchanged() -> None:
    opened, bot = SeatSpec("open"), SeatSpec("bot", level="greedy")
    plain = Create(match=MATCH, game="mice_cake", creator="p_ann", options={}, seats=(person("p_ann", "none"), opened))
    full = Create(
        match=MATCH,
        game="mice_cake",
        creator="p_ann",
        options={"matches": "boost"},
        seats=(person("p_ann", "luck"), SeatSpec("open", private=True), bot),
        position={"a": 1},
        clock=A_DAY,
        rated=True,
        private=True,
        by_chance=True,
    )
    commands: dict[str, Any] = {
        "create": [plain, None],
        "create with everything": [full, "00ff"],
        "take seat": [MATCH, TakeSeat(1, "p_bob")],
        "take seat with a client seed": [MATCH, TakeSeat(1, "p_bob", "bob-1")],
        "play": [MATCH, Play(0, {"type": "resign"})],
        "close lobby": [MATCH, CloseLobby()],
    }
    assert {name: payload_digest(command) for name, command in commands.items()} == RELEASED["digests"]
