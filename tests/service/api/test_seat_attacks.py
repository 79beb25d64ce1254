"""Attacks on the lobby by someone who wants to disrupt it, with one guest and with a new guest for every step.

Every test uses the default limits on seats and a real log. All attackers and creators share one network address; a
bystander has another one.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from typing import Any

import msgspec
import pytest
from flask import Flask
from redis import Redis

from domain.match.absence import FIRST_MOVE_SECONDS
from service.bootstrap import Services, build_services
from service.event_store.embedded import EmbeddedServer
from service.moderation.journal import OPERATOR
from service.moderation.sanctions import SanctionKind
from service.runtime.rate_limits import DEFAULT_LIMITS
from service.runtime.settings import Settings
from service.wsgi import create_app
from tests.service.api.builders import (
    PREFIX,
    Person,
    anonymous,
    assert_problem,
    fresh_key,
    mark_cell,
    new_match,
    register,
)
from tests.service.api.conftest import ManualClock
from workers.projection.projector import Projector

BYSTANDER = "203.0.113.9"
HOUR, DAY = 3600, 86_400
LIMITS = DEFAULT_LIMITS
guest_numbers = count(1)


@pytest.fixture(scope="module")
def limited_app(server: EmbeddedServer, lasting_clock: ManualClock) -> Iterator[Flask]:
    """Return the application with the usual limits on seats. The others count in the process, so they are off."""
    limits = msgspec.structs.replace(LIMITS, registrations=0, requests=0, new_matches=0, address_requests=0)
    services = build_services(Settings(log_url=server.url(), limits=limits), lasting_clock)
    yield create_app(services)
    services.runtime.redis.close()


@pytest.fixture
def app(limited_app: Flask, redis: Redis, clock: ManualClock) -> Flask:
    """Return the application with an empty log, at the initial time."""
    return limited_app


def services_of(app: Flask) -> Services:
    """Return the services of an application."""
    services: Services = app.extensions["crumbtrail"]
    return services


def guest_sits(app: Flask, match: str, seat: int, address: str = "127.0.0.1") -> tuple[int, Any]:
    """Let a new guest take a seat. Return the status and the answer."""
    body = {"name": f"Guest {next(guest_numbers)}"}
    url = f"{PREFIX}/matches/{match}/seats/{seat}"
    answer = app.test_client().post(url, json=body, environ_base={"REMOTE_ADDR": address})
    return answer.status_code, answer.json


def new_guest(app: Flask, match: str, seat: int) -> Person:
    """Return a new guest who has just taken a seat."""
    status, answer = guest_sits(app, match, seat)
    assert status == 201, answer
    return Person(app, answer["token"])


def leave(guest: Person, match: str, seat: int) -> int:
    """Leave a seat and return the status."""
    return guest.post(f"/matches/{match}/commands?as={seat}", {"type": "leave"}).status_code


def send(person: Person, match: str, kind: str, **fields: Any) -> Any:
    """Send a command and return the response."""
    return person.post(f"/matches/{match}/commands", {"type": kind, **fields})


def matches_of(creator: Person, number: int, **more: Any) -> list[str]:
    """Return new matches with one open seat each."""
    return [new_match(creator, **more)["match"]["id"] for _ in range(number)]


def show(person: Person, match: str) -> Any:
    """Return the match as this person sees it."""
    return person.get(f"/matches/{match}").json


# -- taking and leaving -------------------------------------------------------------------------------------------


def test_one_guest_who_takes_and_leaves_a_seat_fifty_times_blocks_nobody(app: Flask, clock: ManualClock) -> None:
    """Given a three-seat match, when a guest takes and leaves a seat, then only that guest is stopped."""
    ann = register(app, "Ann")
    match = new_match(ann, "pie_contest", "open open open")["match"]["id"]
    eve = register(app, "Eve")
    answers = []
    for _ in range(50):
        answers.append(eve.post(f"/matches/{match}/seats/1", {}).status_code)
        answers.append(leave(eve, match, 1))
    assert answers.count(201) == 2 * LIMITS.seats_left + 1, "the last time, she can't leave"
    refused = assert_problem(send(eve, match, "leave"), 409, "left_too_often")
    assert f"You have left {LIMITS.seats_left} seats in the last hour" in refused["detail"]
    assert send(ann, match, "remove", of=1).status_code == 201
    assert ann.post(f"/matches/{match}/seats/1", {}).status_code == 201
    assert guest_sits(app, match, 2, BYSTANDER)[0] == 201
    clock.advance(HOUR)
    bob = register(app, "Bob")
    assert bob.post(f"/matches/{match}/seats/0", {}).status_code == 201


def test_a_new_guest_for_every_step_blocks_nobody(app: Flask) -> None:
    """Given 100 guests from one address, when each takes and leaves a seat, then others can still sit there."""
    ann = register(app, "Ann")
    match = new_match(ann, "pie_contest", "open open open")["match"]["id"]
    left = 0
    for _ in range(100):
        status, answer = guest_sits(app, match, 1)
        if status == 201 and leave(Person(app, answer["token"]), match, 1) == 201:
            left += 1
        elif status == 201:
            break
    assert left == LIMITS.address_seats_left
    assert guest_sits(app, match, 2, BYSTANDER)[0] == 201, "a player from another address"
    assert send(ann, match, "remove", of=1, keep=True).status_code == 201
    assert ann.post(f"/matches/{match}/seats/1", {}).status_code == 201
    assert guest_sits(app, match, 0, BYSTANDER)[0] == 201
    assert show(ann, match)["status"] == "playing"


def test_the_creator_can_remove_every_guest_and_cancel(app: Flask) -> None:
    ann = register(app, "Ann")
    match = new_match(ann, "pie_contest", "open open open")["match"]["id"]
    guests = [new_guest(app, match, seat) for seat in (0, 1)]
    assert_problem(send(guests[0], match, "remove", of=1), 403, "not_creator")
    for seat in (0, 1):
        assert send(ann, match, "remove", of=seat).status_code == 201
    assert_problem(guests[0].post(f"/matches/{match}/seats/2", {}), 403, "removed")
    assert send(ann, match, "cancel").status_code == 201


def test_leaving_counts_only_when_it_happens(app: Flask) -> None:
    """Given refused and repeated requests, then they don't use up the limit."""
    ann, eve = register(app, "Ann"), register(app, "Eve")
    match = new_match(ann, "pie_contest", "me open open")["match"]["id"]
    for _ in range(2 * LIMITS.seats_left):
        assert_problem(send(eve, match, "leave"), 403, "not_your_seat")
    key = fresh_key()
    eve.post(f"/matches/{match}/seats/1", {})
    for _ in range(2 * LIMITS.seats_left):
        path = f"/matches/{match}/commands?as=1"
        assert eve.post(path, {"type": "leave"}, Idempotency_Key=key).status_code == 201
    for _ in range(LIMITS.seats_left - 1):
        eve.post(f"/matches/{match}/seats/1", {})
        assert leave(eve, match, 1) == 201


def test_a_creator_may_leave_their_own_match_as_often_as_they_like(app: Flask) -> None:
    ann = register(app, "Ann")
    match = new_match(ann, "pie_contest", "open open open")["match"]["id"]
    for _ in range(2 * LIMITS.seats_left):
        ann.post(f"/matches/{match}/seats/1", {})
        assert leave(ann, match, 1) == 201


# -- the last seat of everybody's match ---------------------------------------------------------------------------


def test_one_guest_cannot_take_the_last_seat_of_every_match(app: Flask) -> None:
    """Given 25 matches of strangers, when a guest takes a seat in each and never moves, then 15 stay free."""
    ann, eve = register(app, "Ann"), register(app, "Eve")
    answers = [eve.post(f"/matches/{match}/seats/1", {}) for match in matches_of(ann, 25)]
    assert [answer.status_code for answer in answers] == [201] * LIMITS.unmoved_seats + [409] * 15
    refused = assert_problem(answers[-1], 409, "too_many_seats")
    assert "Make a first move or leave a seat" in refused["detail"]


def test_the_limit_holds_for_requests_at_the_same_time(app: Flask) -> None:
    ann, eve = register(app, "Ann"), register(app, "Eve")
    found = matches_of(ann, 25)
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda match: eve.post(f"/matches/{match}/seats/1", {}).status_code, found))
    assert answers.count(201) == LIMITS.unmoved_seats


def test_a_new_guest_for_every_match_is_stopped_by_the_address(app: Flask, clock: ManualClock) -> None:
    """Given 40 matches of strangers, when 40 guests take the last seats, then 10 stay free, and 30 can be ended."""
    ann = register(app, "Ann")
    found = matches_of(ann, 40)
    answers = [guest_sits(app, match, 1) for match in found]
    assert [status for status, _ in answers] == [201] * LIMITS.address_unmoved_seats + [409] * 10
    assert answers[-1][1]["code"] == "too_many_seats"
    assert "your network address" in answers[-1][1]["detail"]
    assert guest_sits(app, found[-1], 1, BYSTANDER)[0] == 201
    taken = found[: LIMITS.address_unmoved_seats]
    for match in taken:
        assert mark_cell(ann, match, 0).status_code == 201
    assert_problem(send(ann, taken[0], "abort"), 409, "moved_already")
    clock.advance(FIRST_MOVE_SECONDS)
    for match in taken:
        assert send(ann, match, "abort").status_code == 201
        assert show(ann, match)["status"] == "over"
    assert guest_sits(app, found[-2], 1)[0] == 201, "ended matches no longer count"


def test_a_player_who_moves_can_join_further_matches(app: Flask) -> None:
    ann, bob = register(app, "Ann"), register(app, "Bob")
    found = matches_of(ann, LIMITS.unmoved_seats + 2, seats="open me")
    for match in found[:-2]:
        assert bob.post(f"/matches/{match}/seats/0", {}).status_code == 201
    assert_problem(bob.post(f"/matches/{found[-1]}/seats/0", {}), 409, "too_many_seats")
    assert mark_cell(bob, found[0], 4).status_code == 201
    assert bob.post(f"/matches/{found[-1]}/seats/0", {}).status_code == 201
    assert_problem(bob.post(f"/matches/{found[-2]}/seats/0", {}), 409, "too_many_seats")


def test_a_guest_cannot_resign_in_every_match(app: Flask, clock: ManualClock) -> None:
    """Given 25 matches of strangers, when a guest joins each and resigns immediately, then this ends after ten a
    day."""
    ann, eve = register(app, "Ann"), register(app, "Eve")
    found = matches_of(ann, 25)

    def join_and_resign(match: str) -> int:
        status = eve.post(f"/matches/{match}/seats/1", {}).status_code
        eve.post(f"/matches/{match}/moves?as=1", {"type": "resign"})
        return status

    assert [join_and_resign(match) for match in found].count(201) == LIMITS.unmoved_seats
    clock.advance(DAY)
    assert join_and_resign(found[-1]) == 201


def test_invitations_are_not_limited(app: Flask) -> None:
    """Given a player with as many seats as they may have, then a friend's invitation still works."""
    ann, bob = register(app, "Ann"), register(app, "Bob")
    for match in matches_of(ann, LIMITS.unmoved_seats):
        bob.post(f"/matches/{match}/seats/1", {})
    made = new_match(ann, seats="me private")
    body = {"invitation": made["invitations"]["1"]}
    assert bob.post(f"/matches/{made['match']['id']}/seats/1", body).status_code == 201


def test_a_refused_seat_does_not_count(app: Flask) -> None:
    ann, eve = register(app, "Ann"), register(app, "Eve")
    found = matches_of(ann, LIMITS.unmoved_seats)
    for match in found:
        assert_problem(eve.post(f"/matches/{match}/seats/0", {}), 409, "seat_taken")
    for match in found:
        assert eve.post(f"/matches/{match}/seats/1", {}).status_code == 201


# -- absent players -----------------------------------------------------------------------------------------------


def test_an_absent_player_can_be_replaced_without_a_clock(app: Flask, clock: ManualClock) -> None:
    ann, eve = register(app, "Ann"), register(app, "Eve")
    (match,) = matches_of(ann, 1, seats="open me")
    eve.post(f"/matches/{match}/seats/0", {})
    assert_problem(send(ann, match, "hand_over", of=0, level="random"), 409, "not_lapsed")
    due = show(ann, match)["seats"][0]["first_move_due"]
    assert due == "2026-01-04T12:00:00Z"
    clock.advance(FIRST_MOVE_SECONDS)
    assert send(ann, match, "hand_over", of=0, level="random").status_code == 201
    assert show(ann, match)["seats"][0]["level"] == "random"


def test_an_absent_player_of_a_rated_match_loses_by_the_clock(app: Flask, clock: ManualClock) -> None:
    """Given a rated match with a time bank of 30 days, when a seat never moves, then it loses after 3 days."""
    ann, eve = register(app, "Ann"), register(app, "Eve")
    bank = {"kind": "bank", "seconds": 30 * DAY, "expiry": "resigns"}
    (match,) = matches_of(ann, 1, seats="open me", rated=True, clock=bank)
    assert eve.post(f"/matches/{match}/seats/0", {}).status_code == 201
    assert_problem(send(eve, match, "abort"), 409, "rated")
    assert_problem(send(ann, match, "claim_loss", of=0), 409, "not_absent")
    clock.advance(FIRST_MOVE_SECONDS)
    assert_problem(send(ann, match, "hand_over", of=0, level="random"), 409, "rated")
    assert send(ann, match, "claim_loss", of=0).status_code == 201
    assert show(ann, match)["outcome"]["winners"] == [1]


# -- aborting -----------------------------------------------------------------------------------------------------


@pytest.fixture
def project(app: Flask) -> Callable[[], None]:
    """Return a function that updates the projections, as the dispatcher does."""
    services = services_of(app)

    def catch_up() -> None:
        Projector(services.log, services.read_models.writer, services.read_models.progress).catch_up()

    return catch_up


def test_a_player_can_abort_three_matches_a_week_and_others_see_it(
    app: Flask, clock: ManualClock, project: Callable[[], None]
) -> None:
    ann, eve = register(app, "Ann"), register(app, "Eve")
    found = matches_of(ann, 5)
    for match in found:
        eve.post(f"/matches/{match}/seats/1", {})
    answers = [send(eve, match, "abort") for match in found[:-1]]
    assert [answer.status_code for answer in answers] == [201, 201, 201, 409]
    assert_problem(answers[-1], 409, "too_many_aborts")
    project()
    room = new_match(ann, "pie_contest", "me open open")["match"]["id"]
    eve.post(f"/matches/{room}/seats/1", {})
    assert show(ann, room)["luck"]["discarded"] == {eve.id: LIMITS.aborts}
    clock.advance(7 * DAY)
    assert send(eve, found[-1], "abort").status_code == 201


def test_resigning_rated_matches_that_do_not_count_is_limited_like_aborting(app: Flask, clock: ManualClock) -> None:
    """Given rated matches, when a player resigns before both have moved, then only three a week are allowed."""
    ann, eve = register(app, "Ann"), register(app, "Eve")
    found = matches_of(ann, LIMITS.aborts + 2, rated=True)
    for match in found:
        assert eve.post(f"/matches/{match}/seats/1", {}).status_code == 201
    resign = {"type": "resign"}
    for match in found[: LIMITS.aborts]:
        assert eve.post(f"/matches/{match}/moves", resign).status_code == 201
    refused = assert_problem(eve.post(f"/matches/{found[-1]}/moves", resign), 409, "too_many_aborts")
    assert "resign once both of you have moved" in refused["detail"]
    # when both have moved, she can resign, and the result counts
    assert mark_cell(ann, found[-1], 0).status_code == 201
    assert_problem(eve.post(f"/matches/{found[-1]}/moves", resign), 409, "too_many_aborts")
    assert mark_cell(eve, found[-1], 4).status_code == 201
    assert eve.post(f"/matches/{found[-1]}/moves", resign).status_code == 201
    assert show(ann, found[-1])["rated"] is True
    # the opponent is not limited, and a week later neither is she
    assert ann.post(f"/matches/{found[-2]}/moves", resign).status_code == 201
    clock.advance(7 * DAY)
    (later,) = matches_of(ann, 1, rated=True)
    assert eve.post(f"/matches/{later}/seats/1", {}).status_code == 201
    assert eve.post(f"/matches/{later}/moves", resign).status_code == 201


def test_resigning_after_both_have_moved_never_counts(app: Flask, server: EmbeddedServer, clock: ManualClock) -> None:
    """Given a process that has not seen the latest moves, when a player resigns there, then it counts as a defeat."""
    services = build_services(Settings(log_url=server.url(), limits=LIMITS), clock)
    elsewhere = create_app(services)
    ann, eve = register(app, "Ann"), register(app, "Eve")
    (match,) = matches_of(ann, 1, rated=True)
    assert eve.post(f"/matches/{match}/seats/1", {}).status_code == 201
    there = Person(elsewhere, eve.token)
    assert there.get(f"/matches/{match}").json["ply"] == show(ann, match)["ply"]
    mark_cell(ann, match, 0)
    mark_cell(eve, match, 4)
    assert there.post(f"/matches/{match}/moves", {"type": "resign"}).status_code == 201
    assert services.runtime.redis.keys("ct:seats:aborted*") == []
    services.runtime.redis.close()


def test_resigning_unrated_or_repeated_does_not_count(app: Flask) -> None:
    ann, eve = register(app, "Ann"), register(app, "Eve")
    for match in matches_of(ann, LIMITS.aborts + 1):
        assert eve.post(f"/matches/{match}/seats/1", {}).status_code == 201
        assert eve.post(f"/matches/{match}/moves", {"type": "resign"}).status_code == 201
    for match in matches_of(ann, LIMITS.aborts, rated=True):
        assert eve.post(f"/matches/{match}/seats/1", {}).status_code == 201
        key = fresh_key()
        for _ in range(4):
            path = f"/matches/{match}/moves"
            assert eve.post(path, {"type": "resign"}, Idempotency_Key=key).status_code == 201


def test_new_guests_cannot_abort_every_match(app: Flask) -> None:
    """Given a new guest for every match, when each aborts as soon as it starts, then the address is stopped."""
    ann = register(app, "Ann")
    found = matches_of(ann, 20)
    answers = [send(new_guest(app, match, 1), match, "abort").status_code for match in found]
    assert answers == [201] * LIMITS.address_aborts + [409] * (20 - LIMITS.address_aborts)


def test_ending_the_match_of_an_absent_player_is_no_abort(app: Flask, clock: ManualClock) -> None:
    """Given a player whose opponents never move, then ending those matches doesn't use up their aborts."""
    ann = register(app, "Ann")
    found = matches_of(ann, 8, seats="open me")
    for match in found:
        new_guest(app, match, 0)
    clock.advance(FIRST_MOVE_SECONDS)
    assert [send(ann, match, "abort").status_code for match in found] == [201] * 8
    assert services_of(app).read_models.discards.counts([ann.id or ""]) == {ann.id: 0}


def test_matches_against_bots_can_be_aborted_without_limit(app: Flask) -> None:
    ann = register(app, "Ann")
    for match in matches_of(ann, 2 * LIMITS.aborts, seats="me bot"):
        assert send(ann, match, "abort").status_code == 201


def test_a_repeated_abort_is_answered_and_counts_once(app: Flask) -> None:
    ann, eve = register(app, "Ann"), register(app, "Eve")
    found = matches_of(ann, LIMITS.aborts)
    for match in found:
        eve.post(f"/matches/{match}/seats/1", {})
        key = fresh_key()
        for _ in range(4):
            path = f"/matches/{match}/commands"
            assert eve.post(path, {"type": "abort"}, Idempotency_Key=key).status_code == 201


def ban(app: Flask, person: Person) -> None:
    """Ban a player before any list knows of their matches."""
    services_of(app).moderation.actions.impose(OPERATOR, person.id or "", "ban", "Insults.", None)


def test_a_banned_player_leaves_all_seats_regardless_of_the_limits(app: Flask, project: Callable[[], None]) -> None:
    """Given a player who may leave no more seats, when they are banned, then their seats are free again."""
    ann, eve = register(app, "Ann"), register(app, "Eve")
    first, second = (new_match(ann, "pie_contest", "me open open")["match"]["id"] for _ in range(2))
    for _ in range(LIMITS.seats_left):
        eve.post(f"/matches/{first}/seats/1", {})
        assert leave(eve, first, 1) == 201
    for match in (first, second):
        eve.post(f"/matches/{match}/seats/1", {})
        assert_problem(send(eve, match, "leave"), 409, "left_too_often")
    project()
    services_of(app).moderation.actions.impose(OPERATOR, eve.id or "", "ban", "Floods the lobby.", None)
    assert [show(ann, match)["seats"][1]["kind"] for match in (first, second)] == ["open", "open"]


def test_nobody_can_join_a_match_of_a_player_who_was_just_banned(app: Flask) -> None:
    """Given a match that no list knows yet, when its creator is banned, then taking a seat is refused, and the match is
    cancelled."""
    ann, eve = register(app, "Ann"), register(app, "Eve")
    match = new_match(eve)["match"]["id"]
    ban(app, eve)
    assert show(ann, match)["status"] == "open"
    assert_problem(ann.post(f"/matches/{match}/seats/1", {}), 409, "match_cancelled")
    assert show(ann, match)["status"] == "over"


def test_a_match_does_not_start_with_a_player_who_was_just_banned(app: Flask) -> None:
    """Given a match of three in which a banned player sits, and no list knows it yet, when the last seat is taken, then
    the banned player's seat is free again, and the match waits."""
    ann, bob, eve = register(app, "Ann"), register(app, "Bob"), register(app, "Eve")
    match = new_match(ann, "pie_contest", "me open open")["match"]["id"]
    assert eve.post(f"/matches/{match}/seats/1", {}).status_code == 201
    ban(app, eve)
    assert bob.post(f"/matches/{match}/seats/2", {}).status_code == 201
    seen = show(ann, match)
    assert (seen["status"], [seat["kind"] for seat in seen["seats"]]) == ("open", ["human", "open", "human"])


@pytest.mark.parametrize("kind", ["mute", "suspend"])
def test_other_sanctions_close_no_lobby(app: Flask, kind: SanctionKind) -> None:
    ann, eve = register(app, "Ann"), register(app, "Eve")
    match = new_match(eve)["match"]["id"]
    services_of(app).moderation.actions.impose(OPERATOR, eve.id or "", kind, "Rude texts.", 1)
    assert ann.post(f"/matches/{match}/seats/1", {}).status_code == 201
    assert show(ann, match)["status"] == "playing"


# -- what is stored -----------------------------------------------------------------------------------------------


def test_no_address_is_stored_and_the_counters_expire(app: Flask, redis: Redis) -> None:
    ann = register(app, "Ann")
    (match,) = matches_of(ann, 1)
    guest_sits(app, match, 1, BYSTANDER)
    keys = [key.decode() for key in redis.keys("ct:seats:*")]
    assert len(keys) == 2
    assert not any(BYSTANDER in key for key in keys)
    assert all(0 < redis.pttl(key) <= 7 * DAY * 1000 for key in keys)


def test_the_limits_can_be_turned_off(redis: Redis, server: EmbeddedServer, clock: ManualClock) -> None:
    limits = msgspec.structs.replace(LIMITS, unmoved_seats=0, address_unmoved_seats=0)
    services = build_services(Settings(log_url=server.url(), limits=limits), clock)
    app = create_app(services)
    ann, bob = register(app, "Ann"), register(app, "Bob")
    for match in matches_of(ann, LIMITS.unmoved_seats + 5):
        assert bob.post(f"/matches/{match}/seats/1", {}).status_code == 201
    services.runtime.redis.close()


def test_unknown_fields_and_missing_seats_are_refused(app: Flask) -> None:
    ann = register(app, "Ann")
    (match,) = matches_of(ann, 1)
    for kind in ("remove", "claim_loss"):
        assert_problem(send(ann, match, kind), 422, "invalid")
    assert_problem(send(ann, match, "abort", of=1), 422, "invalid")
    assert_problem(send(ann, match, "claim_loss", of=1, keep=True), 422, "invalid")
    assert_problem(send(ann, match, "remove", of=9), 404, "no_such_seat")
    assert_problem(anonymous(app).post(f"/matches/{match}/commands", {"type": "abort"}), 401, "no_token")
