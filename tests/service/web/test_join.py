"""Joining by invite link and taking seats open to anyone."""

import pytest
from flask import Flask

from service.bootstrap import Services
from tests.service.web.visitors import Page, Visitor, match_id_of


def invitation(room: Page) -> str:
    """Return the invite link shown to the creator."""
    return next(field["value"] for field in room.all("input") if "/join/" in field.get("value", ""))


def test_a_friend_joins_by_link_and_the_match_starts(ann: Visitor, bob: Visitor) -> None:
    room = ann.new_match(seat1="friend")
    assert "Waiting for someone to play blue." in room.text
    table = bob.send(bob.open(invitation(room)).form("/join/"))
    assert match_id_of(table) == match_id_of(room)
    assert "Your turn: send your mice." in table.text


def test_the_invitation_page_sends_no_referrer_and_is_not_cached(ann: Visitor, bob: Visitor) -> None:
    headers = bob.open(invitation(ann.new_match(seat1="friend"))).headers
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["Cache-Control"] == "private, no-store"


def test_only_the_creator_sees_the_link(ann: Visitor, bob: Visitor) -> None:
    room = ann.new_match(seat1="friend")
    assert "/join/" not in bob.open(room.path).html


def test_a_used_link_says_that_the_seat_is_taken(ann: Visitor, bob: Visitor, app: Flask) -> None:
    link = invitation(ann.new_match(seat1="friend"))
    form = bob.open(link).form("/join/")
    bob.send(form)
    assert "This seat is taken" in Visitor(app).open(link).text
    late = Visitor(app)
    token = late.open("/").form("/play").fields["csrf_token"]
    page = late.send(form, csrf_token=token, key="3" * 32)
    assert page.status == 409
    assert "This seat is taken" in page.text


def test_a_double_click_takes_the_seat_once(ann: Visitor, bob: Visitor, services: Services) -> None:
    room = ann.new_match(seat1="friend")
    form = bob.open(invitation(room)).form("/join/")
    assert bob.post(form).status_code == 303
    assert bob.post(form).status_code == 303
    assert services.matches.repository.load(match_id_of(room)).status == "playing"


@pytest.mark.parametrize("change", ["x", "\N{SNOWMAN}", "seat", "match"])
def test_an_invalid_link_is_refused(ann: Visitor, bob: Visitor, change: str) -> None:
    link = invitation(ann.new_match(seat0="friend", seat1="friend"))
    other = match_id_of(ann.new_match(seat1="friend"))
    broken = {
        "seat": link.replace("/0/", "/1/"),
        "match": link.replace(link.split("/join/")[1][:18], other),
    }.get(change, link[:-1] + change)
    page = bob.open(broken)
    assert page.status == 404
    assert "This invite link is incomplete" in page.text


def test_a_private_seat_needs_its_invite_link(ann: Visitor, bob: Visitor, services: Services) -> None:
    open_room = ann.new_match(seat0="anyone", seat1="friend")
    form = bob.open(open_room.path).form("/seats/0")
    form.action = form.action.replace("/seats/0", "/seats/1")
    page = bob.send(form)
    assert page.status == 404
    assert services.matches.repository.load(match_id_of(open_room)).open_seats == (0, 1)


def test_the_slower_player_learns_that_the_seat_was_taken(ann: Visitor, bob: Visitor, app: Flask) -> None:
    room = ann.new_match(seat1="anyone")
    cid = Visitor(app)
    form = cid.open(room.path).form("/seats/1")
    bob.send(bob.open(room.path).form("/seats/1"))
    page = cid.send(form)
    assert page.status == 409
    assert "Someone else just took this seat." in page.text


def test_a_player_whom_the_creator_removed_learns_why_they_cannot_come_back(ann: Visitor, bob: Visitor) -> None:
    room = ann.new_match(seat0="anyone", seat1="anyone")
    joined = bob.send(bob.open(room.path).form("/seats/1"))
    ann.send(ann.open(room.path).form("/remove"))
    assert "The creator removes a player." in ann.open(room.path).text
    page = bob.send(bob.open(joined.path).form("/seats/1"))
    assert page.status == 409
    assert "The creator of this match has removed you. Pick another match." in page.text


def test_the_creator_can_play_against_themselves(ann: Visitor) -> None:
    link = invitation(ann.new_match(seat1="friend"))
    page = ann.open(link)
    assert "You're already in this match." in page.text
    assert "Your turn" in ann.send(page.form("/join/")).text
