"""How ratings and the limits on joining withstand players who try to spoil them: guests, players who stay away,
erasure, bans."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from flask import Flask

from service.bootstrap import Services
from service.moderation.actions import ActionRefused
from service.moderation.journal import OPERATOR
from service.moderation.sanctions import SanctionKind
from tests.service.api.builders import Person, anonymous, assert_problem, mark_cell, new_match, register
from tests.service.api.conftest import ManualClock

Project = Callable[[], None]
DAY = timedelta(days=1)
A_DAY = {"kind": "per_move", "seconds": 86_400, "expiry": "resigns"}
RESIGN = {"type": "resign"}


def start(ann: Person, bob: Person, **more: object) -> str:
    """Start a match of two players and return its id."""
    match = new_match(ann, clock=A_DAY, **more)["match"]["id"]
    assert bob.post(f"/matches/{match}/seats/1", {}).status_code == 201
    return str(match)


def let_run_out(services: Services, clock: ManualClock, match: str, wait: timedelta = DAY) -> None:
    """Let the time of the seat that is to move run out."""
    clock.time += wait
    services.matches.commands.expire_overdue(services.matches.repository.load(match))
    assert services.matches.repository.load(match).status == "over"


def play_and_win(winner: Person, loser: Person, **more: object) -> str:
    """Play a match in which both players move and the first one wins."""
    match = start(winner, loser, **more)
    for person, cell in ((winner, 0), (loser, 3), (winner, 1), (loser, 4), (winner, 2)):
        assert mark_cell(person, match, cell).status_code == 201
    return match


# -- ratings ------------------------------------------------------------------------------------------------------


def test_guests_who_resign_immediately_make_nobody_a_leader(app: Flask, project: Project) -> None:
    """Given fourteen new guests who resign before they have moved, then none of these results counts for anyone."""
    ann = register(app)
    for number in range(14):
        guest = register(app, f"Guest {number}")
        match = start(ann, guest, rated=True)
        assert mark_cell(ann, match, 0).status_code == 201
        assert guest.post(f"/matches/{match}/moves", RESIGN).status_code == 201
        ended = ann.get(f"/matches/{match}").json
        assert (ended["status"], ended["rated"], ended["unrated_reason"]) == ("over", False, "not_played")
    project()
    assert anonymous(app).get("/games/tic_tac_toe/leaderboard").json["leaders"] == []
    (record,) = ann.get(f"/players/{ann.id}").json["records"]
    assert (record["won"], record["rating"]) == (14, None)


def test_a_rated_match_is_created_with_a_time_limit(app: Flask) -> None:
    ann = register(app)
    made = new_match(ann, rated=True)["match"]
    assert (made["clock"]["kind"], made["clock"]["seconds"], made["clock"]["expiry"]) == (
        "per_move",
        259_200,
        "resigns",
    )
    assert (made["rated"], made["unrated_reason"]) == (True, None)
    casual = new_match(ann)["match"]
    assert (casual["clock"], casual["rated"], casual["unrated_reason"]) == (None, False, "not_chosen")


def test_a_seat_that_stops_moving_loses_its_rated_match(
    app: Flask, services: Services, clock: ManualClock, project: Project
) -> None:
    """Given a rated match that was created without a clock, when the loser stops moving, then it ends and counts."""
    ann, bob = register(app, "Ann"), register(app, "Bob")
    match = new_match(ann, rated=True)["match"]["id"]
    bob.post(f"/matches/{match}/seats/1", {})
    for person, cell in ((ann, 0), (bob, 3), (ann, 1)):
        mark_cell(person, match, cell)
    let_run_out(services, clock, match, 3 * DAY)
    project()
    assert anonymous(app).get(f"/matches/{match}").json["rated"]
    assert [point["match"] for point in ann.get(f"/players/{bob.id}/ratings/tic_tac_toe").json["points"]] == [match]


def test_erasing_an_account_takes_no_result_away(
    app: Flask, services: Services, clock: ManualClock, project: Project
) -> None:
    """Given a player who erases the account in a lost match, then the match runs out and counts for the opponent, as
    the earlier ones do."""
    ann, bob = register(app, "Ann"), register(app, "Bob")
    assert bob.id is not None
    earlier = play_and_win(ann, bob, rated=True)
    match = start(ann, bob, rated=True)
    for person, cell in ((ann, 0), (bob, 3), (ann, 1)):
        mark_cell(person, match, cell)
    services.accounts.eraser.erase(bob.id)
    let_run_out(services, clock, match)
    project()
    points = ann.get(f"/players/{ann.id}/ratings/tic_tac_toe").json["points"]
    assert [point["match"] for point in points] == [earlier, match]
    (record,) = anonymous(app).get(f"/players/{bob.id}").json["records"]
    assert (record["rating"]["lost"], anonymous(app).get(f"/players/{bob.id}").json["name"]) == (2, None)


def test_a_ban_takes_no_result_away(app: Flask, services: Services, clock: ManualClock, project: Project) -> None:
    """Given a player who is banned in a running match, then the match runs out and counts, as the earlier ones do."""
    ann, bob = register(app, "Ann"), register(app, "Bob")
    assert bob.id is not None
    earlier = play_and_win(ann, bob, rated=True)
    match = start(ann, bob, rated=True)
    for person, cell in ((ann, 0), (bob, 3), (ann, 1)):
        mark_cell(person, match, cell)
    services.moderation.actions.impose(OPERATOR, bob.id, "ban", "Insults.", None)
    let_run_out(services, clock, match)
    project()
    points = ann.get(f"/players/{ann.id}/ratings/tic_tac_toe").json["points"]
    assert [point["match"] for point in points] == [earlier, match]


def test_a_ban_for_cheating_takes_the_results_away_and_lifting_it_brings_them_back(
    app: Flask, services: Services, project: Project
) -> None:
    """Given a player who lost to a cheater and beat somebody else, when the cheater is banned, then only the other
    match counts, and the history still lists both."""
    ann, bob, cid = register(app, "Ann"), register(app, "Bob"), register(app, "Cid")
    cheated, honest = play_and_win(bob, ann, rated=True), play_and_win(ann, cid, rated=True)

    def record() -> tuple[int, int]:
        project()
        rating = anonymous(app).get(f"/players/{ann.id}").json["records"][0]["rating"]
        return rating["won"], rating["lost"]

    def counted() -> dict[str, bool]:
        points = anonymous(app).get(f"/players/{ann.id}/ratings/tic_tac_toe").json["points"]
        return {point["match"]: point["counts"] for point in points}

    assert (record(), counted()) == ((1, 1), {cheated: True, honest: True})
    services.moderation.actions.impose(OPERATOR, bob.id or "", "ban", "Uses a program.", None, cheated=True)
    assert (record(), counted()) == ((1, 0), {cheated: False, honest: True})
    services.moderation.actions.lift(OPERATOR, bob.id or "", "ban", "It was a mistake.")
    assert (record(), counted()) == ((1, 1), {cheated: True, honest: True})


@pytest.mark.parametrize(("kind", "days"), [("mute", None), ("suspend", None), ("ban", 30)])
def test_only_a_ban_without_an_end_takes_results_away(
    app: Flask, services: Services, kind: SanctionKind, days: int | None
) -> None:
    bob = register(app, "Bob").id or ""
    with pytest.raises(ActionRefused, match="Only a ban without a time limit"):
        services.moderation.actions.impose(OPERATOR, bob, kind, "Uses a program.", days, cheated=True)
    assert services.moderation.sanctions.of(bob) == []
    assert services.moderation.log.about(bob) == []
    assert services.read_models.rating_trust.current().excluded == frozenset()


def test_a_cancelled_match_changes_no_rating(app: Flask, project: Project) -> None:
    """A match can only be cancelled before its luck is known, so nobody escapes a defeat that way."""
    ann, bob = register(app, "Ann"), register(app, "Bob")
    match = new_match(ann, "pie_contest", seats="me open open", rated=True)["match"]["id"]
    assert bob.post(f"/matches/{match}/seats/1", {}).status_code == 201
    assert ann.post(f"/matches/{match}/commands", {"type": "cancel"}).status_code == 201
    project()
    for person in (ann, bob):
        assert person.get(f"/players/{person.id}/ratings/pie_contest").json["points"] == []


# -- players who let matches run out ------------------------------------------------------------------------------


def lapse(services: Services, clock: ManualClock, ann: Person, bob: Person) -> None:
    """Let Bob run out of time in a match."""
    match = start(ann, bob)
    assert mark_cell(ann, match, 0).status_code == 201
    let_run_out(services, clock, match)


def test_a_player_who_lets_matches_run_out_can_join_few_for_a_while(
    app: Flask, services: Services, clock: ManualClock, project: Project
) -> None:
    """Given a player who ran out of time in two matches in a row, on different days, then for a day they can have only
    two matches with people. The refusal says until when. They can still play against bots."""
    ann, bob = register(app, "Ann"), register(app, "Bob")
    lapse(services, clock, ann, bob)
    project()
    running = [start(ann, bob) for _ in range(2)]  # one lapse has no consequence
    lapse(services, clock, ann, bob)
    for match in running:
        services.matches.commands.expire_overdue(services.matches.repository.load(match))  # Ann never moved here
    project()
    kept = [start(ann, bob) for _ in range(2)]
    project()
    third = new_match(ann)["match"]["id"]
    for refused in (bob.post(f"/matches/{third}/seats/1", {}), bob.post("/matches", TWO_PEOPLE)):
        problem = assert_problem(refused, refused.status_code, "join_limited")
        until = clock.time + DAY
        assert f"until {until:%d %B %Y, %H:%M} UTC" in problem["detail"]
        assert "at most 2 matches" in problem["detail"]
    new_match(bob, seats="me bot")
    assert ann.post("/matches", TWO_PEOPLE).status_code == 201  # Ann ran out of time on one day only
    # when: Bob finishes one of them in time
    for person, cell in ((ann, 0), (bob, 3), (ann, 1), (bob, 4), (ann, 2)):
        assert mark_cell(person, kept[0], cell).status_code == 201
    project()
    # then
    assert bob.post(f"/matches/{third}/seats/1", {}).status_code == 201


def test_the_limit_ends_automatically(app: Flask, services: Services, clock: ManualClock, project: Project) -> None:
    ann, bob = register(app, "Ann"), register(app, "Bob")
    for _ in range(2):
        lapse(services, clock, ann, bob)
    for _ in range(2):
        start(ann, bob)
    project()
    refused = bob.post("/matches", TWO_PEOPLE)
    assert_problem(refused, refused.status_code, "join_limited")
    clock.time += DAY
    assert bob.post("/matches", TWO_PEOPLE).status_code == 201


def test_a_limited_player_can_sit_down_in_their_own_match(
    app: Flask, services: Services, clock: ManualClock, project: Project
) -> None:
    """Given a match that a player created before the limit, then the player can still sit down there."""
    ann, bob = register(app, "Ann"), register(app, "Bob")
    own = new_match(bob, luck="sealed", seats="me open")["match"]
    for _ in range(2):
        lapse(services, clock, ann, bob)
    for _ in range(2):
        start(ann, bob)
    project()
    refused = bob.post("/matches", TWO_PEOPLE)
    assert_problem(refused, refused.status_code, "join_limited")
    assert own["seats"][0]["player"] is None
    assert bob.post(f"/matches/{own['id']}/seats/0", {}).status_code == 201


TWO_PEOPLE = {"game": "tic_tac_toe", "seats": [{"kind": "me"}, {"kind": "open"}]}
