"""The boards of all games that are built from pieces, in the positions of the golden replays and for every reader."""

from collections import Counter
from collections.abc import Container, Iterator, Sequence
from html.parser import HTMLParser
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec
import pytest
from flask import Flask

from domain.kernel.events import AnyEvent, Moved
from domain.kernel.game import AnyGame
from domain.kernel.registry import games
from domain.kernel.table import Table
from domain.match.state import AnyMatch
from replays.file import read_replay
from replays.playback import playback
from replays.redaction import EVERYTHING
from replays.replay import Replay
from service.web.frames import Camera, take_frames
from service.web.game_files import find_table
from service.web.table_board import TablePlayer
from tests.builders import greedy_agent, play_match

GOLDENS = Path(__file__).parents[2] / "golden"
SILENT: dict[str, frozenset[str]] = {
    "mice_cake": frozenset({"mice_boosted", "seat_resigned"}),  # the caption tells them
}
"""Kinds of facts that change nothing on the board, by game."""
DRAWN = [game for slug, game in games().items() if find_table(slug).board_template]
every_drawn_game = pytest.mark.parametrize("game", DRAWN, ids=lambda game: game.slug)

Signature = tuple[tuple[str, ...], ...]
"""What can be seen of pieces and counts: their ids, faces and places, and the numbers."""


class BoardParser(HTMLParser):
    """Collects the pieces and counts of a board, each with the elements around it."""

    def __init__(self) -> None:
        super().__init__()
        self.pieces: list[str] = []
        self.seen: list[tuple[str, ...]] = []
        self._open: list[str] = []
        self._count = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        place = "/".join(self._open)
        if piece := given.get("data-piece"):
            self.pieces.append(piece)
            self.seen.append((piece, given.get("data-face", ""), given.get("class", ""), place))
        self._count = given.get("data-count", "")
        if tag not in {"use", "img", "input", "br", "path"}:
            self._open.append(f"{tag}.{given.get('class', '')}#{given.get('data-piece', given.get('data-column', ''))}")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        if self._open and self._open[-1].startswith(f"{tag}."):
            self._open.pop()

    def handle_data(self, data: str) -> None:
        if self._count and data.strip():
            self.seen.append(("count", self._count, data.strip()))
            self._count = ""


def read_board(board: str) -> BoardParser:
    """Return the pieces and counts of a board."""
    parser = BoardParser()
    parser.feed(board)
    return parser


def matches_of(game: AnyGame) -> Iterator[Replay]:
    """Yield the golden matches under the newest rules, and one match with each number of seats."""
    for path in sorted((GOLDENS / game.slug).glob(f"v{game.rules_version}-*.crumb.ndjson")):
        yield Replay(tuple(read_replay(path.read_bytes()).events))
    for seats in game.seat_counts:
        yield Replay(tuple(play_match(game, seats=seats, options={}, agent=greedy_agent, seed=seats, moves=1)))


def players(replay: Replay, how: Table) -> list[TablePlayer]:
    """Return the players of a match, without a database."""
    names = replay.game.seat_names(len(replay.created.seats))
    return [
        TablePlayer(n, f"Player {n}", f"Player {n}", name, False, False, 1, "avatar-robot")
        for n, name in enumerate(names)
    ]


def one_by_one(facts: Sequence[Any]) -> list[list[Any]]:
    """Return each fact as a beat of its own."""
    return [[fact] for fact in facts]


def boards_around(game: AnyGame, replay: Replay, known: Container[str]) -> Iterator[tuple[str, str, str]]:
    """Yield the kind of each fact of a move that is not in `known`, with the boards before and after it."""
    how = find_table(game.slug)
    camera = Camera(replay.last, EVERYTHING, how, players(replay, how))
    seen: list[AnyEvent] = []
    before: tuple[AnyMatch, list[AnyEvent]] | None = None
    for beat in playback(replay, replay.last, 1, len(replay.events), EVERYTHING, one_by_one, 10_000):
        events = [*[event for event in seen if event.ply < beat.event.ply], beat.event]
        kind = kind_of(beat.facts[-1]) if beat.facts else ""
        if before and isinstance(beat.event, Moved) and kind and kind not in known:
            yield kind, camera.board(*before) or "", camera.board(beat.match, events) or ""
        before, seen = (beat.match, events), events


def kind_of(fact: Any) -> str:
    """Return the kind of a fact."""
    return str(msgspec.to_builtins(fact)["type"])


@every_drawn_game
@pytest.mark.parametrize("most", [1, pytest.param(99, marks=pytest.mark.full)])
def test_every_piece_on_a_board_has_an_id_of_its_own(app: Flask, game: AnyGame, most: int) -> None:
    """For every reader, at plies spread over the golden matches."""
    how = find_table(game.slug)
    checked = 0
    with app.test_request_context("/"):
        for replay in islice(matches_of(game), most):
            seen = list(replay.events)
            for match in list(replay.matches())[:: max(1, len(seen) // 25)]:
                for seat in (*range(len(match.seats)), None):
                    drawn = Camera(match, seat, how, players(replay, how)).board(match, seen[: match.ply])
                    pieces = read_board(drawn).pieces if drawn else []
                    repeated = [piece for piece, count in Counter(pieces).items() if count > 1]
                    assert repeated == [], (match.ply, seat)
                    checked += bool(pieces)
    assert checked > 20


@pytest.mark.full
@every_drawn_game
def test_every_kind_of_fact_changes_a_piece_or_a_count(app: Flask, game: AnyGame) -> None:
    """Kinds of facts in moves that never change anything on the board are those named in `SILENT`."""
    met: set[str] = set()
    moving: set[str] = set()
    with app.test_request_context("/"):
        for replay in matches_of(game):
            for kind, before, after in boards_around(game, replay, moving):
                met.add(kind)
                if read_board(before).seen != read_board(after).seen:
                    moving.add(kind)
    assert met - moving == SILENT.get(game.slug, frozenset())


@every_drawn_game
def test_the_beats_of_a_game_end_on_the_same_board_as_its_facts(app: Flask, game: AnyGame) -> None:
    """Beats may put facts in another order. The position after a move is the same."""
    how = find_table(game.slug)
    with app.test_request_context("/"):
        replay = next(matches_of(game))
        plain = how._replace(beats=None)
        for event in [event for event in replay.events if isinstance(event, Moved)][:12]:
            boards = []
            for table in (how, plain):
                span = (event.ply, event.ply)
                taken = take_frames(replay.last, replay.events, span, None, table, players(replay, how), lambda e: [])
                boards.append([frame.board for frame in taken.frames if frame.board][-1:])
            assert boards[0] == boards[1], event.ply


def test_the_parser_notices_a_piece_that_moves() -> None:
    here = read_board('<div class="a"><i data-piece="p"></i></div><div class="b"></div>')
    there = read_board('<div class="a"></div><div class="b"><i data-piece="p"></i></div>')
    assert here.seen != there.seen
