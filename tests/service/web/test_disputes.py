"""Disputes and forks on the pages, without JavaScript."""

from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from flask import Flask
from freezegun import freeze_time

from domain.match.commands import Play, RecordVerdict
from domain.match.disputes import RULING_PERIOD
from service.bootstrap import Services
from service.disputes.statements import statement_digest
from service.matches.results import AUDITOR_AUTHOR, IdempotencyKey
from tests.service.web.visitors import Page, Visitor, match_id_of, two_player_match


@pytest.fixture
def judge(app: Flask, services: Services) -> Visitor:
    """An arbiter, appointed by the player id shown on the page."""
    visitor = Visitor(app).named("Judith")
    page = visitor.open("/disputes")
    services.accounts.arbiters.add(next(word for word in page.text.split() if word.startswith("p_")))
    return visitor


def mark_cells(match: str, *moves: tuple[Visitor, int]) -> None:
    for visitor, cell in moves:
        table = visitor.open(f"/matches/{match}")
        form = table.form("/moves")
        name = next(iter(form.choices))
        value = next(value for value in form.choices[name] if str(cell) in value)
        assert visitor.send(form, **{name: value}).status == 200


def raise_dispute(visitor: Visitor, match: str, ply: int = 5, claim: str = "That cell was taken.") -> Page:
    page = visitor.open(f"/matches/{match}/disputes?ply={ply}")
    return visitor.send(page.form("/disputes"), ply=str(ply), ground="move", claim=claim)


def record_verdict(services: Services, match: str, holds: bool = True) -> int:
    (dispute,) = (each for each in services.matches.repository.load(match).disputes if not each.has_verdict)
    command = RecordVerdict(dispute.number, holds, *(() if holds else ("moves", 5, "T2")))
    services.matches.commands.submit(match, command, IdempotencyKey(AUDITOR_AUTHOR, f"hear-{dispute.number}"))
    return dispute.number


def test_a_dispute_gets_a_verdict_and_a_rollback(app: Flask, services: Services, judge: Visitor) -> None:
    # given: two moves
    match, ann, bob = tic_tac_toe(app)
    mark_cells(match, (ann, 4), (bob, 0))
    # when: ann disputes the second
    page = raise_dispute(ann, match, 6, "I looked away.\nThen it was there.")
    # then: the page shows claim and evidence and reloads itself
    assert "I looked away." in page.text
    assert "The audit is running" in page.text
    assert any(tag.get("http-equiv") == "refresh" for tag in page.all("meta"))
    assert "Move 6 is disputed" in bob.open(f"/matches/{match}").text
    number = record_verdict(services, match)
    # and: everyone sees the verdict, and only the arbiter can rule
    path = f"/matches/{match}/disputes/{number}"
    assert "No fault found." in bob.open(path).text
    assert not any(tag.get("http-equiv") == "refresh" for tag in bob.open(path).all("meta"))
    assert bob.open(path).forms("/disputes") == []
    waiting = judge.open(path)
    done = judge.send(waiting.form("/disputes"), ruling="rolled_back", to_ply="5")
    assert "The match continues from an earlier move" in done.text
    table = bob.open(f"/matches/{match}")
    assert "no longer count" in table.text
    assert table.forms("/moves"), "it is bob's turn again"


def tic_tac_toe(app: Flask) -> tuple[str, Visitor, Visitor]:
    ann, bob = Visitor(app).named("Ann"), Visitor(app).named("Bob")
    room = ann.new_match("tic_tac_toe", seat0="me", seat1="friend")
    link = next(value["value"] for value in room.all("input") if "/join/" in value.get("value", ""))
    bob.send(bob.open(link).form("/join/"))
    return match_id_of(room), ann, bob


def test_a_failed_audit_is_shown_on_every_page_of_the_match(app: Flask, services: Services) -> None:
    match, ann, bob = tic_tac_toe(app)
    mark_cells(match, (ann, 4))
    raise_dispute(ann, match)
    number = record_verdict(services, match, holds=False)
    for path in ("", "/replay"):
        assert "An audit found a fault in this match" in bob.open(f"/matches/{match}{path}").text
    page = bob.open(f"/matches/{match}/disputes/{number}")
    assert "the effects of a move differ from the log, at move 5 rule T2" in page.text


def test_a_refused_dispute_keeps_the_input(app: Flask) -> None:
    match, ann, _ = tic_tac_toe(app)
    page = raise_dispute(ann, match, 4, "first")
    assert page.status == 200
    again = raise_dispute(ann, match, 4, "second words")
    assert again.status == 409
    assert "You have already disputed move 4" in again.text
    assert "second words" in again.text
    assert raise_dispute(ann, match, 3, "   ").status == 422


def test_outsiders_get_no_form_and_cannot_dispute(app: Flask, services: Services) -> None:
    match, ann, _ = tic_tac_toe(app)
    form = ann.open(f"/matches/{match}/disputes").form("/disputes")
    eve = Visitor(app).named("Eve")
    assert eve.open(f"/matches/{match}/disputes").forms("/disputes") == []
    token = eve.open("/name").form("/name").fields["csrf_token"]
    sent = eve.send(form, ply="4", ground="move", claim="mine", csrf_token=token)
    assert sent.status == 409
    assert "You aren't playing in this match" in sent.text
    assert services.disputes.statements.texts(match, [statement_digest("mine")]) == {statement_digest("mine"): None}


def test_open_disputes_are_listed_for_arbiters(app: Flask, services: Services, judge: Visitor, project: object) -> None:
    match, ann, _ = tic_tac_toe(app)
    raise_dispute(ann, match, 4)
    project()  # type: ignore[operator]
    page = judge.open("/disputes")
    assert match in page.text
    assert "You're an arbiter on this server" in page.text
    number = record_verdict(services, match)
    judge.send(judge.open(f"/matches/{match}/disputes/{number}").form("/disputes"), ruling="goes_on")
    project()  # type: ignore[operator]
    assert "There are no open disputes." in judge.open("/disputes").text


def test_suspended_audits_are_shown_only_to_arbiters(
    app: Flask, services: Services, judge: Visitor, project: Callable[[], None]
) -> None:
    match, ann, _ = tic_tac_toe(app)
    raise_dispute(ann, match, 4)
    project()
    services.runtime.job_failures.record_slow_audit(match)
    assert "take too long" not in judge.open("/disputes").text
    services.runtime.job_failures.record_slow_audit(match)
    assert "take too long" in judge.open("/disputes").text
    assert "take too long" not in ann.open("/disputes").text


def test_markup_in_a_claim_is_escaped(app: Flask) -> None:
    match, ann, bob = tic_tac_toe(app)
    page = raise_dispute(ann, match, 4, "<script>alert(1)</script>")
    assert "<script>alert" not in page.html
    assert "<script>alert" not in bob.open(f"/matches/{match}/disputes").html


def test_a_finished_match_can_be_forked(app: Flask) -> None:
    match, ann, bob = tic_tac_toe(app)
    mark_cells(match, (ann, 0), (bob, 3), (ann, 1), (bob, 4), (ann, 2))
    page = ann.open(f"/matches/{match}/replay?ply=7")
    form = ann.open(page.link("/fork").replace("&amp;", "&"))
    table = ann.send(form.form("/fork"), seat0="me", seat1="bot:greedy", luck="same")
    assert "move 7 of another match" in table.text
    assert match_id_of(table) != match
    assert table.reader.faults == []
    assert table.title
    refused = ann.send(ann.open(f"/matches/{match}/fork?ply=2").form("/fork"), seat0="me", seat1="bot:greedy")
    assert refused.status == 422
    assert "Choose another move" in refused.text


def test_a_fork_with_an_open_seat_waits_for_a_player(app: Flask) -> None:
    match, ann, bob = tic_tac_toe(app)
    mark_cells(match, (ann, 0), (bob, 3), (ann, 1), (bob, 4), (ann, 2))
    room = ann.send(ann.open(f"/matches/{match}/fork?ply=7").form("/fork"), seat0="me", seat1="friend")
    link = next(value["value"] for value in room.all("input") if "/join/" in value.get("value", ""))
    eve = Visitor(app).named("Eve")
    eve.send(eve.open(link).form("/join/"))
    assert "Your turn" in eve.open(f"/matches/{match_id_of(room)}").text


def test_a_dispute_page_says_until_when_arbiters_can_rule_and_then_how_the_server_ruled(
    app: Flask, services: Services
) -> None:
    with freeze_time(datetime(2026, 3, 1, 8, tzinfo=UTC)) as frozen:
        # given: a finished match with a dispute that the audit has heard
        match, _, bob = two_player_match(app, game="tic_tac_toe")
        ann_id = services.matches.repository.load(match).seats[0].player or ""
        services.matches.commands.submit(match, Play(0, {"type": "resign"}), IdempotencyKey(ann_id, "resign"))
        form = bob.open(f"/matches/{match}/disputes").form("/disputes")
        page = bob.send(form, claim="Really?", ground="other", ply="4")
        number = services.matches.repository.load(match).disputes[0].number
        verdict = RecordVerdict(number, True)
        services.matches.commands.submit(match, verdict, IdempotencyKey(AUDITOR_AUTHOR, "hear"))
        # then: everyone reads until when an arbiter can rule, and what happens then
        text = bob.open(page.path).text
        assert "An arbiter can decide until 15 March 2026, 08:00 UTC." in text
        assert "After that, the audit's verdict decides: the result stands." in text
        # when
        frozen.tick(RULING_PERIOD)
        services.matches.commands.close_unresolved_disputes(services.matches.repository.load(match))
    # then
    assert "The result is upheld . No arbiter ruled within 14 days" in bob.open(page.path).text
    assert "No arbiter ruled within 14 days, so the audit's verdict counts: the result is upheld." in (
        bob.open(f"/matches/{match}/replay").text + bob.open(f"/matches/{match}").text
    )
    answer = app.test_client().get(f"/api/v1/matches/{match}/disputes/{number}").json
    assert answer is not None
    assert answer["resolution"] == {"ruling": "stands", "to_ply": None, "arbiter": "", "cause": "no_ruling"}
