"""Handing over a seat in the API: the invitation, who may use it, and what each player sees afterwards."""

import json
from typing import Any

import pytest
from flask import Flask

from domain.match.durations import DAY
from service.bootstrap import Services, build_services
from service.wsgi import create_app
from tests.service.api.builders import Person, anonymous, assert_problem, mark_cell, new_match, register, started_match
from tests.service.api.conftest import ManualClock
from tests.service.api.test_table_requests import event_kinds, match_json, send_command

JSON = {"Content-Type": "application/json"}
DAILY = {"kind": "per_move", "seconds": DAY, "expiry": "bot_moves", "level": "random"}


def offer_seat(person: Person, match: str, **more: Any) -> tuple[int, str]:
    """Offer a seat and return the number of the offer and its invitation."""
    answer = send_command(person, match, "hand_over", **more)
    assert answer.status_code == 201, answer.text
    (offer,) = answer.json["match"]["offers"]
    return offer["number"], offer["invitation"]


def take_over_seat(person: Person, match: str, code: str, seat: int = 0, **more: Any) -> Any:
    return person.post(f"/matches/{match}/seats/{seat}", {"invitation": code, **more})


def test_the_new_player_gets_the_view_of_the_seat_and_the_old_one_loses_it(app: Flask) -> None:
    match, (ann, bob) = started_match(app, "mice_cake")
    moves = ann.get(f"/matches/{match}/legal-moves").json["moves"]
    ann.post(f"/matches/{match}/moves", moves[0])
    cid = register(app, "Cid")
    assert match_json(cid, match)["you"] == []
    _, code = offer_seat(ann, match)
    taken = take_over_seat(cid, match, code)
    assert taken.status_code == 201
    assert taken.json["match"]["you"] == [0]
    assert (
        match_json(cid, match)["view"]["own_assignment"] == match_json(cid, match)["view"]["own_assignment"] is not None
    )
    # the new player sees the secret move of the seat, and the old one no longer does
    for person, sees in ((cid, True), (ann, False), (bob, False)):
        events = person.get(f"/matches/{match}/events").json["events"]
        assert [event["move"] is not None for event in events if event["kind"] == "moved"] == [sees]
    assert match_json(ann, match)["you"] == []
    assert_problem(ann.get(f"/matches/{match}?as=0"), 403, "not_your_seat")
    assert_problem(ann.post(f"/matches/{match}/moves", {"type": "resign"}), 403, "not_your_seat")
    assert cid.post(f"/matches/{match}/moves", {"type": "resign"}).status_code == 201
    assert match_json(ann, match)["status"] == "over"


def test_a_stale_process_reveals_nothing_to_the_former_player(
    app: Flask, services: Services, clock: ManualClock
) -> None:
    """A process that still has Ann in its cache reloads the match after another process has given her seat to Cid."""
    elsewhere = build_services(services.runtime.settings, clock)
    match, (ann, _) = started_match(app, "pie_contest", seed="c0ffee", options={"first_seat": 0})
    remote = Person(create_app(elsewhere), ann.token, ann.id)
    requests = (
        lambda card: remote.post(f"/matches/{match}/moves?as=0&dry_run=1", {"type": "play_card", "card": card}),
        lambda card: remote.post(f"/matches/{match}/moves?dry_run=1", {"type": "play_card", "card": card}),
        lambda card: remote.post(f"/matches/{match}/moves?as=0", {"type": "play_card", "card": card}),
        lambda card: remote.get(f"/matches/{match}/legal-moves?as=0"),
        lambda card: remote.get(f"/matches/{match}?as=0"),
        lambda card: remote.get(f"/matches/{match}/events?as=0"),
        lambda card: remote.get(f"/matches/{match}/stream?as=0"),
        lambda card: remote.get(f"/matches/{match}/orders?as=0"),
        lambda card: remote.send("PUT", f"/matches/{match}/orders?as=0", b'{"forced":true}', JSON),
    )
    assert match_json(remote, match)["you"] == [0]
    known = elsewhere.matches.repository.cached(match)
    assert known is not None
    _, code = offer_seat(ann, match)
    cid = register(app, "Cid")
    assert take_over_seat(cid, match, code).status_code == 201
    (card, *_) = match_json(cid, match)["view"]["seats"][0]["hand"]
    for request in requests:
        elsewhere.matches.repository._heads[match] = known  # as cached before the handover
        assert_problem(request(card), 403, "not_your_seat")
    elsewhere.runtime.redis.close()


def test_a_limited_token_gets_no_invitation_and_no_webhook_path(app: Flask, services: Services) -> None:
    match, (ann, bob) = started_match(app)
    _, code = offer_seat(ann, match)
    assert ann.id is not None
    weak = {
        scope: Person(app, services.accounts.players.new_token(ann.id, scope, scope), ann.id)
        for scope in ("read", "bot")
    }
    for person, visible in ((ann, code), (weak["read"], None), (weak["bot"], None)):
        assert match_json(person, match)["you"] == [0]
        assert [offer["invitation"] for offer in match_json(person, match)["offers"]] == [visible]
    for way in ("", "?dry_run=0"):  # through the fast path and through Flask
        moved = weak["bot"].post(f"/matches/{match}/moves{way}", {"type": "mark", "cell": 0}, Idempotency_Key="one")
        assert (moved.status_code, code in moved.text) == (201, False)
    address = "https://hooks.example.org/services/very?secret=1"
    assert ann.send("PUT", "/me/notifications/webhook", json.dumps({"url": address}).encode(), JSON).status_code == 200
    for person, visible in ((ann, address), (weak["read"], "https://hooks.example.org/"), (bob, None)):
        assert person.get("/me/notifications").json["webhook"] == visible


def test_only_the_offering_player_sees_the_invitation_and_it_works_once(app: Flask) -> None:
    match, (ann, bob) = started_match(app)
    _, code = offer_seat(ann, match)
    for person in (bob, anonymous(app), register(app, "Eve")):
        assert [offer["invitation"] for offer in match_json(person, match)["offers"]] == [None]
    cid = register(app, "Cid")
    assert take_over_seat(cid, match, code).status_code == 201
    assert_problem(take_over_seat(register(app, "Dora"), match, code), 409, "offer_gone")
    assert_problem(take_over_seat(anonymous(app), match, code, name="Guest"), 409, "offer_gone")
    assert mark_cell(cid, match, 4).status_code == 201


def test_a_withdrawn_invitation_is_refused_forever(app: Flask) -> None:
    match, (ann, bob) = started_match(app)
    number, code = offer_seat(ann, match)
    assert_problem(send_command(bob, match, "keep_seat", offer=number), 403, "not_yours")
    assert send_command(ann, match, "keep_seat", offer=number).status_code == 201
    assert_problem(take_over_seat(register(app, "Cid"), match, code), 409, "offer_gone")
    _, other = offer_seat(ann, match)
    assert other != code
    assert_problem(take_over_seat(register(app, "Cid"), match, code), 409, "offer_gone")


def test_a_guest_takes_over_a_seat_and_gets_a_token(app: Flask) -> None:
    match, (ann, _) = started_match(app)
    _, code = offer_seat(ann, match)
    assert_problem(take_over_seat(anonymous(app), match, code), 422, "invalid")
    answer = take_over_seat(anonymous(app), match, code, name="Guest")
    guest = Person(app, answer.json["token"])
    assert mark_cell(guest, match, 4).status_code == 201


INVALID_CODES = {
    "another letter": lambda code: code[:-2] + "xx",
    "another number": lambda code: "9" + code,
    "no number": lambda code: code.partition(".")[2],
    "empty": lambda code: ".",
    "a huge number": lambda code: "99999999999999999999.abc",
    "an accent": lambda code: code.replace(".", ".\u00e9"),
}


@pytest.mark.parametrize("spoil", INVALID_CODES.values(), ids=INVALID_CODES)
def test_a_modified_code_is_refused(app: Flask, spoil: Any) -> None:
    match, (ann, _) = started_match(app)
    _, code = offer_seat(ann, match)
    refused = take_over_seat(register(app, "Eve"), match, spoil(code))
    assert refused.json["code"] in ("already_started", "offer_gone", "invitation_needed"), refused.text
    assert match_json(ann, match)["you"] == [0]


def test_a_code_is_only_valid_for_its_seat_and_match(app: Flask) -> None:
    match, (ann, _) = started_match(app)
    other, (eve, _) = started_match(app)
    _, code = offer_seat(ann, match)
    offer_seat(eve, other)
    assert_problem(take_over_seat(register(app, "Cid"), match, code, seat=1), 409, "already_started")
    assert_problem(take_over_seat(register(app, "Cid"), other, code), 409, "already_started")
    assert_problem(take_over_seat(register(app, "Cid"), match, code, seat=7), 404, "no_such_seat")


def test_a_player_of_the_match_cannot_take_over_another_seat(app: Flask) -> None:
    match, (ann, bob) = started_match(app)
    _, code = offer_seat(ann, match)
    assert_problem(take_over_seat(bob, match, code), 403, "seated_here")
    assert_problem(take_over_seat(ann, match, code), 403, "seated_here")


def test_a_bot_takes_over_immediately_and_strangers_cannot_hand_over(app: Flask) -> None:
    match, (ann, bob) = started_match(app)
    assert_problem(send_command(register(app, "Eve"), match, "hand_over", level="greedy"), 403, "not_your_seat")
    assert_problem(send_command(anonymous(app), match, "hand_over"), 401, "no_token")
    assert_problem(send_command(ann, match, "hand_over", level="nobody"), 422, "invalid")
    assert send_command(ann, match, "hand_over", level="greedy").status_code == 201
    seat = match_json(bob, match)["seats"][0]
    assert (seat["kind"], seat["level"], seat["player"]) == ("bot", "greedy", None)
    assert_problem(mark_cell(ann, match, 4), 403, "not_your_seat")


def test_the_others_replace_a_player_who_ran_out_of_time(app: Flask, services: Services, clock: ManualClock) -> None:
    match, (ann, bob) = started_match(app, clock=DAILY)
    assert_problem(send_command(bob, match, "hand_over", of=0), 409, "not_lapsed")
    clock.advance(DAY)
    number, code = offer_seat(bob, match, of=0)
    assert bob.id is not None
    for scope, visible in (("bot", code), ("read", None)):  # a bot may also ask the others to replace a player
        other = Person(app, services.accounts.players.new_token(bob.id, scope, scope))
        assert [offer["invitation"] for offer in match_json(other, match)["offers"]] == [visible]
    assert match_json(bob, match)["seats"][0]["lapsed"] is True
    assert [offer["by"] for offer in match_json(ann, match)["offers"]] == [1]
    cid = register(app, "Cid")
    assert take_over_seat(cid, match, code).status_code == 201
    assert match_json(cid, match)["you"] == [0]
    assert event_kinds(ann, match)[-4:] == ["expired", "proposed", "seat_offered", "handed_over"]
    assert_problem(send_command(bob, match, "keep_seat", offer=number), 409, "offer_gone")


@pytest.mark.parametrize(
    "body",
    [{"type": "hand_over", "of": "0"}, {"type": "hand_over", "of": 2**40}, {"type": "hand_over", "of": -1},
     {"type": "pause", "of": 0}, {"type": "keep_seat"}, {"type": "keep_seat", "offer": 2**40}, {"type": "offer"},
     {"type": "hand_over", "of": 0, "level": 7}],
)  # fmt: skip
def test_bad_input_is_refused_and_changes_nothing(app: Flask, body: dict[str, Any]) -> None:
    match, (_, bob) = started_match(app)
    before = match_json(bob, match)["ply"]
    assert bob.post(f"/matches/{match}/commands", body).status_code in (404, 409, 422)
    assert match_json(bob, match)["ply"] == before


def test_a_seat_cannot_be_handed_over_before_the_start(app: Flask) -> None:
    ann = register(app)
    match = new_match(ann)["match"]["id"]
    assert_problem(send_command(ann, match, "hand_over"), 409, "not_playing")


def test_a_stale_process_lets_the_new_player_move(app: Flask, services: Services) -> None:
    match, (ann, _) = started_match(app)
    _, code = offer_seat(ann, match)
    stale = services.matches.repository.load(match)
    cid = register(app, "Cid")
    take_over_seat(cid, match, code)
    services.matches.repository._heads[match] = stale  # as in a process with an old cache
    assert mark_cell(cid, match, 4).status_code == 201
    services.matches.repository._heads[match] = stale
    assert_problem(mark_cell(ann, match, 5), 403, "not_your_seat")


# -- requests repeated after a handover ---------------------------------------------------------------------------


def assert_repeated(first: Any, again: Any) -> None:
    """Assert that the second answer has the same event as the first and is marked as a repetition."""
    assert (first.status_code, again.status_code) == (201, 201), again.text
    ply = [(found.json.get("event") or found.json).get("ply") for found in (first, again)]
    assert ply[0] == ply[1] is not None
    assert again.headers["Idempotent-Replayed"] == "true"


def test_a_repeated_handover_acts_once(app: Flask) -> None:
    match, (ann, bob) = started_match(app)
    path, wish, key = f"/matches/{match}/commands", {"type": "hand_over", "level": "easy"}, {"Idempotency_Key": "key"}
    first = ann.post(path, wish, **key)
    assert_repeated(first, ann.post(path, wish, **key))
    assert_repeated(first, ann.post(f"{path}?as=0", wish, **key))
    assert len(match_json(bob, match)["seats"]) == 2
    # another player, request or key finds no earlier answer
    assert_problem(register(app, "Eve").post(path, wish, **key), 403, "not_your_seat")
    assert_problem(ann.post(path, {"type": "hand_over", "level": "random"}, **key), 403, "not_your_seat")
    assert_problem(ann.post(path, {"type": "pause"}, **key), 403, "not_your_seat")
    assert_problem(ann.post(f"{path}?as=1", wish, **key), 403, "not_your_seat")
    assert_problem(ann.post(f"{path}?as=2", wish, **key), 404, "no_such_seat")
    assert_problem(ann.post(path, wish, Idempotency_Key="other"), 403, "not_your_seat")
    assert_problem(ann.post(path, wish), 403, "not_your_seat")


def test_the_former_player_can_repeat_a_move_and_a_dispute(app: Flask) -> None:
    match, (ann, _) = started_match(app)
    moves, disputes, key = f"/matches/{match}/moves", f"/matches/{match}/disputes", {"Idempotency_Key": "key"}
    played = {"type": "mark", "cell": 4}
    claim = {"ply": 4, "ground": "move", "claim": "That cell was taken."}
    first, raised = ann.post(moves, played, **key), ann.post(disputes, claim, Idempotency_Key="claim")
    assert raised.status_code == 201, raised.text
    _, code = offer_seat(ann, match)
    cid = register(app, "Cid")
    assert take_over_seat(cid, match, code).status_code == 201
    for more in ("", "?as=0"):
        assert_repeated(first, ann.post(moves + more, played, **key))
        again = ann.post(disputes + more, claim, Idempotency_Key="claim")
        assert (again.status_code, again.json.get("number")) == (201, raised.json["number"])
    for person, body, headers in ((cid, played, key), (ann, {"type": "mark", "cell": 5}, key), (ann, played, {})):
        answer = person.post(moves, body, **headers)
        assert answer.status_code in (403, 409, 422)
        assert "event" not in answer.json
    assert_problem(ann.post(moves, {"type": "mark", "cell": 5}, **key), 403, "not_your_seat")
    assert_problem(ann.post(disputes, {**claim, "ply": 3}, Idempotency_Key="claim"), 403, "not_your_seat")
    assert_problem(ann.post(disputes, {**claim, "claim": " "}, Idempotency_Key="claim"), 403, "not_your_seat")


def test_a_repeated_leave_does_not_leave_another_seat(app: Flask) -> None:
    ann, bob = register(app, "Ann"), register(app, "Bob")
    match = new_match(ann, seats="open open")["match"]["id"]
    path, wish, key = f"/matches/{match}/commands", {"type": "leave"}, {"Idempotency_Key": "key"}
    assert bob.post(f"/matches/{match}/seats/0").status_code == 201
    first = bob.post(path, wish, **key)
    assert bob.post(f"/matches/{match}/seats/1").status_code == 201
    assert_repeated(first, bob.post(path, wish, **key))
    assert match_json(bob, match)["you"] == [1]
