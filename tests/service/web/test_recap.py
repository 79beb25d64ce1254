"""The recap since your last move, on the match page of every game and in the lobby."""

import re
from collections.abc import Callable

import msgspec
import pytest
from flask import Flask

from domain.kernel.chance import Fast
from domain.kernel.events import Moved
from domain.kernel.registry import games
from domain.match.commands import Play
from service.bootstrap import Services
from service.matches.results import IdempotencyKey
from tests.service.web.visitors import Page, Visitor, two_player_match


def mark(visitor: Visitor, match: str, cell: int) -> Page:
    form = visitor.open(f"/matches/{match}").form("/moves")
    return visitor.send(form, move=f'{{"type":"mark","cell":{cell}}}')


def recap(page: Page) -> str:
    found = re.search(r'id="recap".*?</section>', page.html, re.DOTALL)
    return re.sub(r"<[^>]+>|\s+", " ", found[0]) if found else ""


def test_the_recap_shows_the_opponents_move_but_not_undone_moves(app: Flask) -> None:
    """Ann's page shows Bob's move. After he undoes it with her consent and makes another one, it shows only that."""
    match, ann, bob = two_player_match(app, game="tic_tac_toe")
    assert recap(ann.open(f"/matches/{match}")) != ""  # the start
    mark(ann, match, 4)
    assert recap(ann.open(f"/matches/{match}")) == ""
    mark(bob, match, 0)
    assert "top left" in recap(ann.open(f"/matches/{match}"))
    bob.send(bob.open(f"/matches/{match}").form("/ask"), press="takeback")
    ann.send(ann.open(f"/matches/{match}").form("/ask"), press="agree")
    mark(bob, match, 8)
    shown = recap(ann.open(f"/matches/{match}"))
    assert "bottom right" in shown
    assert "top left" not in shown


def test_the_lobby_shows_the_recap_and_counts_waiting_matches(app: Flask, project: Callable[[], None]) -> None:
    match, ann, bob = two_player_match(app, game="tic_tac_toe")
    mark(ann, match, 4)
    mark(bob, match, 0)
    project()
    lobby = ann.open("/")
    assert lobby.title.startswith("● 1 waiting")
    row = re.search(rf'<a class="match-row waits" href="/matches/{match}">.*?</a>', lobby.html, re.DOTALL)
    assert row is not None
    assert "top left" in row[0]
    assert ann.open(f"/matches/{match}").title.startswith("● Your turn")
    assert "●" not in bob.open("/").title


@pytest.mark.parametrize("slug", [game.slug for game in games().values()])
def test_every_game_has_a_recap_on_the_readers_next_turn(app: Flask, services: Services, slug: str) -> None:
    """Once all have moved and it is the first player's turn again, the page shows what happened."""
    match, ann, _ = two_player_match(app, game=slug)
    while not has_turn_again(services, match):
        head = services.matches.repository.load(match)
        assert head.status == "playing"
        seat = min(head.to_move)
        view, legal = head.rules.view(head.state, seat), head.rules.legal_moves(head.state, seat)
        move = msgspec.to_builtins(head.rules.greedy(view, seat, legal, Fast(f"{head.ply}")))
        services.matches.commands.submit(
            match, Play(seat, move), IdempotencyKey(head.seats[seat].player or "", f"{head.ply}")
        )
    page = ann.open(f"/matches/{match}")
    assert 'id="recap"' in page.html
    assert page.title.startswith("● Your turn")


def has_turn_again(services: Services, match: str) -> bool:
    """Return whether everyone has moved and it is seat 0's turn again."""
    head = services.matches.repository.load(match)
    moved = {event.seat for event in services.matches.repository.visible_events(head, None) if isinstance(event, Moved)}
    return 0 in head.to_move and len(moved) == len(head.seats)
