"""Time limits, pauses, extra time, takebacks and rematches on the pages, without JavaScript."""

import threading
from collections.abc import Callable

import pytest
from flask import Flask

from service.bootstrap import Services
from service.matches.rematches import Rematches
from tests.service.web.visitors import Page, Visitor, match_id_of, two_player_match


def timed_match(app: Flask, **fields: str) -> tuple[str, Visitor, Visitor]:
    return two_player_match(app, game="tic_tac_toe", clock="1d", **fields)


def mark_cell(visitor: Visitor, match: str, cell: int) -> Page:
    form = visitor.open(f"/matches/{match}").form("/moves")
    name = next(iter(form.choices))
    return visitor.send(form, **{name: next(value for value in form.choices[name] if str(cell) in value)})


def ask(visitor: Visitor, match: str, what: str, **fields: str) -> Page:
    page = visitor.open(f"/matches/{match}")
    form = next(form for form in page.forms("/ask") if what in form.buttons.get("what", ()))
    return visitor.send(form, press=what, **fields)


def test_the_table_shows_the_deadline(app: Flask) -> None:
    match, _, bob = timed_match(app, expiry="resigns")
    page = bob.open(f"/matches/{match}")
    assert "until" in page.text
    assert "1 day per move; if time runs out, the player resigns" in page.text
    assert [time["class"] for time in page.all("time") if "moment" in time.get("class", "")] == ["moment"]


def test_without_a_clock_no_deadline_is_shown(app: Flask) -> None:
    match, ann, _ = two_player_match(app, game="tic_tac_toe")
    page = ann.open(f"/matches/{match}")
    assert "until" not in page.text
    assert [form.buttons["what"] for form in page.forms("/ask")] == [["offer"], ["hand_over"], ["abort"]]


@pytest.mark.parametrize("field", ["clock", "expiry"])
def test_an_unknown_clock_or_expiry_is_refused(app: Flask, ann: Visitor, field: str) -> None:
    page = ann.new_match("tic_tac_toe", **{"clock": "1d", field: "forever"})
    assert page.status == 422
    assert "from the list" in page.text


def test_a_pause_starts_once_the_opponent_agrees(app: Flask) -> None:
    match, ann, bob = timed_match(app)
    assert "You ask for a pause." in ask(ann, match, "pause").text
    page = bob.open(f"/matches/{match}")
    assert page.title.startswith("● Your answer is needed")
    assert "Ann" in page.text
    assert "asks for a pause." in page.text
    agreed = ask(bob, match, "agree")
    assert "The match is paused. All clocks are stopped." in agreed.text
    assert "until" not in agreed.text
    assert "until" in ask(ann, match, "resume").text


def test_extra_time_can_be_declined(app: Flask) -> None:
    match, ann, bob = timed_match(app)
    ask(ann, match, "extend", seconds="86400")
    assert "for 1 day of extra time" in bob.open(f"/matches/{match}").text
    assert "Nought declines the request for 1 day of extra time." in ask(bob, match, "decline").text


def test_your_own_request_is_withdrawn_and_not_declined(app: Flask, project: Callable[[], None]) -> None:
    """History, recap and replay say so, even where they don't show the request itself."""
    match, ann, bob = timed_match(app)
    withdrawn = "Cross withdraws the request for a pause."
    mark_cell(ann, match, 4)
    ask(ann, match, "pause")  # before Bob's last move, so his recap begins after it
    mark_cell(bob, match, 0)
    page = ask(ann, match, "decline")
    assert withdrawn in page.text
    assert "declines" not in page.text
    mark_cell(ann, match, 8)
    project()
    assert withdrawn in bob.open("/").text
    assert withdrawn in bob.open(f"/matches/{match}").text.partition("Since your last move")[2]
    assert withdrawn in bob.open(f"/matches/{match}/replay").text


def test_an_agreement_says_what_was_agreed(app: Flask) -> None:
    match, ann, bob = timed_match(app)
    mark_cell(ann, match, 4)
    ask(ann, match, "takeback")
    assert "Nought accepts the request to undo everything after move 4." in ask(bob, match, "agree").text


def test_a_request_can_be_withdrawn_and_spectators_cannot_answer(app: Flask) -> None:
    match, ann, bob = timed_match(app)
    eve = Visitor(app).named("Eve")
    ask(ann, match, "pause")
    assert eve.open(f"/matches/{match}").forms("/ask") == []
    form = bob.open(f"/matches/{match}").form("/ask")
    stolen = eve.open("/name").form("/name").fields["csrf_token"]
    assert eve.post(form, press="agree", csrf_token=stolen).status_code == 403
    assert "paused" not in ask(ann, match, "decline").text


def test_a_move_is_undone_by_consent_and_stays_in_the_history(app: Flask) -> None:
    match, ann, bob = timed_match(app)
    mark_cell(ann, match, 4)
    ask(ann, match, "takeback")
    page = ask(bob, match, "agree")
    assert "undoes a move" in page.text
    assert "undone" in page.text
    assert any(tag.get("class") == "undone" for tag in page.all("li"))
    assert ann.open(f"/matches/{match}").forms("/moves")
    assert mark_cell(ann, match, 0).status == 200


def test_a_secret_choice_is_undone_without_asking(app: Flask) -> None:
    match, ann, bob = two_player_match(app, seed="c0ffee")  # a cake with every column open
    sent = ann.send(ann.open(f"/matches/{match}").form("/moves"), A="2", B="2")
    assert "You sent your mice" in sent.text
    page = ask(ann, match, "takeback")
    assert "Your turn" in page.text
    assert "undoes a move" in bob.open(f"/matches/{match}").text


def test_undoing_a_move_against_a_bot_takes_effect_immediately(ann: Visitor) -> None:
    page = ann.new_match("tic_tac_toe", seat0="me", seat1="bot:random")
    match = match_id_of(page)
    mark_cell(ann, match, 4)
    assert "there is nobody to ask" in ann.open(f"/matches/{match}").text
    assert "undoes a move" in ask(ann, match, "takeback").text


# -- lists and rematches ------------------------------------------------------------------------------------------


def resign(visitor: Visitor, match: str) -> Page:
    page = visitor.open(f"/matches/{match}")
    return visitor.send(next(form for form in page.forms("/moves") if form.fields.get("do") == "resign"))


def test_waiting_matches_are_sorted_by_deadline_and_show_the_time_left(
    ann: Visitor, project: Callable[[], None]
) -> None:
    ann.named("Ann")
    first = match_id_of(ann.new_match("tic_tac_toe", seat0="me", seat1="bot:random"))
    slow = match_id_of(ann.new_match("tic_tac_toe", seat0="me", seat1="bot:random", clock="7d"))
    soon = match_id_of(ann.new_match("tic_tac_toe", seat0="me", seat1="bot:random", clock="12h"))
    project()
    page = ann.open("/")
    listed = [link.rpartition("/")[2] for link in page.reader.links if link.startswith("/matches/")]
    assert listed[:3] == [soon, slow, first]
    assert page.title.startswith("● 3 waiting")
    assert "in 11 hours" in page.text


def test_a_request_is_listed_as_waiting_for_the_player_asked(app: Flask, project: Callable[[], None]) -> None:
    match, ann, bob = timed_match(app)
    ask(ann, match, "pause")
    project()
    assert bob.open("/").title.startswith("● 1 waiting")


def test_a_rematch_is_created_once_with_rotated_seats(app: Flask, services: Services) -> None:
    match, ann, bob = timed_match(app)
    resign(ann, match)
    page = ann.open(f"/matches/{match}")
    first = match_id_of(ann.send(page.form("/rematch")))
    assert match_id_of(ann.send(page.form("/rematch"))) == first  # a double click
    page = bob.open(f"/matches/{match}")
    assert "Go to the rematch" in page.text
    assert match_id_of(bob.send(page.form("/rematch"))) == first
    old, new = services.matches.repository.load(match), services.matches.repository.load(first)
    assert [seat.player for seat in new.seats] == [seat.player for seat in reversed(old.seats)]
    assert (new.status, new.time_control, new.options) == ("playing", old.time_control, old.options)


def test_simultaneous_clicks_create_one_rematch(
    app: Flask, services: Services, project: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bob clicks after Ann's request has found no rematch and before it creates one. Both join the same match."""
    match, ann, bob = timed_match(app)
    resign(ann, match)
    anns, bobs = (each.open(f"/matches/{match}").form("/rematch") for each in (ann, bob))
    find_rematch = Rematches.rematch_of
    tables: list[str] = []

    def bob_clicks_first(rematches: Rematches, of: str) -> str | None:
        found = find_rematch(rematches, of)
        monkeypatch.undo()
        click = threading.Thread(target=lambda: tables.append(match_id_of(bob.send(bobs))))  # in its own context
        click.start(), click.join()
        return found

    monkeypatch.setattr(Rematches, "rematch_of", bob_clicks_first)
    tables.append(match_id_of(ann.send(anns)))
    project()
    assert len(set(tables)) == 1
    assert {row.id for row in services.read_models.lists.list_matches().rows} == {match, tables[0]}
    again = services.matches.repository.load(tables[0])
    assert (again.status, len({seat.player for seat in again.seats})) == ("playing", 2)


def test_only_the_players_can_start_a_rematch(app: Flask) -> None:
    match, ann, _ = timed_match(app)
    resign(ann, match)
    form = ann.open(f"/matches/{match}").form("/rematch")
    eve = Visitor(app).named("Eve")
    assert eve.open(f"/matches/{match}").forms("/rematch") == []
    mine = eve.open("/name").form("/name").fields["csrf_token"]
    assert eve.post(form, csrf_token=mine).status_code == 403
