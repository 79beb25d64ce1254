"""In two worlds that a reader cannot tell apart, every endpoint of the service returns the same bytes."""

import itertools
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from itertools import islice
from typing import Any

import pytest
from flask import Flask
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from domain.kernel.game import AnyGame
from domain.kernel.registry import find_game, games
from service.bots.house_bots import first_bot_to_move
from tests.leaks.channels import ACTING_VISITS, NOT_VISITED, READING_VISITS, Visit, house_turn, visit_all
from tests.leaks.stacks import (
    Viewer,
    WorldService,
    captured_logs,
    comparable_answer,
    copy_service,
    counters,
    without_random,
)
from tests.leaks.worlds import PEOPLE, Kind, Pair, pairs

SECRETIVE = [game for slug, game in games().items() if slug != "tic_tac_toe"]
WALKS = int(os.environ.get("CRUMBTRAIL_LEAK_WALKS", "1000")) // (2 * len(SECRETIVE))
"""Number of pairs of a game and kind in the long tests, with a few hundred answers each."""
every_secretive_game = pytest.mark.parametrize("game", SECRETIVE, ids=lambda game: game.slug)


def player_and_scope(pair: Pair) -> tuple[str, str]:
    """Return the player and token scope of the pair's reader; a bot reads through its worker."""
    reader = pair.reader
    if reader is None:
        return PEOPLE[-1], "play" if len(pair.worlds[0].turns) % 2 else "none"
    if pair.worlds[0].match.seats[reader].kind == "bot":
        return PEOPLE[-1], "house"
    return PEOPLE[reader], "play"


def can_see_match(pair: Pair) -> bool:
    """Return whether the reader can see the match through the service.

    A worker sees it only as the bot whose turn it is, so any other bot has no access.
    """
    head = pair.worlds[0].match
    is_bot = pair.reader is not None and head.seats[pair.reader].kind == "bot"
    return not is_bot or first_bot_to_move(head) in (None, pair.reader)


def compare(
    two_services: tuple[WorldService, WorldService], pair: Pair, way: Visit = visit_all
) -> tuple[int, set[str]]:
    """Visit both worlds and compare. Return the number of equal answers and their endpoints."""
    player, scope = player_and_scope(pair)
    token = reset_services(two_services, player, scope)
    (one, side_effects), (other, other_side_effects) = [
        answers_and_traces(service, pair, n, player, token, way) for n, service in enumerate(two_services)
    ]
    for answer, same in zip(one, other, strict=True):
        assert answer == same, f"{pair.game.slug}, {pair.kind}, read by {pair.reader}"
    assert side_effects == other_side_effects
    return len(one), {answer["endpoint"] for answer in one}


def reset_services(two_services: tuple[WorldService, WorldService], player: str, scope: str) -> str | None:
    """Reset both services to the same players, and return the reader's token."""
    for service in two_services:
        service.reset()
    two_services[0].register_players()
    players = two_services[0].services.accounts.players
    token = {
        "house": lambda: players.new_token("house", "house", "walk"),
        "play": lambda: players.new_token(player, "play", "walk"),
        "none": lambda: None,
    }[scope]()
    copy_service(two_services[0], two_services[1])
    return token


def answers_and_traces(
    service: WorldService, pair: Pair, number: int, player: str, token: str | None, way: Visit
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Return all answers to a reader from one service, with its metrics, logs and jobs."""
    before = counters()
    with captured_logs() as lines:
        service.load_world(pair.worlds[number], pair.secrets)
        viewer = Viewer(service, pair.match, pair.reader, player, token)
        way(viewer)
        service.dispatch()
    counted = {name: value - before.get(name, 0) for name, value in counters().items() if value != before.get(name, 0)}
    answers = [
        comparable_answer(method, answer) | {"endpoint": endpoint(service.app, method, answer)}
        for method, answer in viewer.answers
    ]
    return answers, {"counted": counted, "logged": lines, "jobs": service.jobs()}


def endpoint(app: Flask, method: str, answer: Any) -> str:
    """Return the endpoint that gave an answer."""
    found, _ = app.url_map.bind("").match(answer.request.path, method)
    return str(found)


def some_pairs(game: AnyGame, number: int, kind: Kind, most: int = 1) -> Iterator[Pair]:
    """Yield up to `most` pairs for each reader. The number also selects the number of seats and the rules.

    One match in four has rules version 1 with luck protocol 1, the others the newest rules with protocol 2.
    """
    rules = find_game(game.slug, 1) if number % 4 == 2 else game
    yield from pairs(rules, game.seat_counts[number % len(game.seat_counts)], number, kind, most)


def first_pair(game: AnyGame, number: int, kind: Kind) -> Pair:
    """Return the first usable pair from this number upwards, for one of its readers in turn."""
    for n in range(number, number + 50):
        if found := [pair for pair in some_pairs(game, n, kind) if can_see_match(pair)]:
            return found[number % len(found)]
    raise AssertionError(f"{game.slug} has no pairs")


def compare_many(two_services: tuple[WorldService, WorldService], game: AnyGame, kind: Kind, count: int) -> None:
    """Compare this many pairs, and print the counts."""
    answers, reached = [], set[str]()

    @settings(max_examples=count, deadline=None, suppress_health_check=list(HealthCheck), phases=[Phase.generate])
    @given(st.integers(0, 10**6))
    def compared(number: int) -> None:
        nonlocal reached
        same, seen = compare(two_services, first_pair(game, number, kind))
        answers.append(same)
        reached |= seen

    compared()
    print(f"two worlds, {game.slug}, {kind}: {len(answers)} pairs, {sum(answers)} equal answers")
    assert reached == {*READING_VISITS, *ACTING_VISITS}, "a visit did not reach its endpoint"


def test_every_route_is_visited_or_listed_with_a_reason(two_services: tuple[WorldService, WorldService]) -> None:
    endpoints = {rule.endpoint for rule in two_services[0].app.url_map.iter_rules()}
    assert endpoints == {*READING_VISITS, *ACTING_VISITS, *NOT_VISITED}
    assert not NOT_VISITED.keys() & {*READING_VISITS, *ACTING_VISITS}


@pytest.mark.soak
@every_secretive_game
@pytest.mark.parametrize("kind", ["people", "practice"])
def test_hidden_information_changes_no_byte_of_any_answer(
    two_services: tuple[WorldService, WorldService], game: AnyGame, kind: Kind
) -> None:
    compare_many(two_services, game, kind, 1)


@pytest.mark.soak
@pytest.mark.timeout(7200)
@every_secretive_game
@pytest.mark.parametrize("kind", ["people", "practice"])
def test_hidden_information_changes_no_byte_of_any_answer_at_length(
    two_services: tuple[WorldService, WorldService], game: AnyGame, kind: Kind
) -> None:
    compare_many(two_services, game, kind, WALKS)


@pytest.mark.full
def test_a_difference_is_noticed(two_services: tuple[WorldService, WorldService]) -> None:
    """For a seat that can tell the two worlds apart, the answers differ."""
    pair, informed_seat = next(
        (pair, seat)
        for n in range(99)
        for pair in some_pairs(SECRETIVE[0], n, "people")
        for seat in range(len(pair.worlds[0].match.seats))
        if pair.worlds[0].information_for(seat) != pair.worlds[1].information_for(seat)
    )
    with pytest.raises(AssertionError):
        compare(two_services, replace(pair, reader=informed_seat))


# -- what a worker sees -------------------------------------------------------------------------------------------


@every_secretive_game
@pytest.mark.parametrize("count", [3, pytest.param(20, marks=pytest.mark.full)])
def test_a_worker_gets_only_what_the_bot_to_move_may_know(
    two_services: tuple[WorldService, WorldService], game: AnyGame, count: int
) -> None:
    """In worlds that the bot to move cannot tell apart, its worker gets the same turn."""
    bots = (pair for n in itertools.count() for pair in some_pairs(game, n, "practice") if pair.reader)
    at_turn = (pair for pair in bots if first_bot_to_move(pair.worlds[0].match) == pair.reader)
    for pair in islice(at_turn, count):
        same, endpoints = compare(two_services, pair, house_turn)
        assert (same, endpoints) == (2, {"house.house", "house.turn"})


def test_a_worker_does_not_see_the_match_as_a_waiting_bot(two_services: tuple[WorldService, WorldService]) -> None:
    """A worker sees the secret draw of the bot to move, which a waiting bot must not see."""
    pie = next(game for game in SECRETIVE if game.slug == "pie_contest")
    pair = next(
        pair
        for n in itertools.count()
        for pair in some_pairs(pie, n, "practice")
        if pair.reader and (seat := first_bot_to_move(pair.worlds[0].match)) not in (None, pair.reader)
        if pair.worlds[0].information_for(seat) != pair.worlds[1].information_for(seat)
    )
    assert not can_see_match(pair)
    with pytest.raises(AssertionError):
        compare(two_services, pair, house_turn)


# -- live streams -------------------------------------------------------------------------------------------------


def news(service: WorldService, pair: Pair, number: int, token: str | None) -> list[bytes]:
    """Return what open streams and a waiting request send about the last move, in one service."""
    world, path = pair.worlds[number], f"/api/v1/matches/{pair.match}"
    before = len(world.events) - 1
    service.load_world(world, pair.secrets, upto=before)
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    with ExitStack() as open_ones, ThreadPoolExecutor() as pool:
        streams = [
            open_ones.enter_context(service.app.test_client().get(place, headers=headers | {"Accept": form}))
            for place, form in (
                (f"{path}/stream?after={before - 1}", "text/event-stream"),
                (f"{path}/stream?after={before - 1}", "application/x-ndjson"),
                (f"/matches/{pair.match}/live?after={before - 1}", "text/event-stream"),
            )
        ]
        reading = [iter(stream.response) for stream in streams]
        received = [piece for stream in reading for piece in islice(stream, 2)]
        waiting = pool.submit(service.app.test_client().get, f"{path}/events?after={before}&wait=20", headers=headers)
        service.load_world(world, pair.secrets)
        received += [piece for stream in reading for piece in islice(stream, 1)]
        received.append(waiting.result(30).get_data())
    return [without_random(piece if isinstance(piece, str) else piece.decode()).encode() for piece in received]


@every_secretive_game
def test_live_streams_do_not_reveal_a_hidden_change(
    two_services: tuple[WorldService, WorldService], game: AnyGame
) -> None:
    pair = first_pair(game, 3, "people")
    while not pair.worlds[0].turns:
        pair = first_pair(game, len(pair.worlds[0].events) + 17, "people")
    token = reset_services(two_services, *player_and_scope(pair))
    one, other = (news(service, pair, number, token) for number, service in enumerate(two_services))
    assert one == other
    assert len(one) == 10
    assert b'"ply":%d' % len(pair.worlds[0].events) in one[-1]
