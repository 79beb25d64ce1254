"""Turns of house bots for remote workers, and what a worker's token gives access to."""

import pytest
from flask import Flask

from domain.kernel.registry import games
from service.accounts.players import HOUSE
from service.bootstrap import Services
from tests.service.api.builders import Person, anonymous, assert_problem, new_match, openapi, register

DECISION = {"engine": "greedy", "version": 1}


@pytest.fixture
def worker(app: Flask, services: Services) -> Person:
    """Return a remote worker."""
    return Person(app, services.accounts.players.new_token(HOUSE, HOUSE, "The shed"))


def bots_only(ann: Person, game: str = "tic_tac_toe") -> tuple[str, int]:
    """Create a match of two bots and return its id and ply."""
    match = new_match(ann, game, "bot bot")["match"]
    return match["id"], match["ply"]


def test_a_worker_gets_only_what_the_bot_may_know(app: Flask, services: Services, worker: Person) -> None:
    match, ply = bots_only(register(app), "mice_cake")
    document = worker.get(f"/house/turns/{match}/{ply}").json
    head = services.matches.repository.load(match)
    assert (document["seat"], document["level"], document["rules_version"]) == (
        0,
        "random",
        games()["mice_cake"].rules_version,
    )
    assert document["view"] == anonymous(app).get(f"/matches/{match}").json["view"] | {
        "legal": document["view"]["legal"]
    }
    assert document["view"]["legal"]
    assert len(document["facts"]) == len(services.matches.repository.known_facts(head, 0))
    assert document["failures"] == 0
    assert services.runtime.secret.hex() not in str(document)


def test_repeated_requests_make_one_move(app: Flask, services: Services, worker: Person) -> None:
    ann = register(app)
    match, ply = bots_only(ann)
    body = {"seat": 0, "move": {"type": "mark", "cell": 4}, **DECISION}
    first = worker.post(f"/house/turns/{match}/{ply}", body, Idempotency_Key="turn")
    again = worker.post(f"/house/turns/{match}/{ply}", body)
    assert (first.status_code, first.json) == (again.status_code, again.json) == (201, {"ply": ply + 1})
    assert (first.headers.get("Idempotent-Replayed"), again.headers["Idempotent-Replayed"]) == (None, "true")
    assert services.matches.repository.load(match).ply == ply + 1
    other = {**body, "move": {"type": "mark", "cell": 3}}
    assert_problem(worker.post(f"/house/turns/{match}/{ply}", other), 422, "idempotency_key_reused")
    late = worker.post(f"/house/turns/{match}/{ply - 1}", body)
    assert_problem(late, 409, "stale_ply")
    assert worker.get(f"/house/turns/{match}/{ply}").status_code == 204


def test_the_decision_is_recorded_with_the_seed(app: Flask, services: Services, worker: Person) -> None:
    match, ply = bots_only(register(app))
    seed = worker.get(f"/house/turns/{match}/{ply}").json["seed"]
    budget = {"iterations": 9, "seconds": 1.5}
    body = {"seat": 0, "move": {"type": "mark", "cell": 4}, "engine": "search", "version": 2, "budget": budget}
    worker.post(f"/house/turns/{match}/{ply}", body | {"iterations": 9})
    while services.matches.repository.load(match).status == "playing":
        head = services.matches.repository.load(match)
        seat = min(head.to_move)
        services.house_bots.submit(match, head.ply, seat, {"type": "resign"})
    [decision] = anonymous(app).get(f"/matches/{match}/bots").json["moves"]
    assert decision == {
        "ply": ply + 1, "seat": 0, "level": "random", "engine": "search", "version": 2, "budget": budget,
        "iterations": 9, "seed": seed,
    }  # fmt: skip


def test_an_illegal_move_is_refused(app: Flask, worker: Person) -> None:
    match, ply = bots_only(register(app))
    body = {"seat": 0, "move": {"type": "mark", "cell": 77}, **DECISION}
    assert_problem(worker.post(f"/house/turns/{match}/{ply}", body), 422, "bad_move")


def test_a_worker_cannot_act_for_a_person(app: Flask, services: Services, worker: Person) -> None:
    ann = register(app)
    match = new_match(ann, "tic_tac_toe", "me bot")["match"]
    turns = f"/house/turns/{match['id']}/{match['ply']}"
    assert worker.get(turns).status_code == 204, "it is a person's turn"
    body = {"seat": 0, "move": {"type": "mark", "cell": 4}, **DECISION}
    assert_problem(worker.post(turns, body), 403, "not_your_seat")
    assert worker.post(turns, body | {"seat": 1}).status_code in (409, 422)
    assert worker.post(turns, body | {"seat": 7}).status_code == 403
    assert services.matches.repository.load(match["id"]).ply == match["ply"]


def test_a_workers_token_gives_no_other_access(app: Flask, worker: Person) -> None:
    match, _ = bots_only(register(app))
    for path in ("/me", "/me/turns", f"/matches/{match}", f"/matches/{match}/legal-moves?as=0", "/me/stream"):
        assert_problem(worker.get(path), 403, "scope_missing")
    assert_problem(worker.post(f"/matches/{match}/moves?as=0", {"type": "resign"}), 403, "scope_missing")
    assert_problem(
        worker.post("/matches", {"game": "tic_tac_toe", "seats": [{"kind": "me"}, {"kind": "open"}]}),
        403,
        "scope_missing",
    )


@pytest.mark.parametrize("scope", ["play", "bot", "read"])
def test_only_a_workers_token_is_accepted(app: Flask, services: Services, scope: str) -> None:
    ann = register(app)
    match, ply = bots_only(ann)
    assert ann.id
    token = services.accounts.players.new_token(ann.id, scope, "A program")  # type: ignore[arg-type]
    turn, body = f"/house/turns/{match}/{ply}", {"seat": 0, "move": {"type": "resign"}, **DECISION}
    for someone, status, code in ((Person(app, token), 403, "scope_missing"), (anonymous(app), 401, "no_token")):
        assert_problem(someone.get("/house"), status, code)
        assert_problem(someone.get(turn), status, code)
        assert_problem(someone.post(turn, body), status, code)
        assert_problem(someone.post(f"{turn}/failures"), status, code)
    assert services.matches.repository.load(match).ply == ply


def test_a_revoked_token_is_refused(app: Flask, services: Services, worker: Person) -> None:
    assert worker.get("/house").json == {"scope": "house"}
    [token] = services.accounts.players.tokens(HOUSE)
    assert token.label == "The shed"
    services.accounts.players.revoke(HOUSE, token.id)
    assert_problem(worker.get("/house"), 401, "bad_token")


def test_failures_are_counted_per_turn_and_in_the_metrics(app: Flask, worker: Person) -> None:
    match, ply = bots_only(register(app))
    turn = f"/house/turns/{match}/{ply}"
    assert worker.post(f"{turn}/failures").status_code == 204
    assert worker.post(f"{turn}/failures").status_code == 204
    assert worker.get(turn).json["failures"] == 2
    metrics = app.test_client().get("/metrics").get_data(as_text=True)
    assert 'crumbtrail_failed_jobs_total{job="play_bot"} 2.0' in metrics
    assert_problem(worker.post("/house/turns/nonsense/3/failures"), 404, "no_such_match")


def test_clients_cannot_create_a_workers_token(app: Flask) -> None:
    assert "house" not in str(openapi(app)["components"]["schemas"].get("Registration"))
    assert_problem(anonymous(app).post("/players", {"name": "Eve", "scope": "house"}), 422, "invalid")
