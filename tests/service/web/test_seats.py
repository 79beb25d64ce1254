"""Seats on the pages: removing players, aborting, absent players, and what the lobby says about open matches."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from flask import Flask

from domain.match.absence import FIRST_MOVE_SECONDS
from service.bootstrap import Services
from tests.service.web.test_table_requests import ask, mark_cell
from tests.service.web.visitors import Page, Visitor, match_id_of, two_player_match

LONG_BANK = {"clock": "10d+1d", "expiry": "resigns"}


def wait_for_first_move(services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the time for a first move pass."""
    later = services.runtime.clock.now() + timedelta(seconds=FIRST_MOVE_SECONDS)
    monkeypatch.setattr(services.runtime.clock, "now", lambda: later)


def buttons(page: Page) -> list[str]:
    """Return what the forms for requests offer."""
    return [value for form in page.forms("/ask") for value in form.buttons.get("what", [])]


# -- the lobby ----------------------------------------------------------------------------------------------------


def test_the_lobby_says_that_an_open_match_waits_for_its_creator(
    ann: Visitor, bob: Visitor, project: Callable[[], None]
) -> None:
    """Given a match whose creator has not sat down, then the lobby names the creator and the free seat."""
    ann.named("Ann").new_match(shares="sealed", seat1="anyone")
    project()
    assert "Waiting for Ann to sit down, and for someone to play blue." in bob.open("/").text
    assert "Sit down to begin." in ann.open("/").text


def test_the_creators_own_match_is_not_among_the_open_seats(ann: Visitor, project: Callable[[], None]) -> None:
    ann.new_match(shares="sealed", seat1="anyone")
    project()
    assert "There are no open seats right now." in ann.open("/").text


# -- removing players ---------------------------------------------------------------------------------------------


def test_the_creator_can_keep_the_seat_of_a_player_for_themselves(ann: Visitor, bob: Visitor, app: Flask) -> None:
    room = ann.named("Ann").new_match(seat0="anyone", seat1="anyone")
    bob.send(bob.open(room.path).form("/seats/1"))
    page = ann.send(ann.open(room.path).form("/remove"), keep="1")
    assert "The creator removes a player. The seat is kept for the creator." in page.text
    assert "waiting for Ann to sit down" in Visitor(app).open(room.path).text
    seated = ann.send(page.form("/seats/1"))
    assert "Ann (you)" in seated.text


def test_only_the_creator_sees_the_button_to_remove_players(ann: Visitor, bob: Visitor, app: Flask) -> None:
    room = ann.new_match(seat0="anyone", seat1="anyone")
    bob.send(bob.open(room.path).form("/seats/1"))
    form = ann.open(room.path).form("/remove")
    cid = Visitor(app)
    for visitor in (bob, cid):
        assert not visitor.open(room.path).forms("/remove")
    token = bob.open(room.path).form("/leave").fields["csrf_token"]
    page = bob.send(form, csrf_token=token, key="4" * 32)
    assert page.status == 409
    assert "Only the player who created a match can remove other players from it." in page.text


# -- aborting -----------------------------------------------------------------------------------------------------


def test_a_player_who_has_not_moved_can_abort(app: Flask) -> None:
    match, ann, bob = two_player_match(app, game="tic_tac_toe")
    mark_cell(ann, match, 4)
    assert "abort" not in buttons(ann.open(f"/matches/{match}"))
    assert "other players see how often you do it" in bob.open(f"/matches/{match}").text
    page = ask(bob, match, "abort")
    assert "Bob aborted the match before their first move." in page.text
    assert "This match was cancelled." in page.text


def test_a_match_against_a_bot_can_be_aborted_without_a_warning(ann: Visitor) -> None:
    page = ann.send(ann.open("/").form("/play"), press="greedy")
    assert "other players see how often" not in page.text
    assert "This match was cancelled." in ask(ann, match_id_of(page), "abort").text


def test_a_rated_match_offers_no_abort(app: Flask, services: Services) -> None:
    match, ann, bob = two_player_match(app, game="tic_tac_toe", rated="yes", **LONG_BANK)
    head = services.matches.repository.load(match)
    assert head.was_created_rated
    for visitor in (ann, bob):
        assert "abort" not in buttons(visitor.open(f"/matches/{match}"))


# -- absent players -----------------------------------------------------------------------------------------------


def test_the_other_player_can_end_the_match_of_an_absent_player(
    app: Flask, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    match, ann, bob = two_player_match(app, game="tic_tac_toe")
    mark_cell(ann, match, 4)
    wait_for_first_move(services, monkeypatch)
    page = ann.open(f"/matches/{match}")
    assert "didn't make a first move in time. You can end this match without a result" in page.text
    assert "abort" in buttons(bob.open(f"/matches/{match}")), "the absent player can still abort"
    done = ask(ann, match, "abort")
    assert "Bob did not make a first move in time, so the match was ended." in done.text


def test_the_other_player_can_replace_an_absent_player_by_a_bot(
    app: Flask, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    match, _, bob = two_player_match(app, game="tic_tac_toe")
    wait_for_first_move(services, monkeypatch)
    page = ask(bob, match, "replace", level="random")
    assert "Random bot" in page.text


def test_the_other_player_can_claim_the_loss_in_a_rated_match(
    app: Flask, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    match, _, bob = two_player_match(app, game="tic_tac_toe", rated="yes", **LONG_BANK)
    wait_for_first_move(services, monkeypatch)
    page = bob.open(f"/matches/{match}")
    assert "You can claim their loss." in page.text
    done = ask(bob, match, "claim")
    assert "You won!" in done.text
    assert "did not make a first move in time" in done.text


def test_an_incomplete_form_is_refused(app: Flask) -> None:
    match, ann, _ = two_player_match(app, game="tic_tac_toe")
    form = next(form for form in ann.open(f"/matches/{match}").forms("/ask") if "abort" in form.buttons["what"])
    page = ann.send(form, what="claim")
    assert page.status == 400
    assert "This form is incomplete." in page.text
