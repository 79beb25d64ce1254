"""Handing over a seat on the pages, without JavaScript."""

from datetime import UTC, datetime, timedelta

from flask import Flask
from freezegun import freeze_time

from service.bootstrap import Services
from tests.service.web.test_table_requests import ask, mark_cell
from tests.service.web.visitors import Page, Visitor, two_player_match


def link_of(page: Page) -> str:
    return next(value["value"] for value in page.all("input") if "/join/" in value.get("value", ""))


def test_another_player_takes_over_a_seat_by_link(app: Flask) -> None:
    match, ann, bob = two_player_match(app, game="tic_tac_toe")
    page = ask(ann, match, "offer")
    link = link_of(page)
    assert "You are looking for someone to take over your seat." in page.text
    watched = bob.open(f"/matches/{match}")
    assert "Ann" in watched.text
    assert "is looking for someone to take over" in watched.text
    assert "/join/" not in watched.html
    cid = Visitor(app).named("Cid")
    invitation = cid.open(link)
    assert invitation.headers["Referrer-Policy"] == "no-referrer"
    assert "Ann is looking for someone to take over" in invitation.text
    assert "Your turn" in cid.send(invitation.form("/join/")).text
    seen = bob.open(f"/matches/{match}").text
    assert "Cid takes" in seen
    assert "a move was undone" not in seen
    assert mark_cell(cid, match, 4).status == 200
    assert ann.open(f"/matches/{match}").forms("/moves") == [], "the former player only watches"
    used = Visitor(app).named("Dora").open(link)
    assert "It has been used or withdrawn." in used.text


def test_a_link_withdrawn_while_its_page_is_open_is_refused(app: Flask) -> None:
    match, ann, _ = two_player_match(app, game="tic_tac_toe")
    link = link_of(ask(ann, match, "offer"))
    cid = Visitor(app).named("Cid")
    open_page = cid.open(link)
    assert "to take over your seat" not in ask(ann, match, "keep").text
    refused = cid.send(open_page.form("/join/"))
    assert refused.status == 409
    assert "It has been used or withdrawn." in refused.text
    assert "Your turn" in ann.open(f"/matches/{match}").text


def test_the_opponent_cannot_take_the_seat(app: Flask) -> None:
    match, ann, bob = two_player_match(app, game="tic_tac_toe")
    refused = bob.send(bob.open(link_of(ask(ann, match, "offer"))).form("/join/"))
    assert refused.status == 409
    assert "play or have played another one" in refused.text


def test_a_bot_takes_over_the_seat_immediately(app: Flask, services: Services) -> None:
    match, ann, bob = two_player_match(app, game="tic_tac_toe")
    page = ask(ann, match, "hand_over", level="easy")
    assert "Easy bot takes over" in page.text
    assert services.matches.repository.load(match).seats[0].level == "easy"
    assert bob.open(f"/matches/{match}").status == 200


def test_an_unknown_bot_level_is_refused(app: Flask) -> None:
    match, ann, _ = two_player_match(app, game="tic_tac_toe")
    assert ask(ann, match, "hand_over", level="x").status == 400


def test_spectators_do_not_see_the_form(app: Flask) -> None:
    match, _, _ = two_player_match(app, game="tic_tac_toe")
    assert "Hand over a seat" not in Visitor(app).named("Eve").open(f"/matches/{match}").text


def test_the_other_players_replace_a_player_who_timed_out(app: Flask) -> None:
    with freeze_time(datetime(2026, 3, 28, 20, tzinfo=UTC)) as frozen:
        match, ann, bob = two_player_match(app, game="tic_tac_toe", clock="1d", expiry="bot_takes_over")
        assert all(
            "replace" not in form.buttons.get("what", ()) for form in bob.open(f"/matches/{match}").forms("/ask")
        )
        frozen.tick(timedelta(days=1))
        bob.open(f"/matches/{match}")
        ask(bob, match, "offer")  # any command applies the timeout first
        ask(bob, match, "keep")
        page = bob.open(f"/matches/{match}")
        assert "Cross ran out of time." in page.text
        link = link_of(ask(bob, match, "replace", level=""))
        watched = ann.open(f"/matches/{match}")
        assert "The other players are looking for someone to take over cross." in watched.text
        cid = Visitor(app).named("Cid")
        invitation = cid.open(link)
        assert "The other players are looking for someone" in invitation.text
        assert "Your turn" in cid.send(invitation.form("/join/")).text
        assert "Cid takes over cross." in bob.open(f"/matches/{match}").text


def test_an_invalid_seat_cannot_be_replaced(app: Flask) -> None:
    match, ann, bob = two_player_match(app, game="tic_tac_toe", clock="1d")
    form = next(form for form in bob.open(f"/matches/{match}").forms("/ask") if "offer" in form.buttons["what"])
    for of, status, sentence in (
        ("0", 409, "This seat has not run out of time"),
        ("7", 409, "has seats 0 to 1"),
        ("", 400, "This form is incomplete"),
    ):
        refused = bob.send(form, what="replace", of=of, level="")
        assert refused.status == status
        assert sentence in refused.text
    assert ann.open(f"/matches/{match}").forms("/moves")
