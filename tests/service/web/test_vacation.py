"""Vacation on the pages, without JavaScript."""

from flask import Flask

from tests.service.web.test_table_requests import ask
from tests.service.web.visitors import Visitor, two_player_match


def test_vacation_is_taken_at_the_table_and_shown_to_all(app: Flask) -> None:
    match, ann, bob = two_player_match(app, game="tic_tac_toe", clock="1d", vacation="7")
    page = ann.open(f"/matches/{match}")
    assert "7 days of vacation" in page.text
    assert "You have 7 of 7 days left" in page.text
    assert "on vacation until" in ask(ann, match, "vacation", days="2").text
    seen = bob.open(f"/matches/{match}")
    assert "on vacation until" in seen.text
    assert "takes 2 days of vacation" in seen.text
    assert "You have 5 of 7 days left" in ann.open(f"/matches/{match}").text


def test_too_many_days_get_an_error_message(app: Flask) -> None:
    match, ann, _ = two_player_match(app, game="tic_tac_toe", clock="1d", vacation="3")
    page = ask(ann, match, "vacation", days="4")
    assert page.status == 409
    assert "You can take 1 to 3 days of vacation." in page.text


def test_vacation_is_offered_only_if_the_clock_has_it(app: Flask) -> None:
    match, ann, _ = two_player_match(app, game="tic_tac_toe", clock="1d")
    assert "acation" not in ann.open(f"/matches/{match}").text


def test_an_unavailable_number_of_days_is_refused(app: Flask) -> None:
    page = Visitor(app).named("Ann").new_match("tic_tac_toe", clock="1d", vacation="365")
    assert page.status == 422
    assert "from the list" in page.text
