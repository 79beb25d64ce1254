"""Handing a seat over on the pages, without JavaScript."""

from datetime import UTC, datetime, timedelta

from flask import Flask
from freezegun import freeze_time

from service.bootstrap import Services
from tests.service.web.test_table_requests import ask, mark_cell
from tests.service.web.visitors import Page, Visitor, two_player_match


def link_of(page: Page) -> str:
    return next(value["value"] for value in page.all("input") if "/join/" in value.get("value", ""))


def test_a_link_brings_somebody_else_to_the_seat(app: Flask) -> None:
    match, ann, bob = two_player_match(app, game="tic_tac_toe")
    page = ask(ann, match, "offer")
    link = link_of(page)
    assert "You look for somebody who takes this seat over." in page.text
    watched = bob.open(f"/matches/{match}")
    assert "Ann" in watched.text
    assert "looks for somebody" in watched.text
    assert "/join/" not in watched.html
    cid = Visitor(app).named("Cid")
    invitation = cid.open(link)
    assert invitation.headers["Referrer-Policy"] == "no-referrer"
    assert "Ann looks for somebody who goes on as" in invitation.text
    assert "Your turn" in cid.send(invitation.form("/join/")).text
    assert "Cid takes" in bob.open(f"/matches/{match}").text
    assert mark_cell(cid, match, 4).status == 200
    assert ann.open(f"/matches/{match}").forms("/moves") == [], "the old owner watches"
    used = Visitor(app).named("Dora").open(link)
    assert "It was used, or withdrawn." in used.text


def test_a_link_that_was_withdrawn_while_its_page_was_open_is_refused(app: Flask) -> None:
    match, ann, _ = two_player_match(app, game="tic_tac_toe")
    link = link_of(ask(ann, match, "offer"))
    cid = Visitor(app).named("Cid")
    open_page = cid.open(link)
    assert "takes this seat over" not in ask(ann, match, "keep").text
    refused = cid.send(open_page.form("/join/"))
    assert refused.status == 409
    assert "It was used, or withdrawn." in refused.text
    assert "Your turn" in ann.open(f"/matches/{match}").text


def test_the_opponent_cannot_take_the_seat(app: Flask) -> None:
    match, ann, bob = two_player_match(app, game="tic_tac_toe")
    refused = bob.send(bob.open(link_of(ask(ann, match, "offer"))).form("/join/"))
    assert refused.status == 409
    assert "sits or sat at another seat" in refused.text


def test_a_bot_takes_the_seat_at_once(app: Flask, services: Services) -> None:
    match, ann, bob = two_player_match(app, game="tic_tac_toe")
    page = ask(ann, match, "hand_over", level="easy")
    assert "Easy bot plays" in page.text
    assert services.matches.repository.load(match).seats[0].level == "easy"
    assert bob.open(f"/matches/{match}").status == 200


def test_a_level_that_is_not_on_the_list_is_refused(app: Flask) -> None:
    match, ann, _ = two_player_match(app, game="tic_tac_toe")
    assert ask(ann, match, "hand_over", level="x").status == 400


def test_nobody_else_sees_the_form(app: Flask) -> None:
    match, _, _ = two_player_match(app, game="tic_tac_toe")
    assert "Hand a seat over" not in Visitor(app).named("Eve").open(f"/matches/{match}").text


def test_the_others_replace_who_has_vanished(app: Flask) -> None:
    with freeze_time(datetime(2026, 3, 28, 20, tzinfo=UTC)) as frozen:
        match, ann, bob = two_player_match(app, game="tic_tac_toe", clock="1d", expiry="bot_takes_over")
        assert all(
            "replace" not in form.buttons.get("what", ()) for form in bob.open(f"/matches/{match}").forms("/ask")
        )
        frozen.tick(timedelta(days=1))
        bob.open(f"/matches/{match}")
        ask(bob, match, "offer")  # anything that is done lets the expiry come first
        ask(bob, match, "keep")
        page = bob.open(f"/matches/{match}")
        assert "The time of cross was up." in page.text
        link = link_of(ask(bob, match, "replace", level=""))
        watched = ann.open(f"/matches/{match}")
        assert "The others look for somebody who takes cross over." in watched.text
        cid = Visitor(app).named("Cid")
        invitation = cid.open(link)
        assert "The others at this table look for somebody" in invitation.text
        assert "Your turn" in cid.send(invitation.form("/join/")).text
        assert "Cid takes cross over." in bob.open(f"/matches/{match}").text


def test_a_seat_that_is_not_on_the_list_cannot_be_replaced(app: Flask) -> None:
    match, ann, bob = two_player_match(app, game="tic_tac_toe", clock="1d")
    form = next(form for form in bob.open(f"/matches/{match}").forms("/ask") if "offer" in form.buttons["what"])
    for of, sentence in (("0", "Only who sits at seat 0"), ("7", "the seats 0 to 1"), ("", "a hand-over")):
        refused = bob.send(form, what="replace", of=of, level="")
        assert refused.status == 409
        assert sentence in refused.text
    assert ann.open(f"/matches/{match}").forms("/moves")
