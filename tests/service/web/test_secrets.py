"""Pages reveal only what their reader may know."""

import re

import pytest
from flask import Flask

from domain.games.mice_cake.rules.facts import CakeLaid, MiceAssigned
from domain.games.mice_cake.rules.moves import AssignMice
from domain.games.mice_cake.rules.parts import Columns
from domain.kernel.event_codec import read_event
from domain.kernel.game import Seat
from domain.match.commands import Play
from service.bootstrap import Services
from service.matches.results import IdempotencyKey, bot_author
from tests.service.web.visitors import Visitor, two_player_match

SEED = "c0ffee"
RANDOM_PARTS = (
    r'value="[^"]{20,}"',  # tokens, keys and links
    r"[0-9a-f]{64}",  # hashes
    r"[0-6][0-9][a-z2-7]{16}",  # match ids
    r"p_[0-9a-f]{16}",  # players
    r"<time[^>]*>[^<]*</time>",
    r"(?<=\bYou play as </span>)[^<]*",
)
PAGES = ("", "?seat=1", "/replay", "/replay?ply=4", "/replay?ply=5", "/replay?ply=5&fact=1", "/replay?as=spectator")


@pytest.fixture
def worlds(app: Flask, services: Services) -> list[tuple[str, Visitor, Visitor]]:
    """Two matches with the same cake in which yellow has sent its mice to different columns."""
    made = []
    for mice in (Columns(A=4), Columns(B=1, C=1, D=2)):
        match, ann, bob = two_player_match(app, seed=SEED)
        ann.send(ann.open(f"/matches/{match}").form("/moves"), **{c: str(mice.of(c)) for c in ("A", "B", "C", "D")})
        assert services.matches.repository.load(match).state.pending.yellow.columns == mice
        made.append((match, ann, bob))
    return made


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("reader", ["opponent", "stranger"])
def test_pages_do_not_depend_on_a_secret_assignment(
    app: Flask, worlds: list[tuple[str, Visitor, Visitor]], page: str, reader: str
) -> None:
    seen = []
    for match, _, bob in worlds:
        visitor = bob if reader == "opponent" else Visitor(app)
        shown = visitor.open(f"/matches/{match}{page}")
        assert shown.status == 200
        seen.append(without_random_parts(shown.html))
    assert "yellow sends its mice" in seen[0]
    assert seen[0] == seen[1]


def without_random_parts(html: str) -> str:
    """Return the page without the parts that differ between any two matches."""
    for pattern in RANDOM_PARTS:
        html = re.sub(pattern, "…", html)
    return html


def test_refusals_do_not_depend_on_the_secret_assignment(worlds: list[tuple[str, Visitor, Visitor]]) -> None:
    seen = []
    for match, _, bob in worlds:
        form = bob.open(f"/matches/{match}").form("/moves")
        seen.append(without_random_parts(bob.send(form, A="3").html))
    assert seen[0] == seen[1]


def test_the_comparison_detects_a_leak(worlds: list[tuple[str, Visitor, Visitor]]) -> None:
    first, second = (without_random_parts(ann.open(f"/matches/{match}").html) for match, ann, _ in worlds)
    assert first != second


def test_face_down_pieces_are_not_on_the_pages(app: Flask, services: Services) -> None:
    match, ann, bob = two_player_match(app)
    hidden = {cell.at: cell.piece for cell in cake_in_log(services, match).cells if not cell.up}
    for visitor in (ann, bob, Visitor(app)):
        for page in ("", "/replay?ply=4"):
            html = visitor.open(f"/matches/{match}{page}").html
            faces = dict(re.findall(r'data-piece="slice-([A-D][1-7])" data-face="(\d-\d|iced)"', html))
            assert len(faces) == 28, "the pattern must match the board's markup"
            assert {at for at, face in faces.items() if face == "iced"} == hidden.keys()


def cake_in_log(services: Services, match: str) -> CakeLaid:
    """Return the cake as stored in the log."""
    game = services.matches.repository.load(match).rules
    facts = (fact for line in services.matches.repository.log_lines(match) for fact in read_event(line, game).facts)
    return next(fact for fact in facts if isinstance(fact, CakeLaid))


def test_the_public_file_of_a_running_match_contains_no_secret(app: Flask, services: Services) -> None:
    match, ann, bob = two_player_match(app)
    form = ann.open(f"/matches/{match}").form("/moves")
    ann.send(form, A="4")
    raw = bob.open(f"/matches/{match}/replay/file").html
    assert '"columns":{"A":4' not in raw
    assert cake_in_log(services, match).cells[4].piece is not None
    assert services.log.seed(match).hex() not in raw


def test_another_seats_view_is_refused_while_the_match_runs(app: Flask) -> None:
    match, ann, _ = two_player_match(app)
    for other in ("1", "everything"):
        assert ann.open(f"/matches/{match}/replay?as={other}").status in (400, 403)
    assert ann.open(f"/matches/{match}/replay?as=0").status == 200


def test_a_replay_shows_what_each_seat_saw_at_the_time(app: Flask, services: Services) -> None:
    match, ann, bob = two_player_match(app, seed=SEED)
    ann.send(ann.open(f"/matches/{match}").form("/moves"), A="4")
    bob.send(bob.open(f"/matches/{match}").form("/moves"), do="resign")
    ply = ply_of(services, match, 0)
    assert "yellow sends its mice (A 4)" in replay_text(bob, match, ply, "everything")
    assert "yellow sends its mice (A 4)" in replay_text(bob, match, ply, "0")
    assert "yellow sends its mice." in replay_text(bob, match, ply, "1")
    assert "yellow sends its mice." in replay_text(bob, match, ply, "spectator")


def ply_of(services: Services, match: str, seat: Seat) -> int:
    """Return the ply of the seat's first assignment."""
    head = services.matches.repository.load(match)
    return next(
        event.ply
        for event in services.matches.repository.visible_events(head, seat)
        if event.seat == seat and any(isinstance(fact, MiceAssigned) for fact in event.facts)
    )


def replay_text(visitor: Visitor, match: str, ply: int, look: str) -> str:
    """Return the replay's text for a ply, without the list of all plies."""
    html = visitor.open(f"/matches/{match}/replay?ply={ply}&as={look}").html
    found = re.search(r'id="told">(.*?)</div>', html, re.S)
    assert found
    return found[1]


def test_a_bots_secret_move_is_not_shown_to_its_opponent(app: Flask, services: Services) -> None:
    ann = Visitor(app)
    table = ann.send(ann.open("/").form("/play"), press="greedy")
    match = table.path.rsplit("/", 1)[1]
    move = {"type": "assign_mice", "columns": {"A": 0, "B": 0, "C": 0, "D": 4}}
    legal = services.matches.repository.load(match).rules.legal_moves(services.matches.repository.load(match).state, 1)
    if AssignMice(Columns(D=4)) not in list(legal):
        pytest.skip("column D is closed to blue in this deal")
    services.matches.commands.submit(match, Play(1, move), IdempotencyKey(bot_author(match, 1), "x"))
    page = ann.open(f"/matches/{match}")
    assert "blue sends its mice." in page.text
    assert "(D 4)" not in page.text
