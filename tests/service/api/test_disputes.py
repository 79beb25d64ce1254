"""Disputes and forks in the API."""

from typing import Any

import pytest
from flask import Flask
from redis import Redis

from domain.match.commands import RecordVerdict
from replays.verify import verify
from service.bootstrap import Services
from service.disputes.statements import statement_digest
from service.matches.results import AUDITOR_AUTHOR, IdempotencyKey
from tests.service.api.builders import (
    PREFIX,
    Person,
    anonymous,
    assert_problem,
    finished_match,
    fresh_key,
    mark_cell,
    new_match,
    register,
    started_match,
)

CLAIM = {"ply": 5, "ground": "move", "claim": "That cell was taken."}


@pytest.fixture
def judge(app: Flask, services: Services) -> Person:
    """Return an arbiter."""
    person = register(app, "Judith")
    services.accounts.arbiters.add(person.id or "")
    return person


def raise_dispute(person: Person, match: str, **more: Any) -> int:
    answer = person.post(f"/matches/{match}/disputes", {**CLAIM, **more})
    assert answer.status_code == 201, answer.text
    return int(answer.json["number"])


def record_verdict(services: Services, match: str, number: int, holds: bool = True) -> None:
    """Record the auditor's verdict. The audit job is tested with the workers."""
    command = RecordVerdict(number, holds, *(() if holds else ("moves", 5, "T2")))
    services.matches.commands.submit(match, command, IdempotencyKey(AUDITOR_AUTHOR, f"hear-{number}"))


def resolve_dispute(person: Person, match: str, number: int, **ruling: Any) -> Any:
    return person.post(f"/matches/{match}/disputes/{number}/resolution", ruling)


def test_a_dispute_from_claim_to_resolution(app: Flask, services: Services, judge: Person) -> None:
    # given: a running match
    match, (ann, bob) = started_match(app)
    mark_cell(ann, match, 4)
    # when: bob disputes the move
    answer = bob.post(f"/matches/{match}/disputes", CLAIM)
    number = answer.json["number"]
    assert answer.headers["Location"] == f"/api/v1/matches/{match}/disputes/{number}"
    # then: everyone sees the open dispute
    shown = anonymous(app).get(f"/matches/{match}/disputes/{number}").json
    assert (shown["ply"], shown["seat"], shown["claim"]) == (5, 1, CLAIM["claim"])
    assert (shown["verdict"], shown["resolution"]) == (None, None)
    assert anonymous(app).get(f"/matches/{match}").json["disputes"] == [number]
    # and: once the audit has finished, the arbiter can resolve it
    assert_problem(resolve_dispute(judge, match, number, ruling="goes_on"), 409, "not_heard")
    record_verdict(services, match, number)
    done = resolve_dispute(judge, match, number, ruling="goes_on").json
    assert done["verdict"] == {"holds": True, "layer": None, "ply": None, "rule": None}
    assert done["resolution"] == {"ruling": "goes_on", "to_ply": None, "arbiter": judge.id}
    assert anonymous(app).get(f"/matches/{match}").json["disputes"] == []
    assert anonymous(app).get(f"/matches/{match}/disputes").json["disputes"] == [done]


def test_a_match_continues_after_a_rollback(app: Flask, services: Services, judge: Person) -> None:
    match, (ann, bob) = started_match(app)
    mark_cell(ann, match, 4)
    mark_cell(bob, match, 0)
    number = raise_dispute(ann, match, ply=6)
    record_verdict(services, match, number)
    assert resolve_dispute(judge, match, number, ruling="rolled_back", to_ply=5).status_code == 201
    now = bob.get(f"/matches/{match}").json
    assert (now["to_move"], now["retracted"]) == ([1], [[6, number + 1]])
    assert now["view"]["cells"][0] is None
    assert mark_cell(bob, match, 8).status_code == 201
    # Everyone can still see the retracted move.
    events = anonymous(app).get(f"/matches/{match}/events?after=5").json["events"]
    assert events[0]["facts"] == [{"type": "cell_marked", "seat": "nought", "cell": 0}]
    # and: the match ends and verifies, without the retracted move
    for person, cell in ((ann, 1), (bob, 0), (ann, 7)):
        assert mark_cell(person, match, cell).status_code == 201
    report = verify(anonymous(app).get(f"/matches/{match}/replay").data)
    assert report.ok, report.as_text()


def test_an_annulled_result_is_recorded_in_the_file(app: Flask, services: Services, judge: Person) -> None:
    match, (ann, _) = finished_match(app)
    number = raise_dispute(ann, match)
    record_verdict(services, match, number, holds=False)
    assert_problem(resolve_dispute(judge, match, number, ruling="goes_on"), 422, "bad_ruling")
    assert resolve_dispute(judge, match, number, ruling="annulled").status_code == 201
    now = anonymous(app).get(f"/matches/{match}").json
    assert (now["outcome"], now["annulled"], now["flawed"], now["status"]) == (None, True, True, "over")
    raw = anonymous(app).get(f"/matches/{match}/replay").data
    assert b'"result":null' in raw
    assert verify(raw).ok, verify(raw).as_text()


def test_only_players_of_the_match_and_arbiters_may_dispute(app: Flask, judge: Person) -> None:
    match, (ann, _) = started_match(app)
    assert_problem(register(app, "Eve").post(f"/matches/{match}/disputes", CLAIM), 403, "not_your_seat")
    assert_problem(anonymous(app).post(f"/matches/{match}/disputes", CLAIM), 401, "no_token")
    assert_problem(ann.post(f"/matches/{match}/disputes?as=1", {**CLAIM, "ply": 1}), 403, "not_your_seat")
    answer = judge.post(f"/matches/{match}/disputes", {**CLAIM, "ply": 1})
    assert (answer.status_code, answer.json["seat"], answer.json["arbiter"]) == (201, None, judge.id)


def stored_texts(services: Services, match: str, *texts: str) -> list[str]:
    """Return those of the texts that are stored."""
    found = services.disputes.statements.texts(match, [statement_digest(each) for each in texts])
    return [each for each in texts if found[statement_digest(each)] is not None]


def test_the_text_of_a_refused_dispute_is_not_stored(app: Flask, services: Services) -> None:
    # given: disputes by a stranger, of a missing ply, and of a disputed ply
    match, (ann, _) = started_match(app)
    raise_dispute(ann, match, ply=4, claim="first")
    eve = register(app, "Eve")
    assert_problem(eve.post(f"/matches/{match}/disputes", {**CLAIM, "claim": "stranger"}), 403, "not_your_seat")
    for ply, text in ((99, "nowhere"), (4, "again")):
        refused = ann.post(f"/matches/{match}/disputes", {**CLAIM, "ply": ply, "claim": text})
        assert refused.status_code in (404, 409), refused.text
    # then
    assert stored_texts(services, match, "first", "stranger", "nowhere", "again") == ["first"]


def test_a_repeated_request_does_not_restore_an_erased_text(app: Flask, services: Services) -> None:
    match, (ann, _) = started_match(app)
    claim = {**CLAIM, "ply": 4}
    first = ann.post(f"/matches/{match}/disputes", claim, Idempotency_Key="once")
    services.disputes.statements.erase(match, first.json["claim_digest"])
    again = ann.post(f"/matches/{match}/disputes", claim, Idempotency_Key="once")
    assert (again.status_code, again.json["number"], again.json["claim"]) == (201, first.json["number"], None)


def test_a_repeated_request_restores_a_text_lost_in_a_crash(app: Flask, services: Services) -> None:
    # given: the dispute is in the log, but its text is not stored
    match, (ann, _) = started_match(app)
    claim = {**CLAIM, "ply": 4}
    number = ann.post(f"/matches/{match}/disputes", claim, Idempotency_Key="once").json["number"]
    services.runtime.redis.delete(*services.runtime.redis.keys("*:claims:*"))
    assert anonymous(app).get(f"/matches/{match}/disputes/{number}").json["claim"] is None
    # when
    again = ann.post(f"/matches/{match}/disputes", claim, Idempotency_Key="once")
    # then
    assert (again.json["number"], again.json["claim"]) == (number, CLAIM["claim"])


def test_only_arbiters_who_do_not_play_may_resolve(app: Flask, services: Services, judge: Person) -> None:
    match, (ann, bob) = started_match(app)
    number = raise_dispute(ann, match, ply=4)
    record_verdict(services, match, number)
    for person in (ann, bob, register(app, "Eve")):
        assert_problem(resolve_dispute(person, match, number, ruling="goes_on"), 403, "not_arbiter")
    services.accounts.arbiters.add(bob.id or "")
    assert_problem(resolve_dispute(bob, match, number, ruling="goes_on"), 403, "not_impartial")
    services.accounts.arbiters.remove(judge.id or "")
    assert_problem(resolve_dispute(judge, match, number, ruling="goes_on"), 403, "not_arbiter")


def test_invalid_disputes_and_rulings_are_refused(app: Flask, services: Services, judge: Person) -> None:
    match, (ann, _) = started_match(app)
    path = f"/matches/{match}/disputes"
    assert_problem(ann.post(path, {**CLAIM, "ply": 99}), 404, "no_such_ply")
    assert_problem(ann.post(path, {**CLAIM, "ground": "weather"}), 422, "invalid")
    assert_problem(ann.post(path, {**CLAIM, "claim": " \n "}), 422, "bad_claim")
    assert_problem(ann.post(path, {**CLAIM, "claim": "x" * 1001}), 422, "bad_claim")
    assert_problem(ann.post(path, {**CLAIM, "claim": "bell \u0007"}), 422, "bad_claim")
    assert_problem(anonymous(app).get(f"{path}/7"), 404, "no_such_dispute")
    number = raise_dispute(ann, match, ply=4)
    assert_problem(ann.post(path, {**CLAIM, "ply": 4}), 409, "disputed_already")
    record_verdict(services, match, number)
    assert_problem(resolve_dispute(judge, match, number, ruling="rolled_back", to_ply=2), 422, "no_position")
    assert_problem(resolve_dispute(judge, match, number, ruling="rolled_back"), 422, "bad_ruling")
    assert resolve_dispute(judge, match, number, ruling="goes_on").status_code == 201
    assert_problem(resolve_dispute(judge, match, number, ruling="goes_on"), 409, "resolved_already")
    waiting = new_match(ann)["match"]["id"]
    assert_problem(ann.post(f"/matches/{waiting}/disputes", {**CLAIM, "ply": 1}), 409, "not_started")


def test_a_repeated_request_raises_one_dispute(app: Flask) -> None:
    match, (ann, _) = started_match(app)
    key = fresh_key()
    answers = [
        ann.post(f"/matches/{match}/disputes", {**CLAIM, "ply": 4}, Idempotency_Key=key).json["number"]
        for _ in range(2)
    ]
    assert len(set(answers)) == 1
    assert len(anonymous(app).get(f"/matches/{match}/disputes").json["disputes"]) == 1


def test_all_disputes_of_a_match_are_read_in_one_query(app: Flask, services: Services, redis: Redis) -> None:
    match, (ann, _) = started_match(app)

    def query_count(path: str) -> int:
        before = command_count(redis)
        answer = app.test_client().get(path)
        assert answer.text.count("It was so: ") == len(services.matches.repository.load(match).disputes)
        return command_count(redis) - before

    paths = (f"{PREFIX}/matches/{match}/disputes", f"/matches/{match}/disputes")
    raise_dispute(ann, match, ply=4, claim="It was so: 4.")
    one = [query_count(path) for path in paths]
    for ply in range(5, 20):
        raise_dispute(ann, match, ply=ply, claim=f"It was so: {ply}.")
    assert [query_count(path) for path in paths] == one


def command_count(redis: Redis) -> int:
    """Return the number of reads of hash fields, where the texts are stored."""
    stats = redis.info("commandstats")
    assert isinstance(stats, dict)
    return sum(int(stats.get(f"cmdstat_{name}", {"calls": 0})["calls"]) for name in ("hget", "hmget", "hgetall"))


def test_the_text_can_be_erased_and_the_dispute_remains(app: Flask, services: Services) -> None:
    match, (ann, _) = started_match(app)
    number = raise_dispute(ann, match, ply=4)
    shown = anonymous(app).get(f"/matches/{match}/disputes/{number}").json
    services.disputes.statements.erase(match, shown["claim_digest"])
    assert anonymous(app).get(f"/matches/{match}/disputes/{number}").json == {**shown, "claim": None}


def test_open_disputes_and_failed_audits_are_counted(app: Flask, services: Services, project: Any) -> None:
    match, (ann, _) = started_match(app)
    raise_dispute(ann, match, ply=4)
    services.read_models.verdicts.record(match, b"{}", failed=True)
    project()
    metrics = app.test_client().get("/metrics").text
    assert "crumbtrail_disputed_matches 1.0" in metrics
    assert "crumbtrail_failed_audits 1.0" in metrics


# -- forks --------------------------------------------------------------------------------------------------------


def test_a_finished_match_can_be_forked_from_any_ply(app: Flask) -> None:
    match, (ann, _) = finished_match(app)
    body = {"ply": 6, "luck": "same", "seats": [{"kind": "me"}, {"kind": "open"}]}
    answer = ann.post(f"/matches/{match}/forks", body)
    assert answer.status_code == 201, answer.text
    fork = answer.json["match"]
    assert (fork["fork"]["match"], fork["fork"]["ply"], fork["status"]) == (match, 6, "open")
    eve = register(app, "Eve")
    assert eve.post(f"/matches/{fork['id']}/seats/1", {}).status_code == 201
    now = ann.get(f"/matches/{fork['id']}").json
    assert [owner is not None for owner in now["view"]["cells"]] == [True, False, False, True] + [False] * 5
    for person, cell in ((ann, 1), (eve, 4), (ann, 2)):
        assert mark_cell(person, fork["id"], cell).status_code == 201
    assert verify(anonymous(app).get(f"/matches/{fork['id']}/replay").data).ok


def test_invalid_forks_are_refused(app: Flask) -> None:
    seats = [{"kind": "me"}, {"kind": "bot", "level": "random"}]
    match, (ann, bob) = started_match(app)
    assert_problem(ann.post(f"/matches/{match}/forks", {"ply": 4, "seats": seats}), 409, "not_over")
    match, _ = finished_match(app)
    for ply, status, code in ((1, 422, "no_position"), (10, 422, "no_position"), (99, 404, "no_such_ply")):
        assert_problem(ann.post(f"/matches/{match}/forks", {"ply": ply, "seats": seats}), status, code)
    assert_problem(bob.post(f"/matches/{match}/forks", {"ply": 5, "seats": seats[:1]}), 422, "bad_seats")


def test_a_running_practice_match_can_be_forked_by_its_player(app: Flask) -> None:
    ann, eve = register(app, "Ann"), register(app, "Eve")
    seats = [{"kind": "me"}, {"kind": "me"}]
    practice = ann.post("/matches", {"game": "tic_tac_toe", "seats": seats, "seed": "01"}).json["match"]["id"]
    answer = ann.post(f"/matches/{practice}/forks", {"ply": 4, "luck": "new", "seats": seats})
    assert answer.status_code == 201, answer.text
    assert_problem(eve.post(f"/matches/{practice}/forks", {"ply": 4, "seats": seats}), 409, "not_over")
