"""The end of a match on its page: verdict, reason, places, and the move that decided it."""

import pytest
from flask import Flask

from domain.kernel.game import Outcome
from domain.kernel.registry import games
from service.web.endings import lead_of, ranked_places, verdict
from service.web.game_files import find_table
from service.web.table_board import TablePlayer
from tests.service.web.visitors import Visitor, two_player_match

NAMES = ("Ann", "Bob", "Cid")


def players(you: int | None) -> list[TablePlayer]:
    """Return three players, one of them perhaps the reader."""
    return [
        TablePlayer(seat, "You" if seat == you else name, name, f"seat {seat + 1}", seat == you, False, seat + 1, "")
        for seat, name in enumerate(NAMES)
    ]


@pytest.mark.parametrize(
    ("winners", "you", "words"),
    [
        ((0,), 0, "You win!"),
        ((0,), 1, "Ann wins"),
        ((0,), None, "Ann wins"),
        ((0, 1), None, "Ann and Bob win"),
        ((0, 1), 1, "You and Ann win!"),
        ((), 0, "A draw"),
    ],
)
def test_the_verdict_names_the_winners(winners: tuple[int, ...], you: int | None, words: str) -> None:
    outcome = Outcome("done", winners, (1, 2, 3), (1, 1, 1))
    assert verdict(outcome, players(you), you) == words


def test_places_are_ranked_with_the_results_in_the_words_of_the_game() -> None:
    outcome = Outcome("third_pie", (2,), (None, 9, 14), (3, 2, 1))
    places = ranked_places(outcome, find_table("pie_contest"), players(0))
    assert [(each.rank, each.player.name, each.result) for each in places] == [
        (1, "Cid", "Pie 14"),
        (2, "Bob", "Pie 9"),
        (3, "You", "no Pie"),
    ]


def test_a_lead_counts_no_score_as_nothing() -> None:
    assert lead_of(0, (5, None, 3)) == 2
    assert lead_of(1, (5, None, 3)) == -5


@pytest.mark.parametrize("slug", [slug for slug in games() if find_table(slug).outcome_text])
def test_every_game_words_every_score(slug: str) -> None:
    words = find_table(slug).outcome_text
    assert words is not None
    said = {words(Outcome("done", (0,), (score, 0), (1, 2)), 0) for score in (None, 0, 1, 1234)}
    assert len(said) == 4
    assert all(each and "None" not in each for each in said)


def test_the_end_shows_both_readers_their_own_verdict(app: Flask) -> None:
    """Given a match that Ann resigns, then Bob reads that he wins, and Ann that Bob wins, with names and no seats."""
    match, ann, bob = two_player_match(app)
    ann.send(ann.open(f"/matches/{match}").form("/moves"), do="resign")
    theirs, mine = bob.open(f"/matches/{match}"), ann.open(f"/matches/{match}")
    assert "You win!" in theirs.text
    assert "Bob wins" in mine.text
    assert "A player resigned." in Visitor(app).open(f"/matches/{match}").text
    assert "Rematch" in mine.text
    assert "Play again" in Visitor(app).open(f"/matches/{match}").text
