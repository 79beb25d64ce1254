"""The uses of draws that a match has counted."""

import msgspec
import pytest

from domain.kernel.chance import Fast
from domain.kernel.event_codec import read_event
from domain.kernel.game import AnyGame
from domain.kernel.registry import games
from domain.match.history import fold
from tests.builders import log_lines, play_on, sit_down


@pytest.mark.parametrize("game", games().values(), ids=lambda game: game.slug)
def test_a_match_that_was_played_has_the_same_bytes_as_one_that_was_read(game: AnyGame) -> None:
    """If they differed, an audit would report the snapshot of a correct match as wrong."""
    for seed in range(2):
        table = sit_down(game, seed=seed)
        play_on(table, Fast(seed), resign_in=40)
        again = fold([read_event(line, game) for line in log_lines(table.events)])
        assert msgspec.json.encode(again) == msgspec.json.encode(table.match)
