"""The match page: moves by form, refusals, history, and actions before the start."""

import re

import pytest
from flask import Flask

from service.bootstrap import Services
from tests.service.web.visitors import Page, Visitor, match_id_of, two_player_match

OPEN_CAKE = "c0ffee"
"""A seed whose cake has every column open to both seats."""


def test_a_double_submit_makes_one_move_and_redirects_to_the_table(app: Flask, services: Services) -> None:
    match, ann, _ = two_player_match(app, seed=OPEN_CAKE)
    form = ann.open(f"/matches/{match}").form("/moves")
    before = services.matches.repository.load(match).ply
    first = ann.post(form, A="2", B="2")
    again = ann.post(form, A="2", B="2")
    assert (first.status_code, first.location) == (303, f"/matches/{match}")
    assert again.status_code == 303
    assert services.matches.repository.load(match).ply == before + 1


def test_after_a_move_the_page_says_it_waits_for_the_opponent(app: Flask) -> None:
    match, ann, bob = two_player_match(app, seed=OPEN_CAKE)
    page = ann.send(ann.open(f"/matches/{match}").form("/moves"), B="1", C="3")
    assert "You sent your mice: B 1, C 3." in page.text
    assert "Waiting for" in page.text
    assert not page.title.startswith("●")
    assert bob.open(f"/matches/{match}").title.startswith("● Your turn")


def test_a_finished_round_is_shown_to_both_players(app: Flask) -> None:
    match, ann, bob = two_player_match(app, seed=OPEN_CAKE)
    send_mice(ann, match, B="4")
    page = send_mice(bob, match, B="4")
    for shown in (page, ann.open(f"/matches/{match}")):
        assert "Play again" in shown.text
        assert "Round 1: yellow and blue send their mice." in shown.text
        assert "Yellow: B 4. Blue: B 4." in shown.text
        assert shown.html.count('class="die"') == 8


def send_mice(visitor: Visitor, match: str, **mice: str) -> Page:
    return visitor.send(visitor.open(f"/matches/{match}").form("/moves"), **mice)


@pytest.mark.parametrize(
    ("mice", "rule", "words"),
    [
        ({"A": "3"}, "P6", "You must send all your ready mice, exactly 4. You placed 3."),
        ({"A": "4", "steal": "6-6"}, "M1", "You chose 6-6 to steal"),
        ({"A": "7"}, "M2", "not a well-formed move"),
    ],
)
def test_a_refused_move_names_the_rule_and_keeps_the_input(
    app: Flask, mice: dict[str, str], rule: str, words: str
) -> None:
    match, ann, _ = two_player_match(app, seed=OPEN_CAKE)
    page = send_mice(ann, match, **mice)
    assert page.status == 422
    assert words in page.text
    assert f"rule {rule}" in page.text
    assert page.form("/moves").fields["A"] == min(mice["A"], "4")


def test_a_refused_form_can_be_corrected_and_sent_again(app: Flask) -> None:
    match, ann, _ = two_player_match(app, seed=OPEN_CAKE)
    refused = send_mice(ann, match, A="3")
    assert ann.send(refused.form("/moves"), B="1").status == 200


@pytest.mark.parametrize("count", ["x", "", "-1", "44", "٣"])
def test_an_invalid_number_gets_an_error_message(app: Flask, count: str) -> None:
    match, ann, _ = two_player_match(app, seed=OPEN_CAKE)
    page = send_mice(ann, match, A=count)
    assert page.status == 422
    assert "Choose 0 to 4 mice for each column." in page.text


def test_a_second_assignment_in_a_round_is_refused(app: Flask) -> None:
    match, ann, _ = two_player_match(app, seed=OPEN_CAKE)
    old = ann.open(f"/matches/{match}").form("/moves")
    send_mice(ann, match, A="4")
    page = ann.send(old, key="0" * 32, B="4")
    assert page.status == 409
    assert "already sent your mice" in page.text


def test_reusing_a_form_with_different_input_is_refused(app: Flask) -> None:
    match, ann, _ = two_player_match(app, seed=OPEN_CAKE)
    form = ann.open(f"/matches/{match}").form("/moves")
    ann.send(form, A="4")
    page = ann.send(form, B="4")
    assert page.status == 409
    assert "This form was already sent." in page.text


def test_players_cannot_move_for_another_seat(app: Flask) -> None:
    match, ann, bob = two_player_match(app, seed=OPEN_CAKE)
    form = bob.open(f"/matches/{match}").form("/moves")
    page = bob.send(form, seat="0", A="4")
    assert page.status == 403
    assert "This seat belongs to another player" in page.text
    assert "Your turn" in ann.open(f"/matches/{match}").text


def test_a_spectator_sees_the_table_without_forms(app: Flask) -> None:
    match, ann, _ = two_player_match(app, seed=OPEN_CAKE)
    page = Visitor(app).open(f"/matches/{match}")
    assert page.status == 200
    assert page.forms("/moves") == []
    form = ann.open(f"/matches/{match}").form("/moves")
    stranger = Visitor(app)
    token = stranger.open("/").form("/play").fields["csrf_token"]
    assert stranger.send(form, csrf_token=token, A="4").status == 403


def test_resigning_asks_for_confirmation_and_reveals_the_seed(app: Flask, services: Services) -> None:
    match, ann, bob = two_player_match(app)
    page = ann.open(f"/matches/{match}")
    assert "You can't undo this." in page.text
    resign = next(form for form in page.forms("/moves") if form.fields.get("do") == "resign")
    assert services.matches.repository.load(match).commitment in page.text
    over = ann.send(resign)
    assert "won" in over.text
    assert services.matches.repository.load(match).seed in bob.open(f"/matches/{match}").text
    assert "You won!" in bob.open(f"/matches/{match}").text


def test_one_player_can_play_both_seats(app: Flask, ann: Visitor) -> None:
    match = match_id_of(ann.new_match(seat0="me", seat1="me", seed=OPEN_CAKE))
    page = ann.open(f"/matches/{match}")
    assert page.form("/moves").fields["seat"] == "0"
    page = ann.send(page.form("/moves"), A="4")
    assert page.form("/moves").fields["seat"] == "1"
    page = ann.send(page.form("/moves"), B="4")
    assert "Play again" in page.text


def test_only_your_own_seat_can_be_selected(app: Flask) -> None:
    match, ann, _ = two_player_match(app)
    for asked in ("1", "nonsense"):
        page = ann.open(f"/matches/{match}?seat={asked}")
        assert re.search(r'class="bar [^"]*\byou\b[^"]*" data-seat="0"', page.html)


# -- before the start ---------------------------------------------------------------------------------------------


def test_the_creator_can_cancel_and_a_guest_can_leave(app: Flask, ann: Visitor, bob: Visitor) -> None:
    room = ann.new_match(seat0="anyone", seat1="friend")
    match = match_id_of(room)
    seated = bob.send(bob.open(f"/matches/{match}").form("/seats/0"))
    assert "(you)" in seated.text
    assert "(you)" not in bob.send(seated.form("/leave")).text
    over = ann.send(ann.open(f"/matches/{match}").form("/cancel"))
    assert "This match was cancelled." in over.text


def test_only_the_creator_can_cancel(app: Flask, ann: Visitor, bob: Visitor) -> None:
    room = ann.new_match(seat1="anyone")
    page = bob.open(f"/matches/{match_id_of(room)}")
    assert page.forms("/cancel") == []
    name = bob.send(bob.open("/name").form("/name"), name="Bob")
    token = name.form("/play").fields["csrf_token"]
    forged = bob.send(room.form("/cancel"), csrf_token=token, key="1" * 32)
    assert forged.status == 409
    assert "Only the player who created a match can cancel it." in forged.text


def test_options_under_their_former_names_are_still_read(ann: Visitor, services: Services) -> None:
    """Pages that were opened before the fields were renamed can still be sent."""
    form = ann.open("/new/mice_cake").form("/new/")
    form.fields = {name: value for name, value in form.fields.items() if not name.startswith("option-")}
    form.fields["matches"] = "boost"
    page = ann.send(form)
    assert services.matches.repository.load(match_id_of(page)).options["matches"] == "boost"


def test_options_are_shown_and_kept(ann: Visitor, services: Services) -> None:
    page = ann.new_match(**{"option-start_face": "down", "option-matches": "boost", "option-contest_floor": "none"})
    options = services.matches.repository.load(match_id_of(page)).options
    assert options == {"start_face": "down", "matches": "boost", "contest_floor": "none"}
    assert "boost 2 mice" in page.text or "face down" in page.text


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        (
            {"option-start_face": "sideways"},
            "Pieces at the start: choose one of Every other row face up, All face up, All face down.",
        ),
        ({"seed": "xyz"}, "Enter the seed in hexadecimal"),
        ({"seat1": "bot:oracle"}, "Choose a player for every seat."),
        ({"shares": "secret"}, "Choose from the list when players show their shares."),
    ],
)
def test_invalid_options_are_refused_and_the_choices_stay(ann: Visitor, fields: dict[str, str], words: str) -> None:
    page = ann.new_match(**{"option-matches": "boost", **fields})
    assert page.status == 422
    assert words in page.text
    assert page.form("/new/").fields["option-matches"] == "boost"


def test_a_chosen_seed_makes_a_practice_match(ann: Visitor, services: Services) -> None:
    page = ann.new_match(seed="00ff")
    assert services.matches.repository.load(match_id_of(page)).has_given_seed
    assert "practice" in page.text


# -- any game -----------------------------------------------------------------------------------------------------


def test_any_game_can_be_played_from_its_list_of_moves(app: Flask) -> None:
    match, ann, bob = tic_tac_toe(app)
    for visitor, cell in ((ann, 0), (bob, 3), (ann, 1), (bob, 4), (ann, 2)):
        page = visitor.open(f"/matches/{match}")
        form = page.form("/moves")
        page = visitor.send(form, move=next(m for m in form.choices["move"] if f'"cell":{cell}' in m))
        assert page.status == 200
    assert "You won!" in page.text


def tic_tac_toe(app: Flask) -> tuple[str, Visitor, Visitor]:
    ann, bob = Visitor(app), Visitor(app)
    match = match_id_of(ann.new_match("tic_tac_toe", seat1="anyone"))
    bob.send(bob.open(f"/matches/{match}").form("/seats/1"))
    return match, ann, bob


def test_a_listed_move_is_described_by_its_effect(app: Flask) -> None:
    match, ann, _ = tic_tac_toe(app)
    assert "Cross marks the middle." in ann.open(f"/matches/{match}").text


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ('{"type": "mark", "cell": 9}', "not a well-formed move"),
        ('{"type": "fly"}', "not a well-formed move"),
        ("[" * 5000, "Enter the move as a JSON object"),
        ("[1]", "Enter the move as a JSON object"),
        ("", "Choose a move first."),
    ],
)
def test_an_invalid_typed_move_gets_an_error_message(app: Flask, written: str, words: str) -> None:
    match, ann, _ = tic_tac_toe(app)
    page = ann.send(ann.open(f"/matches/{match}").form("/moves"), written=written)
    assert page.status == 422
    assert words in page.text


def test_an_outdated_form_is_refused(app: Flask, services: Services) -> None:
    match, ann, bob = tic_tac_toe(app)
    old = ann.open(f"/matches/{match}").form("/moves")
    for visitor in (ann, bob):
        form = visitor.open(f"/matches/{match}").form("/moves")
        visitor.send(form, move=form.choices["move"][0])
    page = ann.send(old, key="2" * 32, move=old.choices["move"][8])
    assert page.status == 409
    assert "The match has changed in the meantime" in page.text
