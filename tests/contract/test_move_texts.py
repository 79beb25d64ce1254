"""The names of moves on pages: the words of each game, never the fields of the JSON."""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

import msgspec

from domain.kernel.chance import Fast
from domain.kernel.game import AnyGame
from domain.kernel.text import describe_fields
from tests.contract.cases import every_table, positions, sample_matches

WIDEST = 2_000
SAMPLE = 40
RAW = re.compile(r"""[_{}"\\]|\('|',|,\)|\bNone\b|\bTrue\b|\bFalse\b""")
"""Matches text that only Python or JSON would contain."""


def names_of_moves(game: AnyGame, seats: int) -> Iterator[tuple[Any, str]]:
    """Yield legal moves of positions from random and greedy matches, with their names."""
    chance = Fast("names of moves")
    for match in positions(game, seats, 24):
        for seat in sorted(match.to_move):
            view, legal = game.view(match.state, seat), list(islice(game.legal_moves(match.state, seat), WIDEST))
            for move in (*chance.shuffle(legal)[:SAMPLE], game.read_move({"type": "resign"})):
                yield move, game.describe_move(view, seat, move)


def narrations(game: AnyGame, seats: int) -> str:
    """Return everything that the game says about its sample matches."""
    return " ".join(
        line for replay in sample_matches(game, seats) for event in replay.events for line in game.tell(event.facts)
    )


@every_table
def test_every_move_has_a_name_in_the_games_words(game: AnyGame, seats: int) -> None:
    """It reads like an instruction: a capital letter, no full stop, one line, and nothing from Python or JSON."""
    for _, text in names_of_moves(game, seats):
        assert text[:1].isupper()
        assert text == text.strip().rstrip(".")
        assert "\n" not in text
        assert not RAW.search(text), text


@every_table
def test_a_field_is_named_with_its_number_only_if_the_narration_does_so(game: AnyGame, seats: int) -> None:
    """A slot has a number on the table, so "slot 7" is fine; a board position has only a row and a column."""
    narrated = narrations(game, seats)
    for move, words in names_of_moves(game, seats):
        for name in msgspec.to_builtins(move):
            for raw in re.findall(rf"\b{name.replace('_', ' ')}s? \d+", words, re.IGNORECASE):
                assert re.search(re.escape(raw), narrated, re.IGNORECASE), words


@every_table
def test_different_moves_of_a_position_have_different_names_unless_only_equal_cards_differ(
    game: AnyGame, seats: int
) -> None:
    """A name says which card and which place. Moves with one name do the same: their facts read alike."""
    for match in positions(game, seats, 8):
        for seat in sorted(match.to_move):
            view, named = game.view(match.state, seat), dict[str, Any]()
            for move in islice(game.legal_moves(match.state, seat), SAMPLE):
                other = named.setdefault(game.describe_move(view, seat, move), move)
                told = [game.tell(game.decide(match.state, seat, each, Fast("same"))) for each in (move, other)]
                assert told[0] == told[1], (move, other)


def test_a_game_without_names_for_its_moves_shows_their_fields() -> None:
    assert describe_fields("take_loan", {"gold": 3, "from_seats": [0, 1], "note": None}) == (
        "Take loan, gold 3, from seats 0 1"
    )
