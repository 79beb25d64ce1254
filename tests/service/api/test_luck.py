"""Luck protocol 2 over HTTP: creations, shares and seals, openings, deadlines, and who sees what.

The formulas here are those of the specification (`docs/luck-protocol.md`), computed with hashlib alone.
"""

import hashlib
import json
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from replays.verify import verify
from service.bootstrap import Services
from service.event_store.embedded import EmbeddedServer
from tests.builders import EPOCH
from tests.service.api.builders import (
    Person,
    anonymous,
    assert_problem,
    fresh_key,
    mark_cell,
    new_match,
    register,
)
from tests.service.api.conftest import ManualClock
from tests.service.api.test_events import NDJSON, SSE, batches, read_sse
from workers import bootstrap
from workers.handlers import matches as handlers

Entry = dict[str, Any]
DAY = 86_400
THREE_DAYS = 3 * DAY


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def share_of(name: str, match: str) -> str:
    """Return a player's share for a match."""
    return sha256(f"share of {name} for {match}")


def seal_of(match: Entry, seat: int, share: str) -> str:
    return sha256(f"crumbtrail/share/2|{match['id']}|{seat}|{match['luck']['commitment']}|{share}")


def table_of(match: Entry) -> str:
    seals = ",".join(seal or "-" for seal in match["luck"]["seals"])
    return sha256(f"crumbtrail/table/2|{match['id']}|{match['luck']['commitment']}|{seals}")


def show(person: Person, match: str) -> Entry:
    return dict(person.get(f"/matches/{match}").json)


def sit(person: Person, match: str, seat: int, name: str | None = None, **more: Any) -> TestResponse:
    """Sit down; with a `name`, contribute that player's share or its seal, as the level requires."""
    body = {**more}
    if name is not None:
        now = show(person, match)
        share = share_of(name, match)
        given = {"seal": seal_of(now, seat, share)} if now["luck"]["level"] == "sealed" else {"share": share}
        body = {"commitment": now["luck"]["commitment"], **given, **body}
    return person.post(f"/matches/{match}/seats/{seat}", body)


def open_share(person: Person, match: str, name: str, **more: Any) -> TestResponse:
    now = show(person, match)
    return person.post(f"/matches/{match}/share", {"table": table_of(now), "share": share_of(name, match), **more})


def events_of(person: Person, match: str) -> list[Entry]:
    return list(person.get(f"/matches/{match}/events").json["events"])


def kinds(person: Person, match: str) -> list[str]:
    return [event["kind"] for event in events_of(person, match)]


def two_players(app: Flask) -> tuple[Person, Person]:
    return register(app, "Ann"), register(app, "Bob")


def full_table(app: Flask, seats: str = "me open", **more: Any) -> tuple[str, tuple[Person, Person]]:
    """Return a sealed match whose seats are all taken, with a seal of each player."""
    ann, bob = two_players(app)
    match = new_match(ann, seats=seats, **{"luck": "sealed", **more})["match"]["id"]
    assert sit(ann, match, 0, "ann").status_code == 201
    assert sit(bob, match, 1, "bob").json["match"]["status"] == "opening"
    return match, (ann, bob)


# -- creation -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("more", "level", "seconds"),
    [
        ({}, "open", None),
        ({"luck": "open"}, "open", None),
        ({"luck": "sealed"}, "sealed", THREE_DAYS),
        ({"luck": "sealed", "clock": {"kind": "per_move", "seconds": DAY}}, "sealed", DAY),
        ({"luck": "sealed", "clock": {"kind": "bank", "seconds": DAY}}, "sealed", THREE_DAYS),
        ({"rated": True}, "sealed", THREE_DAYS),
        ({"rated": True, "luck": "sealed"}, "sealed", THREE_DAYS),
        ({"seed": "00ff"}, "given", None),
    ],
)
def test_the_answer_to_a_creation_has_the_terms_of_its_luck(
    app: Flask, more: Entry, level: str, seconds: int | None
) -> None:
    made = new_match(register(app), **more)
    assert (made["level"], made["opening_seconds"]) == (level, seconds)
    match = made["match"]
    luck = match["luck"]
    assert (luck["protocol"], luck["level"], luck["opening_seconds"]) == (2, level, seconds)
    assert luck["commitment"] == made["commitment"]
    assert (luck["unopened"], luck["deadline"]) == ([], None)
    created = events_of(anonymous(app), match["id"])[0]
    assert created["commitment"] == made["commitment"]
    assert created["luck"] == {"protocol": 2, "level": level, "opening_seconds": seconds}
    assert match["rules_version"] == 2


@pytest.mark.parametrize(
    "body",
    [
        {"share": "ab" * 32},
        {"seal": "ab" * 32},
        {"client_seed": "mine"},
        {"seats": [{"kind": "me", "share": "ab" * 32}, {"kind": "open"}]},
        {"seats": [{"kind": "me", "seal": "ab" * 32}, {"kind": "open"}]},
        {"seats": [{"kind": "me", "client_seed": "mine"}, {"kind": "open"}]},
        {"seats": [{"kind": "me", "client_seed": "mine"}, {"kind": "open"}], "luck": "sealed"},
        {"seats": [{"kind": "me", "share": "ab" * 32}, {"kind": "open"}], "rated": True},
    ],
)
def test_a_creation_with_a_share_is_refused_and_creates_nothing(app: Flask, services: Services, body: Entry) -> None:
    ann, key = register(app), fresh_key()
    before = services.runtime.redis.dbsize()
    asked = {"game": "tic_tac_toe", "seats": [{"kind": "me"}, {"kind": "open"}], **body}
    refusal = assert_problem(ann.post("/matches", asked, Idempotency_Key=key), 422, "share_before_commitment")
    assert "commitment" in refusal["detail"]
    assert services.runtime.redis.dbsize() == before
    # The key was not used up.
    plain = {"game": "tic_tac_toe", "seats": [{"kind": "me"}, {"kind": "open"}]}
    assert ann.post("/matches", plain, Idempotency_Key=key).status_code == 201


def test_a_rated_match_cannot_be_open(app: Flask) -> None:
    asked = {"game": "tic_tac_toe", "seats": [{"kind": "me"}, {"kind": "open"}], "rated": True, "luck": "open"}
    assert_problem(register(app).post("/matches", asked), 422, "wrong_level")


@pytest.mark.parametrize("level", ["open", "sealed"])
def test_a_match_with_a_given_seed_cannot_have_a_level(app: Flask, level: str) -> None:
    """Given a seed that the creator knows, nobody can ask for shares in the same creation."""
    asked = {"game": "tic_tac_toe", "seats": [{"kind": "me"}, {"kind": "open"}], "seed": "00ff", "luck": level}
    refusal = assert_problem(register(app).post("/matches", asked), 422, "wrong_level")
    assert refusal["detail"] == "A match with a given seed accepts no shares. Leave out `luck`, or the seed."


def test_a_creation_with_a_level_seats_house_bots_only(app: Flask) -> None:
    ann = register(app)
    match = new_match(ann, "mice_cake", "me bot", luck="open")["match"]
    assert [seat["kind"] for seat in match["seats"]] == ["open", "bot"]
    assert (match["status"], match["you"]) == ("open", [])
    taken = [event for event in events_of(ann, match["id"]) if event["kind"] == "seat_taken"]
    assert [(event["seat"], event["share"], event["seal"]) for event in taken] == [(1, None, None)]
    assert taken[0]["bot"].startswith("random/")


def test_the_creators_seat_is_kept_for_the_creator(app: Flask, project: Callable[[], None]) -> None:
    # given: a match in which only the creator's seat is free
    ann, bob = two_players(app)
    made = new_match(ann, luck="open")
    match = made["match"]["id"]
    assert list(made["invitations"]) == ["1"]
    assert sit(bob, match, 1, "bob").status_code == 201
    project()
    # then: nobody else can take it, with or without an invitation, and no list offers it
    assert_problem(sit(bob, match, 0, "bob"), 409, "seat_taken")
    assert_problem(sit(register(app, "Cid"), match, 0), 409, "seat_taken")
    assert_problem(anonymous(app).post(f"/matches/{match}/seats/0", {"name": "Guest"}), 409, "seat_taken")
    assert_problem(ann.post(f"/matches/{match}/seats/0/invitation"), 409, "seat_taken")
    assert ann.get("/matches?open_seats=1").json["matches"] == []
    assert [row["id"] for row in ann.get("/matches?open_seats=0").json["matches"]] == [match]
    # when: the creator sits down, the match starts
    assert sit(ann, match, 0, "ann").json["match"]["status"] == "playing"


def test_an_open_seat_next_to_a_kept_one_is_listed(app: Flask, project: Callable[[], None]) -> None:
    match = new_match(register(app), luck="sealed")["match"]["id"]
    project()
    assert [row["id"] for row in anonymous(app).get("/matches?open_seats=1").json["matches"]] == [match]


# -- clients of the released service ------------------------------------------------------------------------------


def test_a_client_without_shares_creates_joins_and_plays(app: Flask) -> None:
    """A client that knows only luck protocol 1: no `luck`, and a `client_seed` that is ignored."""
    ann, bob = two_players(app)
    match = new_match(ann)["match"]
    assert (match["status"], match["you"]) == ("open", [0])
    joined = bob.post(f"/matches/{match['id']}/seats/1", {"client_seed": "my-own-luck"})
    assert (joined.status_code, joined.json["match"]["status"]) == (201, "playing")
    for person, cell in ((ann, 0), (bob, 3), (ann, 1), (bob, 4), (ann, 2)):
        assert mark_cell(person, match["id"], cell).status_code == 201
    over = show(ann, match["id"])
    assert (over["status"], over["outcome"]["winners"], over["luck"]["shares"]) == ("over", [0], [None, None])
    assert b"my-own-luck" not in ann.get(f"/matches/{match['id']}/replay").data
    assert verify(ann.get(f"/matches/{match['id']}/replay").data).ok


def test_a_client_without_shares_plays_a_rated_match(app: Flask) -> None:
    ann, bob = two_players(app)
    match = new_match(ann, rated=True)["match"]["id"]
    joined = bob.post(f"/matches/{match}/seats/1", {"client_seed": "my-own-luck"})
    assert (joined.status_code, joined.json["match"]["status"]) == (201, "playing")
    assert joined.json["match"]["luck"]["level"] == "sealed"
    assert ann.post(f"/matches/{match}/moves", {"type": "resign"}).status_code == 201
    assert verify(ann.get(f"/matches/{match}/replay").data).ok


# -- sitting down -------------------------------------------------------------------------------------------------


def test_an_open_match_starts_with_the_shares_of_those_who_gave_one(app: Flask) -> None:
    ann, bob = two_players(app)
    match = new_match(ann, "mice_cake", luck="open")["match"]["id"]
    assert sit(ann, match, 0).status_code == 201
    started = sit(bob, match, 1, "bob").json["match"]
    shares = [None, share_of("bob", match)]
    assert (started["status"], started["luck"]["shares"], started["luck"]["seals"]) == ("playing", shares, [None, None])
    assert events_of(ann, match)[-1]["shares"] == shares


@pytest.mark.parametrize(
    ("level", "body", "status", "code"),
    [
        ("open", {"share": "ab" * 32}, 409, "commitment_differs"),
        ("open", {"share": "ab" * 32, "commitment": "cd" * 32}, 409, "commitment_differs"),
        ("sealed", {"seal": "ab" * 32}, 409, "commitment_differs"),
        ("sealed", {"seal": "ab" * 32, "commitment": "cd" * 32}, 409, "commitment_differs"),
        ("open", {"commitment": "cd" * 32}, 409, "commitment_differs"),
        ("open", {"share": "ab" * 31, "commitment": None}, 422, "bad_share"),
        ("open", {"share": "ab" * 33, "commitment": None}, 422, "bad_share"),
        ("open", {"share": "AB" * 32, "commitment": None}, 422, "bad_share"),
        ("open", {"share": "zz" * 32, "commitment": None}, 422, "bad_share"),
        ("open", {"share": "ab" * 32 + "\n", "commitment": None}, 422, "bad_share"),
        ("open", {"share": "", "commitment": None}, 422, "bad_share"),
        ("open", {"share": "00" * 32, "commitment": None}, 422, "bad_share"),
        ("open", {"share": "ab" * 32, "seal": "cd" * 32, "commitment": None}, 422, "bad_share"),
        ("sealed", {"share": "ab" * 32, "seal": "cd" * 32, "commitment": None}, 422, "bad_share"),
        ("sealed", {"seal": "AB" * 32, "commitment": None}, 422, "bad_share"),
        ("sealed", {"seal": "ab" * 31, "commitment": None}, 422, "bad_share"),
        ("sealed", {"share": "ab" * 32, "commitment": None}, 422, "wrong_level"),
        ("open", {"seal": "ab" * 32, "commitment": None}, 422, "wrong_level"),
        ("given", {"share": "ab" * 32, "commitment": None}, 422, "wrong_level"),
        ("given", {"seal": "ab" * 32, "commitment": None}, 422, "wrong_level"),
    ],
)
def test_a_wrong_contribution_is_refused_and_changes_nothing(
    app: Flask, level: str, body: Entry, status: int, code: str
) -> None:
    """`commitment: None` stands for the right one."""
    ann, bob = two_players(app)
    made = new_match(ann, **({"seed": "00ff"} if level == "given" else {"luck": level}))
    match, ply = made["match"]["id"], made["match"]["ply"]
    right = {"commitment": made["commitment"]} if body.get("commitment", "") is None else {}
    refusal = assert_problem(bob.post(f"/matches/{match}/seats/1", {**body, **right}), status, code)
    assert refusal["detail"]
    now = show(bob, match)
    assert (now["ply"], now["seats"][1]["kind"], now["luck"]["shares"]) == (ply, "open", [None, None])


def test_leaving_a_seat_voids_its_seal(app: Flask) -> None:
    ann, bob = two_players(app)
    match = new_match(ann, seats="me open", luck="sealed")["match"]["id"]
    sit(bob, match, 1, "bob")
    assert bob.post(f"/matches/{match}/commands", {"type": "leave"}).status_code == 201
    assert show(bob, match)["luck"]["seals"] == [None, None]
    sit(ann, match, 0)
    assert sit(bob, match, 1).json["match"]["status"] == "playing", "there is no seal to open"


# -- opening ------------------------------------------------------------------------------------------------------


def test_a_sealed_match_of_two_players_and_a_bot(app: Flask, services: Services) -> None:
    # given: a sealed match with a bot, created, and its commitment stored
    ann, bob = two_players(app)
    made = new_match(ann, "bakers_brawl", "me bot open", luck="sealed")
    match, commitment = made["match"]["id"], made["commitment"]
    # when: both sit down with seals
    first = sit(ann, match, 0, "ann").json["match"]
    assert (first["status"], first["you"], first["luck"]["seals"][1]) == ("open", [0], None)
    full = sit(bob, match, 2, "bob").json["match"]
    # then: the shares are opened next, and nothing is drawn yet
    assert (full["status"], full["view"], full["to_move"]) == ("opening", None, [])
    assert (full["luck"]["unopened"], full["luck"]["shares"]) == ([0, 2], [None, None, None])
    assert datetime.fromisoformat(full["luck"]["deadline"]) == EPOCH + timedelta(seconds=THREE_DAYS)
    # when: both open, in any order
    opened = open_share(bob, match, "bob")
    assert (opened.status_code, opened.json["event"]["kind"], opened.json["match"]["status"]) == (
        *(201, "share_opened"),
        "opening",
    )
    assert opened.json["match"]["luck"]["unopened"] == [0]
    assert opened.json["match"]["luck"]["deadline"] == full["luck"]["deadline"]
    last = open_share(ann, match, "ann")
    # then: the match starts with the last share
    assert [event["kind"] for event in last.json["events"]] == ["share_opened", "started"]
    assert last.json["match"]["status"] == "playing"
    shares = [share_of("ann", match), None, share_of("bob", match)]
    assert last.json["match"]["luck"]["shares"] == shares
    events = events_of(ann, match)
    assert [event["kind"] for event in events] == [
        *("created", "seat_taken", "seat_taken", "seat_taken"),
        *("share_opened", "share_opened", "started"),
    ]
    assert events[-1]["shares"] == shares
    assert {event["table"] for event in events if event["kind"] == "share_opened"} == {table_of(full)}
    assert events[0]["commitment"] == commitment
    # ... and once it is over, its file verifies, with the seed of the commitment
    for person in (ann, bob):
        assert person.post(f"/matches/{match}/moves", {"type": "resign"}).status_code == 201
    raw = ann.get(f"/matches/{match}/replay").data
    assert verify(raw).ok
    revealed = json.loads(raw.splitlines()[-2])
    assert sha256(f"crumbtrail/seed/2|{match}|{revealed['seed']}") == commitment
    assert services.verification.auditor.audit(match).ok


@pytest.mark.parametrize("key", [None, "my key"])
def test_a_repeated_opening_gets_the_same_event(app: Flask, key: str | None) -> None:
    match, (ann, bob) = full_table(app)
    body = {"table": table_of(show(ann, match)), "share": share_of("ann", match)}
    headers = {"Idempotency_Key": key} if key else {}
    first = ann.post(f"/matches/{match}/share", body, **headers)
    again = ann.post(f"/matches/{match}/share", body, **headers)
    assert (first.status_code, again.status_code) == (201, 201)
    assert again.json["event"] == first.json["event"]
    assert again.headers["Idempotent-Replayed"] == "true"
    open_share(bob, match, "bob")
    # It is the same event even after the start, with or without a key.
    for more in ({}, {"Idempotency_Key": "another key"}):
        later = ann.post(f"/matches/{match}/share", body, **more)
        assert (later.status_code, later.json["event"]) == (201, first.json["event"])
    assert kinds(ann, match).count("share_opened") == 2


def test_opening_before_the_table_is_full_is_refused(app: Flask) -> None:
    ann = register(app)
    match = new_match(ann, luck="sealed")["match"]["id"]
    sit(ann, match, 0, "ann")
    assert_problem(open_share(ann, match, "ann"), 409, "not_full")


def test_only_the_player_of_a_seal_opens_it(app: Flask) -> None:
    ann, bob = two_players(app)
    match = new_match(ann, "bakers_brawl", "me open open", luck="sealed")["match"]["id"]
    cid = register(app, "Cid")
    sit(ann, match, 0, "ann"), sit(bob, match, 1, "bob"), sit(cid, match, 2)
    body = {"table": table_of(show(ann, match)), "share": share_of("ann", match)}
    assert_problem(cid.post(f"/matches/{match}/share", body), 403, "not_your_seal")
    assert_problem(register(app, "Dora").post(f"/matches/{match}/share", body), 403, "not_your_seal")
    assert_problem(anonymous(app).post(f"/matches/{match}/share", body), 401, "no_token")
    assert_problem(cid.post(f"/matches/{match}/share", {"lost": True}), 403, "not_your_seal")
    assert_problem(bob.post(f"/matches/{match}/share", body), 422, "share_does_not_fit")


@pytest.mark.parametrize(
    ("change", "status", "code"),
    [
        ({"share": "ab" * 32}, 422, "share_does_not_fit"),
        ({"share": "00" * 32}, 422, "bad_share"),
        ({"share": "AB" * 32}, 422, "bad_share"),
        ({"share": "ab"}, 422, "bad_share"),
        ({"table": "ab" * 32}, 409, "table_differs"),
        ({"table": "x"}, 409, "table_differs"),
        ({"lost": True}, 422, "invalid"),
        ({"lost": False}, 422, "invalid"),
        ({"colour": "red"}, 422, "invalid"),
    ],
)
def test_a_wrong_opening_is_refused_and_changes_nothing(app: Flask, change: Entry, status: int, code: str) -> None:
    match, (ann, _) = full_table(app)
    ply = show(ann, match)["ply"]
    assert_problem(open_share(ann, match, "ann", **change), status, code)
    now = show(ann, match)
    assert (now["ply"], now["status"], now["luck"]["unopened"]) == (ply, "opening", [0, 1])
    assert open_share(ann, match, "ann").status_code == 201, "a refused opening does not spoil the next one"


@pytest.mark.parametrize("body", [{}, {"table": "ab" * 32}, {"share": "ab" * 32}, {"lost": False}])
def test_an_incomplete_opening_is_invalid(app: Flask, body: Entry) -> None:
    match, (ann, _) = full_table(app)
    assert_problem(ann.post(f"/matches/{match}/share", body), 422, "invalid")


def test_nobody_comes_goes_or_cancels_while_shares_are_opened(app: Flask) -> None:
    match, (ann, bob) = full_table(app, clock={"kind": "per_move", "seconds": DAY})
    path = f"/matches/{match}/commands"
    assert_problem(register(app, "Cid").post(f"/matches/{match}/seats/1", {}), 409, "opening")
    for person in (ann, bob):
        assert_problem(person.post(path, {"type": "leave"}), 409, "opening")
        assert_problem(person.post(path, {"type": "hand_over", "level": "greedy"}), 409, "opening")
        assert_problem(person.post(path, {"type": "hand_over"}), 409, "opening")
    assert_problem(ann.post(path, {"type": "cancel"}), 409, "opening")
    assert_problem(ann.post(path, {"type": "pause"}), 409, "opening")
    assert_problem(mark_cell(ann, match, 4), 409, "opening")
    assert show(ann, match)["status"] == "opening"


def test_after_the_start_nothing_is_opened_and_no_seat_is_taken(app: Flask) -> None:
    match, (ann, bob) = full_table(app)
    open_share(ann, match, "ann"), open_share(bob, match, "bob")
    body = {"table": "ab" * 32, "share": share_of("ann", match)}
    assert_problem(ann.post(f"/matches/{match}/share", body), 409, "already_started")
    assert_problem(ann.post(f"/matches/{match}/share", {"lost": True}), 409, "already_started")
    assert_problem(sit(register(app, "Cid"), match, 1, "cid"), 409, "already_started")
    assert_problem(ann.post(f"/matches/{match}/commands", {"type": "cancel"}), 409, "already_started")


def test_after_a_cancellation_nothing_is_opened_and_no_seat_is_taken(app: Flask) -> None:
    ann = register(app)
    match = new_match(ann, luck="sealed")["match"]["id"]
    sit(ann, match, 0, "ann")
    assert ann.post(f"/matches/{match}/commands", {"type": "cancel"}).status_code == 201
    assert_problem(open_share(ann, match, "ann"), 409, "match_cancelled")
    assert_problem(sit(register(app, "Cid"), match, 1, "cid"), 409, "match_cancelled")
    assert verify(ann.get(f"/matches/{match}/replay").data).ok


# -- shares that are not opened -----------------------------------------------------------------------------------


def test_a_lost_share_cancels_the_match(app: Flask, project: Callable[[], None]) -> None:
    match, (ann, bob) = full_table(app, rated=True)
    open_share(ann, match, "ann")
    lost = bob.post(f"/matches/{match}/share", {"lost": True})
    assert (lost.status_code, lost.json["match"]["status"]) == (201, "over")
    assert [event["kind"] for event in lost.json["events"]] == ["cancelled", "seed_revealed"]
    assert (lost.json["event"]["reason"], lost.json["event"]["seats"]) == ("lost", [1])
    again = bob.post(f"/matches/{match}/share", {"lost": True})
    assert (again.status_code, again.json["event"]) == (201, lost.json["event"])
    assert_problem(ann.post(f"/matches/{match}/share", {"lost": True}), 409, "match_cancelled")
    assert verify(ann.get(f"/matches/{match}/replay").data).ok
    # It counts against the player who lost it, and is shown at the next table.
    project()
    following = new_match(bob, luck="sealed")["match"]["id"]
    sit(ann, following, 1, "ann")
    sit(bob, following, 0, "bob")
    assert show(ann, following)["luck"]["discarded"] == {bob.id: 1}


@pytest.mark.parametrize("clock_plan", [None, {"kind": "per_move", "seconds": DAY}])
def test_the_first_request_after_the_deadline_cancels(app: Flask, clock: ManualClock, clock_plan: Entry | None) -> None:
    # given: one of two shares is open, and the deadline is reached
    match, (ann, bob) = full_table(app, **({"clock": clock_plan} if clock_plan else {}))
    clock.advance(DAY - 0.001)
    assert open_share(ann, match, "ann").status_code == 201
    clock.advance((0 if clock_plan else THREE_DAYS - DAY) + 0.001)
    # when: the other player opens too late
    refusal = open_share(bob, match, "bob")
    # then: the match is cancelled, and the event names the seat
    assert_problem(refusal, 409, "time_is_up")
    assert kinds(ann, match)[-2:] == ["cancelled", "seed_revealed"]
    cancelled = events_of(ann, match)[-2]
    assert (cancelled["reason"], cancelled["seats"]) == ("not_opened", [1])
    assert_problem(open_share(bob, match, "bob"), 409, "time_is_up")
    assert_problem(bob.post(f"/matches/{match}/share", {"lost": True}), 409, "time_is_up")
    assert show(bob, match)["status"] == "over"
    assert verify(bob.get(f"/matches/{match}/replay").data).ok


def test_a_player_who_opened_in_time_gets_the_same_answer_after_the_deadline(app: Flask, clock: ManualClock) -> None:
    match, (ann, _) = full_table(app)
    first = open_share(ann, match, "ann")
    body = {"table": first.json["event"]["table"], "share": share_of("ann", match)}
    clock.advance(THREE_DAYS)
    assert_problem(ann.post(f"/matches/{match}/commands", {"type": "cancel"}), 409, "match_cancelled")
    again = ann.post(f"/matches/{match}/share", body)
    assert (again.status_code, again.json["event"]["ply"]) == (201, first.json["event"]["ply"])


def test_the_worker_of_deadlines_cancels_a_match_whose_shares_are_not_opened(
    app: Flask,
    services: Services,
    project: Callable[[], None],
    server: EmbeddedServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The worker has the clock of the machine, on which the deadline passed long ago."""
    match, (ann, bob) = full_table(app)
    open_share(ann, match, "ann")
    project()
    ends = EPOCH + timedelta(seconds=THREE_DAYS)
    work = services.read_models.work
    assert work.expired_deadlines(ends - timedelta(milliseconds=1)) == []
    [due] = work.expired_deadlines(ends)
    assert (due.match, due.since) == (match, ends)
    # when: the worker picks it up
    monkeypatch.setenv("CRUMBTRAIL_LOG_URL", server.url())
    bootstrap.get_services.cache_clear()
    handlers.expire(due.match, due.ply)
    bootstrap.get_services.cache_clear()
    project()
    # then
    assert kinds(bob, match)[-2:] == ["cancelled", "seed_revealed"]
    assert work.expired_deadlines(ends) == []


# -- random seats, and forks --------------------------------------------------------------------------------------


def test_shares_stay_in_the_order_in_which_seats_were_taken(app: Flask) -> None:
    """Chance may swap the seats at the start, but the key depends on the seats as they were taken."""
    orders = set()
    for _ in range(12):
        match, (ann, bob) = full_table(app, seating="chance")
        open_share(bob, match, "bob"), open_share(ann, match, "ann")
        now, started = show(ann, match), events_of(ann, match)[-1]
        assert now["luck"]["shares"] == started["shares"] == [share_of("ann", match), share_of("bob", match)]
        assert now["you"] == [started["order"].index(0)]
        orders.add(tuple(started["order"]))
        if len(orders) == 2:
            break
    assert orders == {(0, 1), (1, 0)}
    assert ann.post(f"/matches/{match}/moves", {"type": "resign"}).status_code == 201
    assert verify(ann.get(f"/matches/{match}/replay").data).ok


def test_a_fork_with_new_luck_takes_shares_of_its_own(app: Flask) -> None:
    match, (ann, bob) = full_table(app)
    open_share(ann, match, "ann"), open_share(bob, match, "bob")
    ply = show(ann, match)["ply"]
    ann.post(f"/matches/{match}/moves", {"type": "resign"})
    seats = [{"kind": "me"}, {"kind": "open"}]
    made = ann.post(f"/matches/{match}/forks", {"ply": ply, "luck": "new", "level": "sealed", "seats": seats}).json
    fork = made["match"]["id"]
    assert (made["level"], made["commitment"] != show(ann, match)["luck"]["commitment"]) == ("sealed", True)
    sit(ann, fork, 0, "ann"), sit(bob, fork, 1, "bob")
    open_share(ann, fork, "ann")
    assert open_share(bob, fork, "bob").json["match"]["status"] == "playing"
    assert ann.post(f"/matches/{fork}/moves", {"type": "resign"}).status_code == 201
    assert verify(ann.get(f"/matches/{fork}/replay").data).ok


def test_a_fork_with_the_same_luck_waits_for_the_seed_and_needs_no_shares(app: Flask) -> None:
    # given: a practice match against oneself
    ann = register(app)
    match = new_match(ann, "mice_cake", "me me", seed="00ff")["match"]
    asked = {"ply": match["ply"], "luck": "same", "seats": [{"kind": "me"}, {"kind": "open"}]}
    # then: while it is running, no fork shows its luck in advance
    assert_problem(ann.post(f"/matches/{match['id']}/forks", asked), 409, "not_over")
    assert ann.post(f"/matches/{match['id']}/forks", {**asked, "luck": "new"}).status_code == 201
    # when: it is over
    ann.post(f"/matches/{match['id']}/moves?as=0", {"type": "resign"})
    made = ann.post(f"/matches/{match['id']}/forks", asked).json
    # then: the fork has its commitment, and nobody adds a share
    assert made["commitment"] == match["luck"]["commitment"] == made["match"]["fork"]["commitment"]
    refused = {"commitment": made["commitment"], "share": "ab" * 32}
    bob = register(app, "Bob")
    assert_problem(bob.post(f"/matches/{made['match']['id']}/seats/1", refused), 422, "wrong_level")
    assert sit(bob, made["match"]["id"], 1).json["match"]["status"] == "playing"


# -- lists, inbox and streams -------------------------------------------------------------------------------------


def test_a_full_table_is_listed_by_its_status_and_waits_for_its_players(
    app: Flask, project: Callable[[], None]
) -> None:
    match, (ann, bob) = full_table(app)
    project()
    assert [row["id"] for row in anonymous(app).get("/matches?status=opening").json["matches"]] == [match]
    for status in ("open", "playing", "over"):
        assert anonymous(app).get(f"/matches?status={status}").json["matches"] == []
    assert anonymous(app).get("/matches?open_seats=1").json["matches"] == []
    assert [row["unopened"] for row in ann.get("/me/turns").json["turns"]] == [[0, 1]]
    assert [row["id"] for row in bob.get("/me/turns").json["turns"]] == [match]
    open_share(ann, match, "ann")
    project()
    assert ann.get("/me/turns").json["turns"] == []
    assert [row["unopened"] for row in bob.get("/me/turns").json["turns"]] == [[1]]


def test_the_stream_of_turns_has_a_share_to_open(app: Flask, project: Callable[[], None]) -> None:
    match, (ann, _) = full_table(app)
    project()
    stream = batches(app, ann, "/me/stream", Accept=SSE)
    entries: list[dict[str, str]] = []
    while not entries:
        entries = read_sse(next(stream).decode())
    stream.close()  # type: ignore[attr-defined]
    assert (entries[0]["event"], json.loads(entries[0]["data"])["id"]) == ("your_turn", match)


def test_streams_and_etags_deliver_openings(app: Flask) -> None:
    match, (ann, bob) = full_table(app)
    tag = bob.get(f"/matches/{match}").headers["ETag"]
    ply = int(tag.strip('"'))
    assert bob.get(f"/matches/{match}", If_None_Match=tag).status_code == 304
    stream = batches(app, bob, f"/matches/{match}/stream?after={ply}", Accept=NDJSON)
    open_share(ann, match, "ann")
    line = b""
    while not line.strip():
        line = next(stream)
    stream.close()  # type: ignore[attr-defined]
    event = json.loads(line.splitlines()[0])
    assert (event["kind"], event["seat"], event["share"]) == ("share_opened", 0, share_of("ann", match))
    changed = bob.get(f"/matches/{match}", If_None_Match=tag)
    assert (changed.status_code, changed.headers["ETag"]) == (200, f'"{ply + 1}"')
    assert bob.get(f"/matches/{match}/events?after={ply}&wait=5").json["events"][0] == event


# -- what is public -----------------------------------------------------------------------------------------------


def test_shares_and_seals_are_public_and_salts_and_draws_are_not(app: Flask) -> None:
    # given: a sealed match that has just started, with dice on the table
    match, (ann, bob) = full_table(app, game="mice_cake")
    seals = [seal_of(show(ann, match), seat, share_of(name, match)) for seat, name in ((0, "ann"), (1, "bob"))]
    assert show(anonymous(app), match)["luck"]["seals"] == seals
    assert show(anonymous(app), match)["luck"]["shares"] == [None, None]
    open_share(ann, match, "ann"), open_share(bob, match, "bob")
    ann.post(f"/matches/{match}/moves", {"type": "assign_mice", "columns": {"A": 4}})
    # then: a spectator and the players see shares and seals, and no salt, count of draws, seed or salts
    for reader in (anonymous(app), ann, bob):
        now, events = show(reader, match), events_of(reader, match)
        assert now["luck"]["shares"] == [share_of("ann", match), share_of("bob", match)]
        assert now["luck"]["seals"] == seals
        assert [event["seal"] for event in events if event["kind"] == "seat_taken"] == seals
        assert [event["share"] for event in events if event["kind"] == "share_opened"] == now["luck"]["shares"]
        assert {event["salt"] for event in events} == {None}
        assert {event.get("draws") for event in events} == {None}
        assert all("hash" not in event or event["hash"] for event in events)
        assert "salts" not in json.dumps(events)
        assert now["seed"] is None
    # when: it is over
    bob.post(f"/matches/{match}/moves", {"type": "resign"})
    # then: everything is public
    events = events_of(anonymous(app), match)
    assert all(len(event["salt"]) == 64 for event in events)
    started = next(event for event in events if event["kind"] == "started")
    assert started["draws"]
    assert (len(events[-1]["seed"]), len(events[-1]["salts"])) == (64, 64)
