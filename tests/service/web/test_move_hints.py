"""Hints: only in matches against bots, only for the current ply, and only from what the seat sees."""

import re

import msgspec
import pytest
from flask import Flask

from domain.kernel.chance import Fast
from domain.kernel.registry import games
from domain.match.commands import Play
from service.bootstrap import Services
from service.matches.results import IdempotencyKey
from service.web.move_hints import greedy_hint
from tests.service.web.visitors import Page, Visitor, match_id_of, two_player_match

GAMES = sorted(games())


def request_hint(ann: Visitor, page: Page) -> Page:
    """Follow the link that asks for a hint."""
    return ann.open(page.link("hint=").partition("#")[0])


@pytest.mark.parametrize("game", GAMES)
def test_a_hint_describes_the_greedy_move_and_changes_nothing(app: Flask, services: Services, game: str) -> None:
    ann = Visitor(app).named("Ann")
    page = ann.new_match(game, seed="c0ffee", seat1="bot:greedy")
    head = services.matches.repository.load(match_id_of(page))
    if 0 not in head.to_move:
        assert "hint=" not in page.html
        return
    shown = request_hint(ann, page)
    assert not shown.reader.faults
    assert "What the greedy bot would do" in shown.text
    assert greedy_hint(services.matches.commands, head, 0)[0] in shown.text
    assert services.matches.repository.load(head.id) == head
    assert request_hint(ann, page).text == shown.text


def test_a_hint_says_which_card_to_turn_over(app: Flask, services: Services) -> None:
    """Nothing about a face-down card is certain, so the hint can only name the move."""
    match, _, _ = two_player_match(app, game="battle_of_the_bakeries", seed="c0ffee")
    hints: list[str] = []
    for turn in range(20):
        head = services.matches.repository.load(match)
        seat = min(head.to_move)
        hints += greedy_hint(services.matches.commands, head, seat)[:1]
        legal = head.rules.legal_moves(head.state, seat)
        move = head.rules.greedy(head.rules.view(head.state, seat), seat, legal, Fast(turn))
        services.matches.commands.submit(
            match, Play(seat, msgspec.to_builtins(move)), IdempotencyKey(head.seats[seat].player or "", f"{turn}")
        )
    turned = [hint for hint in hints if "row" in hint]
    assert turned
    assert all(re.fullmatch(r"Turn over the card in row [1-6], column [1-5]\.", hint) for hint in turned)
    assert not [hint for hint in hints if hint.startswith("Flip")]


def test_a_hint_does_not_depend_on_hidden_information(app: Flask, services: Services) -> None:
    head = services.matches.repository.load(
        match_id_of(Visitor(app).named("Ann").new_match(seed="c0ffee", seat1="bot:greedy"))
    )
    facts = [fact for event in services.matches.repository.visible_events(head, 0) for fact in event.facts]
    for world in range(4):
        other = head.rules.determinize(head.rules.view(head.state, 0), facts, 0, Fast(world))
        assert greedy_hint(services.matches.commands, msgspec.structs.replace(head, state=other), 0) == greedy_hint(
            services.matches.commands, head, 0
        )


def test_there_are_no_hints_against_people(app: Flask) -> None:
    match, ann, bob = two_player_match(app)
    for visitor in (ann, bob):
        page = visitor.open(f"/matches/{match}?hint=5")
        assert "hint=" not in page.html
        assert "What the greedy bot would do" not in page.text


def test_spectators_and_other_plies_get_no_hint(app: Flask, services: Services) -> None:
    ann = Visitor(app).named("Ann")
    page = ann.new_match(seed="c0ffee", seat1="bot:greedy")
    link, ply = page.link("hint=").partition("#")[0], services.matches.repository.load(match_id_of(page)).ply
    assert "What the greedy bot would do" not in Visitor(app).open(link).text
    assert "What the greedy bot would do" not in ann.open(link.replace(f"hint={ply}", f"hint={ply - 1}")).text
    assert "What the greedy bot would do" in ann.open(link).text
