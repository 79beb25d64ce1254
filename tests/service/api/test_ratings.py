"""Records, ratings, leaderboards, filters, private matches and invitations in the API."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from flask import Flask

from service.bootstrap import Services
from service.read_models.places import PLACE_RULE
from tests.service.api.builders import Person, anonymous, assert_problem, mark_cell, new_match, register, started_match
from tests.workers.rating_population import settled_league, store_league

Project = Callable[[], None]
FORMULA_1 = Path(__file__).parents[2] / "golden" / "ratings-formula-1.json"
"""The keys of a game's ratings as release 6e72bc9 stored them: Ann beats Bob, and then loses to him."""


def play_won_match(app: Flask, **more: Any) -> tuple[str, Person, Person]:
    """Play a match of tic-tac-toe that Ann wins."""
    match, (ann, bob) = started_match(app, **more)
    for person, cell in ((ann, 0), (bob, 3), (ann, 1), (bob, 4), (ann, 2)):
        assert mark_cell(person, match, cell).status_code == 201
    return match, ann, bob


def test_a_player_has_a_record_and_a_rating(app: Flask, project: Project) -> None:
    match, ann, bob = play_won_match(app, rated=True)
    project()
    seen = anonymous(app).get(f"/players/{ann.id}").json
    (record,) = seen["records"]
    assert (seen["name"], record["game"], record["won"], record["lost"]) == ("Ann", "tic_tac_toe", 1, 0)
    assert (record["rating"]["won"], record["rating"]["placed"]) == (1, False)
    assert record["rating"]["missing"][1] == "5 more opponents who have a place"
    assert record["rating"]["missing"][-1] == "7 days since the first rated match"
    (point,) = anonymous(app).get(f"/players/{ann.id}/ratings/tic_tac_toe").json["points"]
    assert (point["match"], point["rating"], point["change"]) == (match, record["rating"]["rating"], None)
    assert [row["id"] for row in anonymous(app).get(f"/players/{bob.id}/matches").json["matches"]] == [match]


def test_an_unrated_match_counts_only_in_the_record(app: Flask, project: Project) -> None:
    _, ann, _ = play_won_match(app)
    project()
    (record,) = anonymous(app).get(f"/players/{ann.id}").json["records"]
    assert (record["won"], record["rating"]) == (1, None)
    assert anonymous(app).get("/games/tic_tac_toe/leaderboard").json["leaders"] == []


def test_a_leaderboard_lists_players_with_a_place_and_says_how_to_get_one(app: Flask, services: Services) -> None:
    """Given ten players, one of whom never won, then the leaderboard has the others, in pages."""
    league, people = settled_league(10, 80, "league")
    for other in people.names[1:]:
        league.beat(other, "loser")
    ids = {name: register(app, f"Player {name[-4:]}").id for name in [*people.names, "loser"]}
    store_league(services.read_models.ratings, "tic_tac_toe", league, ids)
    board = anonymous(app).get("/games/tic_tac_toe/leaderboard").json
    assert [each["player"] for each in board["leaders"]] == [ids[name] for name in league.board()]
    assert [each["rank"] for each in board["leaders"]] == [*range(1, len(league.board()) + 1)]
    assert ids["loser"] not in {each["player"] for each in board["leaders"]}
    assert all(each["rating"]["placed"] and each["rating"]["missing"] == [] for each in board["leaders"])
    assert (board["formula"], board["rule"]) == (2, PLACE_RULE)
    page = anonymous(app).get("/games/tic_tac_toe/leaderboard?after=1&limit=1").json["leaders"]
    assert page == board["leaders"][1:2]


def test_the_history_of_formula_1_can_still_be_read(app: Flask, services: Services) -> None:
    """Given ratings stored by release 6e72bc9, then their history is listed as before, next to that of formula 2."""
    ann = register(app)
    for key, value in msgspec.json.decode(FORMULA_1.read_bytes().replace(b"p_ann", ann.id.encode())).items():
        services.runtime.redis.delete(key)
        if isinstance(value, dict):
            services.runtime.redis.hset(key, mapping=value)
        elif isinstance(value, list):
            services.runtime.redis.zadd(key, dict(value))
        else:
            services.runtime.redis.set(key, value)
    path = f"/players/{ann.id}/ratings/tic_tac_toe"
    points = anonymous(app).get(f"{path}?formula=1").json["points"]
    assert [(each["rating"], each["uncertainty"], each["change"], each["formula"]) for each in points] == [
        (1611, 678, None, 1), (1483, 657, -128, 1),
    ]  # fmt: skip
    assert anonymous(app).get(path).json["points"] == []
    assert anonymous(app).get(f"{path}?formula=2").json["points"] == []
    for query in ("formula=0", "formula=3", "formula=x"):
        assert_problem(anonymous(app).get(f"{path}?{query}"), 422, "invalid")


def test_unknown_players_and_games_are_not_found(app: Flask) -> None:
    client = anonymous(app)
    for path in ("", "/matches", "/ratings/tic_tac_toe"):
        assert_problem(client.get(f"/players/p_nobody{path}"), 404, "no_such_player")
    assert_problem(client.get(f"/players/{register(app).id}/ratings/chess"), 404, "no_such_game")
    assert_problem(client.get("/games/chess/leaderboard"), 404, "no_such_game")
    assert_problem(client.get("/games/tic_tac_toe/leaderboard?limit=0"), 422, "invalid")
    assert_problem(client.get("/games/tic_tac_toe/leaderboard?after=-1"), 422, "invalid")
    assert_problem(client.get(f"/players/{register(app).id}/matches?cursor=x"), 422, "bad_cursor")


@pytest.mark.parametrize(
    ("more", "seats"),
    [({"seed": "00"}, "me open"), ({}, "me bot"), ({}, "me me"), ({"private": True}, "me open"),
     ({"clock": {"kind": "per_move", "seconds": 86400, "expiry": "bot_takes_over"}}, "me open"),
     ({"position": {"cells": [None] * 9}}, "me open")],
)  # fmt: skip
def test_a_match_that_cannot_be_rated_is_refused(
    app: Flask, project: Project, more: dict[str, Any], seats: str
) -> None:
    kinds = {"me": {"kind": "me"}, "open": {"kind": "open"}, "bot": {"kind": "bot", "level": "random"}}
    body = {"game": "tic_tac_toe", "seats": [kinds[word] for word in seats.split()], "rated": True, **more}
    ann = register(app)
    assert_problem(ann.post("/matches", body), 422, "not_rateable")
    project()
    assert ann.get("/matches").json["matches"] == []


def test_a_player_has_only_one_seat_in_a_rated_match(app: Flask) -> None:
    ann = register(app)
    match = new_match(ann, rated=True)["match"]["id"]
    assert_problem(ann.post(f"/matches/{match}/seats/1", {}), 409, "one_seat_each")


def test_matches_can_be_filtered(app: Flask, project: Project) -> None:
    ann = register(app)
    made = {
        "bot": new_match(ann, seats="me bot"),
        "open": new_match(ann, clock={"kind": "per_move", "seconds": 86400}),
        "rated": new_match(ann, rated=True, seats="me private"),
        "hidden": new_match(ann, private=True),
    }
    project()
    names = {answer["match"]["id"]: name for name, answer in made.items()}

    def found(query: str) -> set[str]:
        return {names[row["id"]] for row in ann.get(f"/matches?{query}").json["matches"]}

    assert found("") == {"bot", "open", "rated"}
    assert found("open_seats=1") == {"open"}
    assert found("open_seats=0&bots=0") == {"rated"}
    assert found("rated=1") == {"rated"}
    assert found("clock=per_move") == {"open", "rated"}
    assert found("clock=none&rated=0") == {"bot"}
    for query in ("open_seats=yes", "rated=2", "clock=3d", "bots=", "nothing=1"):
        assert_problem(ann.get(f"/matches?{query}"), 422, "invalid")


def test_a_private_match_is_only_listed_for_its_players(app: Flask, project: Project) -> None:
    match, ann, bob = play_won_match(app, private=True)
    project()

    def seen(by: Person) -> list[str]:
        return [row["id"] for row in by.get(f"/players/{ann.id}/matches").json["matches"]]

    assert seen(ann) == seen(bob) == [match]
    assert seen(anonymous(app)) == seen(register(app)) == []
    assert anonymous(app).get(f"/matches/{match}").json["private"]


@pytest.mark.parametrize("seats", ["me open", "me private", "me bot", "me me open"])
def test_a_private_match_with_an_open_or_bot_seat_is_not_listed_for_others(
    app: Flask, project: Project, seats: str
) -> None:
    """Open seats and bots have no player, and neither does a client without a token; they must not match."""
    ann = register(app)
    game = "pie_contest" if seats.count(" ") > 1 else "tic_tac_toe"
    match = new_match(ann, game, seats=seats, private=True)["match"]["id"]
    project()

    def seen(by: Person) -> list[str]:
        return [row["id"] for row in by.get(f"/players/{ann.id}/matches").json["matches"]]

    assert seen(ann) == [match]
    assert seen(anonymous(app)) == seen(register(app)) == []
    assert_problem(anonymous(app).get("/players/None/matches"), 404, "no_such_player")


def test_every_seat_of_a_private_match_needs_an_invitation(app: Flask) -> None:
    """This includes seats not marked as private, and the creator's own seat after the creator has left it."""
    ann, bob = register(app, "Ann"), register(app, "Bob")
    made = new_match(ann, "pie_contest", seats="me open open", private=True)
    table = f"/matches/{made['match']['id']}"
    assert_problem(bob.post(f"{table}/seats/1", {}), 403, "invitation_needed")
    assert_problem(anonymous(app).post(f"{table}/seats/1", {"name": "Guest"}), 403, "invitation_needed")
    assert bob.post(f"{table}/seats/1", {"invitation": made["invitations"]["1"]}).status_code == 201
    assert ann.post(f"{table}/commands?as=0", {"type": "leave"}).status_code == 201
    assert_problem(bob.post(f"{table}/seats/0", {}), 403, "invitation_needed")
    assert [seat["private"] for seat in ann.get(table).json["seats"]] == [True, True, True]
    assert ann.post(f"{table}/seats/0", {}).status_code == 201


def test_drawn_seats_are_in_the_started_event(app: Flask) -> None:
    ann, bob = register(app, "Ann"), register(app, "Bob")
    match = new_match(ann, seating="chance")["match"]
    assert match["seating"] == "chance"
    seated = bob.post(f"/matches/{match['id']}/seats/1", {}).json["match"]
    events = ann.get(f"/matches/{match['id']}/events").json["events"]
    order = next(event["order"] for event in events if event["kind"] == "started")
    assert seated["you"] == [order.index(1)]
    assert [seat["player"] for seat in seated["seats"]] == [(ann.id, bob.id)[old] for old in order]


def test_a_new_invitation_replaces_the_previous_one(app: Flask) -> None:
    ann, bob = register(app, "Ann"), register(app, "Bob")
    made = new_match(ann, seats="me private")
    path = f"/matches/{made['match']['id']}/seats/1"
    assert_problem(anonymous(app).post(f"{path}/invitation"), 401, "no_token")
    assert_problem(bob.post(f"{path}/invitation"), 403, "not_creator")
    assert_problem(ann.post(f"/matches/{made['match']['id']}/seats/7/invitation"), 404, "no_such_seat")
    assert_problem(ann.post(f"/matches/{made['match']['id']}/seats/0/invitation"), 409, "seat_taken")
    renewed = ann.post(f"{path}/invitation").json["invitation"]
    assert_problem(bob.post(path, {"invitation": made["invitations"]["1"]}), 403, "invitation_needed")
    assert bob.post(path, {"invitation": renewed}).status_code == 201
    assert_problem(ann.post(f"{path}/invitation"), 409, "already_started")
